#!/usr/bin/env bash
# smoltcp 0.14.0 (crates.io), TCP: two packets of one window are lost. 10 Mbit/s, 40 ms, a receive window of 60 packets.
#
# Guess:  one recovery, without a pause: the ACK that the first retransmission brings is short of what was out, which shows
#         the second hole (RFC 6582, 1999 as RFC 2582).
# Seen:   one loss costs no pause, a second one a whole second. Fast recovery ends with the first ACK of new data (Reno::on_ack and
#         Cubic::on_ack), three duplicates for the second hole never come since nothing was sent behind it, and the
#         timeout is one second at least. SACK is sent, but a sender does not read it.
# So:     with a drop-tail queue, where losses come in pairs, links stay idle for a second after slow start, whatever the control.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=findings/smoltcp-link.inc
. "$here/smoltcp-link.inc"

prepare
cat > "$work/src/main.rs" <<'RUST'
mod link;

use link::{transfer, CongestionControl};

fn main() {
    for control in [CongestionControl::Reno, CongestionControl::Cubic] {
        let longest = [&[1000][..], &[1000, 1010]].map(|lost| {
            let seen = transfer(control, 60 * 1460, usize::MAX, lost, 4);
            seen.silences(0.0).into_iter().map(|(_, length)| length).fold(0.0, f64::max)
        });
        let [one, two] = longest;
        println!("{control:?}: longest pause of the sender {one:.3} s with one loss, {two:.3} s with two");
        if one > 0.2 || !(1.0..1.2).contains(&two) {
            println!("smoltcp no longer waits for the timeout");
            std::process::exit(1);
        }
    }
}
RUST
run
