"""Filters of the retransmission timeout on one series: their two costs, and which to take.

A filter is chosen by the first half of the series and judged by the second, which had no part in the choice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import InputError, InputTypeError, counted, shown
from parshall.estimators import LinuxRto, RtoCosts, evaluate_rto
from parshall.rto.filters import (
    LINUX,
    LINUX_MIN_RTO,
    QUANTILE,
    filters as known_filters,
    variants,
    with_own,
)
from parshall.rto.risk import BLOCKS, keeps_to, told_share

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from parshall.estimators.rto import RtoEstimator
    from parshall.own import RtoFilter, SharedRtoFilter


__all__ = ["RtoComparison", "compare"]

LEAST_SAMPLES = 20
_MOST_WARM_UP = 500
_TOLD_BY = 3.0
"""None early of ``3 / risk`` says with 95 % confidence that the share is below ``risk``."""


@dataclass(frozen=True)
class RtoComparison:
    """Costs of each filter on a series; see :func:`compare`."""

    rtts: NDArray[np.float64]
    """The round trips, in seconds, without lost replies."""
    gaps: int
    """Lost replies, which are left out."""
    risk: float
    """Share of early timeouts that is accepted."""
    min_rto: float
    """Least RTO of the filters, in seconds."""
    warm_up: int
    """Round trips at the beginning that are taken in and not judged: a tenth, at most 500."""
    rows: Mapping[str, RtoCosts]
    """Costs on the series after them, by filter; the last one is Linux's with its 200 ms."""
    chosen: str
    """The filter that waits least in the first half, among :attr:`kept`; if there is none, the one with the
    fewest early timeouts.
    """
    kept: tuple[str, ...]
    """Filters that by the first half will keep to ``risk`` in the second, with a probability of 95 %."""
    told: float
    """Share of early timeouts that ``quantile`` is told to keep to, below ``risk`` so that this holds."""
    judged: Mapping[str, RtoCosts]
    """Costs on the second half, which had no part in the choice."""

    @property
    def today(self) -> str:
        """The row of Linux as it is, with its least RTO."""
        return list(self.rows)[-1]

    @property
    def needed(self) -> int:
        """Round trips from which on a share as small as ``risk`` can be told."""
        return 2 * math.ceil(_TOLD_BY / self.risk)

    @property
    def advice(self) -> str:
        """Which filter to take, in a sentence."""
        most = _percent(self.risk)
        if len(self.rtts) < self.needed:
            return (
                f"{len(self.rtts):,} round trips are too few to tell a share of {most}, which takes "
                f"{self.needed:,}; in the first half of these {self.chosen} is best."
            )
        found = self.judged[self.chosen]
        share = _percent(found.spurious_share)
        costs = f"in the second half {share} of its timeouts would be early, and a lost "
        costs += f"packet would wait {_ms(found.mean_wait)}"
        if self.chosen == self.today:
            return f"Keep what Linux does: no filter that keeps to {most} waits less ({costs})."
        today = self.judged[self.today]
        told = f"Linux as it is: {_percent(today.spurious_share)}, {_ms(today.mean_wait)}"
        if self.chosen not in self.kept:
            return f"No filter is sure to keep to {most}; {self.chosen} comes nearest: {costs} ({told})."
        if found.spurious_share > 2 * self.risk:
            return (
                f"The link has changed: {self.chosen} is the best of the first half, but {costs}, where at "
                f"most {most} is accepted ({told})."
            )
        return f"Take {self.chosen}, the best of the first half: {costs} ({told})."

    @cached_property
    def frontier(self) -> dict[str, list[RtoCosts]]:
        """Costs after the warm-up of each family of filters over its parameters."""
        found: dict[str, list[RtoCosts]] = {}
        for family, estimator in variants(self.min_rto, self.told):
            costs = evaluate_rto(self.rtts, estimator, warm_up=self.warm_up)
            found.setdefault(family, []).append(costs)
        return found

    def plot(self) -> Figure:
        """Early timeouts against waiting: a line for each family, a mark for each filter of :attr:`rows`."""
        from parshall.rto.shown import figure_of

        return figure_of(self)

    def __repr__(self) -> str:
        return f"<RtoComparison of {len(self.rows)} filters on {len(self.rtts):,} round trips: {self.advice}>"


