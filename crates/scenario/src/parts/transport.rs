//! Transports.

use crate::part::{parts, Kinds, B, I, NONE, T};
use crate::parts::ANY_RTO;
use crate::takes::{Takes, COUNT, COUNT_OR_NONE, DURATION, FLAG, HEADER_SIZE, PACKET_SIZE, PERIOD, POSITIVE};

parts! {
    /// Reliable and congestion controlled. Recovery, retransmission timeout, window and receiver options
    /// compose. An option that is left out takes the value that its profile gives it.
    TCP: "Tcp" as "tcp" {
        /// The set of defaults: what the RFCs say today, what Linux does, or what ns-2.35 does. `linux` is the
        /// newest of the versions of Linux that have a profile. With `linux-6.1` the timeout of a SYN doubles
        /// from the first one on (until 6.5), half of the receive buffer is advertised (until 6.6), and it
        /// grows to 6 MB, with sixteen packets to spare, as with `linux-6.12` (until 6.16).
        profile: Takes::Choice(&["rfc", "linux", "linux-6.1", "linux-6.12", "linux-7.3", "ns2"]) => T("rfc"),
        /// Recovery from losses: slow start from one packet (Tahoe), fast recovery that the first new ACK
        /// ends (Reno, RFC 2581) or that lasts until all is repaired (NewReno, RFC 6582), retransmission of
        /// the packets that selective acknowledgements show to be missing (SACK: RFC 2018 and 6675; with the
        /// profile `ns2` its Sack1), or the rules of Vegas, which also has a window of its own (Brakmo and
        /// Peterson 1995). None is SACK with the profiles `rfc` and `linux`, and NewReno with `ns2`.
        recovery: Takes::Choice(&["tahoe", "reno", "newreno", "sack", "vegas"]) => NONE,
        /// Congestion control. None is Linux's CUBIC with the profile `linux`, and AIMD with
        /// others; one that is named by its kind alone is Linux's with `linux`, too. The recovery `vegas`
        /// has a window of its own, and takes nothing but its rule from here: bounds from `vegas`, the
        /// forecast from `arima-vegas`. A control of your own may stand as text, `module:Class`.
        control: Takes::Control => NONE,
        /// True if packets can be marked instead of dropped (RFC 3168); it takes a queue that marks.
        ecn: FLAG => B(false),
        /// True if packets are spread over the round trip instead of sent as ACKs let them go.
        pacing: FLAG => B(false),
        /// Estimator of the retransmission timeout.
        rto: Takes::OneOf(&ANY_RTO) => NONE,
        /// Payload of a full segment. No profile changes it: Linux sends 1448 bytes over Ethernet.
        payload_bytes: PACKET_SIZE => I(1000),
        /// Headers of a data packet. With a handshake, packet 0 is a SYN of this size.
        header_bytes: PACKET_SIZE => I(40),
        /// An acknowledgement on the wire.
        ack_bytes: PACKET_SIZE => I(40),
        /// Acknowledge every second packet, or when the timer expires.
        delayed_ack: FLAG => NONE,
        /// Longest wait of an acknowledgement.
        delayed_ack_timer: PERIOD => NONE,
        /// Number of packets of data at the start that are acknowledged one by one; 0 for none. With the
        /// profile `linux` the receive buffer decides, unless this is given.
        quick_acks: COUNT_OR_NONE => NONE,
        /// Bytes of the receive buffer at the start: the middle value of Linux's `tcp_rmem`. The receiver
        /// acknowledges packets one by one while its window grows (Linux's quick ACKs). The window never
        /// limits the sender; `max_window_packets` does. Excludes `quick_acks`.
        receive_buffer: COUNT => NONE,
        /// Packets sent before the first acknowledgement.
        initial_window_packets: POSITIVE => NONE,
        /// The receiver's window.
        max_window_packets: COUNT => NONE,
        /// Where slow start first ends; none means at the receiver's window.
        initial_ssthresh_packets: POSITIVE => NONE,
        /// True if packet 0 is a SYN, and data waits for its acknowledgement. With profile and recovery of
        /// ns-2's Vegas it is as large as any packet, and the initial window waits for the ACK after its own.
        handshake: FLAG => NONE,
        /// A new packet on each of the first two duplicate ACKs (RFC 3042).
        limited_transmit: FLAG => NONE,
        /// Duplicate ACKs that mean a loss.
        dupack_threshold: COUNT => NONE,
        /// RTO before the first sample.
        initial_rto: PERIOD => NONE,
        /// Least RTO, before backoff.
        min_rto: PERIOD => NONE,
        /// Greatest RTO, after backoff (Linux: `tcp_rto_max_ms`, since 6.15).
        max_rto: PERIOD => NONE,
        /// Granularity of the sender's clock; 0 is an exact clock.
        clock_tick: DURATION => NONE,
        /// Where in a tick the run starts; none draws it at random.
        clock_phase: DURATION => NONE,
        /// True if timers of the sender expire as late as those of Linux, whose clock ticks each 4 ms and which
        /// keeps timers of 252 ms and more in buckets of 32 ms, those of two seconds in buckets of 256 ms.
        timer_wheel: FLAG => NONE,
        /// SACK: proportional rate reduction (RFC 9937), by which the window comes down evenly over a
        /// recovery instead of at once.
        prr: FLAG => NONE,
        /// SACK: losses are told by time, and a probe finds those at the end (RACK-TLP, RFC 8985).
        rack: FLAG => NONE,
        /// True if a reduction of the window is undone when an ACK of new data answers a packet that was sent
        /// before anything was sent again, as the time stamp tells: a timeout came too early, or packets were
        /// overtaken (Eifel, RFC 3522 and 4015; Linux).
        eifel: FLAG => NONE,
        /// Sends new data on the first ACK after a timeout, in place of what counts as lost. If the next
        /// one acknowledges what was sent before the timeout, and once, that was needless and is undone,
        /// without time stamps (F-RTO, RFC 5682; Linux).
        frto: FLAG => NONE,
        /// SACK: whether receivers report packets that have come twice (RFC 2883). The sender undoes a
        /// reduction when all that it sent again has (RFC 3708; Linux), and RACK lets reordering take
        /// longer (RFC 8985).
        dsack: FLAG => NONE,
        /// Quantity that a loss halves: the packets in flight (RFC 5681, equation 4), or the smaller of cwnd
        /// and the receiver's window (ns-2).
        reduce_from: Takes::Choice(&["flight", "window"]) => NONE,
        /// True if ssthresh is rounded down to a whole number.
        integer_ssthresh: FLAG => NONE,
        /// Which packets are timed: one at a time, never a retransmitted one (RFC 6298, section 3), or all,
        /// by the time stamp that their ACKs echo (RFC 7323).
        rtt_sampling: Takes::Choice(&["one-packet", "timestamps"]) => NONE,
        /// Event that ends exponential backoff: an RTT sample (Karn; RFC 6298, section 5), or any ACK of new
        /// data.
        backoff_reset: Takes::Choice(&["sample", "new-ack"]) => NONE,
        /// Effect of idleness on the window: sending after an RTO of silence starts from the initial window
        /// (RFC 5681, section 4.1), or from a window that is halved once for each RTO, with ssthresh raised
        /// to three quarters of what it was (Linux); the running timer sets cwnd to 1 when it expires (ns-2);
        /// or none. Controls that set the window on every ACK, BBR and Copa, keep it through the first two.
        idle_restart: Takes::Choice(&["on-send", "halving", "on-timer", "never"]) => NONE,
        /// When duplicate ACKs may start another fast retransmit: when everything sent before the last
        /// reduction has been acknowledged (RFC 6582, section 3.2), the same with ns-2's exception for the
        /// first packet, or always.
        fast_retransmit_guard: Takes::Choice(&["recover", "recover-or-first", "none"]) => NONE,
        /// NewReno: which partial ACKs of a recovery restart the retransmission timer (RFC 6582, section
        /// 3.2).
        partial_ack_timer: Takes::Choice(&["first", "every"]) => NONE,
        /// True if cwnd grows while the window is not used up.
        grow_when_limited: FLAG => NONE,
        /// True if an ACK for two packets grows cwnd as two ACKs do (RFC 5681, section 3.1), and not as one.
        count_acked_packets: FLAG => NONE,
        /// True if an ACK for two packets opens cwnd by two in slow start (Linux), and not by one (RFC 5681,
        /// section 3.1).
        slow_start_counts_packets: FLAG => NONE,
        /// True if leaving recovery sets cwnd to ssthresh (RFC); false if it keeps cwnd and lets that ACK
        /// grow it (ns-2).
        deflate_to_ssthresh: FLAG => NONE,
        /// True if a timeout forgets the duplicate ACKs counted so far; ns-2's Tahoe does not.
        timeout_clears_dupacks: FLAG => NONE,
    }

    /// Neither reliable nor congestion controlled.
    UDP: "Udp" as "udp" {
        /// Payload of a packet.
        payload_bytes: PACKET_SIZE => I(1000),
        /// IP and UDP headers.
        header_bytes: HEADER_SIZE => I(28),
    }
}

/// The kinds of transport.
pub static ANY_TRANSPORT: Kinds = Kinds::new("AnyTransport", module_path!(), "transport", &[&TCP, &UDP]);
