"""Level shifts, told from long memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from parshall import _core
from parshall.errors import InputError
from parshall.estimators import arguments

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["LevelShifts", "level_shifts"]


@dataclass(frozen=True, slots=True)
class LevelShifts:
    """Findings about shifts of the mean of a series."""

    at: tuple[int, ...]
    """Index of the first sample of each new level, three at most; empty if there is no evidence."""
    ratios: tuple[float, ...]
    """Twice the gain of the local Whittle log-likelihood of the normal scores with 1, 2 and 3 shifts out."""
    critical: tuple[float, ...]
    """Critical values of the ratios."""
    h: tuple[float, ...]
    """H by local Whittle estimation with 0, 1, 2 and 3 shifts taken out."""
    h_without: float
    """H with the shifts of ``at`` taken out."""

    def __bool__(self) -> bool:
        """True if there are any shifts."""
        return bool(self.at)


def level_shifts(series: ArrayLike) -> LevelShifts:
    """Looks for shifts of the mean that long memory does not explain, in at least 128 samples.

    Steps are regressed out of the Fourier transform at the frequencies of local Whittle estimation, with H
    estimated anew: long memory has power there too, but not with the phases of a step. That is done with the
    normal scores of the samples, which are their ranks as quantiles of the normal law, so that neither a
    spike nor a heavy tail passes for a level. A trend counts as shifts. Raises InputError for a series that
    is too short, constant, or not finite.
    """
    try:
        found = _core.level_shifts(arguments.samples("series", series))
    except ValueError as fault:
        raise InputError(*fault.args) from None
    return LevelShifts(
        at=tuple(found["at"]),
        ratios=tuple(found["ratios"]),
        critical=tuple(found["critical"]),
        h=tuple(found["h"]),
        h_without=found["h_without"],
    )
