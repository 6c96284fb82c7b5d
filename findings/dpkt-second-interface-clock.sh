#!/usr/bin/env bash
# dpkt 1.9.8 (PyPI): the time stamps of a pcapng file with two interfaces.
#
# Guess:  each frame's time is counted in the unit of the interface that the frame names, as pcapng requires.
# Seen:   dpkt uses the unit of the first interface for all frames. Where that one counts nanoseconds (if_tsresol 9) and
#         the second one microseconds, frames of the second interface are placed in January 1970.
# So:     round trips between the two interfaces are off by a factor of 1000, and no error is raised.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check dpkt==1.9.8
"$work/venv/bin/python" - "$work/two.pcapng" <<'PY'
import struct
import sys

import dpkt


def block(kind, body):
    body += b"\0" * (-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def interface(options=b""):
    return block(1, struct.pack("<HHI", 1, 0, 0) + options)


def frame(interface, ticks, data=b"\xff" * 60):
    return block(6, struct.pack("<IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data)) + data)


second = 1_700_000_000
nanoseconds = struct.pack("<HHB3xHH", 9, 1, 9, 0, 0)
with open(sys.argv[1], "wb") as file:
    file.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
    file.write(interface(nanoseconds) + interface())
    file.write(frame(0, second * 10**9 + 1000) + frame(1, second * 10**6 + 2))

with open(sys.argv[1], "rb") as file:
    first, other = (float(time) for time, _ in dpkt.pcapng.Reader(file))
print(f"dpkt {dpkt.__version__}: the frames are 1 us apart; it says {first:.6f} and {other:.6f} s")
if abs(first - second) > 1 or abs(other - second / 1000) > 1:
    sys.exit("dpkt no longer reads the second interface in the unit of the first")
PY
