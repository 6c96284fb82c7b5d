"""Python's classes of parts are made of the crate's parts, and hold what these say."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
from collections.abc import Sequence
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import parshall
from parshall import (
    Bulk,
    Capacity,
    DropTail,
    Dumbbell,
    FlowGroup,
    Link,
    Red,
    ScenarioError,
    Tcp,
    Udp,
    UserControl,
)
from parshall_dev import scenario_classes


def test_the_files_are_up_to_date(repository: Path) -> None:
    folder = repository / "python/parshall/scenario/parts"
    made = scenario_classes.files()
    assert {file.name for file in folder.glob("*.py*")} == set(made)
    for name, text in made.items():
        assert (folder / name).read_text() == text, "made anew by python -m parshall_dev.scenario_classes"


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


class StandsForItself:
    """An object that tells no end of parts that it stands for."""

    def __scenario_part__(self) -> Any:
        return self


class Pretender:
    """An object that is no part, but has the attribute of one."""

    _part = "DropTail"

    def __str__(self) -> str:
        return "a pretender"


class Raises:
    """An object whose methods raise."""

    def __str__(self) -> str:
        raise ValueError("no")


class RaisingTable(dict):  # type: ignore[type-arg]
    """A table that cannot be read."""

    def items(self) -> Any:
        raise ValueError("no")


class Changing:
    """An object that changes the table that holds it while that is read."""

    table: ClassVar[dict[str, Any]] = {}

    def tolist(self) -> str:
        self.table["more"] = 1
        return "droptail"


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
        ("\ud800", 'queue: got "\\ud800", expected'),
        (StandsForItself(), "queue: got a StandsForItself too deep to read, expected"),
        (Pretender(), "queue: got a pretender, expected"),
        (Raises(), "queue: got a Raises that cannot be read, expected"),
        ({1, 2}, "queue: got {1, 2}, expected"),
        (memoryview(b"red"), "queue: got <memory at"),
        (RaisingTable(kind="red"), "queue: got a RaisingTable that cannot be read, expected"),
        ({"kind": "droptail", 3: 4}, "queue.3: got an unknown key, expected one of the keys"),
    ],
    ids=range(16),
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


def test_a_list_without_end_is_refused_before_it_is_copied() -> None:
    for value, shown in ((range(10**12), "range(0, 1000000000000)"), (itertools.count(), "count(")):
        with pytest.raises(ScenarioError, match=re.escape(f"between: got {shown}")):
            Link(between=value, rate=1, delay=0)


class Claims(Sequence[str]):
    """A pair that says it has more items."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: Any) -> Any:
        return ("a", "b")[index]


def test_a_list_may_be_as_long_as_a_group_has_flows() -> None:
    most = 2**22
    FlowGroup(transport="tcp", app="bulk", count=most)
    assert Link(between=Claims(most), rate=1, delay=0).between == ("a", "b")
    with pytest.raises(ScenarioError, match=r"^between: got "):
        Link(between=Claims(most + 1), rate=1, delay=0)


def test_generators_are_lists() -> None:
    bell = Dumbbell(
        duration=1, rate=1e6, delay=0, access_rate=1e7, access_delay=0,
        flows=(FlowGroup(transport="tcp", app="bulk") for _ in range(3)),
    )  # fmt: skip
    assert len(bell.flows) == 3


def test_a_table_that_changes_while_it_is_read_is_read_as_it_was() -> None:
    table = {"queue": Changing(), "between": ("a", "b"), "rate": 1, "delay": 0}
    Changing.table = table
    assert Link.from_dict(table).queue == DropTail()
    assert "more" in table


@pytest.mark.parametrize("name", ["\0", "", "kind", "a b"])
def test_parameters_of_ones_own_may_have_any_name(name: str) -> None:
    control = UserControl(form="python", source="x", code="y", values={name: 0})
    assert control.values == {name: 0}
    tcp = Tcp(control={"kind": "user", "form": "python", "source": "x", "code": "y", "values": {name: 0}})
    assert tcp.control == control
    both = FlowGroup(
        transport={"kind": "tcp", "control": {**control.canonical(), "values": {name: 0}}}, app=Bulk()
    )
    assert both.transport.control == control


def test_names_that_are_no_text_are_told() -> None:
    class Name(str, Enum):
        RTO = "initial_rto"

    assert Tcp.from_dict({Name.RTO: 3}).initial_rto == 3.0
    with pytest.raises(ScenarioError, match=r'^a\\ud800: got an unknown key|^"a'):
        Tcp(**{"a\ud800": 1})
    for values in ({1: 2}, {"a\ud800": 2}):
        with pytest.raises(ScenarioError, match="got a key that is no text, expected text"):
            UserControl(form="python", source="x", code="y", values=values)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("1e999999"), "a duration of at most 1e+07 s"),
        (Decimal("1e-999999"), "a duration of at least 1e-12 s"),
        (Decimal("NaN"), "a duration above 0"),
    ],
)
def test_decimals_beyond_all_bounds_are_told_as_such(value: Decimal, expected: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(f"expected {expected}")):
        Tcp(initial_rto=value)


def test_copies_of_a_network_know_their_dumbbell(bell: Dumbbell) -> None:
    network = bell.scenario()
    for again in (
        copy.copy(network),
        copy.deepcopy(network),
        network.model_copy(),
        pickle.loads(pickle.dumps(network)),
    ):
        assert again == network
        assert again.replace("rate", "3 Mbit/s").dumbbell.rate == 3e6


def test_classes_that_cannot_be_parts_are_refused() -> None:
    with pytest.raises(TypeError, match="got Part itself, expected one of its classes"):
        parshall.scenario.base.Part()
    with pytest.raises(TypeError, match=r"Wide.width: got no field of Tcp, expected other defaults"):
        type("Wide", (Tcp,), {"__annotations__": {"width": int}, "width": 3})


def test_a_recording_of_a_wrong_type_is_told() -> None:
    with pytest.raises(parshall.InputError, match="path: got 5, expected the name of a recorded capacity"):
        Capacity.from_mahimahi(5)


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


def test_parts_with_parameters_of_ones_own_have_a_hash() -> None:
    parts = [
        UserControl(form="python", source="mine:Own", code="0", values=params)
        for params in ({"gain": 1.0, "floor": 2.0}, {"floor": 2.0, "gain": 1.0})
    ]
    assert parts[0] == parts[1]
    assert hash(parts[0]) == hash(parts[1])
    assert len({*parts, Tcp(control=parts[0]), Tcp(control=parts[1])}) == 2
