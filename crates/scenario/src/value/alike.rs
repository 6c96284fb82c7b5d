//! Lists of flows and links, read so that neighbours that are alike share what they have in common: a hundred
//! thousand flows then hold one transport, not one each. Most differ from the one before in a few fields only.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use super::{Flow, Link, Transport};

/// An item of such a list.
pub trait Alike: Clone {
    /// Takes from the item before what is equal.
    fn share(&mut self, before: &Self);

    /// Sets one of the fields in which neighbours tend to differ; whether this is one.
    ///
    /// # Errors
    /// If the field cannot be read from `value`.
    fn set<'de, D: Deserializer<'de>>(&mut self, field: &str, value: D) -> Result<bool, D::Error>;
}

impl Alike for Flow {
    fn share(&mut self, before: &Self) {
        if let (Transport::Tcp(own), Transport::Tcp(known)) = (&mut self.transport, &before.transport) {
            share(own, known);
        }
    }

    fn set<'de, D: Deserializer<'de>>(&mut self, field: &str, value: D) -> Result<bool, D::Error> {
        match field {
            "name" => self.name = Deserialize::deserialize(value)?,
            "source" => self.source = Deserialize::deserialize(value)?,
            "destination" => self.destination = Deserialize::deserialize(value)?,
            "start" => self.start = Deserialize::deserialize(value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Alike for Link {
    fn share(&mut self, before: &Self) {
        share(&mut self.queue, &before.queue);
        share(&mut self.reverse, &before.reverse);
        if let (Some(own), Some(known)) = (&mut self.conditioner, &before.conditioner) {
            share(own, known);
        }
        if let (Some(_), Some(known)) = (&self.reverse.queue, &before.reverse.queue) {
            if !Arc::ptr_eq(&self.reverse, &before.reverse) {
                Arc::make_mut(&mut self.reverse).queue.iter_mut().for_each(|own| share(own, known));
            }
        }
    }

    fn set<'de, D: Deserializer<'de>>(&mut self, field: &str, value: D) -> Result<bool, D::Error> {
        match field {
            "between" => self.between = Deserialize::deserialize(value)?,
            "rate" => self.rate = Deserialize::deserialize(value)?,
            "delay" => self.delay = Deserialize::deserialize(value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn share<T: PartialEq>(own: &mut Arc<T>, known: &Arc<T>) {
    if own == known {
        *own = known.clone();
    }
}

/// Adds an item to a list; it shares with the last one what both have in common.
pub fn push_alike<T: Alike>(list: &mut Vec<T>, mut item: T) {
    if let Some(before) = list.last() {
        item.share(before);
    }
    list.push(item);
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
        while let Some(item) = items.next_element::<T>()? {
            push_alike(&mut list, item);
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Scenario;
    use super::*;

    fn scenario(windows: &[u32], limits: &[u32]) -> Scenario {
        let flow = |window: &u32| {
            json!({"name": "f", "source": "a", "destination": "b", "app": {"kind": "bulk"},
                   "transport": {"kind": "tcp", "max_window_packets": window}})
        };
        let link = |(index, limit): (usize, &u32)| {
            let queue = json!({"kind": "droptail", "limit_packets": limit});
            let reverse = json!({"queue": queue, "delay": index});
            json!({"between": ["a", "b"], "rate": 1e6, "delay": 0, "queue": queue, "reverse": reverse})
        };
        let flows = windows.iter().map(flow).collect::<Vec<_>>();
        let links = limits.iter().enumerate().map(link).collect::<Vec<_>>();
        let plain = json!({"duration": 1, "hosts": [], "links": links, "flows": flows});
        serde_json::from_value(plain).expect("a well-formed scenario")
    }

    #[test]
    fn equal_neighbours_share_and_others_do_not() {
        let read = scenario(&[5, 5, 6], &[7, 7, 8]);
        let tcp = |index: usize| match &read.flows[index].transport {
            Transport::Tcp(tcp) => tcp,
            Transport::Udp(_) => panic!("flows of TCP"),
        };
        assert!(Arc::ptr_eq(tcp(0), tcp(1)) && !Arc::ptr_eq(tcp(1), tcp(2)));
        assert_eq!((tcp(0).max_window_packets, tcp(2).max_window_packets), (Some(5), Some(6)));
        let queue = |index: usize| &read.links[index].queue;
        assert!(Arc::ptr_eq(queue(0), queue(1)) && !Arc::ptr_eq(queue(1), queue(2)));
        let back = |index: usize| read.links[index].reverse.queue.as_ref().expect("a queue");
        assert!(Arc::ptr_eq(back(0), back(1)) && !Arc::ptr_eq(back(1), back(2)));
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let plain = json!({"duration": 1, "hosts": [], "links": {}, "flows": []});
        let error = serde_json::from_value::<Scenario>(plain).expect_err("a refusal").to_string();
        assert_eq!(error, "invalid type: map, expected a sequence");
    }
}
