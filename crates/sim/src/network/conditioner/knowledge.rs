//! A conditioner's knowledge of the TCP connections of an aggregate: reported by their senders, or inferred
//! from the packets that pass.
//!
//! A report belongs to each packet (see [`SenderHistory`]): it is the sender's state when the packet was
//! sent, which a router cannot read otherwise, since senders act ahead of time.

use std::collections::VecDeque;

use parshall_estimators::meter::AggregateView;
use parshall_estimators::midpath::Midpath;
use parshall_estimators::rto::RtoRules;

use crate::packet::Packet;
use crate::room::Room;
use crate::scenario::{self, KnowledgeSource};
use crate::units::Time;

/// State of a sender when it sends a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderState {
    /// Smoothed round-trip time in seconds; NaN before the first sample.
    pub rtt_s: f64,
    /// Retransmission timeout in seconds, without backoff.
    pub rto_s: f64,
    /// Congestion window in packets.
    pub cwnd: f64,
}

impl Default for SenderState {
    /// Unknown values (NaN).
    fn default() -> Self {
        SenderState { rtt_s: f64::NAN, rto_s: f64::NAN, cwnd: f64::NAN }
    }
}

/// States of a sender with its latest packets. A packet carries the time at which it was sent, which finds
/// the state of then.
#[derive(Clone, Debug, Default)]
pub struct SenderHistory(VecDeque<(Time, SenderState)>);

impl SenderHistory {
    /// Most states that are kept: packets that have been under way for longer have none.
    const MOST: usize = 1024;

    /// Records the state at `now`; calls must be in order of time.
    pub fn record(&mut self, now: Time, state: SenderState) {
        if self.0.len() == Self::MOST {
            self.0.pop_front();
        }
        self.0.push_back((now, state));
    }

    /// Returns the state with which a packet of this stamp was sent.
    pub fn at(&self, stamp: Time) -> Option<SenderState> {
        let behind = self.0.partition_point(|&(at, _)| at <= stamp);
        let &(at, state) = self.0.get(behind.checked_sub(1)?)?;
        (at == stamp).then_some(state)
    }
}

/// An aggregate's connections.
#[derive(Clone, Debug)]
pub struct Knowledge {
    source: KnowledgeSource,
    /// The place of each flow in `seen`; [`Knowledge::NOBODY`] of those that do not belong here.
    places: Vec<u32>,
    seen: Vec<Midpath>,
    /// Values of each flow that the means are made of, as inferred from its packets and as reported by its
    /// sender.
    inferred: Means,
    reported: Means,
    /// ACKs that reach this place at a time to come.
    coming: VecDeque<(Time, u32, u32)>,
    acked_bytes: SmoothedRate,
    /// Bytes that count of each flow's packets.
    packet_bytes: Vec<f64>,
    loss: Fading,
}

impl Knowledge {
    const NOBODY: u32 = u32::MAX;

    /// Nothing is known of these flows, of whose packets of data so many bytes count.
    pub fn new(config: &scenario::Knowledge, flows: &[(u32, u16)]) -> Self {
        let mut places =
            vec![Self::NOBODY; flows.iter().map(|&(flow, _)| flow as usize + 1).max().unwrap_or(0)];
        (0..).zip(flows).for_each(|(place, &(flow, _))| places[flow as usize] = place);
        let rules = RtoRules { min_s: config.min_rto.secs(), ..RtoRules::default() };
        Knowledge {
            source: config.source,
            places,
            seen: vec![Midpath::new(rules); flows.len()],
            inferred: Means::new(flows.len()),
            reported: Means::new(flows.len()),
            coming: VecDeque::new(),
            acked_bytes: SmoothedRate::default(),
            packet_bytes: flows.iter().map(|&(_, bytes)| f64::from(bytes)).collect(),
            loss: Fading::default(),
        }
    }

    /// Returns whether the knowledge comes from passing packets alone.
    pub fn is_passive(&self) -> bool {
        self.source == KnowledgeSource::Packets
    }

    fn place(&self, flow: u32) -> Option<usize> {
        self.places
            .get(flow as usize)
            .copied()
            .filter(|&place| place != Self::NOBODY)
            .map(|place| place as usize)
    }

    /// An ACK has left the far end of the link, and reaches this one at `at`.
    pub fn ack_comes(&mut self, at: Time, flow: u32, next: u32) {
        if self.place(flow).is_none() {
            return;
        }
        let behind = self.coming.iter().rposition(|&(other, ..)| other <= at).map_or(0, |index| index + 1);
        self.coming.make_room(1, "ACKs that a conditioner waits for");
        self.coming.insert(behind, (at, flow, next));
    }

    /// Takes in the ACKs that have come up to `now`.
    pub fn catch_up(&mut self, now: Time) {
        while let Some(&(at, flow, next)) = self.coming.front().filter(|&&(at, ..)| at <= now) {
            self.coming.pop_front();
            let Some(place) = self.place(flow) else {
                continue;
            };
            let seen = &mut self.seen[place];
            let before = seen.acknowledged();
            seen.on_ack(at.secs(), u64::from(next));
            let packets = (seen.acknowledged() - before) as f64;
            self.acked_bytes.add(at.secs(), packets * self.packet_bytes[place]);
        }
    }

