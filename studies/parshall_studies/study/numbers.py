"""Numbers that a page's sentences are made with: the page itself says of which expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parshall.stats import Interval, known_mean
from parshall_studies.study.quantity import Expression, quantity
from parshall_studies.study.values import SEED

if TYPE_CHECKING:
    from parshall_studies.study.results import Results
    from parshall_studies.study.values import Values

__all__ = ["NumbersOf"]


@dataclass(frozen=True)
class NumbersOf:
    """Numbers of these results. ``of`` is an expression, or a column as ``table.column``."""

    results: Results

    def mean(self, of: Expression | str, **where: Any) -> float:
        """The mean over everything that these labels leave."""
        return known_mean(self._values(of, where).array)

    def means(self, of: Expression | str, **where: Any) -> list[float]:
        """The means over seeds, one for each combination of the labels that are left."""
        values = self._values(of, where)
        if SEED not in values.dims:
            return [float(each) for each in values.array.ravel()]
        return [known_mean(seeds) for _, seeds in values.members()]

    def over_seeds(self, of: Expression | str, **where: Any) -> Interval:
        """The mean over seeds with its interval, where nothing else is left."""
        return self._values(of, where).interval()

    def _values(self, of: Expression | str, where: Mapping[str, Any]) -> Values:
        return quantity(of, **where).values(self.results)
