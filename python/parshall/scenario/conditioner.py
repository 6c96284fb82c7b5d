"""Conditioners: what the edge of a DiffServ domain does to packets before they join a queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import model_validator
from typing_extensions import Self

from parshall.errors import InputError
from parshall.scenario.base import Model
from parshall.scenario.meters import MaybeMeter, TrtcmMeter, Tsw3cmMeter, check_peak
from parshall.scenario.quantities import ABSENT, NO_NAMES, NO_NUMBERS, CodePoints, MaybeTreatment, Names

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["Conditioner", "Rule"]


class Rule(Model):
    """An aggregate of packets, and what is done to them. All of an aggregate share its meter."""

    flows: Names = NO_NAMES
    """Names of flows, in which ``*`` stands for any text; none is all."""
    sources: Names = NO_NAMES
    """Hosts that a packet comes from; none is any. ACKs come from the host that receives the data."""
    destinations: Names = NO_NAMES
    """Hosts that a packet goes to; none is any."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets belong to the aggregate."""
    dscp: CodePoints = NO_NUMBERS
    """Code points that a packet arrives with; none is any."""
    meter: MaybeMeter = ABSENT
    """What colours packets; without one all are green."""
    count: Literal["wire", "payload"] = "wire"
    """Which bytes of a packet are metered: all, or those behind the headers. An ACK is nothing but header."""
    if_green: MaybeTreatment = ABSENT
    """What becomes of green packets: a code point, or ``drop``; none leaves them as they are."""
    if_yellow: MaybeTreatment = ABSENT
    """What becomes of yellow packets."""
    if_red: MaybeTreatment = ABSENT
    """What becomes of red packets."""


if TYPE_CHECKING:
    Rules: TypeAlias = Given[tuple[Rule, ...], Sequence[Rule | Table]]
else:
    Rules = tuple[Rule, ...]


class Conditioner(Model):
    """What is done to packets before they join the queue of a link. Of its rules, the first that a packet
    fits is followed; a packet that fits none passes as it is. A colour-aware meter takes a packet's colour
    from its code point: that of the treatment that gives this code point, or else the drop precedence if it
    is one of assured forwarding, or else green.
    """

    rules: Rules
    """In order."""
    profile: Literal["rfc", "ns2"] = "rfc"
    """Whose meters these are. With ``ns2`` tokens come in fractions of bytes, and neither ``pir`` nor bursts
    are checked."""

    @model_validator(mode="after")
    def _rates(self) -> Self:
        if not self.rules:
            raise InputError("rules", "none", "at least one rule")
        if self.profile == "rfc":
            for index, rule in enumerate(self.rules):
                if isinstance(rule.meter, TrtcmMeter | Tsw3cmMeter):
                    try:
                        check_peak(rule.meter)
                    except InputError as error:
                        place = f"rules[{index}].meter.{error.path}"
                        raise InputError(place, error.value, error.expected) from None
        return self


if TYPE_CHECKING:
    MaybeConditioner: TypeAlias = Given[Conditioner | None, Conditioner | Table | None]
else:
    MaybeConditioner = Conditioner | None
