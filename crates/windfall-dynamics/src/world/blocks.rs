//! The blocks of a world. A step leaves them swept up for the next one (`foresight.rs`), as long as nobody changes them in between: whoever takes hold of them
//! as mutable, changes them.

use std::ops::{Deref, DerefMut};

use rayon::prelude::*;

use super::awake::Signal;
use super::block::Block;
use super::portions;
use crate::math::Real;

/// All blocks but the top.
#[derive(Debug, Clone)]
pub(crate) struct Blocks<T> {
    list: Vec<Block<T>>,
    /// Whether any of them may have been changed since the last sweep up.
    is_stirred: bool,
    /// Whether the last sweep went from the last to the first.
    is_backwards: bool,
    /// Given when there is work for all threads.
    work: Signal,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<Block<T>>> for Blocks<T> {
    fn from(list: Vec<Block<T>>) -> Self {
        Self { list, is_stirred: true, is_backwards: false, work: Signal::default() }
    }
}

impl<T> Deref for Blocks<T> {
    type Target = [Block<T>];

    fn deref(&self) -> &[Block<T>] {
        &self.list
    }
}

impl<T: Real> DerefMut for Blocks<T> {
    fn deref_mut(&mut self) -> &mut [Block<T>] {
        self.is_stirred = true;
        if self.list.iter().any(|block| block.any_follow) {
            self.call_threads();
            self.list.par_iter_mut().for_each(Block::store_leaves);
        }
        &mut self.list
    }
}

impl<T> Blocks<T> {
    /// For what changes how all of them are swept, but not where their bodies are, or places them for the first time: leaves go on following.
    pub fn stirred(&mut self) -> &mut [Block<T>] {
        self.is_stirred = true;
        &mut self.list
    }

    /// For the sweeps, and for what changes only pieces that fly: these are never swept ahead.
    pub fn calmly(&mut self) -> &mut [Block<T>] {
        &mut self.list
    }

    /// Sweeps all of them, on all threads, each through its portion in the opposite order to the last sweep: what was swept last is still in the caches, and of a portion that is a little larger than these most would be lost if it was
    /// always gone through from the first to the last.
    pub fn sweep(&mut self, sweep: impl Fn(usize, &mut Block<T>) + Sync)
    where
        T: Send,
    {
        self.is_backwards = !self.is_backwards;
        self.go_through(sweep);
    }

    /// The same for those that are not ready, if this step was foreseen; few, so that the order stays.
    pub fn sweep_up(&mut self, is_foreseen: bool, sweep: impl Fn(usize, &mut Block<T>) + Sync)
    where
        T: Send,
    {
        if !is_foreseen {
            return self.sweep(sweep);
        }
        if self.list.iter().all(|block| block.is_ready) {
            // Threads are not woken for nothing.
            return;
        }
        self.go_through(|at, block| {
            if !block.is_ready {
                sweep(at, block);
            }
        });
    }

    fn go_through(&mut self, sweep: impl Fn(usize, &mut Block<T>) + Sync)
    where
        T: Send,
    {
        self.call_threads();
        portions::for_each(&mut self.list, self.is_backwards, sweep);
    }

    /// What threads wait for in a step: that blocks are swept, or all are looked at.
    pub fn next_work(&self) -> Signal {
        self.work.renewed()
    }

    /// Who waits for work may come.
    pub fn call_threads(&self) {
        self.work.give();
    }

    /// One of them, for what acts on its bodies in the next step; the others stay as they are.
    pub fn acted_on(&mut self, block: usize) -> &mut Block<T> {
        let block = &mut self.list[block];
        (block.is_ready, block.is_touched) = (false, true);
        block
    }

    /// One of them, to be changed; the others stay as they are.
    pub fn one(&mut self, block: usize) -> &mut Block<T>
    where
        T: Real,
    {
        let block = self.acted_on(block);
        block.store_leaves();
        block
    }

    /// Whether any was changed since this was asked last.
    pub fn take_stirred(&mut self) -> bool {
        std::mem::take(&mut self.is_stirred)
    }

    /// Memory of the list itself.
    pub fn bytes(&self) -> usize {
        super::bytes::held(&self.list)
    }
}
