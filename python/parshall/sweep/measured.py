"""The metrics of runs, computed from the tables of a block, run by run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from parshall.engine.unblocked import names_of, results_of

if TYPE_CHECKING:
    from parshall.recording.tables import Block, Key
    from parshall.scenario import Scenario
    from parshall.sweep.metric import Measure, Metric

__all__ = ["Measured"]


class Measured:
    """One number for each metric and run, computed once."""

    def __init__(self, metrics: Mapping[str, Metric], scenarios: Mapping[str, Scenario]) -> None:
        """``scenarios`` are by hash. Raises InputError for a metric of what a scenario does not have."""
        self.values: dict[Key, tuple[float, ...]] = {}
        """In the order of the metrics."""
        self._names = {key: names_of(scenario) for key, scenario in scenarios.items()}
        self._measures: dict[str, list[Measure]] = {
            key: [metric.of(scenario) for metric in metrics.values()] for key, scenario in scenarios.items()
        }

    def add(self, block: Block) -> None:
        """Computes the metrics of runs that are new."""
        for key, result in results_of(block, self._names):
            if key not in self.values:
                measures = self._measures[key[0]]
                self.values[key] = tuple(measure(result, key[1]) for measure in measures)
