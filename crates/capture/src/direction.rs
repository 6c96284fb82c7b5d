//! One direction of a connection: its sequence numbers without end, what passed of it, and what answered.

use std::collections::VecDeque;

use crate::counters::Counters;
use crate::packet::{flag, Packet, Tcp};
use crate::recent::Recent;
use crate::result::{Sample, Summary};
use crate::scoreboard::Scoreboard;
use crate::sender::Sender;

/// Where sequence numbers without end begin, so that none goes below zero.
const ORIGIN: u64 = 1 << 33;

/// Time stamps that wait for their echo.
const MOST_STAMPS: usize = 4096;

/// Retransmissions of which a verdict may come.
const MOST_PENDING: usize = 512;

/// A retransmission that waits for a verdict: whether it was needless.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    /// Its event.
    pub event: usize,
    /// First byte.
    pub start: u64,
    /// Byte behind the last.
    pub end: u64,
    /// When it passed.
    pub time: i64,
    /// Its TSval.
    pub stamp: Option<u32>,
    /// An ACK has decided.
    pub decided: bool,
    /// A duplicate SACK has reported it.
    pub reported: bool,
}

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

/// State of a direction.
#[derive(Debug, Default)]
pub struct Direction {
    /// The last sequence number, as it stands in packets and without end.
    last: Option<(u32, u64)>,
    /// Behind the highest byte that passed.
    pub high: Option<u64>,
    /// Where its sender stood, as the highest packet without data says.
    pub told: u64,
    /// Lowest byte that is not acknowledged, as ACKs that passed say.
    pub acked: Option<u64>,
    /// What passed and is not acknowledged.
    pub board: Scoreboard,
    /// The last packets.
    pub recent: Recent,
    /// What its sender does.
    pub sender: Sender,
    /// Retransmissions without a verdict.
    pub pending: Vec<Pending>,
    /// Round trips in doubt.
    pub deferred: Vec<Deferred>,
    /// TSvals that wait for their echo, and when they passed.
    pub stamps: VecDeque<(u32, i64)>,
    /// The highest TSval, and when it passed first.
    pub highest_stamp: Option<(u32, i64)>,
    /// The TSval of the last data.
    pub data_stamp: Option<u32>,
    /// The window that this side last offered.
    pub window: Option<u16>,
    /// Segment size of its SYN.
    pub mss: Option<u16>,
    /// The largest payload so far.
    pub largest: u32,
    /// Its SYN permits SACK.
    pub sack_permitted: bool,
    /// SYNs that passed: when, and their TSval.
    pub syns: Vec<(i64, Option<u32>)>,
    /// First sequence number of its SYN.
    pub first: Option<u32>,
    /// Least round trip from the point to its receiver and back.
    pub least: Option<i64>,
    /// Mean of the same, as RFC 6298 smooths it.
    pub smoothed: Option<i64>,
    /// What is said in the end.
    pub summary: Summary,
    /// A segment with FIN passed.
    pub finished: bool,
}

/// A later number than another, both modulo 2^32.
pub fn newer(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) > 0
}

impl Direction {
    /// A direction of which nothing passed.
    pub fn new(sack_permitted: bool) -> Self {
        Self { sack_permitted, ..Self::default() }
    }

    /// Packets were captured before they were cut, or after they were joined, so that one stands for several numbers of IP.
    pub fn joined(&self) -> bool {
        self.summary.counters.super_packets > 0 || (self.mss.is_none() && self.largest > 1460)
    }

    /// A sequence number without end. Moves on with it.
    pub fn advance(&mut self, seq: u32) -> u64 {
        let (last, at) = *self.last.get_or_insert((seq, ORIGIN));
        let at = at.saturating_add_signed(i64::from(seq.wrapping_sub(last) as i32));
        self.last = Some((seq, at));
        at
    }

    /// A number of this direction that the other side names, without end.
    pub fn place(&self, number: u32) -> Option<u64> {
        let (last, at) = self.last?;
        Some(at.saturating_add_signed(i64::from(number.wrapping_sub(last) as i32)))
    }

    /// Counters.
    pub fn count(&mut self) -> &mut Counters {
        &mut self.summary.counters
    }

    /// Counts what every packet shows.
    pub fn on_packet(&mut self, packet: &Packet, tcp: &Tcp) {
        let syn = tcp.flags & flag::SYN != 0;
        let mss = self.mss;
        let counters = &mut self.summary.counters;
        counters.packets += 1;
        counters.bytes += u64::from(packet.ip_length);
        if packet.payload > 0 {
            counters.data_packets += 1;
            counters.data_bytes += u64::from(packet.payload);
            counters.super_packets += u64::from(packet.payload > u32::from(mss.unwrap_or(9000)));
        }
        counters.marks += u64::from(packet.ecn == 3);
        counters.mark_echoes += u64::from(tcp.flags & flag::ECE != 0 && !syn);
        counters.resets += u64::from(tcp.flags & flag::RST != 0);
        counters.zero_windows += u64::from(tcp.window == 0 && !syn && tcp.flags & flag::RST == 0);
        if syn {
            self.mss = tcp.mss.or(self.mss);
            self.sack_permitted |= tcp.sack_permitted;
        }
        self.largest = self.largest.max(packet.payload);
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
        if self.highest_stamp.is_none_or(|(highest, _)| newer(value, highest)) {
            self.highest_stamp = Some((value, now));
            if sampled {
                if self.stamps.len() == MOST_STAMPS {
                    self.stamps.pop_front();
                }
                self.stamps.push_back((value, now));
            }
        }
    }

    /// The round trip that the echo of a time stamp ends.
    pub fn on_echo(&mut self, now: i64, echo: u32) -> Option<i64> {
        while let Some(&(value, time)) = self.stamps.front() {
            if newer(value, echo) {
                return None;
            }
            self.stamps.pop_front();
            if value == echo {
                return Some(now - time);
            }
        }
        None
    }

    /// Takes in a round trip to the receiver.
    pub fn on_rtt(&mut self, rtt: i64) {
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        self.smoothed = Some(self.smoothed.map_or(rtt, |mean| mean + (rtt - mean) / 8));
    }

    /// Lets a round trip wait for a verdict.
    pub fn defer(&mut self, deferred: Deferred) {
        if self.deferred.len() == MOST_DEFERRED {
            self.deferred.drain(..MOST_DEFERRED / 2);
        }
        self.deferred.push(deferred);
    }

    /// Lets a retransmission wait for a verdict.
    pub fn wait(&mut self, pending: Pending) {
        if self.pending.len() == MOST_PENDING {
            self.pending.drain(..MOST_PENDING / 2);
        }
        self.pending.push(pending);
    }
}
