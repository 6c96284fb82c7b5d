#!/usr/bin/env bash
# smoltcp 0.14.0 (crates.io), TCP without congestion control, which is what the default features have (neither `socket-tcp-reno`
# nor `socket-tcp-cubic`): 10 Mbit/s, 40 ms, a queue of 50 packets, buffers of 1 MiB.
#
# Guess:  the link is full. A sender that offers its whole window again and again loses most of it, but 50 packets always wait.
# Seen:   0.07 Mbit/s of 10. The sender pauses for 1, 2, 4, 8 and 16 s, although data arrives after each timeout. It then sends
#         its whole window again, of which most is lost as before. Nothing that it sends is new, so nothing is measured
#         (Karn's rule), and without a measurement the timeout stays doubled.
# So:     a receive window beyond what the queue takes is enough to stop such a sender.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=findings/smoltcp-link.inc
. "$here/smoltcp-link.inc"

prepare
cat > "$work/src/main.rs" <<'RUST'
mod link;

use link::{transfer, CongestionControl};

fn main() {
    let seen = transfer(CongestionControl::None, 1 << 20, 50, &[], 60);
    let rate = seen.received as f64 * 8e-6 / 60.0;
    let pauses: Vec<i64> = seen.silences(0.5).iter().map(|&(_, length)| length.round() as i64).collect();
    println!("without congestion control: {rate:.3} Mbit/s of 10, pauses of {pauses:?} s");
    if rate > 0.2 || pauses != [1, 2, 4, 8, 16] {
        println!("smoltcp no longer doubles its timeout while data arrives");
        std::process::exit(1);
    }
}
RUST
run
