//! A flow while it runs: the ends of its transport, its source, what it has counted.

use std::mem::{offset_of, size_of};
use std::sync::Arc;

use crate::compile::FlowPlan;
use crate::memory::prefetch_part;
use crate::random::Stream;
use crate::record::{FlowFrame, FlowRow};
use crate::scenario::{App, Transport};
use crate::traffic::Source;
use crate::transport::{SenderCounters, TcpOptions, TcpReceiver, TcpSender};
use crate::units::Time;

/// Both ends of a flow's transport, in place: a pointer would be one more line to wait for.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub(crate) enum Endpoints {
    Tcp(TcpEnds),
    Udp(UdpEnds),
}

/// A UDP flow's sender and receiver.
#[derive(Clone, Debug)]
pub(crate) struct UdpEnds {
    pub sent: u64,
    pub received: u64,
    pub payload_bytes: u32,
    /// Packets sent before the end of the warm-up.
    pub sent_before: u64,
    /// When the source writes next, if it feeds; see [`FlowPlan::feeds`].
    pub next_write: Time,
    /// Packets of a feeding flow on their way to the first port that others use too.
    pub under_way: u32,
}

/// A TCP flow's sender and receiver.
#[derive(Clone, Debug)]
pub(crate) struct TcpEnds {
    pub sender: TcpSender,
    pub receiver: TcpReceiver,
}

/// A flow with its state.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub endpoints: Endpoints,
    pub source: Source,
    pub data_hops: u32,
    pub ack_hops: u32,
    pub data_bytes: u16,
    pub ack_bytes: u16,
    pub handshake: bool,
    pub transfer: bool,
    /// See [`FlowPlan::feeds`].
    pub feeds: bool,
    /// Whether the application never runs out of data.
    pub endless: bool,
    /// Packets handed over by the application since the warm-up.
    pub offered: u64,
    /// Packets received since the warm-up.
    pub received: u64,
    /// Bytes sent since the warm-up.
    pub bytes_sent: u64,
    pub dropped: u32,
    pub acks_dropped: u32,
    /// [`Time::NEVER`] until then.
    pub completed_at: Time,
    /// The earliest event of the sender's timer that waits; [`Time::NEVER`] for none.
    pub sender_event: Time,
    /// The same for pacing.
    pub pace_event: Time,
    /// The same for the receiver's timer.
    pub receiver_event: Time,
}

/// Counters of a flow that start anew at the end of the warm-up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    pub sender: SenderCounters,
    /// Packets of an endless supply that have been sent.
    pub supplied: u64,
}

impl Flow {
    pub fn new(plan: &FlowPlan, seed: u64) -> (Self, Time) {
        let flow = &plan.flow;
        let payload_bytes = flow.transport.payload_bytes();
        let (source, first) = Source::new(flow, payload_bytes, seed);
        let endpoints = match (&flow.transport, &plan.tcp) {
            (Transport::Tcp(tcp), Some(options)) => Endpoints::Tcp(TcpEnds {
                sender: TcpSender::new(options.clone(), tcp.recovery, clock_phase(options, seed, &flow.name)),
                receiver: TcpReceiver::new(options.clone()),
            }),
            _ => Endpoints::Udp(UdpEnds {
                sent: 0,
                received: 0,
                payload_bytes,
                sent_before: 0,
                next_write: first,
                under_way: 0,
            }),
        };
        let options = plan.tcp.as_deref();
        let flow = Flow {
            endpoints,
            source,
            data_hops: plan.data_hops,
            ack_hops: plan.ack_hops,
            data_bytes: flow.transport.data_bytes() as u16,
            ack_bytes: options.map_or(0, |o| o.ack_bytes),
            handshake: options.is_some_and(|o| o.handshake),
            transfer: matches!(flow.app, App::Transfer(_)),
            feeds: plan.feeds,
            endless: matches!(flow.app, App::Bulk {}),
            offered: 0,
            received: 0,
            bytes_sent: 0,
            dropped: 0,
            acks_dropped: 0,
            completed_at: Time::NEVER,
            sender_event: Time::NEVER,
            pace_event: Time::NEVER,
            receiver_event: Time::NEVER,
        };
        (flow, first)
    }

