//! Datagrams of IP packets, with as many bytes of payload as TCP and UDP carry.

use parshall_sim::net::Datagram;
use smoltcp::wire::{IpProtocol, Ipv4Packet, Ipv6Packet, TcpPacket, UdpPacket};

/// The datagram of a packet that smoltcp has made. What counts as delivered is the payload of TCP or UDP.
pub(crate) fn datagram(packet: Vec<u8>) -> Datagram {
    let payload = payload_bytes(&packet);
    // An interface makes whole packets, and a device's MTU fits the two bytes of their length.
    let datagram = Datagram::ip(packet).unwrap_or_else(|fault| panic!("smoltcp made a packet of {fault}"));
    match payload {
        Some(bytes) => datagram.with_payload_bytes(bytes as u32),
        None => datagram,
    }
}

fn payload_bytes(packet: &[u8]) -> Option<usize> {
    match packet.first()? >> 4 {
        4 => {
            let ip = Ipv4Packet::new_checked(packet).ok()?;
            segment_bytes(ip.next_header(), ip.payload())
        }
        _ => {
            let ip = Ipv6Packet::new_checked(packet).ok()?;
            segment_bytes(ip.next_header(), ip.payload())
        }
    }
}

fn segment_bytes(protocol: IpProtocol, segment: &[u8]) -> Option<usize> {
    match protocol {
        IpProtocol::Tcp => Some(TcpPacket::new_checked(segment).ok()?.payload().len()),
        IpProtocol::Udp => Some(UdpPacket::new_checked(segment).ok()?.payload().len()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::PacketBuilder;

    #[test]
    fn payloads_are_those_of_the_transport() {
        let v4 = || PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
        let v6 = || PacketBuilder::ipv6([1; 16], [2; 16], 64);
        let made = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut packet = Vec::new();
            write(&mut packet);
            let datagram = datagram(packet);
            (datagram.wire_bytes(), datagram.payload_bytes())
        };
        let tcp = made(&|packet| v4().tcp(1, 2, 3, 4).write(packet, &[7; 90]).expect("room"));
        assert_eq!(tcp, (130, 90));
        let udp = made(&|packet| v6().udp(1, 2).write(packet, &[7; 90]).expect("room"));
        assert_eq!(udp, (138, 90));
        let ping = made(&|packet| v4().icmpv4_echo_request(1, 2).write(packet, &[7; 90]).expect("room"));
        assert_eq!(ping, (118, 98));
    }
}
