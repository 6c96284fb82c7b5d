//! Marks of a TCP whose endpoints send whole IP packets, from sequence numbers.

use parshall_sim::net::{Content, Datagram, Endpoint};
use parshall_sim::units::Time;

use crate::Marks;

const TCP: u8 = 6;
const IPV4_BYTES: usize = 20;
const IPV6_BYTES: usize = 40;
const SYN: u8 = 0x02;
const FIN: u8 = 0x01;

/// An endpoint that sends and receives IP packets of one TCP connection, watched from outside: [`TcpWatch::marks`] has what it
/// sent again, and what it could deliver in order.
///
/// What was received before a hole counts once the hole is filled. Packets that are no TCP pass unseen, as do options of IPv6.
#[derive(Clone, Debug)]
pub struct TcpWatch<E> {
    /// The endpoint.
    pub endpoint: E,
    /// The sequence number after the highest that was sent.
    sent: Option<u32>,
    received: Received,
    marks: Marks,
}

impl<E> TcpWatch<E> {
    /// Watches an endpoint.
    pub fn new(endpoint: E) -> Self {
        TcpWatch { endpoint, sent: None, received: Received::default(), marks: Marks::new() }
    }

    /// Data sent again and delivered so far.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    fn note_sent(&mut self, at: Time, segment: Segment) {
        let Segment { start, end, data, .. } = segment;
        if start == end {
            return;
        }
        let highest = *self.sent.get_or_insert(start);
        // A probe of a closed window lies one byte before what was sent, and has no data.
        if before(start, highest) && data > 0 {
            let again = highest.wrapping_sub(start).min(data);
            self.marks.note_sent_again(at, u64::from(again));
        }
        if before(highest, end) {
            self.sent = Some(end);
        }
    }
}

impl<E: Endpoint> Endpoint for TcpWatch<E> {
    fn receive(&mut self, now: Time, datagram: Datagram) {
        if let Some(segment) = Segment::of(&datagram) {
            let bytes = self.received.add(segment);
            if bytes > 0 {
                self.marks.note_delivered(now, bytes);
            }
        }
        self.endpoint.receive(now, datagram);
    }

    fn expire(&mut self, now: Time) {
        self.endpoint.expire(now);
    }

    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        let datagram = self.endpoint.transmit(now)?;
        if let Some(segment) = Segment::of(&datagram) {
            self.note_sent(now, segment);
        }
        Some(datagram)
    }

    fn timer(&mut self) -> Option<Time> {
        self.endpoint.timer()
    }

    fn is_done(&self) -> bool {
        self.endpoint.is_done()
    }
}

/// The sequence numbers of a TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    start: u32,
    /// After the last one; SYN and FIN take one each.
    end: u32,
    /// Bytes of data.
    data: u32,
    syn: bool,
}

impl Segment {
    /// The segment in a packet; none if it is no whole TCP segment.
    fn of(datagram: &Datagram) -> Option<Self> {
        let Content::Ip(packet) = datagram.content() else { return None };
        let (protocol, header) = match packet.first()? >> 4 {
            4 => (packet.get(9)?, usize::from(packet[0] & 0xf) * 4),
            6 => (packet.get(6)?, IPV6_BYTES),
            _ => return None,
        };
        if *protocol != TCP || header < IPV4_BYTES {
            return None;
        }
        let tcp = packet.get(header..)?;
        let (offset, flags) = (usize::from(tcp.get(12)? >> 4) * 4, *tcp.get(13)?);
        let data = u32::try_from(tcp.len().checked_sub(offset)?).ok()?;
        let start = u32::from_be_bytes(tcp.get(4..8)?.try_into().ok()?);
        let syn = flags & SYN != 0;
        let numbers = data + u32::from(syn) + u32::from(flags & FIN != 0);
        Some(Segment { start, end: start.wrapping_add(numbers), data, syn })
    }
}

/// The parts of a stream of bytes that have arrived.
#[derive(Clone, Debug, Default)]
struct Received {
    /// The next sequence number in order.
    next: Option<u32>,
    /// Beyond it, with holes between, in order.
    ahead: Vec<(u32, u32)>,
}

