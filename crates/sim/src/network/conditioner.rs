//! What the edge of a DiffServ domain does to packets before they join the queue of a link: classify, meter, mark, drop.
//!
//! A conditioner has the state of its port and of nothing else: what it may know of a packet is in the packet, or has
//! passed it before. The first rule that a packet fits is its aggregate, and each aggregate has one meter. A
//! conditioner that is to know more of an aggregate (round trips, windows) is one more kind of [`Marker`].

use std::sync::Arc;

use parshall_estimators::meter::{AnyMeter, Colour, MeterState, Tokens};

use super::FlowId;
use crate::packet::Packet;
use crate::random::Stream;
use crate::scenario::{self, DiffServProfile, MeteredBytes, OtherTreatment, Treatment};
use crate::units::Time;

/// A conditioner before it has any state.
#[derive(Clone, Debug)]
pub struct ConditionerPlan {
    /// Index of its port.
    pub port: u32,
    /// What the scenario says.
    pub config: Arc<scenario::Conditioner>,
    /// The packets that fit each rule, but for their code points.
    pub members: Vec<FlowSet>,
    /// Bytes of headers of each flow's packets of data; ACKs are nothing else.
    pub headers: Arc<[u16]>,
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

    /// Whether it holds one.
    #[inline]
    pub fn contains(&self, flow: FlowId) -> bool {
        self.0.get(flow.number() / 64).is_some_and(|word| word >> (flow.number() % 64) & 1 == 1)
    }
}

/// How an aggregate's packets are coloured.
#[derive(Clone, Debug)]
enum Marker {
    /// All are green.
    Green,
    /// By a meter of rates and bursts.
    Meter(AnyMeter),
}

/// An aggregate: who belongs to it, and what is done.
#[derive(Clone, Debug)]
struct Aggregate {
    members: FlowSet,
    /// A bit for each code point that belongs to it.
    code_points: u64,
    marker: Marker,
    payload_only: bool,
    treatments: [Option<Treatment>; 3],
    counts: AggregateCounts,
}

/// What an aggregate has sent since counting started, by colour, and what of it was dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AggregateCounts {
    /// Packets of each colour, best first.
    pub packets: [u64; 3],
    /// Their bytes on the wire.
    pub bytes: [u64; 3],
    /// Packets that the conditioner dropped.
    pub packets_dropped: u64,
}

/// The conditioner of a port.
#[derive(Clone, Debug)]
pub struct Conditioner {
    aggregates: Vec<Aggregate>,
    headers: Arc<[u16]>,
    count_from: Time,
    stream: Stream,
    /// The aggregate of the last packet.
    last: Option<usize>,
}

impl Conditioner {
    /// A conditioner with full buckets, which counts from `count_from` on; `stream` makes its draws.
    pub fn new(plan: &ConditionerPlan, count_from: Time, stream: Stream) -> Self {
        let tokens = match plan.config.profile {
            DiffServProfile::Rfc => Tokens::Whole,
            DiffServProfile::Ns2 => Tokens::Fractional,
        };
        let aggregate = |(rule, members): (&scenario::Rule, &FlowSet)| Aggregate {
            members: members.clone(),
            code_points: if rule.dscp.is_empty() { u64::MAX } else { bits(&rule.dscp) },
            marker: rule.meter.as_ref().map_or(Marker::Green, |it| Marker::Meter(AnyMeter::new(it, tokens))),
            payload_only: rule.count == MeteredBytes::Payload,
            treatments: [rule.if_green, rule.if_yellow, rule.if_red],
            counts: AggregateCounts::default(),
        };
        Conditioner {
            aggregates: plan.config.rules.iter().zip(&plan.members).map(aggregate).collect(),
            headers: plan.headers.clone(),
            count_from,
            stream,
            last: None,
        }
    }

    /// Deals with a packet that arrives at `now`: whether it goes on, perhaps with another code point.
    pub fn condition(&mut self, now: Time, packet: &mut Packet, flow: FlowId) -> bool {
        let dscp = packet.dscp();
        let fits = |each: &Aggregate| each.members.contains(flow) && each.code_points >> dscp & 1 == 1;
        self.last = self.aggregates.iter().position(fits);
        let Some(aggregate) = self.last.map(|index| &mut self.aggregates[index]) else {
            return true;
        };
        let headers = if packet.is_ack() { u16::MAX } else { self.headers[flow.flow() as usize] };
        let colour = aggregate.colour(now, packet, headers, &mut self.stream);
        let treatment = aggregate.treatments[colour as usize];
        if now >= self.count_from {
            aggregate.counts.packets[colour as usize] += 1;
            aggregate.counts.bytes[colour as usize] += u64::from(packet.size);
        }
        match treatment {
            None => {}
            Some(Treatment::Mark(dscp)) => packet.remark(dscp),
            Some(Treatment::Other(OtherTreatment::Drop)) => {
                aggregate.counts.packets_dropped += u64::from(now >= self.count_from);
                return false;
            }
        }
        true
    }

    /// The aggregate of the last packet, and what its meter held after it.
    pub fn last(&self) -> Option<(usize, MeterState)> {
        self.last.map(|index| match &self.aggregates[index].marker {
            Marker::Green => (index, MeterState::default()),
            Marker::Meter(meter) => (index, meter.state()),
        })
    }

    /// What each aggregate has sent.
    pub fn counts(&self) -> impl Iterator<Item = &AggregateCounts> {
        self.aggregates.iter().map(|aggregate| &aggregate.counts)
    }
}

impl Aggregate {
    /// The colour of a packet with so many bytes of headers.
    fn colour(&mut self, now: Time, packet: &Packet, headers: u16, stream: &mut Stream) -> Colour {
        let bytes = if self.payload_only { packet.size.saturating_sub(headers) } else { packet.size };
        let arriving = self.arriving_colour(packet.dscp());
        match &mut self.marker {
            Marker::Green => Colour::Green,
            Marker::Meter(meter) => meter.colour(now.secs(), f64::from(bytes), arriving, || stream.uniform()),
        }
    }

    /// The colour that a code point stands for: that for which this aggregate gives it, or else its drop precedence if it
    /// is one of assured forwarding (RFC 2597), or else green.
    fn arriving_colour(&self, dscp: u8) -> Colour {
        let given = |colour: &Colour| self.treatments[*colour as usize] == Some(Treatment::Mark(dscp));
        let assured = (8..40).contains(&dscp);
        Colour::ALL.into_iter().find(given).unwrap_or(match dscp & 7 {
            4 if assured => Colour::Yellow,
            6 if assured => Colour::Red,
            _ => Colour::Green,
        })
    }
}

/// Code points as bits.
fn bits(code_points: &[u8]) -> u64 {
    code_points.iter().fold(0, |bits, dscp| bits | 1 << dscp)
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
        let plan = ConditionerPlan { port: 0, config: config.into(), members, headers: [40, 40].into() };
        Conditioner::new(&plan, Time::ZERO, Stream::new(1, "conditioner"))
    }

    /// The code point of a packet of data of 1000 bytes afterwards; none if it is dropped.
    fn after(conditioner: &mut Conditioner, flow: u32, dscp: u8) -> Option<u8> {
        let mut packet = Packet::data(0, 1000, 0, Time::ZERO);
        packet.remark(dscp);
        conditioner.condition(Time::ZERO, &mut packet, FlowId::new(flow, false)).then(|| packet.dscp())
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
                assert!(conditioner.condition(Time::ZERO, &mut ack, FlowId::new(0, true)));
            }
            after(&mut conditioner, 0, 0);
            assert_eq!(conditioner.last().expect("an aggregate").1.committed, Some(held));
        }
    }
}
