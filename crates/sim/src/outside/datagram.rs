//! A datagram of the caller's: what is on the wire, and what queues and routers see of it.

use super::ip;

/// Bytes of an IPv4 and a UDP header.
const UDP_HEADERS: usize = 28;

/// The two bits of explicit congestion notification in an IP header (RFC 3168, RFC 9331).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// The transport does not use ECN: congested queues drop the packet.
    #[default]
    NotEct = 0b00,
    /// ECT(1): the transport responds to marks as L4S asks.
    Ect1 = 0b01,
    /// ECT(0): the transport responds to a mark as to a loss.
    Ect0 = 0b10,
    /// Congestion experienced: a queue has marked the packet.
    Ce = 0b11,
}

impl Ecn {
    /// The code point of the two lowest bits; the others are ignored.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Ecn::NotEct,
            0b01 => Ecn::Ect1,
            0b10 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    /// The two bits.
    pub const fn bits(self) -> u8 {
        self as u8
    }
}

/// Bytes that a datagram carries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Nothing but a size.
    Size,
    /// The payload of a UDP datagram.
    Udp(Vec<u8>),
    /// A whole IPv4 or IPv6 packet.
    Ip(Vec<u8>),
}

impl Content {
    /// The bytes; none if there is only a size.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Content::Size => &[],
            Content::Udp(bytes) | Content::Ip(bytes) => bytes,
        }
    }
}

/// A datagram on its way from one endpoint to another.
///
/// ```
/// use parshall_sim::net::{Datagram, Ecn};
///
/// let datagram = Datagram::udp(vec![0; 1200]).with_ecn(Ecn::Ect0).with_dscp(46);
/// assert_eq!((datagram.wire_bytes(), datagram.payload_bytes()), (1228, 1200));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    content: Content,
    wire_bytes: u32,
    payload_bytes: u32,
    ecn: Ecn,
    dscp: u8,
    key: Option<u64>,
    tag: u64,
}

impl Datagram {
    /// A packet of so many bytes on the wire, headers included, of which nothing but the size matters.
    pub fn sized(wire_bytes: u32) -> Self {
        Datagram {
            content: Content::Size,
            wire_bytes,
            payload_bytes: wire_bytes,
            ecn: Ecn::NotEct,
            dscp: 0,
            key: None,
            tag: 0,
        }
    }

    /// A UDP datagram with this payload, with 28 bytes of headers on the wire.
    pub fn udp(payload: impl Into<Vec<u8>>) -> Self {
        let payload = payload.into();
        let bytes = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        Datagram {
            payload_bytes: bytes,
            content: Content::Udp(payload),
            ..Datagram::sized(bytes.saturating_add(UDP_HEADERS as u32))
        }
    }

    /// An IPv4 or IPv6 packet. Its header gives the ECN bits and the code point, and its addresses, protocol and ports the key by
    /// which queues and routers tell flows apart. A queue that marks it rewrites the header.
    ///
    /// # Errors
    /// If the bytes do not begin with a whole IP header whose length is that of the packet.
    pub fn ip(packet: impl Into<Vec<u8>>) -> Result<Self, String> {
        let packet = packet.into();
        let seen = ip::read(&packet)?;
        let bytes = packet.len() as u32;
        Ok(Datagram {
            content: Content::Ip(packet),
            payload_bytes: bytes - seen.header_bytes,
            ecn: Ecn::from_bits(seen.traffic_class),
            dscp: seen.traffic_class >> 2,
            key: Some(seen.key),
            ..Datagram::sized(bytes)
        })
    }

    /// The datagram with this code point of ECN.
    #[must_use]
    pub fn with_ecn(mut self, ecn: Ecn) -> Self {
        self.ecn = ecn;
        self.write_traffic_class();
        self
    }

    /// The datagram with this code point of differentiated services, of which the six lowest bits count (RFC 2474).
    #[must_use]
    pub fn with_dscp(mut self, dscp: u8) -> Self {
        self.dscp = dscp & 0x3f;
        self.write_traffic_class();
        self
    }

    /// The datagram with a key by which queues such as FQ-CoDel, and routers with equal paths, tell flows apart within one
    /// pair of endpoints. Without a key all datagrams of a pair and direction are one flow.
    #[must_use]
    pub fn with_key(mut self, key: u64) -> Self {
        self.key = Some(key);
        self
    }

