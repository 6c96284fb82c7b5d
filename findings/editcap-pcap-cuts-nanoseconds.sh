#!/usr/bin/env bash
# editcap 4.0.17 (Debian 12, wireshark-common): a capture in nanoseconds converted by `editcap -F pcap`.
#
# Guess:  the file gets the magic number of nanosecond captures, or editcap says that digits are lost.
# Seen:   the file has microseconds, the status is 0, and nothing is printed. `-F nsecpcap` keeps the digits.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=4.0.17-0+deb12u3
(cd "$work" && apt-get download -qq wireshark-common=$version libwiretap13=$version libwsutil14=$version 2> /dev/null) ||
  { echo "needs Debian 12 on amd64, with its security updates among apt's sources" >&2; exit 2; }
for package in "$work"/*.deb; do dpkg -x "$package" "$work/root"; done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu PATH=$work/root/usr/bin:$PATH
editcap --version | head -1
python3 - "$work/nanoseconds.pcap" <<'PY'
import struct
import sys

with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
    file.write(struct.pack("<IIII", 1_700_000_000, 123_456_789, 60, 60) + b"\xff" * 60)
PY
said=$(editcap -F pcap "$work/nanoseconds.pcap" "$work/pcap.pcap" 2>&1)
editcap -F nsecpcap "$work/nanoseconds.pcap" "$work/nsecpcap.pcap"
python3 - "$work/pcap.pcap" "$work/nsecpcap.pcap" "$said" <<'PY'
import struct
import sys


def fraction(path):
    with open(path, "rb") as file:
        magic = struct.unpack("<I", file.read(4))[0]
        file.seek(28)
        return hex(magic), struct.unpack("<I", file.read(4))[0]


plain, nanoseconds = fraction(sys.argv[1]), fraction(sys.argv[2])
print(f"-F pcap: {plain}; -F nsecpcap: {nanoseconds}; printed: {sys.argv[3]!r}")
if plain != ("0xa1b2c3d4", 123456) or nanoseconds != ("0xa1b23c4d", 123456789) or sys.argv[3]:
    sys.exit("editcap -F pcap no longer cuts nanoseconds without a word")
PY
