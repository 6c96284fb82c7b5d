# What the benchmark's ns-2 scripts share: options, agents, and the counters that are printed at the end.
# Nothing is traced; counting costs ns-2 nothing that it would not spend anyway.

# Options of the command line over the defaults of array par; a misspelt one is refused.
proc read_options {arguments} {
    global par
    foreach {key value} $arguments {
        if {![info exists par($key)]} { puts stderr "unknown option $key"; exit 2 }
        set par($key) $value
    }
}

# One of ns-2's table of well separated seeds, and only the packet headers that are used.
proc make_simulator {seed} {
    global ns defaultRNG
    remove-all-packet-headers
    add-packet-header IP TCP Flags RTP
    set ns [new Simulator]
    # "seed n" with n = 1, 2, 3, ... gives streams that are correlated with each other.
    $defaultRNG seed predef [expr {$seed % 64}]
}

# Flow number i starts at entry i of option starts, and its access links have the delay that stands at entry i
# of option accessdelays: all simulators see the same network and the same start times.
set flows_made 0
proc start_next {source} {
    global ns par flows_made
    $ns at [lindex $par(starts) $flows_made] "$source start"
    incr flows_made
}

proc tcp_defaults {} {
    global par
    Agent/TCP set window_     $par(window)
    Agent/TCP set packetSize_ $par(payload)
    Agent/TCP set minrto_     $par(minrto)
    Agent/TCP set ecn_        $par(ecn)
}

proc red_defaults {} {
    global par
    Queue/RED set thresh_         $par(minth)
    Queue/RED set maxthresh_      $par(maxth)
    Queue/RED set linterm_        [expr {1.0 / $par(maxp)}]
    Queue/RED set q_weight_       $par(weight)
    Queue/RED set gentle_         true
    Queue/RED set bytes_          false
    Queue/RED set queue_in_bytes_ false
    Queue/RED set mean_pktsize_   $par(payload)
    Queue/RED set setbit_         $par(ecn)
    Queue/RED set use_mark_p_     false
}

# A host of its own for the next flow, joined to a router by links whose queues never drop.
proc host_at {router} {
    global ns par flows_made
    set node [$ns node]
    $ns duplex-link $node $router $par(access) [lindex $par(accessdelays) $flows_made] DropTail
    $ns queue-limit $node $router 1000000
    $ns queue-limit $router $node 1000000
    return $node
}

# The links at whose queues packets are dropped. Only drops are counted there: watching every arrival would
# slow ns-2 down.
set drop_counters {}
proc bottleneck {from to} {
    global ns par drop_counters
    $ns simplex-link $from $to $par(rate) $par(delay) $par(queue)
    $ns queue-limit  $from $to $par(limit)
    $ns simplex-link $to $from $par(rate) $par(delay) DropTail
    $ns queue-limit  $to $from 1000000
    set counter [new QueueMonitor]
    set snoop [new SnoopQueue/Drop]
    $snoop set-monitor $counter
    set head [[$ns link $from $to] set drophead_]
    $snoop target [$head target]
    $head target $snoop
    lappend drop_counters $counter
}

set senders {}
set sinks {}
proc tcp_flow {from to} {
    global ns par senders sinks
    set sender [new Agent/TCP/$par(tcp)]
    set sink [new Agent/[expr {$par(tcp) eq "Sack1" ? "TCPSink/Sack1" : "TCPSink"}]]
    $ns attach-agent $from $sender
    $ns attach-agent $to $sink
    $ns connect $sender $sink
    set source [new Application/FTP]
    $source attach-agent $sender
    start_next $source
    lappend senders $sender
    lappend sinks $sink
}

set monitors {}
proc cbr_flow {from to} {
    global ns par monitors
    set sender [new Agent/UDP]
    set monitor [new Agent/LossMonitor]
    $sender set packetSize_ $par(cbrpacket)
    $ns attach-agent $from $sender
    $ns attach-agent $to $monitor
    $ns connect $sender $monitor
    set source [new Application/Traffic/CBR]
    $source set packetSize_ $par(cbrpacket)
    $source set rate_ $par(cbrrate)
    $source attach-agent $sender
    start_next $source
    lappend monitors $monitor
}

# Prints what was sent, delivered and dropped.
proc finish {} {
    global par senders sinks monitors drop_counters
    set sent 0; set delivered 0; set dropped 0
    foreach sender $senders { incr sent [$sender set ndatapack_] }
    foreach sink $sinks {
        # Bytes on the wire that arrived in order.
        set delivered [expr {$delivered + [$sink set bytes_] / ($par(payload) + 40.0) * $par(payload)}]
    }
    foreach monitor $monitors {
        set sent [expr {$sent + [$monitor set npkts_] + [$monitor set nlost_]}]
        set delivered [expr {$delivered + [$monitor set bytes_]}]
    }
    foreach counter $drop_counters { set dropped [expr {$dropped + [$counter set pdrops_]}] }
    puts "RESULT packets_sent $sent bytes_delivered [expr {round($delivered)}] packets_dropped $dropped"
    exit 0
}

proc run_for {seconds} {
    global ns
    $ns at $seconds finish
    $ns run
}
