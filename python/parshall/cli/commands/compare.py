"""The command ``compare``: two scenarios over the same seeds, or two results, by paired differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from parshall.cli.commands.given import seeds_of
from parshall.cli.commands.results import Result, read, run_both
from parshall.errors import InputError, ParshallError, shown
from parshall.stats import Interval, difference_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "Pairs", "compare", "compare_and_print"]

_DEFAULT_SEEDS = "1-10"
_MOST_NAMED = 4


@dataclass(frozen=True)
class Comparison:
    """A figure of two results, seed by seed."""

    name: str
    a: tuple[float, ...]
    b: tuple[float, ...]
    """Of the same seeds; pairs of which one does not exist are left out."""
    point: str = ""
    """Of a sweep, to which it belongs."""

    @property
    def label(self) -> str:
        return f"{self.point}: {self.name}" if self.point else self.name

    @property
    def means(self) -> tuple[float, float]:
        """Of A and B, over the same pairs."""
        return tuple(float(np.mean(each)) if each else float("nan") for each in (self.a, self.b))  # type: ignore[return-value]

    @property
    def difference(self) -> Interval:
        """B less A, with its 95 % interval."""
        return difference_interval(self.b, self.a)


@dataclass(frozen=True)
class Pairs:
    """Two results, paired."""

    found: list[Comparison]
    pairs: int
    """Pairs of runs, of all points."""
    remarks: list[str]
    """What somebody who reads the figures has to know."""


def compare_and_print(a: str, b: str, seeds: str | None, out: str | None) -> None:
    """Prints the paired differences of two results, and draws them into ``out`` where that is given."""
    found = compare(a, b, seeds)
    _print(found, a, b)
    if out is not None:
        from parshall.cli.commands.plot import write_picture

        written = write_picture(_draw(found, a, b), Path(out))
        click.echo(f"{written} written")


def compare(a: str, b: str, seeds: str | None) -> Pairs:
    """The figures of two results, pair by pair.

    A result is a scenario file, which is run with ``seeds``, or a folder: of a recording, of a run with
    several seeds, or of a sweep, whose points are compared one by one. Raises InputError for two of different
    kinds, ParshallError for two that have nothing in common.
    """
    folders = [Path(each).is_dir() for each in (a, b)]
    if folders[0] != folders[1]:
        raise InputError("B", shown(b), "a folder as A is" if folders[0] else "a scenario file as A is")
    if folders[0] and seeds is not None:
        raise InputError("--seeds", shown(seeds), "none: the folders have theirs")
    if folders[0]:
        first, second = (read(Path(each)) for each in (a, b))
    else:
        first, second = run_both(a, b, seeds_of(seeds or _DEFAULT_SEEDS))
    common = {
        point: [run for run in runs if run in second.points.get(point, {})]
        for point, runs in first.points.items()
    }
    pairs = sum(map(len, common.values()))
    if not pairs:
        raise ParshallError(f"{a} and {b}: no seed or point in common, expected results that can be paired")
    found = [each for point, runs in common.items() if runs for each in _of_point(point, runs, first, second)]
    if not found:
        raise ParshallError(f"{a} and {b}: no metric in common, expected results that can be paired")
    return Pairs(found, pairs, _remarks(first, second, pairs))


def _of_point(point: str, runs: Sequence[str], first: Result, second: Result) -> list[Comparison]:
    a, b = (side.points[point] for side in (first, second))
    found = []
    for name in (name for name in a[runs[0]] if name in b[runs[0]]):
        values = [(a[run][name], b[run][name]) for run in runs]
        known = [pair for pair in values if not np.isnan(pair).any()]
        found.append(
            Comparison(name, tuple(pair[0] for pair in known), tuple(pair[1] for pair in known), point)
        )
    return found


# --- What has to be said besides ----------------------------------------------------------------------------


def _remarks(first: Result, second: Result, pairs: int) -> list[str]:
    said = []
    for side, result in (("A", first), ("B", second)):
        if result.failed:
            said.append(f"{_counted(result.failed, 'run')} of {side} failed, and no pair has them.")
        alone = sum(map(len, result.points.values())) - pairs
        if alone:
            said.append(f"{_counted(alone, 'run')} of {side} have no counterpart, and are left out.")
    if first.flows is not None and second.flows is not None and set(first.flows) != set(second.flows):
        said.append(f"Their flows differ: {_named(first.flows)} in A, {_named(second.flows)} in B.")
    elif set(first.ports) != set(second.ports):
        said.append("Their networks differ: they have other links.")
    if first.seconds != second.seconds:
        said.append(f"{first.seconds:g} s are counted in A, {second.seconds:g} s in B.")
    if first.seed != second.seed:
        said.append(f"The seed of A is {first.seed}, that of B {second.seed}: chance differs as well.")
    if first.bottleneck is not None:
        own, other = first.bottleneck, second.bottleneck
        said.append(f"The bottleneck is {own}{'.' if own == other else f' in A, {other} in B.'}")
    return said


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _named(names: Sequence[str]) -> str:
    few = ", ".join(names[:_MOST_NAMED])
    return f"{few} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else few or "none"


# --- What is shown ------------------------------------------------------------------------------------------


def _figure(value: float, sign: str) -> str:
    """A number to four digits; a dash where there is none, as the mean delay of no packets."""
    return "-" if math.isnan(value) else f"{value:{sign}.4g}"


def _print(pairs: Pairs, a: str, b: str) -> None:
    from rich.console import Console
    from rich.text import Text

    from parshall.recording.summary import figure_table

    table = figure_table("", "A", "B", "B - A", "95 % interval")
    for each in pairs.found:
        means, spread = each.means, each.difference
        interval = f"{spread.low:+.3g} to {spread.high:+.3g}" if spread.bounded else "-"
        shown = (_figure(mean, "") for mean in means)
        table.add_row(Text(each.label), *shown, _figure(spread.mean, "+"), interval)
    console = Console()
    if not console.is_terminal:
        console.width = 120
    console.print(
        f"A is {a}, B is {b}; {_counted(pairs.pairs, 'pair')} of runs", highlight=False, markup=False
    )
    for remark in pairs.remarks:
        console.print(remark, highlight=False, markup=False)
    console.print(table)
    if all(len(each.a) < 2 for each in pairs.found):
        console.print("One pair of runs has no interval; runs with several seeds have.", highlight=False)


def _draw(pairs: Pairs, a: str, b: str) -> Figure:
    """Differences as parts of A, with their intervals."""
    from parshall.plot import FAINT, SERIES, drawing

    shown = [each for each in pairs.found if np.isfinite(each.means[0]) and abs(each.means[0]) > 0]
    with drawing(0.9 + 0.32 * max(1, len(shown)), width=6.0) as (canvas, (axis,)):
        axis.axvline(0, color=FAINT, linewidth=0.9)
        for place, each in enumerate(shown):
            scale, spread = 100 / abs(each.means[0]), each.difference
            half = spread.half_width * scale if spread.bounded else 0.0
            axis.errorbar(
                spread.mean * scale, place, xerr=half, fmt="o", color=SERIES[0], markersize=4, capsize=2.5
            )
        axis.set_yticks(range(len(shown)), [each.label for each in shown])
        axis.invert_yaxis()
        most = max(len(each.a) for each in pairs.found)
        axis.set_xlabel(f"B - A, % of A (mean and 95 % interval, {_counted(most, 'pair')})")
        axis.set_title(f"A: {Path(a).name}, B: {Path(b).name}", loc="left", fontsize="small")
    return canvas
