"""When a point has had enough seeds: the interval of a metric's mean is narrow enough.

The rule is the sequential procedure of Chow and Robbins (1965) for a mean, in the form that simulation uses
(Law, *Simulation Modeling and Analysis*, section 9.4.1): after each round the Student-t interval is computed
as if the number of seeds had been fixed, and sampling stops at the first one whose half-width is small
enough. Its coverage tends to the nominal one as the bound shrinks, and is below it for bounds that few seeds
meet: a sample whose deviation happens to be small stops early. ``docs/guide/sweep.md`` has the measured
coverage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import PlainValidator, WithJsonSchema

from parshall.errors import InputError
from parshall.stats import Interval, mean_interval
from parshall.sweep.model import Model
from parshall.sweep.readers import U32_MAX, name, positive, whole

__all__ = ["StopRule"]

if TYPE_CHECKING:
    _Bound = float | None
    _Name = str
    _Least = int
    _Most = int
else:
    _Bound = (
        Annotated[
            float,
            PlainValidator(positive),
            WithJsonSchema({"type": "number", "exclusiveMinimum": 0}),
        ]
        | None
    )
    _Name = Annotated[str, PlainValidator(name), WithJsonSchema({"type": "string", "minLength": 1})]
    _SCHEMA = WithJsonSchema({"type": "integer", "minimum": 2})
    _Least = _Most = Annotated[int, PlainValidator(whole(2, U32_MAX)), _SCHEMA]


class StopRule(Model):
    """More seeds for each point, in rounds, until the 95 % interval of a metric's mean is narrow enough."""

    metric: _Name
    """Name of a metric."""
    half_width: _Bound = None
    """Enough when half the interval's width is at most this, in the metric's own unit."""
    relative: _Bound = None
    """Enough when it is at most this share of the mean; 0.05 is 5 %."""
    min_seeds: _Least = 10
    """Seeds of the first round. Few make it likely that a small deviation is found by chance."""
    max_seeds: _Most = 1000
    """No point has more, whether its interval is narrow enough or not."""

    def checked(self) -> StopRule:
        """The rule itself. Raises InputError when its fields contradict each other."""
        if self.half_width is None and self.relative is None:
            raise InputError("stop", "neither half_width nor relative", "a bound for the interval")
        if self.max_seeds < self.min_seeds:
            raise InputError("stop.max_seeds", str(self.max_seeds), f"at least min_seeds, {self.min_seeds}")
        return self

    def satisfied(self, interval: Interval) -> bool:
        """Returns true for an interval that is narrow enough; where both bounds are given, either will do."""
        return self.excess(interval) <= 1

    def excess(self, interval: Interval) -> float:
        """Width of an interval over the wanted one; at most 1 when it is narrow enough."""
        if not interval.bounded:
            return math.inf
        bounds = [self.half_width or 0.0, (self.relative or 0.0) * abs(interval.mean)]
        if interval.half_width == 0:
            return 0.0
        return interval.half_width / max(bounds) if max(bounds) > 0 else math.inf

    def next_count(self, values: Sequence[float]) -> int:
        """Number of seeds that a point should have after this round; as many as it has when it is done, or
        when no number of them can narrow its interval.

        ``values`` is one number a seed so far. What is missing is foreseen from the interval, whose width
        goes with the root of the number; a round adds at least a tenth, and at most as many as there are.
        """
        count = len(values)
        if count < self.min_seeds:
            return min(self.min_seeds, self.max_seeds)
        interval = mean_interval(values)
        if interval.n == 0 or (count > 1 and not math.isfinite(interval.mean)):
            return count  # what does not exist, or is infinite, has no interval that more seeds could narrow
        excess = self.excess(interval)
        if excess <= 1:
            return count
        foreseen = count * min(excess**2, 2.0)
        return min(max(math.ceil(foreseen), count + max(1, count // 10)), self.max_seeds)
