//! An aggregate at a conditioner: who belongs to it, how its packets are coloured, and what becomes of each colour.

use std::sync::Arc;

use parshall_estimators::meter::{AnyMeter, Colour, MeterState, Surroundings, Tokens};

use super::exchange::Exchange;
use super::knowledge::{Knowledge, SenderState};
use super::own::OwnMarker;
use super::small_window::SmallWindow;
use super::{ConditionerPlan, FlowSet};
use crate::network::FlowId;
use crate::packet::Packet;
use crate::random::Stream;
use crate::record::EdgeRow;
use crate::scenario::{self, Meter, MeteredBytes, OtherTreatment, OwnMeter, Treatment};
use crate::units::Time;

/// An aggregate: who belongs to it, and what is done.
#[derive(Debug)]
pub(super) struct Aggregate {
    members: FlowSet,
    /// A bit for each code point that belongs to it.
    code_points: u64,
    colouring: Colouring,
    payload_only: bool,
    treatments: [Option<Treatment>; 3],
    known: Option<Box<Known>>,
    small_window: Option<SmallWindow>,
    pub counts: AggregateCounts,
}

/// Source of the colours of packets.
#[derive(Debug)]
enum Colouring {
    /// All packets are green.
    None,
    Meter(AnyMeter),
    Own(Box<OwnMarker>),
}

impl Colouring {
    fn new(rule: &scenario::Rule, keys: &Arc<[u64]>, tokens: Tokens, stream: &mut Stream) -> Self {
        match &rule.meter {
            None => Colouring::None,
            Some(Meter::Native(meter)) => Colouring::Meter(AnyMeter::new(meter, tokens)),
            Some(Meter::Own(OwnMeter::User(config))) => {
                let maker = config.maker.0.as_ref().expect("a marker that was handed over");
                Colouring::Own(Box::new(OwnMarker::new(maker, keys.clone(), stream)))
            }
        }
    }

    fn meter(&self) -> Option<&AnyMeter> {
        match self {
            Colouring::Meter(meter) => Some(meter),
            Colouring::None | Colouring::Own(_) => None,
        }
    }
}

/// Knowledge of an aggregate's connections, and its number in the exchange.
#[derive(Clone, Debug)]
struct Known {
    knowledge: Knowledge,
    number: usize,
    /// Committed rate in bytes/s.
    cir: f64,
    around: Surroundings,
}

/// Packets that an aggregate has sent since counting started, by colour, and those of them that were dropped.
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

impl Aggregate {
    /// The aggregate of a rule of a plan, with full buckets. What it knows it reports in the `exchange`.
    pub fn new(
        plan: &ConditionerPlan,
        index: usize,
        tokens: Tokens,
        exchange: &mut Exchange,
        stream: &mut Stream,
    ) -> Self {
        let (rule, flows) = (&plan.config.rules[index], &plan.known[index]);
        Aggregate {
            members: plan.members[index].clone(),
            code_points: if rule.dscp.is_empty() { u64::MAX } else { bits(&rule.dscp) },
            colouring: Colouring::new(rule, &plan.keys, tokens, stream),
            payload_only: rule.count == MeteredBytes::Payload,
            treatments: [rule.if_green, rule.if_yellow, rule.if_red],
            known: (!flows.is_empty()).then(|| Box::new(Known::new(rule, plan, flows, exchange))),
            small_window: rule.small_window.as_ref().map(|small| SmallWindow::new(small, committed(rule))),
            counts: AggregateCounts::default(),
        }
    }

    /// Returns whether a packet of this code point belongs to the aggregate.
    pub fn fits(&self, flow: FlowId, dscp: u8) -> bool {
        self.members.contains(flow) && self.code_points >> dscp & 1 == 1
    }

    /// Decides the treatment of a packet of the aggregate by its colour; `headers` bytes of it are headers.
    pub fn treat(
        &mut self,
        now: Time,
        (packet, flow): (&Packet, FlowId),
        headers: u16,
        stream: &mut Stream,
        counting: bool,
    ) -> Option<Treatment> {
        let bytes = if self.payload_only { packet.size.saturating_sub(headers) } else { packet.size };
        let metered = self.colour(now, (packet, flow), bytes, stream);
        let colour = self.protect(metered, now, (packet, flow), bytes);
        let treatment = self.treatments[colour as usize];
        if counting {
            self.counts.packets_protected += u64::from(colour < metered);
            self.counts.packets[colour as usize] += 1;
            self.counts.bytes[colour as usize] += u64::from(packet.size);
            let dropped = treatment == Some(Treatment::Other(OtherTreatment::Drop));
            self.counts.packets_dropped += u64::from(dropped);
        }
        treatment
    }

