#!/usr/bin/env bash
# ns-3: until 3.40 a BBR flow alone gets 0.1 % of a link of 50 Mbit/s when the buffer is one bandwidth-delay product.
#
# Guess of an expert: BBR fills a link on which it is alone, whatever the buffer; 50 Mbit/s give about 48 Mbit/s of payload.
# Seen: ns-3.39 delivers 0.07 Mbit/s from 10 to 30 s, without a loss in that time; ns-3.44 delivers 46. Reason: the interval
# of a delivery-rate sample began with the packet sampled before, so it was too long by the gap between packets. With one
# packet in flight after a timeout the rate, and so the pace, only shrinks. Corrected in 3.41.
#
# Takes about a minute. Needs g++ 12 or later and Python with pip; everything is in a temporary folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=findings/ns3-bbr.inc
. "$here/ns3-bbr.inc"

prepare 3.39.post2 c++17
prepare 3.44.post0 c++20
old=$(run 3.39.post2 50 20 81)
new=$(run 3.44.post0 50 20 81)
echo "one BBR flow, 50 Mbit/s, 20 ms, buffer of 1 bandwidth-delay product"
echo "ns-3.39: $old"
echo "ns-3.44: $new"
expect "goodput of ns-3.39, Mbit/s" "$(value goodput "$old")" 0 1
expect "goodput of ns-3.44, Mbit/s" "$(value goodput "$new")" 44 49
echo "as described"
