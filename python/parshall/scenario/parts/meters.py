"""Meters of conditioners."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/meters.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default
from parshall.scenario.parts.own import UserMarker

if TYPE_CHECKING:
    from parshall._core import MarkerBase
    from parshall.own.marker import SharedMarker
    from parshall.scenario.quantities import Bytes, Given, Number, Table

__all__ = [
    "AnyMeter",
    "FairExcessMeter",
    "Rfc4115Meter",
    "RttAwareMeter",
    "RttRtoMeter",
    "SrtcmMeter",
    "TcpModelMeter",
    "TokenBucketMeter",
    "TrtcmMeter",
    "Tsw2cmMeter",
    "Tsw3cmMeter",
]


class TokenBucketMeter(Part):
    """One bucket of tokens: packets are green while there are tokens for them, and red otherwise."""

    kind: Literal["token-bucket"] = "token-bucket"
    """Names this meter."""
    cir: Given[float, Number]
    """Committed information rate, at which tokens come."""
    cbs_bytes: Given[int, Bytes]
    """Committed burst size: most tokens; at least the aggregate's largest packet."""


class SrtcmMeter(Part):
    """Single rate three colour marker (RFC 2697). Tokens that the committed bucket has no room for go to the
    excess bucket; packets that the former covers are green, those that the latter covers yellow.
    """

    kind: Literal["srtcm"] = "srtcm"
    """Names this meter."""
    cir: Given[float, Number]
    """Committed information rate."""
    cbs_bytes: Given[int, Bytes]
    """Committed burst size."""
    ebs_bytes: Given[int, Bytes]
    """Excess burst size; one of the two may be 0."""
    colour_aware: bool = False
    """True if the colour that a packet brings counts: none leaves with a better one."""


class TrtcmMeter(Part):
    """Two rate three colour marker (RFC 2698). Packets beyond the peak rate are red, those beyond the
    committed rate yellow.
    """

    kind: Literal["trtcm"] = "trtcm"
    """Names this meter."""
    cir: Given[float, Number]
    """Committed information rate."""
    cbs_bytes: Given[int, Bytes]
    """Committed burst size."""
    pir: Given[float, Number]
    """Peak information rate, at least ``cir``."""
    pbs_bytes: Given[int, Bytes]
    """Peak burst size."""
    colour_aware: bool = False
    """True if the colour that a packet brings counts: none leaves with a better one."""


class Rfc4115Meter(Part):
    """Two rate three colour marker with efficient handling of in-profile traffic (RFC 4115). The excess rate
    stands beside the committed one instead of above it, so yellow packets take nothing from green ones.
    """

    kind: Literal["rfc4115"] = "rfc4115"
    """Names this meter."""
    cir: Given[float, Number]
    """Committed information rate."""
    cbs_bytes: Given[int, Bytes]
    """Committed burst size."""
    eir: Given[float, Number]
    """Excess information rate."""
    ebs_bytes: Given[int, Bytes]
    """Excess burst size."""
    colour_aware: bool = False
    """True if the colour that a packet brings counts: none leaves with a better one."""


class Tsw2cmMeter(Part):
    """Time sliding window marker with two colours (Clark and Fang 1998): of a rate beyond the committed one,
    the part that exceeds it is red, packets being drawn at random.
    """

    kind: Literal["tsw2cm"] = "tsw2cm"
    """Names this meter."""
    cir: Given[float, Number]
    """Committed information rate."""
    window: Given[float, Number] = default(1.0)
    """Averaging time of the rate."""
    colour_aware: bool = False
    """True if the colour that a packet brings counts: none leaves with a better one."""


class Tsw3cmMeter(Part):
    """Time sliding window three colour marker (RFC 2859): the part of the rate beyond the peak is red, that
    between both rates yellow, packets being drawn at random.
    """

    kind: Literal["tsw3cm"] = "tsw3cm"
    """Names this meter."""
    cir: Given[float, Number]
    """Committed information rate (CTR in the RFC)."""
    pir: Given[float, Number]
    """Peak information rate (PTR in the RFC), at least ``cir``."""
    window: Given[float, Number] = default(1.0)
    """Averaging time of the rate (``AVG_INTERVAL``)."""
    colour_aware: bool = False
    """True if the colour that a packet brings counts: none leaves with a better one."""


