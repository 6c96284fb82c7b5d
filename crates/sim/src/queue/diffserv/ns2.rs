//! Averages and early drops as ns-2.35's dsRED has them, for the profile `ns2`.
//!
//! Averages are single-precision numbers; an idle time decays them by one packet too many, starts when the last packet
//! that waits leaves, and ends only when a packet is accepted; a coupled average weighs each precedence's packets with
//! that precedence's weight; a negative drop probability counts as 0.

use super::{Asked, Judgement};
use crate::queue::red::weight_of;
use crate::queue::Reason;
use crate::random::Stream;
use crate::scenario::{self, DropperKind};
use crate::units::Time;

/// The averages and drops of a physical queue.
#[derive(Clone, Debug)]
pub(super) struct Ns2Red {
    kind: DropperKind,
    precedences: Vec<Precedence>,
    packets_per_second: f64,
}

#[derive(Clone, Debug)]
struct Precedence {
    min_threshold: f64,
    max_threshold: f64,
    inverse_max_probability: f64,
    weight: f64,
    average: f32,
    /// Since when it is idle, if it is.
    idle_since: Option<Time>,
    count: i64,
}

impl Ns2Red {
    pub fn new(config: &scenario::ClassQueue, packets_per_second: f64) -> Self {
        // ns-2 cuts thresholds to whole numbers.
        let cut = |threshold: Option<f64>| threshold.unwrap_or(f64::INFINITY).trunc();
        let precedence = |each: &scenario::Precedence| Precedence {
            min_threshold: cut(each.min_threshold_packets),
            max_threshold: cut(each.max_threshold_packets),
            inverse_max_probability: 1.0 / each.max_probability,
            weight: weight_of(each.weight, packets_per_second),
            average: 0.0,
            idle_since: Some(Time::ZERO),
            count: 0,
        };
        Ns2Red {
            kind: config.dropper,
            precedences: config.precedences.iter().map(precedence).collect(),
            packets_per_second,
        }
    }

    /// The average that packets of a precedence go by.
    pub fn average(&self, precedence: usize) -> f64 {
        f64::from(self.precedences[self.averaged(precedence)].average)
    }

    fn averaged(&self, precedence: usize) -> usize {
        if self.kind == DropperKind::Wred {
            0
        } else {
            precedence
        }
    }

    pub fn judge(&mut self, asked: &Asked<'_>, stream: &mut Stream) -> Judgement {
        if asked.full {
            return Judgement::Drop(Reason::Full);
        }
        let moved = match self.kind {
            DropperKind::RioC => asked.precedence..self.precedences.len(),
            DropperKind::RioD => asked.precedence..asked.precedence + 1,
            DropperKind::Wred | DropperKind::DropTail => 0..1,
        };
        for average in moved.clone() {
            self.estimate(average, asked);
        }
        let average = self.average(asked.precedence);
        let judgement = self.precedences[asked.precedence].decide(average, stream);
        if judgement == Judgement::Accept {
            self.precedences[moved].iter_mut().for_each(|precedence| precedence.idle_since = None);
        }
        judgement
    }

    fn estimate(&mut self, index: usize, asked: &Asked<'_>) {
        let Precedence { mut average, weight, idle_since, .. } = self.precedences[index];
        let idle = |since| (self.packets_per_second * asked.now.since(since).secs()) as u64;
        let keep = 1.0 - weight;
        for _ in 0..=idle_since.map_or(0, idle) {
            average = (f64::from(average) * keep) as f32;
            if average == 0.0 {
                break;
            }
        }
        let mut add =
            |weight: f64, length: u32| average = (f64::from(average) + weight * f64::from(length)) as f32;
        match self.kind {
            DropperKind::RioC => {
                let weights = self.precedences.iter().map(|precedence| precedence.weight);
                weights.zip(asked.lengths).take(index + 1).for_each(|(weight, &length)| add(weight, length));
            }
            DropperKind::RioD => add(weight, asked.lengths[index]),
            DropperKind::Wred | DropperKind::DropTail => add(weight, asked.lengths.iter().sum()),
        }
        self.precedences[index].average = average;
    }

    /// A packet of this precedence has left at `now`.
    pub fn left(&mut self, now: Time, precedence: usize, lengths: &[u32]) {
        if lengths[precedence] > 0 {
            return;
        }
        match self.kind {
            DropperKind::RioC => {
                if lengths[..precedence].iter().all(|&length| length == 0) {
                    let empty = lengths[precedence..].iter().take_while(|&&length| length == 0).count();
                    let idle = &mut self.precedences[precedence..precedence + empty];
                    idle.iter_mut().for_each(|precedence| precedence.idle_since = Some(now));
                }
            }
            DropperKind::RioD => self.precedences[precedence].idle_since = Some(now),
            // Even if packets of other precedences still wait.
            DropperKind::Wred | DropperKind::DropTail => self.precedences[0].idle_since = Some(now),
        }
    }
}

impl Precedence {
    fn decide(&mut self, average: f64, stream: &mut Stream) -> Judgement {
        if average <= self.min_threshold {
            self.count = -1;
            return Judgement::Accept;
        }
        if average > self.max_threshold {
            self.count = 0;
            return Judgement::Drop(Reason::Average);
        }
        self.count += 1;
        let line = (average - self.min_threshold) / (self.max_threshold - self.min_threshold);
        let base = (1.0 / self.inverse_max_probability) * line;
        let probability = base / (1.0 - self.count as f64 * base);
        if stream.uniform() > probability {
            return Judgement::Accept;
        }
        self.count = 0;
        Judgement::Drop(Reason::Early)
    }
}
