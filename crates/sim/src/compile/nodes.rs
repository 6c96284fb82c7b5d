//! Nodes by their names.

use std::cell::Cell;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// The numbers of nodes: hosts first, each in the order of the scenario.
pub(super) struct Nodes<'a> {
    numbers: FxHashMap<&'a str, u32>,
    hosts: &'a [SmolStr],
    /// The host behind the one that was asked for last. Links and flows tend to name hosts in order, and to compare
    /// with a neighbour takes much less than to look among very many.
    next: Cell<usize>,
}

impl<'a> Nodes<'a> {
    /// No nodes yet, of `hosts` and so many more.
    pub fn new(hosts: &'a [SmolStr], more: usize) -> Self {
        let numbers = FxHashMap::with_capacity_and_hasher(hosts.len() + more, Default::default());
        Nodes { numbers, hosts, next: Cell::new(0) }
    }

    /// Adds a node; whether no other has its name.
    pub fn add(&mut self, name: &'a str, number: u32) -> bool {
        self.numbers.insert(name, number).is_none()
    }

    /// The number of a node.
    pub fn number(&self, name: &str) -> Option<u32> {
        let next = self.next.get();
        let number = match self.hosts.get(next) {
            Some(host) if host == name => next as u32,
            _ => self.numbers.get(name).copied()?,
        };
        if (number as usize) < self.hosts.len() {
            self.next.set(number as usize + 1);
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_in_any_order() {
        let hosts = ["a", "b", "c"].map(SmolStr::from);
        let mut nodes = Nodes::new(&hosts, 1);
        for (number, name) in (0..).zip(["a", "b", "c", "r"]) {
            assert!(nodes.add(name, number));
        }
        assert!(!nodes.add("b", 1));
        for (name, number) in [("a", 0), ("b", 1), ("r", 3), ("c", 2), ("c", 2), ("a", 0), ("r", 3), ("b", 1)]
        {
            assert_eq!(nodes.number(name), Some(number), "{name}");
        }
        assert_eq!(nodes.number("d"), None);
    }
}
