"""A law and what was measured, as values: points with intervals, curves, and the largest deviation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from parshall.stats import Interval

__all__ = ["Comparison", "Curve", "Panel", "Point", "PointSeries"]


@dataclass(frozen=True)
class Point:
    """One setting: what the law says and what was measured."""

    x: float
    """Where it stands on the axis."""
    law: float
    measured: Interval

    @property
    def ratio(self) -> Interval:
        """Measured over law."""
        return self.measured.scaled(1 / self.law)

    @property
    def deviation(self) -> float:
        """Relative difference of the measured mean from the law."""
        return self.ratio.mean - 1

    @property
    def agrees(self) -> bool:
        """True if the law lies inside the interval."""
        return self.measured.contains(self.law)


@dataclass(frozen=True)
class PointSeries:
    """Points that belong together."""

    label: str
    points: tuple[Point, ...]

    @property
    def worst(self) -> Point:
        """The point whose mean lies farthest from the law, relative to the law."""
        return max(self.points, key=lambda point: abs(point.deviation))

    @property
    def agreeing(self) -> int:
        """Points whose interval holds the law."""
        return sum(point.agrees for point in self.points)


@dataclass(frozen=True)
class Curve:
    """A law as a line."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class Panel:
    """Axes that series and curves share."""

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    series: tuple[PointSeries, ...]
    log_x: bool = False
    log_y: bool = False
    legend: Literal["upper left", "lower left", "center right"] = "upper left"
    """Where the legend covers nothing."""


@dataclass(frozen=True)
class Comparison:
    """One law on the page: its panels, and facts that the text quotes."""

    name: str
    """Names the figure's file."""
    title: str
    panels: tuple[Panel, ...]
    runs: int
    """Runs that it rests on."""
    facts: dict[str, str]

    def series(self) -> Iterator[tuple[Panel, PointSeries]]:
        """Every series with the panel that it is in."""
        return ((panel, series) for panel in self.panels for series in panel.series)

    @property
    def worst(self) -> Point:
        """The point farthest from its law."""
        return max((series.worst for _, series in self.series()), key=lambda point: abs(point.deviation))
