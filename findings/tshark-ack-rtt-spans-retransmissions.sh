#!/usr/bin/env bash
# tshark 4.0.17 (Debian 12): round-trip times of segments that were sent twice.
#
# Guess:  `tcp.analysis.ack_rtt` is empty where an ACK may answer either copy (Karn's rule).
# Seen:   ack_rtt counts from the first copy: 1.02 s for a SYN sent again after a second, 0.32 s for data sent again after
#         0.3 s, on a path of 20 ms. initial_rtt counts from the last SYN: 0.021 s for the same handshake.
# So:     on a path with losses the largest ack_rtt is a retransmission timeout and tells nothing of the queue.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=4.0.17-0+deb12u3
tshark --version 2> /dev/null | grep -q "$version" ||
  { echo "needs tshark $version of Debian 12" >&2; exit 2; }
python3 - "$work/twice.pcap" <<'PY'
import struct
import sys

SYN, ACK, PUSH = 2, 16, 8
hosts = bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2])
ports = 4000, 80


def frame(sender, sequence, acknowledged, flags, length=0):
    tcp = struct.pack("!HHIIBBHHH", ports[sender], ports[1 - sender], sequence, acknowledged, 5 << 4, flags, 64000, 0, 0)
    start = struct.pack("!BBHHHBBH", 0x45, 0, 40 + length, 1, 0, 64, 6, 0)
    return start + hosts[sender] + hosts[1 - sender] + tcp + bytes(length)


syn, data = frame(0, 0, 0, SYN), frame(0, 1, 1, ACK | PUSH, 1000)
frames = [
    (0, syn), (1_000_000, syn), (1_020_000, frame(1, 0, 1, SYN | ACK)), (1_021_000, frame(0, 1, 1, ACK)),
    (2_000_000, data), (2_300_000, data), (2_320_000, frame(1, 1, 1001, ACK)),
]
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
    for time, bytes_ in frames:
        second, microsecond = divmod(time, 1_000_000)
        file.write(struct.pack("<IIII", 1_700_000_000 + second, microsecond, len(bytes_), len(bytes_)) + bytes_)
PY
field() { tshark -r "$work/twice.pcap" -Y "frame.number == $1" -T fields -e "tcp.analysis.$2" 2> /dev/null; }
handshake=$(field 3 ack_rtt) initial=$(field 4 initial_rtt) data=$(field 7 ack_rtt)
echo "tshark $version, 20 ms from the second copy to its ACK: SYN's ack_rtt $handshake, initial_rtt $initial, data's ack_rtt $data"
[[ $handshake == 1.020000000 && $initial == 0.021000000 && $data == 0.320000000 ]] ||
  { echo "tshark no longer counts ack_rtt from the first copy and initial_rtt from the last" >&2; exit 1; }
