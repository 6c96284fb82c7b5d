"""The study of the fluid model: packets beside models."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from parshall import run
from parshall.engine.measure import measure
from parshall.fluid import equilibria, stability
from parshall_studies.fluid.measures import LOADS, busiest_frequency, networks, queue_of, rest
from parshall_studies.fluid.packets import of_run
from parshall_studies.fluid.setting import CALM, CHAPTER, Setting

GUIDE = Path(__file__).parents[1] / "docs" / "fluid.md"


def rest_of(setting: Setting, model: str) -> dict[str, float]:
    return rest(setting.model(model))


def packets(settings: list[Setting], seeds: int, duration: float, warm_up: float) -> list[dict[str, float]]:
    """Measures of each setting, averaged over seeds."""
    scenarios = {
        place: each.scenario(duration, warm_up, sample_every=0.01) for place, each in enumerate(settings)
    }
    tables = ("flows", "ports", "port_series")
    found = measure(
        scenarios, range(1, seeds + 1), lambda place, one: of_run(settings[place], one), tables=tables
    )
    return [
        {name: float(np.mean([row[name] for row in rows])) for name in rows[0]} for rows in found.values()
    ]


# --- Beside packets -----------------------------------------------------------------------------------------


def test_the_model_of_whole_packets_rests_where_packets_do() -> None:
    loads = [CALM, CALM.with_(cbr=40), CALM.with_(cbr=20, elsewhere=0.02)]
    for setting, measured in zip(loads, packets(loads, 2, 30.0, 10.0), strict=True):
        whole, document = (rest_of(setting, name) for name in ("whole", "document"))
        assert whole["share"] == pytest.approx(measured["share"], abs=0.01)
        assert whole["queue"] == pytest.approx(measured["queue"], rel=0.25)
        assert whole["loss"] == pytest.approx(measured["loss"], rel=0.45)
        assert whole["window"] == pytest.approx(measured["window"], rel=0.1)
        # The document's constant asks for far more loss, as sqrt(2 / p) is above what TCP keeps.
        assert document["loss"] > 1.4 * measured["loss"]
        assert document["queue"] > 1.1 * measured["queue"]


def test_the_shares_of_the_chapter_are_those_of_packets() -> None:
    loads = [CHAPTER.with_(cbr=cbr) for cbr in (16, 22, 25)]
    found = packets(loads, 2, 40.0, 10.0)
    for setting, measured in zip(loads, found, strict=True):
        assert rest_of(setting, "whole")["share"] == pytest.approx(measured["share"], abs=0.035)
    # Counted against all that arrives the load is less than against the capacity, which is the document's.
    assert found[1]["share"] < 22 / 28 - 0.03
    assert rest_of(CHAPTER, "document")["share"] == pytest.approx(22 / 28)


def test_the_deviation_of_the_round_trip_is_that_of_the_samples() -> None:
    setting = CHAPTER.with_(cbr=8)
    recording = run(setting.scenario(8.0, 3.0, sample_every=0.01), 1)
    series = recording.columns("port_series")
    queue = np.asarray(series["backlog_packets"], dtype=float)[np.asarray(series["time"]) >= 3.0]
    round_trips = 0.1 + queue * 8000 / 28e6
    expected = 100 * round_trips.std() / round_trips.mean()
    assert of_run(setting, recording)["rtt_deviation"] == pytest.approx(expected)
    assert 1 < expected < 20


def test_packets_swing_near_the_frequency_of_the_rightmost_root() -> None:
    network = CALM.scenario(40.0, 0.0, sample_every=0.01)
    found = measure(
        {0: network}, range(1, 4), lambda _, one: queue_of(one).numbers["queue"], tables=("port_series",)
    )
    model = CALM.model("whole")
    root = stability(model, equilibria(model).found[0])
    assert root.stable
    frequency = np.mean([busiest_frequency(queue[1000:]) for queue in found[0]])
    assert frequency == pytest.approx(root.frequency, rel=0.25)


def test_the_busiest_frequency_of_a_sine_is_its_own() -> None:
    time = np.arange(0, 60, 0.01)
    noise = np.random.default_rng(1).normal(size=time.size)
    assert busiest_frequency(50 + 10 * np.sin(2 * np.pi * 2.3 * time) + noise) == pytest.approx(2.3, abs=0.1)


def test_a_model_without_rest_has_no_numbers() -> None:
    overloaded = CALM.with_(cbr=120, limit=10**9, most=0.0001).model("document")
    found = rest(overloaded.with_(limit=float("inf")))
    assert set(found) == set(rest_of(CALM, "document"))
    assert all(np.isnan(value) for value in found.values())


def test_every_setting_has_its_own_network() -> None:
    hashes = {each.scenario(10.0, 1.0).scenario().hash for each in networks().values()}
    assert len(hashes) == len(networks()) == len(LOADS) + 6


def test_the_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, "docs/fluid.md", "exec"), {})
    printed = capsys.readouterr().out.split()
    assert float(printed[0]) == pytest.approx(rest_of(CHAPTER, "document")["queue"])
