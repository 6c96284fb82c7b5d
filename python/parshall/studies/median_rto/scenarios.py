"""What the median study runs: six on/off sources over TCP, one bottleneck, and every RTO filter under test.

Section IV of the document gives the topology; what it leaves out is listed in :data:`ASSUMPTIONS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from parshall.report import Assumption
from parshall.scenario import (
    Dumbbell,
    Exponential,
    FlowGroup,
    JacobsonRtoConfig,
    MedianRtoConfig,
    OnOff,
    Pareto,
    Record,
    Series,
    Tcp,
    WeightedMedianRtoConfig,
)

if TYPE_CHECKING:
    from parshall.scenario import RtoConfig

__all__ = [
    "ASSUMPTIONS",
    "DOCUMENT_FILTERS",
    "DURATION",
    "FILTERS",
    "FLOWS",
    "MEDIANS",
    "MEDIAN_FILTERS",
    "ORIGINAL",
    "PARETO_SHAPE",
    "PAYLOAD_BITS",
    "PROTOCOLS",
    "RECOVERIES",
    "TRAFFICS",
    "Filter",
    "Recovery",
    "Traffic",
    "Tuned",
    "Variant",
    "frontier_grid",
    "named",
    "scenario",
    "study_scenarios",
    "traffic_name",
    "variants",
]

Traffic = Literal["exponential", "pareto"]
Recovery = Literal["tahoe", "newreno"]

TRAFFICS: tuple[Traffic, ...] = ("exponential", "pareto")
"""Cases 1 and 2 of the document."""
RECOVERIES: tuple[Recovery, ...] = ("tahoe", "newreno")
"""What the document used (see :data:`ASSUMPTIONS`), and today's."""
PROTOCOLS: Mapping[Recovery, str] = {"tahoe": "Tahoe", "newreno": "NewReno"}
"""Their names for a reader."""

FLOWS = 6
DURATION = 100.0
"""Simulated seconds."""
PAYLOAD_BITS = 8000
"""Payload of a packet; with the duration it makes a packet worth 80 bit/s."""
BOTTLENECK_RATE, BOTTLENECK_DELAY, BOTTLENECK_LIMIT = 1e6, 0.1, 40
ACCESS_RATE, ACCESS_DELAY, ACCESS_LIMIT = 10e6, 0.01, 50
ON, OFF, SOURCE_RATE = 1.0, 2.0, 370e3
PARETO_SHAPE = 2.5
WINDOW = 1000
SERIES_INTERVAL = 1.0
"""Seconds between points of the cumulative goodput."""

ORIGINAL = "original"


@dataclass(frozen=True)
class Filter:
    """An RTO filter under test."""

    name: str
    label: str
    config: RtoConfig | None
    """None is the profile's own: Jacobson and Karels in whole ticks, as in ns-2."""


MEDIANS = (5, 7, 9)
"""The document's window sizes."""

FILTERS: Mapping[str, Filter] = {
    entry.name: entry
    for entry in (
        Filter(ORIGINAL, "Original TCP", None),
        *(Filter(f"median-{k}", f"Median of {k}", MedianRtoConfig(window=k)) for k in MEDIANS),
        *(
            Filter(f"median-mad-{k}", f"Median of {k}, MAD", MedianRtoConfig(window=k, deviation="mad"))
            for k in MEDIANS
        ),
        Filter("weighted-median", "Weighted median", WeightedMedianRtoConfig()),
    )
}
"""Every filter by name, the document's four first."""

MEDIAN_FILTERS = tuple(f"median-{k}" for k in MEDIANS)
"""The document's medians, in the default reading."""
DOCUMENT_FILTERS = (ORIGINAL, *MEDIAN_FILTERS)
"""What the document compares."""


def traffic_name(traffic: Traffic) -> str:
    """As it stands in a sentence."""
    return "Pareto" if traffic == "pareto" else traffic


def named(filter: str) -> str:
    """The filter inside of a sentence."""
    if filter == ORIGINAL:
        return "the original TCP"
    label = FILTERS[filter].label
    return f"the {label[0].lower()}{label[1:]}"


