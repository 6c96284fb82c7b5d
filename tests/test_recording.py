"""Recordings: tables, views, files."""

from __future__ import annotations

import errno
import json
import os
import sys
from dataclasses import fields
from pathlib import Path

import dpkt
import numpy as np
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

import parshall
from parshall import (
    Capacity,
    Dumbbell,
    InputError,
    OutputError,
    ParshallError,
    Recording,
    Red,
    Scenario,
    Series,
    Tcp,
)
from parshall.recording.summary import print_summary
from parshall.recording.views import (
    FlowSeries,
    FlowView,
    Packets,
    PortSeries,
    PortView,
    RttSamples,
    WindowChanges,
)
from parshall.support.causes import reason
from parshall.support.files import NewFiles


@pytest.fixture
def recording(everything: Scenario) -> Recording:
    return parshall.run(everything, seed=7)


def content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


# --- Tables and views -----------------------------------------------------------------------------------


def test_tables_hold_names_and_what_was_asked_for(recording: Recording) -> None:
    assert recording.tables == ("flows", "ports", "rtt", "window", "flow_series", "port_series", "packets")
    flows = recording.table("flows")
    assert flows["flow"].to_pylist() == ["tcp1", "tcp2", "call1"]
    assert flows["packets_sent"].to_pylist() == [
        recording.flow(name).packets_sent for name in recording.flows
    ]
    packets = recording.table("packets")
    at_hosts = packets.filter(pc.is_null(packets["port"]))
    assert set(at_hosts["event"].to_pylist()) == {4}
    assert set(at_hosts["flow"].to_pylist()) == {"tcp2"}
    assert set(packets["port"].to_pylist()) == {"bottleneck", None}


def test_views_show_the_rows_of_one_flow_or_port(recording: Recording) -> None:
    flow = recording.flow("tcp1")
    table = recording.table("rtt")
    mine = table.filter(pc.equal(table["flow"], "tcp1"))
    assert len(flow.rtt) == mine.num_rows > 10
    assert flow.rtt.srtt.tolist() == mine["srtt"].to_pylist()
    assert np.all(np.diff(flow.rtt.time) >= 0)
    assert len(flow.series) == round(recording.scenario.duration / 0.1)
    port = recording.port("bottleneck")
    assert port == recording.port("r0->r1")
    assert port.series.backlog_packets.max() <= 10 == port.max_backlog_packets
    assert np.count_nonzero(port.packets.event == 2) >= port.packets_dropped > 0
    assert set(recording.flow("tcp2").deliveries.event.tolist()) == {4}


def test_views_have_the_columns_of_their_tables(recording: Recording) -> None:
    """A column that the engine gains must be described here."""
    own = {
        "flows": (FlowView, {"flow"}, {"name"}),
        "ports": (PortView, {"port"}, {"name", "rate"}),
        "rtt": (RttSamples, {"flow"}, set()),
        "window": (WindowChanges, {"flow"}, set()),
        "flow_series": (FlowSeries, {"flow"}, set()),
        "port_series": (PortSeries, {"port"}, set()),
        "packets": (Packets, {"port"}, set()),
    }
    for name, (view, index, extra) in own.items():
        attributes = {field.name for field in fields(view) if not field.name.startswith("_")}
        assert attributes - extra == set(recording.columns(name)) - index, name


def test_rates_are_those_of_the_counted_time(recording: Recording) -> None:
    flow, port = recording.flow("tcp1"), recording.port("bottleneck")
    assert recording.counted_seconds == 3
    assert flow.goodput == flow.bytes_delivered * 8 / 3
    assert flow.sending_rate == flow.bytes_sent * 8 / 3
    assert port.utilization == port.bytes_departed * 8 / 3 / 2e6
    assert 0.5 < port.utilization <= 1.01
    assert port.drop_rate == port.packets_dropped / port.packets_arrived


def test_marks_are_counted_where_they_are_made_and_where_they_are_heeded(bell: Dumbbell) -> None:
    red = Red(min_threshold_packets=2, max_threshold_packets=8, limit_packets=50, weight=0.1, ecn=True)
    changes = {
        "queue": red,
        "flows[tcp].transport": Tcp(ecn=True),
        "record.port_series": Series(of="bottleneck", interval="100 ms"),
    }
    recording = parshall.run(bell.with_(changes, warm_up=0))
    port = recording.port("bottleneck")
    assert port.packets_marked >= sum(recording.flow(f"tcp{i}").mark_reductions for i in (1, 2)) > 0
    assert port.series.packets_marked[-1] <= port.packets_marked
    assert np.all(np.diff(port.series.packets_marked.astype(int)) >= 0)
    assert recording.port("r1->r0").packets_marked == 0
    deaf = parshall.run(bell.with_({"queue": red}))
    assert deaf.port("bottleneck").packets_marked == deaf.flow("tcp1").mark_reductions == 0
    assert deaf.port("bottleneck").packets_dropped > 0


