//! Arrays in huge pages.
//!
//! A step reads all arrays of a world. With small pages (4 kB) address translation takes a tenth of a
//! step of a large tree. Systems give huge pages (2 MB) only to large allocations, and the arrays of a
//! block are smaller than one. So they are cut from slabs ([`memmap2`] maps the memory,
//! [`offset_allocator`] manages the free parts). A slab is unmapped with the last array in it. Small
//! arrays, and all arrays where the system has no such memory, are ordinary allocations.

use std::fmt;
use std::marker::PhantomData;
use std::mem::needs_drop;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use memmap2::MmapMut;
use offset_allocator::{Allocation, Allocator};

/// Size of a huge page, bytes.
const PAGE: usize = 1 << 21;
/// Size of a slab, bytes; arrays larger than a quarter of that get a slab of their own size.
const SLAB: usize = 16 * PAGE;
/// Worlds larger than this get a [`Reserve`] while they are made, bytes.
const MANY: usize = 4 * SLAB;
/// Smaller arrays are ordinary allocations, bytes.
const SMALL: usize = 1 << 12;
/// Unit of allocation in slabs, one cache line, bytes.
const UNIT: usize = 64;
/// Largest number of arrays in a slab.
const MOST_ARRAYS: u32 = 2048;

/// Bytes of all arrays in slabs.
static CUT: AtomicUsize = AtomicUsize::new(0);

/// Memory of all arrays that the worlds of the program have in huge pages, bytes. The allocator of the
/// program does not count it.
pub fn bytes_in_huge_pages() -> usize {
    CUT.load(Ordering::Relaxed)
}

/// All slabs that are in use.
static SLABS: Mutex<Vec<Weak<Slab>>> = Mutex::new(Vec::new());

/// Memory from which arrays are cut.
struct Slab {
    /// Aligned to a huge page, within `memory`.
    start: NonNull<u8>,
    parts: Mutex<Allocator>,
    /// Unmapped with the slab.
    memory: MmapMut,
}

#[expect(unsafe_code, reason = "a pointer says nothing of threads by itself")]
// SAFETY: `start` points into memory that the slab owns, and is read only to compute the addresses of its
// parts.
unsafe impl Send for Slab {}
#[expect(unsafe_code, reason = "a pointer says nothing of threads by itself")]
// SAFETY: as above; the allocation of parts is behind a lock.
unsafe impl Sync for Slab {}

impl Slab {
    /// Maps at least this many bytes; none if the system has no such memory.
    fn new(bytes: usize) -> Option<Self> {
        let bytes = if bytes > SLAB / 4 { bytes.checked_add(bytes / 4)?.checked_next_multiple_of(PAGE)? } else { SLAB };
        let units = u32::try_from(bytes / UNIT).ok()?;
        let mut memory = MmapMut::map_anon(bytes.checked_add(PAGE)?).ok()?;
        #[cfg(target_os = "linux")]
        {
            // Without huge pages the slab uses small pages.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        let offset = memory.as_ptr().align_offset(PAGE);
        let start = NonNull::new(memory.get_mut(offset..)?.as_mut_ptr())?;
        Some(Self { start, parts: Mutex::new(Allocator::with_max_allocs(units, MOST_ARRAYS)), memory })
    }

    /// Asks the system to clear the memory now.
    fn clear(&self) {
        let memory = &self.memory;
        // Systems before 5.14, and others, clear it at the first write.
        #[cfg(target_os = "linux")]
        let _ = memory.advise_range(
            memmap2::Advice::PopulateWrite,
            self.start.as_ptr().addr() - memory.as_ptr().addr(),
            memory.len() - PAGE,
        );
        #[cfg(not(target_os = "linux"))]
        let _ = memory;
    }

    /// A part of `bytes` bytes, and its address.
    fn cut(&self, bytes: usize) -> Option<(Allocation, NonNull<u8>)> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).ok()?;
        let part = self.parts.lock().unwrap_or_else(PoisonError::into_inner).allocate(units)?;
        let start = self.start.as_ptr().wrapping_add(part.offset as usize * UNIT);
        Some((part, NonNull::new(start)?))
    }
}

/// A part of any slab, in a new slab if none has room.
fn cut(bytes: usize) -> Option<(Arc<Slab>, Allocation, NonNull<u8>)> {
    let mut slabs = SLABS.lock().unwrap_or_else(PoisonError::into_inner);
    slabs.retain(|slab| slab.strong_count() > 0);
    for slab in slabs.iter().filter_map(Weak::upgrade) {
        if let Some((part, start)) = slab.cut(bytes) {
            return Some((slab, part, start));
        }
    }
    let slab = Arc::new(Slab::new(bytes)?);
    slabs.push(Arc::downgrade(&slab));
    let (part, start) = slab.cut(bytes)?;
    Some((slab, part, start))
}

