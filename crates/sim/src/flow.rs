//! A flow while it runs: the ends of its transport, its source, what it has counted.

use std::mem::{offset_of, size_of};
use std::sync::Arc;

use crate::compile::FlowPlan;
use crate::memory::prefetch_part;
use crate::outside::Protocol;
use crate::random::Stream;
use crate::record::{FlowFacts, FlowFrame, FlowRow, TcpFacts};
use crate::scenario::{self, App, RttSampling, Transport};
use crate::traffic::Source;
use crate::transport::{SenderCounters, TcpOptions, TcpReceiver, TcpSender};
use crate::units::Time;

/// The sending end of a flow's transport, in place: a pointer would be one more line to wait for.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)]
pub(crate) enum SendingEnd {
    Tcp(TcpSender),
    Udp(UdpSender),
}

/// The receiving end.
#[derive(Clone, Debug)]
pub(crate) enum ReceivingEnd {
    Tcp(TcpReceiver),
    Udp(UdpReceiver),
}

/// A UDP flow's sender.
#[derive(Clone, Debug)]
pub(crate) struct UdpSender {
    pub sent: u64,
    pub payload_bytes: u32,
    /// Packets sent before the end of the warm-up.
    pub sent_before: u64,
    /// Time of the source's next write, if it writes ahead; see [`FlowPlan::writes_ahead`].
    pub next_write: Time,
    /// Packets of a feeding flow on their way to the first port that others use too.
    pub under_way: u32,
    /// Bytes of its packets on the wire, in turn; empty if all are alike.
    pub sizes: Box<[u16]>,
}

/// A UDP flow's receiver.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UdpReceiver {
    pub packets: u64,
    /// Bytes on the wire since the warm-up.
    pub bytes: u64,
    /// For a flow whose ends belong to the caller, what it counts as.
    pub outside: Option<Protocol>,
}

/// A flow with its state. With very many flows an event costs about as much as it touches cache lines, so what an
/// arrival at the receiver touches comes first, in two lines, and what an ACK touches follows in six.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Flow {
    pub receiver: ReceivingEnd,
    /// Packets received since the warm-up.
    pub received: u64,
    /// The earliest event of the receiver's timer that waits; [`Time::NEVER`] for none.
    pub receiver_event: Time,
    /// Packets handed over by the application since the warm-up.
    pub offered: u64,
    /// Packets of data that were delivered in connections that are over.
    pub delivered_earlier: u64,
    pub ack_hops: u32,
    pub dropped: u32,
    pub acks_dropped: u32,
    pub ack_bytes: u16,
    /// See [`FlowPlan::writes_ahead`].
    pub writes_ahead: bool,
    _the_sender_starts_a_line: [CacheLine; 0],
    pub sender: SendingEnd,
    /// The earliest event of the sender's timer that waits; [`Time::NEVER`] for none.
    pub sender_event: Time,
    /// Time of the pending pacing event.
    pub pace_event: Time,
    /// Bytes sent since the warm-up.
    pub bytes_sent: u64,
    /// Time at which all that the application had handed over was acknowledged first; [`Time::NEVER`] until then.
    pub completed_at: Time,
    pub data_hops: u32,
    pub data_bytes: u16,
    /// ACKs that the sender might have dealt with ahead of time, and which are on their way to it instead.
    pub acks_under_way: u16,
}

/// Marks the start of a cache line: the fields after it start one.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct CacheLine;

#[cfg(target_pointer_width = "64")]
const _: () = assert!(
    offset_of!(Flow, sender) == 128 && size_of::<Flow>() <= 512,
    "a flow is two cache lines and six; see docs/performance.md for what more would cost"
);

/// Counters of a flow that start anew at the end of the warm-up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    pub sender: SenderCounters,
    /// Packets of an endless supply that have been sent.
    pub supplied: u64,
}