def test_the_summary_shows_marks_where_there_are_any(
    bell: Dumbbell, capsys: pytest.CaptureFixture[str]
) -> None:
    red = Red(min_threshold_packets=2, max_threshold_packets=8, limit_packets=50, weight=0.1, ecn=True)
    recording = parshall.run(bell.with_({"queue": red, "flows[tcp].transport": Tcp(ecn=True)}))
    print_summary(recording)
    header, *rows = capsys.readouterr().out.partition("port ")[2].splitlines()
    assert "dropped  marked  lost" in header
    assert f" {recording.port('bottleneck').packets_marked} " in rows[0]
    print_summary(parshall.run(bell))
    assert "marked" not in capsys.readouterr().out


def test_the_rate_of_a_recorded_capacity_is_its_mean(bell: Dumbbell) -> None:
    capacity = Capacity(times=[i / 100 for i in range(50)], period=1)  # 1.2 Mbit/s for half of the time
    recording = parshall.run(bell.replace("capacity", capacity))
    port = recording.port("bottleneck")
    assert port.rate == 8 * 1500 * 50
    assert port.throughput <= port.rate
    assert 0.5 < port.utilization == port.throughput / port.rate <= 1
    assert recording.port("r1->r0").rate == 2e6
    silent = Capacity(times=[0], period=3600)
    port = parshall.run(bell.replace("capacity", silent)).port("bottleneck")
    assert port.rate == 0
    assert np.isnan(port.utilization)


def test_what_was_not_recorded_says_how_to_get_it(bell: Dumbbell) -> None:
    recording = parshall.run(bell)
    with pytest.raises(ParshallError, match=r"^tcp1: rtt is not recorded; name it in record.rtt$"):
        _ = recording.flow("tcp1").rtt
    with pytest.raises(InputError, match='got "rtt", expected one of flows, ports'):
        recording.table("rtt")
    with pytest.raises(InputError, match='flow: got "x", expected one of tcp1, tcp2, call1'):
        recording.flow("x")
    with pytest.raises(InputError, match='port: got "x", expected one of bottleneck, r0->r1'):
        recording.port("x")


def test_a_flow_of_which_nothing_happened_has_empty_rows(everything: Scenario) -> None:
    recording = parshall.run(everything.replace("flows[tcp1].start", "3.9999 s"))
    assert len(recording.flow("tcp1").rtt) == 0


def test_data_frames_by_one_call(recording: Recording) -> None:
    pandas, polars = recording.to_pandas("rtt"), recording.to_polars("rtt")
    assert len(pandas) == polars.height == recording.table("rtt").num_rows
    assert list(pandas.columns) == polars.columns == recording.table("rtt").column_names
    assert recording.to_polars()["flow"].to_list() == ["tcp1", "tcp2", "call1"]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_missing_package_is_one_line(
    package: str, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ParshallError, match=f"^{package} is not installed; pip install {package}$"):
        getattr(recording, f"to_{package}")()


# --- Runs -----------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bits(everything: Scenario, recording: Recording) -> None:
    again, other = parshall.run(everything, seed=7), parshall.run(everything, seed=8)
    for name in recording.tables:
        for column, values in recording.columns(name).items():
            assert values.tobytes() == again.columns(name)[column].tobytes(), (name, column)
    assert recording.pcap == again.pcap
    assert other.columns("rtt")["time"].tobytes() != recording.columns("rtt")["time"].tobytes()


def test_recording_more_changes_nothing_else(bell: Dumbbell, recording: Recording) -> None:
    plain = parshall.run(bell, seed=7)
    for name in ("flows", "ports"):
        for column, values in plain.columns(name).items():
            assert values.tobytes() == recording.columns(name)[column].tobytes(), (name, column)


@pytest.mark.parametrize("seed", [-1, 1.0, "1", True, None, 2**63])
def test_seeds_are_whole_numbers(bell: Dumbbell, seed: object) -> None:
    with pytest.raises(InputError, match=r"^seed: got .*, expected a whole number from 0 to 2\^63 - 1$"):
        parshall.run(bell, seed=seed)  # type: ignore[arg-type]


def test_a_network_that_cannot_be_run_is_refused(bell: Dumbbell) -> None:
    network = bell.scenario().replace("flows[0].destination", "nowhere")
    with pytest.raises(parshall.ScenarioError, match=r'^flows\[0\].destination: got "nowhere", expected .*'):
        parshall.run(network)


# --- Files ----------------------------------------------------------------------------------------------


def test_what_is_saved_can_be_loaded(recording: Recording, tmp_path: Path) -> None:
    folder = recording.save(tmp_path / "deep" / "run")
    again = Recording.load(folder)
    assert (again.scenario, again.seed, again.engine_version) == (
        recording.scenario,
        7,
        recording.engine_version,
    )
    assert again.scenario.title == "A small bell"
    assert (again.tables, again.events, again.pcap) == (recording.tables, recording.events, recording.pcap)
    for name in recording.tables:
        for column, values in recording.columns(name).items():
            loaded = again.columns(name)[column]
            assert (loaded.dtype, loaded.tobytes()) == (values.dtype, values.tobytes()), (name, column)
    assert again.flow("tcp1").rtt.rtt.tolist() == recording.flow("tcp1").rtt.rtt.tolist()


