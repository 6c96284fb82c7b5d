//! Options of TCP, wherever it has a choice. A profile fixes every option; a scenario may change each.
//!
//! The profiles `rfc` and `ns2` side by side are the list of what ns-2.35 does differently from the RFCs; `linux` has those
//! of Linux.

mod linux;

use super::receive_buffer::BufferRules;
use crate::control::Control;
use crate::scenario::{
    BackoffReset, FastRetransmitGuard, IdleRestart, PartialAckTimer, ProfileName, RecoveryName, ReduceFrom,
    RttSampling, Tcp,
};
use crate::units::Time;
use parshall_estimators::rto::{RtoConfig, RtoRules};

/// Method by which a sender with SACK counts packets in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackPipe {
    /// From the scoreboard (RFC 6675, section 4, SetPipe).
    Rfc6675,
    /// One up for each packet, one down for each ACK (ns-2).
    Sack1,
}

/// Every option of a TCP flow.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpOptions {
    /// Bytes of a data packet on the wire.
    pub data_bytes: u16,
    /// Bytes of a SYN.
    pub syn_bytes: u16,
    /// Bytes of an ACK.
    pub ack_bytes: u16,
    /// Payload of a data packet.
    pub payload_bytes: u32,
    /// Method of loss recovery.
    pub recovery: RecoveryName,
    /// Estimator of the RTO.
    pub rto: RtoConfig,
    /// Longest delay of an ACK; none sends each at once.
    pub delayed_ack: Option<Time>,
    /// Packets of data at the start of a flow that are acknowledged each at once.
    pub quick_acks: u32,
    /// Buffer whose growth decides which packets are acknowledged at once; none if `quick_acks` does.
    pub receive_buffer: Option<BufferRules>,
    /// Congestion control.
    pub control: Control,
    /// True if packets can be marked.
    pub ecn: bool,
    /// True if ACKs report marks packet by packet (RFC 8257, section 3.2), and not until the sender has
    /// answered.
    pub exact_echo: bool,
    /// True if packets are spread over the round trip.
    pub pacing: bool,
    /// True if ACKs report packets received beyond a gap (RFC 2018).
    pub sack: bool,
    /// Method by which a sender with SACK counts packets in flight.
    pub sack_pipe: SackPipe,
    /// SACK: whether the window comes down by proportional rate reduction (RFC 9937).
    pub prr: bool,
    /// SACK: whether losses are told by time (RACK-TLP, RFC 8985).
    pub rack: bool,
    /// True if a reduction is undone when an ACK answers what was sent before anything was sent again (Eifel,
    /// RFC 3522 and 4015). The receiver goes by time stamps then: the ACK of a packet that has come before
    /// echoes the last one in order (RFC 7323, section 4.3).
    pub eifel: bool,
    /// New data goes on the first ACK after a timeout, and what is acknowledged then tells if that was needless (F-RTO, RFC 5682).
    pub frto: bool,
    /// SACK: whether receivers report what has come twice (RFC 2883), and senders undo a reduction by it (RFC 3708) and let
    /// reordering take longer (RFC 8985).
    pub dsack: bool,
    /// Vegas: whether the times at which packets were sent stand in a ring of as many places as the window has
    /// packets, with ns-2's slips in keeping it.
    pub vegas_ring: bool,
    /// True if a second copy of the last packet received in order may wait for the delayed-ACK timer.
    pub delay_repeated: bool,
    /// Packets sent before the first ACK.
    pub initial_window: f64,
    /// The receiver's window, in packets.
    pub max_window: f64,
    /// Window at which slow start ends before the first loss, in packets.
    pub initial_ssthresh: f64,
    /// True if packet 0 is a SYN.
    pub handshake: bool,
    /// RFC 3042.
    pub limited_transmit: bool,
    /// Duplicate ACKs that mean a loss.
    pub dupack_threshold: u32,
    /// First, least and greatest RTO, and the granularity of the clock.
    pub rto_rules: RtoRules,
    /// The timer is never set to less than this, whatever the RTO.
    pub least_timeout: Time,
    /// True if timers expire as late as those of Linux.
    pub timer_wheel: bool,
    /// Granularity of the clock.
    pub clock_tick: Time,
    /// Phase of the clock at the start of the run.
    pub clock_phase: Option<Time>,
    /// Quantity that a loss halves.
    pub reduce_from: ReduceFrom,
    /// Least cwnd that a halving leaves, in packets.
    pub least_window: f64,
    /// True if ssthresh is a whole number.
    pub integer_ssthresh: bool,
    /// True if a second timeout of the same packet leaves ssthresh alone (RFC 5681, section 3.1).
    pub repeat_keeps_ssthresh: bool,
    /// True if a timeout leaves ssthresh alone while a loss or a mark is answered that has reduced it
    /// already.
    pub reduction_covers_timeout: bool,
    /// Packets that are timed.
    pub rtt_sampling: RttSampling,
    /// SYNs that may be lost before the initial window is one packet (RFC 6928, section 2).
    pub spare_syns: u32,
    /// SYNs that are sent again after the same timeout, before it doubles.
    pub linear_syns: u32,
    /// True if ssthresh is as at the start after a handshake, whatever was lost in it.
    pub handshake_keeps_ssthresh: bool,
    /// Least RTO, in seconds, for data behind a SYN that had to be sent again (RFC 6298, section 5.7).
    pub rto_after_lost_syn: Option<f64>,
    /// Event that ends backoff.
    pub backoff_reset: BackoffReset,
    /// Effect of idleness.
    pub idle_restart: IdleRestart,
    /// True if the timer runs on when nothing is in flight.
    pub idle_timer: bool,
    /// True if duplicate ACKs may start a fast retransmit with nothing in flight (not so in RFC 5681, section
    /// 2).
    pub idle_dupacks: bool,
    /// Condition for a further fast retransmit.
    pub fast_retransmit_guard: FastRetransmitGuard,
    /// NewReno's timer.
    pub partial_ack_timer: PartialAckTimer,
    /// NewReno: most packets sent on one ACK during recovery.
    pub recovery_burst: u32,
    /// True if cwnd grows only when it limits the sender.
    pub grow_when_limited: bool,
    /// Packets in flight in a round trip tell if cwnd limits the sender, not those when an ACK comes.
    pub growth_by_usage: bool,
    /// RACK: whether a probe comes no later than an RTO after the oldest packet was sent, once new data has followed it.
    pub probe_by_oldest: bool,
    /// RACK: how long the ACK of a lone packet may wait before a probe asks for it (RFC 8985, section 7.2).
    pub most_ack_delay: Time,
    /// Packets of data that leave before pacing begins.
    pub unpaced_packets: u32,
    /// True if a packet that pacing lets leave late makes up for a part of that.
    pub pacing_credit: bool,
    /// True if congestion avoidance counts packets, not ACKs.
    pub count_acked_packets: bool,
    /// True if slow start counts packets, whatever their number (RFC 3465 without its limit).
    pub slow_start_counts_packets: bool,
    /// True if recovery ends at ssthresh.
    pub deflate_to_ssthresh: bool,
    /// True if a timeout clears the count of duplicate ACKs.
    pub timeout_clears_dupacks: bool,
}

