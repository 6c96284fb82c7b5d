use super::*;
use crate::packet::Packet;
use crate::record::capture::notes::Fate;
use crate::record::Carried;
use crate::units::Time;

/// A segment, its fields read from the bytes by their places in RFC 791, 793 and 768.
struct Read {
    bytes: Vec<u8>,
    length: u32,
}

impl Read {
    fn of(frame: Frame) -> Self {
        let read = Read { bytes: frame.stored, length: frame.length };
        assert_eq!(read.bytes[0], 0x45);
        assert_eq!(read.sum(&read.bytes[..20]), 0xffff, "the sum of the IP header");
        let transport = &read.bytes[20..usize::from(read.total()).min(read.bytes.len())];
        let mut all = read.bytes[12..20].to_vec();
        all.extend([0, read.bytes[9]]);
        all.extend((read.total() - 20).to_be_bytes());
        all.extend(transport);
        // Payload that is left out is zeros, which add nothing.
        assert_eq!(read.sum(&all), 0xffff, "the sum of the segment");
        read
    }

    fn sum(&self, bytes: &[u8]) -> u32 {
        let word = |pair: &[u8]| u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |&low| u32::from(low));
        let mut sum: u32 = bytes.chunks(2).map(word).sum();
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum
    }

    fn half(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    fn word(&self, at: usize) -> u32 {
        u32::from(self.half(at)) << 16 | u32::from(self.half(at + 2))
    }

    fn total(&self) -> u16 {
        self.half(2)
    }

    fn ports(&self) -> (u16, u16) {
        (self.half(20), self.half(22))
    }

    /// Sequence number, acknowledgment number, flags.
    fn numbers(&self) -> (u32, u32, u8) {
        (self.word(24), self.word(28), self.bytes[33])
    }

    fn window(&self) -> u16 {
        self.half(34)
    }

    fn tcp_header(&self) -> usize {
        usize::from(self.bytes[32] >> 4) * 4
    }

    /// Kind and value of each option but NOP.
    fn options(&self) -> Vec<(u8, Vec<u8>)> {
        let (mut rest, mut all) = (&self.bytes[40..20 + self.tcp_header()], Vec::new());
        while let [kind, more @ ..] = rest {
            if *kind == 1 {
                rest = more;
                continue;
            }
            let length = usize::from(more[0]);
            all.push((*kind, rest[2..length].to_vec()));
            rest = &rest[length..];
        }
        all
    }
}

const SYN_FLAG: u8 = 2;
const ACK_FLAG: u8 = 16;
const ECE_FLAG: u8 = 64;
const CWR_FLAG: u8 = 128;

fn tcp() -> TcpFacts {
    TcpFacts { handshake: true, sack: true, ecn: true, timestamps: false, window_bytes: 200_000 }
}

fn connection(tcp: TcpFacts) -> Connection {
    Connection {
        flow: 3,
        number: 0,
        facts: FlowFacts { payload_bytes: 1000, header_bytes: 40, tcp: Some(tcp) },
    }
}

fn udp(payload_bytes: u32, header_bytes: u32) -> Connection {
    Connection { flow: 3, number: 0, facts: FlowFacts { payload_bytes, header_bytes, tcp: None } }
}

fn data(seq: u32, size: u16, ecn: u8) -> Packet {
    Packet::data(seq, size, ecn, Time::ZERO)
}

fn ack(seq: u32, ecn: u8) -> Packet {
    Packet::ack(seq, 40, ecn, Time::ZERO, Time::ZERO)
}

fn note(packet: &Packet, marked: bool) -> Note {
    let carried =
        Carried { stamp: Time::from_secs(1.25), connection: 0, blocks: SackBlocks::EMPTY, content: None };
    Note::of(packet, 3, (Time::ZERO, Fate::Passed { marked }, false), &carried)
}

fn read(connection: Connection, packet: &Packet) -> Read {
    Read::of(connection.frame(&note(packet, false), &SackBlocks::EMPTY, false))
}

fn answer_to_syn(connection: Connection) -> Read {
    Read::of(connection.frame(&note(&ack(1, 0), false), &SackBlocks::EMPTY, true))
}

#[test]
fn data_has_the_numbers_of_its_bytes() {
    let segment = read(connection(tcp()), &data(2, 1040, 0));
    assert_eq!(segment.numbers(), (1001, 1, ACK_FLAG));
    assert_eq!((segment.ports(), segment.total(), segment.length), ((10_000, 80), 1040, 1040));
    assert_eq!((&segment.bytes[12..16], &segment.bytes[16..20]), (&[10, 0, 0, 3][..], &[10, 128, 0, 3][..]));
    assert_eq!((segment.bytes.len(), segment.options()), (40, vec![]));
}

