"""Applications that do not hear back."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/traffic.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from parshall.scenario.base import Part, default
from parshall.scenario.parts.applications import Barrier, Telnet, TransferSequence, Web
from parshall.scenario.parts.own import UserApp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall._core import SourceBase
    from parshall.own.source import SharedSource
    from parshall.scenario.quantities import Bytes, Given, Number, Table

__all__ = [
    "AnyApp",
    "AnyPeriods",
    "Bulk",
    "Cbr",
    "ExponentialPeriods",
    "OnOff",
    "ParetoPeriods",
    "Schedule",
    "SelfSimilar",
    "Transfer",
    "Vbr",
]


class Bulk(Part):
    """Always has data."""

    kind: Literal["bulk"] = "bulk"
    """Names this application."""


class Transfer(Part):
    """A given number of packets, once."""

    kind: Literal["transfer"] = "transfer"
    """Names this application."""
    packets: int
    """Packets to deliver."""


class Cbr(Part):
    """One packet after each constant interval, which is given, or follows from a rate."""

    kind: Literal["cbr"] = "cbr"
    """Names this application."""
    rate: Given[float | None, Number | None] = default(None)
    """Payload bits per second; either this or ``interval``."""
    interval: Given[float | None, Number | None] = default(None)
    """Time between packets; either this or ``rate``."""


class Vbr(Part):
    """A rate that changes at random times (Zhao 2004, section II.C.6)."""

    kind: Literal["vbr"] = "vbr"
    """Names this application."""
    rates: Given[tuple[float, float], Sequence[Number]]
    """Each rate is drawn uniformly from this range, in payload bits per second."""
    intervals: Given[tuple[float, float], Sequence[Number]]
    """Range from which the duration of a rate is drawn uniformly."""


class OnOff(Part):
    """Bursts and silences of random length. A source starts with a silence; a burst holds the nearest whole
    number of packets to its drawn length, at least one.
    """

    kind: Literal["on-off"] = "on-off"
    """Names this application."""
    law: Given[AnyPeriods, AnyPeriodsGiven]
    """Law of both durations."""
    rate: Given[float, Number]
    """Payload bits per second during a burst."""
    on: Given[float, Number]
    """Mean length of a burst."""
    off: Given[float, Number]
    """Mean length of a silence."""


class ExponentialPeriods(Part):
    """Exponentially distributed durations."""

    kind: Literal["exponential"] = "exponential"
    """Names this law."""


class ParetoPeriods(Part):
    """Pareto distributed durations: heavy tailed below a shape of 2."""

    kind: Literal["pareto"] = "pareto"
    """Names this law."""
    shape: float
    """Tail exponent, above 1 so that there is a mean."""


class SelfSimilar(Part):
    """A rate with long memory. In each interval it is ``rate + sd x``, or 0 if that is less, where x is
    fractional Gaussian noise. Cutting at 0 lifts the mean to ``rate Phi(rate / sd) + sd phi(rate / sd)``: by
    0.01 % if ``sd`` is a third of ``rate``, by 0.4 % if it is half, by 8 % if they are equal. The noise is
    drawn at once for the whole run, so a longer run has other noise from its start on.
    """

    kind: Literal["self-similar"] = "self-similar"
    """Names this application."""
    rate: Given[float, Number]
    """Payload bits per second around which the rate moves."""
    h: float
    """The Hurst parameter: above 1/2, memory is long."""
    sd: Given[float, Number]
    """Standard deviation of the noise, in payload bits per second."""
    interval: Given[float, Number]
    """Duration of a rate; at most 2^22 of them in a run."""


class Schedule(Part):
    """Packets at listed times."""

    kind: Literal["schedule"] = "schedule"
    """Names this application."""
    writes: Given[tuple[tuple[float, int], ...], Sequence[Sequence[Any]]]
    """Pairs of a time after the flow's start and a number of packets, in order of time."""
    payloads: Given[tuple[int, ...], Sequence[Bytes]] = default(())
    """Over UDP: payloads of the packets in turn, in bytes, and from the first again; none is the transport's
    for all.
    """


AnyApp: TypeAlias = (
    Bulk
    | Transfer
    | Cbr
    | Vbr
    | OnOff
    | SelfSimilar
    | Schedule
    | TransferSequence
    | Barrier
    | Telnet
    | Web
    | UserApp
)
"""Any application."""

AnyPeriods: TypeAlias = ExponentialPeriods | ParetoPeriods
"""Any law."""

if TYPE_CHECKING:
    AnyAppGiven: TypeAlias = AnyApp | Table | Literal["bulk", "telnet", "web"] | SourceBase | SharedSource
    AnyPeriodsGiven: TypeAlias = AnyPeriods | Table | Literal["exponential"]
