"""The study of queue management: its networks, its measures against plain definitions, printed numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from parshall import run
from parshall.scenario import Cbr, DropTail, OnOff, Red, Scenario, Transfer
from parshall_studies import study as st
from parshall_studies.aqm import STUDY, document, grid, measures, networks, shown
from parshall_studies.aqm.grid import BUFFERS, CAPACITIES, DIMS, LOADS, Cell, Part
from parshall_studies.study import data as measured_data
from parshall_studies.study.bench import Workbench

SHARED = Path(__file__).parents[2] / "shared"
METRICS = (
    *("ltrf", "ltnrf", "stf", "utilization", "normalized", "delay", "relative_delay", "delay_sd"),
    *("drop", "ltrf_drop", "ltnrf_drop", "stf_drop", "mark", "response_mean", "response_p95"),
    "estimated_share",
)
"""Measures of each run."""


# --- What is run --------------------------------------------------------------------------------------------


def _cell(queue: str = "red", capacity: int = 5, buffer: str = "1", load: int = 30) -> Cell:
    return Cell("grid", queue, capacity, buffer, load)


@dataclass
class _Ledger(Workbench):
    """A workbench that runs nothing and writes down what it was asked for."""

    asked: list[tuple[dict[Any, Callable[[], Scenario]], dict[str, Any]]] = field(default_factory=list)

    def measure(self, what: str, variants: Any, function: Any, **options: Any) -> dict[str, pa.Table]:
        self.asked.append((variants, options))
        return {options["table"]: pa.table({})}


def test_the_grid_is_the_chapters() -> None:
    cells = list(grid.DOCUMENT.cells())
    assert len(cells) == len(set(cells)) == 3 * 3 * 3 * 3
    assert len(list(grid.ON_OFF.cells())) == 27
    assert grid.DOCUMENT.duration == 300
    assert STUDY.seeds >= 10
    names = [cell.name for part in grid.PARTS for cell in part.cells()]
    assert len(names) == len(set(names))


def test_every_cell_of_a_part_is_run_as_its_own_network(few_flows: None) -> None:
    parts = [replace(part, duration=30.0, warm_up=10.0) for part in (grid.DOCUMENT, grid.TUNED)]
    ledger = _Ledger(range(1, 3))
    assert list(measures.measure_parts(ledger, parts)) == ["grid", "tuned"]
    for part, (variants, options) in zip(parts, ledger.asked, strict=True):
        cells = {cell.key: cell for cell in part.cells()}
        assert variants.keys() == cells.keys()
        made = {key: make() for key, make in variants.items()}
        assert len({scenario.hash for scenario in made.values()}) == len(made)
        for key, scenario in made.items():
            assert scenario.links[0].queue == networks.queue_of(cells[key])
            assert scenario.links[0].rate == 1e6 * cells[key].capacity
            assert any(flow.name.startswith("s") for flow in scenario.flows) is (cells[key].load > 0)
            assert scenario.duration == 30
        assert options["dims"] == DIMS
        # A run is recorded with no other tables than these.
        assert ("responsiveness" in options["tables"]) is (part.name == "tuned")
        assert {"flows", "ports", "port_series"} <= set(options["tables"])


def test_queues_follow_table_6_and_the_recommended_ratios() -> None:
    for capacity in CAPACITIES:
        for buffer in BUFFERS:
            packets = int(document.TABLE_6[buffer, capacity])
            droptail, red, ecn = (
                networks.queue_of(_cell(queue, capacity, buffer, 0))
                for queue in ("droptail", "red", "red-ecn")
            )
            assert droptail == DropTail(limit_packets=packets)
            assert isinstance(red, Red)
            assert red.limit_packets == packets
            assert red.max_threshold_packets == 3 * red.min_threshold_packets
            assert (red.max_probability, red.ecn) == (0.1, False)
            assert ecn == red.replace("ecn", True)


def test_cells_that_share_their_flows_have_their_own_queue() -> None:
    """A network that is built once for several queues is the dumbbell that it stands for."""
    for queue in grid.QUEUES:
        for senders in grid.MODERN.senders:
            cell = Cell("modern", queue, 5, "3", 5, senders)
            shared, own = networks.network(cell, grid.MODERN), networks.dumbbell(cell, grid.MODERN)
            assert shared.hash == own.hash
            assert shared.links[0].queue == networks.queue_of(cell)


def test_round_trips_are_120_ms_and_flows_those_of_table_7() -> None:
    for load, (long, short, cbr) in document.TABLE_7.items():
        network = networks.network(_cell("red-ecn", 35, "1", load), grid.DOCUMENT).scenario()
        delays = {frozenset(link.between): link.delay for link in network.links}
        trips = {
            round(
                2
                * sum(
                    delays[frozenset(hop)] for hop in pairwise((flow.source, "r0", "r1", flow.destination))
                ),
                9,
            )
            for flow in network.flows
        }
        assert trips == {0.12}
        assert pytest.approx(0.12) == networks.RTT
        found = Counter(flow.name[0] for flow in network.flows)
        users = found["s"] + round(networks.CYCLE / grid.DOCUMENT.probe_spacing) if short else 0
        assert (found["t"], users, found["c"]) == (long, short, cbr)
        assert all(flow.transport.ecn for flow in network.flows if flow.transport.kind == "tcp")
        assert all(flow.transport.payload_bytes == 1000 for flow in network.flows)


def test_timed_transfers_are_as_many_as_the_short_flows_that_they_replace() -> None:
    part = grid.DOCUMENT
    starts = networks.probe_starts(part)
    assert part.warm_up < starts[0]
    assert starts[-1] < part.duration - 10
    replaced = round(networks.CYCLE / part.probe_spacing)
    assert replaced / networks.CYCLE == pytest.approx(1 / part.probe_spacing, rel=0.1)
    period = 8 * networks.PACKET_BYTES / networks.CBR_RATE[35]
    phases = {round((start / period) % 1, 1) for start in starts}
    assert len(phases) > 5  # all phases of a CBR flow are met
    network = networks.network(_cell(), part).scenario()
    assert networks.starts_of_probes(network) == {
        flow.name: flow.start for flow in network.flows if isinstance(flow.app, Transfer)
    }


def test_on_off_flows_are_a_square_wave_of_the_same_flows() -> None:
    network = networks.dumbbell(Cell("on_off", "red", 5, "1", 30), grid.ON_OFF)
    pulses = [group for group in network.flows if isinstance(group.app, Cbr)]
    assert [(group.start, group.stop) for group in pulses] == [(40.0 * i, 40.0 * i + 20.0) for i in range(8)]
    assert {group.count for group in pulses} == {networks.CBR_FLOWS[5][30]}
    assert (grid.ON_OFF.duration - grid.ON_OFF.warm_up) % (2 * networks.ON_OFF_TIME) == 0


def test_cbr_flows_are_in_phase_unless_they_are_spread_over_one_period() -> None:
    for part, spread in ((grid.DOCUMENT, 0.0), (grid.SPREAD, 0.008)):
        network = networks.dumbbell(_cell("droptail", 35, "1", 0), part)
        (group,) = (group for group in network.flows if isinstance(group.app, Cbr))
        assert (group.start, group.start_spread) == (0.0, spread)


def test_short_flows_send_ten_packets_every_eleven_seconds() -> None:
    """Counted at the source, over a link that never limits."""
    network = networks.dumbbell(_cell("droptail", 5, "3", 5), grid.DOCUMENT)
    users = next(group for group in network.flows if isinstance(group.app, OnOff))
    alone = network.model_copy(update={"flows": (users.replace("count", 40),), "rate": 1e9})
    found = run(alone.scenario(), seed=1)
    bursts = found.columns("flows")["packets_delivered"].sum() / networks.TRANSFER_PACKETS
    cycles = 40 * found.counted_seconds / networks.CYCLE
    assert bursts == pytest.approx(1.005 * cycles, rel=0.02)


# --- What is measured ---------------------------------------------------------------------------------------


@pytest.fixture
def few_flows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A twelfth of the short flows: building thousands takes longer than a short run."""
    networks._with_any_queue.cache_clear()
    fewer = {
        capacity: {load: count // 12 for load, count in counts.items()}
        for capacity, counts in networks.SHORT_FLOWS.items()
    }
    monkeypatch.setattr(networks, "SHORT_FLOWS", fewer)
    yield
    networks._with_any_queue.cache_clear()


_SHORT = Part("grid", "Short", ("red-ecn",), duration=30.0, warm_up=6.0, probe_spacing=1.0037)


def test_measures_follow_plain_definitions() -> None:
    """Every metric of one run, counted flow by flow."""
    network = networks.network(_cell("red-ecn", 5, "1", 30), _SHORT).scenario()
    found = run(network, seed=3)
    seconds, rate = 24.0, 5e6
    flows = [found.flow(name) for name in found.flows]
    received: dict[str, float] = dict.fromkeys("tcsp", 0.0)
    dropped: dict[str, float] = dict.fromkeys("tcsp", 0.0)
    for flow in flows:
        received[flow.name[0]] += flow.packets_received
        dropped[flow.name[0]] += flow.packets_dropped
    received["s"] += received.pop("p")
    dropped["s"] += dropped.pop("p")
    share = {letter: count * 8000 / seconds / rate for letter, count in received.items()}
    port = found.port("bottleneck")
    queue = port.series.backlog_bytes[port.series.time >= 6.0] * 8 / rate
    response = [
        flow.completed_at - start if np.isfinite(flow.completed_at) else 30.0 - start
        for flow, start in (
            (found.flow(name), start) for name, start in networks.starts_of_probes(network).items()
        )
    ]
    assert len(response) == 8
    expected = {
        "ltrf": share["t"],
        "ltnrf": share["c"],
        "stf": share["s"],
        "utilization": sum(share.values()),
        "normalized": share["t"] / (share["t"] + share["c"]),
        "delay": port.mean_delay,
        "relative_delay": port.mean_delay / 0.12,
        "delay_sd": float(np.std(queue)),
        "drop": sum(dropped.values()) / (sum(dropped.values()) + sum(received.values())),
        "ltrf_drop": dropped["t"] / (dropped["t"] + received["t"]),
        "ltnrf_drop": dropped["c"] / (dropped["c"] + received["c"]),
        "stf_drop": dropped["s"] / (dropped["s"] + received["s"]),
        "mark": port.packets_marked / (received["t"] + received["s"]),
        "response_mean": float(np.mean(response)),
        "response_p95": float(np.quantile(response, 0.95)),
        "estimated_share": np.nan,  # nobody estimates it
    }
    assert expected.keys() == set(METRICS)
    measured = measures.of_run(found)
    assert measured.keys() == expected.keys()
    for name, value in measured.items():
        assert value == pytest.approx(expected[name], rel=1e-9, nan_ok=True), name
    assert port.packets_marked > 0
    assert dropped["c"] > 0


def test_without_short_flows_there_is_no_response_time() -> None:
    found = run(networks.network(_cell("red", 5, "1", 0), _SHORT).scenario(), seed=1)
    measured = measures.of_run(found)
    for name in ("response_mean", "response_p95", "stf_drop"):
        assert np.isnan(measured[name]), name
    assert measured["stf"] == 0


def test_tuned_red_estimates_the_share_and_turns_into_droptail() -> None:
    part = replace(grid.TUNED, duration=60.0, warm_up=20.0)
    tuned, droptail, red = (
        run(networks.network(Cell("tuned", queue, 35, "1", 0), part), seed=1)
        for queue in ("red-tuned", "droptail", "red")
    )
    share = measures.of_run(tuned)["estimated_share"]
    tuning = tuned.port("bottleneck").red_tuning
    assert share == pytest.approx(tuning.share[tuning.time > 20].mean(), abs=1e-9)  # it is tuned by this
    arrived = (
        tuned.columns("port_series")["packets_arrived_udp"][-1]
        / tuned.columns("port_series")["packets_arrived"][-1]
    )
    assert share == pytest.approx(arrived, abs=0.1)
    assert share > networks.TUNE_ABOVE + 0.1
    shares = [measures.of_run(each)["ltrf"] for each in (tuned, droptail, red)]
    assert abs(shares[0] - shares[1]) < abs(shares[0] - shares[2])


def test_todays_queues_hold_little_and_serve_short_flows() -> None:
    """One cell of each queue and sender, as it is run."""
    found = {}
    for queue in grid.MODERN.queues:
        for senders in grid.MODERN.senders:
            cell = Cell("modern", queue, 5, "3", 30, senders)
            found[queue, senders] = measures.of_run(run(networks.network(cell, grid.MODERN), seed=1))
    for (queue, senders), own in found.items():
        assert 0.9 < own["utilization"] < 1, (queue, senders)
        assert 0 < own["response_mean"] <= own["response_p95"]
        if queue in ("codel", "pie", "fq-codel"):
            assert own["delay"] < found["red", senders]["delay"] < found["droptail", senders]["delay"]
    assert found["fq-codel", "sack"]["ltrf"] > found["droptail", "sack"]["ltrf"]


# --- What is printed ----------------------------------------------------------------------------------------

RESULTS = {"VIII": document.TABLE_8, "IX": document.TABLE_9, "X": document.TABLE_10}
"""Tables of results, each with its numbers by queue, metric, capacity, buffer and load."""


def test_the_tables_are_whole() -> None:
    assert {name: len(table) for name, table in RESULTS.items()} == {"VIII": 27, "IX": 21, "X": 18}
    cells = set(grid.DOCUMENT.cells())
    for name, table in RESULTS.items():
        for (queue, metric, capacity, buffer, load), number in table.items():
            assert Cell("grid", queue, capacity, buffer, load) in cells
            assert metric in METRICS
            assert re.fullmatch(rf"0\.\d{{{5 if name == 'IX' else 3}}}", number)
    for queue in ("red", "red-ecn", "droptail"):  # shares of one link
        for load in LOADS:
            row = [float(document.TABLE_10[queue, metric, 100, "1", load]) for metric in ("ltrf", "ltnrf")]
            assert 0.65 < sum(row) < 0.98


def test_table_9_and_table_10_give_the_same_number_of_cbr_flows() -> None:
    """Throughput over one minus the drop rate is what 25 flows of 1 Mbit/s offer."""
    for queue in ("red", "red-ecn", "droptail"):
        throughput = float(document.TABLE_10[queue, "ltnrf", 100, "1", 30])
        drops = float(document.TABLE_9[queue, "ltnrf_drop", 100, "1", 30])
        assert throughput / (1 - drops) == pytest.approx(networks.CBR_FLOWS[100][30] / 100, abs=0.002)


def test_the_tables_are_those_of_the_document() -> None:
    text = SHARED / "seeds" / "001_8bc6618d87f893aa.txt"
    if not text.is_file():
        pytest.skip("the document's text is not at hand")
    lines = text.read_text(encoding="utf-8").splitlines()

    def rows(name: str, count: int) -> list[list[float]]:
        """The numbers of the last lines of a table; a cell with a slash has two."""
        start = next(i for i, line in enumerate(lines) if line.startswith(f"Table {name}. ")) + 2
        block = lines[start : lines.index("", start)][-count:]
        cells = [re.split(r"[\t/]", line.partition("\t")[2]) for line in block]
        return [[float(cell) for cell in row if re.fullmatch(r"[\d.]+", cell)] for row in cells]

    def numbers(table: dict[Any, str], *keys: Any) -> list[float]:
        return [float(table[key]) for key in keys]

    def rates(queue: str, *metrics: str) -> list[float]:
        places = [(queue, metric, capacity, "1", 30) for capacity in CAPACITIES for metric in metrics]
        return numbers(document.TABLE_9, *places)

    queues = ("red", "red-ecn", "droptail")
    assert rows("V", 1) == [numbers(document.TABLE_5, *CAPACITIES)]
    assert rows("VI", 3) == [
        numbers(document.TABLE_6, *((buffer, capacity) for capacity in CAPACITIES)) for buffer in BUFFERS
    ]
    assert rows("VII", 3) == [[*map(float, document.TABLE_7[load])] for load in LOADS]
    assert rows("VIII", 3) == [
        numbers(
            document.TABLE_8,
            *((queue, "utilization", capacity, buffer, 30) for capacity in CAPACITIES for queue in queues),
        )
        for buffer in BUFFERS
    ]
    assert rows("IX", 6) == [
        rates("red", "ltrf_drop"),
        rates("red", "ltnrf_drop"),
        rates("red-ecn", "ltrf_drop", "mark"),
        rates("red-ecn", "ltnrf_drop"),
        rates("droptail", "ltrf_drop"),
        rates("droptail", "ltnrf_drop"),
    ]
    assert rows("X", 3) == [
        numbers(
            document.TABLE_10,
            *((queue, metric, 100, "1", load) for queue in queues for metric in ("ltrf", "ltnrf")),
        )
        for load in LOADS
    ]


# --- What is shown ------------------------------------------------------------------------------------------


def test_every_metric_has_its_map_of_means() -> None:
    rng, cells = np.random.default_rng(5), list(grid.ON_OFF.cells())
    keys = [cell.key for cell in cells for _ in range(3)]
    columns: dict[str, Any] = dict(zip(DIMS, map(list, zip(*keys, strict=True)), strict=True))
    columns["seed"] = [1, 2, 3] * len(cells)
    columns |= {metric: rng.uniform(0, 1, len(keys)) for metric in METRICS}
    results = st.Results({"on_off": st.tidy(columns, (*DIMS, "seed"))})
    (on_off,) = (each for each in shown._MAPS if each.id == "map-on-off")
    (picker,) = st.GridMaps(shown._VIEWS, [on_off], shown._DIMENSIONS).made(results)
    assert {view.metric for view in shown._VIEWS} == set(METRICS) - {"delay", "mark", "estimated_share"}
    for figure, view in zip(picker.figures, shown._VIEWS, strict=True):
        assert figure.id == f"map-on-off-{view.metric}"
        assert figure.data is not None
        rows = figure.data.to_pylist()
        assert len(rows) == len(cells)
        for row in rows:
            where = {dim: row[dim] for dim in ("queue", "capacity", "buffer", "load")}
            own = results.values("on_off", view.metric, senders="sack", **where).seeds
            assert row["mean"] == pytest.approx(view.scale * own.mean())
        texts = set(re.findall(r">([^<>]+)</text>", figure.svg))
        assert {f"{row['mean']:.{view.decimals}f}" for row in rows} <= texts


# --- ns-2 ---------------------------------------------------------------------------------------------------


def test_ns_2s_cells_are_found() -> None:
    folder = SHARED / "reference" / "baselines"
    (declared,) = measures.DATA
    if not (folder / declared.path).is_file():
        pytest.skip("needs ../shared/reference/baselines")
    found = measured_data.find(measures.DATA, [folder])
    assert not found.lacking  # it is the very file that the study was written for
    tables = measures.measure_parts(_Ledger(range(1, 3), files=found.files), [grid.DOCUMENT])
    assert set(tables) == {"grid", "ns2"}
    rows = tables["ns2"].to_pylist()
    cells = {tuple(row[dim] for dim in DIMS) for row in rows}
    assert len(cells) == len(rows) == 2 * 27 + 9
    assert cells <= {cell.key for cell in grid.DOCUMENT.cells()}
    assert set(rows[0]) == {*DIMS, *measures.OUTCOMES}
    (red,) = (row["ltrf"] for row in rows if (row["queue"], row["capacity"], row["load"]) == ("red", 100, 0))
    assert red == pytest.approx(0.519, abs=0.0005)  # as its summary prints it


def test_without_ns_2s_file_there_are_no_cells_of_it() -> None:
    assert set(measures.measure_parts(_Ledger(range(1, 3)), [grid.DOCUMENT])) == {"grid"}