impl Flow {
    /// A flow that has sent nothing, its source, and when that writes first. The run ends at `duration`.
    pub fn new(asked: &scenario::Flow, plan: &FlowPlan, duration: Time, seed: u64) -> (Self, Source, Time) {
        let payload_bytes = asked.transport.payload_bytes();
        let (source, first) = Source::new(asked, payload_bytes, duration, seed);
        let (sender, receiver) = match (&asked.transport, &plan.tcp) {
            (Transport::Tcp(_), Some(options)) => (
                SendingEnd::Tcp(TcpSender::new(
                    options.clone(),
                    clock_phase(options, seed, &asked.name),
                    seed,
                    &asked.name,
                )),
                ReceivingEnd::Tcp(TcpReceiver::new(options.clone())),
            ),
            _ => (
                SendingEnd::Udp(UdpSender {
                    sent: 0,
                    payload_bytes,
                    sent_before: 0,
                    next_write: first,
                    under_way: 0,
                    sizes: sizes(asked),
                }),
                ReceivingEnd::Udp(UdpReceiver {
                    outside: plan.outside.map(|outside| outside.protocol),
                    ..UdpReceiver::default()
                }),
            ),
        };
        let options = plan.tcp.as_deref();
        let flow = Flow {
            receiver,
            received: 0,
            receiver_event: Time::NEVER,
            offered: 0,
            delivered_earlier: 0,
            ack_hops: plan.ack_hops,
            dropped: 0,
            acks_dropped: 0,
            ack_bytes: options.map_or(0, |o| o.ack_bytes),
            writes_ahead: plan.writes_ahead,
            _the_sender_starts_a_line: [],
            sender,
            sender_event: Time::NEVER,
            pace_event: Time::NEVER,
            bytes_sent: 0,
            completed_at: Time::NEVER,
            data_hops: plan.data_hops,
            data_bytes: asked.transport.data_bytes() as u16,
            acks_under_way: 0,
        };
        (flow, source, first)
    }

    /// Starts to fetch what an ACK will touch at the sender, or data at the receiver.
    #[inline]
    pub fn prefetch_end(&self, ack: bool) {
        let sender = offset_of!(Flow, sender);
        if ack {
            prefetch_part(self, sender..size_of::<Flow>());
        } else {
            prefetch_part(self, 0..sender);
        }
    }

    /// An ACK of those under way has arrived. Once there have been too many to count, some always seem to be.
    #[inline]
    pub fn ack_arrived(&mut self) {
        self.acks_under_way -= u16::from(self.acks_under_way < u16::MAX);
    }

    /// Bytes of payload in a data packet.
    pub fn payload_bytes(&self) -> u32 {
        match &self.sender {
            SendingEnd::Tcp(tcp) => tcp.core().options.payload_bytes,
            SendingEnd::Udp(udp) => udp.payload_bytes,
        }
    }

    /// Bytes of data packet `seq` on the wire.
    #[inline]
    pub fn packet_bytes(&self, seq: u32) -> u16 {
        match &self.sender {
            SendingEnd::Tcp(tcp) if seq == 0 && tcp.core().options.handshake => tcp.core().options.syn_bytes,
            SendingEnd::Udp(udp) if !udp.sizes.is_empty() => udp.sizes[seq as usize % udp.sizes.len()],
            _ => self.data_bytes,
        }
    }

    /// Returns whether packet 0 of a connection is a SYN.
    pub fn handshake(&self) -> bool {
        matches!(&self.sender, SendingEnd::Tcp(tcp) if tcp.core().options.handshake)
    }

    pub fn frame(&self, index: u32) -> FlowFrame {
        let tcp = match &self.receiver {
            ReceivingEnd::Tcp(_) => true,
            ReceivingEnd::Udp(udp) => udp.outside == Some(Protocol::Tcp),
        };
        FlowFrame { index, tcp }
    }

    /// Facts about the flow that a capture needs.
    pub fn facts(&self) -> FlowFacts {
        let payload_bytes = self.payload_bytes();
        let tcp = match &self.sender {
            SendingEnd::Udp(_) => None,
            SendingEnd::Tcp(tcp) => {
                let options = &tcp.core().options;
                Some(TcpFacts {
                    handshake: options.handshake,
                    sack: options.sack,
                    ecn: options.ecn,
                    timestamps: options.rtt_sampling == RttSampling::Timestamps,
                    window_bytes: (options.max_window * f64::from(payload_bytes)) as u64,
                })
            }
        };
        FlowFacts {
            payload_bytes,
            header_bytes: u32::from(self.data_bytes).saturating_sub(payload_bytes),
            tcp,
        }
    }

    /// Packets of data handed to the receiving application.
    pub fn delivered(&self) -> u64 {
        match &self.receiver {
            ReceivingEnd::Tcp(tcp) => {
                self.delivered_earlier + u64::from(tcp.next()).saturating_sub(u64::from(self.handshake()))
            }
            ReceivingEnd::Udp(udp) => udp.packets,
        }
    }

    /// Packets of data that wait beyond a gap.
    pub fn held(&self) -> u64 {
        match &self.receiver {
            ReceivingEnd::Tcp(tcp) => tcp.beyond().count_within(0, i64::from(u32::MAX)) as u64,
            ReceivingEnd::Udp(_) => 0,
        }
    }

    /// Payload of so many packets that were delivered since the warm-up.
    fn bytes_delivered(&self, packets: u64) -> u64 {
        match &self.receiver {
            ReceivingEnd::Udp(udp) => {
                udp.bytes - packets * (u64::from(self.data_bytes) - u64::from(self.payload_bytes()))
            }
            ReceivingEnd::Tcp(_) => packets * u64::from(self.payload_bytes()),
        }
    }

