# A parking lot: bottlenecks in a row, flows across all of them and cross traffic over each.
#
#   ns parking_lot.tcl ?option value? ...        prints one line: RESULT key value ...
source [file join [file dirname [info script]] common.tcl]

array set par {
    seed 1          time 1.0
    hops 10         through 10      cross 10        ncbr 0
    rate 10e6       delay 0.005     queue DropTail  limit 50
    access 100e6    accessdelays {}
    minth 15        maxth 45        maxp 0.1        weight 0.002    ecn 0
    tcp Newreno     window 64       payload 1000    minrto 0.2
    cbrrate 1e6     cbrpacket 1000
    starts {}
}
# hops           bottlenecks in a row
# through        TCP flows across all of them;     cross, ncbr TCP and CBR flows over each
# the others     as in dumbbell.tcl
read_options $argv
make_simulator $par(seed)
tcp_defaults
red_defaults
set router(0) [$ns node]
for {set i 1} {$i <= $par(hops)} {incr i} {
    set router($i) [$ns node]
    bottleneck $router([expr {$i - 1}]) $router($i)
}
for {set i 0} {$i < $par(through)} {incr i} { tcp_flow [host_at $router(0)] [host_at $router($par(hops))] }
for {set hop 0} {$hop < $par(hops)} {incr hop} {
    set from $router($hop)
    set to $router([expr {$hop + 1}])
    for {set i 0} {$i < $par(cross)} {incr i} { tcp_flow [host_at $from] [host_at $to] }
    for {set i 0} {$i < $par(ncbr)} {incr i} { cbr_flow [host_at $from] [host_at $to] }
}
run_for $par(time)
