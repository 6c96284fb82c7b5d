"""Ranges of fields, written down by hand: the last value that fits, and the first that does not.

The classes and their checks come from one description. This one is another.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.schema_fields import lines

import parshall
from parshall import ScenarioError, units
from parshall.scenario import parts
from parshall.scenario.schema import json_schema

NEEDED: dict[str, dict[str, Any]] = {
    "Link": {"between": ("a", "b"), "rate": 1, "delay": 0},
    "Red": {"min_threshold_packets": 1, "max_threshold_packets": 2, "limit_packets": 3},
    "FlowGroup": {"transport": "tcp", "app": "bulk"},
    "Transfer": {"packets": 1},
    "ParetoLaw": {"mean": 1, "shape": 2},
    "Median": {"window": 1},
    "Ewma": {"gain": 0.5},
    "Capacity": {"times": [0], "period": 1},
    "BernoulliLoss": {"probability": 0.5},
}

RANGES = [
    ("Link", "rate", 1e15, 1.1e15),
    ("Link", "rate", "0.001 bit/s", 0),
    ("Link", "delay", 0, -1e-12),
    ("Link", "delay", 1e7, 1.1e7),
    ("Link", "delay", "1 ps", "0.4 ps"),
    ("DropTail", "limit_packets", 1, 0),
    ("DropTail", "limit_packets", 2**32 - 1, 2**32),
    ("DropTail", "limit_bytes", "1 B", 0),
    ("DropTail", "limit_bytes", 1000, 1000.5),
    ("Red", "max_probability", 1, 1.001),
    ("Red", "max_probability", 1e-9, 0),
    ("Red", "min_threshold_packets", 2, 0),
    ("Red", "min_threshold_packets", 2, 2.5),
    ("Red", "tune_above", 0, -0.001),
    ("Red", "tune_interval", "1 ps", 0),
    ("Red", "mean_packet_bytes", 65535, 65536),
    ("Red", "weight", 1, 1.001),
    ("CoDel", "mtu_bytes", 2**32 - 1, 2**32),
    ("CoDel", "target", "1 ps", 0),
    ("Pie", "mark_below", 1, 1.001),
    ("FqCodel", "queues", 2**16, 2**16 + 1),
    ("Tcp", "payload_bytes", 1, 0),
    ("Udp", "header_bytes", 0, -1),
    ("Tcp", "header_bytes", 65535, 65536),
    ("Tcp", "quick_acks", 0, -1),
    ("Tcp", "receive_buffer", 1, 0),
    ("Tcp", "initial_window_packets", 0.5, 0),
    ("Tcp", "ecn", True, 1),
    ("Tcp", "profile", "linux", "Linux"),
    ("FlowGroup", "count", 2**22, 2**22 + 1),
    ("FlowGroup", "dscp", 63, 64),
    ("FlowGroup", "dscp", "AF43", "AF44"),
    ("FlowGroup", "dscp", "le", "LEE"),
    ("FlowGroup", "name", "x", ""),
    ("ParetoLaw", "shape", 1.001, 1),
    ("Median", "window", 2**24, 2**24 + 1),
    ("Ewma", "gain", 1, 1.001),
    ("Arima", "d", 2, 3),
    ("Capacity", "times", [0, 0, 1], [1, 0]),
    ("Capacity", "times", [0], []),
    ("Capacity", "bytes", 1, 0),
    ("Cubic", "beta", 0.999, 1),
    ("Dctcp", "gain", 0.001, 0),
    ("QuantileRtoConfig", "risk", 0.2, 0.21),
    ("QuantileRtoConfig", "risk", 1e-6, 9e-7),
    ("WeightedMedianRtoConfig", "window", 63, 64),
    ("BernoulliLoss", "probability", 1, 1.001),
]


@pytest.mark.parametrize(("name", "field", "last", "first"), RANGES, ids=str)
def test_a_field_takes_what_it_should(name: str, field: str, last: Any, first: Any) -> None:
    kind = getattr(parts, name)
    given = NEEDED.get(name, {})
    kind(**{**given, field: last})
    with pytest.raises(ScenarioError) as raised:
        kind(**{**given, field: first})
    assert raised.value.all()[0].path.startswith((field, "max_threshold_packets"))


CODE_POINTS = {
    "DF": 0,
    "LE": 1,
    **{f"CS{number}": 8 * number for number in range(1, 8)},
    **{f"AF{number}{drop}": 8 * number + 2 * drop for number in range(1, 5) for drop in range(1, 4)},
    "VOICE-ADMIT": 44,
    "EF": 46,
}
"""RFC 2474, 2597, 3246, 5865, 8622."""


@pytest.mark.parametrize("name", CODE_POINTS)
def test_code_points_are_those_of_the_rfcs(name: str) -> None:
    for given in (name, name.lower(), CODE_POINTS[name]):
        assert parshall.FlowGroup(transport="tcp", app="bulk", dscp=given).dscp == CODE_POINTS[name]


@pytest.mark.parametrize("unit", ["bit", "kbit", "Mbit", "Gbit", "Tbit"])
def test_units_of_rates(unit: str) -> None:
    short = unit.removesuffix("it")
    for text in (f"3 {unit}/s", f"3{short}/s", f"3 {short}ps"):
        assert units.parse_rate(text) == 3 * getattr(units, unit)


@pytest.mark.parametrize(
    ("text", "rate"), [("3 B/s", 24), ("3 kB/s", 24e3), ("3 MB/s", 24e6), ("3 GB/s", 24e9)]
)
def test_units_of_rates_in_bytes(text: str, rate: float) -> None:
    assert units.parse_rate(text) == rate


@pytest.mark.parametrize(
    ("unit", "name"),
    [*((unit, unit) for unit in ("ps", "ns", "us", "ms", "s", "h")), ("min", "minute"), ("\u00b5s", "us")],
)
def test_units_of_durations(unit: str, name: str) -> None:
    assert units.parse_duration(f"3 {unit}") == pytest.approx(3 * getattr(units, name), rel=1e-15)


@pytest.mark.parametrize("unit", ["B", "kB", "MB", "GB", "KiB", "MiB", "GiB"])
def test_units_of_sizes(unit: str) -> None:
    assert units.parse_size(f"3 {unit}") == 3 * getattr(units, unit)


def test_the_schema_is_that_which_was_looked_at(repository: Path) -> None:
    """A change of any range, kind, unit or default shows in the file."""
    file = repository / "tests/data/scenario-fields.txt"
    found = list(lines(json_schema()))
    assert found == file.read_text(encoding="utf-8").splitlines(), f"python -m tests.schema_fields > {file}"
