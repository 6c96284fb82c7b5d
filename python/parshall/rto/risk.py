"""How a filter is chosen so that the accepted share of early timeouts holds in the half still to come."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["BLOCKS", "CHANCE", "keeps_to", "told_share"]

BLOCKS = 8
"""Parts of the first half, by whose counts a filter's early timeouts are seen to cluster."""
CHANCE = 0.95
"""With this probability a filter has to keep to the risk in the second half, judged by the first one."""
_OVER = 1.5
"""Early timeouts of ``quantile`` seldom exceed what is expected by more than 1 and so many roots of it."""
_LEAST_TOLD = 0.1
_LEAST_RISK = 1e-6


def told_share(risk: float, ahead: int) -> float:
    """The share that ``quantile`` is told to keep to, so that of ``ahead`` round trips no more than ``risk``
    are early in nine of ten series.

    It hits the share that it is told but for about the square root of the number of early timeouts.
    """
    allowed = risk * ahead - 1.0
    root = (-_OVER + math.sqrt(_OVER**2 + 4.0 * max(0.0, allowed))) / 2.0
    return max(root * root / ahead, _LEAST_TOLD * risk, _LEAST_RISK)


def keeps_to(risk: float, early: Sequence[int], samples: int, ahead: int) -> bool:
    """True if a filter keeps to ``risk`` in the next ``ahead`` round trips with probability :data:`CHANCE`.

    ``early`` are its early timeouts in equal parts of ``samples`` round trips. Their number to come is
    negative binomial (a Poisson number whose rate has Jeffreys' prior). If they cluster, as many count for
    one as the variance of the parts is greater than their mean.
    """
    counts = np.asarray(early, dtype=np.float64)
    mean = float(counts.mean())
    clustering = max(1.0, float(counts.var(ddof=1)) / mean) if mean > 0 else 1.0
    shape = float(counts.sum()) / clustering + 0.5
    known = samples / (samples + ahead)
    most = math.floor(risk * ahead / clustering)
    steps = np.arange(most, dtype=np.float64)
    logs = np.log((steps + shape) / (steps + 1.0) * (1.0 - known))
    logs = shape * math.log(known) + np.concatenate([[0.0], np.cumsum(logs)])
    return float(np.exp(logs).sum()) >= CHANCE
