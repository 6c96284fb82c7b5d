"""Scenarios of the study: six on/off sources over TCP, one bottleneck, and every RTO filter under test.

Section IV of the document gives the topology; what it leaves out is assumed, as the report says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from parshall.scenario import (
    Dumbbell,
    ExponentialPeriods,
    FlowGroup,
    JacobsonRtoConfig,
    MedianRtoConfig,
    OnOff,
    ParetoPeriods,
    QuantileRtoConfig,
    Record,
    Series,
    Tcp,
    WeightedMedianRtoConfig,
)

if TYPE_CHECKING:
    from parshall.scenario import RtoConfig

Traffic = Literal["exponential", "pareto"]
Recovery = Literal["tahoe", "newreno"]

TRAFFICS: tuple[Traffic, ...] = ("exponential", "pareto")
"""Cases 1 and 2 of the document."""
RECOVERIES: tuple[Recovery, ...] = ("tahoe", "newreno")
"""Settings of the document, as the report assumes them, and today's."""
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
FLOATING = "mean"
"""The original's mean in the arithmetic of the medians, so that nothing but the filter differs from them."""


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
        Filter(FLOATING, "Mean, floating point", JacobsonRtoConfig()),
        *(Filter(f"median-{k}", f"Median of {k}", MedianRtoConfig(window=k)) for k in MEDIANS),
        *(
            Filter(f"median-mad-{k}", f"Median of {k}, MAD", MedianRtoConfig(window=k, deviation="mad"))
            for k in MEDIANS
        ),
        Filter("weighted-median", "Weighted median", WeightedMedianRtoConfig()),
    )
}
"""Every filter by name: the two that medians are compared with, the document's medians, and others."""

MEDIAN_FILTERS = tuple(f"median-{k}" for k in MEDIANS)
"""The document's medians, in the default reading."""
DOCUMENT_FILTERS = (ORIGINAL, *MEDIAN_FILTERS)
"""Filters that the document compares."""


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
        """True if the document runs it."""
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


def _law(traffic: Traffic) -> ExponentialPeriods | ParetoPeriods:
    return ExponentialPeriods() if traffic == "exponential" else ParetoPeriods(shape=PARETO_SHAPE)


# --- Timeouts that are nearer and farther -------------------------------------------------------------------

NEAR, AS_RFC_6298, FAR = 1, 4, (8, 32)
"""Deviations that the mean adds: for an RTO just above the RTT, RFC 6298's, and those far above the RTT."""


def distance_scenarios() -> dict[tuple[Traffic, int], Dumbbell]:
    """The document's network with the mean in floating point, by traffic and number of deviations."""
    return {
        (traffic, deviations): scenario(traffic, "tahoe", JacobsonRtoConfig(multiplier=deviations), Record())
        for traffic in TRAFFICS
        for deviations in (NEAR, AS_RFC_6298, *FAR)
    }


# --- Beyond the document: the parameters of the filters -----------------------------------------------------


@dataclass(frozen=True)
class Tuned:
    """A filter with one choice of its parameters."""

    family: str
    setting: str
    """The parameters but the multiplier, for a reader."""
    multiplier: float | None
    """None of a filter whose setting is the risk itself."""
    config: RtoConfig
    standard: bool
    """True if these are the parameters of the filter's source."""

    @property
    def parameters(self) -> str:
        """All of them, for a reader."""
        return self.setting if self.multiplier is None else f"{self.setting}, multiplier {self.multiplier:g}"

    @property
    def name(self) -> str:
        """Unique within the grid."""
        return f"{self.family}, {self.parameters}"


_MULTIPLIERS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
_GAINS = (1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32)
_WINDOWS = (3, 5, 7, 9, 15, 31)
_DEFAULT_RISK = 0.01
_RISKS = (0.001, 0.003, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.07, 0.1)


def frontier_grid(*, live: bool = False) -> list[Tuned]:
    """Filters over their parameters: gain, window and multiplier of the deviation, or the accepted risk.

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
    return grid + [
        Tuned("Quantile", f"risk {100 * risk:g} %", None, QuantileRtoConfig(risk=risk), risk == _DEFAULT_RISK)
        for risk in (_RISKS[::3] if live else _RISKS)
    ]
