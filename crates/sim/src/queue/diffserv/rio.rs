//! Early drops over several averages: RIO with coupled (Clark and Fang 1998) or decoupled precedences, and weighted RED.
//!
//! Each precedence is a RED of its own, with the rules of [`crate::queue::Red`]; they differ in what each averages.

use super::{Asked, Judgement};
use crate::queue::red::{base_probability, spread_probability, weight_of};
use crate::queue::Reason;
use crate::random::Stream;
use crate::scenario::{self, DropperKind};
use crate::units::Time;

/// The averages and drops of a physical queue.
#[derive(Clone, Debug)]
pub(super) struct Rio {
    kind: DropperKind,
    precedences: Vec<Precedence>,
    gentle: bool,
    wait: bool,
    ecn: bool,
    packets_per_second: f64,
}

#[derive(Clone, Debug)]
struct Precedence {
    min_threshold: f64,
    max_threshold: f64,
    max_probability: f64,
    weight: f64,
    average: f64,
    /// When the link found nothing of what is averaged, if nothing has come since.
    idle_since: Option<Time>,
    /// Packets that arrived since the last early drop.
    count: u64,
    /// True if the average was above the lower threshold at the last arrival.
    above: bool,
}

impl Rio {
    pub fn new(config: &scenario::ClassQueue, packets_per_second: f64) -> Self {
        let precedence = |each: &scenario::Precedence| Precedence {
            min_threshold: each.min_threshold_packets.unwrap_or(f64::INFINITY),
            max_threshold: each.max_threshold_packets.unwrap_or(f64::INFINITY),
            max_probability: each.max_probability,
            weight: weight_of(each.weight, packets_per_second),
            average: 0.0,
            idle_since: None,
            count: 0,
            above: false,
        };
        Rio {
            kind: config.dropper,
            precedences: config.precedences.iter().map(precedence).collect(),
            gentle: config.gentle,
            wait: config.wait,
            ecn: config.ecn,
            packets_per_second,
        }
    }

    /// The average that packets of a precedence go by.
    pub fn average(&self, precedence: usize) -> f64 {
        self.precedences[self.averaged(precedence)].average
    }

    /// Which average counts for a precedence.
    fn averaged(&self, precedence: usize) -> usize {
        if self.kind == DropperKind::Wred {
            0
        } else {
            precedence
        }
    }

    /// The packets that an average is about.
    fn length(kind: DropperKind, average: usize, lengths: &[u32]) -> u32 {
        match kind {
            DropperKind::RioC => lengths[..=average].iter().sum(),
            DropperKind::RioD => lengths[average],
            DropperKind::Wred | DropperKind::DropTail => lengths.iter().sum(),
        }
    }

    /// The averages that an arrival moves: coupled ones are about the packets of lower precedences as well.
    fn moved(&self, precedence: usize) -> std::ops::Range<usize> {
        match self.kind {
            DropperKind::RioC => precedence..self.precedences.len(),
            DropperKind::RioD => precedence..precedence + 1,
            DropperKind::Wred | DropperKind::DropTail => 0..1,
        }
    }

    pub fn judge(&mut self, asked: &Asked<'_>, stream: &mut Stream) -> Judgement {
        for average in self.moved(asked.precedence) {
            let length = Rio::length(self.kind, average, asked.lengths);
            self.precedences[average].estimate(asked.now, length, self.packets_per_second);
        }
        let (average, length) = {
            let averaged = self.averaged(asked.precedence);
            (self.precedences[averaged].average, Rio::length(self.kind, averaged, asked.lengths))
        };
        let precedence = &mut self.precedences[asked.precedence];
        precedence.count += 1;
        let judgement = precedence.decide(average, length, (self.gentle, self.wait), stream);
        if asked.full {
            precedence.count = 0;
            return Judgement::Drop(Reason::Full);
        }
        match judgement {
            Judgement::Drop(Reason::Early) if self.ecn && asked.ecn_capable => Judgement::Mark,
            judgement => judgement,
        }
    }

    /// The link is free and asks for a packet: what it finds nothing of is idle.
    pub fn link_asks(&mut self, now: Time, lengths: &[u32]) {
        let kind = self.kind;
        for (index, precedence) in self.precedences.iter_mut().enumerate() {
            if precedence.idle_since.is_none() && Rio::length(kind, index, lengths) == 0 {
                precedence.idle_since = Some(now);
            }
        }
    }
}

impl Precedence {
    /// Brings the average up to date. After an idle time it is as if small packets had found the queue empty (Floyd and
    /// Jacobson 1993, section 4).
    fn estimate(&mut self, now: Time, length: u32, packets_per_second: f64) {
        if let Some(since) = self.idle_since.take() {
            let missed = (now.since(since).secs() * packets_per_second) as i32;
            self.average *= libm::pow(1.0 - self.weight, f64::from(missed));
        }
        self.average += self.weight * (f64::from(length) - self.average);
    }

    fn decide(
        &mut self,
        average: f64,
        length: u32,
        (gentle, wait): (bool, bool),
        stream: &mut Stream,
    ) -> Judgement {
        // A queue of one packet is as good as empty.
        if average < self.min_threshold || length <= 1 {
            self.above = false;
            return Judgement::Accept;
        }
        let certain = if gentle { 2.0 * self.max_threshold } else { self.max_threshold };
        if average >= certain {
            return Judgement::Drop(Reason::Average);
        }
        if !self.above {
            self.above = true;
            self.count = 1;
            return Judgement::Accept;
        }
        let thresholds = (self.min_threshold, self.max_threshold);
        let base = base_probability(average, thresholds, self.max_probability, gentle);
        if stream.uniform() > spread_probability(self.count as f64 * base, base, wait).min(1.0) {
            return Judgement::Accept;
        }
        self.count = 0;
        Judgement::Drop(Reason::Early)
    }
}
