#!/usr/bin/env bash
# scapy 2.8.0 and dpkt 1.9.8 (PyPI): Simple Packet Blocks of pcapng, which have no time stamp.
#
# Guess:  a reader hands such a frame over with the time 0 or None.
# Seen:   scapy gives it the time at which it was read, a different one each time the file is read. dpkt leaves the frame out.
# So:     in scapy a capture without times has plausible ones, and the gaps between frames are those of the reading program.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check scapy==2.8.0 dpkt==1.9.8
"$work/venv/bin/python" - "$work/simple.pcapng" <<'PY'
import struct
import sys
import time

import dpkt
from scapy.utils import PcapNgReader


def block(kind, body):
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def times_by_scapy():
    with PcapNgReader(sys.argv[1]) as reader:
        return [float(packet.time) for packet in reader]


with open(sys.argv[1], "wb") as file:
    file.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
    file.write(block(1, struct.pack("<HHI", 1, 0, 0)))
    file.write(block(3, struct.pack("<I", 60) + b"\xff" * 60) * 2)

before = time.time()
first = times_by_scapy()
time.sleep(1)
second = times_by_scapy()
after = time.time()
with open(sys.argv[1], "rb") as file:
    by_dpkt = list(dpkt.pcapng.Reader(file))
print(f"two frames without a time: scapy says {first}, a second later {second}; dpkt has {len(by_dpkt)} frames")
from_now = len(first) == len(second) == 2 and all(before <= time <= after for time in first + second)
if not from_now or second[0] - first[0] < 1 or by_dpkt:
    sys.exit("a reader treats Simple Packet Blocks otherwise than it did")
PY