    /// Takes in a packet that passes with the word of its sender, and what others tell, where more than sizes is known.
    pub fn learn(
        &mut self,
        now: Time,
        (packet, flow): (&Packet, FlowId),
        state: &SenderState,
        exchange: &mut Exchange,
    ) {
        if let Some(known) = &mut self.known {
            known.learn(now, packet, flow, state, exchange);
        }
    }

    /// An ACK has left the far end of the link, and reaches this one at `at`.
    pub fn ack_comes(&mut self, at: Time, flow: u32, next: u32) {
        if let Some(known) = &mut self.known {
            known.knowledge.ack_comes(at, flow, next);
        }
    }

    /// State of the meter.
    pub fn state(&self) -> MeterState {
        self.colouring.meter().map_or(MeterState::default(), AnyMeter::state)
    }

    /// The colour of a packet of which so many bytes count.
    fn colour(
        &mut self,
        now: Time,
        (packet, flow): (&Packet, FlowId),
        bytes: u16,
        stream: &mut Stream,
    ) -> Colour {
        let arriving = self.arriving_colour(packet.dscp());
        match &mut self.colouring {
            Colouring::None => Colour::Green,
            Colouring::Meter(meter) => {
                let around = self.known.as_ref().map_or(Surroundings::default(), |known| known.around);
                meter.colour(now.secs(), f64::from(bytes), arriving, &around, || stream.uniform())
            }
            Colouring::Own(own) => own.colour(now, (packet, flow), bytes, arriving, stream),
        }
    }

    /// The colour of a packet that its meter has given this one, and of which so many bytes count. ACKs are not protected,
    /// but pay for what is.
    fn protect(
        &mut self,
        colour: Colour,
        now: Time,
        (packet, flow): (&Packet, FlowId),
        bytes: u16,
    ) -> Colour {
        let (Some(small), Some(known)) = (&mut self.small_window, &self.known) else {
            return colour;
        };
        let window = if packet.is_ack() { f64::NAN } else { known.knowledge.window(flow.flow()) };
        small.colour(now.secs(), f64::from(bytes), colour, window)
    }

    /// Knowledge at `now` as a row, without the number of the port; none if the meter goes by sizes alone.
    pub fn row(&self, now: Time, rule: i32) -> Option<EdgeRow> {
        let known = self.known.as_ref()?;
        let (mut rate, mut red_part) = (f64::NAN, f64::NAN);
        if let Some(meter) = self.colouring.meter() {
            rate = meter.state().rate.map_or(f64::NAN, |rate| 8.0 * rate);
            red_part = meter.red_part(&known.around).unwrap_or(f64::NAN);
        }
        let [[rtt, rto, window], [rtt_told, rto_told, window_told]] = known.knowledge.inferred_and_reported();
        let view = &known.around.own;
        let (loss, acked_rate) = (view.loss, 8.0 * (view.excess + known.cir));
        let time = now.secs();
        Some(EdgeRow {
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
        })
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
    fn new(
        rule: &scenario::Rule,
        plan: &ConditionerPlan,
        flows: &[(u32, u16)],
        exchange: &mut Exchange,
    ) -> Self {
        let config = &plan.config.knowledge;
        Known {
            knowledge: Knowledge::new(config, flows),
            number: exchange.join(config.exchange_interval, config.exchange_delay),
            cir: committed(rule),
            around: Surroundings::default(),
        }
    }

    /// Takes in a packet that passes, and what others tell.
    fn learn(
        &mut self,
        now: Time,
        packet: &Packet,
        flow: FlowId,
        state: &SenderState,
        exchange: &mut Exchange,
    ) {
        self.knowledge.catch_up(now);
        if !packet.is_ack() {
            self.knowledge.data_pass(now, flow.flow(), packet, state);
        }
        let own = self.knowledge.view(now, self.cir);
        exchange.report(self.number, now, &own);
        self.around = exchange.around(self.number, now, own);
    }
}

/// A rule's committed rate in bytes/s.
fn committed(rule: &scenario::Rule) -> f64 {
    rule.meter.as_ref().and_then(Meter::native).map_or(0.0, |meter| meter.cir() / 8.0)
}

/// Code points as bits.
fn bits(code_points: &[u8]) -> u64 {
    code_points.iter().fold(0, |bits, dscp| bits | 1 << dscp)
}
