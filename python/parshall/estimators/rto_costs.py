"""The two costs of a retransmission timeout on a series of round-trip times.

``parshall.estimators`` offers everything that is here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parshall.errors import InputError, counted
from parshall.estimators import arguments
from parshall.estimators.rto import RtoEstimator, as_estimator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from parshall._core import RtoFilterBase
    from parshall.own.rto import SharedRtoFilter

__all__ = ["RtoCosts", "evaluate_rto"]


@dataclass(frozen=True)
class RtoCosts:
    """The two costs of a retransmission timeout on a series of round-trip times; see :func:`evaluate_rto`."""

    samples: int
    """Samples judged."""
    spurious: int
    """Samples that took longer than the RTO in force."""
    total_wait: float
    """Sum of the RTOs in force, in seconds: the wait if every packet had been lost."""
    total_rtt: float
    """Sum of the samples, in seconds."""

    @property
    def spurious_share(self) -> float:
        """Share of packets that would be retransmitted needlessly (compare Allman and Paxson's B)."""
        return self.spurious / self.samples

    @property
    def mean_wait(self) -> float:
        """Mean wait for a lost packet, in seconds (compare W)."""
        return self.total_wait / self.samples

    @property
    def normalized_wait(self) -> float:
        """Mean wait in units of the mean sample (compare W normalised); NaN when all samples are 0."""
        return self.total_wait / self.total_rtt if self.total_rtt > 0 else math.nan


def evaluate_rto(
    rtts: ArrayLike,
    estimator: RtoEstimator | RtoFilterBase | SharedRtoFilter,
    *,
    warm_up: int = 1,
    karn: bool = False,
) -> RtoCosts:
    """Weigh an estimator's spurious timeouts against its waiting, after Allman and Paxson 1999.

    They replay recorded connections and set the time spent waiting for timeouts (W) against the share of
    timeouts that were not needed (B). A series of round-trip times has no losses, so here every sample stands
    for both kinds of packet. The RTO in force is the one after the sample before:

    - the packet that arrived: its timeout is spurious if the sample is greater than the RTO in force;
    - the same packet, had it been lost: it waits for the RTO in force.

    The first ``warm_up`` samples are taken in and not judged; by default that is one, since what is in force
    before it is the initial RTO. Every sample is taken in, and no backoff is ever in force: what a sender
    with timestamps does, and the fairest comparison of filters. With ``karn=True`` a sample greater than the
    RTO doubles the backoff once for each expiry before its ACK and then says nothing, as for a sender without
    timestamps: the RTOs in force stay backed off until a sample is within its own.

    A fresh copy of ``estimator`` is judged; the one given stays as it is. A filter of your own, derived from
    ``parshall.RtoFilter``, is judged with the rules of RFC 6298; ``with_rules`` gives it others.

    >>> costs = evaluate_rto([0.1, 0.1, 0.4, 0.1], JacobsonRto(min_rto=0))
    >>> costs.samples, costs.spurious, round(costs.mean_wait, 4)
    (3, 1, 0.3667)
    """
    judged = as_estimator("estimator", estimator)
    if not isinstance(karn, bool):
        raise arguments.wrong_type("karn", karn, "a truth value")
    samples = arguments.samples("rtts", rtts)
    unjudged = arguments.count("warm_up", warm_up)
    if len(samples) <= unjudged:
        raise InputError("rtts", counted(len(samples), "sample"), f"more than the {unjudged} of warm_up")
    with arguments.Faults():
        return RtoCosts(*judged._core.evaluate(samples, unjudged, karn))
