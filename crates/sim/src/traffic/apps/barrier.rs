//! Rounds: all slots at once, and the next round when all are done.

use super::{variate, NewTransfer, Reaction, TransferPlace};
use crate::random::Stream;
use crate::scenario;
use crate::scenario::ConnectionUse;
use crate::units::Time;

#[derive(Debug)]
pub struct Barrier {
    config: scenario::Barrier,
    slots: u32,
    /// Rounds that have begun.
    begun: u32,
    /// Slots that have not answered in this one.
    waiting: u32,
    stream: Stream,
}

impl Barrier {
    pub fn new(config: &scenario::Barrier, slots: u32, stream: Stream) -> Self {
        Barrier { config: config.clone(), slots, begun: 0, waiting: 0, stream }
    }

    fn more(&self) -> bool {
        self.config.rounds.is_none_or(|most| self.begun < most)
    }

    pub fn on_time(&mut self, now: Time, out: &mut Reaction) {
        if !self.more() {
            return;
        }
        let fresh = self.begun == 0 || self.config.connection == ConnectionUse::New;
        let session = self.begun;
        self.begun += 1;
        self.waiting = self.slots;
        let place = TransferPlace { session, page: 0, last: true };
        let transfer = |slot| NewTransfer { slot, packets: self.config.packets, fresh, asked: now, place };
        out.transfers.extend((0..self.slots).map(transfer));
    }

    pub fn on_done(&mut self, now: Time, out: &mut Reaction) {
        self.waiting -= 1;
        if self.waiting == 0 && self.more() {
            out.again = Some(now + variate::time(&self.config.think, &mut self.stream));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_begins_when_the_last_of_the_one_before_is_done() {
        let config = r#"{"packets": 7, "rounds": 2, "think": {"kind": "constant", "value": 0.5}}"#;
        let config = serde_json::from_str(config).expect("a barrier");
        let mut barrier = Barrier::new(&config, 3, Stream::new(1, "barrier"));
        let mut out = Reaction::default();
        barrier.on_time(Time::ZERO, &mut out);
        let slots: Vec<_> = out
            .transfers
            .drain(..)
            .map(|transfer| (transfer.slot, transfer.packets, transfer.fresh))
            .collect();
        assert_eq!(slots, [(0, 7, true), (1, 7, true), (2, 7, true)]);
        for at in [1.0, 2.0] {
            barrier.on_done(Time::from_secs(at), &mut out);
            assert_eq!(out.again, None);
        }
        barrier.on_done(Time::from_secs(3.0), &mut out);
        assert_eq!(out.again.take(), Some(Time::from_secs(3.5)));
        barrier.on_time(Time::from_secs(3.5), &mut out);
        assert!(out.transfers.drain(..).all(|transfer| !transfer.fresh && transfer.place.session == 1));
        (0..3).for_each(|_| barrier.on_done(Time::from_secs(4.0), &mut out));
        assert_eq!(out.again, None);
    }
}
