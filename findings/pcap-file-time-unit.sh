#!/usr/bin/env bash
# pcap-file 2.0.0 (crates.io), PcapNgReader: time stamps of pcapng.
#
# Guess:  the stamp of an Enhanced Packet Block is a time since 1970 in the unit that its interface states, microseconds
#         if it states none.
# Seen:   `EnhancedPacketBlock::timestamp` takes the number for nanoseconds whatever the interface says. In a file as
#         dumpcap writes it on most computers, in microseconds, all times are a thousandth of what they should be.
# So:     a frame of 2023 was captured on 20 January 1970, and 20 ms between two frames are 20 us.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! command -v cargo > /dev/null; then
  echo "cargo is missing" >&2
  exit 2
fi
mkdir "$work/src"
cd "$work"
cat > Cargo.toml <<'TOML'
[package]
name = "example"
version = "0.1.0"
edition = "2021"

[dependencies]
pcap-file = "=2.0.0"
TOML
cat > src/main.rs <<'RUST'
use pcap_file::pcapng::{Block, PcapNgReader};

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let size = (body.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes()[..], &size, body, &size].concat()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn main() {
    let ticks: u64 = 1_700_000_000_000_000;
    let mut packet = words(&[0, (ticks >> 32) as u32, ticks as u32, 60, 60]);
    packet.extend([0xff; 60]);
    let file = [
        block(0x0A0D_0D0A, &words(&[0x1A2B_3C4D, 1, u32::MAX, u32::MAX])),
        block(1, &words(&[1, 0])),
        block(6, &packet),
    ]
    .concat();
    let mut reader = PcapNgReader::new(&file[..]).expect("a section");
    while let Some(next) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = next.expect("a block") {
            let seconds = packet.timestamp.as_secs_f64();
            println!("pcap-file 2.0.0: captured at 1700000000 s, in microseconds; read as {seconds} s");
            if packet.timestamp.as_secs() != 1_700_000 {
                println!("pcap-file no longer takes microseconds for nanoseconds");
                std::process::exit(1);
            }
        }
    }
}
RUST
cargo run --quiet
