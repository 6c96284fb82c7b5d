#!/usr/bin/env bash
# scapy 2.8.0 and python-pcapng 2.1.1 (PyPI), beside dpkt 1.9.8: pcapng's option if_tsoffset.
#
# Guess:  readers of pcapng add the seconds of if_tsoffset (option 14) to each time stamp of the interface, since the
#         stamps mean nothing without them. dpkt, tshark and tcpdump do.
# Seen:   scapy and python-pcapng ignore the option, and place the frame 0.123456 s after 1970 began.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check scapy==2.8.0 python-pcapng==2.1.1 dpkt==1.9.8
"$work/venv/bin/python" - "$work/offset.pcapng" <<'PY'
import struct
import sys

import dpkt
import pcapng
from scapy.utils import PcapNgReader


def block(kind, body):
    body += b"\0" * (-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


second = 1_700_000_000
offset = struct.pack("<HHqHH", 14, 8, second, 0, 0)
with open(sys.argv[1], "wb") as file:
    file.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
    file.write(block(1, struct.pack("<HHI", 1, 0, 0) + offset))
    file.write(block(6, struct.pack("<IIIII", 0, 0, 123456, 60, 60) + b"\xff" * 60))

with open(sys.argv[1], "rb") as file:
    by_dpkt = [float(time) for time, _ in dpkt.pcapng.Reader(file)]
with open(sys.argv[1], "rb") as file:
    by_pcapng = [block.timestamp for block in pcapng.FileScanner(file) if hasattr(block, "timestamp")]
with PcapNgReader(sys.argv[1]) as reader:
    by_scapy = [float(packet.time) for packet in reader]
print(f"the frame was captured at {second}.123456 s: dpkt {by_dpkt[0]:.6f}, python-pcapng {by_pcapng[0]:.6f}, scapy {by_scapy[0]:.6f}")
if by_dpkt[0] < second or by_pcapng[0] != 0.123456 or by_scapy[0] != 0.123456:
    sys.exit("a reader treats if_tsoffset otherwise than it did")
PY
