#!/usr/bin/env bash
# ns-3 3.39.post2 and 3.44.post0 (wheels of PyPI): the queue of one BBR flow alone at 10 Mbit/s and 20 ms.
#
# Guess:  BBR alone on a clean link keeps a queue of some milliseconds, as Linux does (7.6 ms), in every release.
# Seen:   the mean wait is 5.7 ms in 3.39 and 22.9 ms in 3.44; nothing is lost in either. In 3.44 the largest sample of the
#         delivery rate is above what the link can carry. TcpRateLinux::SkbDelivered() keeps the time of an earlier ACK when
#         two packets were sent between the same two ACKs, so the sample of the second counts a packet more over the same
#         time. Until 3.40 another fault made the time too long by as much, and the two cancelled out.
#
# Takes about a minute. Needs g++ 12 or later and Python with pip; everything is in a temporary folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=findings/ns3-bbr.inc
. "$here/ns3-bbr.inc"

prepare 3.39.post2 c++17
prepare 3.44.post0 c++20
old=$(run 3.39.post2 10 20 65)
new=$(run 3.44.post0 10 20 65)
echo "one BBR flow, 10 Mbit/s, 20 ms, buffer of 4 bandwidth-delay products; the link carries 9.72 Mbit/s of payload"
echo "ns-3.39: $old"
echo "ns-3.44: $new"
expect "mean wait of ns-3.39, ms" "$(value wait "$old")" 5 7
expect "mean wait of ns-3.44, ms" "$(value wait "$new")" 21 25
expect "largest rate sample of ns-3.44, Mbit/s" "$(value largest_sample "$new")" 9.85 11
echo "as described"
