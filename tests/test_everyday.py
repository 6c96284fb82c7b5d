"""Everyday use: run with seeds and changes, plot, compare, begin a scenario, clear the cache."""

from __future__ import annotations

import copy
import io
import json
import pickle
import re
import webbrowser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.test_interrupts import network

import parshall
from parshall.cli.commands.figures import of_recording
from parshall.cli.commands.given import seeds_of
from parshall.cli.main import main
from parshall.errors import InputError, ParshallError
from parshall.stats import difference_interval

TOP = """duration = "5 s"
title = "A link"
record = {window = ["*"], packets = ["bottleneck"], pcap = ["bottleneck"], \
flow_series = {of = ["*"], interval = "100 ms"}, port_series = {of = ["bottleneck"], interval = "100 ms"}}"""
BARE = 'duration = "5 s"'
SMALL = 'queue = {kind = "droptail", limit_packets = 10}'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARSHALL_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "link.toml").write_text(network(top=TOP))
    return tmp_path / "link.toml"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(network(top=TOP, bottleneck=SMALL))
    return tmp_path / "small.toml"


def done(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    status = main([str(each) for each in arguments])
    captured = capsys.readouterr()
    assert status == 0, captured.err
    return captured.out


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(each) for each in arguments]) in (1, 2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("parshall: ")
    assert captured.err.count("\n") == 1
    return captured.err.removeprefix("parshall: ").rstrip("\n")


# --- run ----------------------------------------------------------------------------------------------------


def test_a_change_is_what_replace_does(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = parshall.load(file).replace("links[bottleneck].rate", "5 Mbit/s").scenario()
    for text in ('links[bottleneck].rate="5 Mbit/s"', "links[bottleneck].rate=5 Mbit/s"):
        found = json.loads(done(capsys, "run", file, "--set", text, "--format", "json"))
        assert found["scenario"] == changed.hash
    assert found["flows"][0]["bytes_delivered"] == parshall.run(changed).flow("f1").bytes_delivered
    assert changed.hash in done(capsys, "check", file, "--set", "links[bottleneck].rate=5 Mbit/s")


def test_a_dumbbell_changes_by_its_own_fields_and_by_those_of_its_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done(capsys, "new", tmp_path / "bell.toml")
    hashes = {
        json.loads(done(capsys, "run", tmp_path / "bell.toml", "--set", change, "--format", "json"))[
            "scenario"
        ]
        for change in ("rate=5 Mbit/s", "dumbbell.rate=5 Mbit/s", "links[bottleneck].rate=5 Mbit/s")
    }
    assert len(hashes) == 1


def test_the_standard_input_is_a_file(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Input:
        buffer = io.BytesIO(file.read_bytes())

    monkeypatch.setattr("sys.stdin", Input)
    assert json.loads(done(capsys, "run", "-", "--format", "json"))["scenario"] == parshall.load(file).hash


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("3", [1, 2, 3]), ("3-3", [3]), ("2-4", [2, 3, 4]), ("1,5, 8-9", [1, 5, 8, 9]), ("0,1", [0, 1])],
)
def test_seeds_are_a_list(text: str, seeds: list[int]) -> None:
    assert seeds_of(text) == seeds


@pytest.mark.parametrize(
    "text", ["", "0", "5-1", "1-", "a", "-1", "1.5", "1-10000000", "1,,2", "9" * 30, "1,1"]
)
def test_seeds_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match=r"--seeds: got .*, expected (a number of seeds, or )?seeds"):
        seeds_of(text)