@dataclass(frozen=True)
class Variant:
    """One cell of the study."""

    traffic: Traffic
    recovery: Recovery
    filter: str

    @cached_property
    def name(self) -> str:
        """As it stands in the ``variant`` column."""
        return f"{self.traffic}/{self.recovery}/{self.filter}"

    @property
    def of_document(self) -> bool:
        """Whether the document runs it."""
        return self.recovery == "tahoe" and self.filter in DOCUMENT_FILTERS


def variants() -> Iterator[Variant]:
    """Every cell: the document's and those beyond it."""
    for traffic in TRAFFICS:
        for recovery in RECOVERIES:
            for name in FILTERS:
                yield Variant(traffic, recovery, name)


def scenario(traffic: Traffic, recovery: Recovery, rto: RtoConfig | None, record: Record) -> Dumbbell:
    """Six sources through the bottleneck; everything starts at time 0 and nothing is left out as warm-up."""
    return Dumbbell(
        title=f"Median filter study, {traffic} traffic",
        duration=DURATION,
        rate=BOTTLENECK_RATE,
        delay=BOTTLENECK_DELAY,
        queue={"kind": "droptail", "limit_packets": BOTTLENECK_LIMIT},
        access_rate=ACCESS_RATE,
        access_delay=ACCESS_DELAY,
        access_queue={"kind": "droptail", "limit_packets": ACCESS_LIMIT},
        flows=[
            FlowGroup(
                count=FLOWS,
                transport=Tcp(
                    profile="ns2",
                    recovery=recovery,
                    rto=rto,
                    payload_bytes=PAYLOAD_BITS // 8,
                    header_bytes=40,
                    max_window_packets=WINDOW,
                ),
                app=OnOff(law=_law(traffic), rate=SOURCE_RATE, on=ON, off=OFF),
            )
        ],
        record=record,
    )


def study_scenarios() -> dict[str, Dumbbell]:
    """Every variant's scenario: RTT samples of all flows, and for the document's the goodput over time."""
    plain = Record(rtt=["*"])
    series = Record(rtt=["*"], flow_series=Series(of=["*"], interval=SERIES_INTERVAL))
    return {
        variant.name: scenario(
            variant.traffic,
            variant.recovery,
            FILTERS[variant.filter].config,
            series if variant.of_document else plain,
        )
        for variant in variants()
    }


def _law(traffic: Traffic) -> Exponential | Pareto:
    return Exponential() if traffic == "exponential" else Pareto(shape=PARETO_SHAPE)


# --- Beyond the document: the parameters of the filters -----------------------------------------------------


@dataclass(frozen=True)
class Tuned:
    """A filter with one choice of its parameters."""

    family: str
    setting: str
    """The parameters but the multiplier, for a reader."""
    multiplier: float
    config: RtoConfig
    standard: bool
    """Whether these are the parameters of the filter's source."""

    @property
    def name(self) -> str:
        """Unique within the grid."""
        return f"{self.family}, {self.setting}, multiplier {self.multiplier:g}"


_MULTIPLIERS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
_GAINS = (1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32)
_WINDOWS = (3, 5, 7, 9, 15, 31)


def frontier_grid(*, live: bool = False) -> list[Tuned]:
    """Filters over their parameters: gain, window and multiplier of the deviation.

    ``live`` gives a coarser one, for runs of the simulator.
    """
    multipliers = _MULTIPLIERS[1:-1] if live else _MULTIPLIERS
    gains = (1 / 8,) if live else _GAINS
    windows = (MEDIANS[0], MEDIANS[-1]) if live else _WINDOWS
    grid = [
        Tuned(
            "Jacobson",
            f"gain 1/{1 / gain:g}",
            m,
            JacobsonRtoConfig(gain=gain, multiplier=m),
            (gain, m) == (1 / 8, 4),
        )
        for gain in gains
        for m in multipliers
    ]
    for family, deviation in (("Median", "ewma"), ("Median, MAD", "mad")):
        grid += [
            Tuned(
                family,
                f"window {k}",
                m,
                MedianRtoConfig(window=k, multiplier=m, deviation=deviation),  # type: ignore[arg-type]
                (k, m) == (5, 4),
            )
            for k in windows
            for m in multipliers
        ]
    grid += [
        Tuned(
            "Weighted median",
            f"window {k}",
            m,
            WeightedMedianRtoConfig(window=k, multiplier=m),
            (k, m) == (5, 4.5),
        )
        for k in ((5,) if live else (3, 5, 9, 15))
        for m in sorted({*multipliers, 4.5})
    ]
    return grid


