"""Pictures of many flows, of sweeps and of runs with several seeds, and what may be asked of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.test_everyday import done, refused

import parshall
from parshall import Bulk, Dumbbell, FlowGroup, Record, Series, Tcp, Transfer
from parshall.plot import DARK, LIGHT, drawing, themed
from parshall.recording.delays import delay_of_packets
from parshall.recording.pictures.lines import QUANTILES, Line, bands_of, cut
from parshall.recording.pictures.panels import panels_of
from parshall.recording.pictures.units import scale_of
from parshall.sweep import Parameter, Sweep


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARSHALL_CACHE", str(tmp_path / "cache"))


def bell(count: int = 3, app: Any = None, **others: Any) -> Dumbbell:
    group = FlowGroup(name="tcp", count=count, transport=Tcp(), app=app or Bulk(), start_spread="500 ms")
    return Dumbbell(
        duration="3 s", rate="5 Mbit/s", delay="5 ms", access_rate="100 Mbit/s", access_delay="1 ms",
        flows=[group], **others,
    )  # fmt: skip


QUEUE = {"kind": "droptail", "limit_packets": 30}
RECORDED = Record(
    flow_series=Series(of=["*"], interval="100 ms"),
    port_series=Series(of=["bottleneck"], interval="50 ms"),
    packets=["bottleneck"],
)


# --- Over time ----------------------------------------------------------------------------------------------


def test_deliveries_are_means_over_round_trips() -> None:
    """A queue has packets in clumps; in all it is as much as in intervals of the series."""
    record = Record(flow_series=Series(of=["*"], interval="20 ms"))
    recording = parshall.run(bell(record=record, queue={"kind": "droptail", "limit_packets": 100}), seed=1)
    line = next(panel for panel in panels_of(recording, ["tcp1"], []) if "delivered" in panel.title).lines[0]
    series = recording.flow("tcp1").series
    packets = series.packets_delivered.astype(float)
    raw = 8e-3 * np.diff(packets) / np.diff(series.time)
    assert len(line.value) == len(raw)
    assert np.std(np.diff(line.value)) < 0.25 * np.std(np.diff(raw))
    assert line.value[50:].mean() == pytest.approx(raw[50:].mean(), rel=0.1)


def test_quantiles_over_flows_are_those_of_numpy() -> None:
    rng = np.random.default_rng(3)
    lines = [
        Line(str(number), np.sort(rng.uniform(0, 10, 50)), rng.normal(size=50), steps=number % 2 == 0)
        for number in range(41)
    ]
    bands = bands_of(lines, 1.0, 9.0)
    for place in (0, 100, 299):
        time = bands.time[place]
        values = []
        for line in lines:
            after = line.time > time if line.steps else line.time >= time
            first = int(np.argmax(after)) if after.any() else len(line.time)
            own = first - 1 if line.steps else first
            if 0 <= own < len(line.time):
                values.append(line.value[own])
        assert np.allclose(bands.quantiles[:, place], np.quantile(values, QUANTILES))


def test_a_line_is_cut_with_a_sample_on_either_side() -> None:
    line = cut(Line("f", np.arange(10.0), np.arange(10.0)), 2.5, 4.5)
    assert line.time.tolist() == [2.0, 3.0, 4.0, 5.0]
    assert cut(Line("f", np.arange(10.0), np.arange(10.0)), 3.0, 4.0).time.tolist() == [3.0, 4.0]


def test_many_flows_are_quantiles_and_named_ones_are_lines() -> None:
    recording = parshall.run(bell(50, record=RECORDED))
    figure = recording.plot()
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["median of 50", "25 to 75 %", "5 to 95 %"]
    few = recording.plot(["tcp1", "tcp2"], [])
    assert [text.get_text() for text in few.axes[0].get_legend().get_texts()] == ["tcp1", "tcp2"]


def test_a_range_of_time_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = parshall.run(bell(record=RECORDED))
    for figure in (recording.plot(start="500 ms", end=1.5), recording.plot(start=0.5, end="1.5 s")):
        assert figure.axes[-1].get_xlim() == (0.5, 1.5)
        (line, *_) = figure.axes[0].lines
        assert 0.3 < line.get_xdata()[0] <= 0.5
        assert 1.5 <= line.get_xdata()[-1] < 1.7
    recording.save(tmp_path / "out")
    done(capsys, "plot", tmp_path / "out", "--from", "0.5", "--to", "1500 ms")
    assert refused(capsys, "plot", tmp_path / "out", "--from", "x").startswith(
        '--from: got "x", expected a dur'
    )
    assert "expected an instant before 3 s" in refused(capsys, "plot", tmp_path / "out", "--from", "4")


def test_delays_of_packets_are_those_of_the_port() -> None:
    recording = parshall.run(bell(record=RECORDED, queue=QUEUE))
    port = recording.port("bottleneck")
    packets = recording.columns("packets")
    own = packets["port"] == port._index
    departed, delay = delay_of_packets({name: packets[name][own] for name in packets})
    assert len(delay) - port.packets_departed in (0, 1)  # one may be in transmission at the end
    assert np.all(np.diff(departed) >= 0)
    transmission = 8 * 1040 / 5e6
    assert delay[:2].tolist() == [0, 0]
    # The port's mean has the transmission, and all packets but those that were dropped.
    assert delay.mean() + transmission == pytest.approx(port.mean_delay, rel=0.05)


def test_packets_that_are_alike_leave_in_the_order_in_which_they_came() -> None:
    """Duplicate ACKs wait together at the far end of a slow way back."""
    way_back = {"rate": "60 kbit/s", "queue": {"kind": "droptail", "limit_packets": 60}}
    scenario = parshall.Scenario(
        duration=10,
        hosts=["a", "b"],
        links=[
            parshall.Link(
                name="path",
                between=("a", "b"),
                rate="3 Mbit/s",
                delay="5 ms",
                queue=parshall.DropTail(limit_packets=10),
                reverse=way_back,
            )
        ],
        flows=[parshall.Flow(name="f", source="a", destination="b", transport="tcp", app="bulk")],
        record=parshall.Record(packets=["b->a"]),
    )
    recording = parshall.run(scenario)
    port = recording.port("b->a")
    _, delay = delay_of_packets(recording.columns("packets"))
    assert recording.flow("f").packets_retransmitted > 5
    assert len(delay) - port.packets_departed in (0, 1)
    assert delay.mean() + 8 * 40 / 60e3 == pytest.approx(port.mean_delay, rel=0.05)


# --- Sweeps and seeds ---------------------------------------------------------------------------------------


def swept(**others: Any) -> Sweep:
    queues = {"short": {"kind": "droptail", "limit_packets": 5}, "codel": "codel"}
    return Sweep(
        bell(),
        {"rate": ["1 Mbit/s", "2 Mbit/s", "5 Mbit/s"], "queue": Parameter(values=queues)},
        seeds=3,
        metrics={"goodput": "goodput", "delay": "port:bottleneck.mean_delay"},
        **others,
    )


def test_a_sweep_is_drawn_over_its_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = swept(title="Queues").run()
    goodput, delay = result.plot().axes
    assert [axis.get_ylabel() for axis in (goodput, delay)] == ["goodput,\nMbit/s", "delay,\nms"]
    assert delay.get_xlabel() == "rate, Mbit/s"
    curve = goodput.containers[0][0]
    point = next(each for each in result.points if each.parameters == {"rate": 2e6, "queue": "short"})
    assert curve.get_xdata().tolist() == [1.0, 2.0, 5.0]
    assert curve.get_ydata()[1] == pytest.approx(result.interval("goodput", point).mean / 1e6)
    folder = result.write(tmp_path / "out")
    assert (
        done(capsys, "plot", folder, "--metric", "delay", "--x", "queue")
        == f"{folder / 'plot.svg'} written\n"
    )
    assert (folder / "plot.svg").read_text().count("prefers-color-scheme") == 1
    assert 'metric: got "x", expected one of goodput, delay' in refused(
        capsys, "plot", folder, "--metric", "x"
    )
    assert 'x: got "y", expected one of rate, queue' in refused(capsys, "plot", folder, "--x", "y")
    assert "none:" in refused(capsys, "plot", folder, "--flow", "f1")
    assert "Mbit/s" in result.plot("goodput").axes[0].get_ylabel()


def test_points_without_a_number_have_rows() -> None:
    sweep = Sweep(bell(), {"queue": Parameter(values={"a": {"kind": "droptail"}, "codel": "codel"})}, seeds=2)
    axes = sweep.run().plot().axes
    assert [text.get_text() for text in axes[0].get_yticklabels()] == ["a", "codel"]
    assert [axis.get_title(loc="left") for axis in axes] == ["goodput, Mbit/s", "loss_rate, %"]


def test_several_seeds_are_drawn_with_the_times_of_completion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bell.toml"
    file.write_text(bell(14, Transfer(packets=20)).to_toml())
    text = done(capsys, "run", file, "--seeds", "3", "--out", tmp_path / "out")
    assert "bottleneck (r0->r1)" in text
    assert "all 14 flows: goodput" in text
    assert "fairness" in text
    done(capsys, "plot", tmp_path / "out", "--out", tmp_path / "p.png")
    done(capsys, "plot", tmp_path / "out")
    assert "none:" in refused(capsys, "plot", tmp_path / "out", "--metric", "goodput")


def test_json_has_goodput_fairness_and_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = bell(3, Transfer(packets=20))
    (tmp_path / "bell.toml").write_text(scenario.to_toml())
    found = json.loads(done(capsys, "run", tmp_path / "bell.toml", "--format", "json"))
    recording = parshall.run(scenario)
    flows = [recording.flow(name) for name in recording.flows]
    assert found["goodput"] == pytest.approx(sum(flow.goodput for flow in flows))
    assert 0 < found["fairness"] <= 1
    assert [row["goodput"] for row in found["flows"]] == [flow.goodput for flow in flows]
    assert [row["started_at"] for row in found["flows"]] == [flow.started_at for flow in flows]
    many = json.loads(done(capsys, "run", tmp_path / "bell.toml", "--format", "json", "--seeds", "1-2"))
    assert many["goodput"][0] == found["goodput"]
    assert len({row["started_at"] for row in many["flows"]}) == 6


def test_a_flow_starts_when_it_first_sends() -> None:
    scenario = bell(3, Transfer(packets=20), record=Record(packets=["s1->r0"]))
    recording = parshall.run(scenario, 5)
    flow = recording.flow("tcp1")
    assert 0 < flow.started_at < 0.5
    assert recording.columns("packets")["time"][0] == pytest.approx(flow.started_at)
    assert flow.completion_time == flow.completed_at - flow.started_at > 0.014


# --- Metrics ------------------------------------------------------------------------------------------------


def test_statistics_of_flows_and_samples() -> None:
    record = Record(
        rtt=["*"], port_series=Series(of=["bottleneck"], interval="50 ms"), packets=["bottleneck"]
    )
    scenario = bell(5, Transfer(packets=150), record=record)
    recording = parshall.run(scenario)
    flows = [recording.flow(name) for name in recording.flows]
    rtts = np.concatenate([flow.rtt.rtt for flow in flows])
    backlog = recording.port("bottleneck").series.backlog_packets
    ends = np.array([flow.completion_time for flow in flows])
    expected = {
        "flow:tcp*.goodput.min": min(flow.goodput for flow in flows),
        "goodput.p90": np.percentile([flow.goodput for flow in flows], 90),
        "flow:tcp*.packets_sent.mean": np.mean([flow.packets_sent for flow in flows]),
        "flow:*.rtt.p99": np.percentile(rtts, 99),
        "flow:*.rtt": rtts.mean(),
        "port:bottleneck.backlog_packets.median": np.median(backlog),
        "port:bottleneck.backlog_packets.max": backlog.max(),
        "completion_time.max": ends.max(),
        "completion_time": ends.mean(),
        "completed_at.p25": np.percentile([flow.completed_at for flow in flows], 25),
    }
    (row,) = Sweep(scenario, {}, seeds=1, metrics=list(expected)).run().table().to_pylist()
    assert np.isfinite(ends).all()
    for name, value in expected.items():
        assert row[name] == pytest.approx(value), name
    (row,) = Sweep(scenario, {}, seeds=1, metrics=["port:bottleneck.delay.max"]).run().table().to_pylist()
    assert 0.02 < row["port:bottleneck.delay.max"] < 1


def test_what_has_not_completed_is_later_than_all_others() -> None:
    scenario = bell(5, Transfer(packets=150)).with_({"duration": 0.9})
    recording = parshall.run(scenario)
    ends = np.array([recording.flow(name).completed_at for name in recording.flows])
    done = np.isfinite(ends).sum()
    assert 0 < done < 5
    metrics = ["completed_at.min", "completed_at.max", "completed_at.p99"]
    (row,) = Sweep(scenario, {}, seeds=1, metrics=metrics).run().table().to_pylist()
    assert row["completed_at.min"] == np.nanmin(ends)
    assert np.isnan(row["completed_at.max"])
    assert np.isnan(row["completed_at.p99"])


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("goodput.p101", "a metric such as"),
        ("flow:tcp1.fairness.max", "fairness alone"),
        ("flow:tcp1.rtt.max", "record.rtt to name tcp1"),
        ("port:bottleneck.backlog_packets", "record.port_series to name bottleneck"),
        ("port:bottleneck.packets_dropped.max", "a statistic of samples"),
        ("completed_at.max", "flows of which one has a transfer"),
        ("flow:tcp1.speed.max", "a quantity of flows"),
        ("port:bottleneck.speed", "a quantity of a port"),
    ],
)
def test_a_statistic_that_is_none_is_said_in_a_line(metric: str, expected: str) -> None:
    with pytest.raises(parshall.InputError, match=re.escape(expected)):
        Sweep(bell(), {}, seeds=1, metrics=[metric]).check()


# --- Comparisons --------------------------------------------------------------------------------------------


def test_three_sides_changes_and_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, rate in (("a", 5e6), ("b", 2e6), ("c", 1e6)):
        (tmp_path / f"{name}.toml").write_text(bell().with_({"rate": rate}).to_toml())
    files = [tmp_path / f"{name}.toml" for name in "abc"]
    text = done(capsys, "compare", *files, "--seeds", "2", "--jobs", "1", "--out", tmp_path / "c.png")
    assert "C - A" in text
    found = json.loads(done(capsys, "compare", *files, "--seeds", "2", "--format", "json"))
    rows = {(row["side"], row["figure"]): row for row in found["differences"]}
    assert rows["B", "goodput, Mbit/s"]["a"] > rows["B", "goodput, Mbit/s"]["b"]
    one = json.loads(
        done(capsys, "compare", files[0], "--set", "rate=1 Mbit/s", "--seeds", "2", "--format", "json")
    )
    other = rows["C", "goodput, Mbit/s"]
    alone = next(row for row in one["differences"] if row["figure"] == "goodput, Mbit/s")
    assert [alone[key] for key in ("a", "b", "low")] == [other[key] for key in ("a", "b", "low")]
    table = done(capsys, "compare", *files, "--seeds", "2", "--format", "csv").splitlines()
    assert table[0].startswith("side,point,figure,unit,a,b,difference")
    assert len(table) == 1 + len(found["differences"])
    assert "one file with --set" in refused(capsys, "compare", files[0])
    assert 'C: got "' in refused(capsys, "compare", files[0], files[1], tmp_path)
    assert "the key" in refused(capsys, "compare", *files, "--set", "rte=1")


# --- How they look ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        ([2e6, 5e5], "bit/s", (1e6, "Mbit/s")),
        ([0.25], "s", (1e-3, "ms")),
        ([1.5, 0.1], "s", (1.0, "s")),
        ([0.02], "share", (0.01, "%")),
        ([3.0], "packets", (1.0, "packets")),
        ([0.0], "bit/s", (1.0, "bit/s")),
        ([float("nan"), float("inf")], "s", (1e-6, "µs")),
    ],
)
def test_units_leave_numbers_that_can_be_read(
    values: list[float], unit: str, expected: tuple[float, str]
) -> None:
    assert scale_of(values, unit) == expected


def test_a_picture_has_a_ground_and_follows_the_reader_into_the_dark() -> None:
    import io

    with drawing(paper=True) as (canvas, (axis,)):
        axis.plot([0, 1], [0, 1], color=LIGHT["series-1"])
        text = io.StringIO()
        canvas.savefig(text, format="svg")
    svg = themed(text.getvalue())
    assert f"fill: {LIGHT['paper']}" in svg
    for role in ("paper", "ink", "series-1"):
        assert f'{LIGHT[role]}"] {{' in svg
        assert f"{DARK[role]} !important" in svg
