//! Sessions of a user of the Web (Feldmann, Gilbert, Huang and Willinger 1999), as `PagePool/WebTraf` of ns-2 has them:
//! a session is pages, a page is objects. Objects of a page start one after another whatever has become of those
//! before; the next page waits for the end of the last object of this one.

use std::collections::VecDeque;

use super::{variate, NewTransfer, Reaction, TransferPlace, MOST_OBJECTS};
use crate::random::Stream;
use crate::room::Room;
use crate::scenario;
use crate::units::Time;

#[derive(Debug)]
pub struct Web {
    config: scenario::Web,
    /// Slots without a transfer, the one to be taken next at the end.
    free: Vec<u32>,
    /// Objects that wait for a slot: when they were asked for, and their packets.
    waiting: VecDeque<(Time, u32)>,
    /// Sessions and, in this one, pages that have begun, and the pages that it has.
    sessions: u32,
    page: u32,
    pages: u32,
    /// Objects of this page that are to be asked for, that are to be started, and that are to be completed.
    to_ask: u32,
    to_start: u32,
    to_complete: u32,
    stream: Stream,
}

impl Web {
    pub fn new(config: &scenario::Web, slots: u32, stream: Stream) -> Self {
        Web {
            config: config.clone(),
            free: (0..slots).rev().collect(),
            waiting: VecDeque::new(),
            sessions: 0,
            page: 0,
            pages: 0,
            to_ask: 0,
            to_start: 0,
            to_complete: 0,
            stream,
        }
    }

    pub fn on_time(&mut self, now: Time, out: &mut Reaction) {
        if self.to_ask == 0 {
            self.begin_page();
        }
        self.to_ask -= 1;
        let packets = variate::number(&self.config.object_packets, &mut self.stream);
        self.waiting.add((now, packets), "transfers under way");
        self.start_next(out);
        if self.to_ask > 0 {
            out.again = Some(now + variate::time(&self.config.inter_object, &mut self.stream));
        }
    }

    fn begin_page(&mut self) {
        if self.page == self.pages {
            self.sessions += 1;
            self.page = 0;
            self.pages = variate::number(&self.config.pages, &mut self.stream);
        }
        self.page += 1;
        let objects = variate::number(&self.config.objects, &mut self.stream).min(MOST_OBJECTS);
        (self.to_ask, self.to_start, self.to_complete) = (objects, objects, objects);
    }

    /// Starts the object that has waited longest, if a slot is free.
    fn start_next(&mut self, out: &mut Reaction) {
        if self.waiting.is_empty() || self.free.is_empty() {
            return;
        }
        let (Some(slot), Some((asked, packets))) = (self.free.pop(), self.waiting.pop_front()) else {
            return;
        };
        self.to_start -= 1;
        let last = self.to_start == 0 && self.page == self.pages;
        let place = TransferPlace { session: self.sessions - 1, page: self.page - 1, last };
        out.transfers.push(NewTransfer { slot, packets, fresh: true, asked, place });
    }

    pub fn on_done(&mut self, slot: u32, now: Time, out: &mut Reaction) {
        self.free.push(slot);
        self.to_complete -= 1;
        self.start_next(out);
        if self.to_complete > 0 {
            return;
        }
        let config = &self.config;
        let pause =
            if self.page < self.pages { Some(&config.inter_page) } else { config.inter_session.as_ref() };
        out.again = pause.map(|law| now + variate::time(law, &mut self.stream));
    }
}