# --- Assumptions --------------------------------------------------------------------------------------------

ASSUMPTIONS: tuple[Assumption, ...] = (
    Assumption(
        "Duration and packet size",
        "Not given; every printed rate is a multiple of 80.",
        f"{DURATION:g} s, packets of {PAYLOAD_BITS // 8} bytes: a packet is worth 80 bit/s. Throughput "
        "counts every data packet sent, goodput every distinct packet delivered.",
        "1000 x 8 bit / 100 s = 80 bit/s is the plainest way to that grid.",
    ),
    Assumption(
        "Rate of a source",
        "Not given.",
        f"{SOURCE_RATE / 1e3:g} kbit/s while on.",
        "The load sets the throughput; ns-2.35 then gives the printed throughput of the original TCP.",
    ),
    Assumption(
        "On and off times",
        "1 s and 2 s for Pareto sources; not given for exponential ones.",
        f"Means of {ON:g} s and {OFF:g} s for both; a Pareto shape of {PARETO_SHAPE:g} for both durations.",
        "With one rate for both cases, ns-2.35 gives both printed throughputs.",
    ),
    Assumption(
        "TCP",
        "'TCP agents' in ns-2.",
        "ns-2's Agent/TCP, which is Tahoe, with its defaults (initial window 2, clock of 10 ms, least RTO "
        "0.2 s, no delayed ACKs); 40 bytes of headers.",
        "Its loss is nearest to the printed one. NewReno is run beside it.",
    ),
    Assumption(
        "TCP window",
        "Not given.",
        f"{WINDOW} packets, so that it never limits.",
        "ns-2's default of 20 packets gives half the printed loss; 64 or more give it.",
    ),
    Assumption(
        "Queues",
        f"{BOTTLENECK_LIMIT} packets at R0 and R1; nothing about the others.",
        f"DropTail, {BOTTLENECK_LIMIT} packets in both directions of R0-R1, {ACCESS_LIMIT} at the access "
        "links.",
        "50 is ns-2's default, and no access queue ever fills.",
    ),
    Assumption(
        "Access links",
        "'All the links have the same bandwidth', then 10 Mbit/s for the sources' and 1 Mbit/s for R0-R1.",
        f"{ACCESS_RATE / 1e6:g} Mbit/s and {ACCESS_DELAY * 1e3:g} ms on both sides.",
        "The second statement is the precise one; the round trip without queueing is 240 ms.",
    ),
    Assumption(
        "From the median to an RTO",
        "Never said.",
        "The median of the last k samples takes the place of the mean, the deviation stays an "
        "exponentially weighted mean of the distance to it, and RTO = median + 4 deviations. A second "
        "reading, with the median absolute deviation (MAD), is run beside it.",
        "Equations (1) to (3) replace the mean only.",
    ),
    Assumption(
        "The original filter",
        "Equations (1) to (3), with a broken index and no deviation.",
        "Jacobson and Karels as ns-2 runs it, in whole clock ticks with gains 1/8 and 1/4 and RTO = mean "
        "+ 4 deviations.",
        "It is what 'original TCP' in ns-2 is.",
    ),
    Assumption(
        "Samples",
        "Karn's rule is named; nothing about a start.",
        "One packet is timed at a time, never a retransmitted one. Before k samples exist, the median is "
        "that of those that do.",
        "ns-2 without timestamps does so.",
    ),
    Assumption(
        "Number of runs",
        "Single runs; not whether they share a seed.",
        "Many seeds; filters are compared with the seed in common, so that the sources do exactly the same.",
        "The report shows what a change of the seed alone does.",
    ),
    Assumption(
        "Figures of RTT and RTO",
        "'RTT and RTO' over time; not whose.",
        "Flow 1, in the run whose goodput with the original TCP is the median over seeds.",
        "One flow of one run, as it must have been.",
    ),
)
