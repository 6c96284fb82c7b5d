//! One direction of a connection: its sequence numbers without end, what passed of it, and what answered.

use std::collections::VecDeque;

use crate::counters::Counters;
use crate::events::Events;
use crate::limit::Limit;
use crate::packet::{flag, Packet, Tcp};
use crate::pending::Pending;
use crate::recent::Recent;
use crate::result::{Kind, Sample, Summary};
use crate::scoreboard::{Scoreboard, Segment};
use crate::sender::Sender;
use crate::slim::{append, relax, Maybe};

/// Where sequence numbers without end begin, so that none goes below zero.
const ORIGIN: u64 = 1 << 48;

/// Time stamps that wait for their echo.
const MOST_STAMPS: usize = 4096;

/// Retransmissions of which a verdict may come.
const MOST_PENDING: usize = 512;

/// Shortest least round trip by which retransmissions are judged, in nanoseconds: hosts take tens of microseconds to answer.
pub const SHORTEST_TOLD: i64 = 1_000_000;

/// Time after which no report of a retransmission comes any more, in nanoseconds: it and the report live two minutes at most
/// (RFC 9293, section 3.4.1).
const TOLD: i64 = 240_000_000_000;

/// SYNs that are remembered besides the first.
const MOST_SYNS: usize = 64;

/// A round trip that is one if the original was answered: a duplicate SACK may still say so.
#[derive(Clone, Copy, Debug)]
pub struct Deferred {
    /// First byte of what was sent again.
    pub start: u64,
    /// Byte behind the last.
    pub end: u64,
    /// The sample.
    pub sample: Sample,
}

/// Round trips that wait to be one.
const MOST_DEFERRED: usize = 64;

/// State of a direction in which something was sent again.
#[derive(Debug, Default)]
pub struct Troubles {
    /// Retransmissions without a verdict.
    pub pending: Vec<Pending>,
    /// Round trips in doubt.
    pub deferred: Vec<Deferred>,
    /// SYNs that passed after the first: when, and their TSval.
    pub syns: Vec<(i64, Option<u32>)>,
    /// The byte of a probe of a closed window, and when it last passed.
    pub probe: Option<(u64, i64)>,
}

/// Scale of the windows that a side offers (RFC 7323, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scale {
    /// Its SYN did not pass.
    #[default]
    Unknown,
    /// Its SYN has none.
    Absent,
    /// Scale of its SYN, in bits.
    Of(u8),
}

impl Scale {
    /// Bits by which windows are shifted. The most that there can be where it is not known.
    pub fn shift(self, other: Self) -> u8 {
        match (self, other) {
            (Self::Absent, _) | (_, Self::Absent) => 0,
            (Self::Of(bits), _) => bits,
            (Self::Unknown, _) => 14,
        }
    }

    /// Windows of the side with this scale are known, where the other side has `other`.
    pub fn is_known(self, other: Self) -> bool {
        self == Self::Absent || other == Self::Absent || (self != Self::Unknown && other != Self::Unknown)
    }
}

/// Largest window of TCP, in bytes (RFC 7323, section 2.3).
const LARGEST_WINDOW: u32 = 1 << 30;

/// State of a direction.
#[derive(Debug, Default)]
pub struct Direction {
    /// Where the last packet stood, without end. Its lower half is the number in the packet.
    last: Maybe<u64>,
    /// Behind the highest byte that passed.
    pub high: Maybe<u64>,
    /// Where its sender stood, as the highest packet without data says.
    pub told: u64,
    /// Where the first packet stood: bytes below it were sent before the capture began.
    pub base: Maybe<u64>,
    /// Behind the highest byte that its receiver has offered to take.
    pub edge: Maybe<u64>,
    /// Largest window that its receiver has offered, in bytes; 0 before there is one.
    pub widest: u32,
    /// Length of the segment with the highest byte.
    pub tail: u32,
    /// Scale of the windows that this side offers.
    pub scale: Scale,
    /// The number that the other side named last, while no packet of this one has passed.
    pub expected: Option<u32>,
    /// Highest TSval that was echoed.
    echoed: Option<u32>,
    /// Lowest byte that is not acknowledged, as ACKs that passed say.
    pub acked: Maybe<u64>,
    /// Data that passed and is not acknowledged.
    pub board: Scoreboard,
    /// The last packets.
    pub recent: Recent,
    /// State of its sender.
    pub sender: Sender,
    /// Retransmissions and SYNs that came again, once there are any.
    pub troubles: Option<Box<Troubles>>,
    /// TSvals that wait for their echo, and when they passed.
    pub stamps: VecDeque<(u32, i64)>,
    /// The highest TSval.
    pub highest_stamp: Option<u32>,
    /// The TSval of the last data.
    pub data_stamp: Option<u32>,
    /// The window that this side last offered.
    pub window: Option<u16>,
    /// Segment size of its SYN.
    pub mss: Option<u16>,
    /// The largest payload so far.
    pub largest: u32,
    /// When its first SYN passed.
    pub syn: Maybe<i64>,
    /// The TSval of that.
    pub syn_stamp: Option<u32>,
    /// First sequence number of its SYN.
    pub first: Option<u32>,
    /// Least round trip from the point to its receiver and back.
    pub least: Maybe<i64>,
    /// Mean of the same, as RFC 6298 smooths it.
    pub smoothed: Maybe<i64>,
    /// Waits for its receiver's window, once enough data has passed.
    pub limit: Option<Box<Limit>>,
    /// Final report.
    pub summary: Summary,
    /// Its SYN permits SACK.
    pub sack_permitted: bool,
    /// A segment with FIN passed.
    pub finished: bool,
}

