#!/usr/bin/env bash
# iproute2 6.1.0 (Debian 12): the round-trip time that a route tells TCP, `ip route add ... rtt 20`.
#
# Guess:  a number without a unit is in milliseconds.
# Seen:   a bare rtt is in eighths and a bare rttvar in quarters of a millisecond, the units of the kernel: "rtt 20" is
#         shown as 2ms, "rttvar 20" as 5ms, "rto_min 20" as 20ms. With "20ms" all three are 20 ms.
# So:     a script with bare numbers starts TCP with an eighth of the round-trip time that it names.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get download -qq iproute2=6.1.0-3 2> /dev/null) || { echo "needs Debian 12" >&2; exit 2; }
dpkg -x "$work"/*.deb "$work/root"
export ip=$work/root/bin/ip
[ -x "$ip" ] || ip=$work/root/sbin/ip
"$ip" -V
unshare --user --net --map-root-user true 2> /dev/null || { echo "needs user and network namespaces" >&2; exit 2; }
unshare --user --net --map-root-user bash -eu > "$work/seen" <<'NAMESPACE'
"$ip" link set dev lo up
for metric in "rtt 20" "rttvar 20" "rto_min 20" "rtt 20ms" "rttvar 20ms" "rto_min 20ms"; do
  "$ip" route replace 198.51.100.0/24 dev lo $metric
  echo "$metric:" $("$ip" route show 198.51.100.0/24 | grep -o '[0-9]*ms')
done
NAMESPACE
cat "$work/seen"
diff - "$work/seen" <<'END' || { echo "ip no longer takes a bare rtt in eighths of a millisecond" >&2; exit 1; }
rtt 20: 2ms
rttvar 20: 5ms
rto_min 20: 20ms
rtt 20ms: 20ms
rttvar 20ms: 20ms
rto_min 20ms: 20ms
END
