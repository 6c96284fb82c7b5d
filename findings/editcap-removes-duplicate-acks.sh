#!/usr/bin/env bash
# editcap 4.0.17 (Debian 12, wireshark-common): removing frames that were captured twice by `editcap -d`.
#
# Guess:  a frame is removed if its copy was captured at nearly the same time, as a mirror port does it.
# Seen:   -d compares a frame with the five before it and does not look at times. Duplicate ACKs over IPv6 are equal byte
#         by byte, so that five of six are removed though they are 10 ms apart. `-w 0.001` keeps all six.
# So:     after the usual cleaning of a capture a fast retransmission has no cause any more.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=4.0.17-0+deb12u3
(cd "$work" && apt-get download -qq wireshark-common=$version libwiretap13=$version libwsutil14=$version 2> /dev/null) ||
  { echo "needs Debian 12 on amd64, with its security updates among apt's sources" >&2; exit 2; }
for package in "$work"/*.deb; do dpkg -x "$package" "$work/root"; done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu PATH=$work/root/usr/bin:$PATH
editcap --version | head -1
python3 - "$work/acks.pcap" <<'PY'
import struct
import sys

ports_and_numbers = struct.pack("!HHIIBBH", 80, 4000, 2000, 3000, 5 << 4, 16, 64000)
addresses = bytes.fromhex("20010db8" + "00" * 11 + "02" + "20010db8" + "00" * 11 + "01")
words = struct.unpack("!28H", addresses + struct.pack("!IHBB", 20, 0, 0, 6)[:8] + ports_and_numbers)
total = sum(words)
total = (total & 0xFFFF) + (total >> 16)
checksum = struct.pack("!HH", ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF, 0)
ack = b"\x02" * 12 + b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, 20, 6, 64) + addresses + ports_and_numbers + checksum
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for number in range(6):
        file.write(struct.pack("<IIII", 1_700_000_000, 10_000 * number, len(ack), len(ack)) + ack)
PY
by_count=$(editcap -d "$work/acks.pcap" "$work/by-count.pcap" 2>&1)
by_time=$(editcap -w 0.001 "$work/acks.pcap" "$work/by-time.pcap" 2>&1)
echo "-d:       $by_count"
echo "-w 0.001: $by_time"
[[ $by_count == *"5 packets skipped"* && $by_time == *" 0 packets skipped"* ]] ||
  { echo "editcap -d no longer removes duplicate ACKs that are 10 ms apart" >&2; exit 1; }