def test_other_programs_can_read_the_files(recording: Recording, tmp_path: Path) -> None:
    folder = recording.save(tmp_path / "run")
    assert parquet.read_table(folder / "flows.parquet")["flow"].to_pylist() == ["tcp1", "tcp2", "call1"]
    with (folder / "pcap" / "bottleneck.pcap").open("rb") as file:
        times = [time for time, _ in dpkt.pcap.Reader(file)]
    assert len(times) > 100
    assert times == sorted(times)
    assert parshall.load(folder / "scenario.toml").hash == recording.scenario.hash
    assert parshall.load(folder / "scenario.json").hash == recording.scenario.hash


def test_a_recording_replaces_another_but_no_other_file(
    bell: Dumbbell, recording: Recording, tmp_path: Path
) -> None:
    folder = recording.save(tmp_path)
    (folder / "notes.txt").write_text("mine")
    parshall.run(bell, seed=2).save(folder)
    assert not (folder / "rtt.parquet").exists(), "the new recording has no such table"
    assert Recording.load(folder).seed == 2
    assert (folder / "notes.txt").read_text() == "mine"
    assert [file.name for file in folder.iterdir() if file.name.startswith(".")] == []


def test_a_file_that_is_not_ours_is_never_overwritten(recording: Recording, tmp_path: Path) -> None:
    (tmp_path / "flows.parquet").write_text("mine")
    with pytest.raises(OutputError, match=r"flows.parquet: already exists, expected a new folder$"):
        recording.save(tmp_path)
    assert content(tmp_path) == {"flows.parquet": b"mine"}


def test_a_file_in_the_place_of_the_folder(recording: Recording, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(OutputError, match=r"out: is a file, expected a folder$"):
        recording.save(tmp_path / "out")


@pytest.mark.parametrize("after", [0, 3, 8])
def test_a_full_disk_leaves_nothing_behind(
    after: int, recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full after some files; a recording that was there before is there still."""
    old = tmp_path / "old"
    recording.save(old)
    before = content(old)
    written = [0]

    def full(real: object) -> object:
        def write(*arguments: object, **options: object) -> object:
            written[0] += 1
            if written[0] > after:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*arguments, **options)  # type: ignore[operator]

        return write

    monkeypatch.setattr(NewFiles, "place", full(NewFiles.place))
    for folder in (old, tmp_path / "new" / "deep"):
        written[0] = 0
        with pytest.raises(OutputError, match=f"^{folder}: the disk is full$"):
            recording.save(folder)
    assert content(old) == before
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_an_interrupt_leaves_nothing_behind(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(parquet, "write_table", interrupted)
    with pytest.raises(KeyboardInterrupt):
        recording.save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_captures_of_ports_with_awkward_names_keep_apart(tmp_path: Path, everything: Scenario) -> None:
    recording = parshall.run(everything)
    recording._result["pcap"] = {"a/b->c": b"1", "a b->c": b"2", "..": b"3"}  # type: ignore[index]
    folder = recording.save(tmp_path / "out")
    assert sorted(file.name for file in (folder / "pcap").iterdir()) == [
        "a_b-to-c-2.pcap",
        "a_b-to-c.pcap",
        "port.pcap",
    ]
    assert Recording.load(folder).pcap == recording.pcap


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "recording.json").unlink(),
        lambda folder: (folder / "recording.json").write_text("{"),
        lambda folder: (folder / "recording.json").write_text("[]"),
        lambda folder: (folder / "rtt.parquet").write_bytes(b"PAR1 and no more"),
        lambda folder: (folder / "rtt.parquet").unlink(),
        lambda folder: (folder / "scenario.json").write_text('{"duration": -1}'),
    ],
)
def test_a_damaged_recording_is_one_line(harm: object, recording: Recording, tmp_path: Path) -> None:
    folder = recording.save(tmp_path / "run")
    harm(folder)  # type: ignore[operator]
    with pytest.raises(ParshallError) as caught:
        Recording.load(folder)
    assert len(str(caught.value).splitlines()) == 1


def test_a_manifest_cannot_point_outside_of_its_folder(recording: Recording, tmp_path: Path) -> None:
    folder = recording.save(tmp_path / "run")
    (tmp_path / "precious").write_text("mine")
    manifest = json.loads((folder / "recording.json").read_text())
    manifest["sha256"] |= {"../precious": "", str(tmp_path / "precious"): ""}
    (folder / "recording.json").write_text(json.dumps(manifest))
    recording.save(folder)
    assert (tmp_path / "precious").read_text() == "mine"


def test_reasons_are_short() -> None:
    assert reason(OSError(errno.EDQUOT, "quota")) == "the disk is full"
    assert reason(OSError("a\nb")) == "a"