    fn counted(&self, source: &Source) -> Counted {
        let sender = match &self.sender {
            SendingEnd::Tcp(tcp) => tcp.core().counters,
            SendingEnd::Udp(_) => SenderCounters::default(),
        };
        let supplied = match &self.sender {
            SendingEnd::Tcp(tcp) if source.is_endless() => {
                (tcp.core().max_seq + 1) as u64 - u64::from(self.handshake() && tcp.core().max_seq >= 0)
            }
            _ => 0,
        };
        Counted { sender, supplied }
    }

    /// Counters of a TCP sender before the warm-up ends. All else looks at the time as it counts, because
    /// parts of a folded network act ahead of time.
    pub fn snapshot(&self, source: &Source) -> Counted {
        match self.sender {
            SendingEnd::Tcp(_) => self.counted(source),
            SendingEnd::Udp(_) => Counted::default(),
        }
    }

    /// The flow's counters since the warm-up; `early` packets that it has delivered had arrived before.
    pub fn row(
        &self,
        index: usize,
        source: &Source,
        before: &Counted,
        early: u64,
        in_flight: u64,
    ) -> FlowRow {
        let now = self.counted(source);
        let completed = source.is_transfer() && self.completed_at < Time::NEVER;
        let (s, b) = (&now.sender, &before.sender);
        let delivered = self.delivered() - early;
        FlowRow {
            flow: index as i32,
            packets_offered: self.offered + now.supplied - before.supplied,
            packets_sent: match &self.sender {
                SendingEnd::Tcp(_) => u64::from(s.packets_sent - b.packets_sent),
                SendingEnd::Udp(udp) => udp.sent - udp.sent_before,
            },
            bytes_sent: self.bytes_sent,
            packets_retransmitted: u64::from(s.packets_retransmitted - b.packets_retransmitted),
            packets_delivered: delivered,
            bytes_delivered: self.bytes_delivered(delivered),
            packets_received: self.received,
            packets_dropped: u64::from(self.dropped),
            acks_dropped: u64::from(self.acks_dropped),
            packets_in_flight: in_flight,
            acks_received: u64::from(s.acks_received - b.acks_received),
            timeouts: u64::from(s.timeouts - b.timeouts),
            spurious_timeouts: u64::from(s.spurious_timeouts - b.spurious_timeouts),
            timeout_wait: Time::from_ps(s.timeout_wait_ps.saturating_sub(b.timeout_wait_ps)).secs(),
            fast_retransmits: u64::from(s.fast_retransmits - b.fast_retransmits),
            mark_reductions: u64::from(s.mark_reductions - b.mark_reductions),
            rtt_samples: u64::from(s.rtt_samples - b.rtt_samples),
            completed_at: if completed { self.completed_at.secs() } else { f64::NAN },
        }
    }
}

/// Bytes of a UDP flow's packets on the wire, in turn, if they differ.
fn sizes(asked: &scenario::Flow) -> Box<[u16]> {
    let (App::Schedule(schedule), Transport::Udp(udp)) = (&asked.app, &asked.transport) else {
        return Box::default();
    };
    schedule.payloads.iter().map(|payload| (payload + udp.header_bytes) as u16).collect()
}

/// The phase of a flow's clock: as asked, or drawn from the flow's own stream.
pub(crate) fn clock_phase(options: &Arc<TcpOptions>, seed: u64, flow: &str) -> Time {
    match options.clock_phase {
        Some(phase) => phase,
        None if options.clock_tick == Time::ZERO => Time::ZERO,
        None => Stream::new(seed, &format!("flow/{flow}/clock")).time_between(Time::ZERO, options.clock_tick),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Folding, Plan};
    use serde_json::json;

    #[test]
    fn acks_under_way_are_counted_until_there_are_too_many() {
        let scenario = json!({
            "duration": 1, "hosts": ["a", "b"], "links": [{"between": ["a", "b"], "rate": 1e6, "delay": 0}],
            "flows": [{"name": "f", "source": "a", "destination": "b", "transport": {"kind": "tcp"},
                       "app": {"kind": "bulk"}}],
        });
        let scenario = serde_json::from_value(scenario).expect("a well-formed scenario");
        let plan = Plan::of(scenario, Folding::On).expect("a valid scenario");
        let (mut flow, ..) = Flow::new(&plan.scenario_flows[0], &plan.flows[0], plan.duration, 1);
        for (under_way, left) in [(2, 1), (1, 0), (u16::MAX - 1, u16::MAX - 2), (u16::MAX, u16::MAX)] {
            flow.acks_under_way = under_way;
            flow.ack_arrived();
            assert_eq!(flow.acks_under_way, left);
        }
    }
}