def compare(
    rtts: ArrayLike,
    *,
    risk: float = 0.01,
    min_rto: float = 0.0,
    filters: Mapping[str, RtoFilter | SharedRtoFilter | RtoEstimator] | None = None,
) -> RtoComparison:
    """Weighs early timeouts against waiting, for every filter of the library, on round-trip times in seconds.

    NaN is a lost reply and is left out. ``risk`` is the share of early timeouts that is accepted, from
    0.000001 to 0.2, and ``min_rto`` the least RTO of all filters; Linux's with its 200 ms is a row of its
    own. A filter is chosen by the first half, so that the risk is kept in the second one in at least nine of
    ten series. ``filters`` has others by their names: filters of your own, with the same ``min_rto``, or
    estimators. The costs are those of :func:`parshall.evaluate_rto`. Raises InputError for fewer than 20
    round trips.
    """
    try:
        series = np.asarray(rtts, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError("rtts", shown(rtts), "a series of numbers") from None
    if series.ndim != 1:
        raise InputError("rtts", f"{series.ndim} dimensions", "a series of numbers")
    answered = series[~np.isnan(series)]
    if len(answered) < LEAST_SAMPLES:
        raise InputError("rtts", counted(len(answered), "round trip"), f"at least {LEAST_SAMPLES}")
    if not answered.any():
        raise InputError("rtts", "zeros alone", "round-trip times above 0")
    half, start = len(answered) // 2, min(len(answered) // 10, _MOST_WARM_UP)
    ahead = len(answered) - half
    try:
        known_filters(min_rto, risk)
        told = told_share(risk, ahead)
        compared = with_own(known_filters(min_rto, told), filters, min_rto)
    except InputError as error:
        name = "min_rto" if error.path == "least_margin" else error.path
        raise type(error)(name, error.value, error.expected) from None
    compared.update({f"linux, {_ms(LINUX_MIN_RTO)}": LinuxRto(min_rto=LINUX_MIN_RTO)})
    if min_rto == LINUX_MIN_RTO:
        compared.pop(LINUX)

    def costs(part: NDArray[np.float64], warm_up: int) -> dict[str, RtoCosts]:
        return {name: evaluate_rto(part, each, warm_up=warm_up) for name, each in compared.items()}

    ends = [start + round((half - start) * part / BLOCKS) for part in range(1, BLOCKS + 1)]
    so_far = [costs(answered[:end], start) for end in ends]
    first = so_far[-1]
    kept = tuple(
        name for name in compared if _expected_to_keep(name, risk, [each[name] for each in so_far], ahead)
    )
    return RtoComparison(
        rtts=answered,
        gaps=len(series) - len(answered),
        risk=risk,
        min_rto=min_rto,
        warm_up=start,
        rows=costs(answered, start),
        chosen=min(kept, key=lambda name: first[name].mean_wait) if kept else _fewest(first),
        kept=kept,
        told=told,
        judged=costs(answered, half),
    )


def _expected_to_keep(name: str, risk: float, so_far: Sequence[RtoCosts], ahead: int) -> bool:
    """Judges by costs up to the end of each part of the first half."""
    whole = so_far[-1]
    if name == QUANTILE:
        # It steers its share to what it is told: only a series that it cannot follow speaks against it.
        return whole.spurious_share <= risk + 2.0 * math.sqrt(risk * (1.0 - risk) / whole.samples)
    early = np.diff([0, *(each.spurious for each in so_far)])
    return keeps_to(risk, [int(count) for count in early], whole.samples, ahead)


def _fewest(found: Mapping[str, RtoCosts]) -> str:
    return min(found, key=lambda name: (found[name].spurious_share, found[name].mean_wait))


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _ms(seconds: float) -> str:
    milliseconds = 1e3 * seconds
    return f"{milliseconds:,.0f} ms" if milliseconds >= 100 else f"{milliseconds:.3g} ms"
