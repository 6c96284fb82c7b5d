"""The table by which flows are judged: that it is the one that was learned, and what it was learned from."""

from __future__ import annotations

import hashlib
import json
import pickle
import struct
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, strategies as st

import parshall
from parshall.errors import InputError
from parshall_dev.calibration import (
    aside,
    command,
    judging,
    learning,
    prior,
    replays,
    rhythms,
    runs,
    table,
)
from parshall_dev.checkout import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HALVES = (
    st.integers(0, 2**16 - 1).map(lambda half: np.uint32(half << 16).view(np.float32)).filter(np.isfinite)
)


def test_the_table_is_the_one_that_it_says_it_is() -> None:
    about = tomllib.loads((table.FOLDER / "calibration.toml").read_text())
    written = (table.FOLDER / "calibration.bin").read_bytes()
    assert hashlib.sha256(written).hexdigest() == about["sha256"]
    version, widths, trees = struct.unpack("<3H", written[8:14])
    assert (version, trees) == (about["version"], about["trees"])
    assert version == table.VERSION
    pairs = np.frombuffer(written[14 : 14 + 8 * widths], "<f4").reshape(-1, 2)
    np.testing.assert_allclose(pairs, about["widths"], atol=1e-4)
    assert len(written) == 14 + 8 * widths + 5 * 2 ** about["depth"] * trees
    assert len(written) < 128_000
    assert about["scenarios"] > 3000
    guide = (ROOT / "docs/guide/responsiveness.md").read_text()
    assert f"{about['trees']} small trees" in guide
    assert f"{about['scenarios']:,}" in guide
    assert about["salt"] == prior.SALT


@given(st.floats(-1e30, 1e30), HALVES)
def test_a_threshold_parts_numbers_as_its_upper_half_does(threshold: float, number: np.float32) -> None:
    half = np.uint32(table.upper_half(threshold) << 16).view(np.float32)
    assert (number <= half) == (float(number) <= threshold)


@pytest.mark.parametrize("threshold", [1e-35, -1e-35, 0.0, 1.5e38, -0.9999])
def test_thresholds_that_a_learner_writes(threshold: float) -> None:
    half = np.uint32(table.upper_half(threshold) << 16).view(np.float32)
    assert float(half) <= threshold


def test_a_tree_is_filled_up_to_its_leaves() -> None:
    leaf = {"leaf_value": -0.5}
    split = {"split_feature": 7, "threshold": 0.25, "left_child": leaf, "right_child": {"leaf_value": 1.0}}
    tree = table.Tree(split)
    half = len(tree.leaves) // 2
    assert (tree.leaves[:half] == -2048).all()
    assert (tree.leaves[half:] == 4096).all()
    assert tree.numbers[0] == 7
    assert len(tree.bytes()) == 5 * len(tree.leaves)


def test_a_draw_is_the_same_for_ever_and_runs(tmp_path: Path) -> None:
    number = 15
    # Last digits of NumPy's exponential differ between processors.
    scenario = json.loads(prior.draw(number).scenario().to_json(), parse_float=lambda x: f"{float(x):.9g}")
    digest = hashlib.sha256(json.dumps(scenario, sort_keys=True).encode()).hexdigest()
    assert digest == "8c960cbad981f0d8f40bd11518f8d71ed6eca3311ba4f74dd84d1ae79f463bc3"
    runs.keep(tmp_path, [number], ())
    first = learning.read(prior.kept_in(tmp_path, number))
    assert first is not None
    assert first.numbers.shape[1] == len(parshall.Responsiveness.EVIDENCE)
    assert 0 < first.deaf.mean() < 1
    assert (first.truth >= 0).all()
    assert (first.truth <= 1).all()
    before = prior.kept_in(tmp_path, number).stat().st_mtime_ns
    runs.keep(tmp_path, [number], ())
    assert prior.kept_in(tmp_path, number).stat().st_mtime_ns == before, "what is finished is not run again"


def test_flows_of_as_many_trials_are_deaf_as_often_as_not() -> None:
    rng = np.random.default_rng(1)
    numbers = np.zeros((4000, 43), np.float32)
    numbers[:, 0] = rng.uniform(0.1, 3.0, 4000)
    deaf = (rng.uniform(size=4000) < 0.1 + 0.2 * numbers[:, 0]).astype(float)
    rows = learning.Rows(numbers, deaf, rng.uniform(0.5, 1.5, 4000), np.zeros(4000, int))
    weight = learning.balanced(rows)
    stratum = np.digitize(numbers[:, 0], learning.STRATA)
    for each in np.unique(stratum):
        own = stratum == each
        assert weight[own & (deaf == 1)].sum() == pytest.approx(weight[own & (deaf == 0)].sum())


def test_sets_to_judge_on_have_kinds_that_nothing_was_learned_from() -> None:
    assert not set(aside.RESPONSIVE) & set(prior.RESPONSIVE)
    assert not set(aside.DEAF) & set(prior.DEAF)
    assert aside.SALT != prior.SALT
    every = aside.scenarios()
    assert {each.kinds["deaf"] for each in every} == set(aside.DEAF)
    assert {each.kinds["responsive"] for each in every} == set(aside.RESPONSIVE)


@pytest.mark.parametrize("number", range(4))
def test_a_scenario_to_judge_on_is_judged(number: int) -> None:
    each = next(
        each for each in aside.scenarios() if each.kinds["deaf"] == aside.DEAF[number] and each.rate < 3e6
    )
    found = aside.judged(each, "floor")
    truth = found["truth"]
    assert ((truth >= 0) & (truth <= 1)).all()
    if aside.DEAF[number] == "fixed-window":
        assert (found["udp"] == 0).all()
    else:
        np.testing.assert_array_equal(truth, found["udp"])