def test_several_seeds_have_means_tables_and_files(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = done(capsys, "run", file, "--seeds", "1-3", "--out", tmp_path / "out")
    assert "3 seeds" in text
    assert "±" in text
    found = json.loads(done(capsys, "run", file, "--seeds", "1-3", "--format", "json"))
    expected = [parshall.run(parshall.load(file), seed).flow("f1").packets_sent for seed in (1, 2, 3)]
    assert [row["packets_sent"] for row in found["flows"]] == expected
    assert "3 files are as they were written" in done(capsys, "check", tmp_path / "out")


def test_parquet_goes_to_a_folder_of_the_files_name(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "written to out/link" in done(capsys, "run", file, "--format", "parquet")
    assert parshall.Recording.load("out/link").scenario == parshall.load(file)


def test_options_that_exclude_one_another(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        refused(capsys, "run", file, "--seed", 1, "--seeds", "1-2")
        == "--seed: got 1, expected either --seed or --seeds"
    )
    assert refused(capsys, "run", file, "--jobs", 2).startswith("--jobs: got 2, expected --seeds")
    assert refused(capsys, "run", file, "--seeds", "1-2", "--open").startswith("--open: got several seeds")
    assert refused(capsys, "run", file, "--out", "") == '--out: got "", expected a folder'
    assert "expected PATH=VALUE" in refused(capsys, "run", file, "--set", "rate")
    assert 'the key "rate"' in refused(capsys, "check", file, "--set", "links[bottleneck].rte=3")


# --- plot ---------------------------------------------------------------------------------------------------


def titles(figure: Any) -> list[str]:
    return [axis.get_ylabel().replace("\n", " ") for axis in figure.axes]


def test_a_sheet_shows_what_was_recorded(file: Path) -> None:
    recording = parshall.run(parshall.load(file))
    figure = recording.plot()
    assert titles(figure) == [
        "cwnd, packets",
        "srtt, ms",
        "delivered, Mbit/s",
        "queue, packets",
        "delay, ms",
        "drops so far, packets",
    ]
    cwnd, srtt, delivered, queue, delay, drops = figure.axes
    window = recording.flow("f1").window
    assert np.array_equal(cwnd.lines[0].get_ydata(), window.cwnd)
    assert np.array_equal(srtt.lines[0].get_ydata(), 1e3 * window.srtt, equal_nan=True)
    assert np.array_equal(queue.lines[0].get_ydata(), recording.port("bottleneck").series.backlog_packets)
    waits = delay.lines[0].get_ydata()  # of packets, which are recorded too
    assert len(waits) - recording.port("bottleneck").packets_departed in (0, 1)
    assert 0 <= waits.min() < waits.max() < 1e3 * recording.port("bottleneck").mean_delay * 3
    assert drops.lines[0].get_ydata()[-1] == recording.port("bottleneck").series.packets_dropped[-1]
    series = recording.flow("f1").series
    megabits = 8e-3 * series.packets_delivered.astype(float)
    for at, rate in enumerate(delivered.lines[0].get_ydata(), start=1):
        # Whole round trips that take a fiftieth of the run.
        whole = np.ceil(0.1 / series.srtt[at]) * series.srtt[at]
        first = max(int(np.searchsorted(series.time, series.time[at] - whole + 1e-9, "right")) - 1, 0)
        assert series.time[at] - series.time[first] < whole + 0.1
        assert rate == pytest.approx(
            (megabits[at] - megabits[first]) / (series.time[at] - series.time[first])
        )
    assert titles(recording.flow("f1").plot()) == titles(figure)[:3]
    assert titles(recording.port("bottleneck").plot()) == titles(figure)[3:]


def test_a_panel_without_data_says_what_to_record_and_that_helps(tmp_path: Path) -> None:
    scenario = parshall.loads(network(top=BARE))
    figure = parshall.run(scenario).plot()
    said = [text.get_text().replace("\n", " ") for axis in figure.axes for text in axis.texts]
    assert len(said) == 6
    lines = dict.fromkeys(re.search(r"\[record\] (.*) shows it", each)[1] for each in said)  # type: ignore[index]
    helped = parshall.loads(network(top=BARE) + "[record]\n" + "\n".join(lines) + "\n")
    assert not any(axis.texts for axis in parshall.run(helped).plot().axes)


def test_many_flows_share_a_grey(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done(capsys, "new", tmp_path / "bell.toml")
    bell = tmp_path / "many.toml"
    text = (tmp_path / "bell.toml").read_text().replace("count = 2", "count = 12")
    bell.write_text(text.replace('window = ["tcp1", "tcp2"]', 'window = ["*"]').replace('"60 s"', '"12 s"'))
    figure = parshall.run(parshall.load(bell)).plot()
    labels = [each.get_text() for each in figure.axes[0].get_legend().get_texts()]
    assert labels == [*(f"tcp{i}" for i in range(1, 7)), "and 7 more"]


def test_the_command_draws_and_opens(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    done(capsys, "run", file, "--out", out)
    assert done(capsys, "plot", out) == f"{out / 'plot.svg'} written\n"
    assert ET.parse(out / "plot.svg").getroot().tag.endswith("svg")
    done(capsys, "plot", out, "--flow", "f1", "--out", tmp_path / "flow.png")
    assert (tmp_path / "flow.png").read_bytes().startswith(b"\x89PNG")
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    done(capsys, "run", file, "--out", out, "--open")
    assert opened == [(out / "plot.svg").absolute().as_uri()]
    assert 'flow: got "x", expected one of f1' in refused(capsys, "plot", out, "--flow", "x")
    assert "expected a name that ends in .svg, .png, .pdf" in refused(
        capsys, "plot", out, "--out", tmp_path / "x.bmp"
    )
    assert "expected a recording" in refused(capsys, "plot", tmp_path)


def test_means_have_intervals(file: Path) -> None:
    base = parshall.load(file)
    ensemble = parshall.run_many({"a": base, "b": base.replace("links[bottleneck].rate", "5 Mbit/s")}, 4)
    axis = ensemble.plot("packets_sent").axes[0]
    means = sorted(
        line.get_xdata()[0] for line in axis.lines if len(line.get_xdata()) == 1 and line.get_label()
    )
    sent = ensemble.to_pandas().groupby("variant", observed=True)["packets_sent"].mean()
    assert set(sent.round(6)) <= {round(float(mean), 6) for mean in means}
    with pytest.raises(InputError, match=r"metric: got .*, expected one of goodput"):
        ensemble.plot("speed")


# --- compare ------------------------------------------------------------------------------------------------


def test_two_scenarios_are_compared_seed_by_seed(
    file: Path, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = done(capsys, "compare", file, small, "--seeds", "1-4", "--out", tmp_path / "c.svg")
    assert "4 pairs of runs" in text
    a, b = (
        [
            of_recording(parshall.run(parshall.load(each), seed)).values["goodput, Mbit/s"]
            for seed in range(1, 5)
        ]
        for each in (file, small)
    )
    spread = difference_interval(b, a)
    line = next(line for line in text.splitlines() if line.startswith("goodput"))
    assert f"{np.mean(b) - np.mean(a):+.4g}" in line
    assert f"{spread.mean - spread.half_width:+.3g} to {spread.mean + spread.half_width:+.3g}" in line
    assert (tmp_path / "c.svg").stat().st_size > 1000


def test_folders_are_compared(
    file: Path, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, each, seeds in (("a", file, "1-3"), ("b", small, "2-4")):
        done(capsys, "run", each, "--seeds", seeds, "--out", tmp_path / name)
        done(capsys, "run", each, "--out", tmp_path / f"{name}1")
    assert "2 pairs of runs" in done(capsys, "compare", tmp_path / "a", tmp_path / "b")
    assert "One pair of runs has no interval" in done(capsys, "compare", tmp_path / "a1", tmp_path / "b1")
    assert "expected a scenario file, like A" in refused(capsys, "compare", file, tmp_path / "a")
    assert "no seed or point in common" in refused(capsys, "compare", tmp_path / "a", tmp_path / "a1")
    assert "--seeds" in refused(capsys, "compare", tmp_path / "a", tmp_path / "b", "--seeds", "1-2")


def test_sweeps_are_compared(
    file: Path, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, each in (("a", file), ("b", small)):
        sweep = parshall.sweep.Sweep(
            parshall.load(each), {"links[bottleneck].rate": ["4 Mbit/s", "8 Mbit/s"]}, seeds=2
        )
        sweep.run(cache=None).write(tmp_path / name)
    text = done(capsys, "compare", tmp_path / "a", tmp_path / "b")
    assert "4 pairs of runs" in text
    assert "goodput" in text


def test_a_third_sweep_may_share_other_points_with_the_first(
    file: Path, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rates = {"a": ["4 Mbit/s", "8 Mbit/s"], "b": ["4 Mbit/s"], "c": ["8 Mbit/s"]}
    for (name, own), each in zip(rates.items(), (file, small, small), strict=True):
        sweep = parshall.sweep.Sweep(parshall.load(each), {"links[bottleneck].rate": own}, seeds=2)
        sweep.run(cache=None).write(tmp_path / name)
    folders = [tmp_path / name for name in rates]
    text = done(capsys, "compare", *folders, "--out", tmp_path / "three.svg")
    assert "2 pairs of runs with B; 2 pairs of runs with C" in text
    assert "goodput" in text
    assert all(f"rate {rate} Mbit/s: goodput" in text for rate in (4, 8))


def test_the_standard_input_is_compared_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert "can be read once" in refused(capsys, "compare", "-", "-")
    assert "can be read once" in refused(capsys, "compare", "-", "--set", "rate=1 Mbit/s")


# --- new, cache, copies -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["dumbbell", "parking-lot", "red"])
def test_a_new_scenario_runs_and_shows_everything_it_records(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "new.toml"
    assert done(capsys, "new", file, "--kind", kind) == f"{file} written; parshall run {file} runs it\n"
    assert "ok" in done(capsys, "check", file)
    assert sum(line.count("#") for line in file.read_text().splitlines()) >= 4
    recording = parshall.run(parshall.load(file).replace("duration", "12 s"))
    assert recording.flows
    assert "already exists" in refused(capsys, "new", file)
    done(capsys, "new", file, "--force")
    assert "a name that ends in .toml" in refused(capsys, "new", tmp_path / "x.json")


def test_the_cache_is_shown_and_cleared(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert done(capsys, "cache").splitlines() == [str(tmp_path / "cache"), "0.0 MB in all"]
    parshall.run_many([parshall.load(file)], 2)
    assert "1 segments" in done(capsys, "cache")
    assert "0.0 MB removed" in done(capsys, "cache", "clear", "--older-than", 1)
    assert "1 segments" in done(capsys, "cache")
    done(capsys, "cache", "clear")
    assert done(capsys, "cache").splitlines()[-1] == "0.0 MB in all"
    assert parshall.run_many([parshall.load(file)], 2).executed == 2


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_recordings_are_copied_and_pickled(file: Path, copied: Any) -> None:
    first = parshall.run(parshall.load(file), 7)
    again = copied(first)
    assert (again.seed, again.events, again.flows, again.ports) == (7, first.events, first.flows, first.ports)
    assert again.scenario == first.scenario
    assert again.pcap == dict(first.pcap)
    for name in first.tables:
        assert again.table(name).schema.equals(first.table(name).schema)
        assert repr(again.table(name).to_pylist()) == repr(first.table(name).to_pylist())
    assert np.array_equal(again.flow("f1").window.cwnd, first.flow("f1").window.cwnd)


def test_ensembles_are_pickled(file: Path) -> None:
    ensemble = parshall.run_many({"a": parshall.load(file)}, 2, cache=None)
    again = pickle.loads(pickle.dumps(ensemble))
    assert repr(again.table("flows").to_pylist()) == repr(ensemble.table("flows").to_pylist())


# --- Calls of any kind --------------------------------------------------------------------------------------


def test_python_takes_files_lists_and_numbers(file: Path) -> None:
    scenario = parshall.load(file)
    assert parshall.run(str(file)).scenario == scenario
    assert parshall.run(file, 3).seed == 3
    ensemble = parshall.run_many([scenario, file], 2, cache=False)
    assert list(ensemble.variants) == ["0", "1"]
    assert ensemble.seeds == (1, 2)


@pytest.mark.parametrize("call", [
    lambda file: parshall.run(3),
    lambda file: parshall.run(None),
    lambda file: parshall.run_many([3], [1]),
    lambda file: parshall.run_many(parshall.load(file), "1"),
    lambda file: parshall.run_many([], [1]),
    lambda file: parshall.run_many([file], [1], cache="x"),
    lambda file: parshall.load(3),
    lambda file: parshall.loads(3),
    lambda file: parshall.Recording.load(3),
    lambda file: parshall.run(file).save(""),
])  # fmt: skip
def test_what_cannot_be_used_is_said_in_a_line(file: Path, call: Any) -> None:
    with pytest.raises(ParshallError) as caught:
        call(file)
    assert "expected" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_of_another_kind_are_recognised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import os

    sweep = Path(__file__).parent.parent / "examples" / "sweeps" / "queues.toml"
    for command in ("run", "check"):
        assert "got a sweep file, expected a scenario file; parshall sweep runs" in refused(
            capsys, command, sweep
        )
    os.mkfifo(tmp_path / "pipe.toml")
    assert "is a pipe" in refused(capsys, "run", tmp_path / "pipe.toml")
    link = tmp_path / "link.toml"
    link.write_text(network(top=BARE, bottleneck='capacity = {mahimahi = "pipe.toml"}'))
    assert "is no regular file" in refused(capsys, "check", link)
