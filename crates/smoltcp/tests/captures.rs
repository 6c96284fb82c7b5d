//! A capture of the port has smoltcp's own packets.

use std::io::Write;
use std::process::{Command, Stdio};

use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use parshall_smoltcp::{IpVersion, Options, Transfer};

use crate::common::{link, reno, scenario};

const FILE_HEADER_BYTES: usize = 24;
const FRAME_HEADER_BYTES: usize = 16;
const RAW_IP: u32 = 101;

/// A classic capture of both directions of the link.
fn capture(version: IpVersion, bytes: u64) -> Vec<u8> {
    let mut scenario = scenario(20.0, link());
    scenario.record.pcap = vec!["a->b".into()];
    scenario.record.pcap_both_directions = true;
    let transfer = Transfer::of(bytes).with_options(Options { version, ..reno() });
    let run = transfer.run(scenario, ["a", "b"], 5).expect("a run");
    assert_eq!(run.received(), bytes);
    let (_, file) = run.recording().captures().next().expect("one capture");
    file.to_vec()
}

fn frames(file: &[u8]) -> Vec<&[u8]> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("4 bytes"));
    assert_eq!(word(20), RAW_IP, "the link type");
    let (mut frames, mut at) = (Vec::new(), FILE_HEADER_BYTES);
    while at < file.len() {
        let start = at + FRAME_HEADER_BYTES;
        at = start + word(at + 8) as usize;
        frames.push(&file[start..at]);
    }
    frames
}

#[test]
fn headers_and_checksums_in_a_capture_are_those_of_a_real_tcp() {
    for version in [IpVersion::V4, IpVersion::V6] {
        let file = capture(version, 400_000);
        let (mut syns, mut fins, mut payload) = (0, 0, 0);
        for frame in frames(&file) {
            let packet = SlicedPacket::from_ip(frame).expect("an IP packet");
            let Some(TransportSlice::Tcp(tcp)) = packet.transport else { panic!("no TCP in {frame:?}") };
            let checksum = match packet.net.expect("an IP header") {
                NetSlice::Ipv4(ip) => {
                    let header = ip.header();
                    assert_eq!(header.header_checksum(), header.to_header().calc_header_checksum());
                    tcp.to_header().calc_checksum_ipv4(&header.to_header(), tcp.payload())
                }
                NetSlice::Ipv6(ip) => {
                    tcp.to_header().calc_checksum_ipv6(&ip.header().to_header(), tcp.payload())
                }
                other => panic!("{other:?}"),
            };
            assert_eq!(checksum.expect("a payload that fits"), tcp.checksum());
            syns += u32::from(tcp.syn());
            fins += u32::from(tcp.fin());
            payload += tcp.payload().len();
        }
        assert_eq!((syns, fins), (2, 2));
        assert!(payload >= 400_000);
    }
}

#[test]
fn wireshark_finds_nothing_wrong_with_a_capture() {
    for version in [IpVersion::V4, IpVersion::V6] {
        let file = capture(version, 200_000);
        let options = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-n", "-r", "-"];
        let child = Command::new("tshark")
            .args(options)
            .args(["-Y", "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0 || !tcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else {
            eprintln!("skipped: no tshark");
            return;
        };
        child.stdin.take().expect("piped").write_all(&file).expect("tshark reads all");
        let done = child.wait_with_output().expect("tshark ends");
        assert!(done.status.success(), "tshark reads the file");
        assert_eq!(String::from_utf8_lossy(&done.stdout), "");
    }
}