/// Slabs that a thread of its own prepares until this is dropped. Systems clear memory at the first
/// write; a machine with a spare core need not wait for that (3,267,482 bodies: 0.7 s of 3.5).
pub(crate) struct Reserve {
    is_over: Arc<AtomicBool>,
    slabs: Arc<Mutex<Vec<Arc<Slab>>>>,
}

impl Reserve {
    /// Prepares about `bytes` bytes; nothing for few.
    pub fn of(bytes: usize) -> Self {
        let provision = Self { is_over: Arc::default(), slabs: Arc::default() };
        if cfg!(target_os = "linux") && bytes > MANY {
            let (is_over, slabs) = (Arc::clone(&provision.is_over), Arc::clone(&provision.slabs));
            let clear = move || {
                for _ in 0..bytes / SLAB {
                    let Some(slab) = Slab::new(0) else { return };
                    slab.clear();
                    let slab = Arc::new(slab);
                    let mut kept = slabs.lock().unwrap_or_else(PoisonError::into_inner);
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    SLABS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&slab));
                    kept.push(slab);
                }
            };
            // Without a thread the memory is cleared at the first write.
            let _ = std::thread::Builder::new().spawn(clear);
        }
        provision
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.slabs.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Location of an array.
enum Home {
    /// In a box.
    Heap,
    /// In a part of a slab, of this size in bytes.
    Slab { slab: Arc<Slab>, part: Allocation, bytes: usize },
}

/// An array; see the head of the module. Elements that need dropping lie in a box.
pub struct PagedVec<R> {
    start: NonNull<R>,
    len: usize,
    home: Home,
    owned: PhantomData<R>,
}

#[expect(unsafe_code, reason = "a pointer says nothing of threads by itself")]
// SAFETY: the array owns its memory, as a box does, and no other code reads or writes it.
unsafe impl<R: Send> Send for PagedVec<R> {}
#[expect(unsafe_code, reason = "a pointer says nothing of threads by itself")]
// SAFETY: as above; through a shared reference the elements are only read.
unsafe impl<R: Sync> Sync for PagedVec<R> {}

impl<R> PagedVec<R> {
    /// From rows; `count` is their approximate number.
    #[expect(unsafe_code, reason = "what is cut from a slab has no type yet")]
    pub fn gather(count: usize, rows: impl IntoIterator<Item = R>) -> Self {
        let Some(mut huge_pages) = Self::scratch(count) else { return Self::in_a_box(rows.into_iter().collect()) };
        let mut rows = rows.into_iter();
        for row in rows.by_ref() {
            if huge_pages.len == count {
                // More rows than announced.
                let mut all = Vec::with_capacity(2 * count);
                // SAFETY: the first `len` rows are written, and are not read again: they need not be
                // dropped.
                all.extend((0..count).map(|i| unsafe { huge_pages.start.as_ptr().add(i).read() }));
                all.push(row);
                all.extend(rows);
                return Self::gather(all.len(), all);
            }
            // SAFETY: there is space for `count` rows, and `len` is less.
            unsafe { huge_pages.start.as_ptr().add(huge_pages.len).write(row) };
            huge_pages.len += 1;
        }
        huge_pages
    }

    /// Uninitialised space in a slab, without rows; none for small arrays and for element types that
    /// slabs do not support.
    fn scratch(count: usize) -> Option<Self> {
        let bytes = count.checked_mul(size_of::<R>())?;
        if bytes < SMALL || align_of::<R>() > UNIT || needs_drop::<R>() {
            return None;
        }
        // The part is aligned to a unit and so to R, and has no other owner until it is freed.
        let (slab, part, start) = cut(bytes)?;
        CUT.fetch_add(bytes, Ordering::Relaxed);
        Some(Self { start: start.cast(), len: 0, home: Home::Slab { slab, part, bytes }, owned: PhantomData })
    }

    fn in_a_box(rows: Vec<R>) -> Self {
        let len = rows.len();
        let start = NonNull::from(Box::leak(rows.into_boxed_slice())).cast();
        Self { start, len, home: Home::Heap, owned: PhantomData }
    }
}

impl<R> From<Vec<R>> for PagedVec<R> {
    fn from(rows: Vec<R>) -> Self {
        Self::gather(rows.len(), rows)
    }
}

