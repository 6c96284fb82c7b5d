"""A sweep as a value: a base, parameters, a design, seeds, what is measured. :meth:`Sweep.run` runs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from parshall.engine.executors import EngineExecutor, opened
from parshall.engine.interrupt import HeldInterrupt
from parshall.engine.limits import checked_seeds
from parshall.errors import InputError, shown
from parshall.estimators.responsiveness import Responsiveness
from parshall.recording.views import (
    FlowSeries,
    FlowView,
    Packets,
    PortNonresponsive,
    PortRedTuning,
    PortResponsiveness,
    PortSeries,
    PortTreatment,
    PortView,
    RttSamples,
    WindowChanges,
)
from parshall.scenario.base import Part
from parshall.scenario.canonical import canonical_json
from parshall.sweep.base import Builder, base_of
from parshall.sweep.design import Design, Grid, LatinHypercube, Listed, Sobol
from parshall.sweep.metric import GivenMetrics, Metric, metrics_of
from parshall.sweep.parameter import GivenParameter, Parameter, parameter_of
from parshall.sweep.points import Point, expanded
from parshall.sweep.result import SweepResult
from parshall.sweep.stopping import StopRule
from parshall.sweep.units import units_of

if TYPE_CHECKING:
    from parshall.engine.cache import Cache
    from parshall.engine.runs import Progress, Runs
    from parshall.scenario import Dumbbell, Scenario
    from parshall.sweep.measured import Measured

__all__ = ["METRICS", "EngineExecutor", "Sweep"]

METRICS = ("goodput", "loss_rate")
"""Metrics unless others are given."""

_COLUMNS = {
    *("seed", "flow", "port", "time", "variant", "scenario", "metric", "mean", "low", "high", "n"),
    *(column.name for view in (FlowView, PortView) for column in fields(view)),
} - {"name", "rate"}
"""Names of columns that parameters must leave free."""


_SERIES = {
    "rtt": RttSamples,
    "window": WindowChanges,
    "flow_series": FlowSeries,
    "port_series": PortSeries,
    "packets": Packets,
    "responsiveness": PortResponsiveness,
    "nonresponsive": PortNonresponsive,
    "red_tuning": PortRedTuning,
    "treatment": PortTreatment,
}
"""Classes with the columns of the tables that a scenario may record."""
_GRID = Grid.known(kind="grid")


@dataclass(frozen=True)
class Sweep:
    """A scenario with parameters, run over seeds.

    ``Sweep(bell, {"rate": ["1 Mbit/s", "5 Mbit/s"]}, seeds=10).run().to_pandas()``
    """

    scenario: Scenario | Dumbbell | Builder
    """Base: a scenario, a dumbbell, or a function that takes a value for each parameter by its name
    and returns one."""
    parameters: Mapping[str, GivenParameter]
    """Parameters by name of column. A bare list stands for a :class:`Parameter` with these values,
    whose name is the path. What only a list of points names is a parameter too."""
    design: Design = _GRID
    """Which combinations are run."""
    seeds: int | Iterable[int] = 10
    """Replicates: so many, from 1 on, or these. All points have the same ones, so that differences between
    them can be paired. With ``stop`` only a list counts, whose seeds are taken in its order."""
    metrics: GivenMetrics = METRICS
    """One number each for a run; see :mod:`parshall.sweep.metric`."""
    stop: StopRule | None = None
    """When a point has had enough seeds; all have ``seeds`` of them unless given."""
    tables: Sequence[str] = ("flows", "ports")
    """Tables that are read back."""
    title: str = ""
    """For people."""

    def __post_init__(self) -> None:
        """Checks what can be checked without building a scenario. Raises InputError."""
        if not isinstance(self.design, Grid | Listed | LatinHypercube | Sobol):
            raise InputError("design", shown(self.design), "a Grid, Listed, LatinHypercube or Sobol")
        if not isinstance(self.seeds, int | str) and isinstance(self.seeds, Iterable):
            object.__setattr__(self, "seeds", tuple(self.seeds))  # an iterator is gone once it was read
        self.checked_parameters  # noqa: B018 - computed once, here
        self.checked_metrics  # noqa: B018
        self.seed_list  # noqa: B018

    @cached_property
    def checked_parameters(self) -> dict[str, Parameter]:
        """The parameters, written out."""
        if not isinstance(self.parameters, Mapping):
            raise InputError("parameters", shown(self.parameters), "a table of parameters by name")
        listed = self.design.points[0] if isinstance(self.design, Listed) and self.design.points else {}
        for name in (*self.parameters, *listed):
            if not isinstance(name, str) or not name or not name.isprintable():
                raise InputError("parameters", shown(name), "a name: printable text that is not empty")
            if name in _COLUMNS:
                raise InputError(f"parameters.{name}", "the name of a column of results", "another name")
        given = {name: parameter_of(value, f"parameters.{name}") for name, value in self.parameters.items()}
        return {**given, **{name: Parameter() for name in listed if name not in given}}

    @cached_property
    def checked_metrics(self) -> dict[str, Metric]:
        """The metrics by name."""
        metrics = metrics_of(self.metrics)
        if not isinstance(self.stop, StopRule | None):
            raise InputError("stop", shown(self.stop), "a StopRule, or none")
        for name in metrics:
            if name in self.checked_parameters or name in ("seed", "scenario"):
                raise InputError(f"metrics.{name}", "the name of another column", "another name")
        if self.stop is not None:
            rule = self.stop.checked()
            if rule.metric not in metrics:
                raise InputError("stop.metric", shown(rule.metric), f"one of {', '.join(metrics)}")
        return metrics

    @cached_property
    def seed_list(self) -> tuple[int, ...]:
        """The seeds in the order in which they are taken; under a stop rule as many as a point may have."""
        if self.stop is None:
            return checked_seeds(self.seeds)
        most = self.stop.max_seeds
        if isinstance(self.seeds, int):
            # How many there are at first is the rule's to say how far to exceed.
            checked_seeds(self.seeds)
            return checked_seeds(most)
        return checked_seeds(self.seeds)[:most]

    @property
    def points(self) -> tuple[Point, ...]:
        """Every point with its scenario, in the order of the design. Raises InputError, which names the value
        that does not fit.
        """
        written = list(_written((self.scenario, self.checked_parameters, self.design)))
        known = self.__dict__.get("_points")
        if known is None or known[0] != written:
            known = (written, expanded(base_of(self.scenario), self.checked_parameters, self.design))
            self.__dict__["_points"] = known
        points: tuple[Point, ...] = known[1]
        return points

    def check(self) -> Sweep:
        """Checks every point, metric and table; returns the sweep itself. Raises InputError."""
        self._check_tables()
        for point in self.points:
            for metric in self.checked_metrics.values():
                metric.of(point.scenario)
        return self

    @property
    def first_runs(self) -> list[tuple[str, int]]:
        """Scenario and seed of each run that is done in any case; a stop rule may ask for more."""
        points = self.points
        return self._keys(points, [self._first_count()] * len(points))

    @property
    def possible_runs(self) -> list[tuple[str, int]]:
        """Scenario and seed of each run that may be done."""
        return self._keys(self.points, [len(self.seed_list)] * len(self.points))

    def run(
        self,
        *,
        executor: Executor | str | None = None,
        jobs: int | None = None,
        cache: Cache | Literal["default"] | None = "default",
        progress: Progress | None = None,
    ) -> SweepResult:
        """Does every run that the cache does not have, and returns the tables.

        ``executor`` is any ``concurrent.futures.Executor``, ``"dask"``, or the address of a Dask scheduler;
        all cores of this machine, or ``jobs`` of them, unless given. ``progress`` is called with the number
        of runs done and the number asked for so far. ``cache=None`` keeps nothing.

        After Ctrl-C what has finished is kept, and KeyboardInterrupt is raised; the same call does the rest.
        A run that fails is logged, is in ``failures``, and does not stop the others. Raises RunError when the
        executor breaks.
        """
        from parshall.engine.cache import cache_of
        from parshall.engine.runs import Runs
        from parshall.sweep.measured import Measured

        self._check_tables()
        read = tuple(dict.fromkeys((*self.tables, "flows", "ports")))
        points = self.points
        variants = ((point.name, point.hash, point.scenario) for point in points)
        measured = Measured(self.checked_metrics, {point.hash: point.scenario for point in points})
        look = (measured.add, self._looked_at())
        runs = Runs(variants, read, cache_of(cache), progress, look=look)
        with opened(executor, jobs) as workers:
            return self._result(points, runs, measured, workers)

    def _looked_at(self) -> tuple[str, ...]:
        """Tables that metrics need: a function may ask its recording for everything that was recorded."""
        metrics = self.checked_metrics.values()
        if not any(metric.of_recording for metric in metrics):
            return tuple(
                dict.fromkeys(["flows", "ports", *(name for each in metrics for name in each.tables)])
            )
        return tuple(sorted({"pcap"}.union(*(point.scenario.recorded_tables() for point in self.points))))

    def _check_tables(self) -> None:
        recorded = {"flows", "ports"}.union(*(point.scenario.recorded_tables() for point in self.points))
        for index, name in enumerate(self.tables):
            if name not in recorded:
                raise InputError(f"tables[{index}]", shown(name), f"one of {', '.join(sorted(recorded))}")
            if name in _SERIES:
                self._check_free({column.name for column in fields(_SERIES[name])}, f"the table {name}")
            if name == "evidence":
                named = {"time", "port", "flow", "packets", "deaf", *Responsiveness.EVIDENCE}
                self._check_free(named, "the table evidence")

    def _check_free(self, columns: set[str], what: str) -> None:
        """Parameters stand beside the columns of each table."""
        for name in self.checked_parameters:
            if name in columns:
                raise InputError(f"parameters.{name}", f"the name of a column of {what}", "another name")

    def _result(
        self, points: tuple[Point, ...], runs: Runs, measured: Measured, workers: Executor
    ) -> SweepResult:
        counts = [self._first_count()] * len(points)
        with HeldInterrupt() as interrupt:
            while True:
                runs.add(self._keys(points, counts), workers, lambda: interrupt.came)
                if interrupt.came:
                    break
                grown = self._next_counts(points, counts, measured)
                if grown == counts:
                    break
                counts = grown
        return SweepResult(
            points,
            tuple(self.seed_list[:count] for count in counts),
            tuple(self.checked_metrics),
            runs.tables,
            runs.executed,
            runs.failures,
            measured.values,
            tuple(runs.blocks),
            units_of(self.checked_parameters, self.checked_metrics),
            self.title,
            {name: metric.within for name, metric in self.checked_metrics.items()},
        )

    def _first_count(self) -> int:
        return len(self.seed_list) if self.stop is None else min(self.stop.min_seeds, len(self.seed_list))

    def _keys(self, points: Sequence[Point], counts: Sequence[int]) -> list[tuple[str, int]]:
        return [
            (point.hash, seed)
            for point, count in zip(points, counts, strict=True)
            for seed in self.seed_list[:count]
        ]

    def _next_counts(self, points: Sequence[Point], counts: Sequence[int], measured: Any) -> list[int]:
        """Number of seeds that each point should have. It depends on the point's own runs alone, so that it
        is the same whatever else is in the sweep.
        """
        if self.stop is None:
            return list(counts)
        column = list(self.checked_metrics).index(self.stop.metric)
        grown = []
        for point, count in zip(points, counts, strict=True):
            keys = [(point.hash, seed) for seed in self.seed_list[:count]]
            values = [
                measured.values[key][column] if key in measured.values else float("nan") for key in keys
            ]
            grown.append(min(self.stop.next_count(values), len(self.seed_list)))
        return grown


def _written(value: Any) -> Iterator[str]:
    """The scenarios, and parts of such, among what a sweep is made of, as text: by that it is known whether
    somebody has changed one of them, which Python lets anybody do.
    """
    if isinstance(value, Parameter | Listed):
        yield from _written(list(dict(value).values()))
    elif isinstance(value, Part):
        yield canonical_json(value)
    elif isinstance(value, Mapping):
        yield from _written(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _written(each)