    /// The datagram with so many bytes on the wire, headers included.
    #[must_use]
    pub fn with_wire_bytes(mut self, bytes: u32) -> Self {
        self.wire_bytes = bytes;
        self
    }

    /// The datagram with so many bytes that count as delivered when it arrives.
    #[must_use]
    pub fn with_payload_bytes(mut self, bytes: u32) -> Self {
        self.payload_bytes = bytes;
        self
    }

    /// The datagram with a number of the caller's, which it has when it arrives.
    #[must_use]
    pub fn with_tag(mut self, tag: u64) -> Self {
        self.tag = tag;
        self
    }

    /// Bytes on the wire, headers included.
    pub fn wire_bytes(&self) -> u32 {
        self.wire_bytes
    }

    /// Bytes that count as delivered when it arrives.
    pub fn payload_bytes(&self) -> u32 {
        self.payload_bytes
    }

    /// Its ECN code point.
    pub fn ecn(&self) -> Ecn {
        self.ecn
    }

    /// Its code point of differentiated services.
    pub fn dscp(&self) -> u8 {
        self.dscp
    }

    /// Its key, if it has one of its own.
    pub fn key(&self) -> Option<u64> {
        self.key
    }

    /// The caller's number; 0 unless one was given.
    pub fn tag(&self) -> u64 {
        self.tag
    }

    /// Its content.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The bytes that it carries: the payload of UDP, or a whole IP packet; none if it is only a size.
    pub fn bytes(&self) -> &[u8] {
        self.content.bytes()
    }

    /// Those bytes, without a copy.
    pub fn into_bytes(self) -> Vec<u8> {
        match self.content {
            Content::Size => Vec::new(),
            Content::Udp(bytes) | Content::Ip(bytes) => bytes,
        }
    }

    /// It has passed the network, where a queue may have marked it and a conditioner may have given it another code point.
    pub(super) fn passed(&mut self, marked: bool, dscp: u8) {
        let ecn = if marked { Ecn::Ce } else { self.ecn };
        if (ecn, dscp) != (self.ecn, self.dscp) {
            (self.ecn, self.dscp) = (ecn, dscp);
            self.write_traffic_class();
        }
    }

    fn write_traffic_class(&mut self) {
        if let Content::Ip(packet) = &mut self.content {
            ip::set_traffic_class(packet, self.dscp << 2 | self.ecn.bits());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_of_ecn_are_their_bits() {
        for bits in 0..4 {
            assert_eq!(Ecn::from_bits(bits).bits(), bits);
            assert_eq!(Ecn::from_bits(bits | 0xa4), Ecn::from_bits(bits));
        }
    }

    #[test]
    fn a_datagram_keeps_what_it_was_given() {
        let datagram = Datagram::udp([1, 2, 3]).with_key(7).with_tag(9).with_dscp(0xff);
        assert_eq!((datagram.key(), datagram.tag(), datagram.dscp()), (Some(7), 9, 63));
        assert_eq!((datagram.wire_bytes(), datagram.payload_bytes()), (31, 3));
        assert_eq!(datagram.into_bytes(), [1, 2, 3]);
        let sized = Datagram::sized(1500).with_payload_bytes(1448);
        assert_eq!((sized.wire_bytes(), sized.payload_bytes(), sized.bytes().len()), (1500, 1448, 0));
    }

    #[test]
    fn a_mark_is_written_into_an_ip_header() {
        let builder = etherparse::PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(1, 2);
        let mut packet = Vec::new();
        builder.write(&mut packet, &[0; 100]).expect("a vector takes all bytes");
        let mut datagram = Datagram::ip(packet).expect("an IP packet").with_ecn(Ecn::Ect1).with_dscp(10);
        datagram.passed(true, 12);
        assert_eq!((datagram.ecn(), datagram.dscp(), datagram.payload_bytes()), (Ecn::Ce, 12, 108));
        let header = etherparse::Ipv4HeaderSlice::from_slice(datagram.bytes()).expect("a header");
        assert_eq!((header.ecn().value(), header.dcp().value()), (3, 12));
        assert_eq!(header.header_checksum(), header.to_header().calc_header_checksum());
    }
}