def test_a_replay_keeps_the_rhythm_and_takes_the_rate() -> None:
    times = np.cumsum(np.tile([0.01] * 9 + [0.5], 200))
    rhythm = rhythms.Rhythm("made up", times)
    written = rhythms.writes(rhythm, rhythm.rate, 100.0, np.random.default_rng(0))
    gaps = np.diff([time for time, _ in written])
    assert len(written) == pytest.approx(100 * rhythm.rate, rel=0.05)
    assert np.mean(gaps > 0.3) == pytest.approx(0.1, abs=0.01)
    faster = rhythms.writes(rhythm, 12 * rhythm.rate, 100.0, np.random.default_rng(0))
    assert sum(count for _, count in faster) == pytest.approx(1200 * rhythm.rate, rel=0.1)


def made_up_run(folder: Path, number: int) -> None:
    """Flows of which every other one is deaf, and shows it."""
    rng = np.random.default_rng(number)
    numbers = rng.normal(size=(200, 43)).astype(np.float32)
    deaf = np.arange(200) % 2 == 0
    interval = np.arange(200) // 20
    numbers[:, 0] = 1.0
    numbers[:, 3] *= 1 + interval
    path = prior.kept_in(folder, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    kinds = {
        "deaf": prior.DEAF[number % len(prior.DEAF)],
        "responsive": prior.RESPONSIVE[number % len(prior.RESPONSIVE)],
    }
    np.savez(
        path,
        about=np.array(json.dumps({"kinds": kinds})),
        numbers=numbers,
        packets=np.full(200, 10.0, np.float32),
        deaf=deaf,
        flow=np.arange(200) % 20,
        interval=interval,
        interval_packets=np.full(10, 200.0),
        signals_before=np.full(10, 5.0),
    )


def test_what_an_interrupted_draw_left_is_not_read(tmp_path: Path) -> None:
    for number in (3, 11, 12):
        made_up_run(tmp_path, number)
    (tmp_path / "000" / "2.part.npz").write_bytes(b"half of it")
    assert [run.name for run in learning.load(tmp_path)] == ["3", "11", "12"]
    assert [run.name for run in learning.load(tmp_path, 2)] == ["3", "11"]


def test_rhythms_are_kept_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = rhythms.Rhythm("sack", np.arange(1.0, 5.0))
    monkeypatch.setattr(replays, "recorded", lambda kind, number: [made_up])
    (tmp_path / "rhythms.part").write_bytes(b"half of it")
    found = replays.library(tmp_path)
    assert len(pickle.loads((tmp_path / "rhythms.pickle").read_bytes())) == len(found)
    assert [path.name for path in tmp_path.iterdir()] == ["rhythms.pickle"]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for that of the table; trees are made up."""
    folder = tmp_path / "sources"
    (folder / "judgement").mkdir(parents=True)
    monkeypatch.setattr(table, "FOLDER", folder)

    class Booster:
        def predict(self, numbers: np.ndarray) -> np.ndarray:
            return np.asarray(1 / (1 + np.exp(-numbers[:, 3])))

        def dump_model(self) -> dict[str, object]:
            return {"tree_info": [{"tree_structure": {"leaf_value": 0.5}}]}

    monkeypatch.setattr(learning, "fit", lambda *_given: Booster())
    monkeypatch.setitem(sys.modules, "lightgbm", SimpleNamespace(__version__="none"))
    return folder


def test_learning_writes_everything_or_nothing(tmp_path: Path, written: Path) -> None:
    runs_of = tmp_path / "runs"
    for place in (runs_of, tmp_path):
        with pytest.raises(InputError, match=r"DIR: got .*, expected a folder of runs"):
            command.learn(place)
    made_up_run(runs_of, 0)
    with pytest.raises(InputError, match=r"DIR: got 1 run in .*, expected more runs"):
        command.learn(runs_of)
    for number in range(1, 12):
        made_up_run(runs_of, number)
    first, *rest = command.learn(runs_of, 11)
    assert first.startswith("11 scenarios")
    assert any(line.startswith("deaf steady: unknown") for line in rest)
    assert not [path for path in written.rglob("*") if path.is_file()]
    command.learn(runs_of)
    names = ["calibration.bin", "calibration.toml", "rows.txt"]
    assert sorted(path.name for path in written.rglob("*") if path.is_file()) == names


def test_kinds_that_were_left_out_have_widths_of_the_others() -> None:
    rng = np.random.default_rng(2)
    what = np.repeat(["seen", "deaf steady", "responsive mice"], 4000)
    doubt = rng.uniform(size=len(what))
    error = np.where(what == "deaf steady", 0.09, 0.01)
    errors = learning.Errors(error, doubt, np.ones(len(what)), what)
    lines = {line.split(":")[0]: line for line in command.told(errors, command.fitted_widths(errors))}
    assert "bounds hold 0.0 %" in lines["deaf steady"]
    assert "bounds hold 100.0 %" in lines["seen"]


@pytest.mark.parametrize("everything", ["contradicted", "without signals"])
def test_scenarios_that_all_say_nothing_make_no_row(everything: str, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0 if everything == "without signals" else 3
    found = dict.fromkeys(
        ("truth", "udp", "kaczmarz", "kalman", "share", "share_lower", "share_upper"), np.full(count, 0.5)
    )
    monkeypatch.setattr(aside, "contradicted", lambda each: everything == "contradicted")
    monkeypatch.setattr(aside, "judged", lambda each, dither: found)
    head, _, *rows = judging.lines(2)
    assert "(to 0.02)" in head
    assert all(row.startswith("| ambiguous, apart | 2 |") for row in rows)
    assert len(rows) == (0 if everything == "without signals" else 2)
