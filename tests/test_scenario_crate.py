"""Scenario files are read alike with and without objects of Python's classes."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from tests.bits import runs
from tests.scenarios_drawn import scenarios, unhurried
from tests.scenarios_marred import marred, toml
from tests.scenarios_written import BELL, FAULTS, NETWORK

import parshall
from parshall import Scenario, ScenarioError
from parshall.scenario.files import checked, parsed
from parshall.scenario.toml import model_of

MANY = 4000 if os.environ.get("PARSHALL_EXHAUSTIVE") else 400


def told(read: Callable[[], Any]) -> list[str]:
    """The hash of a scenario, or each of its faults."""
    try:
        return [str(read().hash)]
    except ScenarioError as error:
        return [f"{each.path}: got {each.value}, expected {each.expected}" for each in error.all()]


def by_classes(text: str) -> list[str]:
    return told(lambda: model_of(parsed(text, "a scenario file")).scenario())


def by_crate(text: str) -> list[str]:
    return told(lambda: checked("x.toml", text))


def test_files_of_the_examples_have_one_hash(repository: Path) -> None:
    files = [*(repository / "examples").glob("*.toml"), *(repository / "examples/classics").glob("*.toml")]
    assert len(files) > 10
    for file in files:
        if "[parameters" in file.read_text():
            continue  # a sweep
        assert checked(str(file), file.read_text()).hash == parshall.load(file).hash, file


def test_every_kind_of_scenario_has_one_hash() -> None:
    for name, scenario in runs():
        assert checked("x.json", scenario.to_json()).canonical_json == scenario.to_json(), name
        bell = scenario.dumbbell
        assert checked("x.toml", (scenario if bell is None else bell).to_toml()).hash == scenario.hash, name


@unhurried
@given(scenarios)
def test_any_scenario_has_one_hash(scenario: Scenario) -> None:
    assert checked("x.json", scenario.to_json()).canonical_json == scenario.to_json()


@pytest.mark.parametrize("right", FAULTS)
def test_known_faults_are_told_alike(right: str) -> None:
    text = BELL.replace(right, FAULTS[right][0])
    assert by_crate(text) == by_classes(text)
    assert by_crate(text) != [parshall.loads(BELL).hash]


def test_any_faults_are_told_alike() -> None:
    chance = random.Random(7)
    tables = [parsed(text, "") for text in (BELL, NETWORK)]
    tables += [parsed((each.dumbbell or each).to_toml(), "") for _, each in runs() if chance.random() < 0.7]
    faults = 0
    for _ in range(MANY):
        text = toml(marred(chance.choice(tables), chance))
        found = by_crate(text)
        assert found == by_classes(text), text
        faults += ": got " in found[0]
    assert faults > MANY / 2


def test_what_a_file_holds_is_told_without_its_objects() -> None:
    read = checked("x.toml", f'title = "two flows"\n{BELL}')
    assert (read.title, read.counts, read.duration) == ("two flows", (4, 2, 5, 2), 10.0)
    assert read.check()[0] > 100
    assert read.slow_links is None


STILL = """import parshall


class Still(parshall.Control):
    def on_ack(self, ack):
        pass
"""


def test_controls_of_ones_own_are_checked_with_their_code(tmp_path: Path) -> None:
    lines = [
        "import parshall",
        "class Still(parshall.Control):",
        "    def on_ack(self, window, ack):",
        "        pass",
    ]
    (tmp_path / "still.py").write_text("\n".join(lines))
    file = tmp_path / "own.toml"
    file.write_text(BELL.replace('kind = "tcp",', 'kind = "tcp", control = "still:Still",'))
    read = checked(str(file), file.read_text())
    assert read.hash == parshall.load(file).hash
    assert read.check()[0] > 100


def test_a_control_with_its_hash_has_its_form() -> None:
    control = 'kind = "tcp", control = { kind = "user", source = "a:b", code = "x" },'
    text = BELL.replace('kind = "tcp",', control)
    (told,) = by_crate(text)
    assert told.startswith("dumbbell.flows[0].transport.control.form: got nothing, expected")
    assert by_classes(text) == [told]


def test_json_has_what_toml_has(tmp_path: Path) -> None:
    file = tmp_path / "bell.json"
    file.write_text("\ufeff" + json.dumps(parsed(BELL, "")), encoding="utf-8")
    assert checked(str(file), file.read_text(encoding="utf-8")).hash == parshall.loads(BELL).hash
    assert parshall.load(file).hash == parshall.loads(BELL).hash


def test_each_of_many_faults_has_its_line() -> None:
    groups = 3000 * '[[dumbbell.flows]]\ntransport = "tcp"\napp = "bulkk"\n'
    with pytest.raises(ScenarioError) as raised:
        checked("x.toml", BELL.split("[[dumbbell.flows]]", maxsplit=1)[0] + groups)
    faults = raised.value.all()
    assert len(faults) == 3000
    assert (faults[-1].line or 0) > 9000


@pytest.mark.parametrize("date", ["2016-12-31T23:59:60Z", "0000-01-01"])
def test_a_date_that_python_lacks_is_no_traceback(date: str) -> None:
    with pytest.raises(ScenarioError, match=r"got text that is not TOML: .*, expected a scenario file"):
        parsed(f"duration = {date}", "a scenario file")


def test_blanks_of_other_scripts_are_no_blanks() -> None:
    text = BELL.replace('"50 ms"', '"50\u00a0ms"')
    assert by_crate(text) == by_classes(text)
    assert "a duration" in by_crate(text)[0]