    /// Starts to fetch what an ACK will touch. Here and below a guess at where the compiler puts things, without
    /// a look at the flow itself: the ends of a TCP first, then the rest.
    #[inline]
    pub fn prefetch_sender(&self) {
        prefetch_part(self, offset_of!(TcpEnds, sender)..size_of::<TcpSender>());
        prefetch_part(self, size_of::<TcpEnds>()..size_of::<Flow>());
    }

    /// Starts to fetch what a data packet will touch where it is received.
    #[inline]
    pub fn prefetch_receiver(&self) {
        prefetch_part(self, offset_of!(TcpEnds, receiver)..size_of::<Flow>());
    }

    /// Bytes of payload in a data packet.
    pub fn payload_bytes(&self) -> u32 {
        match &self.endpoints {
            Endpoints::Tcp(tcp) => tcp.sender.core().options.payload_bytes,
            Endpoints::Udp(udp) => udp.payload_bytes,
        }
    }

    /// Bytes of data packet `seq` on the wire.
    #[inline]
    pub fn packet_bytes(&self, seq: u32) -> u16 {
        match &self.endpoints {
            Endpoints::Tcp(tcp) if seq == 0 && self.handshake => tcp.sender.core().options.syn_bytes,
            _ => self.data_bytes,
        }
    }

    pub fn frame(&self, index: u32) -> FlowFrame {
        FlowFrame {
            index,
            tcp: matches!(self.endpoints, Endpoints::Tcp(_)),
            handshake: self.handshake,
            payload_bytes: self.payload_bytes(),
        }
    }

    /// Packets of data handed to the receiving application.
    pub fn delivered(&self) -> u64 {
        match &self.endpoints {
            Endpoints::Tcp(tcp) => u64::from(tcp.receiver.next()).saturating_sub(u64::from(self.handshake)),
            Endpoints::Udp(udp) => udp.received,
        }
    }

    fn counted(&self) -> Counted {
        let sender = match &self.endpoints {
            Endpoints::Tcp(tcp) => tcp.sender.core().counters,
            Endpoints::Udp(_) => SenderCounters::default(),
        };
        let supplied = match &self.endpoints {
            Endpoints::Tcp(tcp) if self.endless => {
                (tcp.sender.core().max_seq + 1) as u64
                    - u64::from(self.handshake && tcp.sender.core().max_seq >= 0)
            }
            _ => 0,
        };
        Counted { sender, supplied }
    }

    /// What a TCP sender has counted before the warm-up ends. All else looks at the time as it counts, because
    /// parts of a folded network act ahead of time.
    pub fn snapshot(&self) -> Counted {
        match self.endpoints {
            Endpoints::Tcp(_) => self.counted(),
            Endpoints::Udp(_) => Counted::default(),
        }
    }

    pub fn row(&self, index: usize, before: &Counted, delivered_before: u64, in_flight: u64) -> FlowRow {
        let now = self.counted();
        let (s, b) = (&now.sender, &before.sender);
        let delivered = self.delivered() - delivered_before;
        FlowRow {
            flow: index as i32,
            packets_offered: self.offered + now.supplied - before.supplied,
            packets_sent: match &self.endpoints {
                Endpoints::Tcp(_) => u64::from(s.packets_sent - b.packets_sent),
                Endpoints::Udp(udp) => udp.sent - udp.sent_before,
            },
            bytes_sent: self.bytes_sent,
            packets_retransmitted: u64::from(s.packets_retransmitted - b.packets_retransmitted),
            packets_delivered: delivered,
            bytes_delivered: delivered * u64::from(self.payload_bytes()),
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
            completed_at: if self.completed_at == Time::NEVER { f64::NAN } else { self.completed_at.secs() },
        }
    }
}

/// The phase of a flow's clock: as asked, or drawn from the flow's own stream.
fn clock_phase(options: &Arc<TcpOptions>, seed: u64, flow: &str) -> Time {
    match options.clock_phase {
        Some(phase) => phase,
        None if options.clock_tick == Time::ZERO => Time::ZERO,
        None => Stream::new(seed, &format!("flow/{flow}/clock")).time_between(Time::ZERO, options.clock_tick),
    }
}
