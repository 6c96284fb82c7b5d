//! Counts of each direction of a connection. Most connections only count packets, bytes and what was acknowledged:
//! the rest takes room once it counts something.

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
    /// Marks that this side reports: packets with the flag ECE, or what the counter of Accurate ECN counts.
    mark_echoes,
    /// Packets with the code point ECT(0).
    ect0,
    /// Packets with the code point ECT(1).
    ect1,
    /// Bytes with ECT(0) that an Accurate ECN option of this side reports.
    echoed_ect0_bytes,
    /// Bytes with ECT(1) that such an option reports.
    echoed_ect1_bytes,
    /// Bytes with a mark that such an option reports.
    echoed_ce_bytes,
    /// Resets.
    resets,
    /// Packets larger than the maximum segment size: captured before they were cut, or after they were joined.
    super_packets,
    /// Segments outside of every window that was offered. They count nowhere else.
    strays,
    /// Packets that were acknowledged before they were captured.
    early_acks,
    /// Most bytes in flight.
    max_in_flight,
    /// ACKs of new data that made no sample, because they could answer more than one transmission.
    acks_without_sample,
}

/// Counts of one direction while packets come. Those that nearly all directions have stand here, in 32 bits; all else, and
/// what has outgrown these, in `more`.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    packets: u32,
    bytes: u32,
    data_packets: u32,
    data_bytes: u32,
    acked_bytes: u32,
    max_in_flight: u32,
    more: Option<Box<Counters>>,
}

/// Adds to a count of 32 bits. What they do not hold goes on in 64, in `more`.
fn add(
    count: &mut u32,
    by: u64,
    more: &mut Option<Box<Counters>>,
    large: impl Fn(&mut Counters) -> &mut u64,
) {
    let sum = u64::from(*count) + by;
    *count = u32::try_from(sum).unwrap_or_else(|_| {
        *large(more.get_or_insert_with(Box::default)) += sum;
        0
    });
}

impl Tally {
    /// A packet, and its length as IP has it.
    pub fn packet(&mut self, ip_length: u32) {
        add(&mut self.packets, 1, &mut self.more, |more| &mut more.packets);
        add(&mut self.bytes, ip_length.into(), &mut self.more, |more| &mut more.bytes);
    }

    /// A packet with payload.
    pub fn data(&mut self, payload: u32) {
        add(&mut self.data_packets, 1, &mut self.more, |more| &mut more.data_packets);
        add(&mut self.data_bytes, payload.into(), &mut self.more, |more| &mut more.data_bytes);
    }

    /// Payload that belongs to a packet before.
    pub fn part(&mut self, payload: u32) {
        self.data(payload);
        self.data_packets -= 1;
    }

    /// Payload that is no data after all.
    pub fn no_data(&mut self, payload: u32) {
        self.data_packets = self.data_packets.saturating_sub(1);
        self.data_bytes = self.data_bytes.saturating_sub(payload);
    }

    /// Packets so far.
    pub fn packets(&self) -> u64 {
        u64::from(self.packets) + self.more.as_ref().map_or(0, |more| more.packets)
    }

    /// Packets with payload so far, up to some billions.
    pub fn data_packets(&self) -> u32 {
        self.data_packets
    }

    /// Bytes that were acknowledged.
    pub fn acked(&mut self, bytes: u64) {
        add(&mut self.acked_bytes, bytes, &mut self.more, |more| &mut more.acked_bytes);
    }

    /// A number that was acknowledged was that of a FIN.
    pub fn no_payload_acked(&mut self) {
        self.acked_bytes = self.acked_bytes.saturating_sub(1);
    }

    /// Bytes in flight.
    pub fn in_flight(&mut self, bytes: u64) {
        match u32::try_from(bytes) {
            Ok(bytes) => self.max_in_flight = self.max_in_flight.max(bytes),
            Err(_) => {
                let more = self.more();
                more.max_in_flight = more.max_in_flight.max(bytes);
            }
        }
    }

    /// All other counts.
    pub fn more(&mut self) -> &mut Counters {
        self.more.get_or_insert_with(Box::default)
    }

    /// All other counts, if anything has counted.
    pub fn seen(&self) -> Option<&Counters> {
        self.more.as_deref()
    }

    /// The counts.
    pub fn counters(&self) -> Counters {
        let mut counts = self.more.as_deref().copied().unwrap_or_default();
        counts.packets += u64::from(self.packets);
        counts.bytes += u64::from(self.bytes);
        counts.data_packets += u64::from(self.data_packets);
        counts.data_bytes += u64::from(self.data_bytes);
        counts.acked_bytes += u64::from(self.acked_bytes);
        counts.max_in_flight = counts.max_in_flight.max(u64::from(self.max_in_flight));
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn counts_go_on_where_32_bits_end() {
        let mut tally = Tally::default();
        for _ in 0..5 {
            tally.packet(0xffff_ff00);
            tally.packet(1 << 30);
            tally.data(1 << 30);
            tally.acked(3 << 30);
        }
        tally.more().marks += 1;
        tally.in_flight(7);
        tally.in_flight(1 << 40);
        let counts = tally.counters();
        assert_eq!((counts.packets, counts.data_packets, counts.marks), (10, 5, 1));
        assert_eq!(counts.bytes, 5 * (0xffff_ff00 + (1 << 30)));
        assert_eq!((counts.data_bytes, counts.acked_bytes), (5 << 30, 15 << 30));
        assert_eq!(counts.max_in_flight, 1 << 40);
    }
}