#[test]
fn acks_have_the_window_of_the_receiver_in_units_of_the_scale() {
    let segment = read(connection(tcp()), &ack(5, 0));
    assert_eq!(segment.numbers(), (1, 4001, ACK_FLAG));
    // 200 000 bytes fit into 16 bits when they are counted in fours.
    assert_eq!((tcp().window(), segment.window()), ((2, 50_000), 50_000));
    let answer = answer_to_syn(connection(tcp()));
    assert!(answer.options().contains(&(3, vec![2])));
    assert_eq!(answer.window(), u16::MAX);
}

#[test]
fn windows_are_rounded_up_and_never_0() {
    let window = |window_bytes| TcpFacts { window_bytes, ..tcp() }.window();
    assert_eq!(window(0), (0, 1));
    assert_eq!(window(65_535), (0, 65_535));
    assert_eq!(window(65_536), (1, 32_768));
    assert_eq!(window(65_537), (1, 32_769));
    assert_eq!(window(131_071), (2, 32_768));
    assert_eq!(window(65_535 << 14), (14, 65_535));
    assert_eq!(window(u64::MAX / 2), (14, 65_535));
}

#[test]
fn syns_negotiate_what_the_ends_use() {
    let syn = read(connection(tcp()), &data(0, 40, 0));
    assert_eq!(syn.numbers(), (0, 0, SYN_FLAG | ECE_FLAG | CWR_FLAG));
    assert_eq!(syn.options(), [(2, vec![3, 232]), (3, vec![0]), (4, vec![])]);
    assert_eq!((syn.total(), syn.length), (52, 52));
    let answer = answer_to_syn(connection(tcp()));
    assert_eq!(answer.numbers(), (0, 1, SYN_FLAG | ACK_FLAG | ECE_FLAG));
    let plain = TcpFacts { sack: false, ecn: false, timestamps: true, ..tcp() };
    let syn = read(connection(plain), &data(0, 40, 0));
    assert_eq!(syn.numbers(), (0, 0, SYN_FLAG));
    assert_eq!(syn.options()[2..], [(8, [1250u32.to_be_bytes(), [0; 4]].concat())]);
}

#[test]
fn an_ack_of_data_that_expects_the_first_byte_is_no_syn() {
    assert_eq!(read(connection(tcp()), &ack(1, 0)).numbers(), (1, 1, ACK_FLAG));
}

#[test]
fn blocks_are_an_option_of_the_header() {
    let mut blocks = SackBlocks::EMPTY;
    for low in [5, 8, 11] {
        blocks.report(low, low + 2);
    }
    for timestamps in [false, true] {
        let connection = connection(TcpFacts { timestamps, ..tcp() });
        let packet = Packet::ack(3, 64, 0, Time::ZERO, Time::ZERO);
        let segment = Read::of(connection.frame(&note(&packet, false), &blocks, false));
        let edges = [10_001u32, 12_001, 7001, 9001, 4001, 6001];
        let value: Vec<u8> = edges.iter().flat_map(|edge| edge.to_be_bytes()).collect();
        assert_eq!(segment.options().last(), Some(&(5, value)));
        // All of it is header: there is no payload.
        assert_eq!(usize::from(segment.total()), 20 + segment.tcp_header());
        assert_eq!(segment.bytes.len(), usize::from(segment.total()));
    }
}

#[test]
fn marks_and_what_answers_them_are_in_the_headers() {
    let congestion = |packet: &Packet, marked| {
        let segment = Read::of(connection(tcp()).frame(&note(packet, marked), &SackBlocks::EMPTY, false));
        (segment.bytes[1] & 3, segment.numbers().2 & (ECE_FLAG | CWR_FLAG))
    };
    assert_eq!(congestion(&data(2, 1040, 0), false), (0, 0));
    assert_eq!(congestion(&data(2, 1040, ecn::CAPABLE), false), (2, 0));
    assert_eq!(congestion(&data(2, 1040, ecn::CAPABLE), true), (3, 0));
    assert_eq!(congestion(&data(2, 1040, ecn::CAPABLE | ecn::EXPERIENCED), false), (3, 0));
    assert_eq!(congestion(&data(2, 1040, ecn::CAPABLE | ecn::REDUCED), false), (2, CWR_FLAG));
    assert_eq!(congestion(&ack(5, ecn::ECHO), false), (0, ECE_FLAG));
}

