"""Drawn runs, printed as measuring programs do, are read as they happened, whatever part the file has."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from parshall.errors import InputError
from parshall.forecast.files.others import REFUSED
from parshall.forecast.files.tools import TOOLS
from parshall.forecast.reading import MeasuredSeries, read_quietly
from runs_drawn import RECORDS, WRITERS, Drawn, Writer, drawn

RUNS = 12
NUMBERED = [name for name, writer in WRITERS.items() if writer.first is not None]


def read_text(text: str, folder: Path) -> MeasuredSeries:
    path = folder / "file.txt"
    path.write_text(text + "\n", encoding="utf-8")
    return read_quietly(path)


def draw(writer: Writer, seed: int, count: int = 40, **how: float) -> Drawn:
    how = {"doubles": 0.05, **how} if writer.doubles else {**how, "doubles": 0.0}
    return drawn(random.Random(seed), count, decimals=writer.decimals, overtaken=writer.overtaken, **how)  # type: ignore[arg-type]


def whole(writer: Writer, run: Drawn, first: int | None = None) -> list[str]:
    begin = writer.first if first is None else first
    return [*writer.head(run), *writer.lines(run, begin or 0), *writer.tail(run)]


def same(series: MeasuredSeries, rtts: list[float]) -> None:
    np.testing.assert_allclose(series.rtts * 1000, rtts, atol=1e-9)


@pytest.mark.parametrize("name", WRITERS)
def test_a_whole_run_has_a_sample_for_each_request(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    for seed in range(RUNS):
        run = draw(writer, seed)
        series = read_text("\n".join(whole(writer, run)), tmp_path)
        same(series, run.rtts)
        assert series.remarks == ()


@pytest.mark.parametrize("name", WRITERS)
def test_appended_runs_are_one_behind_the_other(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    for seed in range(RUNS):
        runs = [draw(writer, 10 * seed + k, count) for k, count in enumerate((17, 1, 30))]
        text = "\n".join("\n".join(whole(writer, run)) for run in runs)
        same(read_text(text, tmp_path), [rtt for run in runs for rtt in run.rtts])


@pytest.mark.parametrize("name", [name for name in NUMBERED if WRITERS[name].wraps])
def test_numbers_begin_again(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    for seed in range(RUNS):
        run = draw(writer, seed, doubles=0.0)
        lines = list(writer.lines(run, 65520))
        known = [k for k, rtt in enumerate(run.rtts) if writer.words or not math.isnan(rtt)]
        same(read_text("\n".join(lines), tmp_path), run.rtts[known[0] : known[-1] + 1])


@pytest.mark.parametrize("name", NUMBERED)
def test_the_tail_of_a_run_has_lost_nothing_before_it(name: str, tmp_path: Path) -> None:
    """Its statistics count requests that the file has not; no loss is made up of them."""
    writer = WRITERS[name]
    for seed in range(RUNS):
        run = draw(writer, seed, 300, doubles=0.0, loss=0.02)
        lines, tail = list(writer.lines(run, writer.first or 0)), writer.tail(run)
        kept = lines[-100:]
        told = [each for each in run.order if writer.words or not math.isnan(run.rtts[each])][-100:]
        begin = min(told)
        expected = run.rtts[begin:]
        if not tail or not writer.words:
            # Without a word of the last ones, the statistics may tell of them or not.
            series = read_text("\n".join([*kept, *tail]), tmp_path)
            assert series.rtts.size <= len(expected)
        else:
            series = read_text("\n".join([*kept, *tail]), tmp_path)
            same(series, [rtt if begin + k in told else math.nan for k, rtt in enumerate(expected)])
        answered = [run.rtts[k] for k in sorted(told) if not math.isnan(run.rtts[k])]
        np.testing.assert_allclose(series.answered * 1000, answered)
        assert series.gaps <= sum(map(math.isnan, run.rtts))
        assert not tail or any("lines are missing" in remark for remark in series.remarks)


@pytest.mark.parametrize("name", [name for name in NUMBERED if WRITERS[name].tail(Drawn([1.0]))])
def test_lines_that_are_missing_are_no_losses(name: str, tmp_path: Path) -> None:
    """A hole that is cut into a run without a loss is said, and not counted."""
    writer = WRITERS[name]
    for seed in range(RUNS):
        run = draw(writer, seed, 200, loss=0.0, doubles=0.0)
        lines = list(writer.lines(run, writer.first or 0))
        kept = [*lines[:50], *lines[120:]]
        series = read_text("\n".join([*writer.head(run), *kept, *writer.tail(run)]), tmp_path)
        assert series.gaps == 0
        assert len(series.rtts) == 130
        assert any("lines are missing" in remark for remark in series.remarks)


@pytest.mark.parametrize("name", [name for name in NUMBERED if not WRITERS[name].words])
def test_a_gap_in_a_run_is_an_outage(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    for gap in (900, 40_000):
        run = Drawn([21.0, 22.0, *[math.nan] * gap, 23.0, 24.0], order=list(range(gap + 4)))
        for tail in ([], writer.tail(run)):
            lines = [*writer.head(run), *writer.lines(run, writer.first or 0), *tail]
            same(read_text("\n".join(lines), tmp_path), run.rtts)
        # Behind a place where numbers began again, too.
        begun = Drawn([20.0] * 50 + run.rtts, order=list(range(gap + 54)))
        same(read_text("\n".join(writer.lines(begun, 65500)), tmp_path), begun.rtts)


@pytest.mark.parametrize("name", RECORDS)
def test_records_have_a_sample_for_each_request(name: str, tmp_path: Path) -> None:
    for seed in range(RUNS):
        run = drawn(random.Random(seed), 40, decimals=3)
        if math.isnan(run.rtts[-1]):
            run.rtts[-1] = 22.0
        same(read_text(RECORDS[name](run), tmp_path), run.rtts)


def test_replies_that_come_twice_begin_no_run(tmp_path: Path) -> None:
    """fping -l says no word of them, and counts them among sent and received."""
    for seed in range(RUNS):
        run = drawn(random.Random(seed), 60, decimals=1, doubles=0.3)
        form = WRITERS["fping -c"].lines
        lines = list(form(run, 0))
        extra = len(run.doubled)
        counts = f"\n192.0.2.1 : xmt/rcv/%loss = {60 + extra}/{run.received + extra}/5%, min/avg/max = 1/2/3"
        for tail in ([], [counts]):
            series = read_text("\n".join([*lines, *tail]), tmp_path)
            same(series, run.rtts)
            assert series.remarks == ()


@pytest.mark.parametrize("name", ["iputils", "macOS", "BusyBox", "hping3", "fping -c"])
def test_two_hosts_in_one_file_are_refused(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    run = draw(writer, 1, doubles=0.0)
    lines = list(writer.lines(run, writer.first or 0))
    mixed = [each for line in lines for each in (line, line.replace("192.0.2.1", "192.0.2.7"))]
    for head in ([], writer.head(run)):
        with pytest.raises(InputError, match=r"192\.0\.2\.7"):
            read_text("\n".join([*head, *mixed]), tmp_path)


def test_two_pings_that_write_at_once_are_refused(tmp_path: Path) -> None:
    writer = WRITERS["iputils"]
    run = draw(writer, 2, doubles=0.0, loss=0.0)
    lines = list(writer.lines(run, 1))
    mixed = [each for line in lines for each in (line, line)]
    with pytest.raises(InputError, match="two that write at the same time"):
        read_text("\n".join([*writer.head(run), *writer.head(run), *mixed]), tmp_path)


def test_statistics_amid_the_replies_are_of_the_run(tmp_path: Path) -> None:
    """hping3 writes replies in blocks and statistics at once, amid a line too."""
    writer = WRITERS["hping3"]
    for seed in range(RUNS):
        run = draw(writer, seed)
        text = "\n".join([*writer.head(run), *writer.lines(run, 0)])
        place = random.Random(seed).randrange(len(text))
        same(read_text(text[:place] + "\n".join(writer.tail(run)) + "\n" + text[place:], tmp_path), run.rtts)


@pytest.mark.parametrize("name", ["httping", "Huawei", "paping", "RouterOS", "iputils"])
def test_a_line_that_is_not_understood_is_named(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    lines = whole(writer, draw(writer, 3))
    lines.insert(5, "answer from 192.0.2.1: icmp_seq=3 after a while")
    with pytest.raises(InputError, match=":6: got"):
        read_text("\n".join(lines), tmp_path)


@pytest.mark.parametrize("time", ["time=", "time= abc ms", "time=12.x ms", "time 12 ms"])
def test_a_time_that_cannot_be_read_is_no_loss(time: str, tmp_path: Path) -> None:
    reply = "64 bytes from a: icmp_seq={} ttl=57 {}\n"
    text = "PING a (192.0.2.1) 56(84) bytes of data.\n" + reply.format(1, "time=1 ms") + reply.format(2, time)
    with pytest.raises(InputError, match=":3: got"):
        read_text(text, tmp_path)


@pytest.mark.parametrize("name", [*WRITERS, *RECORDS])
def test_damaged_files_are_read_or_are_one_line(name: str, tmp_path: Path) -> None:
    """No damage ends in another error, or in more samples than there were requests."""
    for seed in range(2 * RUNS):
        rng = random.Random(seed)
        run = drawn(rng, 20, decimals=2)
        text = (
            RECORDS[name](run)
            if name in RECORDS
            else "\n".join(whole(WRITERS[name], draw(WRITERS[name], seed, 20)))
        )
        place, length = rng.randrange(len(text)), rng.choice((1, 5, 200))
        damaged = text[:place] + rng.choice(("", "0", "x", "\n", "-", text[:40])) + text[place + length :]
        try:
            found = read_text(damaged, tmp_path).rtts
        except InputError as error:
            said = str(error)
        else:
            said = ""
            assert np.nanmin(found, initial=1.0) > 0
        assert "\n" not in said


def test_every_tool_has_a_name_and_says_what_it_gives() -> None:
    assert len({tool.name for tool in TOOLS}) == len(TOOLS)
    assert all(tool.gives for tool in TOOLS)
    assert all(each.instead for each in REFUSED.values())


def test_the_guide_lists_every_tool(repository: Path) -> None:
    guide = (repository / "docs/guide/forecasting.md").read_text(encoding="utf-8")
    rows = [f"| {tool.name} | {tool.gives} |" for tool in TOOLS]
    rows += [f"| {name} | {each.instead} |" for name, each in REFUSED.items()]
    assert [row for row in rows if row not in guide] == []
