"""`parshall validate statistics`: random scenarios of ns-2 rebuilt, run over seeds, and compared."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as reference

from parshall import run
from parshall.cli.main import main
from parshall.errors import InputError
from parshall_dev.validate.statistics import (
    Outcome,
    Settings,
    compare,
    compare_study,
    load_study,
    many_connections,
    mixed_traffic,
    on_off_sources,
)
from parshall_dev.validate.statistics.port import Traffic, port_outcomes
from parshall_dev.validate.statistics.unsupported import UnsupportedError
from parshall_studies.study.rules import Verdict

LOSS = Outcome("drop_rate", "loss", "%", 100.0)

SETTINGS_0 = {
    "apppkt": "1000", "jitter": "0.0", "minrto": "0.2", "off": "2.0", "on": "1.0", "pktsize": "1000",
    "qlim": "40", "rate": "350k", "shape": "2.5", "tcp": "TCP", "tick": "0.01", "time": "20.0",
    "traffic": "Pareto", "window": "20",
}  # fmt: skip

SETTINGS_1 = {
    "abw": "100e6", "adelay": "0.005", "buf": "60", "bw": "28e6", "cbrhosts": "many", "cbrjitter": "1.0",
    "cbrpkt": "1000", "cbrrandom": "0", "cbrrate": "1e6", "cbrstart": "0.0", "cbrstep": "0.0",
    "delay": "0.050", "ecn": "0", "gentle": "1", "hdr": "40", "inbytes": "0", "maxp": "0.1", "maxth": "45",
    "meanpkt": "1000", "minrto": "1.0", "minth": "15", "ncbr": "22", "nstf": "0", "ntcp": "35",
    "overhead": "0.0", "payload": "1000", "qm": "RED", "qw": "0.002", "tcp": "Newreno", "tcpabw": "100e6",
    "tcpadelay": "0.005", "tcphosts": "many", "tcpjitter": "1.0", "tick": "0.01", "time": "320.0",
    "topo": "single", "warm": "100.0", "window": "64",
}  # fmt: skip

SETTINGS_3 = {
    "abw": "100e6", "buf": "100", "bw": "20e6", "jitter": "1.0", "minrto": "0.2", "n": "5", "off": "0.5",
    "on": "0.5", "pktsize": "1000", "rate": "1e6", "rtt": "0.05", "rttmax": "0", "shape": "1.5",
    "tcp": "Newreno", "tick": "0.01", "time": "20.0", "traffic": "Pareto", "warm": "5.0", "window": "20",
}  # fmt: skip


def settings(values: Mapping[str, str], **changes: str) -> Settings:
    return Settings({**values, **changes}, "table:2")


def write_runs(folder: Path, study: str, rows: Sequence[Mapping[str, str]]) -> Path:
    (folder / "results").mkdir(exist_ok=True)
    file = folder / "results" / f"study{study}.csv"
    with file.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return file


def runs(
    label: str, values: Mapping[str, str], outcome: str, measured: Sequence[float]
) -> list[dict[str, str]]:
    return [
        {"label": label, "seed": str(seed), **values, f"out_{outcome}": str(value)}
        for seed, value in enumerate(measured, start=1)
    ]


@pytest.fixture
def baselines(repository: Path) -> Path:
    folder = repository.parent / "shared" / "reference" / "baselines"
    if not (folder / "results").is_dir():
        pytest.skip(f"the runs of ns-2 are not there: {folder}")
    return folder


# ---- the test of two means


def test_significance_is_that_of_the_pooled_t_test() -> None:
    ours, theirs = [0.051, 0.053, 0.050, 0.049], [0.054, 0.052, 0.056]
    result = compare("x", "a", LOSS, ours, theirs, 1)
    expected = reference.ttest_ind(ours, theirs)
    assert result.significance == pytest.approx(expected.pvalue, rel=1e-12)
    assert result.errors == pytest.approx(expected.statistic, rel=1e-12)
    assert result.percent == pytest.approx(100 * (np.mean(ours) / np.mean(theirs) - 1))


def test_a_difference_counts_only_beyond_the_chance_of_all_comparisons() -> None:
    ours, theirs = [1.0, 1.1, 0.9, 1.0], [1.2, 1.3, 1.1, 1.2]  # significance 0.013
    assert compare("x", "a", LOSS, ours, theirs, 1).verdict is Verdict.FAILS
    assert compare("x", "a", LOSS, ours, theirs, 10).verdict is Verdict.OPEN
    assert compare("x", "a", LOSS, ours, ours, 10).verdict is Verdict.HOLDS


def test_without_any_scatter_equal_means_agree_and_others_differ() -> None:
    assert compare("x", "a", LOSS, [0.0, 0.0], [0.0, 0.0], 5).verdict is Verdict.HOLDS
    other = compare("x", "a", LOSS, [0.5, 0.5], [0.25, 0.25], 5)
    assert (other.verdict, other.errors) == (Verdict.FAILS, math.inf)


def test_a_packet_at_the_ends_of_the_interval_is_no_difference() -> None:
    assert compare("x", "a", LOSS, [1.00004] * 3, [1.0] * 3, 5).verdict is Verdict.HOLDS
    assert compare("x", "a", LOSS, [1.0001] * 3, [1.0] * 3, 5).verdict is Verdict.FAILS


# ---- what is measured at a port


def test_a_hand_worked_port() -> None:
    # One packet a second may leave. Flow 1 is CBR; of three arrivals at 3 s the last is dropped.
    rows = [
        # time, event, flow, bytes
        (0.0, 0, 0, 1040), (0.0, 1, 0, 1040),
        (3.0, 0, 0, 1040), (3.0, 0, 1, 1000), (3.0, 0, 1, 1000), (3.0, 1, 0, 1040), (3.0, 2, 1, 1000),
        (4.0, 1, 1, 1000), (4.5, 0, 0, 1040), (5.0, 1, 0, 1040),
    ]  # fmt: skip
    time, event, flow, size = (np.array(column) for column in zip(*rows, strict=True))
    packets = {
        "time": time,
        "event": event.astype(np.int16),
        "flow": flow,
        "size_bytes": size,
        "port": np.zeros(len(rows), dtype=np.int32),
    }
    traffic = Traffic(warm_up=2.0, end=6.0, rate=8000.0, cbr=[False, True])
    measured = port_outcomes(packets, 0, traffic)
    waits = [0.0, 1.0, 0.5]
    assert measured["drop_rate"] == 1 / 4
    assert measured["cbr_drop_rate"] == 1 / 2
    assert measured["tcp_drop_rate"] == 0
    assert measured["cbr_share_arrivals"] == 2 / 4
    assert measured["tcp_share_delivered"] == 2080 / 3080
    assert measured["util_wire"] == pytest.approx(3080 * 8 / 4 / 8000)
    assert measured["qdelay_mean"] == pytest.approx(np.mean(waits))
    assert measured["qdelay_sd"] == pytest.approx(np.std(waits, ddof=1))
    assert measured["queue_mean_pkts"] == pytest.approx(sum(waits) / 4)


def test_waits_agree_with_the_engines_own_mean_delay() -> None:
    changes = {"time": "6.0", "warm": "0.0", "ncbr": "26"}
    given = settings(SETTINGS_1, **changes)
    result = run(mixed_traffic.rebuild(given, 1), 1)
    port = result.ports.index("r1->r2")
    measured = mixed_traffic.measure(given, result)
    ports = result.columns("ports")
    transmission = ports["bytes_departed"][port] / ports["packets_departed"][port] * 8 / 28e6
    assert ports["packets_dropped"][port] > 0
    assert measured["qdelay_mean"] + transmission == pytest.approx(ports["mean_delay"][port], rel=1e-3)
    dropped = ports["packets_dropped"][port] / ports["packets_arrived"][port]
    assert measured["drop_rate"] == pytest.approx(dropped, rel=1e-12)


# ---- scenarios


def test_a_source_that_writes_less_than_a_segment_is_faster_in_segments() -> None:
    scenario = on_off_sources.rebuild(settings(SETTINGS_0, apppkt="210", rate="64k"), 1)
    assert [flow.app.rate for flow in scenario.flows] == pytest.approx([64e3 * 1000 / 210] * 6)
    with pytest.raises(InputError, match="no more than a segment"):
        on_off_sources.rebuild(settings(SETTINGS_0, apppkt="1001"), 1)


def test_automatic_weight_of_red_is_ns2s() -> None:
    queue = mixed_traffic.rebuild(settings(SETTINGS_1, qw="-1"), 1).links[0].queue
    # 3500 packets/s; a round trip is guessed as 3 (0.05 s + 1/3500 s), the time constant as ten of them.
    assert queue.weight.value == pytest.approx(1 - math.exp(-1 / (10 * 3 * (0.05 + 1 / 3500) * 3500)))


def test_spread_round_trips_differ_by_seed_and_stay_in_their_range() -> None:
    given = settings(SETTINGS_3, rttmax="0.1", n="40")
    delays = [
        [4 * link.delay for link in many_connections.rebuild(given, seed).links[1::2]] for seed in (1, 2)
    ]
    assert delays[0] != delays[1]
    for each in delays:
        round_trips = [delay + 2 * 0.002 for delay in each]
        assert 0.05 <= min(round_trips) < max(round_trips) <= 0.1


def test_three_bottlenecks_carry_half_of_the_first_links_flows_each() -> None:
    scenario = mixed_traffic.rebuild(settings(SETTINGS_1, topo="multihop", ncbr="25"), 1)
    leave = {link.between[0]: link.between[1] for link in scenario.links}
    over = [flow for flow in scenario.flows if flow.name[0] in "AB"]
    at = [leave[flow.destination] for flow in over]
    assert (at.count("r3"), at.count("r4")) == (17 + 12, 18 + 13)
    assert len(scenario.flows) == 35 + 25 + 17 + 11 + 18 + 6


@pytest.mark.parametrize("change", [{"overhead": "0.001"}, {"cbrrandom": "1"}, {"nstf": "5"}])
def test_what_the_engine_has_no_means_for_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(UnsupportedError):
        mixed_traffic.rebuild(settings(SETTINGS_1, **change), 1)


# ---- agreement with the runs of ns-2

Bounds = Mapping[str, float]
"""Largest relative difference of means, by outcome."""

RED_BOUNDS = {
    "tcp_share_delivered": 0.01,
    "drop_rate": 0.03,
    "queue_mean_pkts": 0.02,
    "qdelay_sd": 0.06,
}
SUBSET: list[tuple[str, str, int, Bounds]] = [
    ("0", "par TCP window 1000 rate 370k", 30, {"throughput": 0.06, "goodput": 0.06, "loss_pct": 0.4}),
    ("1a", "M=22 Newreno minrto 1 access 5 ms", 2, RED_BOUNDS),
    ("1a", "M=16 Reno minrto 1 access 0 ms", 2, RED_BOUNDS),
    ("1m", "Reno minrto 1 access 10 ms M=22", 2, {"L1_drop_rate": 0.1, "L2_drop_rate": 0.05}),
    ("1b", "sens DT: access delay 4.5 ms (RTT 118)", 3, {"tcp_share_delivered": 0.1, "drop_rate": 0.1}),
    ("1b", "sens DT: access delay 5 ms (RTT 120)", 3, {"tcp_share_delivered": 0.05, "drop_rate": 0.05}),
    ("3", "20 Mb FTP N=80", 3, {"loss_ratio": 0.03, "throughput_mbps": 0.005, "jain": 0.01}),
    ("3", "20 Mb Exponential 1 Mb/s N=40", 4, {"loss_ratio": 0.3, "throughput_mbps": 0.05}),
]


LONG = ("M=22 Newreno minrto 1 access 5 ms", "Reno minrto 1 access 10 ms M=22")


@pytest.mark.parametrize(
    ("study", "label", "seeds", "bounds"),
    [pytest.param(*row, id=row[1], marks=pytest.mark.exhaustive if row[1] in LONG else ()) for row in SUBSET],
)
def test_means_agree(baselines: Path, study: str, label: str, seeds: int, bounds: Bounds) -> None:
    agreement = compare_study(baselines, study, seeds=seeds, labels=lambda each: each == label)
    found = {each.outcome.key: each for each in agreement}
    for key, bound in bounds.items():
        assert abs(found[key].percent) <= 100 * bound, found[key]
    assert not [each for each in agreement if each.significance < 1e-4 and each.verdict is Verdict.FAILS]


def test_scenarios_with_other_settings_are_told_apart(baselines: Path) -> None:
    """The bounds above are real: neighbours of a scenario break them."""
    loss = {
        each.label: np.mean(each.outcomes["drop_rate"])
        for each in load_study(baselines, "1a")
        if each.label in ("M=16 Reno minrto 1 access 0 ms", "M=16 Reno minrto 1 access 5 ms")
    }
    first, second = loss.values()
    assert abs(first / second - 1) > 2 * RED_BOUNDS["drop_rate"]


# ---- the command


def small(folder: Path, value: float) -> Path:
    write_runs(folder, "0", runs("small", SETTINGS_0, "throughput", [value, value * 1.01, value * 0.99]))
    return folder


def command(*arguments: str) -> int:
    return main(["validate", "statistics", *arguments])


def test_a_document_with_a_difference_beyond_chance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "docs" / "agreement.md"
    assert command(str(small(tmp_path, 100.0)), "--only", "0", "--seeds", "3", "--out", str(out)) == 1
    printed = capsys.readouterr().out
    assert "study 0: 1 means compared with ns-2.35, 0 agree, 0 apart (by chance about 0), 1 differ" in printed
    text = out.read_text()
    assert re.search(r"\| small \| ours \| 3 \| \d+\.\d ± [\d.]+ \*\*≠\*\* \|", text)
    assert re.search(r"\|  \| ns-2\.35 \| 3 \| 0\.1 ± 0\.\d+ \|", text)
    assert "| differ | unexplained |" in text


def test_agreement_is_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = settings(SETTINGS_0)
    measured = [
        on_off_sources.measure(given, run(on_off_sources.rebuild(given, seed), seed))["throughput"]
        for seed in (11, 12, 13, 14)
    ]
    write_runs(tmp_path, "0", runs("small", SETTINGS_0, "throughput", measured))
    assert command(str(tmp_path), "--only", "0") == 0
    assert "1 agree" in capsys.readouterr().out


def test_what_is_not_rebuilt_is_listed(tmp_path: Path) -> None:
    write_runs(tmp_path, "1b", runs("late", {**SETTINGS_1, "overhead": "0.001"}, "drop_rate", [0.1, 0.2]))
    out = tmp_path / "agreement.md"
    assert command(str(tmp_path), "--only", "1b", "--out", str(out)) == 0
    assert "- late: a random delay of each packet at its sender" in out.read_text()


def rows_with(**changes: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        rows = runs("a", SETTINGS_0, "throughput", [1.0, 2.0])
        rows[1].update(changes)
        return write_runs(folder, "0", rows)

    return write


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda folder: folder, "study0.csv: no such file, expected the runs of ns-2"),
        (
            rows_with(out_throughput="many"),
            'study0.csv:3: out_throughput: got "many", expected a finite number',
        ),
        (rows_with(window="64"), 'study0.csv:3: window: got "64", expected "20" as in line 2'),
        (
            lambda folder: write_runs(folder, "0", [{"label": "a", "out_x": "1"}]),
            "study0.csv: got no column seed, expected label, seed, settings and out_ columns",
        ),
        (
            lambda folder: write_runs(folder, "0", runs("a", {"time": "20"}, "throughput", [1.0])),
            "study0.csv:2: got no column qlim, expected one for each setting of the script",
        ),
    ],
)
def test_a_table_that_cannot_be_used_is_one_line(
    write: Callable[[Path], Path], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path)
    assert command(str(tmp_path), "--only", "0") == 1
    printed = capsys.readouterr()
    assert printed.err.strip().splitlines()[-1].endswith(expected)
    assert printed.out == ""


def test_a_setting_of_another_kind_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_runs(tmp_path, "0", runs("a", {**SETTINGS_0, "tcp": "TCP/Fast"}, "throughput", [1.0, 2.0]))
    assert command(str(tmp_path), "--only", "0") == 1
    assert 'study0.csv:2: tcp: got "TCP/Fast", expected one of' in capsys.readouterr().err


def test_an_unknown_study_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(str(tmp_path), "--only", "7") == 1
    assert 'got "7", expected one of 0, 1a, 1m, 1b, 3' in capsys.readouterr().err