/// A later number than another, both modulo 2^32.
pub fn newer(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) > 0
}

impl Direction {
    /// Looks at each part of it.
    pub fn approach(&self) -> u64 {
        let lists = self.recent.place() ^ self.board.place() ^ self.stamps.len() as u64;
        let marks = u64::from(self.largest) ^ self.least.get().unwrap_or(0) as u64;
        self.newest() ^ lists ^ marks ^ u64::from(self.finished)
    }

    /// Looks at its lists.
    pub fn approach_lists(&self) -> u64 {
        let stamp = self.stamps.front().map_or(0, |stamp| u64::from(stamp.0));
        self.recent.approach() ^ self.board.approach() ^ stamp ^ self.summary.approach()
    }

    /// A direction of which nothing passed.
    pub fn new(sack_permitted: bool) -> Self {
        Self { sack_permitted, ..Self::default() }
    }

    /// Packets were captured before they were cut, or after they were joined, so that one stands for several numbers of IP.
    pub fn joined(&self) -> bool {
        let cut = self.summary.tally.seen().is_some_and(|counts| counts.super_packets > 0);
        cut || (self.mss.is_none() && self.largest > 1460)
    }

    /// A sequence number without end. Moves on with it.
    pub fn advance(&mut self, seq: u32) -> u64 {
        let last = self.last.get().unwrap_or(ORIGIN + u64::from(seq));
        let at = last.saturating_add_signed(i64::from(seq.wrapping_sub(last as u32) as i32));
        self.last = Maybe::<u64>::new(at);
        if self.base.get().is_none() {
            self.base = self.last;
        }
        at
    }

    /// No packet has told its numbers.
    pub fn last_is_unknown(&self) -> bool {
        self.last.get().is_none()
    }

    /// A single packet passed, and no SYN.
    pub fn is_lone(&self) -> bool {
        self.first.is_none() && self.packets() <= 1
    }

    /// Packets that passed.
    pub fn packets(&self) -> u64 {
        self.summary.tally.packets()
    }

    /// Goes on at a number that is above all others. So much may be sent from there.
    pub fn continue_at(&mut self, at: u64, window: u64) {
        self.last = Maybe::<u64>::new(at);
        self.edge = Maybe::<u64>::new(at + window);
    }

    /// Takes in a window that its receiver offers behind an ACK.
    pub fn on_window(&mut self, ack: u32, window: u32) {
        let window = window.min(LARGEST_WINDOW);
        let Some(ack) = self.place(ack) else { return };
        self.widest = self.widest.max(window);
        let edge = ack + u64::from(window);
        if self.edge.get().is_none_or(|known| known < edge) {
            self.edge = Maybe::<u64>::new(edge);
        }
    }

    /// Takes in new data that was acknowledged, in part or as a whole, before it passed here: no round trip tells of it.
    pub fn on_early_ack(&mut self, segment: Segment, acked: u64, fin: bool) {
        let early = segment.end().min(acked) - segment.start;
        let counts = self.count();
        counts.missing_bytes = counts.missing_bytes.saturating_sub(early);
        counts.early_acks += 1;
        if fin && segment.end() <= acked {
            self.summary.tally.no_payload_acked();
        }
        if segment.end() > acked {
            self.board.push(segment.part(acked, segment.end()).again());
        }
    }

    /// A number of this direction that the other side names, without end.
    pub fn place(&self, number: u32) -> Option<u64> {
        let last = self.last.get()?;
        Some(last.saturating_add_signed(i64::from(number.wrapping_sub(last as u32) as i32)))
    }

