# A dumbbell: TCP and CBR flows, each with a host of its own on either side, over one bottleneck.
#
#   ns dumbbell.tcl ?option value? ...        prints one line: RESULT key value ...
source [file join [file dirname [info script]] common.tcl]

array set par {
    seed 1          time 1.0
    rate 28e6       delay 0.05      queue DropTail  limit 60
    access 100e6    accessdelays {}
    minth 15        maxth 45        maxp 0.1        weight 0.002    ecn 0
    tcp Newreno     ntcp 35         window 64       payload 1000    minrto 0.2
    ncbr 0          cbrrate 1e6     cbrpacket 1000
    starts {}
}
# rate, delay    of the bottleneck, bit/s and s;   access of the links to the hosts
# queue, limit   DropTail or RED, in packets;      minth, maxth, maxp, weight, ecn of RED
# ntcp, tcp      TCP flows and their variant;      window, payload, minrto in packets, bytes, s
# ncbr           CBR flows of cbrrate bit/s in packets of cbrpacket bytes
# starts, accessdelays   of each flow, in s, in the order in which flows are made
read_options $argv
make_simulator $par(seed)
tcp_defaults
red_defaults
set left [$ns node]
set right [$ns node]
bottleneck $left $right
for {set i 0} {$i < $par(ntcp)} {incr i} { tcp_flow [host_at $left] [host_at $right] }
for {set i 0} {$i < $par(ncbr)} {incr i} { cbr_flow [host_at $left] [host_at $right] }
run_for $par(time)
