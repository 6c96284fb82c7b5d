"""Share of the load at a port that would not back off, from the behaviour of flows after a drop or a mark.

The method is described in ``docs/guide/responsiveness.md``.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, SupportsIndex

import numpy as np

from parshall import _core
from parshall.errors import InputError, InputTypeError, shown
from parshall.estimators import arguments
from parshall.estimators.base import Estimator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Reals = NDArray[np.float64]

__all__ = [
    "FlowLabel",
    "Responsiveness",
    "ResponsivenessEstimate",
    "ResponsivenessQuality",
    "ResponsivenessSeries",
]


class ResponsivenessQuality(enum.IntFlag):
    """Reasons to doubt an estimate; none is 0."""

    LOW_EXCITATION = 1
    """Less than half of the watched packets belong to flows with a label: too few drops or marks so far, too
    many flows that are too short, or flows that do what both kinds do."""
    NO_PACKETS = 2
    """No packet arrived."""
    NO_SIGNALS = 4
    """No packet was dropped or marked in the interval: the share rests on what was seen before."""
    WARMING_UP = 8
    """Half of the watched packets have not yet belonged to flows with a label, in any interval."""
    BAD_SAMPLE = 16
    """A packet of the interval could not be used: its time was not finite, or before the last one's."""
    SAMPLED = 32
    """More than a twentieth of the packets belong to flows that the table has no room for; a sample of flows
    stands for them."""
    DOUBTFUL = 64
    """The bounds are further apart than 0.2: the share is unknown."""


class FlowLabel(enum.IntEnum):
    """Behaviour of a flow after drops and marks, as far as it has shown that."""

    RESPONDS = -1
    """It backs off."""
    UNKNOWN = 0
    """It has not shown enough, or what both kinds of flows show."""
    DEAF = 1
    """It goes on."""


class ResponsivenessEstimate(NamedTuple):
    """Estimate of an interval. A value that does not exist is NaN."""

    time: float
    """End of the interval, in seconds."""
    share: float
    """Share of arriving packets of flows that do not respond to drops and marks, from 0 to 1; NaN where it is
    unknown, which is where the bounds are further apart than 0.2."""
    share_se: float
    """Half the width of its bounds before 0 and 1 cut them, over 1.96; NaN where it is unknown."""
    share_lower: float
    """The share is at least this: bounds hold 95 % of the shares that they were calibrated with."""
    share_upper: float
    """And at most this."""
    doubt: float
    """Doubt about flows, from 0 to 1: the mean over packets of ``4 p (1 - p)``, where ``p`` is the
    probability that the packet's flow does not respond. The bounds follow from it."""
    resolved: float
    """Part of the watched packets that belong to flows with a label."""
    watched: float
    """Part of the packets that belong to watched flows."""
    packets: int
    """Packets that arrived."""
    signals: int
    """Packets that were dropped or marked."""
    flows: int
    """Watched flows that sent a packet."""
    flags: ResponsivenessQuality
    """Reasons to doubt."""


class ResponsivenessSeries(NamedTuple):
    """Estimates, a column each; fields as in :class:`ResponsivenessEstimate`."""

    time: Reals
    share: Reals
    share_se: Reals
    share_lower: Reals
    share_upper: Reals
    doubt: Reals
    resolved: Reals
    watched: Reals
    packets: NDArray[np.int64]
    signals: NDArray[np.int64]
    flows: NDArray[np.int64]
    flags: NDArray[np.int64]
    """Bits of :class:`ResponsivenessQuality`."""

    @property
    def share_or_middle(self) -> Reals:
        """The share, and the middle of its bounds where it is unknown; NaN where there are none."""
        return share_or_middle(self.share, self.share_lower, self.share_upper)


def share_or_middle(share: Reals, lower: Reals, upper: Reals) -> Reals:
    """Shares, and the middle of their bounds where these are too far apart to tell one: for those who need a
    number for each interval.
    """
    return np.where(np.isnan(share), (lower + upper) / 2, share)


