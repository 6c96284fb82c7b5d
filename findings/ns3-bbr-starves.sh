#!/usr/bin/env bash
# ns-3 3.39.post2 and 3.44.post0 (wheels of PyPI): one BBR flow alone at 50 Mbit/s, buffer of one bandwidth-delay product.
#
# Guess:  BBR fills a link on which it is alone, whatever the buffer.
# Seen:   3.39 delivers 0.07 Mbit/s from 10 to 30 s, without a loss in that time; 3.44 delivers 46. Until 3.40 the interval of
#         a delivery-rate sample began with the packet sampled before, so it was too long by the gap between packets. With
#         one packet in flight after a timeout the rate, and with it the pace, only shrinks.
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
