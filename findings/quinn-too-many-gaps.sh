#!/usr/bin/env bash
# quinn-proto 0.11.19 (crates.io), streams: one stream over 500 Mbit/s, 40 ms and a queue of a bandwidth-delay product (1667 packets),
# with receive windows of 64 MiB in place of 1.25 MB, and quinn's default control (CUBIC).
#
# Guess:  slow start overshoots, some thousand packets are lost and sent again, and the transfer goes on.
# Seen:   the receiver ends the connection within a second: "too many gaps in stream buffer". Assembler (connection/assembler.rs) keeps no
#         more than 1024 pieces that are not in order, a bound on what a peer can make it hold, and the losses of slow start, which
#         are every other packet, leave more gaps than that.
# So:     whoever raises the windows for a fast path, as is usual, gets connections that end in their first second, and only there.
#
# Takes about a minute. Needs Rust 1.85 or later; everything is in a temporary folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=findings/quinn-proto.inc
. "$here/quinn-proto.inc"

quinn_proto
slow=$(over 20 67 0 cubic 5)
fast=$(over 500 1667 0 cubic 5)
echo " 20 Mbit/s: $slow"
echo "500 Mbit/s: $fast"
case "$slow:$fast" in
  *end=none*:*"too many gaps in stream buffer"*) echo "as described" ;;
  *) echo "quinn-proto no longer ends a transfer with many gaps" >&2; exit 1 ;;
esac