/// Options that a scenario names as they are named here: each is the profile's unless the scenario says otherwise.
macro_rules! plain_options {
    ($($option:ident,)*) => {
        impl TcpOptions {
            /// These options, as a scenario sets them.
            fn with_plain(self, tcp: &Tcp) -> Self {
                TcpOptions { $($option: tcp.$option.unwrap_or(self.$option),)* ..self }
            }

            /// A scenario that sets each of them.
            pub(super) fn plain(&self) -> Tcp {
                Tcp { $($option: Some(self.$option),)* ..Tcp::default() }
            }
        }
    };
}

plain_options! {
    recovery,
    quick_acks,
    handshake,
    limited_transmit,
    dupack_threshold,
    clock_tick,
    timer_wheel,
    prr,
    rack,
    eifel,
    frto,
    dsack,
    reduce_from,
    integer_ssthresh,
    rtt_sampling,
    backoff_reset,
    idle_restart,
    fast_retransmit_guard,
    partial_ack_timer,
    grow_when_limited,
    count_acked_packets,
    slow_start_counts_packets,
    deflate_to_ssthresh,
    timeout_clears_dupacks,
}

impl TcpOptions {
    /// The RFCs: 5681, 6298, 6675, 6928, 3042 and 9293; 6582 for a sender without SACK.
    pub fn rfc() -> Self {
        TcpOptions {
            data_bytes: 1040,
            syn_bytes: 40,
            ack_bytes: 40,
            payload_bytes: 1000,
            // [RFC 5681 4.3-f]
            recovery: RecoveryName::Sack,
            rto: RtoConfig::default(),
            // [RFC 5681 4.2-a] [RFC 5681 4.2-c]
            delayed_ack: Some(Time::from_ps(100_000_000_000)),
            quick_acks: 0,
            receive_buffer: None,
            control: Control::default(),
            ecn: false,
            exact_echo: false,
            pacing: false,
            sack: true,
            sack_pipe: SackPipe::Rfc6675,
            prr: false,
            rack: false,
            eifel: false,
            frto: false,
            dsack: false,
            vegas_ring: false,
            delay_repeated: false,
            initial_window: 10.0,
            max_window: f64::from(1u32 << 20),
            // [RFC 5681 3.1-f]
            initial_ssthresh: f64::INFINITY,
            handshake: true,
            limited_transmit: true,
            dupack_threshold: 3,
            rto_rules: RtoRules::default(),
            least_timeout: Time::ZERO,
            timer_wheel: false,
            clock_tick: Time::ZERO,
            clock_phase: None,
            reduce_from: ReduceFrom::Flight,
            least_window: 1.0,
            integer_ssthresh: false,
            repeat_keeps_ssthresh: true,
            reduction_covers_timeout: false,
            rtt_sampling: RttSampling::OnePacket,
            spare_syns: 0,
            linear_syns: 0,
            handshake_keeps_ssthresh: false,
            rto_after_lost_syn: Some(3.0),
            backoff_reset: BackoffReset::Sample,
            idle_restart: IdleRestart::OnSend,
            idle_timer: false,
            idle_dupacks: false,
            fast_retransmit_guard: FastRetransmitGuard::Recover,
            partial_ack_timer: PartialAckTimer::First,
            recovery_burst: u32::MAX,
            grow_when_limited: true,
            growth_by_usage: false,
            probe_by_oldest: false,
            most_ack_delay: Time::from_ps(200_000_000_000),
            unpaced_packets: 0,
            pacing_credit: false,
            count_acked_packets: true,
            slow_start_counts_packets: false,
            deflate_to_ssthresh: true,
            timeout_clears_dupacks: true,
        }
    }

