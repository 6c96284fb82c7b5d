//! Lists of flows and links, read so that neighbours that are alike share what they have in common: a hundred
//! thousand flows then hold one transport, not one each.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use super::{Flow, Link, Transport};

/// An item of such a list.
pub(super) trait Alike {
    /// Takes from the item before what is equal.
    fn share(&mut self, before: &Self);
}

impl Alike for Flow {
    fn share(&mut self, before: &Self) {
        if let (Transport::Tcp(own), Transport::Tcp(known)) = (&mut self.transport, &before.transport) {
            share(own, known);
        }
    }
}

impl Alike for Link {
    fn share(&mut self, before: &Self) {
        share(&mut self.queue, &before.queue);
        if let (Some(own), Some(known)) = (&mut self.reverse.queue, &before.reverse.queue) {
            share(own, known);
        }
    }
}

fn share<T: PartialEq>(own: &mut Arc<T>, known: &Arc<T>) {
    if own == known {
        *own = known.clone();
    }
}

/// Reads a list.
pub(super) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Alike + Deserialize<'de>,
{
    deserializer.deserialize_seq(List(PhantomData))
}

struct List<T>(PhantomData<T>);

impl<'de, T: Alike + Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        let mut list: Vec<T> = Vec::new();
        while let Some(mut item) = items.next_element::<T>()? {
            if let Some(before) = list.last() {
                item.share(before);
            }
            list.push(item);
        }
        Ok(list)
    }
}
