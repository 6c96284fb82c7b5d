"""A dumbbell in a file keeps the paths of a dumbbell, in Python as on the command line; labels of values;
rates at which nothing is sent.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import parshall
from parshall import Dumbbell, Red, Scenario
from parshall.cli.main import main
from parshall.errors import ScenarioError
from parshall.sweep import Sweep

TEXT = """
duration = "4 s"
[dumbbell]
rate = "5 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit_packets = 20 }
access_rate = "100 Mbit/s"
access_delay = "1 ms"
[[dumbbell.flows]]
name = "tcp"
count = 2
transport = "tcp"
app = "bulk"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "bell.toml").write_text(TEXT)
    return tmp_path / "bell.toml"


# --- Paths --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["rate", "dumbbell.rate", "links[bottleneck].rate"])
def test_a_loaded_dumbbell_is_changed_in_python_as_by_set(
    file: Path, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for scenario in (parshall.load(file), parshall.loads(TEXT)):
        changed = scenario.replace(path, "2 Mbit/s")
        assert isinstance(changed, Scenario)
        assert changed.links[0].rate == 2e6
    assert main(["check", str(file), "--set", f"{path}=2 Mbit/s"]) == 0
    assert changed.hash in capsys.readouterr().out


def test_changes_follow_one_another(file: Path) -> None:
    scenario = parshall.load(file)
    changed = scenario.replace("duration", "9 s").with_(rate="3 Mbit/s", access_delay="2 ms")
    assert (changed.duration, changed.links[0].rate, changed.links[1].delay) == (9.0, 3e6, 0.002)
    assert changed == changed.replace("dumbbell.delay", "1 ms").replace("delay", "20 ms")
    assert scenario.dumbbell is not None
    assert scenario.dumbbell.replace("rate", "3 Mbit/s").scenario() == scenario.replace("rate", "3 Mbit/s")


def test_what_is_no_dumbbell_any_more_has_no_paths_of_one(file: Path) -> None:
    """The other changes would be lost."""
    scenario = parshall.load(file)
    other = scenario.replace("links[bottleneck].rate", "2 Mbit/s")
    changed = parshall.load(file)
    object.__setattr__(changed.links[0], "rate", 2e6)
    for each in (
        other,
        changed,
        scenario.model_copy(update={"duration": 5}).replace("flows[0].start", "1 s"),
    ):
        assert each.dumbbell is None
        with pytest.raises(ScenarioError, match="rate: got an unknown field, expected one of the keys title"):
            each.replace("rate", "3 Mbit/s")
    assert scenario == pickle.loads(pickle.dumps(scenario)) == Scenario.from_json(scenario.to_json())
    assert scenario.replace("links[bottleneck].rate", "5 Mbit/s").hash == scenario.hash


def test_faults_are_those_of_a_dumbbell(file: Path) -> None:
    scenario = parshall.load(file)
    with pytest.raises(ScenarioError, match="rate: got -1, expected"):
        scenario.replace("rate", -1)
    with pytest.raises(ScenarioError, match="rates: got an unknown field"):
        scenario.replace("rates", 1)


# --- Labels -------------------------------------------------------------------------------------------------


def test_sweeps_of_a_loaded_dumbbell_have_both_kinds_of_paths(file: Path) -> None:
    parameters: Any = {
        "rate": ["1 Mbit/s", "2 Mbit/s"],
        "links[bottleneck].delay": ["5 ms"],
        "flows[tcp1].start": ["0 s", "1 s"],
    }
    points = Sweep(parshall.load(file), parameters, seeds=1).points
    assert [point.parameters["rate"] for point in points] == [1e6, 1e6, 2e6, 2e6]
    assert [point.scenario.links[0].rate for point in points] == [1e6, 1e6, 2e6, 2e6]
    assert [point.scenario.flows[0].start for point in points] == [0, 1, 0, 1]
    assert {point.scenario.links[0].delay for point in points} == {0.005}


@pytest.mark.parametrize("values", [[0.002, 0.02, 0.2], [1, 0.5]])
def test_a_number_that_stands_for_a_table_is_its_own_label(bell: Dumbbell, values: list[float]) -> None:
    red = Red(min_threshold_packets=5, max_threshold_packets=15, limit_packets=50)
    result = Sweep(bell.replace("queue", red), {"queue.weight": values}, seeds=1).run()
    assert result.table()["queue.weight"].to_pylist() == values
    assert len({point.hash for point in result.points}) == len(values)
    difference = result.differences("queue.weight", baseline=values[0])
    assert difference["queue.weight"].unique().to_pylist() == values[1:]


def test_a_kind_is_still_the_label_of_a_table(bell: Dumbbell) -> None:
    rtos: list[Any] = ["median", {"kind": "jacobson"}, parshall.QuantileRtoConfig()]
    points = Sweep(bell, {"flows[0].transport.rto": rtos}, seeds=1).points
    assert [each.parameters["flows[0].transport.rto"] for each in points] == [
        "median",
        "jacobson",
        "quantile",
    ]


# --- Rates without a unit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_rate_at_which_nothing_is_sent_is_said(
    file: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(file), "--set", "rate=5"]) == 0
    found = capsys.readouterr()
    assert found.err.startswith(
        "parshall: links[bottleneck].rate is 5 bit/s, at which a packet of 1040 bytes"
    )
    assert found.err.count("\n") == 1
    assert "nan" not in found.out
    assert main([command, str(file), "--set", "rate=5e6"]) == 0
    assert capsys.readouterr().err == ""


def test_a_port_without_packets_has_no_delay_in_the_summary(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    late = 'dumbbell.flows[0].start="3.999 s"'
    assert main(["run", str(file), "--set", late, "--set", 'warm_up="3.9999 s"']) == 0
    assert "nan" not in capsys.readouterr().out
