//! Sessions in which a user types: single packets, whatever has become of those before.

use super::{variate, NewTransfer, Reaction, TransferPlace};
use crate::random::Stream;
use crate::scenario::{self, ConnectionUse};
use crate::units::Time;

#[derive(Debug)]
pub struct Telnet {
    config: scenario::Telnet,
    /// Sessions that have begun.
    sessions: u32,
    /// Packets of this one that are still to be written, and that are written and not done.
    left: u32,
    under_way: u32,
    stream: Stream,
}

impl Telnet {
    pub fn new(config: &scenario::Telnet, stream: Stream) -> Self {
        Telnet { config: config.clone(), sessions: 0, left: 0, under_way: 0, stream }
    }

    pub fn on_time(&mut self, now: Time, out: &mut Reaction) {
        let begins = self.left == 0;
        if begins {
            self.left = variate::number(&self.config.packets, &mut self.stream);
            self.sessions += 1;
        }
        self.left -= 1;
        self.under_way += 1;
        let own = self.sessions == 1 || self.config.connection == ConnectionUse::New;
        out.transfers.push(NewTransfer {
            slot: 0,
            packets: 1,
            fresh: begins && own,
            asked: now,
            place: TransferPlace { session: self.sessions - 1, page: 0, last: self.left == 0 },
        });
        if self.left > 0 {
            let interval = variate::time(&self.config.interval, &mut self.stream);
            out.again = Some(now + interval.max(Time::from_ps(1)));
        }
    }

    pub fn on_done(&mut self, now: Time, out: &mut Reaction) {
        self.under_way -= 1;
        let ended = self.left == 0 && self.under_way == 0;
        if ended && self.config.sessions.is_none_or(|most| self.sessions < most) {
            out.again = Some(now + variate::time(&self.config.idle, &mut self.stream));
        }
    }
}
