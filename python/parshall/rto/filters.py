"""The filters that are put side by side: with the parameters of their sources, and over their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from parshall.errors import InputError
from parshall.estimators import (
    ArimaRto,
    JacobsonRto,
    LinuxRto,
    MedianRto,
    QuantileRto,
    WeightedMedianRto,
)
from parshall.estimators.rto import as_estimator
from parshall.own import RtoFilter, SharedRtoFilter

if TYPE_CHECKING:
    from parshall.estimators.rto import RtoEstimator

__all__ = ["FAMILIES", "LINUX", "LINUX_MIN_RTO", "QUANTILE", "filters", "variants", "with_own"]

LINUX = "linux"
QUANTILE = "quantile"
LINUX_MIN_RTO = 0.2
"""Least that Linux adds to the smoothed round trip, in seconds (TCP_RTO_MIN)."""
FAMILIES = ("jacobson", "median", "weighted median", QUANTILE)
"""Filters that a figure shows over their parameters."""

_MULTIPLIERS = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
_GAINS = (1 / 2, 1 / 8, 1 / 32)
_WINDOWS = (3, 5, 9, 15, 31)
_RISKS = (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.02, 0.05, 0.1, 0.2)


def filters(min_rto: float = LINUX_MIN_RTO, risk: float = 0.01) -> dict[str, RtoEstimator]:
    """Every filter by its name, with one least RTO in seconds, so that they differ in nothing else.

    ``risk`` is the share of early timeouts that ``quantile`` is told to keep to. Raises InputError for
    values that no filter takes.
    """
    return {
        LINUX: LinuxRto(least_margin=min_rto, min_rto=min_rto),
        "jacobson": JacobsonRto(min_rto=min_rto),
        "median": MedianRto(window=5, min_rto=min_rto),
        "weighted median": WeightedMedianRto(min_rto=min_rto),
        QUANTILE: QuantileRto(risk, min_rto=min_rto),
        "arima": ArimaRto(min_rto=min_rto),
    }


def with_own(
    known: dict[str, RtoEstimator],
    own: Mapping[str, RtoFilter | SharedRtoFilter | RtoEstimator] | None,
    min_rto: float,
) -> dict[str, RtoEstimator]:
    """Filters by their names, and others besides; one of the user's own gets this least RTO. Raises
    InputError.
    """
    found = dict(known)
    for name, given in (own or {}).items():
        if name in found:
            raise InputError(f"filters[{name}]", "a name that is taken", "another one")
        if isinstance(given, RtoFilter | SharedRtoFilter):
            found[name] = given.with_rules(min_rto=min_rto)
        else:
            found[name] = as_estimator(f"filters[{name}]", given)
    return found


def variants(min_rto: float, told: float) -> Iterator[tuple[str, RtoEstimator]]:
    """Settings of the families: gain or window, and multiplier of the deviation; shares that ``quantile`` is
    told, ``told`` among them.
    """
    for multiplier in _MULTIPLIERS:
        for gain in _GAINS:
            yield "jacobson", JacobsonRto(gain=gain, multiplier=multiplier, min_rto=min_rto)
        for window in _WINDOWS:
            yield "median", MedianRto(window=window, multiplier=multiplier, min_rto=min_rto)
            yield (
                "weighted median",
                WeightedMedianRto(window=window, multiplier=multiplier, min_rto=min_rto),
            )
    for risk in sorted({*_RISKS, told}):
        yield QUANTILE, QuantileRto(risk, min_rto=min_rto)