    /// Counts of events that not every packet has.
    pub fn count(&mut self) -> &mut Counters {
        self.summary.tally.more()
    }

    /// Counts what every packet shows.
    pub fn on_packet(&mut self, packet: &Packet, tcp: &Tcp) {
        let syn = tcp.flags & flag::SYN != 0;
        self.summary.tally.packet(packet.ip_length);
        if packet.payload > 0 {
            self.summary.tally.data(packet.payload);
            if packet.payload > u32::from(self.mss.unwrap_or(9000)) {
                self.count().super_packets += 1;
            }
        }
        let reset = tcp.flags & flag::RST != 0;
        let closed = tcp.window == 0 && !syn && !reset;
        if reset || packet.ecn != 0 || closed {
            let counts = self.count();
            match packet.ecn {
                1 => counts.ect1 += 1,
                2 => counts.ect0 += 1,
                3 => counts.marks += 1,
                _ => {}
            }
            counts.resets += u64::from(reset);
            counts.zero_windows += u64::from(closed);
        }
        if syn {
            self.mss = tcp.mss.or(self.mss);
            self.scale = match tcp.scale {
                Some(bits) => Scale::Of(bits),
                None if tcp.options_cut => Scale::Unknown,
                None => Scale::Absent,
            };
            self.sack_permitted |= tcp.sack_permitted;
        }
        self.largest = self.largest.max(packet.payload);
    }

    /// Takes in a SYN.
    pub fn on_syn(&mut self, now: i64, tcp: &Tcp) {
        let stamp = tcp.stamps.map(|stamps| stamps.0);
        if self.first.is_none() {
            self.first = Some(tcp.seq);
            self.syn = Maybe::<i64>::new(now);
            self.syn_stamp = stamp;
        } else {
            let syns = &mut self.troubles().syns;
            if syns.len() == MOST_SYNS {
                syns.remove(0);
            }
            syns.push((now, stamp));
        }
    }

    /// Counts what was acknowledged before the first packet passed, which begins here.
    pub fn on_first(&mut self, start: u64) {
        let Some(expected) = self.expected.take() else { return };
        if let Some(acked) = self.place(expected).filter(|acked| *acked > start) {
            self.count_acked(acked, 0, 0);
        }
    }

