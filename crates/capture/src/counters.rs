//! What is counted of each direction of a connection.

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts of one direction of a connection.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counters { $($(#[$doc])* pub $name: u64,)* }

        impl Counters {
            /// Names, in the order of [`Counters::values`].
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// Values, in the order of [`Counters::NAMES`].
            pub fn values(&self) -> Vec<u64> {
                vec![$(self.$name,)*]
            }
        }
    };
}

counters! {
    /// Packets.
    packets,
    /// Bytes of IP packets.
    bytes,
    /// Packets with payload.
    data_packets,
    /// Bytes of payload.
    data_bytes,
    /// Bytes of payload that the other side acknowledged.
    acked_bytes,
    /// Retransmissions.
    retransmissions,
    /// Retransmissions whose first copy did not pass here.
    gap_fills,
    /// Fast retransmissions.
    fast,
    /// Timeouts.
    timeouts,
    /// Retransmissions that followed a timeout.
    after_timeouts,
    /// Tail loss probes that repeat data.
    probes,
    /// SYNs again.
    syns,
    /// SYNs with ACK again.
    synacks,
    /// Retransmissions of unknown kind.
    unknown,
    /// Retransmissions of what had arrived.
    needless,
    /// Timeouts of what had arrived.
    spurious_timeouts,
    /// Packets doubled by the network.
    network_copies,
    /// Packets overtaken by later ones.
    late,
    /// Most bytes by which a late packet was late.
    late_by_bytes,
    /// Packets that the capture has twice.
    captured_again,
    /// Holes in the sequence numbers that passed.
    holes,
    /// Bytes that were acknowledged and did not pass: the capture has lost packets, or they went another way.
    missing_bytes,
    /// Duplicate ACKs (RFC 5681).
    duplicate_acks,
    /// ACKs with SACK blocks.
    sack_acks,
    /// SACK blocks that report a duplicate.
    dsacks,
    /// Segments that offered no window.
    zero_windows,
    /// Keep-alives and probes of a closed window.
    keep_alives,
    /// Packets with a congestion mark.
    marks,
    /// Packets that echo a mark.
    mark_echoes,
    /// Resets.
    resets,
    /// Packets larger than the maximum segment size: captured before they were cut, or after they were joined.
    super_packets,
    /// Most bytes in flight.
    max_in_flight,
    /// ACKs of new data that made no sample, because they could answer more than one transmission.
    acks_without_sample,
}
