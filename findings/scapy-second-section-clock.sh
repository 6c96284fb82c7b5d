#!/usr/bin/env bash
# scapy 2.8.0 (PyPI): the time stamps of a pcapng file of two sections.
#
# Guess:  interface 0 of the second section is the one that this section describes. pcapng numbers interfaces anew in
#         each section.
# Seen:   scapy keeps the interfaces of the first section and looks the number up among them. Where the first section
#         counts nanoseconds and the second microseconds, the second's frames are placed in January 1970.
# So:     captures of two machines that were joined by `cat` lose their times, without an error.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check scapy==2.8.0
"$work/venv/bin/python" - "$work/joined.pcapng" <<'PY'
import struct
import sys

import scapy
from scapy.utils import RawPcapNgReader


def block(kind, body):
    body += b"\0" * (-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def section(ticks, options=b""):
    data = b"\xff" * 60
    return (
        block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        + block(1, struct.pack("<HHI", 1, 0, 0) + options)
        + block(6, struct.pack("<IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, 60, 60) + data)
    )


second = 1_700_000_000
nanoseconds = struct.pack("<HHB3xHH", 9, 1, 9, 0, 0)
with open(sys.argv[1], "wb") as file:
    file.write(section(second * 10**9 + 1000, nanoseconds) + section(second * 10**6 + 2))

with RawPcapNgReader(sys.argv[1]) as reader:
    times = [((meta.tshigh << 32) + meta.tslow) / meta.tsresol for _, meta in reader]
print(f"scapy {scapy.__version__}: the frames are 1 us apart; it says {times[0]:.6f} and {times[1]:.6f} s")
if abs(times[0] - second) > 1 or abs(times[1] - second / 1000) > 1:
    sys.exit("scapy no longer takes interfaces of the first section for those of the second")
PY
