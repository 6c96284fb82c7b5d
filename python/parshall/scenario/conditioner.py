"""Conditioners: what the edge of a DiffServ domain does to packets before they join a queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import model_validator
from typing_extensions import Self

from parshall.errors import InputError
from parshall.scenario.base import Model
from parshall.scenario.meters import MaybeMeter, TrtcmMeter, Tsw3cmMeter, check_peak
from parshall.scenario.quantities import (
    ABSENT,
    NO_NAMES,
    NO_NUMBERS,
    CodePoints,
    Duration,
    Flag,
    MaybeTreatment,
    Names,
    Period,
    Positive,
)

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["Conditioner", "Knowledge", "Rule", "SmallWindow"]

_1_S: Any = 1.0
_100_MS: Any = 0.1
_50_MS: Any = 0.05


class SmallWindow(Model):
    """Packets of TCP connections with small windows are green, whatever the meter says (Feroz et al. 2000):
    there a loss costs a timeout.
    """

    below_packets: Positive = 3.0
    """Windows below this are small."""
    repay: Flag = True
    """Whether tokens at the committed rate pay for all green packets, so that the profile holds: later ones
    are yellow or red while there is debt, which may grow to a second of the committed rate.
    """


class Knowledge(Model):
    """Where a conditioner knows round-trip times, timeouts and windows from, and when it tells others."""

    source: Literal["packets", "senders"] = "packets"
    """From the packets that pass, data one way and ACKs the other; or from what senders put into them, which
    no router can read but an experiment may want."""
    min_rto: Duration = _1_S
    """Least timeout of the senders, of which packets tell nothing."""
    exchange_interval: Period = _100_MS
    """Time between what it tells other conditioners of an aggregate."""
    exchange_delay: Duration = _50_MS
    """How long that takes to arrive."""


if TYPE_CHECKING:
    MaybeSmallWindow: TypeAlias = Given[SmallWindow | None, SmallWindow | Table | None]
else:
    MaybeSmallWindow = SmallWindow | None


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
    small_window: MaybeSmallWindow = ABSENT
    """Whose packets are green whatever the meter says."""
    if_green: MaybeTreatment = ABSENT
    """What becomes of green packets: a code point, or ``drop``; none leaves them as they are."""
    if_yellow: MaybeTreatment = ABSENT
    """What becomes of yellow packets."""
    if_red: MaybeTreatment = ABSENT
    """What becomes of red packets."""


_BY_PACKETS: Any = Knowledge()

if TYPE_CHECKING:
    KnowledgeField: TypeAlias = Given[Knowledge, Knowledge | Table]
else:
    KnowledgeField = Knowledge

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
    knowledge: KnowledgeField = _BY_PACKETS
    """Where rules that go by round trips, timeouts or windows know them from."""

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
