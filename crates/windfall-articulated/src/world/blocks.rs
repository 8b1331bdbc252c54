//! The blocks of a world.
//!
//! A step leaves the blocks swept up for the next one (`lookahead.rs`), as long as no change occurs in
//! between. So every access for a change names the kind of change: [`Blocks::change_joints`],
//! [`Blocks::change_model`], [`Blocks::keep_swept`], or one block alone.

use std::ops::Deref;

use rayon::prelude::*;

use crate::block::Block;
use crate::math::Real;
use crate::world::thread_affinity;
use crate::world::thread_wakeup::Wakeup;

/// All blocks but the top.
#[derive(Debug, Clone)]
pub(crate) struct Blocks<T> {
    list: Vec<Block<T>>,
    /// Whether any of them may have been changed since the last sweep up.
    is_changed: bool,
    /// Whether the last sweep went from the last block to the first.
    is_backwards: bool,
    /// Signal that wakes the threads when there is parallel work.
    work: Wakeup,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<Block<T>>> for Blocks<T> {
    fn from(list: Vec<Block<T>>) -> Self {
        Self { list, is_changed: true, is_backwards: false, work: Wakeup::default() }
    }
}

impl<T> Deref for Blocks<T> {
    type Target = [Block<T>];

    fn deref(&self) -> &[Block<T>] {
        &self.list
    }
}

impl<T> Blocks<T> {
    /// Access for changes of the joints: all motions are stored, and blocks that were swept ahead are
    /// swept again.
    pub fn change_joints(&mut self) -> &mut [Block<T>]
    where
        T: Real,
    {
        self.is_changed = true;
        if self.list.iter().any(|block| block.plan.any_derived) {
            self.wake_threads();
            self.list.par_iter_mut().for_each(Block::store_leaves);
        }
        &mut self.list
    }

    /// Access for changes of how bodies are swept, but not of their poses (parameters, scratch), and for
    /// the first placing: blocks that were swept ahead are swept again; motions of leaves stay derived.
    pub fn change_model(&mut self) -> &mut [Block<T>] {
        self.is_changed = true;
        &mut self.list
    }

    /// Access for the sweeps, and for changes of free pieces alone: blocks with free pieces are never
    /// swept ahead.
    pub fn keep_swept(&mut self) -> &mut [Block<T>] {
        &mut self.list
    }

    /// Sweeps all blocks on all threads, each thread through its share in the opposite order to the last
    /// sweep. The blocks that were swept last are still in the caches; of a share a little larger than
    /// the caches most would be evicted if the order was always from the first to the last.
    pub fn sweep(&mut self, sweep: impl Fn(usize, &mut Block<T>) + Sync)
    where
        T: Send,
    {
        self.is_backwards = !self.is_backwards;
        self.go_through(sweep);
    }

    /// The same for the blocks that are not ready, if this step was looked ahead; these are few, so the
    /// order stays.
    pub fn sweep_up(&mut self, was_looked_ahead: bool, sweep: impl Fn(usize, &mut Block<T>) + Sync)
    where
        T: Send,
    {
        if !was_looked_ahead {
            return self.sweep(sweep);
        }
        if self.list.iter().all(|block| block.plan.is_ready) {
            // Avoids waking threads without work.
            return;
        }
        self.go_through(|at, block| {
            if !block.plan.is_ready {
                sweep(at, block);
            }
        });
    }

    fn go_through(&mut self, sweep: impl Fn(usize, &mut Block<T>) + Sync)
    where
        T: Send,
    {
        self.wake_threads();
        thread_affinity::for_each(&mut self.list, self.is_backwards, sweep);
    }

    /// A new signal for the threads that wait in a step: given when blocks are to be swept, or all are
    /// inspected.
    pub fn next_work(&self) -> Wakeup {
        self.work.renewed()
    }

    /// Wakes the waiting threads.
    pub fn wake_threads(&self) {
        self.work.give();
    }

    /// One block, for the loads on its bodies in the next step; the other blocks stay as they are.
    pub fn for_input(&mut self, block: usize) -> &mut Block<T> {
        let block = &mut self.list[block];
        (block.plan.is_ready, block.plan.is_touched) = (false, true);
        block
    }

    /// One block, for changes; the other blocks stay as they are.
    pub fn one(&mut self, block: usize) -> &mut Block<T>
    where
        T: Real,
    {
        let block = self.for_input(block);
        block.store_leaves();
        block
    }

    /// Whether any block was changed since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.is_changed)
    }

    /// Memory of the list itself.
    pub fn bytes(&self) -> usize {
        crate::block::bytes::held(&self.list)
    }
}
