//! One transfer after the other, with time to think in between.

use super::{variate, NewTransfer, Reaction, TransferPlace};
use crate::random::Stream;
use crate::scenario::{ConnectionUse, TransferSequence};
use crate::units::Time;

#[derive(Debug)]
pub struct Sequence {
    config: TransferSequence,
    started: u32,
    stream: Stream,
}

impl Sequence {
    pub fn new(config: &TransferSequence, stream: Stream) -> Self {
        Sequence { config: config.clone(), started: 0, stream }
    }

    fn more(&self) -> bool {
        self.config.transfers_at_most.is_none_or(|most| self.started < most)
    }

    pub fn on_time(&mut self, now: Time, out: &mut Reaction) {
        if !self.more() {
            return;
        }
        self.started += 1;
        out.transfers.push(NewTransfer {
            slot: 0,
            packets: variate::number(&self.config.packets, &mut self.stream),
            fresh: self.started == 1 || self.config.connection == ConnectionUse::New,
            asked: now,
            place: TransferPlace { session: 0, page: 0, last: !self.more() },
        });
    }

    pub fn on_done(&mut self, now: Time, out: &mut Reaction) {
        if self.more() {
            out.again = Some(now + variate::time(&self.config.think, &mut self.stream));
        }
    }
}
