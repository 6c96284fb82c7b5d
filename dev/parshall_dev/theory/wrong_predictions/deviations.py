"""Which printed formulas of the prediction-error model hold, by evaluating each beside the right one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from parshall.theory.wrong_predictions import SharedLink, SubCase
from parshall_dev.theory.wrong_predictions.formulas import FORMULAS, Formula

__all__ = ["Deviation", "judge", "links"]

ROUNDING = 1e-9
"""Relative difference up to which two formulas are one."""


@dataclass(frozen=True)
class Deviation:
    """A formula, and how far it is from the right one."""

    formula: Formula
    largest: float
    """The largest relative deviation over the links; absolute where the right value is 0."""

    @property
    def holds(self) -> bool:
        """True if the printed formula gave the right value for every link."""
        return self.largest <= ROUNDING


def links(sub_case: SubCase) -> list[SharedLink]:
    """Links in a sub-case: several N and gamma, and l at several places between its boundaries."""
    capacity, rtt = 10e6, 0.02
    found = []
    for connections, error, part in product((3, 5, 20, 100), (0.1, 0.5, 1.0), (0.05, 0.35, 0.8)):
        reach, edge = error * capacity, (connections - 2) / connections * error * capacity
        low, high = {1: (0.0, edge), 2: (edge, reach), 3: (reach, 2 * reach)}[sub_case]
        buffer_bytes = (low + part * (high - low)) * rtt / 8
        found.append(SharedLink(error, connections, capacity, buffer_bytes, rtt))
    return found


def judge() -> list[Deviation]:
    """Every printed formula over the links of its sub-case."""
    return [Deviation(formula, max(_deviations(formula))) for formula in FORMULAS]


def _deviations(formula: Formula) -> list[float]:
    return [
        abs(formula.printed_value(link) - right) / (abs(right) or 1.0)
        for link in links(formula.sub_case)
        for right in [formula.right_value(link)]
    ]
