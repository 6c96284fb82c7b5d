//! Events until nothing can change them any more: a retransmission may be judged later, and packets that come again are told
//! by the events of the first records.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::recent::TOGETHER;
use crate::result::{Event, Kind};

/// Longest time from an event to another record of its packet, in nanoseconds.
const LOOKED_BACK: i64 = 2 * TOGETHER;

/// An event that may change.
#[derive(Debug)]
struct Open {
    event: Event,
    /// It waits for a verdict.
    judged_later: bool,
    /// It is among the recent ones.
    recent: bool,
    /// Events of further records of its packet, which are judged as it is.
    twins: Vec<Event>,
}

/// The events that may change, and those that have been final since they were last taken.
#[derive(Debug, Default)]
pub struct Events {
    next: u64,
    open: FxHashMap<u64, Open>,
    recent: VecDeque<u64>,
    last: Vec<Event>,
    repeats: usize,
    timeouts: usize,
}

impl Events {
    /// Makes room for so many more.
    pub fn try_reserve(&mut self, more: usize) -> Option<()> {
        self.open.try_reserve(more).ok()?;
        self.recent.try_reserve(more).ok()?;
        self.last.try_reserve(self.open.len() + more).ok()
    }

    /// Adds an event. One that waits for a verdict stays until [`Events::settle`].
    pub fn push(&mut self, event: Event, judged_later: bool) -> u64 {
        self.forget(event.time);
        let number = self.next;
        self.next += 1;
        self.repeats += usize::from(event.kind.is_some());
        self.timeouts += usize::from(event.kind == Some(Kind::Timeout));
        self.open.insert(number, Open { event, judged_later, recent: true, twins: Vec::new() });
        self.recent.push_back(number);
        number
    }

    /// Adds the event of a further record of a packet: of the event that the first record is, if it is one.
    pub fn push_twin(&mut self, first: Option<u64>, event: Event) {
        match first.and_then(|first| self.open.get_mut(&first)) {
            Some(first) => first.twins.push(event),
            None => self.last.push(event),
        }
    }

    /// An event that may still change.
    pub fn get(&self, number: u64) -> Option<&Event> {
        self.open.get(&number).map(|open| &open.event)
    }

    /// Notes a verdict.
    pub fn judge(&mut self, number: u64, needless: Option<bool>) {
        if let Some(open) = self.open.get_mut(&number) {
            open.event.needless = needless;
        }
    }

    /// Ends the wait for a verdict, and returns the event.
    pub fn settle(&mut self, number: u64) -> Option<Event> {
        let open = self.open.get_mut(&number)?;
        open.judged_later = false;
        let event = open.event;
        self.release(number);
        Some(event)
    }

    /// The newest event of the last seconds for which this holds.
    pub fn find_back(&self, now: i64, holds: impl Fn(&Event) -> bool) -> Option<u64> {
        let recent = self.recent.iter().rev().filter_map(|number| Some((*number, self.get(*number)?)));
        let mut recent = recent.take_while(|(_, event)| now - event.time <= LOOKED_BACK);
        recent.find(|(_, event)| holds(event)).map(|(number, _)| number)
    }

    /// Retransmissions and timeouts so far.
    pub fn glance(&self) -> (usize, usize) {
        (self.repeats, self.timeouts)
    }

    /// Lets go what no packet at this time or later can be another record of.
    pub fn forget(&mut self, now: i64) {
        while let Some(&number) = self.recent.front() {
            if let Some(open) = self.open.get_mut(&number) {
                // A clock that was set back makes old what seems to come.
                if now.abs_diff(open.event.time) <= LOOKED_BACK.unsigned_abs() {
                    return;
                }
                open.recent = false;
                self.release(number);
            }
            self.recent.pop_front();
        }
    }

    /// Takes the events that nothing can change any more.
    pub fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.last)
    }

    /// Takes all events: no packet comes any more.
    pub fn take_all(&mut self) -> Vec<Event> {
        let numbers: Vec<u64> = self.open.keys().copied().collect();
        for number in numbers {
            if let Some(open) = self.open.get_mut(&number) {
                (open.judged_later, open.recent) = (false, false);
            }
            self.release(number);
        }
        self.recent.clear();
        self.take()
    }

    /// Moves an event to the final ones if nothing holds it.
    fn release(&mut self, number: u64) {
        if self.open.get(&number).is_some_and(|open| open.judged_later || open.recent) {
            return;
        }
        if let Some(open) = self.open.remove(&number) {
            let needless = open.event.needless;
            self.last.push(open.event);
            self.last.extend(open.twins.into_iter().map(|twin| Event { needless, ..twin }));
        }
    }
}