    /// ns-2.35 with its default settings.
    pub fn ns2() -> Self {
        let tick = Time::from_ps(10_000_000_000);
        TcpOptions {
            recovery: RecoveryName::Newreno,
            sack: false,
            // ns-2 keeps srtt and rttvar as scaled integers of clock ticks.
            rto: RtoConfig::JacobsonTicks { tick: tick.secs() },
            // Agent/TCPSink acknowledges every packet.
            delayed_ack: None,
            // Agent/TCPSink/DelAck tests only whether the packet is the last one in order.
            delay_repeated: true,
            // v_sendtime_ and v_transmits_, see `recovery/vegas.rs`.
            vegas_ring: true,
            // Agent/TCP/Sack1 counts its pipe down by ACKs.
            sack_pipe: SackPipe::Sack1,
            // windowInit_
            initial_window: 2.0,
            // window_
            max_window: 20.0,
            // ssthresh starts at the window, see `resolve`.
            initial_ssthresh: f64::INFINITY,
            // rtxcur_init_, minrto_, maxrto_
            rto_rules: RtoRules::ns2(),
            // tcpTick_; the phase is random.
            clock_tick: tick,
            // slowdown() works on the window, not on what is in flight.
            reduce_from: ReduceFrom::Window,
            // slowdown() lets half of one packet be half a packet.
            least_window: 0.0,
            // ssthresh_ is an int.
            integer_ssthresh: true,
            // slowdown() is the same for every timeout.
            repeat_keeps_ssthresh: false,
            // The initial value of rtxcur_ is 3 s already.
            rto_after_lost_syn: None,
            // slow_start_restart_ with restart_bugfix_.
            idle_restart: IdleRestart::OnTimer,
            // newtimer() cancels nothing while there is a next packet to send, and there always is one.
            idle_timer: true,
            // dupack_action() does not look at what is in flight.
            idle_dupacks: true,
            // bugfix_ss_
            fast_retransmit_guard: FastRetransmitGuard::RecoverOrFirst,
            // send_much(0, 0, 2) in NewReno's recv().
            recovery_burst: 2,
            // opencwnd() runs on every new ACK, whatever the window is used for.
            grow_when_limited: false,
            // windowOption_ 1: 1/cwnd an ACK.
            count_acked_packets: false,
            // exit_recovery_fix_ 0: cwnd keeps its value, and that ACK opens it.
            deflate_to_ssthresh: false,
            // Only Tahoe's timeout() leaves dupacks_ alone, see `resolve`.
            ..Self::rfc()
        }
    }