    /// SYNs that passed: when, and their TSval. The first comes first.
    pub fn syns(&self) -> impl DoubleEndedIterator<Item = (i64, Option<u32>)> + '_ {
        let more = self.troubles.iter().flat_map(|troubles| troubles.syns.iter().copied());
        self.syn.get().map(|time| (time, self.syn_stamp)).into_iter().chain(more)
    }

    /// Behind the highest byte that its sender has sent, as all packets tell; 0 before any does.
    pub fn newest(&self) -> u64 {
        self.high.get().unwrap_or(0).max(self.told)
    }

    /// Retransmissions and SYNs that came again; makes room for them.
    pub fn troubles(&mut self) -> &mut Troubles {
        self.troubles.get_or_insert_with(Box::default)
    }

    /// Time by which a TSval is later than that of the last data that passed, in nanoseconds; clocks of 1 ms, as nearly all have.
    pub fn silence(&self, tcp: &Tcp) -> Option<i64> {
        let last = self.data_stamp?;
        let (value, _) = tcp.stamps?;
        newer(value, last).then(|| i64::from(value.wrapping_sub(last)) * 1_000_000)
    }

    /// Takes in the time stamp of a packet. Only data, SYN and FIN wait for an echo: that of a pure ACK waits for data.
    pub fn on_stamp(&mut self, now: i64, tcp: &Tcp, sampled: bool) {
        let Some((value, _)) = tcp.stamps else { return };
        if sampled && self.data_stamp.is_none_or(|last| newer(value, last)) {
            self.data_stamp = Some(value);
        }
        if self.highest_stamp.is_none_or(|highest| newer(value, highest)) {
            self.highest_stamp = Some(value);
            if sampled && self.echoed.is_none_or(|echoed| newer(value, echoed)) {
                if self.stamps.len() == MOST_STAMPS {
                    self.stamps.pop_front();
                }
                append(&mut self.stamps, (value, now));
            }
        }
    }

    /// The round trip that the echo of a time stamp ends.
    pub fn on_echo(&mut self, now: i64, echo: u32) -> Option<i64> {
        if echo != 0 && self.echoed.is_none_or(|echoed| newer(echo, echoed)) {
            self.echoed = Some(echo);
        }
        while let Some(&(value, time)) = self.stamps.front() {
            if newer(value, echo) {
                return None;
            }
            self.stamps.pop_front();
            if value == echo {
                relax(&mut self.stamps);
                return Some(now - time);
            }
        }
        None
    }

    /// Takes in a round trip to the receiver.
    pub fn on_rtt(&mut self, rtt: i64) {
        self.least = Maybe::<i64>::new(self.least.get().map_or(rtt, |least| least.min(rtt)));
        self.smoothed = Maybe::<i64>::new(self.smoothed.get().map_or(rtt, |mean| mean + (rtt - mean) / 8));
    }

    /// Takes in a SACK block above an ACK. True if it says something new.
    pub fn on_block(&mut self, now: i64, (from, until): (u64, u64), ack: u64, events: &mut Events) -> bool {
        let least = self.least.get().unwrap_or(0);
        let mut marked: Option<(u64, u64)> = None;
        let news = self.board.sack(from, until, |segment| {
            let (start, end) = marked.unwrap_or((segment.start, segment.end()));
            marked = Some((start.min(segment.start), end.max(segment.end())));
        });
        let (Some((from, until)), Some(troubles)) = (marked, &mut self.troubles) else { return news };
        let named = |each: &&mut Pending| !each.decided && each.start < until && from < each.end;
        for each in troubles.pending.iter_mut().filter(named) {
            let soon = least > SHORTEST_TOLD && now - each.time < least * 8 / 10;
            // The rest of a segment that is named in part may have been missing.
            if !soon || self.board.sacked(each.start.max(ack), each.end) {
                each.decided = true;
                events.judge(each.event, Some(soon));
            }
        }
        news
    }

    /// Takes in the byte of a probe of a closed window, if an ACK shows that the receiver has taken it.
    pub fn on_probe_taken(&mut self, ack: u64) {
        let Some(troubles) = &mut self.troubles else { return };
        let Some((byte, time)) = troubles.probe.filter(|(byte, _)| ack > *byte) else { return };
        troubles.probe = None;
        if self.high.get() == Some(byte) {
            self.summary.tally.data(1);
            self.board.push(Segment::new(byte, byte + 1, time, None, false).again());
            self.high = Maybe::<u64>::new(byte + 1);
        }
    }

    /// Counts what an ACK covers for the first time, of which so many bytes passed, from where the capture began and below.
    pub fn count_acked(&mut self, ack: u64, above: u64, below: u64) {
        let before = self.acked.get();
        self.acked = Maybe::<u64>::new(ack);
        let base = self.base.get().unwrap_or(ack);
        let covered = ack.saturating_sub(before.unwrap_or(base).max(base));
        let syn = before.is_none() && self.first.is_some() && covered > 0;
        let fin = self.finished && self.high.get() == Some(ack);
        let numbers = u64::from(syn) + u64::from(fin);
        self.summary.tally.acked((covered + below).saturating_sub(numbers));
        if covered > above {
            self.count().missing_bytes += covered - above;
        }
    }

    /// Lets a round trip wait for a verdict.
    pub fn defer(&mut self, deferred: Deferred) {
        let waiting = &mut self.troubles().deferred;
        if waiting.len() == MOST_DEFERRED {
            waiting.drain(..MOST_DEFERRED / 2);
        }
        waiting.push(deferred);
    }

    /// Lets a retransmission wait for a verdict.
    pub fn wait(&mut self, pending: Pending, events: &mut Events) {
        self.settle_old(pending.time, events);
        if self.troubles().pending.len() == MOST_PENDING {
            self.settle(MOST_PENDING / 2, events);
        }
        self.troubles().pending.push(pending);
    }

    /// Ends the wait of the first retransmissions that have a verdict and are so old that no other comes.
    pub fn settle_old(&mut self, now: i64, events: &mut Events) {
        let Some(troubles) = &self.troubles else { return };
        let old = |each: &&Pending| each.decided && now - each.time > TOLD;
        let number = troubles.pending.iter().take_while(old).count();
        if number > 0 {
            self.settle(number, events);
        }
    }

    /// Ends the wait of the first retransmissions, so many, and counts those that were needless.
    pub fn settle(&mut self, number: usize, events: &mut Events) {
        let Some(troubles) = &mut self.troubles else { return };
        let number = number.min(troubles.pending.len());
        let settled = troubles.pending.drain(..number).filter_map(|each| events.settle(each.event));
        for event in settled.filter(|event| event.needless == Some(true)) {
            let counters = self.summary.tally.more();
            counters.needless += 1;
            counters.spurious_timeouts += u64::from(event.kind == Some(Kind::Timeout));
        }
    }
}
