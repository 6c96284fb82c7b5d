"""Series of one's own: CSV files and the output of ping, from the library and from the command line."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

from parshall import JacobsonRto, evaluate_rto
from parshall.cli.main import main
from parshall.errors import InputError
from parshall.forecast import evaluate, read


def file(folder: Path, text: str, name: str = "rtts.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_stamps_of_ping_are_times_and_a_lost_reply_lies_between(tmp_path: Path) -> None:
    replies = [(n, 1700000000 + n) for n in (1, 2, 4, 5)]
    lines = [f"[{t}.250000] 64 bytes from ::1: icmp_seq={n} ttl=64 time=0.{n} ms" for n, t in replies]
    series = read(file(tmp_path, "\n".join(lines)))
    assert series.times is not None
    np.testing.assert_allclose(series.times - 1700000000, [1.25, 2.25, 3.25, 4.25, 5.25])
    assert series.irregular is False
    assert series.gaps == 1


def test_sequence_numbers_of_ping_begin_again(tmp_path: Path) -> None:
    numbers = [65534, 65535, 1, 2]
    lines = [f"64 bytes from 192.0.2.1: icmp_seq={n} ttl=64 time={n % 10} ms" for n in numbers]
    np.testing.assert_array_equal(read(file(tmp_path, "\n".join(lines))).rtts * 1000, [4, 5, math.nan, 1, 2])


@pytest.mark.parametrize(
    ("text", "rtts", "times", "unit"),
    [
        ("rtt_ms\n1.5\n2\n", [0.0015, 0.002], None, "ms"),
        ("1.5 us\n\n2 us\n", [1.5e-6, 2e-6], None, "us"),
        ("0,1.5 s\n1,2 s\n", [1.5, 2], [0, 1], "s"),
        ("time;host;rtt (s)\n0;a;1.5\n1;a;\n", [1.5, math.nan], [0, 1], "s"),
        ("# by hand\nt\tdelay (s)\n0\t1.5\n0.5\tNaN\n", [1.5, math.nan], [0, 0.5], "s"),
        ("latency_ms,time\n3,0\n4,1\n", [0.003, 0.004], [0, 1], "ms"),
    ],
)
def test_csv_with_and_without_names(
    text: str, rtts: list[float], times: list[float] | None, unit: str, tmp_path: Path
) -> None:
    packed = tmp_path / "mine.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    for series in (read(file(tmp_path, text)), read(packed)):
        np.testing.assert_array_equal(series.rtts, rtts)
        assert (None if series.times is None else series.times.tolist()) == times
        assert series.unit == unit
    assert read(packed).name == "mine"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "FILE: got nothing, expected round-trip times, one a line"),
        ("rtt\n1\nx\n", 'FILE:3: got "x", expected a number'),
        ("rtt\n1\n-2\n", "FILE:3: got -2, expected a round-trip time: a finite number, at least 0"),
        ("1,2,3\n", "FILE:1: got 3 columns without names, expected a header, or one or two columns"),
        ("a,b\n1,2\n", 'FILE:1: got "a, b", expected one column whose name holds rtt'),
        ("t,rtt\n1,2\n0,2\n", "FILE:3: got 0, expected a time that is not before the one ahead of it"),
        ("PING x (192.0.2.1): 56 data bytes\n", "FILE: got no reply, expected lines such as: .*"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(text: str, line: str, tmp_path: Path) -> None:
    path = file(tmp_path, text)
    with pytest.raises(InputError, match=f"^{line.replace('FILE', str(path))}$"):
        read(path)


def test_a_column_may_be_named(tmp_path: Path) -> None:
    path = file(tmp_path, "a,b\n1,2\n3,4\n")
    assert read(path, "b", unit="s").rtts.tolist() == [2, 4]
    with pytest.raises(InputError, match=r'rtts.csv:1: got "a, b", expected a column "c"$'):
        read(path, "c")


def test_the_command_prints_the_table_and_writes_the_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rtts = 20 + np.random.default_rng(1).exponential(size=400)
    lines = [
        f"64 bytes from 192.0.2.1: icmp_seq={n} ttl=64 time={x:.3f} ms" for n, x in enumerate(rtts) if n % 50
    ]
    path = file(tmp_path, "\n".join(lines), "home.txt")
    assert main(["forecast", str(path), "--horizons", "1,5", "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    for column in ("MAE, ms", "RMSE, ms", "width, ms"):
        assert column in printed
    last = next(line for line in printed.splitlines() if "last value" in line)
    assert 0.5 < float(last.split()[2]) < 2  # milliseconds, whose mean absolute error is 1
    assert "7 gaps (lost replies) were left out." in printed
    svg = (tmp_path / "out/home.svg").read_text()
    assert svg.startswith("<svg ")
    assert "EWMA 1/8" in svg
    assert main(["forecast", str(path), "--json", "--out", str(tmp_path / "out")]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert {score["horizon"] for score in scores} == {1, 2, 5, 10, 20, 50}
    assert all(score["unit"] == "s" and score["mae"] < 0.01 for score in scores)


def test_what_is_read_stands_wherever_seconds_do(tmp_path: Path) -> None:
    rtts = 20 + np.random.default_rng(1).exponential(size=400)
    lines = [f"64 bytes from 192.0.2.1: icmp_seq={n} ttl=64 time={x:.3f} ms" for n, x in enumerate(rtts)]
    series = read(file(tmp_path, "\n".join(lines), "home.txt"))
    costs = evaluate_rto(series, JacobsonRto(min_rto=0))
    assert costs == evaluate_rto(series.rtts, JacobsonRto(min_rto=0))
    found = evaluate(series)
    assert found.scores == evaluate(series.rtts).scores
    assert found.unit == "ms"
    assert 0.0005 < found.score("last value").mae < 0.002
    assert repr(series) == "<MeasuredSeries home: 400 round-trip times, shown in ms>"


def test_the_command_says_how_it_read_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path, "\n".join(["rtt", *(f"{20 + n % 7}" for n in range(40))]))
    options = ["--horizons", "1", "--out", str(tmp_path / "out")]
    assert main(["forecast", str(path), *options]) == 0
    printed = capsys.readouterr().out
    assert "The file names no unit: its numbers were taken for seconds, 23 s on the median" in printed
    assert "MAE, s" in printed
    assert main(["forecast", str(path), "--unit", "ms", *options]) == 0
    printed = capsys.readouterr().out
    assert "no unit" not in printed
    assert "MAE, ms" in printed
    assert main(["forecast", str(path), "--json", *options]) == 0
    caught = capsys.readouterr()
    assert json.loads(caught.out)
    assert caught.err.startswith("The file names no unit")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nowhere.csv"], "nowhere.csv: no such file, expected a CSV file or the output of ping"),
        (["FILE", "--horizons", "1,x"], "horizons: got 1,x, expected whole numbers with commas between them"),
        (
            ["FILE", "--horizons", "1"],
            "series: got 3 samples, expected at least 11 (warm-up 1 + 10 to score)",
        ),
        (["FILE", "--coverage", "2", "--horizons", "1", "--warm-up", "1"], "series: got 3 samples"),
    ],
)
def test_faults_of_the_command_are_one_line(
    arguments: list[str], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file(tmp_path, "1\n2\n3\n")
    assert main(["forecast", *(str(path) if each == "FILE" else each for each in arguments)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"parshall: {line}")
    assert error.count("\n") == 1
