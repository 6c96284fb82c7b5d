"""The queue `diffserv`, conditioners, ties and long runs beside ns-2, packet for packet."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parshall.scenario import DiffServ
from parshall_dev.validate import Folder, load_folder, validate
from parshall_dev.validate.rebuild import rebuild

SCENARIOS = 42


@pytest.fixture(scope="module")
def folder() -> Path:
    found = Path(__file__).parent.parent.parent / "shared" / "reference" / "ns2-diffserv"
    if not found.is_dir():
        pytest.skip("the reference traces are not here")
    return found


def test_every_trace_is_exact(folder: Path) -> None:
    verdicts = list(validate(load_folder(folder)))
    assert len(verdicts) == SCENARIOS
    assert [verdict for verdict in verdicts if not verdict.exact] == []


@pytest.mark.parametrize(("name", "scenarios"), [("ns2-diffserv-wrr", 6), ("ns2-long", 16)])
def test_ties_and_regimes_that_last_are_exact(folder: Path, name: str, scenarios: int) -> None:
    verdicts = list(validate(load_folder(folder.parent / name)))
    assert len(verdicts) == scenarios
    assert [verdict for verdict in verdicts if not verdict.exact] == []


def changed(
    folder: Path, tmp_path: Path, name: str, file: str, change: Callable[[dict[str, str]], None]
) -> Folder:
    """A folder with one scenario, of which a file's 500th row is another one."""
    entries = json.loads((folder / "scenarios.json").read_text())
    (tmp_path / "traces").mkdir()
    (tmp_path / "scenarios.json").write_text(json.dumps([e for e in entries if e["name"] == name]))
    for each in (f"{name}.csv.gz", f"{name}.state.csv.gz"):
        with gzip.open(folder / "traces" / each, "rt", newline="") as lines:
            rows = list(csv.DictReader(lines))
        if each == file:
            change(rows[500])
        with gzip.open(tmp_path / "traces" / each, "wt", newline="") as lines:
            writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return load_folder(tmp_path)


def test_another_code_point_is_a_divergence(folder: Path, tmp_path: Path) -> None:
    def remark(row: dict[str, str]) -> None:
        row.update(
            {"code_point": "11", "colour": "yellow"}
            if row["code_point"] != "11"
            else {"code_point": "10", "colour": "green"}
        )

    (verdict,) = validate(changed(folder, tmp_path, "two_profiles", "two_profiles.csv.gz", remark))
    assert verdict.divergence is not None
    reference, ours = verdict.divergence.reference, verdict.divergence.ours
    assert reference is not None
    assert ours is not None
    assert (reference.time_s, reference.code_point) != (ours.time_s, ours.code_point)
    assert abs(reference.time_s - ours.time_s) < 1e-9


@pytest.mark.parametrize(
    ("column", "value"), [("avg_0", "0.5"), ("code_point", "0"), ("c_bucket_bytes", "17.5")]
)
def test_another_state_is_a_divergence(folder: Path, tmp_path: Path, column: str, value: str) -> None:
    def change(row: dict[str, str]) -> None:
        row[column] = value

    (verdict,) = validate(changed(folder, tmp_path, "rioc_qw", "rioc_qw.state.csv.gz", change))
    assert verdict.divergence is None
    assert verdict.state is not None
    assert (verdict.state.what, verdict.state.reference) == (column, value)


def test_nothing_of_an_entry_is_overlooked(folder: Path) -> None:
    """Every port with ns-2's queue becomes one of ours, with as many precedences and conditioned as there."""
    for entry in load_folder(folder).entries:
        value: dict[str, Any] = entry.value
        theirs = {"AB": value["bottleneck"]["AB"], "BA": value["bottleneck"]["BA"]}
        theirs |= {edge["id"]: edge["port"] for edge in value["edges"]}
        theirs = {place: port for place, port in theirs.items() if port["discipline"] == "dsred"}
        rebuilt = rebuild(entry.fields())
        assert set(rebuilt.classes) == set(theirs)
        links = {"->".join(link.between): link for link in rebuilt.scenario.links}
        for place, port in theirs.items():
            if place == "BA":
                queue, conditioner = links["A->B"].reverse.queue, links["A->B"].reverse.conditioner
            else:
                link = links[rebuilt.ports[place]]
                queue, conditioner = link.queue, link.conditioner
            assert isinstance(queue, DiffServ)
            sizes = [len(each.precedences) for each in queue.queues]
            assert sizes == len(port["queue"]["physical_queues"]) * [port["queue"]["num_precedences"]]
            policies = (port["conditioner"] or {"policies": []})["policies"]
            assert len(conditioner.rules if conditioner else ()) == len(policies)
