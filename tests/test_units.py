"""Quantities: what they mean, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from parshall import InputError, units
from parshall.units import (
    Gbit,
    KiB,
    Mbit,
    format_duration,
    format_rate,
    kB,
    kbit,
    minute,
    ms,
    parse_duration,
    parse_rate,
    parse_size,
    us,
)


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("28 Mbit/s", 28e6),
        ("28Mbit/s", 28e6),
        ("1.5 Mbps", 1.5e6),
        ("64 kb/s", 64e3),
        ("64 kB/s", 512e3),
        ("1 Gbit/s", 1e9),
        (" 2.5e2 bit/s ", 250.0),
        (Decimal("0.1"), 0.1),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7.0),
        (3.5 * Gbit, 3.5e9),
        (64 * kbit, 64e3),
    ],
)
def test_rates(text: object, rate: float) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("50 ms", 0.05),
        ("1 µs", 1e-6),
        ("2 us", 2e-6),
        ("3 min", 180.0),
        ("1 ps", 1e-12),
        ("0 s", 0.0),
        (-0.0, 0.0),
    ],
)
def test_durations(text: object, seconds: float) -> None:
    duration = parse_duration(text)
    assert duration == seconds
    assert math.copysign(1, duration) == 1


@pytest.mark.parametrize(
    ("text", "size"), [("64 kB", 64000), ("1.5 KiB", 1536), ("1 MiB", 2**20), (1500, 1500), ("40 B", 40)]
)
def test_sizes(text: object, size: int) -> None:
    assert parse_size(text) == size


def test_constants_are_si() -> None:
    assert (28 * Mbit, 64 * kB, 2 * KiB) == (28e6, 64000, 2048)
    assert (50 * ms, 2 * minute, 3 * us) == (0.05, 120, 3e-6)


@pytest.mark.parametrize(
    "value", ["23.71 ms", 23.71 * ms, 0.02371, Decimal("0.02371"), "23710 us", "2.371e-2 s"]
)
def test_one_duration_has_one_value(value: object) -> None:
    assert parse_duration(value) == 0.02371


BAD_TEXTS = [
    "50 ms",
    "28 Mbit",
    "28 mbit/s",
    "Mbit/s",
    "28",
    "",
    "1,5 Mbit/s",
    "NaN bit/s",
    "-3 Mbit/s",
    "1e-9 bit/s",
]
BAD_NUMBERS = [0, 0.0, -1, math.nan, math.inf, -math.inf, Decimal("NaN"), Decimal("sNaN"), 1e16]
BAD_TYPES = [True, None, [1], {}]


@pytest.mark.parametrize("value", [*BAD_TEXTS, *BAD_NUMBERS, *BAD_TYPES])
def test_bad_rates_are_refused_in_one_line(value: object) -> None:
    with pytest.raises(InputError) as caught:
        parse_rate(value)
    assert "rate" in caught.value.expected
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "value", ["50 Mbit/s", "-1 s", "1e-15 s", 1e8, "1e9999 s", math.nan, True, None, "5 kB"]
)
def test_bad_durations_are_refused_in_one_line(value: object) -> None:
    with pytest.raises(InputError, match=r"expected a duration .*"):
        parse_duration(value)


@pytest.mark.parametrize("value", ["1.5 B", 1.5, "10 ms", 0, -1, "64 KB", True])
def test_bad_sizes_are_refused(value: object) -> None:
    with pytest.raises(InputError):
        parse_size(value)


def test_zero_is_refused_where_it_makes_no_sense() -> None:
    assert parse_duration(0) == 0
    with pytest.raises(InputError, match=r"got 0, expected a duration above 0"):
        parse_duration(0, zero=False)


def test_the_unit_that_was_meant_is_named() -> None:
    with pytest.raises(InputError, match=r'the unit is "Mbit/s"'):
        parse_rate("28 MBIT/S")


def test_zero_is_written_in_the_base_unit() -> None:
    assert (format_duration(0.0), format_rate(0.0)) == ("0 s", "0 bit/s")


@given(st.integers(1, 10**19))
def test_written_durations_read_back(picoseconds: int) -> None:
    duration = parse_duration(Decimal(picoseconds).scaleb(-12))
    assert parse_duration(format_duration(duration)) == duration


@given(st.integers(1, 10**18))
def test_written_rates_read_back(thousandths: int) -> None:
    rate = parse_rate(Decimal(thousandths).scaleb(-3))
    assert parse_rate(format_rate(rate)) == rate


@given(st.integers(1, 10**7), st.sampled_from(["ns", "us", "ms", "s"]))
def test_a_constant_times_a_number_is_the_text(number: int, unit: str) -> None:
    quantity = number / 1000
    assert parse_duration(quantity * getattr(units, unit)) == parse_duration(f"{quantity!r} {unit}")


@given(st.one_of(st.floats(), st.text(), st.integers(), st.none(), st.booleans(), st.lists(st.integers())))
def test_anything_is_read_or_refused_in_one_line(value: object) -> None:
    for parse in (parse_rate, parse_duration, parse_size):
        outcome = _outcome(parse, value)
        assert outcome >= 0 if isinstance(outcome, float | int) else len(outcome.splitlines()) == 1


def _outcome(parse: Callable[[object], float], value: object) -> float | str:
    try:
        return parse(value)
    except InputError as error:
        return str(error)
