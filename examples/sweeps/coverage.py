"""How often the interval of a sequential stop holds the true mean: measured, for known distributions.

    python examples/sweeps/coverage.py

Each row stops samples of a known law by the rule of `parshall sweep` and counts the 95 % intervals that hold
the law's mean. `needed` is how many seeds the bound takes when the deviation is known.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from parshall.stats import mean_interval
from parshall.sweep import StopRule

REPLICATES = 4000
MOST = 400

LAWS: dict[str, Callable[[np.random.Generator], NDArray[np.float64]]] = {
    "normal": lambda rng: rng.normal(0, 1, MOST),
    "exponential": lambda rng: rng.exponential(1, MOST) - 1,
}
"""Samples with mean 0 and deviation 1."""


def coverage(law: str, needed: int, least: int) -> tuple[float, float]:
    """The share of intervals that hold the mean, and how many values they rest on in the mean."""
    bound = NormalDist().inv_cdf(0.975) / needed**0.5
    rule = StopRule(metric="m", half_width=bound, min_seeds=least, max_seeds=MOST)
    rng = np.random.default_rng(1)
    holds, counts = 0, 0
    for _ in range(REPLICATES):
        sample = LAWS[law](rng)
        count = rule.next_count([])
        while (more := rule.next_count(sample[:count].tolist())) > count:
            count = more
        holds += mean_interval(sample[:count]).contains(0)
        counts += count
    return holds / REPLICATES, counts / REPLICATES


def main() -> None:
    print("law          needed  min_seeds  coverage  mean seeds")
    for law in LAWS:
        for needed in (10, 40, 160):
            for least in (3, 10, 20):
                share, count = coverage(law, needed, least)
                print(f"{law:<11}  {needed:>6}  {least:>9}  {share:>7.1%}  {count:>10.1f}")


if __name__ == "__main__":
    main()
