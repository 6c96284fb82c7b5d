//! The profiles of Linux: what its TCP does by default, and since which version.

use crate::control::{cubic, Control};
use crate::scenario::{IdleRestart, ReduceFrom, RttSampling};
use crate::transport::receive_buffer::BufferRules;
use crate::transport::TcpOptions;
use crate::units::Time;
use parshall_estimators::rto::{RtoConfig, RtoRules};

impl BufferRules {
    /// `tcp_rmem` of Linux 7.3.
    pub const LINUX: Self = BufferRules { first: 131_072, most: 33_554_432, cushion: false, half: false };
}

impl TcpOptions {
    /// Linux 6.12: a receive buffer may grow to a fifth of what it may since 6.16, with sixteen packets to spare.
    pub fn linux_6_12() -> Self {
        let buffer = BufferRules { most: 6_291_456, cushion: true, ..BufferRules::LINUX };
        TcpOptions { receive_buffer: Some(buffer), ..Self::linux() }
    }

    /// Linux 6.1: the timeout of a SYN doubles from the first one on, until 6.5; half of a receive buffer is advertised, until
    /// 6.6.
    pub fn linux_6_1() -> Self {
        let newer = Self::linux_6_12();
        let buffer = newer.receive_buffer.map(|rules| BufferRules { half: true, ..rules });
        TcpOptions { receive_buffer: buffer, linear_syns: 0, ..newer }
    }

    /// Linux 7.3, as far as it is known to differ from the RFCs and these options tell it.
    pub fn linux() -> Self {
        TcpOptions {
            // TCP_DELACK_MIN
            delayed_ack: Some(Time::from_ps(40_000_000_000)),
            // CONFIG_DEFAULT_TCP_CONG
            control: Control::Cubic(cubic::Config::default().linux()),
            // tcp_rmem
            receive_buffer: Some(BufferRules::LINUX),
            // tcp_init_transfer()
            spare_syns: 1,
            handshake_keeps_ssthresh: true,
            // tcp_syn_linear_timeouts
            linear_syns: 4,
            // tcp_rtt_estimator()
            rto: RtoConfig::linux(0.2),
            // TCP_RTO_MIN, TCP_RTO_MAX
            rto_rules: RtoRules { min_s: 0.2, max_s: 120.0, ..RtoRules::default() },
            // CONFIG_HZ_250
            timer_wheel: true,
            // tcp_cwnd_restart()
            idle_restart: IdleRestart::Halving,
            // tcp_reno_ssthresh(), and that of others: what is in flight besides does not count.
            reduce_from: ReduceFrom::Window,
            // snd_ssthresh is a number of packets.
            integer_ssthresh: true,
            // tcp_enter_loss()
            reduction_covers_timeout: true,
            // tcp_cwnd_reduction()
            // [RFC 9937 5-a] [RFC 8985 9.3-b]
            prr: true,
            // TCP_RACK_LOSS_DETECTION
            rack: true,
            // tcp_try_undo_loss(), tcp_try_undo_partial()
            eifel: true,
            // tcp_process_loss()
            frto: true,
            // sysctl_tcp_dsack, tcp_try_undo_dsack()
            dsack: true,
            // Every ACK of new data is a sample: time stamps, or the time at which each packet was sent.
            rtt_sampling: RttSampling::Timestamps,
            // tcp_slow_start() adds what is acknowledged, however much an ACK covers.
            slow_start_counts_packets: true,
            // tcp_is_cwnd_limited()
            growth_by_usage: true,
            // tcp_schedule_loss_probe() asks tcp_rto_delta_us().
            probe_by_oldest: true,
            // tcp_update_skb_after_send() paces from the tenth packet of data on.
            unpaced_packets: 9,
            pacing_credit: true,
            ..Self::rfc()
        }
    }
}
