//! Edge of a DiffServ domain: classifies, meters, marks and drops packets before they join the queue of a
//! link.
//!
//! A conditioner has the state of its port and of nothing else: what it may know of a packet is in the
//! packet, or has passed it before, or has been reported by another conditioner. The first rule that a packet
//! fits is its aggregate, and each aggregate has one meter. Where a rule goes by round trips, timeouts or
//! windows, the aggregate has a [`knowledge`] of its connections.

mod aggregate;
mod exchange;
mod knowledge;
mod own;
mod small_window;

use std::sync::Arc;

use parshall_estimators::meter::{MeterState, Tokens};

use super::FlowId;
use crate::packet::Packet;
use crate::random::Stream;
use crate::record::EdgeRow;
use crate::room::Room;
use crate::scenario::{self, DiffServProfile, OtherTreatment, Treatment};
use crate::units::Time;

use aggregate::Aggregate;
pub use aggregate::AggregateCounts;
pub use exchange::Exchange;
pub use knowledge::{SenderHistory, SenderState};

/// A conditioner before it has any state.
#[derive(Clone, Debug)]
pub struct ConditionerPlan {
    /// Index of its port.
    pub port: u32,
    /// Configuration in the scenario.
    pub config: Arc<scenario::Conditioner>,
    /// The packets that fit each rule, but for their code points.
    pub members: Vec<FlowSet>,
    /// Bytes of headers of each flow's packets of data; ACKs are nothing else.
    pub headers: Arc<[u16]>,
    /// Keys of the flows; none unless a marker of the caller's own asks for them.
    pub keys: Arc<[u64]>,
    /// For each rule that goes by more than sizes, its TCP flows whose data pass, and the bytes of their packets that
    /// count.
    pub known: Vec<Vec<(u32, u16)>>,
}

impl ConditionerPlan {
    /// Returns whether the conditioner observes returning ACKs, at the time when they come.
    pub fn listens(&self) -> bool {
        self.known.iter().any(|flows| !flows.is_empty())
    }

    /// Returns whether senders must inform the conditioner of their state.
    pub fn is_informed(&self) -> bool {
        self.listens() && self.config.knowledge.source == scenario::KnowledgeSource::Senders
    }
}

/// Directions of flows, as a set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowSet(Vec<u64>);

impl FlowSet {
    /// Adds one.
    pub fn insert(&mut self, flow: FlowId) {
        let (word, bit) = (flow.number() / 64, flow.number() % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << bit;
    }

    /// Returns whether it holds one.
    #[inline]
    pub fn contains(&self, flow: FlowId) -> bool {
        self.0.get(flow.number() / 64).is_some_and(|word| word >> (flow.number() % 64) & 1 == 1)
    }
}

/// The conditioner of a port.
#[derive(Debug)]
pub struct Conditioner {
    aggregates: Vec<Aggregate>,
    headers: Arc<[u16]>,
    count_from: Time,
    stream: Stream,
    /// The aggregate of the last packet.
    last: Option<usize>,
    samples: Option<Samples>,
}

/// Samples of a conditioner's knowledge at intervals: after the first packet in each.
#[derive(Clone, Debug)]
struct Samples {
    interval: Time,
    next: Time,
    rows: Vec<EdgeRow>,
}

impl Conditioner {
    /// A conditioner with full buckets, which counts from `count_from` on; `stream` makes its draws. What it knows it
    /// reports in the `exchange`.
    pub fn new(
        plan: &ConditionerPlan,
        count_from: Time,
        mut stream: Stream,
        exchange: &mut Exchange,
    ) -> Self {
        let tokens = match plan.config.profile {
            DiffServProfile::Rfc => Tokens::Whole,
            DiffServProfile::Ns2 => Tokens::Fractional,
        };
        let aggregate = |index| Aggregate::new(plan, index, tokens, exchange, &mut stream);
        let aggregates = (0..plan.config.rules.len()).map(aggregate).collect();
        Conditioner {
            aggregates,
            headers: plan.headers.clone(),
            count_from,
            stream,
            last: None,
            samples: None,
        }
    }

    /// Keeps what it knows, every `interval`.
    pub fn keep_samples(&mut self, interval: Time) {
        self.samples = Some(Samples { interval, next: Time::ZERO, rows: Vec::new() });
    }

    /// An ACK has left the far end of the link, and reaches this one at `at`.
    pub fn ack_comes(&mut self, at: Time, flow: u32, next: u32) {
        self.aggregates.iter_mut().for_each(|aggregate| aggregate.ack_comes(at, flow, next));
    }

    /// Deals with a packet that arrives at `now` with the word of its sender: whether it goes on, perhaps with another
    /// code point.
    pub fn condition(
        &mut self,
        now: Time,
        packet: &mut Packet,
        flow: FlowId,
        state: &SenderState,
        exchange: &mut Exchange,
    ) -> bool {
        self.sample(now);
        let dscp = packet.dscp();
        self.last = self.aggregates.iter().position(|aggregate| aggregate.fits(flow, dscp));
        let Some(aggregate) = self.last.map(|index| &mut self.aggregates[index]) else {
            return true;
        };
        let headers = if packet.is_ack() { u16::MAX } else { self.headers[flow.flow() as usize] };
        aggregate.learn(now, (packet, flow), state, exchange);
        let counting = now >= self.count_from;
        match aggregate.treat(now, (packet, flow), headers, &mut self.stream, counting) {
            None => {}
            Some(Treatment::Mark(dscp)) => packet.remark(dscp),
            Some(Treatment::Other(OtherTreatment::Drop)) => return false,
        }
        true
    }

