"""The command ``compare``: scenarios over the same seeds or results, by paired differences with the first."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.cli.commands.given import seeds_of
from parshall.cli.commands.results import Result, read, run_sides
from parshall.errors import InputError, ParshallError, counted, shown
from parshall.recording.pictures.units import quantity_label, scale_of
from parshall.stats import Interval, difference_interval
from parshall.support.terminal import echo

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "Pairs", "compare", "compare_and_print"]

_DEFAULT_SEEDS = "1-10"
_MOST_NAMED = 4
_SIDES = "ABC"


@dataclass(frozen=True)
class Comparison:
    """A figure of two results, seed by seed."""

    name: str
    a: tuple[float, ...]
    b: tuple[float, ...]
    """Values of B for the same seeds; pairs of which one does not exist are left out."""
    point: str = ""
    """Point of a sweep to which it belongs."""
    place: str = ""
    """The point in words."""
    unit: str = ""
    """Unit of a metric whose name does not have it."""

    @property
    def label(self) -> str:
        """Name with the point, and with the unit in which the figures are shown."""
        name = quantity_label(self.name, self.scale[1])
        return f"{self.place}: {name}" if self.place else name

    @property
    def scale(self) -> tuple[float, str]:
        """The number that figures are divided by when they are shown, and the name of their unit."""
        return scale_of((*self.a, *self.b), self.unit)

    @property
    def means(self) -> tuple[float, float]:
        """Means of A and B over the same pairs."""
        return tuple(float(np.mean(each)) if each else float("nan") for each in (self.a, self.b))  # type: ignore[return-value]

    @property
    def difference(self) -> Interval:
        """B less A, with its 95 % interval."""
        return difference_interval(self.b, self.a)


@dataclass(frozen=True)
class Pairs:
    """Two results, paired."""

    side: str
    """``B`` or ``C``, which is compared with A."""
    found: list[Comparison]
    pairs: int
    """Pairs of runs, of all points."""
    remarks: list[str]
    """Notes that the figures need."""


def compare_and_print(
    sides: Sequence[str],
    *,
    seeds: str | None = None,
    changes: Sequence[str] = (),
    jobs: int | None = None,
    form: str = "table",
    out: str | None = None,
) -> None:
    """Prints the paired differences of results, and draws them into ``out`` where that is given."""
    found = compare(sides, seeds, changes, jobs)
    if len(sides) == 1:
        sides = [sides[0], _changed(sides[0], changes)]
    if form == "table":
        _print(found, sides)
    else:
        echo(_as_json(found, sides) if form == "json" else _as_csv(found), nl=form == "json")
    if out is not None:
        from parshall.cli.commands.plot import write_picture

        written = write_picture(_draw(found, sides), Path(out))
        echo(f"{written} written", err=form != "table")


def compare(
    sides: Sequence[str], seeds: str | None = None, changes: Sequence[str] = (), jobs: int | None = None
) -> list[Pairs]:
    """The figures of two or three results, pair by pair with the first.

    A result is a scenario file, which is run with ``seeds`` and ``changes``, or a folder: of a recording, of
    a run with several seeds, or of a sweep, whose points are compared one by one. A single scenario file is
    compared with itself after ``changes``. Raises InputError for too few or too many, for such of different
    kinds and for options that folders do not take, ParshallError for two that have nothing in common.
    """
    if "-" in sides and (len(sides) == 1 or sides.count("-") > 1):
        raise InputError("A B", "-", "files: the standard input can be read once")
    if len(sides) == 1 and changes and not Path(sides[0]).is_dir():
        numbers = seeds_of(seeds or _DEFAULT_SEEDS)
        first, second = run_sides([(sides[0], ()), (sides[0], changes)], numbers, jobs)
        return [_paired("B", (sides[0], _changed(sides[0], changes)), [first, second], 1)]
    if not 2 <= len(sides) <= len(_SIDES):
        raise InputError(
            "A B",
            counted(len(sides), "argument"),
            "two or three scenario files or folders, or one file with --set",
        )
    folders = [Path(each).is_dir() for each in sides]
    for side, given, is_folder in zip(_SIDES, sides, folders, strict=False):
        if is_folder != folders[0]:
            raise InputError(side, shown(given), f"a {'folder' if folders[0] else 'scenario file'}, like A")
    if folders[0]:
        for option, value in (("--seeds", seeds), ("--set", next(iter(changes), None)), ("--jobs", jobs)):
            if value is not None:
                raise InputError(option, shown(value), "none: folders hold what was run")
        results = [read(Path(each)) for each in sides]
    else:
        results = run_sides([(side, changes) for side in sides], seeds_of(seeds or _DEFAULT_SEEDS), jobs)
    return [
        _paired(_SIDES[place], (sides[0], sides[place]), results, place) for place in range(1, len(sides))
    ]


def _changed(file: str, changes: Sequence[str]) -> str:
    """The name of a file with changes."""
    return f"{file} with {', '.join(changes)}"


def _paired(side: str, names: tuple[str, str], results: Sequence[Result], place: int) -> Pairs:
    """A result beside the first, by the runs that all results with a point have: one mean of A for a row."""
    first, second = results[0], results[place]
    common = {
        point: [
            run for run in runs if all(run in each.points[point] for each in results if point in each.points)
        ]
        for point, runs in first.points.items()
        if point in second.points
    }
    both = " and ".join(names)
    pairs = sum(map(len, common.values()))
    if not pairs:
        raise ParshallError(f"{both}: no seed or point in common, expected results that can be paired")
    found = [each for point, runs in common.items() if runs for each in _of_point(point, runs, first, second)]
    if not found:
        raise ParshallError(f"{both}: no metric in common, expected results that can be paired")
    return Pairs(side, found, pairs, _remarks(side, first, second, pairs))


def _of_point(point: str, runs: Sequence[str], first: Result, second: Result) -> list[Comparison]:
    a, b = (side.points[point] for side in (first, second))
    found = []
    for name in (name for name in a[runs[0]] if name in b[runs[0]]):
        values = [(a[run][name], b[run][name]) for run in runs]
        known = [pair for pair in values if not np.isnan(pair).any()]
        found.append(
            Comparison(
                name,
                tuple(pair[0] for pair in known),
                tuple(pair[1] for pair in known),
                point,
                first.labels.get(point, point),
                first.units.get(name, ""),
            )
        )
    return found


# --- What has to be said besides ----------------------------------------------------------------------------


def _remarks(b: str, first: Result, second: Result, pairs: int) -> list[str]:
    said = []
    for side, result in (("A", first), (b, second)):
        if result.failed:
            said.append(f"{_counted(result.failed, 'run')} of {side} failed, and no pair has them.")
        alone = sum(map(len, result.points.values())) - pairs
        if alone:
            said.append(f"{_counted(alone, 'run')} of {side} have no counterpart, and are left out.")
    if first.flows is not None and second.flows is not None and set(first.flows) != set(second.flows):
        said.append(f"Their flows differ: {_named(first.flows)} in A, {_named(second.flows)} in {b}.")
    elif set(first.ports) != set(second.ports):
        said.append(f"Their networks differ: A and {b} have other links.")
    if first.seconds != second.seconds:
        said.append(f"{first.seconds:g} s are counted in A, {second.seconds:g} s in {b}.")
    if first.seed != second.seed:
        said.append(f"The seed of A is {first.seed}, that of {b} {second.seed}: chance differs as well.")
    if first.bottleneck is not None:
        own, other = first.bottleneck, second.bottleneck
        said.append(f"The bottleneck is {own}{'.' if own == other else f' in A, {other} in {b}.'}")
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


def _print(found: Sequence[Pairs], sides: Sequence[str]) -> None:
    from parshall.recording.summary import figure_table
    from parshall.support.console import PlainConsole

    others = [pairs.side for pairs in found]
    table = figure_table("", "A", *(head for b in others for head in (b, f"{b} - A", "95 % interval")))
    keys = _keys(found)
    for row in zip(*(_aligned(pairs, keys) for pairs in found), strict=True):
        label = next(each.label for each in row if each is not None)
        first = next(each for each in row if each is not None)
        cells = [_figure(first.means[0] / first.scale[0], "")]
        for each in row:
            cells += ["-", "-", "-"] if each is None else _cells(each, first.scale[0])
        table.add_row(label, *cells)
    console = PlainConsole()
    named = ", ".join(f"{side} is {given}" for side, given in zip(_SIDES, sides, strict=False))
    pairs_of_runs = "; ".join(
        f"{_counted(each.pairs, 'pair')} of runs" + (f" with {each.side}" if len(found) > 1 else "")
        for each in found
    )
    console.say(f"{named}; {pairs_of_runs}")
    for remark in dict.fromkeys(remark for pairs in found for remark in pairs.remarks):
        console.say(remark)
    console.show(table)
    if all(len(each.a) < 2 for pairs in found for each in pairs.found):
        console.say("One pair of runs has no interval; runs with several seeds have.")


def _keys(found: Sequence[Pairs]) -> list[tuple[str, str]]:
    """Points and figures of all sides, in the order in which they come."""
    return list(dict.fromkeys((each.point, each.name) for pairs in found for each in pairs.found))


def _aligned(pairs: Pairs, keys: Sequence[tuple[str, str]]) -> list[Comparison | None]:
    """The comparisons in this order; a side may lack some."""
    own = {(each.point, each.name): each for each in pairs.found}
    return [own.get(key) for key in keys]


def _cells(each: Comparison, scale: float) -> list[str]:
    spread = each.difference.scaled(1 / scale)
    interval = f"{spread.low:+.3g} to {spread.high:+.3g}" if spread.bounded else "-"
    return [_figure(each.means[1] / scale, ""), _figure(spread.mean, "+"), interval]


def _rows(found: Sequence[Pairs]) -> list[dict[str, Any]]:
    """A row for each figure of each side, in base units; what does not exist is none."""

    def number(value: float) -> float | None:
        return value if np.isfinite(value) else None

    return [
        {
            "side": pairs.side,
            "point": each.place,
            "figure": each.name,
            "unit": each.unit,
            "a": number(each.means[0]),
            "b": number(each.means[1]),
            "difference": number(each.difference.mean),
            "low": number(each.difference.low),
            "high": number(each.difference.high),
            "pairs": len(each.a),
        }
        for pairs in found
        for each in pairs.found
    ]


def _as_json(found: Sequence[Pairs], sides: Sequence[str]) -> str:
    remarks = list(dict.fromkeys(remark for pairs in found for remark in pairs.remarks))
    named = dict(zip(_SIDES, sides, strict=False))
    whole = {"sides": named, "remarks": remarks, "differences": _rows(found)}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False)


def _as_csv(found: Sequence[Pairs]) -> str:
    text = io.StringIO()
    rows = _rows(found)
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _draw(found: Sequence[Pairs], sides: Sequence[str]) -> Figure:
    """Each figure in a strip of its own, in its unit: differences from A with their intervals."""
    from parshall.recording.pictures import Row, Strip, draw_strips

    strips = []
    keys = _keys(found)
    places = {point: number for number, point in enumerate(dict.fromkeys(point for point, _ in keys))}
    for name in dict.fromkeys(name for _, name in keys):
        own = [(pairs.side, each) for pairs in found for each in pairs.found if each.name == name]
        own.sort(key=lambda pair: places[pair[1].point])
        title, _, unit = name.rpartition(", ")
        rows = [
            Row(
                ", ".join(part for part in (each.place, f"{side} - A") if part),
                each.difference,
                tuple(np.subtract(each.b, each.a).tolist()),
                _SIDES.index(side) - 1,
            )
            for side, each in own
            if np.isfinite(each.difference.mean)
        ]
        if rows:
            strips.append(Strip(title or name, unit if title else own[0][1].unit, tuple(rows), zero=True))
    if not strips:
        raise ParshallError("no figure has a difference, nothing to draw")
    named = ", ".join(f"{side}: {_short(given)}" for side, given in zip(_SIDES, sides, strict=False))
    return draw_strips(strips, f"{named}; differences with 95 % intervals")


def _short(given: str) -> str:
    """A file or folder without the folders that it is in."""
    path, word, changes = given.partition(" with ")
    return f"{Path(path).name}{word}{changes}"
