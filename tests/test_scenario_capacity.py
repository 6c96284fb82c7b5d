"""Recorded capacities: files, rounding and mean rates."""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import jsonschema
import pytest
from hypothesis import given, strategies as st
from tests.scenarios_drawn import unhurried
from tests.scenarios_written import BELL

import parshall
from parshall import Capacity, ScenarioError, loads
from parshall.scenario.schema import json_schema
from parshall.units import parse_duration


def recorded(folder: Path, content: bytes = b"0\n2\n2\n5\n", name: str = "up.trace") -> Path:
    file = folder / name
    file.write_bytes(content)
    return file


def test_a_recording_is_read_plain_or_compressed(tmp_path: Path) -> None:
    expected = Capacity(times=["0 s", "2 ms", "2 ms", "5 ms"], period="5 ms", bytes=1500)
    assert Capacity.from_mahimahi(recorded(tmp_path)) == expected
    assert Capacity.from_mahimahi(str(recorded(tmp_path, b"0\r\n2\r\n2\r\n5"))) == expected
    assert Capacity.from_mahimahi(recorded(tmp_path, gzip.compress(b"0\n2\n2\n5\n", mtime=0))) == expected
    assert repr(expected) == "Capacity(period=0.005)", "times may be very many"


def test_a_file_names_a_recording_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "links").mkdir()
    recorded(tmp_path / "links")
    file = tmp_path / "bell.toml"
    named = 'reverse = { capacity = { mahimahi = "links/up.trace" } }\naccess_rate'
    file.write_text(BELL.replace("access_rate", named, 1))
    scenario = parshall.load(file)
    capacity = scenario.links[0].reverse.capacity
    assert capacity == Capacity.from_mahimahi(tmp_path / "links/up.trace")
    assert json.loads(scenario.to_json())["links"][0]["reverse"]["capacity"] == {
        "period": 0.005,
        "times": [0.0, 0.002, 0.002, 0.005],
    }
    monkeypatch.chdir(tmp_path)
    assert loads(file.read_text()) == loads(scenario.to_toml()) == scenario
    jsonschema.validate(tomllib.loads(file.read_text()), json_schema())


@pytest.mark.parametrize(
    ("content", "line", "value", "expected"),
    [
        (b"1\nx\n3\n", 2, '"x"', "a whole number of milliseconds"),
        (b"1\n\n3\n", 2, '""', "a whole number of milliseconds"),
        (b"-1\n", 1, '"-1"', "a whole number of milliseconds"),
        (b"1\n1.5\n", 2, '"1.5"', "a whole number of milliseconds"),
        (b"1\n10000000001\n", 2, '"10000000001"', "at most 1e10"),
        (b"9" * 5000, 1, '"9999', "at most 1e10"),
        (b"1\n\xff\xfe\n", 2, '"', "a whole number of milliseconds"),
        (b"3\n2\n", 2, "2", "times in ascending order, at least 3"),
        (b"0\n0\n", 2, "0", "a last time above 0"),
        (b"\n \n", None, "an empty file", "at least one time"),
    ],
)
def test_a_bad_recording_is_one_line(
    content: bytes, line: int | None, value: str, expected: str, tmp_path: Path
) -> None:
    file = recorded(tmp_path, content)
    with pytest.raises(ScenarioError) as caught:
        Capacity.from_mahimahi(file)
    error = caught.value
    assert (error.file, error.line) == (str(file), line)
    assert error.value.startswith(value)
    assert expected in error.expected
    assert len(str(error).splitlines()) == 1
    place = str(file) if line is None else f"{file}:{line}"
    assert str(error) == f"{place}: got {error.value}, expected {error.expected}"

    bell = tmp_path / "bell.toml"
    bell.write_text(BELL.replace("access_rate", 'capacity = { mahimahi = "up.trace" }\naccess_rate', 1))
    with pytest.raises(
        ScenarioError, match=rf"^{re.escape(str(bell))}:7: dumbbell\.capacity\.mahimahi: got "
    ) as also:
        parshall.load(bell)
    assert also.value.value == f'{error.value} in "up.trace"{f", line {line}" if line else ""}'
    assert also.value.expected == error.expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file or directory"),
        (gzip.compress(b"1\n2\n", mtime=0)[:-9], "damaged"),
        (b"\x1f\x8b no", "damaged"),
        (gzip.compress(b"1\n2\n", mtime=0)[:-8] + bytes(8), "damaged"),
    ],
)
def test_a_recording_that_cannot_be_read(content: bytes | None, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "up.trace"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(
        parshall.ParshallError, match=rf"^{re.escape(str(file))}: {reason}.*, expected a recorded capacity$"
    ):
        Capacity.from_mahimahi(file)
    with pytest.raises(ScenarioError) as caught:
        loads(
            BELL.replace("access_rate", 'capacity = { mahimahi = "up.trace" }\naccess_rate', 1),
            folder=tmp_path,
        )
    assert caught.value.path == "dumbbell.capacity.mahimahi"
    assert caught.value.value.startswith(f'"up.trace" ({reason}')
    assert caught.value.expected == "a recorded capacity"


def test_recordings_of_real_links_are_read(repository: Path) -> None:
    files = sorted((repository / "../shared/data/links").glob("*.gz"))
    if not files:
        pytest.skip("no recorded links beside the repository")
    for file in files:
        capacity = Capacity.from_mahimahi(file)
        lines = gzip.decompress(file.read_bytes()).split()
        assert len(capacity.times) == len(lines)
        assert capacity.period == capacity.times[-1] == int(lines[-1]) / 1000
        assert capacity.times[1000] == float(f"{int(lines[1000])}e-3")


@unhurried
@given(st.lists(st.integers(0, 20), min_size=1, max_size=9), st.integers(0, 99), st.integers(1, 99))
def test_a_mean_rate_counts_what_may_leave(times: list[int], start: int, length: int) -> None:
    for end in (max(times) + 1, max(times) or 1):  # also one that repeats at its last time
        capacity = Capacity(times=sorted(times), period=end, bytes=125)
        instants = [time + n * end for n in range(200) for time in times]
        expected = sum(start <= instant < start + length for instant in instants)
        assert capacity.mean_rate(start, start + length) == pytest.approx(1000 * expected / length)


def test_times_are_rounded_as_any_duration() -> None:
    given_times = [1e-13 * 7, 0.1 + 0.2, 1 / 3, 4, "5 s", 1e6 / 7]
    capacity = Capacity(times=given_times, period="1000 h")
    assert capacity.times == tuple(map(parse_duration, given_times))
