//! Names of flows and ports, by index, each list in one piece of text: half a million of them are two allocations.

use std::ops::Index;
use std::sync::Arc;

/// The names of a network, shared by its plan and all that is recorded of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// Names of flows.
    pub flows: Arc<NameList>,
    /// Names of ports: that of the link, if it has one and this is its forward port, else `a->b`.
    pub ports: Arc<NameList>,
}

/// A list of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameList {
    text: String,
    /// End of each name.
    ends: Vec<usize>,
}

impl NameList {
    /// An empty list with room for so many names, of so many bytes together.
    pub fn with_capacity(names: usize, bytes: usize) -> Self {
        NameList { text: String::with_capacity(bytes), ends: Vec::with_capacity(names) }
    }

    /// Adds a name, given in pieces.
    pub fn push(&mut self, pieces: &[&str]) {
        self.text.extend(pieces.iter().copied());
        self.ends.push(self.text.len());
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all names together.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All names in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| &self[index])
    }
}

impl Index<usize> for NameList {
    type Output = str;

    fn index(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[index]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_in_order() {
        let mut names = NameList::default();
        assert!(names.is_empty());
        names.push(&["a"]);
        names.push(&[]);
        names.push(&["b", "->", "é"]);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "", "b->é"]);
        assert_eq!((names.len(), &names[2]), (3, "b->é"));
    }
}
