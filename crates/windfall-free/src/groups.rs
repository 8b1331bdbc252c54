//! Connected components.

/// Connected components, and scratch to find them.
#[derive(Debug, Default, Clone)]
pub struct Groups {
    /// All items, group by group; groups by their first member, members in order.
    pub order: Vec<u32>,
    /// Size of each group.
    pub sizes: Vec<u32>,
    leaders: Vec<u32>,
    starts: Vec<u32>,
}

impl Groups {
    /// Groups `count` items by their links.
    pub fn make(&mut self, count: usize, links: impl Iterator<Item = (u32, u32)>) {
        self.leaders.clear();
        self.leaders.extend(0..count as u32);
        for (a, b) in links {
            let (a, b) = (self.leader(a), self.leader(b));
            // The first member represents the group.
            self.leaders[a.max(b) as usize] = a.min(b);
        }
        self.sizes.clear();
        self.starts.clear();
        self.starts.resize(count, 0);
        for i in 0..count as u32 {
            let leader = self.leader(i);
            self.leaders[i as usize] = leader;
            self.starts[leader as usize] += 1;
        }
        let mut start = 0;
        for i in 0..count {
            if self.leaders[i] == i as u32 {
                let size = self.starts[i];
                self.sizes.push(size);
                self.starts[i] = start;
                start += size;
            }
        }
        self.order.clear();
        self.order.resize(count, 0);
        for i in 0..count {
            let next = &mut self.starts[self.leaders[i] as usize];
            self.order[*next as usize] = i as u32;
            *next += 1;
        }
    }

    fn leader(&mut self, mut i: u32) -> u32 {
        while self.leaders[i as usize] != i {
            let above = self.leaders[i as usize];
            self.leaders[i as usize] = self.leaders[above as usize];
            i = above;
        }
        i
    }
}
