//! Wakes threads shortly before they are needed, and keeps them awake until then.
//!
//! A step begins with the serial work on the top, and in the meantime the other threads would fall
//! asleep. To wake one takes up to 25 us on a virtual machine, a quarter of a step of 10,000 bodies.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

/// Number of polls after which a thread yields, and number of such rounds after which it stops waiting:
/// some 0.2 ms.
const LOOKS: usize = 32;
const ROUNDS: usize = 200;

/// Signal: whether the parallel work has begun.
#[derive(Debug, Default)]
pub(crate) struct Wakeup(Arc<AtomicBool>);

impl Clone for Wakeup {
    /// A signal of the cloned world: no thread waits for it.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Wakeup {
    /// Signals that there is work for all threads.
    pub fn give(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The same signal, not given yet.
    pub fn renewed(&self) -> Self {
        self.0.store(false, Ordering::Relaxed);
        Self(Arc::clone(&self.0))
    }

    /// Does `work` while `others` more threads are kept awake until the signal is given. Threads that are
    /// busy elsewhere and arrive late are not waited for.
    pub fn awaited(&self, others: usize, work: impl FnOnce() + Send) {
        let all = || {
            work();
            self.give();
        };
        let wait = || (0..others).into_par_iter().with_max_len(1).for_each(|_| self.wait());
        rayon::join(all, wait);
    }

    fn wait(&self) {
        for _ in 0..ROUNDS {
            for _ in 0..LOOKS {
                if self.0.load(Ordering::Relaxed) {
                    return;
                }
                std::hint::spin_loop();
            }
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_in_vain_gives_up() {
        Wakeup::default().wait();
    }

    #[test]
    fn work_is_done_once_whoever_waits() {
        for (threads, others) in [(1, 0), (1, 3), (2, 1), (3, 8)] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let signal = Wakeup::default();
            for round in 1..20 {
                let mut done = 0;
                let again = signal.renewed();
                assert!(!again.0.load(Ordering::Relaxed), "not given yet");
                pool.install(|| again.awaited(others, || done += round));
                assert_eq!(done, round);
                assert!(signal.0.load(Ordering::Relaxed), "given in the end, for all who have it");
            }
            assert!(!signal.clone().0.load(Ordering::Relaxed), "that of another world is not");
        }
    }
}