#[test]
fn code_points_are_in_the_header() {
    let mut packet = data(2, 1040, ecn::CAPABLE);
    packet.remark(46);
    assert_eq!(read(connection(tcp()), &packet).bytes[1], 46 << 2 | 2);
}

#[test]
fn numbers_go_round_at_2_to_the_32() {
    for handshake in [false, true] {
        let connection = connection(TcpFacts { handshake, ..tcp() });
        for seq in [1, 4_294_966, 4_294_967, 4_294_968, 4_294_969, u32::MAX - 1, u32::MAX] {
            let before = u64::from(seq) - u64::from(handshake);
            let byte = (1 + 1000 * before) % (1 << 32);
            assert_eq!(u64::from(read(connection, &data(seq, 1040, 0)).numbers().0), byte);
            assert_eq!(u64::from(read(connection, &ack(seq, 0)).numbers().1), byte);
        }
        // A packet that is 2^32 packets later is numbered likewise, modulo 2^32.
        let (last, first) = (connection.byte_number(u32::MAX), connection.byte_number(0));
        assert!(handshake || first == last.wrapping_add(1000));
    }
}

#[test]
fn udp_is_stored_whole() {
    let datagram = read(udp(160, 28), &data(7, 188, 0));
    assert_eq!((datagram.total(), datagram.half(24), datagram.length), (188, 168, 188));
    assert_eq!(datagram.bytes.len(), 188);
    // Headers beyond those of IPv4 and UDP follow; where there are fewer, the datagram is longer than the packet.
    let more = read(udp(160, 46), &data(7, 206, 0));
    assert_eq!((more.total(), more.half(24), more.length, more.bytes.len()), (188, 168, 206, 206));
    let none = read(udp(160, 0), &data(7, 160, 0));
    assert_eq!((none.total(), none.half(24), none.length), (188, 168, 188));
}

#[test]
fn a_datagram_is_stored_with_as_much_of_its_payload_as_fits() {
    for (bytes, total) in [(1200, 1228), (65_507, 65_535), (65_527, 65_535)] {
        let payload: Vec<u8> = (0..bytes).map(|i| (i % 251) as u8).collect();
        let note = note(&data(7, u16::MAX, 0), false);
        let datagram = Read::of(udp(1, 28).datagram(&note, &Content::Udp(payload.clone())));
        assert_eq!((usize::from(datagram.total()), datagram.bytes.len()), (total, 65_535));
        assert_eq!(datagram.bytes[28..total], payload[..total - 28]);
    }
}

#[test]
fn each_connection_of_a_flow_has_a_port() {
    let port = |number| {
        let connection = Connection { number, ..connection(tcp()) };
        (read(connection, &data(2, 1040, 0)).ports(), read(connection, &ack(2, 0)).ports())
    };
    assert_eq!(port(1), ((10_001, 80), (80, 10_001)));
    assert_eq!(port(55_535).0, (65_535, 80));
    assert_eq!(port(55_536).0, (10_000, 80));
}

#[test]
fn a_handshake_can_be_made() {
    let connection = connection(TcpFacts { handshake: false, ..tcp() });
    assert!(connection.lacks_handshake());
    let made = |from_receiver| Read::of(connection.made_handshake(from_receiver).expect("a TCP flow"));
    assert_eq!(made(false).numbers(), (0, 0, SYN_FLAG | ECE_FLAG | CWR_FLAG));
    assert_eq!(made(true).numbers(), (0, 1, SYN_FLAG | ACK_FLAG | ECE_FLAG));
    // Data begins behind it.
    assert_eq!(read(connection, &data(0, 1040, 0)).numbers(), (1, 1, ACK_FLAG));
    assert_eq!(read(connection, &ack(0, 0)).numbers(), (1, 1, ACK_FLAG));
}

#[test]
fn any_packet_size_can_be_written() {
    for size in [1, 39, 40, u16::MAX] {
        for payload_bytes in [0, 1, 65_535] {
            let facts = FlowFacts { payload_bytes, header_bytes: 0, tcp: Some(tcp()) };
            read(Connection { facts, ..connection(tcp()) }, &data(1, size, 0));
            read(udp(payload_bytes, 0), &data(1, size, 0));
        }
    }
}