class RttAwareMeter(Part):
    """Marker that goes by round-trip times (Nandy, Seddigh, Pieda and Ethridge 2000). Of a rate beyond the
    committed one the part that exceeds it is marked, and of that the part ``(RTTmin / RTT) ^ exponent`` is
    red, RTTmin being the least of all aggregates whose conditioners exchange what they know.
    """

    kind: Literal["rtt-aware"] = "rtt-aware"
    """Names this meter."""
    cir: Given[float, Number]
    """Committed information rate, the aggregate's target."""
    window: Given[float, Number] = default(1.0)
    """Averaging time of the rate."""
    colours: Literal[2, 3] = 3
    """With 3 the rest of what is marked is yellow, with 2 green."""
    exponent: float = 2.0
    """Exponent of the ratio of round-trip times."""


class RttRtoMeter(Part):
    """Marker that goes by round-trip times and timeouts (Habib, Bhargava and Fahmy 2002, equation 9 and
    Figure 1). As ``rtt-aware``, but the part that is red is ``(RTTmin / RTT) ^ rtt_exponent (RTOmin / RTO) ^
    rto_exponent``.
    """

    kind: Literal["rtt-rto"] = "rtt-rto"
    """Names this meter."""
    cir: Given[float, Number]
    """Committed information rate, the aggregate's target."""
    window: Given[float, Number] = default(1.0)
    """Averaging time of the rate."""
    colours: Literal[2, 3] = 3
    """With 3 the rest of what is marked is yellow, with 2 green."""
    rtt_exponent: float = 1.0
    """Exponent of the ratio of round-trip times."""
    rto_exponent: float = 0.5
    """Exponent of the ratio of timeouts."""
    own_timeout: bool = True
    """True if for the aggregate that has the least round-trip time the part is its own ``RTT / RTO``;
    without, all that it sends beyond its target is red.
    """


class TcpModelMeter(Part):
    """Marker as ``rtt-rto``, but the part that is red is the ratio of losses that makes ``1 / (RTT sqrt(p) +
    RTO p)`` the same for all aggregates: the exact solution of equation 6 of Habib, Bhargava and Fahmy 2002,
    with the loss of the aggregate that has the least round-trip time. With ``full`` it makes the rate of
    Padhye et al. 1998 the same, their equation 2, of which the former leaves terms out.
    """

    kind: Literal["tcp-model"] = "tcp-model"
    """Names this meter."""
    cir: Given[float, Number]
    """Committed information rate, the aggregate's target."""
    window: Given[float, Number] = default(1.0)
    """Averaging time of the rate."""
    colours: Literal[2, 3] = 3
    """With 3 the rest of what is marked is yellow, with 2 green."""
    full: bool = False
    """Leaves nothing out of the model."""


class FairExcessMeter(Part):
    """Marker that finds the part that is red by feedback: it grows while more of the aggregate is
    acknowledged beyond its target than is of the mean of all aggregates, and shrinks while less is. Below 0
    it is the part of what exceeds the target that is green.
    """

    kind: Literal["fair-excess"] = "fair-excess"
    """Names this meter."""
    cir: Given[float, Number]
    """Committed information rate, the aggregate's target."""
    window: Given[float, Number] = default(1.0)
    """Averaging time of the rate."""


AnyMeter: TypeAlias = (
    TokenBucketMeter
    | SrtcmMeter
    | TrtcmMeter
    | Rfc4115Meter
    | Tsw2cmMeter
    | Tsw3cmMeter
    | RttAwareMeter
    | RttRtoMeter
    | TcpModelMeter
    | FairExcessMeter
    | UserMarker
)
"""Any meter."""

if TYPE_CHECKING:
    AnyMeterGiven: TypeAlias = AnyMeter | Table | MarkerBase | SharedMarker
