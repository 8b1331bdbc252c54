//! Room that a thread lends to one block after the other: what is needed only while a block is swept takes no memory of its own, and stays in the caches.

use std::any::Any;
use std::cell::RefCell;

use super::block::Block;
use super::exchange::{Bough, Burden, Heard, Inbox, LeafPose};
use super::rows::Row;
use crate::analytic::Carried;

struct Room {
    inboxes: Vec<Inbox<f32>>,
    exact_inboxes: Vec<Inbox<f64>>,
    carried: Vec<Carried<f32>>,
    exact_carried: Vec<Carried<f64>>,
    heard: Vec<Heard<f32>>,
    poses: Vec<LeafPose<Row<f32>>>,
    boughs: Vec<Bough<Row<f32>>>,
    burdens: Vec<Burden<f32>>,
    air: [Vec<f32>; 6],
}

thread_local! {
    static ROOM: RefCell<Room> = const {
        RefCell::new(Room {
            inboxes: Vec::new(),
            exact_inboxes: Vec::new(),
            carried: Vec::new(),
            exact_carried: Vec::new(),
            heard: Vec::new(),
            poses: Vec::new(),
            boughs: Vec::new(),
            burdens: Vec::new(),
            air: [const { Vec::new() }; 6],
        })
    };
}

/// Exchanges a list with that of this thread, if there is one of its kind.
pub fn swap<E: 'static>(own: &mut Vec<E>) {
    ROOM.with_borrow_mut(|room| {
        let Room { inboxes, exact_inboxes, carried, exact_carried, heard, poses, boughs, burdens, air: _ } = room;
        let lists: [&mut dyn Any; 8] = [inboxes, exact_inboxes, carried, exact_carried, heard, poses, boughs, burdens];
        for list in lists {
            if let Some(list) = list.downcast_mut::<Vec<E>>() {
                std::mem::swap(own, list);
            }
        }
    });
}

/// The same for the air.
pub fn swap_air(points: &mut [Vec<f32>; 3], velocities: &mut [Vec<f32>; 3]) {
    ROOM.with_borrow_mut(|room| {
        for (own, list) in points.iter_mut().chain(velocities).zip(&mut room.air) {
            std::mem::swap(own, list);
        }
    });
}

impl<T: 'static> Block<T>
where
    Inbox<T>: Copy + Default + PartialEq,
    Carried<T>: Copy + Default + PartialEq,
{
    /// Sweeps the block with room of this thread.
    pub fn in_lent_room(&mut self, sweep: impl FnOnce(&mut Self)) {
        self.inboxes.borrow_room();
        self.carried.borrow_room();
        self.told.borrow_room();
        swap_air(&mut self.sails.points, &mut self.sails.velocities);
        sweep(self);
        swap_air(&mut self.sails.points, &mut self.sails.velocities);
        self.inboxes.return_room();
        self.carried.return_room();
        self.told.return_room();
    }
}
