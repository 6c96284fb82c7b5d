#!/usr/bin/env bash
# dpkt 1.9.8 (PyPI): a pcapng file whose second section was written in the other byte order.
#
# Guess:  both sections are read, or an error says that the second one cannot be. Each section of pcapng has a byte order
#         of its own, so that captures of two machines can be joined by `cat`.
# Seen:   iteration ends behind the first section, without an error.
# So:     half of a joined capture is missing, and nothing tells.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check dpkt==1.9.8
"$work/venv/bin/python" - "$work/joined.pcapng" <<'PY'
import struct
import sys

import dpkt


def section(order, second):
    def block(kind, body):
        body += b"\0" * (-len(body) % 4)
        size = struct.pack(order + "I", len(body) + 12)
        return struct.pack(order + "I", kind) + size + body + size

    ticks, data = second * 10**6, b"\xff" * 60
    return (
        block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
        + block(1, struct.pack(order + "HHI", 1, 0, 0))
        + block(6, struct.pack(order + "IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, 60, 60) + data)
    )


def frames(path):
    with open(path, "rb") as file:
        return len(list(dpkt.pcapng.Reader(file)))


counts = []
for orders in ("<<", "<>"):
    with open(sys.argv[1], "wb") as file:
        file.write(section(orders[0], 1_700_000_000) + section(orders[1], 1_700_000_001))
    counts.append(frames(sys.argv[1]))
print(f"dpkt {dpkt.__version__}: two sections of one frame each: {counts[0]} frames in one byte order, {counts[1]} in two")
if counts != [2, 1]:
    sys.exit("dpkt no longer ends quietly at a section of the other byte order")
PY
