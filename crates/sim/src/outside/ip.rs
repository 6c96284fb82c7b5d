//! The fields of an IP packet that a router reads, and the one that it rewrites.

use crate::random::fnv1a_bytes;

/// The fields of a packet that a router reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub header_bytes: u32,
    /// Differentiated services and ECN (RFC 2474, RFC 3168).
    pub traffic_class: u8,
    /// A hash of addresses, protocol and ports. Fragments of IPv4, and protocols without ports, have none of the latter.
    pub key: u64,
}

const IPV4_BYTES: usize = 20;
const IPV6_BYTES: usize = 40;
/// Protocols whose headers begin with two ports: TCP, UDP, DCCP, SCTP, UDP-Lite.
const WITH_PORTS: [u8; 5] = [6, 17, 33, 132, 136];

/// Reads an IPv4 or IPv6 packet.
pub(super) fn read(packet: &[u8]) -> Result<Seen, String> {
    match packet.first().map(|first| first >> 4) {
        Some(4) => read_v4(packet),
        Some(6) => read_v6(packet),
        Some(version) => Err(format!("IP version {version}, expected 4 or 6")),
        None => Err("no bytes, expected an IP packet".into()),
    }
}

fn read_v4(packet: &[u8]) -> Result<Seen, String> {
    let header_bytes = usize::from(packet[0] & 0xf) * 4;
    if header_bytes < IPV4_BYTES || packet.len() < header_bytes {
        let length = packet.len();
        return Err(format!("an IPv4 header of {header_bytes} in {length} bytes, expected 20 to 60 within"));
    }
    let total = usize::from(u16::from_be_bytes([packet[2], packet[3]]));
    check_length(total, packet.len())?;
    // More fragments follow, or this is not the first.
    let fragmented = u16::from_be_bytes([packet[6], packet[7]]) & 0x3fff != 0;
    let ports = if fragmented { &[][..] } else { ports(packet[9], &packet[header_bytes..]) };
    let key = hash(&[&packet[12..20], &[packet[9]], ports]);
    Ok(Seen { header_bytes: header_bytes as u32, traffic_class: packet[1], key })
}

fn read_v6(packet: &[u8]) -> Result<Seen, String> {
    if packet.len() < IPV6_BYTES {
        return Err(format!("{} bytes, expected an IPv6 header of {IPV6_BYTES}", packet.len()));
    }
    let total = IPV6_BYTES + usize::from(u16::from_be_bytes([packet[4], packet[5]]));
    check_length(total, packet.len())?;
    let key = hash(&[&packet[8..40], &[packet[6]], ports(packet[6], &packet[IPV6_BYTES..])]);
    Ok(Seen { header_bytes: IPV6_BYTES as u32, traffic_class: packet[0] << 4 | packet[1] >> 4, key })
}

fn check_length(total: usize, length: usize) -> Result<(), String> {
    if total == length {
        return Ok(());
    }
    Err(format!("{length} bytes, expected the {total} that its IP header tells"))
}

fn ports(protocol: u8, behind: &[u8]) -> &[u8] {
    if WITH_PORTS.contains(&protocol) {
        behind.get(..4).unwrap_or_default()
    } else {
        &[]
    }
}

fn hash(pieces: &[&[u8]]) -> u64 {
    fnv1a_bytes(pieces.iter().copied().flatten().copied())
}

/// Rewrites differentiated services and ECN of a packet that was read before, and its checksum (RFC 1624, equation 3).
pub(crate) fn set_traffic_class(packet: &mut [u8], class: u8) {
    if packet[0] >> 4 == 6 {
        packet[0] = packet[0] & 0xf0 | class >> 4;
        packet[1] = class << 4 | packet[1] & 0xf;
        return;
    }
    let before = u16::from_be_bytes([packet[0], packet[1]]);
    packet[1] = class;
    let after = u16::from_be_bytes([packet[0], packet[1]]);
    let checksum = u16::from_be_bytes([packet[10], packet[11]]);
    let sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    packet[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{Ipv4HeaderSlice, Ipv6HeaderSlice, PacketBuilder};
    use proptest::prelude::*;

    fn v4(ports: (u16, u16), payload: usize) -> Vec<u8> {
        let mut packet = Vec::new();
        let builder = PacketBuilder::ipv4([192, 0, 2, 1], [198, 51, 100, 7], 64).tcp(ports.0, ports.1, 1, 2);
        builder.write(&mut packet, &vec![7; payload]).expect("a vector takes all bytes");
        packet
    }

    fn v6(ports: (u16, u16)) -> Vec<u8> {
        let mut packet = Vec::new();
        let builder = PacketBuilder::ipv6([1; 16], [2; 16], 64).udp(ports.0, ports.1);
        builder.write(&mut packet, &[7; 9]).expect("a vector takes all bytes");
        packet
    }

    #[test]
    fn keys_tell_flows_apart_and_nothing_else() {
        let key = |packet: &[u8]| read(packet).expect("an IP packet").key;
        for make in [|ports| v4(ports, 10), v6] {
            let (one, other) = (make((1000, 80)), make((1001, 80)));
            assert_ne!(key(&one), key(&other));
            let mut marked = one.clone();
            set_traffic_class(&mut marked, 0xff);
            assert_eq!(key(&marked), key(&one));
        }
        assert_eq!(key(&v4((1000, 80), 10)), key(&v4((1000, 80), 1400)));
        // The second fragment has no ports; both have to be one flow.
        let (mut first, mut second) = (v4((1000, 80), 10), v4((7, 7), 10));
        first[6] |= 0x20;
        second[7] = 100;
        assert_eq!(key(&first), key(&second));
    }

    #[test]
    fn what_is_no_ip_packet_is_refused() {
        let whole = v4((1, 2), 10);
        for (bytes, part) in [
            (&[][..], "no bytes, expected an IP packet"),
            (&[0x50, 0, 0], "IP version 5, expected 4 or 6"),
            (&whole[..19], "an IPv4 header of 20 in 19 bytes, expected 20 to 60 within"),
            (&whole[..40], "40 bytes, expected the 50 that its IP header tells"),
            (&v6((1, 2))[..39], "39 bytes, expected an IPv6 header of 40"),
            (&v6((1, 2))[..50], "50 bytes, expected the 57 that its IP header tells"),
        ] {
            assert_eq!(read(bytes).expect_err("no packet"), part);
        }
    }

    proptest! {
        #[test]
        fn a_rewritten_header_has_the_class_and_the_right_checksum(class: u8, before: u8, ports: (u16, u16)) {
            let mut packet = v4(ports, 3);
            for class in [before, class] {
                set_traffic_class(&mut packet, class);
                let header = Ipv4HeaderSlice::from_slice(&packet).expect("a header");
                prop_assert_eq!(header.header_checksum(), header.to_header().calc_header_checksum());
                prop_assert_eq!(read(&packet).expect("an IP packet").traffic_class, class);
            }
            let mut packet = v6(ports);
            set_traffic_class(&mut packet, class);
            let header = Ipv6HeaderSlice::from_slice(&packet).expect("a header");
            prop_assert_eq!(header.traffic_class(), class);
            prop_assert_eq!(read(&packet).expect("an IP packet").traffic_class, class);
        }

        #[test]
        fn any_bytes_are_a_packet_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(seen) = read(&bytes) {
                let mut packet = bytes.clone();
                set_traffic_class(&mut packet, !seen.traffic_class);
                prop_assert_eq!(read(&packet).expect("an IP packet").traffic_class, !seen.traffic_class);
            }
        }
    }
}