    /// Packets below this are acknowledged at once: the first of all, which may be a SYN, and the first of data.
    #[inline]
    pub fn delays_from(&self) -> u32 {
        self.quick_acks.saturating_add(u32::from(self.handshake)).max(1)
    }

    /// Returns whether a clock, and not ACKs alone, lets packets go.
    pub fn paced(&self) -> bool {
        self.pacing || self.control.paced()
    }

    /// The options of a flow: its profile, changed as it says.
    pub fn resolve(tcp: &Tcp) -> Self {
        let base = match tcp.profile {
            ProfileName::Rfc => Self::rfc(),
            ProfileName::Linux | ProfileName::Linux73 => Self::linux(),
            ProfileName::Linux612 => Self::linux_6_12(),
            ProfileName::Linux61 => Self::linux_6_1(),
            ProfileName::Ns2 => Self::ns2(),
        }
        .with_plain(tcp);
        let ns2 = tcp.profile == ProfileName::Ns2;
        let recovery = base.recovery;
        let sack = recovery == RecoveryName::Sack;
        let control = control_of(tcp, recovery);
        let max_window = tcp.max_window_packets.map_or(base.max_window, f64::from);
        let clock_tick = base.clock_tick;
        let min_rto_s = tcp.min_rto.map_or(base.rto_rules.min_s, Time::secs);
        let rto = match (&tcp.rto, &base.rto) {
            (Some(config), _) => config.clone(),
            // The filter of the profile counts the flow's own ticks.
            (None, RtoConfig::JacobsonTicks { .. }) if clock_tick > Time::ZERO => {
                RtoConfig::JacobsonTicks { tick: clock_tick.secs() }
            }
            (None, RtoConfig::JacobsonTicks { .. }) => RtoConfig::default(),
            (None, RtoConfig::Linux { .. }) => RtoConfig::linux(min_rto_s),
            (None, config) => config.clone(),
        };
        let receive_buffer = match (tcp.receive_buffer, tcp.quick_acks) {
            (Some(bytes), _) => {
                let rules = base.receive_buffer.unwrap_or(BufferRules::LINUX);
                Some(BufferRules { first: u64::from(bytes), ..rules })
            }
            (None, Some(_)) => None,
            (None, None) => base.receive_buffer,
        };
        let delayed_ack = match tcp.delayed_ack {
            Some(false) => None,
            Some(true) => tcp.delayed_ack_timer.or(base.delayed_ack).or(Self::rfc().delayed_ack),
            None => base.delayed_ack.map(|timer| tcp.delayed_ack_timer.unwrap_or(timer)),
        };
        let initial_ssthresh = match tcp.initial_ssthresh_packets {
            Some(packets) => packets,
            None if ns2 => max_window,
            None => base.initial_ssthresh,
        };
        // In tcp_set_rto() the least RTO is the least of what is added to the smoothed round trip.
        let linux = tcp.profile.is_linux();
        let least_margin_s = if linux { min_rto_s } else { 0.0 };
        let keeps_dupacks = ns2 && recovery == RecoveryName::Tahoe;
        let data_bytes = (tcp.payload_bytes + tcp.header_bytes) as u16;
        // VegasTcpAgent::output() knows of no SYN: packet 0 is as large as any.
        let small_syn = !(ns2 && recovery == RecoveryName::Vegas);
        TcpOptions {
            data_bytes,
            syn_bytes: if small_syn { tcp.header_bytes as u16 } else { data_bytes },
            ack_bytes: tcp.ack_bytes as u16,
            payload_bytes: tcp.payload_bytes,
            rto,
            delayed_ack,
            receive_buffer,
            exact_echo: control.exact_echo(),
            control,
            ecn: tcp.ecn,
            pacing: tcp.pacing,
            sack,
            initial_window: tcp.initial_window_packets.unwrap_or(base.initial_window),
            max_window,
            initial_ssthresh,
            rto_rules: RtoRules {
                initial_s: tcp.initial_rto.map_or(base.rto_rules.initial_s, Time::secs),
                min_s: min_rto_s,
                max_s: tcp.max_rto.map_or(base.rto_rules.max_s, Time::secs),
                granularity_s: clock_tick.secs().max(least_margin_s),
            },
            // tcp_schedule_loss_probe() allows the least RTO.
            most_ack_delay: if linux { Time::from_secs(min_rto_s) } else { base.most_ack_delay },
            // rtt_timeout() raises anything less.
            least_timeout: if ns2 { clock_tick + clock_tick } else { base.least_timeout },
            clock_phase: tcp.clock_phase.or(base.clock_phase),
            // Losses told by time leave what may be sent to it (RFC 8985, section 9.3).
            prr: sack && tcp.prr.unwrap_or(base.prr || (tcp.rack == Some(true) && !ns2)),
            rack: sack && base.rack,
            frto: base.frto && recovery != RecoveryName::Vegas,
            dsack: sack && base.dsack,
            idle_timer: match tcp.idle_restart {
                Some(IdleRestart::OnTimer) => true,
                Some(IdleRestart::OnSend | IdleRestart::Halving) => false,
                _ => base.idle_timer,
            },
            // Below one packet only a timer that goes on with nothing in flight lets a sender send again
            // (RFC 3168, section 6.1.2).
            least_window: match base.idle_restart {
                IdleRestart::OnTimer => base.least_window,
                _ => base.least_window.max(1.0),
            },
            timeout_clears_dupacks: tcp.timeout_clears_dupacks.unwrap_or(!keeps_dupacks),
            ..base
        }
    }
}

/// The control of a flow. In Linux it is Linux's, and CUBIC where none is named. The recovery `vegas` has a window of its own.
fn control_of(tcp: &Tcp, recovery: RecoveryName) -> Control {
    if !tcp.profile.is_linux() {
        return tcp.control.clone().unwrap_or_default();
    }
    match &tcp.control {
        Some(Control::Cubic(config)) => Control::Cubic(config.linux()),
        Some(Control::Bbr(config)) => Control::Bbr(config.linux()),
        Some(other) => other.clone(),
        None if recovery == RecoveryName::Vegas => Control::default(),
        None => TcpOptions::linux().control,
    }
}