impl Received {
    /// Adds a segment. Returns the bytes that are in order now and were not before; a SYN or FIN is none.
    fn add(&mut self, segment: Segment) -> u64 {
        let Segment { start, end, data, syn } = segment;
        if syn {
            self.next = Some(end);
            return 0;
        }
        if data == 0 {
            return 0;
        }
        let end = start.wrapping_add(data);
        let next = *self.next.get_or_insert(start);
        if before(next, end) {
            let place = self.ahead.partition_point(|&(other, _)| before(other, start));
            self.ahead.insert(place, (start, end));
        }
        let mut reached = next;
        while let Some(&(_, end)) = self.ahead.first().filter(|&&(start, _)| !before(reached, start)) {
            if before(reached, end) {
                reached = end;
            }
            self.ahead.remove(0);
        }
        self.next = Some(reached);
        u64::from(reached.wrapping_sub(next))
    }
}

/// True if a sequence number comes before another, on the circle that they are on (RFC 9293, section 3.4).
fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(version: u8, sequence: u32, flags: u8, data: usize) -> Datagram {
        let mut tcp = vec![0; 20 + data];
        tcp[4..8].copy_from_slice(&sequence.to_be_bytes());
        (tcp[12], tcp[13]) = (5 << 4, flags);
        let mut packet = if version == 4 { vec![0; IPV4_BYTES] } else { vec![0; IPV6_BYTES] };
        if version == 4 {
            (packet[0], packet[9]) = (0x45, TCP);
            let total = (IPV4_BYTES + tcp.len()) as u16;
            packet[2..4].copy_from_slice(&total.to_be_bytes());
        } else {
            (packet[0], packet[6]) = (0x60, TCP);
            packet[4..6].copy_from_slice(&(tcp.len() as u16).to_be_bytes());
        }
        packet.extend(tcp);
        Datagram::ip(packet).expect("an IP packet")
    }

    /// Sends and receives what it is given.
    struct Script(Vec<Datagram>);

    impl Endpoint for Script {
        fn receive(&mut self, _: Time, _: Datagram) {}
        fn expire(&mut self, _: Time) {}
        fn transmit(&mut self, _: Time) -> Option<Datagram> {
            self.0.pop()
        }
        fn timer(&mut self) -> Option<Time> {
            None
        }
    }

    #[test]
    fn what_lies_below_the_highest_number_is_sent_again() {
        for version in [4, 6] {
            // Sequence numbers wrap. The last packet overlaps what was sent by 100 bytes.
            let packets = [
                packet(version, u32::MAX - 99, SYN, 0),
                packet(version, u32::MAX - 98, 0, 500),
                packet(version, 401, 0, 500),
                packet(version, u32::MAX - 98, 0, 500),
                packet(version, 801, 0, 500),
            ];
            let mut watch = TcpWatch::new(Script(packets.into_iter().rev().collect()));
            let mut at = Time::ZERO;
            while watch.transmit(at).is_some() {
                at += Time::ms(1.0);
            }
            assert_eq!(watch.marks().sent_again(), [(Time::ms(3.0), 500), (Time::ms(4.0), 100)]);
        }
    }

    #[test]
    fn data_is_delivered_in_order() {
        let mut watch = TcpWatch::new(Script(Vec::new()));
        let arrivals = [
            (u32::MAX, SYN, 0),
            (0, 0, 100),
            (200, 0, 100),
            (150, 0, 100),
            (100, 0, 100),
            (100, 0, 100),
            (300, FIN, 0),
            (0, 0, 0),
        ];
        for (ms, (sequence, flags, data)) in (0..).zip(arrivals) {
            watch.receive(Time::ms(f64::from(ms)), packet(4, sequence, flags, data));
        }
        watch.receive(Time::ms(9.0), Datagram::sized(100));
        assert_eq!(watch.marks().delivered(), [(Time::ms(1.0), 100), (Time::ms(4.0), 200)]);
    }
}
