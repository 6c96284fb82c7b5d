//! What the edge of a DiffServ domain does to packets before they join the queue of a link: classify, meter, mark, drop.
//!
//! A conditioner has the state of its port and of nothing else: what it may know of a packet is in the packet, or has
//! passed it before, or has been told by another conditioner. The first rule that a packet fits is its aggregate, and
//! each aggregate has one meter. Where a rule goes by round trips, timeouts or windows, the aggregate has a
//! [`Knowledge`] of its connections.

use std::sync::Arc;

use parshall_estimators::meter::{AnyMeter, Colour, MeterState, Surroundings, Tokens};

use super::exchange::Exchange;
use super::knowledge::{Knowledge, Told};
use super::FlowId;
use crate::packet::Packet;
use crate::random::Stream;
use crate::record::EdgeRow;
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
    /// For each rule that goes by more than sizes, its TCP flows whose data pass, and the bytes of their packets that
    /// count.
    pub known: Vec<Vec<(u32, u16)>>,
}

impl ConditionerPlan {
    /// Whether it must hear the ACKs that come back, at the time when they come.
    pub fn listens(&self) -> bool {
        self.known.iter().any(|flows| !flows.is_empty())
    }

    /// Whether senders must tell it what they know.
    pub fn is_told(&self) -> bool {
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
    known: Option<Box<Known>>,
    small_window: Option<SmallWindow>,
    counts: AggregateCounts,
}

/// What is known of an aggregate, and its number in the exchange.
#[derive(Clone, Debug)]
struct Known {
    knowledge: Knowledge,
    number: usize,
    /// Committed rate in bytes/s.
    cir: f64,
    around: Surroundings,
}

/// Protects packets of connections with small windows (Feroz et al. 2000).
#[derive(Clone, Copy, Debug)]
struct SmallWindow {
    below_packets: f64,
    repay: bool,
    /// Yellow and red packets that were made green and have not been paid for.
    owed: [u64; 2],
}

impl SmallWindow {
    /// The colour of a packet of a connection with such a window. Where protection is repaid, a later green packet gets
    /// the colour that a protected one would have had (Habib, Bhargava and Fahmy 2002, section VI).
    fn colour(&mut self, colour: Colour, window: f64) -> Colour {
        let [yellow, red] = &mut self.owed;
        match colour {
            Colour::Yellow if window < self.below_packets => {
                *yellow += u64::from(self.repay);
                Colour::Green
            }
            Colour::Red if window < self.below_packets => {
                *red += u64::from(self.repay);
                Colour::Green
            }
            Colour::Green if window >= self.below_packets && *red > 0 => {
                *red -= 1;
                Colour::Red
            }
            Colour::Green if window >= self.below_packets && *yellow > 0 => {
                *yellow -= 1;
                Colour::Yellow
            }
            colour => colour,
        }
    }
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
    /// Packets that are green because the window of their connection is small.
    pub packets_protected: u64,
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
    samples: Option<Samples>,
}

/// What its knowledge was at intervals: after the first packet in each.
#[derive(Clone, Debug)]
struct Samples {
    interval: Time,
    next: Time,
    rows: Vec<EdgeRow>,
}

impl Conditioner {
    /// A conditioner with full buckets, which counts from `count_from` on; `stream` makes its draws. What it knows it
    /// tells in the `exchange`.
    pub fn new(plan: &ConditionerPlan, count_from: Time, stream: Stream, exchange: &mut Exchange) -> Self {
        let tokens = match plan.config.profile {
            DiffServProfile::Rfc => Tokens::Whole,
            DiffServProfile::Ns2 => Tokens::Fractional,
        };
        let mut known = |rule: &scenario::Rule, flows: &[(u32, u16)]| {
            let config = &plan.config.knowledge;
            let number = exchange.join(config.exchange_interval, config.exchange_delay);
            let cir = rule.meter.as_ref().map_or(0.0, |meter| meter.cir() / 8.0);
            let knowledge = Knowledge::new(config, flows);
            Box::new(Known { knowledge, number, cir, around: Surroundings::default() })
        };
        let aggregate =
            |((rule, members), flows): ((&scenario::Rule, &FlowSet), &Vec<(u32, u16)>)| Aggregate {
                members: members.clone(),
                code_points: if rule.dscp.is_empty() { u64::MAX } else { bits(&rule.dscp) },
                marker: rule
                    .meter
                    .as_ref()
                    .map_or(Marker::Green, |it| Marker::Meter(AnyMeter::new(it, tokens))),
                payload_only: rule.count == MeteredBytes::Payload,
                treatments: [rule.if_green, rule.if_yellow, rule.if_red],
                known: (!flows.is_empty()).then(|| known(rule, flows)),
                small_window: rule.small_window.map(|asked| SmallWindow {
                    below_packets: asked.below_packets,
                    repay: asked.repay,
                    owed: [0; 2],
                }),
                counts: AggregateCounts::default(),
            };
        Conditioner {
            aggregates: plan.config.rules.iter().zip(&plan.members).zip(&plan.known).map(aggregate).collect(),
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
        let known = self.aggregates.iter_mut().filter_map(|aggregate| aggregate.known.as_mut());
        known.for_each(|known| known.knowledge.ack_comes(at, flow, next));
    }

    /// Deals with a packet that arrives at `now` with the word of its sender: whether it goes on, perhaps with another
    /// code point.
    pub fn condition(
        &mut self,
        now: Time,
        packet: &mut Packet,
        flow: FlowId,
        told: &Told,
        exchange: &mut Exchange,
    ) -> bool {
        self.sample(now);
        let dscp = packet.dscp();
        let fits = |each: &Aggregate| each.members.contains(flow) && each.code_points >> dscp & 1 == 1;
        self.last = self.aggregates.iter().position(fits);
        let Some(aggregate) = self.last.map(|index| &mut self.aggregates[index]) else {
            return true;
        };
        let headers = if packet.is_ack() { u16::MAX } else { self.headers[flow.flow() as usize] };
        if let Some(known) = &mut aggregate.known {
            known.learn(now, packet, flow, told, exchange);
        }
        let counting = now >= self.count_from;
        let metered = aggregate.colour(now, packet, headers, &mut self.stream);
        let colour = aggregate.protect(metered, packet, flow);
        aggregate.counts.packets_protected += u64::from(counting && colour < metered);
        let treatment = aggregate.treatments[colour as usize];
        if counting {
            aggregate.counts.packets[colour as usize] += 1;
            aggregate.counts.bytes[colour as usize] += u64::from(packet.size);
        }
        match treatment {
            None => {}
            Some(Treatment::Mark(dscp)) => packet.remark(dscp),
            Some(Treatment::Other(OtherTreatment::Drop)) => {
                aggregate.counts.packets_dropped += u64::from(counting);
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

    /// Keeps a row for each aggregate of which more than sizes is known, if it is time.
    fn sample(&mut self, now: Time) {
        let Some(samples) = self.samples.as_mut().filter(|samples| now >= samples.next) else {
            return;
        };
        let passed = now.ps() / samples.interval.ps();
        samples.next = Time::from_ps((passed + 1).saturating_mul(samples.interval.ps()));
        for (rule, aggregate) in (0..).zip(&self.aggregates) {
            samples.rows.extend(aggregate.known.as_ref().map(|known| aggregate.row(now, rule, known)));
        }
    }

    /// What was kept of what it knew, without the number of its port.
    pub fn take_samples(&mut self) -> Vec<EdgeRow> {
        self.samples.as_mut().map_or_else(Vec::new, |samples| std::mem::take(&mut samples.rows))
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
            Marker::Meter(meter) => {
                let around = self.known.as_ref().map_or(Surroundings::default(), |known| known.around);
                meter.colour(now.secs(), f64::from(bytes), arriving, &around, || stream.uniform())
            }
        }
    }

    /// The colour of a packet that its meter has given this one.
    fn protect(&mut self, colour: Colour, packet: &Packet, flow: FlowId) -> Colour {
        match (&mut self.small_window, &self.known) {
            (Some(small), Some(known)) if !packet.is_ack() => {
                small.colour(colour, known.knowledge.window(flow.flow()))
            }
            _ => colour,
        }
    }

    fn row(&self, now: Time, rule: i32, known: &Known) -> EdgeRow {
        let (mut rate, mut red_part) = (f64::NAN, f64::NAN);
        if let Marker::Meter(meter) = &self.marker {
            rate = meter.state().rate.map_or(f64::NAN, |rate| 8.0 * rate);
            red_part = meter.red_part(&known.around).unwrap_or(f64::NAN);
        }
        let [[rtt, rto, window], [rtt_told, rto_told, window_told]] = known.knowledge.found_and_told();
        let view = &known.around.own;
        let (loss, acked_rate) = (view.loss, 8.0 * (view.excess + known.cir));
        let time = now.secs();
        EdgeRow {
            time,
            port: -1,
            rule,
            rate,
            red_part,
            acked_rate,
            loss,
            rtt,
            rto,
            window,
            rtt_told,
            rto_told,
            window_told,
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

impl Known {
    /// Takes in a packet that passes, and what others tell.
    fn learn(&mut self, now: Time, packet: &Packet, flow: FlowId, told: &Told, exchange: &mut Exchange) {
        self.knowledge.catch_up(now);
        if !packet.is_ack() {
            self.knowledge.data_pass(now, flow.flow(), packet, told);
        }
        let own = self.knowledge.view(now, self.cir);
        exchange.tell(self.number, now, &own);
        self.around = exchange.around(self.number, now, own);
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
        let known = vec![Vec::new(); members.len()];
        let plan =
            ConditionerPlan { port: 0, config: config.into(), members, headers: [40, 40].into(), known };
        Conditioner::new(&plan, Time::ZERO, Stream::new(1, "conditioner"), &mut Exchange::default())
    }

    fn passes(conditioner: &mut Conditioner, packet: &mut Packet, flow: FlowId) -> bool {
        conditioner.condition(Time::ZERO, packet, flow, &Told::default(), &mut Exchange::default())
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

    #[test]
    fn what_is_protected_is_paid_for() {
        let mut small = SmallWindow { below_packets: 3.0, repay: true, owed: [0; 2] };
        let (green, yellow, red) = (Colour::Green, Colour::Yellow, Colour::Red);
        let packets = [
            (red, 2.0),
            (yellow, 1.0),
            (green, 2.0),
            (yellow, 3.0),
            (green, 5.0),
            (green, 5.0),
            (green, 5.0),
        ];
        let colours = packets.map(|(colour, window)| small.colour(colour, window));
        assert_eq!(colours, [green, green, green, yellow, red, yellow, green]);
        let mut free = SmallWindow { repay: false, ..small };
        assert_eq!(
            packets.map(|(colour, window)| free.colour(colour, window)),
            [green, green, green, yellow, green, green, green]
        );
        // Of a window that nobody knows nothing follows.
        assert_eq!(small.colour(red, f64::NAN), red);
    }
}