    /// The aggregate of the last packet, and what its meter held after it.
    pub fn last(&self) -> Option<(usize, MeterState)> {
        self.last.map(|index| (index, self.aggregates[index].state()))
    }

    /// Keeps a row for each aggregate of which more than sizes is known, if it is time.
    fn sample(&mut self, now: Time) {
        let Some(samples) = self.samples.as_mut().filter(|samples| now >= samples.next) else {
            return;
        };
        let passed = now.ps() / samples.interval.ps();
        samples.next = Time::from_ps((passed + 1).saturating_mul(samples.interval.ps()));
        for (rule, aggregate) in (0..).zip(&self.aggregates) {
            samples.rows.make_room(1, "rows of edges");
            samples.rows.extend(aggregate.row(now, rule));
        }
    }

    /// Bytes of what was kept of what it knew.
    pub fn bytes_samples(&self) -> u64 {
        self.samples.as_ref().map_or(0, |samples| (samples.rows.capacity() * size_of::<EdgeRow>()) as u64)
    }

    /// Takes the samples of knowledge, without the number of the port.
    pub fn take_samples(&mut self) -> Vec<EdgeRow> {
        self.samples.as_mut().map_or_else(Vec::new, |samples| std::mem::take(&mut samples.rows))
    }

    /// Counters of each aggregate.
    pub fn counts(&self) -> impl Iterator<Item = &AggregateCounts> {
        self.aggregates.iter().map(|aggregate| &aggregate.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const AF11: u8 = 10;
    const AF12: u8 = 12;
    const AF13: u8 = 14;

    /// A conditioner of two flows that send packets of 1000 bytes, 40 of them headers; flow 0 fits all rules.
    fn conditioner(rules: &serde_json::Value) -> Conditioner {
        let config: scenario::Conditioner = serde_json::from_value(json!({"rules": rules})).expect("rules");
        let mut members = FlowSet::default();
        [FlowId::new(0, false), FlowId::new(0, true)].into_iter().for_each(|flow| members.insert(flow));
        let members = vec![members; config.rules.len()];
        let known = vec![Vec::new(); members.len()];
        let plan = ConditionerPlan {
            port: 0,
            config: config.into(),
            members,
            headers: [40, 40].into(),
            keys: [].into(),
            known,
        };
        Conditioner::new(&plan, Time::ZERO, Stream::new(1, "conditioner"), &mut Exchange::default())
    }

    fn passes(conditioner: &mut Conditioner, packet: &mut Packet, flow: FlowId) -> bool {
        conditioner.condition(Time::ZERO, packet, flow, &SenderState::default(), &mut Exchange::default())
    }

    /// The code point of a packet of data of 1000 bytes afterwards; none if it is dropped.
    fn after(conditioner: &mut Conditioner, flow: u32, dscp: u8) -> Option<u8> {
        let mut packet = Packet::data(0, 1000, 0, Time::ZERO);
        packet.remark(dscp);
        passes(conditioner, &mut packet, FlowId::new(flow, false)).then(|| packet.dscp())
    }

    #[test]
    fn the_first_rule_that_fits_is_followed() {
        let rules = json!([{"dscp": [46], "if_green": 0}, {"if_green": "drop"}]);
        let mut conditioner = conditioner(&rules);
        assert_eq!(after(&mut conditioner, 0, 46), Some(0));
        assert_eq!(after(&mut conditioner, 0, 10), None);
        assert_eq!(after(&mut conditioner, 1, 46), Some(46));
        let counts: Vec<_> =
            conditioner.counts().map(|counts| (counts.packets[0], counts.packets_dropped)).collect();
        assert_eq!(counts, [(1, 0), (1, 1)]);
    }

    #[test]
    fn an_aware_meter_takes_the_drop_precedence_for_the_colour() {
        let meter = |aware| json!({"kind": "srtcm", "cir": 8e3, "cbs_bytes": 2000, "ebs_bytes": 1000, "colour_aware": aware});
        let rules =
            |aware| json!([{"meter": meter(aware), "if_green": AF11, "if_yellow": AF12, "if_red": AF13}]);
        let mut aware = conditioner(&rules(true));
        let found = [AF12, AF13, AF11, AF12, 22, 0, 0].map(|dscp| after(&mut aware, 0, dscp));
        // AF23 is red as well; what is no class of assured forwarding is green.
        assert_eq!(found, [AF12, AF13, AF11, AF13, AF13, AF11, AF13].map(Some));
        let mut blind = conditioner(&rules(false));
        let found = [AF13, AF12, AF13, AF11].map(|dscp| after(&mut blind, 0, dscp));
        assert_eq!(found, [AF11, AF11, AF12, AF13].map(Some));
    }

    #[test]
    fn headers_count_only_on_the_wire() {
        for (count, held) in [("wire", 0.0), ("payload", 40.0)] {
            let meter = json!({"kind": "token-bucket", "cir": 8e3, "cbs_bytes": 1000});
            let mut conditioner = conditioner(&json!([{"meter": meter, "count": count}]));
            let mut ack = Packet::ack(0, 40, 0, Time::ZERO, Time::ZERO);
            if count == "payload" {
                assert!(passes(&mut conditioner, &mut ack, FlowId::new(0, true)));
            }
            after(&mut conditioner, 0, 0);
            assert_eq!(conditioner.last().expect("an aggregate").1.committed, Some(held));
        }
    }
}
