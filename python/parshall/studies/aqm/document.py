"""What Chapter IV prints, number by number, and the places where it is silent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from parshall.report import Assumption, Document
from parshall.studies.aqm.networks import TUNE_ABOVE

__all__ = [
    "ASSUMPTIONS",
    "DOCUMENT",
    "LTNRF_LOADS",
    "RELATIVE_DELAYS",
    "TABLE_5",
    "TABLE_6",
    "TABLE_7",
    "Printed",
    "printed_numbers",
]

DOCUMENT = Document(
    title="Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior",
    authors="Zhili Zhao",
    source="PhD dissertation, Texas A&M University, 2004: Chapter IV",
)


@dataclass(frozen=True)
class Printed:
    """A number of a table, and what it is of."""

    table: str
    """``VIII``, ``IX`` or ``X``."""
    metric: str
    """A column of the measures."""
    queue: str
    capacity: int
    buffer: str
    load: int
    value: float
    digits: int
    """Decimals that are printed."""

    @property
    def id(self) -> str:
        """``table-x.100.1.5.red.ltrf``."""
        buffer = "third" if self.buffer == "1/3" else self.buffer
        place = f"{self.capacity}.{buffer}.{self.load}.{self.queue}.{self.metric}"
        return f"table-{self.table.lower()}.{place}"


TABLE_5: Mapping[int, int] = {5: 75, 35: 500, 100: 1500}
"""One BWDP in packets of 1000 bytes, by capacity in Mbit/s."""
TABLE_6: Mapping[str, Mapping[int, int]] = {
    "1/3": {5: 25, 35: 200, 100: 500},
    "1": {5: 75, 35: 500, 100: 1500},
    "3": {5: 225, 35: 1500, 100: 4500},
}
"""Buffers in packets, by multiple of the BWDP and capacity."""
TABLE_7: Mapping[int, tuple[int, int, int]] = {0: (55, 0, 22), 5: (55, 250, 22), 30: (55, 1300, 14)}
"""LTRFs, STFs and LTNRFs at 35 Mbit/s, by load of short flows in %."""

LTNRF_LOADS: Mapping[int, float] = {0: 0.60, 5: 0.55, 30: 0.30}
"""What LTNRF offer, as a share of the capacity, by load of short flows in % (IV.A.1)."""

_TABLE_8: Mapping[str, tuple[float, ...]] = {
    "1/3": (0.943, 0.947, 0.974, 0.961, 0.955, 0.968, 0.967, 0.959, 0.971),
    "1": (0.963, 0.965, 0.975, 0.967, 0.967, 0.971, 0.971, 0.971, 0.972),
    "3": (0.973, 0.973, 0.976, 0.969, 0.970, 0.972, 0.972, 0.972, 0.973),
}
"""Utilisation under 30 % short flows: RED, RED-ECN and DropTail at 5, then at 35 and 100 Mbit/s."""
_TABLE_9: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("red", "ltrf_drop", (0.03627, 0.03112, 0.02503)),
    ("red", "ltnrf_drop", (0.03681, 0.03891, 0.02814)),
    ("red-ecn", "ltrf_drop", (0.00352, 0.0, 0.0)),
    ("red-ecn", "mark", (0.04256, 0.04123, 0.03036)),
    ("red-ecn", "ltnrf_drop", (0.04688, 0.05352, 0.03406)),
    ("droptail", "ltrf_drop", (0.01787, 0.01992, 0.01662)),
    ("droptail", "ltnrf_drop", (0.10229, 0.09954, 0.12189)),
)
"""Rates under 30 % short flows and 1 BWDP, at 5, 35 and 100 Mbit/s."""
_TABLE_10: Mapping[int, tuple[float, ...]] = {
    0: (0.505, 0.461, 0.507, 0.458, 0.730, 0.238),
    5: (0.457, 0.460, 0.460, 0.456, 0.729, 0.190),
    30: (0.454, 0.244, 0.457, 0.242, 0.478, 0.220),
}
"""LTRF and LTNRF under RED, then RED-ECN and DropTail, at 100 Mbit/s and 1 BWDP."""
RELATIVE_DELAYS: Mapping[tuple[str, str], float] = {
    ("droptail", "3"): 3.0,
    ("red", "3"): 1.0,
    ("droptail", "1/3"): 0.3,
    ("red", "1/3"): 0.1,
}
"""'Around' so many propagation round trips, at any capacity (Figure 29, text)."""

_COLUMNS = ("red", "red-ecn", "droptail")


def printed_numbers() -> Iterator[Printed]:
    """Every number of Tables VIII, IX and X, in their order."""
    for buffer, row in _TABLE_8.items():
        for column, value in enumerate(row):
            capacity, queue = (5, 35, 100)[column // 3], _COLUMNS[column % 3]
            yield Printed("VIII", "utilization", queue, capacity, buffer, 30, value, 3)
    for queue, metric, rates in _TABLE_9:
        for capacity, rate in zip((5, 35, 100), rates, strict=True):
            yield Printed("IX", metric, queue, capacity, "1", 30, rate, 5)
    for load, row in _TABLE_10.items():
        for column, value in enumerate(row):
            metric = ("ltrf", "ltnrf")[column % 2]
            yield Printed("X", metric, _COLUMNS[column // 2], 100, "1", load, value, 3)


ASSUMPTIONS: tuple[Assumption, ...] = (
    Assumption(
        "TCP",
        "'Recommended TCP-Sack', with or without ECN; no window, no timer.",
        "ns-2's Sack1, window 1000, least RTO 1 s, no delayed ACKs, 1000 bytes of payload and 40 of headers. "
        "Long flows start within the first second.",
        "The least RTO was 1 s in ns-2 until October 2004. With it ns-2.35 comes nearest to the tables.",
    ),
    Assumption(
        "RED",
        "max_th = 3 min_th, max_p = 0.1, w = 0.002; the thresholds themselves are not given.",
        "min_th a quarter and max_th three quarters of the buffer, in packets, gentle.",
        "The 15/45 of 60 packets in Chapter II have this ratio, and it comes nearest to the drop rates of "
        "Table IX. The delays in the text of Figure 29 fit lower thresholds: no one choice fits both.",
    ),
    Assumption(
        "CBR flows",
        "Table VII: 22, 22 and 14 at 35 Mbit/s, 'scaled' elsewhere; the text: 60, 55 and 30 % of the load.",
        "Table VII at 35 Mbit/s; 6, 6 and 4 of 0.5 Mbit/s at 5; 47, 47 and 25 at 100.",
        "Table X needs 47, 47 and 25: throughput divided by one minus the drop rate. The counts that the "
        "table scales to, and the shares of the text, do not give it.",
    ),
    Assumption(
        "Start of CBR flows",
        "Not given.",
        "All at one instant. DropTail is run once more with starts spread over one period.",
        "Only then does DropTail drop so much more of CBR than of TCP as Table IX says: it is a phase "
        "effect, strongest where 120 ms are a whole number of CBR periods, at 35 and 100 Mbit/s.",
    ),
    Assumption(
        "Short flows",
        "'Short TCP connections, sending 10 packets every 10 s on average.'",
        "As many flows as Table VII says, scaled. Each sends ten packets (in 3 % of cases eleven) every 11 "
        "s, give or take 0.2 s, beginning at a random instant; after a silence longer than the RTO it starts "
        "from two packets again, but keeps its ssthresh, its RTT estimate and its connection.",
        "The short flows of Tables VIII and X get 0.27 of the capacity, not 0.30: a pause of 10 s and a "
        "transfer of about one. The runs of ns-2 keep the connection in the same way and wait an exponential "
        "time after the last ACK; here the time between transfers does not depend on how long one takes.",
    ),
    Assumption(
        "Response time",
        "Not a metric of the chapter.",
        "New connections that transfer ten packets once, at regular instants, in the place of as many short "
        "flows. From the first packet to the receipt of the last by its host, in order.",
        "A user's page is a new connection. As there are as many short flows as before, nothing else "
        "changes.",
    ),
    Assumption(
        "Duration",
        "Not given.",
        "300 s, counted from 60 s on.",
        "The queues are steady after about 20 s; 240 s are six periods of the ON/OFF flows.",
    ),
    Assumption(
        "ON/OFF flows",
        "'30 % ON/OFF LTNR load', each flow ON for 20 s, then OFF for 20 s.",
        "The CBR flows of the mix with 30 % short flows, all on and off together, on first.",
        "'By configured like this, the queue length fluctuated much higher.'",
    ),
    Assumption(
        "Utilisation",
        "Not defined; never above 0.976, although the link is full.",
        "Payload delivered by the flows of all classes, over the capacity.",
        "A TCP packet of 1000 bytes takes 1040 on the wire, so a full link of this mix shows 0.976.",
    ),
    Assumption(
        "Queueing delay",
        "Mean and standard deviation.",
        "The mean over the packets that leave the bottleneck, its transmission included; the deviation over "
        "time of backlog / capacity, sampled every 47.3 ms.",
        "The two agree within a packet time; 47.3 ms are no multiple of the CBR period.",
    ),
    Assumption(
        "Marking rate",
        "Of long flows.",
        "Marks per TCP packet, long and short flows together.",
        "RED marks a packet whatever its class; in ns-2 the rates of both differ by less than their scatter.",
    ),
    Assumption(
        "Tuned RED",
        "'By dynamically tuning RED parameters based on our estimation output', over a 'preset threshold'; "
        "no rule and no threshold.",
        f"Both thresholds move in proportion from their places to the limit as the estimated share of "
        f"non-responsive packets goes from {TUNE_ABOVE:g} to {TUNE_ABOVE + 0.1:g}; an estimate each second.",
        "At the limit RED is a DropTail queue. All mixes of the chapter are beyond, if short flows count.",
    ),
    Assumption(
        "Today's senders and queues",
        "Not in the chapter.",
        "SACK with CUBIC (RFC 9438) as the RFCs have it: a handshake, an initial window of 10 packets, "
        "delayed ACKs; a least RTO of 0.2 s, as in Linux. CoDel, PIE and FQ-CoDel with the defaults of "
        "their RFCs, without ECN, and the chapter's buffers as their limits.",
        "It is what a host and a router run today without being told otherwise.",
    ),
    Assumption(
        "Words",
        "'Close', 'similar', 'marginal', 'comparable', 'almost no impact', 'much', 'about 3'.",
        "Similar and almost no impact: within 10 %. Marginal: less than 5 %. Comparable: within a factor of "
        "1.5. Much: by a factor of 2. Very close throughputs: within 0.05 of the capacity. About 3, around "
        "0.1: what rounds to it.",
        "A statement needs a bound to be tested. Each is in the wording of its claim, which also says of "
        "how many cells it is true.",
    ),
)
