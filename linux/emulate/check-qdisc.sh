# What the queue discipline estmred is put through in an emulated machine; tests/test_linux_qdisc.py reads what this prints.
#
# Each part begins with a line "== name". The machine has the modules veth, dummy, tbf, netem and those of stock
# disciplines, the programs tc, ip, iperf3 and those of this folder, and the module in /lib.

part() { echo "== $1"; }
clean() { dmesg | grep -iE "BUG|oops|warn|call trace|stall|leak|UBSAN|refcount"; true; }
# What the kernel said at its start is none of our business.
dmesg -c > /dev/null
part release
uname -r
part load
insmod /lib/sch_estmred.ko && echo loaded
ip link add d0 type dummy; ip link set d0 up; ip addr add 10.9.9.1/24 dev d0
part options
tc qdisc add dev d0 root handle 1: estmred limit 60kB min 15kB max 45kB avpkt 1000 bandwidth 100Mbit delay 50ms ecn
tc qdisc show dev d0
tc -s -d qdisc show dev d0
part json
tc -j -s -d qdisc show dev d0
part change
tc qdisc change dev d0 root estmred gamma2 0.25 clock 10ms estimate multi-hop && tc -d qdisc show dev d0
tc qdisc change dev d0 root estmred estimate off && tc qdisc show dev d0
part errors
tc qdisc change dev d0 root estmred gamma2 2
tc qdisc change dev d0 root estmred delay 2us
tc qdisc change dev d0 root estmred limit 5
tc qdisc change dev d0 root estmred delay soon
tc qdisc change dev d0 root estmred estimate perhaps
tc qdisc change dev d0 root estmred estimate one-hop sampling 200ms
tc qdisc change dev d0 root estmred colour red 2>&1 | head -1
tc qdisc del dev d0 root
tc qdisc add dev d0 root estmred limit 60kB avpkt 1000 estimate one-hop
tc qdisc add dev d0 root estmred limit 60kB avpkt 1000 nodrop
part again
i=0; while [ $i -lt 1000 ]; do echo "qdisc add dev d0 root estmred limit 60kB min 15kB max 45kB avpkt 1000 bandwidth 100Mbit delay 50ms"; echo "qdisc del dev d0 root"; i=$((i+1)); done > /tmp/batch
tc -batch /tmp/batch && echo "added and removed 1000 times"
part sizes
ip link add d1 type dummy; ip link set d1 mtu 65535 up; ip addr add 10.9.8.1/24 dev d1; ip neigh add 10.9.8.2 lladdr 02:00:00:00:00:02 dev d1
tc qdisc add dev d1 root estmred limit 60kB min 15kB max 45kB avpkt 1000 bandwidth 100Mbit delay 50ms
send_sizes 10.9.8.2
ip link set d1 mtu 68; ip link set d1 mtu 1500
send_sizes 10.9.8.2
tc -s qdisc show dev d1 | grep -c Sent
part fuzz
ip neigh add 10.9.9.2 lladdr 02:00:00:00:00:02 dev d0
(while :; do send_sizes 10.9.9.2 > /dev/null; done) & LOAD=$!
fuzz_netlink d0 5000 1
kill $LOAD; wait $LOAD 2>/dev/null
tc -s -d qdisc show dev d0 | grep -c estmred
tc qdisc del dev d0 root 2>/dev/null
part memory
while [ $(awk '/MemAvailable/ { print $2 }' /proc/meminfo) -gt 24000 ]; do dd if=/dev/zero of=/tmp/fill bs=1M count=4 oflag=append conv=notrunc 2>/dev/null; done
head -400 /tmp/batch > /tmp/less; tc -batch /tmp/less && echo "with little memory, too"
rm /tmp/fill
part traffic
for n in a r b; do ip netns add $n; ip -n $n link set lo up; done
ip link add va netns a type veth peer name ra netns r
ip link add vb netns b type veth peer name rb netns r
ip -n a addr add 10.0.1.2/24 dev va; ip -n r addr add 10.0.1.1/24 dev ra
ip -n b addr add 10.0.2.2/24 dev vb; ip -n r addr add 10.0.2.1/24 dev rb
ip -n a link set va gso_max_segs 1; for x in "a va" "r ra" "r rb" "b vb"; do set -- $x; ip -n $1 link set $2 up; done
ip -n a route add default via 10.0.1.1; ip -n b route add default via 10.0.2.1
ip netns exec r sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
T="ip netns exec r tc"
$T qdisc add dev rb root handle 1: tbf rate 10mbit burst 3k limit 1m
$T qdisc add dev rb parent 1: handle 2: estmred limit 60kB min 15kB max 45kB avpkt 1000 bandwidth 10Mbit delay 20ms average-alpha 0.1
ip netns exec b tc qdisc add dev vb root netem delay 40ms limit 1000
ip netns exec b iperf3 -s > /dev/null 2>&1 &
SERVERS=$!
ip netns exec b iperf3 -s -p 5202 > /dev/null 2>&1 &
SERVERS="$SERVERS $!"
sleep 0.5
ip netns exec a iperf3 -c 10.0.2.2 -p 5202 -u -b 6M -l 972 -t 9 > /tmp/udp 2>&1 &
UDP=$!
ip netns exec a iperf3 -c 10.0.2.2 -P 4 -t 8 > /tmp/tcp 2>&1 &
TCP=$!
for i in 1 2 3 4 5 6; do sleep 0.5; $T qdisc change dev rb parent 1: handle 2: estmred gamma2 0.$i limit 60kB min 15kB max 45kB avpkt 1000 && echo changed; done
sleep 4
$T -s qdisc show dev rb | tail -2
part estimate
$T -j -s qdisc show dev rb
part tune
$T qdisc change dev rb parent 1: handle 2: estmred tune-above 0.2 tune-band 0
sleep 1
$T -j -s -d qdisc show dev rb
$T qdisc change dev rb parent 1: handle 2: estmred tune-above never
$T -j -s -d qdisc show dev rb
part messages
ip netns exec r /bin/dump_netlink
part ended
wait $TCP $UDP
grep -c receiver /tmp/tcp; grep -c receiver /tmp/udp
part remove
kill $SERVERS; wait $SERVERS 2>/dev/null
ip netns del a; ip netns del r; ip netns del b; ip link del d0; ip link del d1; sleep 1
rmmod sch_estmred && echo removed
part complaints
clean