impl<R> Drop for PagedVec<R> {
    #[expect(unsafe_code, reason = "a box is put together again")]
    fn drop(&mut self) {
        match &self.home {
            // SAFETY: the memory was leaked from a box of this length, once.
            Home::Heap => {
                drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.len)) });
            }
            Home::Slab { slab, part, bytes } => {
                CUT.fetch_sub(*bytes, Ordering::Relaxed);
                slab.parts.lock().unwrap_or_else(PoisonError::into_inner).free(*part);
            }
        }
    }
}

impl<R> Deref for PagedVec<R> {
    type Target = [R];

    #[inline]
    #[expect(unsafe_code, reason = "a pointer and a length")]
    fn deref(&self) -> &[R] {
        // SAFETY: `len` rows are written, are owned by this array and live as long as it.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<R> DerefMut for PagedVec<R> {
    #[inline]
    #[expect(unsafe_code, reason = "a pointer and a length")]
    fn deref_mut(&mut self) -> &mut [R] {
        // SAFETY: as above; a mutable borrow of the array is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<R> Default for PagedVec<R> {
    fn default() -> Self {
        Self::in_a_box(Vec::new())
    }
}

impl<R: Clone> Clone for PagedVec<R> {
    fn clone(&self) -> Self {
        Self::gather(self.len, self.iter().cloned())
    }
}

impl<R: fmt::Debug> fmt::Debug for PagedVec<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u64) -> Vec<u64> {
        (0..count as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed).collect()
    }

    /// Arrays of all sizes are allocated and freed on several threads; none ever reads a number of
    /// another.
    #[test]
    fn arrays_keep_apart() {
        std::thread::scope(|scope| {
            for thread in 0..3_u64 {
                scope.spawn(move || {
                    let mut kept: Vec<(usize, u64, PagedVec<u64>)> = Vec::new();
                    for i in 0..300_u64 {
                        let seed = thread << 32 | i;
                        let count = [0, 1, 511, 512, 5000, 70_000, 600_000][(i.wrapping_mul(7919) % 7) as usize];
                        kept.push((count, seed, numbers(count, seed).into()));
                        if kept.len() > 12 {
                            drop(kept.swap_remove((i % 11) as usize));
                        }
                        if let Some((_, seed, huge_pages)) = kept.last_mut().filter(|(count, ..)| *count > 0) {
                            huge_pages[0] ^= 1;
                            let copy = huge_pages.clone();
                            assert_eq!(copy[0], *seed ^ 1);
                            huge_pages[0] ^= 1;
                        }
                    }
                    for (count, seed, huge_pages) in &kept {
                        assert!(huge_pages[..] == numbers(*count, *seed), "{count} numbers of {seed}");
                    }
                });
            }
        });
    }

    #[test]
    fn large_arrays_lie_on_borders_and_slabs_go_back() {
        let huge_pages: PagedVec<u64> = numbers(40_000, 1).into();
        assert!(matches!(huge_pages.home, Home::Slab { .. }) && (huge_pages.as_ptr() as usize).is_multiple_of(UNIT));
        let huge: PagedVec<u64> = numbers(SLAB / 8 + 3, 2).into();
        assert!(huge[..] == numbers(SLAB / 8 + 3, 2));
        let Home::Slab { slab, .. } = &huge.home else { panic!("it is large") };
        let slab = Arc::downgrade(slab);
        drop(huge);
        // Another test may hold a part of it meanwhile, and will free it.
        for _ in 0..1000 {
            if slab.strong_count() == 0 {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("the slab is kept");
    }

    #[test]
    fn a_provision_may_be_dropped_before_it_is_ready() {
        for _ in 0..3 {
            let provision = Reserve::of(MANY + 2 * SLAB);
            let huge_pages: PagedVec<u64> = numbers(100_000, 5).into();
            drop(provision);
            assert!(huge_pages[..] == numbers(100_000, 5));
        }
    }

    #[test]
    fn more_rows_than_were_said_are_all_there() {
        for said in [1000, 1, 0] {
            let huge_pages = PagedVec::gather(said, numbers(5000, 3));
            assert!(huge_pages[..] == numbers(5000, 3), "{said} were said");
        }
        assert!(PagedVec::gather(5000, numbers(1000, 4))[..] == numbers(1000, 4));
    }

    #[test]
    fn what_is_dropped_lies_in_a_box() {
        let texts: PagedVec<String> = (0..1000).map(|i| i.to_string()).collect::<Vec<_>>().into();
        assert!(matches!(texts.home, Home::Heap) && texts[999] == "999");
    }

    #[test]
    fn small_ones_are_ordinary() {
        let huge_pages: PagedVec<u64> = numbers(3, 0).into();
        assert!(matches!(huge_pages.home, Home::Heap));
        assert_eq!(huge_pages.clone()[..], numbers(3, 0));
        assert!(PagedVec::<u64>::default().is_empty());
    }
}
