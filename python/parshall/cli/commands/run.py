"""The command ``run``: one run or one for each of several seeds, and what is printed of them."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parshall.cli.commands.given import scenario_of, seeds_of
from parshall.errors import InputError, OutputError

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from parshall.engine.ensemble import Ensemble
    from parshall.recording import Recording
    from parshall.scenario import Scenario

__all__ = ["FORMATS", "run_file"]

FORMATS = ("table", "json", "parquet")
_TABLES = ("flows", "ports")
_MOST_ROWS = 16
_SHOWN = ("goodput", "packets_dropped", "packets_retransmitted", "timeouts")

_log = logging.getLogger("parshall")


def run_file(
    file: str,
    *,
    seed: int | None,
    seeds: str | None,
    changes: Sequence[str],
    form: str,
    out: str | None,
    max_events: int | None,
    jobs: int | None,
    show: bool,
) -> bool:
    """Runs the scenario in a file, with ``changes``, and prints or writes what was recorded.

    Returns whether every run succeeded. Raises InputError for options that exclude one another.
    """
    if out == "":
        raise InputError("--out", '""', "a folder")
    scenario = scenario_of(file, changes)
    folder = out
    if folder is None and (form == "parquet" or show):
        folder = str(Path("out") / ("run" if file == "-" else Path(file).stem))
    if (warning := scenario.expected.warning()) is not None:
        _log.warning(warning)
    if seeds is None:
        if jobs is not None:
            raise InputError("--jobs", str(jobs), "none: one run has one thread; --seeds asks for more")
        return _one(scenario, 1 if seed is None else seed, form, folder, max_events, show)
    if seed is not None:
        raise InputError("--seed", str(seed), "none beside --seeds")
    if show:
        raise InputError("--open", "--seeds", "one run, whose plot is opened")
    return _many(scenario, seeds_of(seeds), form, folder, max_events, jobs)


def _one(
    scenario: Scenario, seed: int, form: str, folder: str | None, max_events: int | None, show: bool
) -> bool:
    from parshall.engine.run import run
    from parshall.recording.summary import print_summary
    from parshall.support.progress import simulated

    with simulated(scenario.duration) as progress:
        recording = run(scenario, seed, max_events=max_events, progress=progress)
    written = recording.save(folder) if folder is not None else None
    if form == "json":
        click.echo(json.dumps(_as_json(recording), ensure_ascii=False, allow_nan=False))
    elif form == "table":
        print_summary(recording)
    if written is not None and form != "json":
        click.echo(f"{', '.join(recording.tables)} written to {written}")
    if show and written is not None:
        from parshall.cli.commands.plot import plot_folder

        plot_folder(str(written), flows=(), ports=(), out=None, show=True)
    return True


def _many(
    scenario: Scenario,
    seeds: list[int],
    form: str,
    folder: str | None,
    max_events: int | None,
    jobs: int | None,
) -> bool:
    from rich.console import Console

    from parshall.engine.ensemble import run_many
    from parshall.support.progress import progress_bar

    errors = Console(stderr=True)
    with progress_bar(errors) as bar:
        task = bar.add_task("Runs", total=len(seeds), visible=errors.is_terminal)
        ensemble = run_many(
            {"run": scenario},
            seeds,
            jobs=jobs,
            max_events=max_events,
            progress=lambda done, every: bar.update(task, completed=done, total=every),
        )
    if len(ensemble.failures) == len(seeds):
        ensemble.raise_for_failures()
    if folder is not None:
        _write(ensemble, scenario, Path(folder))
    if form == "json":
        click.echo(json.dumps(_ensemble_as_json(ensemble, scenario), ensure_ascii=False, allow_nan=False))
    elif form == "table":
        _print_means(Console(), ensemble, scenario)
    if folder is not None and form != "json":
        click.echo(f"{', '.join(_TABLES)} of {_done(ensemble)} runs written to {folder}")
    return not ensemble.failures


# --- What is printed ----------------------------------------------------------------------------------------


def _as_json(recording: Recording) -> dict[str, Any]:
    return {
        "scenario": recording.scenario.hash,
        "title": recording.scenario.title,
        "seed": recording.seed,
        "engine_version": recording.engine_version,
        "events": recording.events,
        **{name: _rows(recording.table(name)) for name in _TABLES},
    }


def _ensemble_as_json(ensemble: Ensemble, scenario: Scenario) -> dict[str, Any]:
    return {
        "scenario": scenario.hash,
        "title": scenario.title,
        "seeds": _finished(ensemble),
        "failures": [{"seed": each.seed, "reason": each.reason} for each in ensemble.failures],
        **{name: _rows(ensemble.table(name).drop_columns(["variant"])) for name in _TABLES},
    }


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    """Rows as JSON has them, without numbers that are none."""
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_pylist()]


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _finished(ensemble: Ensemble) -> list[int]:
    """Seeds whose runs did not fail."""
    failed = {each.seed for each in ensemble.failures}
    return [seed for seed in ensemble.seeds if seed not in failed]


def _done(ensemble: Ensemble) -> str:
    """How many runs there are results of."""
    done, every = len(_finished(ensemble)), len(ensemble.seeds)
    return str(every) if done == every else f"{done} of {every}"


def _print_means(console: Console, ensemble: Ensemble, scenario: Scenario) -> None:
    """The mean of what a flow shows, and half of its 95 % interval over the seeds."""
    from parshall.recording.summary import figure_table

    seconds = scenario.duration - scenario.warm_up
    columns = _by_flow(ensemble, seconds)
    console.print(
        f"{_done(ensemble)} seeds, scenario {scenario.hash[:12]}; "
        "mean ± half of the 95 % interval over the seeds",
        highlight=False,
    )
    table = figure_table("flow", "goodput", "dropped", "retransmitted", "timeouts")
    for flow, values in list(columns.items())[:_MOST_ROWS]:
        table.add_row(flow, *(_mean(values[name], "bit/s" if name == "goodput" else "") for name in _SHOWN))
    if not console.is_terminal:
        console.width = 120
    console.print(table)
    if len(columns) > _MOST_ROWS:
        console.print(f"... and {len(columns) - _MOST_ROWS} more flows", highlight=False)


def _by_flow(ensemble: Ensemble, seconds: float) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = {}
    for row in ensemble.table("flows").to_pylist():
        own = found.setdefault(row["flow"], {name: [] for name in _SHOWN})
        row["goodput"] = 8 * row["bytes_delivered"] / seconds
        for name in _SHOWN:
            own[name].append(float(row[name]))
    return found


def _mean(values: Sequence[float], unit: str) -> str:
    from parshall.stats import mean_interval
    from parshall.units import format_rate

    if len(values) < 2:
        return format_rate(float(f"{values[0]:.4g}")) if unit else f"{values[0]:,.0f}"
    interval = mean_interval(values)
    if unit:
        mean, half = float(f"{interval.mean:.4g}"), float(f"{interval.half_width:.2g}")
        return f"{format_rate(mean)} ± {format_rate(half)}"
    return f"{interval.mean:,.1f} ± {interval.half_width:,.1f}"


def _write(ensemble: Ensemble, scenario: Scenario, folder: Path) -> None:
    """The tables of all seeds as Parquet, and what they are of, with checksums."""
    from pyarrow import parquet

    from parshall._core import ENGINE_VERSION
    from parshall.support.checksums import digests, sealed
    from parshall.support.files import failing_as, staged

    with failing_as(folder), staged(folder) as stage:
        names = [f"{name}.parquet" for name in _TABLES]
        for name, file in zip(_TABLES, names, strict=True):
            parquet.write_table(ensemble.table(name), stage / file, compression="zstd")
        if (folder / "recording.json").exists():
            raise OutputError(str(folder / "recording.json"), "is there already, expected a new folder")
        manifest: Mapping[str, Any] = {
            "engine_version": ENGINE_VERSION,
            "scenario": scenario.hash,
            "counted_seconds": scenario.duration - scenario.warm_up,
            "named_ports": dict(scenario.named_ports),
            "seeds": _finished(ensemble),
            "failures": [{"seed": each.seed, "reason": each.reason} for each in ensemble.failures],
            "tables": list(_TABLES),
        }
        (stage / "ensemble.json").write_text(sealed(manifest, digests(stage, names)), encoding="utf-8")
        for file in (*names, "ensemble.json"):
            (stage / file).replace(folder / file)
