#!/usr/bin/env bash
# quinn-proto 0.11.19 (crates.io), congestion::Bbr: ACKs that come up to 0.5 ms late, 20 Mbit/s, 40 ms, a queue of 100 packets.
#
# Guess:  half a millisecond of jitter in 40 ms changes nothing: BBR measures a delivery rate over a round trip.
# Seen:   without jitter less than a tenth of the packets is lost, with it about half of them, for as long as the transfer lasts.
#         BandwidthEstimation::on_ack() divides what one ACK acknowledges by the time since the ACK before, and keeps the largest
#         of ten rounds. ACKs come 1.2 ms apart here; two that jitter together promise several times the link's rate.
#         The limit by the rate of sending is none where two packets leave at one instant.
# So:     quinn's BBR (experimental, says its documentation) looks right in a network without jitter, such as that of most tests, and
#         floods every real one. Bursts whose packets leave 100 us apart have nothing to do with it.
#
# Takes about a minute. Needs Rust 1.85 or later; everything is in a temporary folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=findings/quinn-proto.inc
. "$here/quinn-proto.inc"

quinn_proto
even=$(over 20 100 0 bbr 10)
uneven=$(over 20 100 500 bbr 10)
echo "without jitter: $even"
echo "with jitter:    $uneven"
share() { sed -E 's/.*lost_percent=([0-9]+) .*/\1/' <<< "$1"; }
if [ "$(share "$even")" -ge 15 ] || [ "$(share "$uneven")" -lt 35 ]; then
  echo "quinn-proto's BBR no longer depends on the jitter of ACKs as described" >&2
  exit 1
fi
echo "as described"
