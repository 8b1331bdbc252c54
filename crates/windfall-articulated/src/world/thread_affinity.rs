//! Affinity of threads to blocks: in every step the same thread sweeps the same blocks, as far as
//! possible.
//!
//! The blocks that a thread swept in the last step are in the caches of its core. Cores may share no
//! cache at all (two of a virtual machine, sockets, most dies of large processors): there it takes longer
//! to bring a block from the caches of the other core than from memory. So every thread has a share of
//! its own, the same in every step, and takes from the shares of others when its own is done. The
//! assignment of threads changes no result. (Where there are fewer blocks than threads, any of these may
//! sweep them.)

use std::sync::Mutex;

use rayon::prelude::*;

/// With more threads than this, some share one.
const MOST: usize = 64;

/// The rest of a thread's share, and the number of its first block; on cache lines of its own, because
/// threads write it all the time.
#[repr(align(128))]
struct ThreadShare<'a, B> {
    left: Mutex<(usize, &'a mut [B])>,
}

impl<'a, B> ThreadShare<'a, B> {
    /// Takes the first or the last block of the rest, with its number.
    fn take(&self, is_backwards: bool) -> Option<(usize, &'a mut B)> {
        let mut left = self.left.lock().expect("nobody panics in this function");
        let (first, blocks) = (left.0, std::mem::take(&mut left.1));
        let (taken, rest, block) = if is_backwards {
            let (block, rest) = blocks.split_last_mut()?;
            (first + rest.len(), (first, rest), block)
        } else {
            let (block, rest) = blocks.split_first_mut()?;
            (first, (first + 1, rest), block)
        };
        *left = rest;
        Some((taken, block))
    }
}

/// Passes every block and its number to `sweep`, on all threads of the pool. Each thread goes through its
/// share from the first to the last, or from the last to the first.
pub fn for_each<B: Send>(blocks: &mut [B], is_backwards: bool, sweep: impl Fn(usize, &mut B) + Sync) {
    let count = blocks.len();
    let threads = rayon::current_num_threads().min(count);
    let shares = threads.clamp(1, MOST);
    let mut rest = blocks;
    let thread_affinity: [ThreadShare<'_, B>; MOST] = std::array::from_fn(|k| {
        let [start, end] = [k, k + 1].map(|k| count * k.min(shares) / shares);
        let (own, others) = std::mem::take(&mut rest).split_at_mut(end - start);
        rest = others;
        ThreadShare { left: Mutex::new((start, own)) }
    });
    (0..threads).into_par_iter().with_max_len(1).for_each(|_| {
        let own = rayon::current_thread_index().unwrap_or(0);
        for k in 0..shares {
            while let Some((at, block)) = thread_affinity[(own + k) % shares].take(is_backwards) {
                sweep(at, block);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::{self, ThreadId};
    use std::time::Duration;

    use super::*;

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
    }

    #[test]
    fn every_block_is_swept_once_with_its_own_number() {
        for threads in [1, 2, 3, 7, 70] {
            for count in [0, 1, 2, 5, 64, 65, 200] {
                for is_backwards in [false, true] {
                    let mut blocks = vec![Vec::new(); count];
                    pool(threads).install(|| for_each(&mut blocks, is_backwards, |at, block| block.push(at)));
                    assert!(blocks.iter().enumerate().all(|(at, block)| block[..] == [at]), "{count} on {threads}");
                }
            }
        }
    }

    #[test]
    fn one_thread_goes_in_order() {
        for is_backwards in [false, true] {
            let (next, mut blocks) = (AtomicUsize::new(0), [0; 10]);
            pool(1).install(|| {
                for_each(&mut blocks, is_backwards, |_, turn| *turn = next.fetch_add(1, Ordering::Relaxed));
            });
            assert!(blocks.is_sorted_by(|a, b| (a < b) != is_backwards), "{blocks:?}");
        }
    }

    /// Both threads wait for each other, so that neither takes blocks of the other's share.
    #[test]
    fn threads_keep_their_portions_from_sweep_to_sweep_in_both_directions() {
        let pool = pool(2);
        let mut owners: Vec<Option<ThreadId>> = vec![None; 2];
        for sweep in 0..50 {
            let here = AtomicUsize::new(0);
            pool.install(|| {
                for_each(&mut owners, sweep % 2 == 1, |at, owner| {
                    here.fetch_add(1, Ordering::Relaxed);
                    while here.load(Ordering::Relaxed) < 2 {
                        thread::yield_now();
                    }
                    let own = thread::current().id();
                    assert_eq!(*owner.get_or_insert(own), own, "sweep {sweep}, block {at}");
                });
            });
        }
    }

    /// The first thread stays with its first block until the other has swept all the rest, or for some
    /// seconds.
    #[test]
    fn who_is_done_helps_the_others() {
        let swept = AtomicUsize::new(0);
        let mut blocks = [0; 40];
        pool(2).install(|| {
            for_each(&mut blocks, false, |at, before| {
                let mut looks = 0;
                while at == 0 && swept.load(Ordering::Relaxed) < 39 && looks < 10_000 {
                    thread::sleep(Duration::from_millis(1));
                    looks += 1;
                }
                *before = swept.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(blocks[0], 39, "swept before the first");
    }
}
