//! State of a direction's sender, inferred from passing packets: open, in recovery after duplicate ACKs, or in
//! loss after a timeout. Kinds of retransmissions follow from it.

use crate::result::Kind;
use crate::slim::Maybe;

/// Shortest timeout that a sender is believed to have, less what clocks and queues take from it, in nanoseconds.
pub const SHORTEST_TIMEOUT: i64 = 185_000_000;

/// Allowance of a single-segment probe for a delayed ACK (RFC 8985, section 7.2), in nanoseconds.
const LONGEST_DELAYED_ACK: i64 = 200_000_000;

/// State of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum State {
    #[default]
    Open,
    Recovery,
    Loss,
}

/// A retransmission, and what is known when it passes.
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    /// When it passes.
    pub now: i64,
    /// First byte.
    pub start: u64,
    /// Byte behind the last.
    pub end: u64,
    /// Highest byte sent before.
    pub high: u64,
    /// Lowest byte that was not acknowledged.
    pub acked: u64,
    /// Time that the sender was silent before, by its own clock.
    pub silence: Option<i64>,
    /// Least round trip to the sender.
    pub sender_half: i64,
    /// Mean round trip over the whole path.
    pub rtt: i64,
    /// Time since it was last sent again, if it was.
    pub age: Option<i64>,
    /// Smoothed round trip over the whole path.
    pub smoothed: i64,
    /// The connection has SACK.
    pub sack: bool,
    /// Something above the lowest hole has arrived, as ACKs tell.
    pub evidence: bool,
    /// ACKs of this direction's data pass here.
    pub acks_pass: bool,
    /// No copy of it passed before, nor other bytes above it.
    pub hidden: bool,
    /// The point is nearer to the receiver than to the sender.
    pub near_receiver: bool,
}

/// A sender as the point sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sender {
    state: State,
    /// Highest byte when recovery or loss began.
    point: u64,
    /// Highest byte when a probe was sent that is not answered.
    probe: Maybe<u64>,
    /// When an ACK passed that said something new.
    heard: i64,
    /// When data last passed.
    sent: i64,
    /// Duplicate ACKs since the last new one.
    pub duplicates: u32,
}

impl Sender {
    /// When data last passed.
    pub fn last_sent(&self) -> i64 {
        self.sent
    }

    /// Data passed.
    pub fn on_sent(&mut self, now: i64) {
        self.sent = now;
    }

    /// An ACK of new data passed. `needless`: it shows that the retransmission after the timeout was needless.
    pub fn on_ack(&mut self, now: i64, acked: u64, needless: bool) {
        self.heard = now;
        self.duplicates = 0;
        if acked >= self.point || (needless && self.state == State::Loss) {
            self.state = State::Open;
        }
        if self.probe.get().is_some_and(|probe| acked >= probe) {
            self.probe = Maybe::<u64>::NONE;
        }
    }

    /// A duplicate ACK, or one with new SACK blocks, passed.
    pub fn on_duplicate(&mut self, now: i64) {
        self.heard = now;
        self.duplicates += 1;
    }

    /// Tells the kind of a retransmission of data.
    pub fn on_repeat(&mut self, repeat: &Repeat) -> Kind {
        let kind = self.kind(repeat);
        match kind {
            Kind::Fast if self.state == State::Open => self.enter(State::Recovery, repeat.high),
            Kind::Timeout => self.enter(State::Loss, repeat.high),
            Kind::Probe => self.probe = Maybe::<u64>::new(repeat.high),
            _ => {}
        }
        self.sent = repeat.now;
        kind
    }

    fn enter(&mut self, state: State, point: u64) {
        self.state = state;
        self.point = point.max(self.point);
    }

    fn kind(&self, repeat: &Repeat) -> Kind {
        let since_ack = repeat.now - self.heard - repeat.sender_half;
        let since_any = repeat.now - self.heard.max(self.sent);
        let quiet = match repeat.silence {
            // ACKs that pass near the receiver are old news by the time at which what they caused comes by.
            // A sender that waits for its window may be silent for a round trip.
            Some(silence) if repeat.near_receiver => silence - repeat.rtt * 3 / 4,
            Some(silence) => since_ack.min(silence),
            None => since_ack,
        };
        let head = repeat.start <= repeat.acked;
        // ACKs may come all the while: what is found lost by them is sent within little more than a round trip.
        let stale = repeat.age.is_some_and(|age| age >= SHORTEST_TIMEOUT + repeat.smoothed * 3 / 2);
        let timer = quiet >= SHORTEST_TIMEOUT || (head && stale);
        if !repeat.acks_pass {
            let silence = repeat.silence.unwrap_or(repeat.now - self.sent);
            return if silence >= SHORTEST_TIMEOUT { Kind::Timeout } else { Kind::Unknown };
        }
        match self.state {
            State::Loss if head && timer => Kind::Timeout,
            State::Loss => Kind::AfterTimeout,
            State::Recovery if head && timer => Kind::Timeout,
            State::Recovery => Kind::Fast,
            State::Open => {
                let tail = repeat.end >= repeat.high || repeat.hidden;
                let probed = self.probe.get().is_some();
                let paused = since_any.min(repeat.silence.unwrap_or(i64::MAX)) >= repeat.rtt + repeat.rtt / 3;
                let soon =
                    repeat.silence.unwrap_or(since_any) < (2 * repeat.rtt + LONGEST_DELAYED_ACK) * 3 / 2;
                if tail && repeat.sack && !repeat.evidence && !probed && paused && soon {
                    Kind::Probe
                } else if timer || repeat.hidden {
                    Kind::Timeout
                } else {
                    Kind::Fast
                }
            }
        }
    }
}