    /// Updates from a data packet that passes at `now`, and the state of its sender.
    pub fn data_pass(&mut self, now: Time, flow: u32, packet: &Packet, state: &SenderState) {
        let Some(place) = self.place(flow) else {
            return;
        };
        let seen = &mut self.seen[place];
        if packet.seq == 0 && seen.acknowledged() > 0 {
            seen.restart();
        }
        let repeated = seen.packets().1;
        seen.on_data(now.secs(), u64::from(packet.seq), u64::from(packet.seq) + 1);
        self.loss.take((seen.packets().1 - repeated) as f64);
        let none = f64::NAN;
        self.inferred.put(place, seen.rtt().unwrap_or(none), seen.rto().unwrap_or(none), seen.window());
        self.reported.put(place, state.rtt_s, state.rto_s, state.cwnd);
    }

    /// The window of a flow, in packets; NaN if it is not known.
    pub fn window(&self, flow: u32) -> f64 {
        self.place(flow).map_or(f64::NAN, |place| self.means().windows[place])
    }

    fn means(&self) -> &Means {
        if self.is_passive() {
            &self.inferred
        } else {
            &self.reported
        }
    }

    /// The aggregate, of which `cir` bytes a second are committed, at `now`.
    pub fn view(&self, now: Time, cir: f64) -> AggregateView {
        let means = self.means();
        AggregateView {
            rtt_s: means.rtt.mean(),
            rto_s: means.rto.mean(),
            loss: self.loss.0,
            excess: self.acked_bytes.at(now.secs()) - cir,
        }
    }

    /// Round trip, timeout and window, each as a mean over the aggregate: inferred from packets, and reported by senders.
    pub fn inferred_and_reported(&self) -> [[f64; 3]; 2] {
        [&self.inferred, &self.reported]
            .map(|means| [means.rtt.mean(), means.rto.mean(), means.mean_window()])
    }
}

/// The last values of flows, and their means.
#[derive(Clone, Debug)]
struct Means {
    rtt: Mean,
    rto: Mean,
    windows: Vec<f64>,
}

impl Means {
    fn new(flows: usize) -> Self {
        Means { rtt: Mean::new(flows), rto: Mean::new(flows), windows: vec![f64::NAN; flows] }
    }

    fn put(&mut self, place: usize, rtt_s: f64, rto_s: f64, window: f64) {
        self.rtt.put(place, rtt_s);
        // Before there is a sample, a timeout says nothing of the path.
        self.rto.put(place, if rtt_s.is_nan() { f64::NAN } else { rto_s });
        self.windows[place] = window;
    }

    fn mean_window(&self) -> f64 {
        let known = self.windows.iter().filter(|window| !window.is_nan());
        let (count, sum) = known.fold((0.0, 0.0), |(count, sum), window| (count + 1.0, sum + window));
        sum / count
    }
}

/// The mean of the last values of flows; those without one do not count.
#[derive(Clone, Debug)]
struct Mean {
    values: Vec<f64>,
    sum: f64,
    count: f64,
}

impl Mean {
    fn new(flows: usize) -> Self {
        Mean { values: vec![f64::NAN; flows], sum: 0.0, count: 0.0 }
    }

    fn put(&mut self, place: usize, value: f64) {
        if value.is_nan() {
            return;
        }
        let before = std::mem::replace(&mut self.values[place], value);
        if before.is_nan() {
            self.count += 1.0;
            self.sum += value;
        } else {
            self.sum += value - before;
        }
    }

    /// NaN while there is none.
    fn mean(&self) -> f64 {
        self.sum / self.count
    }
}

/// Exponentially smoothed rate, per second, with the time constant [`SmoothedRate::MEMORY_S`].
#[derive(Clone, Copy, Debug, Default)]
struct SmoothedRate {
    amount: f64,
    since_s: f64,
}

impl SmoothedRate {
    const MEMORY_S: f64 = 1.0;

    fn add(&mut self, now_s: f64, amount: f64) {
        self.amount = self.at(now_s) * Self::MEMORY_S + amount;
        self.since_s = now_s;
    }

    fn at(&self, now_s: f64) -> f64 {
        self.amount * libm::exp((self.since_s - now_s) / Self::MEMORY_S) / Self::MEMORY_S
    }
}

/// A mean over some hundreds of packets, the last ones counting most; the first packets count alike.
#[derive(Clone, Copy, Debug)]
struct Fading(f64, f64);

impl Default for Fading {
    fn default() -> Self {
        Fading(f64::NAN, 0.0)
    }
}

impl Fading {
    const PACKETS: f64 = 500.0;

    fn take(&mut self, value: f64) {
        self.1 = (self.1 + 1.0).min(Self::PACKETS);
        let mean = if self.0.is_nan() { 0.0 } else { self.0 };
        self.0 = mean + (value - mean) / self.1;
    }
}
