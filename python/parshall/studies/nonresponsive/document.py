"""What Chapter II prints, number by number, and the places where it is silent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parshall.report import Assumption, Document
from parshall.studies.nonresponsive import cases
from parshall.studies.nonresponsive import networks as net

__all__ = ["ASSUMPTIONS", "DOCUMENT", "ERRORS", "TABLE_2", "TABLE_3", "PrintedError"]

DOCUMENT = Document(
    title="Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior",
    authors="Zhili Zhao",
    source="PhD dissertation, Texas A&M University, 2004: Chapter II and Appendix A",
)


@dataclass(frozen=True)
class PrintedError:
    """A mean square error of the modified algorithm."""

    where: str
    case: str
    value: float


ERRORS: tuple[PrintedError, ...] = (
    PrintedError("Figure 9, text", "load/16", 0.003353),
    PrintedError("Figure 9, text", "vbr/slow", 0.003534),
    PrintedError("Figure 9, text", "vbr/fast", 0.002445),
    PrintedError("Table I", "load/22", 0.000550),
    PrintedError("Table I", "iiad/50", 0.000584),
    PrintedError("Table I", "iiad/100", 0.002199),
    PrintedError("Table I", "sqrt/50", 0.001206),
    PrintedError("Table I", "sqrt/100", 0.000451),
)

TABLE_2: Mapping[int, tuple[float, float, float]] = {
    25: (3.0, 2.7, 1.6),
    22: (1.1, 2.8, 1.7),
    16: (0.3, 1.8, 1.4),
}
"""Drop rate in % at links 1, 2 and 3, by the number of CBR flows in set B."""

TABLE_3: Mapping[str, tuple[float, float, float]] = {
    "droptail": (71.5, 28.4, 34.2),
    "red": (24.3, 75.6, 5.64),
    "red-full": (61.3, 38.6, 29.3),
}
"""TCP's and CBR's share of the link and the drop rate, in %, by queue."""

ASSUMPTIONS: tuple[Assumption, ...] = (
    Assumption(
        "Topology",
        f"Figure 2 is lost. 28 Mbit/s, 50 ms, {net.BUFFER} packets, RED(15, 45, 0.1).",
        "A dumbbell with a pair of hosts for each flow, access links of 100 Mbit/s, reverse paths that never "
        "drop; RED in packets, weight 0.002, gentle.",
        "ns-2's habits of the time. Access queues never fill.",
    ),
    Assumption(
        "Round-trip time",
        "A sampling interval of 33 ms is 'a third of the RTT'; Table III fits only 120 ms.",
        "100 ms without queueing, and 120 ms beside it for Figure 3; Table III at 120 ms, and as a curve.",
        "The text of Chapter II gives 100 ms, the topology of Chapter IV 120 ms.",
    ),
    Assumption(
        "TCP",
        "'FTP flows'; no variant, no window.",
        "ns-2's NewReno, window 64, least RTO 1 s, no delayed ACKs, 40 bytes of headers; in Figure 11 Reno.",
        "A least RTO of 1 s was ns-2's default until October 2004. With Reno over three hops ns-2.35 gives "
        "the printed drop rates.",
    ),
    Assumption(
        "Start of flows",
        "Not given.",
        "Uniform in the first second; in Table III all CBR flows start at one instant.",
        "Only CBR flows in phase give the printed row of DropTail.",
    ),
    Assumption(
        "Start values of the estimator",
        "Not given, and with the printed gains the estimate stays near them.",
        "For 'printed' settings the start values alone are tuned: the share that does not respond and the "
        "mean window of a flow that does. For 'tuned' settings gains and filters as well.",
        "The dissertation picked settings by the least error (V.B). The page shows what other start values "
        "do.",
    ),
    Assumption(
        "Settings",
        "gamma1 = 5, gamma2 = 0.45 (0.25 with several hops), alpha = 0.4 (queue) and 0.6 (drops).",
        "Tuned ones come from Optuna: random trials, then CMA-ES, over the mean square error under 16, 22 "
        "and 25 CBR flows, on seeds that nothing is judged on; for several hops under 25 and 22.",
        "It is the dissertation's criterion, with the search written down.",
    ),
    Assumption(
        "Queue length in a sampling interval",
        "The mean of 'all inputs over one sampling interval'.",
        "The length at the end of the interval, filtered as printed.",
        "It is what a router's counters show, and what the estimator is for.",
    ),
    Assumption(
        "Loads of Figure 4",
        "The figure is lost.",
        f"{', '.join(map(str, cases.LOADS[:-1]))} and {cases.LOADS[-1]} CBR flows.",
        "From nearly none to more than 80 % of arrivals.",
    ),
    Assumption(
        "ON/OFF flows",
        "6 of 26 flows ON for x and OFF for x seconds.",
        "All six at once, ON first, from time 0.",
        "'The load has the shape of a square wave.'",
    ),
    Assumption(
        "Short flows",
        "300 flows from 100 s on, each 'sends 20 packets randomly five times in a 50-second time period'; "
        "the number of CBR flows is not given.",
        "1500 transfers of 20 packets, each over a connection of its own, at random instants from 100 to "
        "150 s; 16 CBR flows.",
        "A web transfer opens a connection. After 150 s the load without them can be seen.",
    ),
    Assumption(
        "Different round trips",
        "24.4 to 175.5 ms, R0 = 'the average value of the range (90 ms)'.",
        "Evenly spaced, R0 = 90 ms; 22 CBR flows; a bottleneck of 5 ms, for 50 ms does not allow 24.4 ms.",
        "The middle of the range is 100 ms; the printed 90 ms is used.",
    ),
    Assumption(
        "Raised thresholds of Figure 10",
        "'The minimum threshold of RED was increased.'",
        f"{', '.join(map(str, cases.MIN_THRESHOLDS[1:-1]))} and {cases.MIN_THRESHOLDS[-1]} packets.",
        "Below the upper threshold of 45.",
    ),
    Assumption(
        "IIAD and SQRT",
        "No factors.",
        "alpha = 1, beta = 1/2.",
        "Bansal and Balakrishnan's, which give TCP's square-root law.",
    ),
    Assumption(
        "Figure 11",
        "The figure is lost.",
        "Sets A and B enter at R1 and leave at R3 or R4; C and D cross link 2 only, E and F link 3 only. "
        "Access links of 10 ms, a round trip of 240 ms for set A.",
        "The reading that gives the drop rates of Table II in ns-2.35.",
    ),
    Assumption(
        "An accurate estimate",
        "'Accurate', 'effective'.",
        "A relative error of less than 10 % in either direction.",
        "The one bound that the chapter names (II.C.5).",
    ),
)
