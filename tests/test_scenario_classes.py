"""Python's classes of parts are made of the crate's parts, and hold what these say."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import DropTail, Dumbbell, FlowGroup, Link, Red, ScenarioError, Tcp, Udp
from parshall.scenario import parts as classes
from parshall.scenario.schema import parts
from parshall_dev import scenario_classes


def test_the_files_are_up_to_date(repository: Path) -> None:
    folder = repository / "python/parshall/scenario/parts"
    made = scenario_classes.files()
    assert {file.name for file in folder.glob("*.py*")} == set(made)
    for name, text in made.items():
        assert (folder / name).read_text() == text, "made anew by python -m parshall_dev.scenario_classes"


@pytest.mark.parametrize("name", parts())
def test_defaults_are_those_of_the_crate(name: str) -> None:
    part = getattr(classes, name)
    given = {field["name"]: field["default"] for field in parts()[name]["fields"] if "default" in field}
    needed = {name for name, field in part.model_fields.items() if field.is_required()}
    assert needed == set(part.model_fields) - set(given) - {"kind"}
    for field, default in given.items():
        held = part.model_fields[field].default
        assert (held.canonical() if isinstance(held, parshall.scenario.base.Part) else held) == _held(default)


def _held(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def test_parts_that_are_given_are_kept() -> None:
    tcp, queue = Tcp(), DropTail(limit_packets=3)
    group = FlowGroup(transport=tcp, app="bulk")
    assert group.transport is tcp
    bell = Dumbbell(
        duration=1, rate=1e6, delay=0, access_rate=1e7, access_delay=0, queue=queue, flows=[group]
    )
    assert bell.queue is queue
    assert bell.flows[0] is group


@pytest.mark.parametrize(
    "rate", [1e6, 1000000, "1 Mbit/s", np.float64(1e6), np.int32(1000000), np.float32(1e6), Decimal("1e6")]
)
def test_numbers_of_any_library_are_numbers(rate: Any) -> None:
    link = Link(between=("a", "b"), rate=rate, delay=0)
    assert (type(link.rate), link.rate) == (float, 1e6)


@pytest.mark.parametrize("names", [["a", "b"], ("a", "b"), np.array(["a", "b"])])
def test_lists_of_any_kind_are_lists(names: Any) -> None:
    assert Link(between=names, rate=1, delay=0).between == ("a", "b")


def test_more_digits_than_a_double_has_are_rounded_once() -> None:
    link = Link(between=("a", "b"), rate=1, delay=Decimal("0.0000000000025000000000000000001"))
    assert link.delay == 3e-12
    assert Link(between=("a", "b"), rate=1, delay=Decimal("0.0000000000025")).delay == 2e-12


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (DropTail, "queue: got the class DropTail, expected one of it: DropTail()"),
        (Red, "queue: got the class Red, expected one of it: Red(...)"),
        (Udp(), 'queue.kind: got "udp", expected "droptail" or "red"'),
        (object, "queue: got the class object, expected one of it: object()"),
        (1j, "queue: got 1j, expected a table with kind ="),
        (b"red", "queue: got b'red', expected a table with kind ="),
        ({1: 2}, 'queue.kind: got nothing, expected "droptail"'),
        (10**5000, "queue: got a int too long to show, expected"),
        ("\ud800", "queue: got '\\ud800', expected"),
    ],
    ids=range(9),
)
def test_values_that_are_no_queue_are_told_in_a_line(value: object, fault: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        Link(between=("a", "b"), rate=1, delay=0, queue=value)
    assert str(raised.value).startswith(fault)
    assert "\n" not in str(raised.value)


def test_lists_in_lists_without_end_are_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (endless, {"kind": endless}):
        with pytest.raises(ScenarioError):
            Link(between=value, rate=1, delay=0)


def test_nothing_of_a_part_can_be_set_or_taken_away() -> None:
    with pytest.raises(AttributeError, match="never changes"):
        DropTail().limit_packets = 3
    with pytest.raises(AttributeError, match="never changes"):
        DropTail().whatever = 3
    with pytest.raises(AttributeError, match="never changes"):
        del DropTail(limit_packets=3).limit_packets


def test_parts_are_equal_by_their_values_and_can_be_keys() -> None:
    assert DropTail() == DropTail() != DropTail(limit_packets=3)
    assert DropTail() != Udp()
    assert {DropTail(limit_packets=3): 1}[DropTail(limit_packets=3)] == 1
    assert Red(min_threshold_packets=1, max_threshold_packets=2, limit_packets=3, weight=0.002) == Red(
        min_threshold_packets=1, max_threshold_packets=2, limit_packets=3
    )
