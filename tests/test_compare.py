"""The command ``compare``: the bottleneck that ``run`` shows, points of a sweep one by one, and remarks on
results that are no good pair.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.test_everyday import BARE, done
from tests.test_interrupts import network

import parshall
from parshall import Control, Tcp
from parshall.cli.commands.compare import compare
from parshall.cli.commands.figures import of_recording, with_bottleneck
from parshall.stats import difference_interval
from parshall.sweep import Sweep

RATE = "links[bottleneck].rate"
SLOW_ACCESS = 'queue = {kind = "droptail", limit_packets = 100000}'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARSHALL_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "link.toml").write_text(network(top=BARE))
    return tmp_path / "link.toml"


def waits_elsewhere(folder: Path) -> Path:
    """A scenario in which packets wait longest at a port that ``run`` does not show."""
    text = network(top=BARE, access=SLOW_ACCESS).replace('"1 Gbit/s"', '"9 Mbit/s"', 1)
    (folder / "elsewhere.toml").write_text(text)
    return folder / "elsewhere.toml"


def test_the_bottleneck_is_one_that_run_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = waits_elsewhere(tmp_path)
    recording = parshall.run(parshall.load(scenario))
    ports = {name: recording.port(name) for name in recording.ports}
    longest = max(ports, key=lambda name: ports[name].mean_delay * ports[name].packets_departed)
    shown = done(capsys, "run", scenario)
    assert f"{longest} " not in shown
    name, (figures,) = with_bottleneck([of_recording(recording)])
    assert name == recording.port("bottleneck").name != longest
    assert "bottleneck (r1->r2)" in shown
    assert figures["delay at the bottleneck, ms"] == 1e3 * recording.port("bottleneck").mean_delay
    text = done(capsys, "compare", scenario, scenario, "--seeds", "2")
    assert f"The bottleneck is {name}." in text
    for side in ("a", "b"):
        done(capsys, "run", scenario, "--seeds", "2", "--out", tmp_path / side)
    assert f"The bottleneck is {name}." in done(capsys, "compare", tmp_path / "a", tmp_path / "b")


def test_points_of_a_sweep_are_compared_one_by_one(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rates = ["2 Mbit/s", "8 Mbit/s"]
    values: dict[str, Any] = {}
    for side, limit in (("a", 5), ("b", 50)):
        base = parshall.load(file).replace("links[bottleneck].queue", parshall.DropTail(limit_packets=limit))
        result = Sweep(base, {RATE: rates}, seeds=3, metrics=["goodput"]).run()
        result.write(tmp_path / side)
        values[side] = [list(result.values("goodput", point).values()) for point in result.points]
    (found,) = compare([str(tmp_path / "a"), str(tmp_path / "b")])
    assert found.pairs == 6
    assert [each.place for each in found.found] == ["rate 2 Mbit/s", "rate 8 Mbit/s"]
    for each, a, b in zip(found.found, values["a"], values["b"], strict=True):
        expected = difference_interval(b, a)
        assert each.difference == expected
        assert expected.n == 3
    text = done(capsys, "compare", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "c.svg")
    assert "rate 2 Mbit/s: goodput, Mbit/s" in text
    assert (tmp_path / "c.svg").stat().st_size > 1000


def test_recordings_that_are_no_pair_are_said_to_be_none(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = network(top='duration = "8 s"').replace('"f1"', '"g1"').replace('name = "f1"', 'name = "g1"')
    (tmp_path / "other.toml").write_text(other)
    done(capsys, "run", file, "--out", tmp_path / "a")
    done(capsys, "run", tmp_path / "other.toml", "--out", tmp_path / "b", "--seed", "7")
    text = done(capsys, "compare", tmp_path / "a", tmp_path / "b")
    assert "Their flows differ: f1 in A, g1 in B." in text
    assert "5 s are counted in A, 8 s in B." in text
    assert "The seed of A is 1, that of B 7: chance differs as well." in text
    same = done(capsys, "compare", tmp_path / "a", tmp_path / "a")
    assert "differ" not in same
    assert "counted in" not in same


# --- Runs that fail -----------------------------------------------------------------------------------------


class Fails(Control):
    """Fails with some seeds, whose numbers it does not know: by a draw."""

    def on_start(self) -> None:
        if self.random() < 0.5:
            raise RuntimeError("drawn")


def some_fail(file: Path) -> Path:
    scenario = parshall.load(file)
    flow = scenario.flows[0]
    transport = Tcp(recovery="sack", control=Fails())
    changed = scenario.replace("flows", [flow.replace("transport", transport)])
    path = file.with_name("fails.toml")
    path.write_text(changed.to_toml())
    return path


def test_failed_runs_are_no_runs(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failing, seeds = some_fail(file), range(1, 9)
    ensemble = parshall.run_many([parshall.load(failing)], seeds)
    failed = {each.seed for each in ensemble.failures}
    assert 0 < len(failed) < 8
    for side in ("a", "b"):
        assert parshall_main("run", failing, "--seeds", "1-8", "--out", tmp_path / side) == 1
        text = capsys.readouterr().out
        assert f"{8 - len(failed)} of 8 seeds, scenario" in text
        assert f"flows, ports of {8 - len(failed)} of 8 runs written" in text
    manifest = json.loads((tmp_path / "a" / "ensemble.json").read_text())
    assert manifest["seeds"] == [seed for seed in seeds if seed not in failed]
    assert {each["seed"] for each in manifest["failures"]} == failed
    text = done(capsys, "compare", tmp_path / "a", tmp_path / "b")
    assert f"{8 - len(failed)} pairs of runs" in text
    assert re.search(rf"{len(failed)} runs? of A failed, and no pair has them\.", text)
    assert parshall_main("run", failing, "--seeds", "1-8", "--format", "json") == 1
    found = json.loads(capsys.readouterr().out)
    assert set(found["seeds"]).isdisjoint(failed)
    assert {each["seed"] for each in found["failures"]} == failed


def test_a_sweep_with_failures_is_compared(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = parshall.load(some_fail(file))
    failed = {each.seed for each in parshall.run_many([failing], range(1, 9)).failures}
    metrics: Any = {"goodput": "goodput", "none": lambda _: np.nan}
    result = Sweep(failing, {"duration": ["5 s"]}, seeds=range(1, 9), metrics=metrics).run()
    result.write(tmp_path / "a")
    text = done(capsys, "compare", tmp_path / "a", tmp_path / "a")
    assert f"{8 - len(failed)} pairs of runs" in text
    assert f"{len(failed)} runs of B failed, and no pair has them." in text
    assert [line.split()[-4:] for line in text.splitlines() if ": none" in line] == [["-"] * 4]


def parshall_main(*arguments: object) -> int:
    from parshall.cli.main import main

    return main([str(each) for each in arguments])
