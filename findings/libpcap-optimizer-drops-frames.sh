#!/usr/bin/env bash
# libpcap 1.10.3 with tcpdump 4.99.3 (Debian 12): a filter with and without the optimizer (-O).
#
# Guess:  the optimizer makes a filter faster and changes nothing else.
# Seen:   "net 2001:db8::/48 and net 2001:db8::/48" loses the frames from inside the network to outside; with -O, or with
#         "net 2001:db8::/48" alone, they are there.
# So:     a filter put together from parts that name one network twice may show one direction of the traffic only.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get download -qq tcpdump=4.99.3-1 libpcap0.8=1.10.3-1 2> /dev/null) ||
  { echo "needs Debian 12 on amd64" >&2; exit 2; }
for package in "$work"/*.deb; do dpkg -x "$package" "$work/root"; done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu PATH=$work/root/usr/bin:$PATH
tcpdump --version 2>&1 | head -2
python3 - "$work/four.pcap" <<'PY'
import socket
import struct
import sys

hosts = [socket.inet_pton(socket.AF_INET6, host) for host in ("2001:db8::1", "2001:db9::1")]
udp = struct.pack("!HHHH", 1000, 2000, 8, 0)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for source in hosts:
        for target in hosts:
            frame = b"\x02" * 12 + b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, 8, 17, 64) + source + target + udp
            file.write(struct.pack("<IIII", 1_700_000_000, 0, len(frame), len(frame)) + frame)
PY
chosen() { tcpdump -n -t -r "$work/four.pcap" "$@" 2> /dev/null; }
net="net 2001:db8::/48"
once=$(chosen "$net") twice=$(chosen "$net and $net") unoptimized=$(chosen -O "$net and $net")
printf '%s:\n%s\n' "$net" "$once" "$net and $net" "$twice" "-O $net and $net" "$unoptimized"
outward="IP6 2001:db8::1.1000 > 2001:db9::1.2000"
[[ $once == "$unoptimized" && $once == *"$outward"* && $twice != *"$outward"* ]] ||
  { echo "libpcap's optimizer no longer drops the frames that leave the network" >&2; exit 1; }