class Responsiveness(Estimator):
    """The share of non-responsive traffic at a port, from its packets: no rate, no round-trip time, no gain.

    ``interval`` is the time between estimates in seconds. ``flows`` is how many flows are watched at once
    (520 bytes each); when there are more, a random sample of them stands for all. ``seed`` makes the hash of
    flows unpredictable. Time starts with the first packet; intervals end at multiples of their
    length, and those in which nothing comes are left out.

    >>> port = Responsiveness(interval=1.0)
    >>> time = np.arange(6000) * 0.01  # a flow of 100 packets/s that loses every 50th and does not mind
    >>> series = port.run(time=time, flow=np.ones(6000, int), signalled=np.arange(6000) % 50 == 0)
    >>> bool(series.share[-1] > 0.95)
    True
    """

    __slots__ = ()

    EVIDENCE: ClassVar[tuple[str, ...]] = tuple(_core.Responsiveness.EVIDENCE)
    """Names of the numbers that :meth:`evidence` has of a flow."""
    WIDEST: ClassVar[float] = _core.Responsiveness.WIDEST
    """Bounds that are further apart leave no share to tell."""
    _core: _core.Responsiveness
    interval: float
    """Time between estimates, in seconds."""
    flows: int
    """Number of flows that are watched at once."""
    seed: int
    """Seed of the hash of flows."""

    def __init__(self, *, interval: float = 0.7, flows: int = 4096, seed: int = 0) -> None:
        given: dict[str, Any] = {
            "interval": arguments.real("interval", interval),
            "flows": arguments.count("flows", flows),
            "seed": arguments.key("seed", seed),
        }
        with arguments.Faults(interval_s="interval"):
            core = _core.Responsiveness(*given.values())
        super().__init__(core, given)

    def close(self, time: float) -> list[ResponsivenessEstimate]:
        """Estimates of the intervals that ended by ``time`` and were not given out yet."""
        return [_estimate(row) for row in self._core.close(arguments.real("time", time))]

    def update(
        self,
        *,
        time: float,
        flow: SupportsIndex,
        signalled: bool,
        dither_probability: float = 0.0,
        dithered: bool = False,
    ) -> list[ResponsivenessEstimate]:
        """Takes a packet: when it arrives at the queue, its flow's key, and whether it is dropped or marked.

        At a port with a dither ``signalled`` is what the queue did, ``dither_probability`` with which
        probability the dither was to choose the packet, and ``dithered`` whether it did, and dropped or
        marked it: the best of trials, because nothing that the flow did decides it.

        Gives out the estimates of intervals that ended before it, mostly none. A packet whose time is not
        finite, or before the last one's, only flags the interval under way.
        """
        estimates = self.close(time)
        dither = _dither(dither_probability, dithered)
        self._core.packet(
            arguments.real("time", time),
            arguments.key("flow", flow),
            bool(signalled),
            dither,
        )
        return estimates

    def arrive(
        self, *, time: float, flow: SupportsIndex, dither_probability: float = 0.0, dithered: bool = False
    ) -> int:
        """Takes a packet whose fate is not known yet, as at a queue that decides at departure (CoDel,
        FQ-CoDel), and gives it a ticket for :meth:`decide`. Ask :meth:`close` for estimates: they come once
        all packets of their interval have met their fates.

        Of more than 65,536 packets that wait, the oldest is taken as spared, and its interval flagged.
        """
        dither = _dither(dither_probability, dithered)
        return self._core.arrive(arguments.real("time", time), arguments.key("flow", flow), dither)

    def decide(self, ticket: SupportsIndex, signalled: bool | None) -> bool:
        """Tells the fate of a packet that has arrived: dropped or marked, neither, or ``None`` to leave it
        out. Fates may come in any order. Returns whether the packet was still waiting.
        """
        fate = None if signalled is None else bool(signalled)
        return self._core.decide(arguments.key("ticket", ticket), fate)

    def settle(self) -> None:
        """Takes packets whose fate was never told as spared, at the end of a series."""
        self._core.settle()

    def evidence(self) -> Mapping[str, NDArray[Any]]:
        """Evidence of the flows that sent a packet in the interval of the last estimate, a row a flow:
        ``flow``, its key; ``packets`` in the interval; ``deaf``, the probability that it does not respond;
        ``label``, a :class:`FlowLabel`; and numbers, whose names :attr:`EVIDENCE` has
        (docs/guide/responsiveness.md says what they mean).

        Flows that have sent again since are missing, as after an :meth:`update` that gave out an estimate, or
        a :meth:`run` without ``until``: call :meth:`close` at the end of an interval before the next packet,
        or :meth:`run` with ``until``, and ask then.
        """
        return self._core.evidence()

    def run(
        self,
        *,
        time: ArrayLike,
        flow: ArrayLike,
        signalled: ArrayLike,
        dither_probability: ArrayLike | None = None,
        dithered: ArrayLike | None = None,
        until: float | None = None,
    ) -> ResponsivenessSeries:
        """Takes packets in the order of their arrival, as arrays of one length, as :meth:`update` does.
        With ``until``, intervals that ended by then are given out too, not only those that a packet ended.
        """
        times = _column("time", time, "fiu", "numbers").astype(np.float64)
        flows = _column("flow", flow, "iu", "whole numbers")
        if flows.size and flows.min() < 0:
            raise InputError(f"flow[{int(flows.argmin())}]", shown(int(flows.min())), "a whole number from 0")
        signals = _column("signalled", signalled, "b", "truth values")
        chances = np.zeros(len(times)) if dither_probability is None else dither_probability
        chances = _column("dither_probability", chances, "fiu", "numbers").astype(np.float64)
        outside = ~((chances >= 0) & (chances <= 1))
        if outside.any():
            place = int(outside.argmax())
            raise InputError(
                f"dither_probability[{place}]", shown(float(chances[place])), "a number from 0 to 1"
            )
        chosen = np.zeros(len(times), bool) if dithered is None else dithered
        chosen = _column("dithered", chosen, "b", "truth values")
        try:
            columns = self._core.run(
                times,
                flows.astype(np.uint64),
                np.ascontiguousarray(signals),
                (chances, np.ascontiguousarray(chosen)),
                None if until is None else arguments.real("until", until),
            )
        except ValueError as error:
            raise InputError(*error.args) from None
        return ResponsivenessSeries(**columns)


def _dither(probability: float, chosen: bool) -> tuple[float, bool]:
    value = arguments.real("dither_probability", probability)
    if not 0 <= value <= 1:
        raise InputError("dither_probability", shown(value), "a number from 0 to 1")
    return value, bool(chosen)


def _estimate(row: tuple[list[float], int, int, int, int]) -> ResponsivenessEstimate:
    reals, *counts, flags = row
    return ResponsivenessEstimate._make((*reals, *counts, ResponsivenessQuality(flags)))


def _column(name: str, values: ArrayLike, kinds: str, expected: str) -> NDArray[np.generic]:
    """``values`` in one dimension, of one of these kinds of types; empty ones are of any."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(name, f"an array of shape {array.shape}", "one dimension")
    if array.size and array.dtype.kind not in kinds:
        raise InputTypeError(name, shown(values), f"an array of {expected}")
    return np.ascontiguousarray(
        array if array.size else array.astype(f"{kinds[0]}{8 if kinds[0] != 'b' else 1}")
    )
