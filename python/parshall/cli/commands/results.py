"""Figures of runs that the command ``compare`` compares: of folders that ``run`` and ``sweep`` wrote, or of
scenarios that are run now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parshall.cli.commands.figures import Figures, figures_of, of_recording, with_bottleneck
from parshall.cli.commands.given import scenario_of
from parshall.errors import ParshallError
from parshall.recording.pictures.points import label_text
from parshall.support.results import MANIFESTS, manifest_in, opened, reading, verified

if TYPE_CHECKING:
    from parshall.scenario import Scenario

__all__ = ["Result", "ensemble_tables", "read", "run_sides", "sweep_rows"]


@dataclass(frozen=True)
class Result:
    """Results of one side."""

    points: dict[str, dict[str, dict[str, float]]]
    """Figures by name, of each run of each point of a sweep. What is no sweep has one point, without name."""
    failed: int = 0
    """Runs that failed, which have no figures."""
    bottleneck: str | None = None
    """The port whose figures are among those."""
    seconds: float | None = None
    """Counted seconds of a run."""
    flows: tuple[str, ...] | None = None
    """Names of the flows of a run."""
    ports: tuple[str, ...] = ()
    """Names of its ports."""
    seed: int | None = None
    """Seed of a single run."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Units of figures whose names do not have them."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Points in words for people, whose numbers are rounded."""


def run_sides(
    sides: Sequence[tuple[str, Sequence[str]]], seeds: Sequence[int], jobs: int | None = None
) -> list[Result]:
    """Scenario files with changes to them, run with the same seeds. Raises RunError if a run fails."""
    from parshall.engine.measure import measure

    variants = {str(place): scenario_of(file, changes) for place, (file, changes) in enumerate(sides)}
    found = measure(variants, seeds, lambda _, recording: of_recording(recording), jobs=jobs)
    return [
        _runs(dict(zip(map(_seed, seeds), found[side], strict=True)), scenario)
        for side, scenario in variants.items()
    ]


def read(folder: Path) -> Result:
    """A folder with a result. Raises ParshallError for one without, one that was damaged, and one in which
    every run failed.
    """
    found = manifest_in(folder)
    with reading(folder, MANIFESTS.get(found or "", "a recording")):
        if found == "sweep.json":
            return _of_sweep(folder)
        if found == "ensemble.json":
            return _of_ensemble(folder)
        from parshall.recording import Recording

        recording = Recording.load(folder)
        # Two recordings are a pair, whatever their seeds are.
        return _runs({"run": of_recording(recording)}, recording.scenario, recording.seed)


def _seed(seed: int) -> str:
    return f"seed {seed}"


def _runs(runs: Mapping[str, Figures], scenario: Scenario, seed: int | None = None) -> Result:
    bottleneck, figures = with_bottleneck(list(runs.values()))
    seconds, flows = scenario.duration - scenario.warm_up, tuple(flow.name for flow in scenario.flows)
    points = {"": dict(zip(runs, figures, strict=True))}
    return Result(points, 0, bottleneck, seconds, flows, scenario.port_names, seed)


def _of_ensemble(folder: Path) -> Result:
    manifest, tables = ensemble_tables(folder)
    runs, seconds = {}, manifest["counted_seconds"]
    flows: list[str] = []
    names: list[str] = []
    for seed in manifest["seeds"]:
        own = {name: _rows(table, seed) for name, table in tables.items()}
        if own["flows"]["seed"]:  # else the run has failed
            names, flows = own["ports"]["port"], own["flows"]["flow"]
            # Folders of earlier versions have a->b for all ports, and do not say which flows are compared.
            named = {*manifest.get("named_ports", {}), *manifest.get("named_ports", {}).values()}
            compared = [row for row, name in enumerate(flows) if name in manifest.get("compared_flows", ())]
            runs[_seed(seed)] = figures_of(own["flows"], own["ports"], seconds, names, named, compared)
    failed = len(manifest.get("failures", ())) or len(manifest["seeds"]) - len(runs)
    if not runs:
        raise ParshallError(f"{folder}: all {failed} runs failed, expected some that can be compared")
    bottleneck, figures = with_bottleneck(list(runs.values()))
    points = {"": dict(zip(runs, figures, strict=True))}
    return Result(points, failed, bottleneck, seconds, tuple(flows), tuple(names))


def ensemble_tables(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The manifest of a folder of several seeds, and its tables by name."""
    manifest = opened(folder / "ensemble.json")
    return manifest, {
        name: _table(verified(folder, f"{name}.parquet", manifest)) for name in ("flows", "ports")
    }


def sweep_rows(folder: Path, manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of the table of runs of a sweep."""
    for file in manifest["sha256"]:
        if file.startswith("runs/"):
            yield from _table(verified(folder, file, manifest)).to_pylist()


def _rows(table: Any, seed: int) -> dict[str, Any]:
    import pyarrow.compute as pc

    rows = table.filter(pc.equal(table["seed"], seed))
    return {name: rows[name].to_pylist() for name in rows.column_names}


def _of_sweep(folder: Path) -> Result:
    manifest = opened(folder / "sweep.json")
    points: dict[str, dict[str, dict[str, float]]] = {}
    labels: dict[str, str] = {}
    units = manifest.get("units", {})
    for row in sweep_rows(folder, manifest):
        own = {name: row[name] for name in manifest["parameters"]}
        place = ", ".join(f"{name}={value}" for name, value in own.items())
        labels[place] = ", ".join(label_text(name, own[name], units.get(name, "")) for name in own)
        points.setdefault(place, {})[_seed(row["seed"])] = {
            name: float("nan") if row[name] is None else float(row[name]) for name in manifest["metrics"]
        }
    failed = len(manifest["failures"])
    if not points:
        raise ParshallError(f"{folder}: all {failed} runs failed, expected some that can be compared")
    return Result(points, failed, units=units, labels=labels)


def _table(content: bytes) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    return parquet.ParquetFile(pa.BufferReader(content)).read()
