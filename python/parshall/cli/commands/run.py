"""The command ``run``: one run or one for each of several seeds, and what is printed of them."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parshall.cli.commands.given import scenario_of, seeds_of
from parshall.errors import InputError
from parshall.support.terminal import echo

if TYPE_CHECKING:
    from parshall.engine.ensemble import Ensemble
    from parshall.scenario import Scenario

__all__ = ["FORMATS", "run_file"]

FORMATS = ("table", "json", "parquet")
_TABLES = ("flows", "ports")

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
            raise InputError("--jobs", str(jobs), "--seeds with it, as a single run has one thread")
        return _one(scenario, 1 if seed is None else seed, form, folder, max_events, show)
    if seed is not None:
        raise InputError("--seed", str(seed), "either --seed or --seeds")
    if show:
        raise InputError("--open", "several seeds", "a single run")
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
        from parshall.cli.commands.outcome import recording_as_json

        echo(json.dumps(recording_as_json(recording), ensure_ascii=False, allow_nan=False))
    elif form == "table":
        print_summary(recording)
    if written is not None and form != "json":
        echo(f"{', '.join(recording.tables)} written to {written}")
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
    from parshall.cli.commands.outcome import done_of, ensemble_as_json, print_means
    from parshall.engine.ensemble import run_many
    from parshall.support.console import PlainConsole
    from parshall.support.progress import progress_bar

    errors = PlainConsole(stderr=True)
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
        echo(json.dumps(ensemble_as_json(ensemble, scenario), ensure_ascii=False, allow_nan=False))
    elif form == "table":
        print_means(PlainConsole(), ensemble, scenario)
    if folder is not None and form != "json":
        echo(f"{', '.join(_TABLES)} of {done_of(ensemble)} runs written to {folder}")
    return not ensemble.failures


# --- What is written ---------------------------------------------------------------------------------------


def _write(ensemble: Ensemble, scenario: Scenario, folder: Path) -> None:
    """The tables of all seeds as Parquet, and what they are of, with checksums."""
    from parshall._core import ENGINE_VERSION
    from parshall.cli.commands.outcome import finished, with_starts
    from parshall.recording.fairness import compared_flows
    from parshall.support.results import replace_result, seal

    with replace_result(folder, "ensemble.json") as files:
        for name in _TABLES:
            table = ensemble.table(name)
            files.add_table(f"{name}.parquet", with_starts(table, scenario) if name == "flows" else table)
        facts = {
            "engine_version": ENGINE_VERSION,
            "scenario": scenario.hash,
            "title": scenario.title,
            "counted_seconds": scenario.duration - scenario.warm_up,
            "named_ports": dict(scenario.named_ports),
            "compared_flows": [scenario.flows[row].name for row in compared_flows(scenario)],
            "seeds": finished(ensemble),
            "failures": [{"seed": each.seed, "reason": each.reason} for each in ensemble.failures],
            "tables": list(_TABLES),
        }
        seal(files, "ensemble.json", facts)
