"""The command ``compare``: two scenarios over the same seeds, or two results, by paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from parshall.cli.commands.figures import figures_of, of_recording
from parshall.cli.commands.given import scenario_of, seeds_of
from parshall.errors import InputError, ParshallError, shown
from parshall.support.checksums import opened, verified

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "compare", "compare_and_print"]

_DEFAULT_SEEDS = "1-10"


@dataclass(frozen=True)
class Comparison:
    """A figure of two results, seed by seed."""

    name: str
    a: tuple[float, ...]
    b: tuple[float, ...]
    """Of the same seeds."""


@dataclass(frozen=True)
class _Result:
    """What one side has: figures of each seed or point, by its name."""

    runs: dict[str, dict[str, float]]


def compare_and_print(a: str, b: str, seeds: str | None, out: str | None) -> None:
    """Prints the paired differences of two results, and draws them into ``out`` where that is given."""
    found, pairs = compare(a, b, seeds)
    _print(found, a, b, pairs)
    if out is not None:
        from parshall.cli.commands.plot import write_picture

        written = write_picture(_draw(found, a, b), Path(out))
        click.echo(f"{written} written")


def compare(a: str, b: str, seeds: str | None) -> tuple[list[Comparison], int]:
    """The figures of two results, and in how many pairs of runs.

    A result is a scenario file, which is run with ``seeds``, or a folder: of a recording, of a run with
    several seeds, or of a sweep. Raises InputError for two of different kinds.
    """
    folders = [Path(each).is_dir() for each in (a, b)]
    if folders[0] != folders[1]:
        raise InputError("B", shown(b), "a folder as A is" if folders[0] else "a scenario file as A is")
    if folders[0] and seeds is not None:
        raise InputError("--seeds", shown(seeds), "none: the folders have theirs")
    if folders[0]:
        sides = [_read(Path(each)) for each in (a, b)]
    else:
        sides = _run(a, b, seeds_of(seeds or _DEFAULT_SEEDS))
    common = [run for run in sides[0].runs if run in sides[1].runs]
    if not common:
        raise ParshallError(f"{a} and {b}: no seed or point in common, expected results that can be paired")
    names = [name for name in sides[0].runs[common[0]] if name in sides[1].runs[common[0]]]

    def values(side: _Result, name: str) -> tuple[float, ...]:
        return tuple(side.runs[run].get(name, float("nan")) for run in common)

    return [Comparison(name, values(sides[0], name), values(sides[1], name)) for name in names], len(common)


def _run(a: str, b: str, seeds: Sequence[int]) -> list[_Result]:
    from parshall.engine.measure import measure

    variants = {"A": scenario_of(a), "B": scenario_of(b)}
    found = measure(variants, seeds, lambda _, recording: of_recording(recording))
    return [
        _Result({f"seed {seed}": figures for seed, figures in zip(seeds, found[side], strict=True)})
        for side in variants
    ]


# --- Results in folders -------------------------------------------------------------------------------------


def _read(folder: Path) -> _Result:
    if (folder / "sweep.json").is_file():
        return _of_sweep(folder)
    if (folder / "ensemble.json").is_file():
        return _of_ensemble(folder)
    from parshall.recording import Recording

    recording = Recording.load(folder)
    # Two recordings are a pair, whatever their seeds are.
    return _Result({"run": of_recording(recording)})


def _of_ensemble(folder: Path) -> _Result:
    manifest = opened(folder / "ensemble.json")
    tables = {name: _table(verified(folder, f"{name}.parquet", manifest)) for name in ("flows", "ports")}
    runs = {}
    for seed in manifest["seeds"]:
        own = {name: _rows(table, seed) for name, table in tables.items()}
        runs[f"seed {seed}"] = figures_of(own["flows"], own["ports"], manifest["counted_seconds"])
    return _Result(runs)


def _rows(table: Any, seed: int) -> dict[str, Any]:
    import pyarrow.compute as pc

    rows = table.filter(pc.equal(table["seed"], seed))
    return {name: rows[name].to_pylist() for name in rows.column_names}


def _of_sweep(folder: Path) -> _Result:
    manifest = opened(folder / "sweep.json")
    runs = {}
    for file in manifest["sha256"]:
        if file.startswith("runs/"):
            for row in _table(verified(folder, file, manifest)).to_pylist():
                place = [f"{name}={row[name]}" for name in manifest["parameters"]]
                runs[", ".join([*place, f"seed {row['seed']}"])] = {
                    name: float(row[name]) for name in manifest["metrics"]
                }
    return _Result(runs)


def _table(content: bytes) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    return parquet.ParquetFile(pa.BufferReader(content)).read()


# --- What is shown ------------------------------------------------------------------------------------------


def _print(found: Sequence[Comparison], a: str, b: str, pairs: int) -> None:
    from rich.console import Console

    from parshall.recording.summary import figure_table
    from parshall.stats import difference_interval

    table = figure_table("", "A", "B", "B - A", "95 % interval")
    for each in found:
        means = [float(np.mean(values)) for values in (each.a, each.b)]
        difference, interval = f"{means[1] - means[0]:+.4g}", "-"
        if pairs > 1:
            spread = difference_interval(each.b, each.a)
            low, high = spread.mean - spread.half_width, spread.mean + spread.half_width
            interval = f"{low:+.3g} to {high:+.3g}"
        table.add_row(each.name, *(f"{mean:.4g}" for mean in means), difference, interval)
    console = Console()
    if not console.is_terminal:
        console.width = 120
    console.print(f"A is {a}, B is {b}; {pairs} pair{'' if pairs == 1 else 's'} of runs", highlight=False)
    console.print(table)
    if pairs == 1:
        console.print("One pair of runs has no interval; runs with several seeds have.", highlight=False)


def _draw(found: Sequence[Comparison], a: str, b: str) -> Figure:
    """Differences as parts of A, with their intervals."""
    from parshall.plot import FAINT, SERIES, drawing
    from parshall.stats import difference_interval

    shown = [each for each in found if np.isfinite(np.mean(each.a)) and abs(np.mean(each.a)) > 0]
    with drawing(0.9 + 0.32 * max(1, len(shown)), width=6.0) as (canvas, (axis,)):
        axis.axvline(0, color=FAINT, linewidth=0.9)
        for place, each in enumerate(shown):
            scale = 100 / abs(float(np.mean(each.a)))
            mean = float(np.mean(each.b) - np.mean(each.a)) * scale
            half = difference_interval(each.b, each.a).half_width * scale if len(each.a) > 1 else 0.0
            axis.errorbar(mean, place, xerr=half, fmt="o", color=SERIES[0], markersize=4, capsize=2.5)
        axis.set_yticks(range(len(shown)), [each.name for each in shown])
        axis.invert_yaxis()
        axis.set_xlabel(f"B - A, % of A (mean and 95 % interval, {len(found[0].a)} pairs)")
        axis.set_title(f"A: {Path(a).name}, B: {Path(b).name}", loc="left", fontsize="small")
    return canvas
