//! Captures of any network are read back: every block ends where the next one begins, and every packet is one.

use std::sync::Arc;

use bolero::check;
use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use parshall_fuzz::{network, Bytes};
use parshall_sim::internal::{Folding, Job, Plan};
use parshall_sim::scenario::Scenario;
use serde_json::json;

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

/// The packets of a pcap file, which it holds whole.
fn of_pcap(file: &[u8]) -> Vec<&[u8]> {
    assert_eq!(word(file, 0), 0xa1b2_3c4d);
    let (mut at, mut packets) = (24, Vec::new());
    while at < file.len() {
        let (stored, length) = (word(file, at + 8), word(file, at + 12));
        assert!(stored <= length && word(file, at + 4) < 1_000_000_000);
        packets.push(&file[at + 16..at + 16 + stored]);
        at += 16 + stored;
    }
    assert_eq!(at, file.len());
    packets
}

/// Those of a pcapng file.
fn of_pcapng(file: &[u8]) -> Vec<&[u8]> {
    let (mut at, mut packets) = (0, Vec::new());
    while at < file.len() {
        let (kind, length) = (word(file, at), word(file, at + 4));
        assert!(length % 4 == 0 && length >= 12);
        assert_eq!(word(file, at + length - 4), length);
        if kind == 6 {
            let stored = word(file, at + 20);
            assert!(28 + stored + 4 <= length);
            packets.push(&file[at + 28..at + 28 + stored]);
        }
        at += length;
    }
    assert_eq!(at, file.len());
    packets
}

fn is_a_packet(bytes: &[u8]) {
    let packet = SlicedPacket::from_ip(bytes).or_else(|_| {
        SlicedPacket::from_ip(&padded(bytes)).map(|_| SlicedPacket {
            link: None,
            link_exts: Default::default(),
            net: None,
            transport: None,
        })
    });
    let packet = packet.expect("headers that can be read");
    if let Some(NetSlice::Ipv4(ip)) = &packet.net {
        assert_eq!(ip.header().to_header().calc_header_checksum(), ip.header().header_checksum());
        assert!(matches!(packet.transport, Some(TransportSlice::Tcp(_) | TransportSlice::Udp(_)) | None));
    }
}

/// A packet of which the capture has kept the headers alone, with zeros for the rest, as they are sent.
fn padded(bytes: &[u8]) -> Vec<u8> {
    let length = usize::from(u16::from_be_bytes([bytes[2], bytes[3]]));
    let mut whole = bytes.to_vec();
    whole.resize(length.max(bytes.len()), 0);
    whole
}

#[test]
fn any_capture() {
    check!(name = "networks").for_each(|input: &[u8]| {
        let mut bytes = Bytes::new(input);
        let (format, both) = (bytes.one(&["pcap", "pcapng"]), bytes.below(2) == 1);
        let mut value = network(&mut bytes);
        value["record"] = json!({
            "pcap": ["shared", "l0"], "pcap_format": format, "pcap_both_directions": both,
        });
        let scenario: Scenario = serde_json::from_value(value).expect("a scenario");
        let Ok(plan) = Plan::new(&scenario, Folding::On) else {
            return;
        };
        let job = Job { plan: Arc::new(plan), seed: 1, max_events: Some(20_000) };
        let Ok(recording) = job.run() else {
            return;
        };
        assert_eq!(recording.captures().len(), 2);
        for (_, file) in recording.captures() {
            let packets = if format == "pcap" { of_pcap(file) } else { of_pcapng(file) };
            packets.into_iter().for_each(is_a_packet);
        }
    });
}
