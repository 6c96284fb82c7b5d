"""One scenario, however it is written, has one hash and one canonical form."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import pytest
from hypothesis import example, given, strategies as st
from tests.scenarios_drawn import scenarios, unhurried
from tests.scenarios_written import BELL, schema_validator, written_out

import parshall
from parshall import (
    Binomial,
    Dumbbell,
    FlowGroup,
    MedianRtoConfig,
    Record,
    Reverse,
    Scenario,
    Tcp,
    _core,
    loads,
)
from parshall.scenario.base import Part
from parshall.scenario.canonical import as_given, canonical_json
from parshall.units import ms


def test_a_preset_a_file_and_a_network_by_hand_hash_alike() -> None:
    from_file = loads(BELL)
    by_hand = written_out()
    preset = Dumbbell(
        title="leaves no trace",
        duration="10 s",
        rate="1 Mbit/s",
        delay="50 ms",
        queue={"kind": "droptail", "limit_packets": 40},
        access_rate="10 Mbit/s",
        access_delay="10 ms",
        flows=[FlowGroup(count=2, transport=Tcp(rto="median"), app="bulk")],
        record=Record(rtt="*"),
    )
    assert from_file.hash == by_hand.hash == preset.hash == preset.scenario().hash
    assert from_file == by_hand
    assert loads(preset.to_toml()).hash == loads(by_hand.to_toml()).hash == by_hand.hash
    assert Scenario.from_json(by_hand.to_json()) == by_hand


def test_hashes_do_not_drift() -> None:
    """Results are kept under this hash: if it changes for a scenario that means the same, they are all lost.

    It may change only together with the meaning of what is written out in ``written_out``.
    """
    assert written_out().hash == "2ee661330794b4b34bb0f47839fa72d77b414da94c11af2f7ea944faf52216ed"


def test_what_is_at_its_default_leaves_no_trace() -> None:
    explicit = written_out().with_(
        {
            "flows[*].transport.rto": MedianRtoConfig(window=5, deviation="ewma", deviation_gain=0.25),
            "flows[*].transport.payload_bytes": 1000,
            "links[*].reverse": Reverse(),
        },
        warm_up=0,
        title="a title",
    )
    assert explicit.hash == written_out().hash


def test_what_differs_changes_the_hash() -> None:
    scenario = written_out()
    changes = {
        "duration": 11,
        "links[bottleneck].queue.limit_packets": 41,
        "flows[f1].transport.rto.window": 7,
        "flows[f1].name": "g",
        "record.rtt": (),
    }
    hashes = {scenario.hash, *(scenario.replace(path, value).hash for path, value in changes.items())}
    assert len(hashes) == 1 + len(changes)


@pytest.mark.parametrize("value", ["23.71 ms", 23.71 * ms, 0.02371, "0.02371 s", "23710 us"])
def test_a_quantity_hashes_alike_in_any_unit(value: str | float) -> None:
    expected = written_out().replace("links[bottleneck].delay", 0.02371).hash
    assert written_out().replace("links[bottleneck].delay", value).hash == expected


@unhurried
@given(scenarios)
def test_any_scenario_survives_its_file(scenario: Scenario) -> None:
    text = scenario.to_toml()
    again = Scenario.from_dict(tomllib.loads(text))
    assert again == scenario
    assert again.hash == scenario.hash
    assert Scenario.from_json(scenario.to_json()).hash == scenario.hash
    schema_validator().validate(tomllib.loads(text))


@unhurried
@given(scenarios)
def test_the_canonical_form_is_sorted_and_without_defaults(scenario: Scenario) -> None:
    """Tables made by hand and written by ``json.dumps``, as caches have known it from the start."""
    plain = json.dumps(
        plain_tables(scenario), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    assert scenario.to_json() == plain
    assert scenario.canonical() == json.loads(plain)


def plain_tables(value: Any) -> Any:
    if isinstance(value, tuple):
        return [plain_tables(item) for item in value]
    if not isinstance(value, Part):
        return value
    return {
        name: plain_tables(getattr(value, name))
        for name, field in type(value).model_fields.items()
        if not field.exclude
        and (name == "kind" or field.is_required() or getattr(value, name) != field.default)
    }


@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=0.0, exclude_min=True)
    | st.floats(min_value=1e-5, max_value=1e17)
    | st.integers(1, 10**18).map(lambda whole: whole / 10**9)
)
@example(1e-4)
@example(math.nextafter(1e-4, 0))
@example(1e16)
@example(math.nextafter(1e16, 0))
def test_numbers_are_written_as_python_writes_them(number: float) -> None:
    assert canonical_json(Binomial(k=number, l=0)) == f'{{"k":{number!r},"kind":"binomial","l":0.0}}'


def test_names_are_written_as_json_writes_them() -> None:
    name = 'a"b\\c/é~\U0001f600'
    assert json.dumps(name, ensure_ascii=False) in canonical_json(Record(rtt=name))


def test_what_json_cannot_write_is_refused() -> None:
    for number in (math.inf, math.nan):
        with pytest.raises(ValueError, match="JSON"):
            canonical_json(Binomial.known(k=number, l=0.0))


@given(scenarios)
def test_the_engine_reads_what_is_written(scenario: Scenario) -> None:
    """The engine's own reading, with every default filled in, is ours."""
    read = _core.normalize(scenario.to_json())
    assert _tidy(json.loads(read)) == _tidy(_filled(scenario))
    assert _core.normalize(as_given(scenario)) == read


def _filled(value: Any) -> Any:
    """A model with its defaults, but for what Python alone knows."""
    if isinstance(value, parshall.scenario.base.Part):
        fields = type(value).model_fields.items()
        return {name: _filled(getattr(value, name)) for name, field in fields if not field.exclude}
    return [_filled(item) for item in value] if isinstance(value, tuple) else value


def _tidy(value: Any) -> Any:
    """Without what is absent; floats to the precision of the engine's time."""
    if isinstance(value, dict):
        return {key: _tidy(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_tidy(item) for item in value]
    return pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value
