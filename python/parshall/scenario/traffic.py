"""Applications: when a flow has data to send. Rates count payload."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from pydantic import ConfigDict, model_validator
from typing_extensions import Self

from parshall.errors import InputError, shown
from parshall.scenario.applications import Barrier, Telnet, TransferSequence, Web
from parshall.scenario.base import Model, one_of
from parshall.scenario.quantities import (
    ABSENT,
    NO_NUMBERS,
    Count,
    DurationRange,
    MaybePeriod,
    MaybeRate,
    Part,
    Payloads,
    Period,
    Rate,
    RateRange,
    TailExponent,
    Writes,
)

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = [
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


class Bulk(Model):
    """Always has data."""

    kind: Literal["bulk"] = "bulk"
    """Names this application."""


class Transfer(Model):
    """A given number of packets, once."""

    kind: Literal["transfer"] = "transfer"
    """Names this application."""
    packets: Count
    """Packets to deliver."""


class Cbr(Model):
    """One packet after each constant interval, which is given, or follows from a rate."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["rate"]}, {"required": ["interval"]}]}
    )

    kind: Literal["cbr"] = "cbr"
    """Names this application."""
    rate: MaybeRate = ABSENT
    """Payload bits per second; either this or ``interval``."""
    interval: MaybePeriod = ABSENT
    """Time between packets; either this or ``rate``."""

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if self.rate is None and self.interval is None:
            raise InputError("rate", "nothing", "a rate or an interval")
        if self.rate is not None and self.interval is not None:
            raise InputError("interval", shown(self.interval), "a rate or an interval, not both")
        return self


class Vbr(Model):
    """A rate that changes at random times (Zhao 2004, section II.C.6)."""

    kind: Literal["vbr"] = "vbr"
    """Names this application."""
    rates: RateRange
    """Each rate is drawn uniformly from this range, in payload bits per second."""
    intervals: DurationRange
    """How long a rate lasts is drawn uniformly from this range."""


class ExponentialPeriods(Model):
    """Exponentially distributed durations."""

    kind: Literal["exponential"] = "exponential"
    """Names this law."""


class ParetoPeriods(Model):
    """Pareto distributed durations: heavy tailed below a shape of 2."""

    kind: Literal["pareto"] = "pareto"
    """Names this law."""
    shape: TailExponent
    """Tail exponent, above 1 so that there is a mean."""


if TYPE_CHECKING:
    _Law: TypeAlias = ExponentialPeriods | ParetoPeriods
    Law: TypeAlias = Given[_Law, _Law | Literal["exponential"] | Table]
else:
    Law = one_of(ExponentialPeriods, ParetoPeriods)


class OnOff(Model):
    """Bursts and silences of random length. A source starts with a silence; a burst holds the nearest whole
    number of packets to its drawn length, at least one.
    """

    kind: Literal["on-off"] = "on-off"
    """Names this application."""
    law: Law
    """Law of both durations."""
    rate: Rate
    """Payload bits per second during a burst."""
    on: Period
    """Mean length of a burst."""
    off: Period
    """Mean length of a silence."""


class SelfSimilar(Model):
    """A rate with long memory. In each interval it is ``rate + sd x``, or 0 if that is less, where x is
    fractional Gaussian noise. Cutting at 0 lifts the mean to ``rate Phi(rate / sd) + sd phi(rate / sd)``: by
    0.01 % if ``sd`` is a third of ``rate``, by 0.4 % if it is half, by 8 % if they are equal. The noise is
    drawn at once for the whole run, so a longer run has other noise from its start on.
    """

    kind: Literal["self-similar"] = "self-similar"
    """Names this application."""
    rate: Rate
    """Payload bits per second around which the rate moves."""
    h: Part
    """The Hurst parameter: above 1/2, memory is long."""
    sd: Rate
    """Standard deviation of the noise, in payload bits per second."""
    interval: Period
    """How long a rate lasts; at most 2^22 of them in a run."""


class Schedule(Model):
    """Packets at listed times."""

    kind: Literal["schedule"] = "schedule"
    """Names this application."""
    writes: Writes
    """Pairs of a time after the flow's start and a number of packets, in order of time."""
    payloads: Payloads = NO_NUMBERS
    """Over UDP: payloads of the packets in turn, in bytes, and from the first again; none is the transport's
    for all."""


if TYPE_CHECKING:
    App: TypeAlias = Given[
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
        | Web,
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
        | Literal["bulk", "telnet", "web"]
        | Table,
    ]
else:
    App = one_of(
        Bulk, Transfer, Cbr, Vbr, OnOff, SelfSimilar, Schedule, TransferSequence, Barrier, Telnet, Web
    )
