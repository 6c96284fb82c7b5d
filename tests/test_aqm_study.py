"""The study of queue management: its networks, its measures against plain definitions, verdicts and words."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet
from rich.console import Console

from parshall import plot, run
from parshall.scenario import Cbr, DropTail, OnOff, Red, Scenario, Transfer
from parshall_studies import study as st
from parshall_studies.aqm import STUDY, document, grid, measures, networks, shown, study_of
from parshall_studies.aqm.claims import PRINTED_TABLES, TOPICS
from parshall_studies.aqm.grid import BUFFERS, CAPACITIES, DIMS, LOADS, QUEUES, Cell, Part
from parshall_studies.study import Verdict, data as measured_data, find_study, reproduce
from parshall_studies.study.bench import Workbench
from parshall_studies.study.claims import judge
from parshall_studies.study.html import render
from parshall_studies.study.page import Page, build
from parshall_studies.study.provenance import Provenance

SHARED = Path(__file__).parents[2] / "shared"
SEEDS = 12
METRICS = (
    *("ltrf", "ltnrf", "stf", "utilization", "normalized", "delay", "relative_delay", "delay_sd"),
    *("drop", "ltrf_drop", "ltnrf_drop", "stf_drop", "mark", "response_mean", "response_p95"),
    "estimated_share",
)
"""What is measured of each run."""


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


def test_each_printed_number_is_a_claim_as_it_is_printed() -> None:
    rows = {row.id: row for table in PRINTED_TABLES for row in table.rows}
    expected = {
        f"table-{name.lower()}.{capacity}.{grid.ident(buffer)}.{load}.{queue}.{metric}": number
        for name, table in RESULTS.items()
        for (queue, metric, capacity, buffer, load), number in table.items()
    }
    expected |= {f"table-v.{capacity}": number for capacity, number in document.TABLE_5.items()}
    expected |= {
        f"table-vi.{capacity}.{grid.ident(buffer)}": number
        for (buffer, capacity), number in document.TABLE_6.items()
    }
    assert {id: row.says.printed.text for id, row in rows.items()} == expected


# --- Verdicts -----------------------------------------------------------------------------------------------


class _Made:
    """Measures made up so that the chapter is right, with what a test changes."""

    def __init__(self) -> None:
        self.changes: list[tuple[Callable[[Cell], bool], dict[str, float]]] = []
        self.seeds = SEEDS

    def set(self, where: Callable[[Cell], bool], **values: float) -> None:
        self.changes.append((where, values))

    def values(self, cell: Cell) -> dict[str, float]:
        if cell.part in ("tuned", "tuned_spread"):
            queue = "droptail" if cell.part == "tuned" else "red"
            found = {**self.values(replace(cell, part="grid", queue=queue)), "estimated_share": 0.6}
        elif cell.part == "modern":
            found = self.today(cell)
        else:
            found = self.chapter(cell)
        for where, values in self.changes:
            if where(cell):
                found.update(values)
        return found

    def chapter(self, cell: Cell) -> dict[str, float]:
        buffer, aqm = BUFFERS[cell.buffer], cell.queue != "droptail"
        ecn = cell.queue == "red-ecn"
        bias = (0.02 if cell.load == 30 else 0.1) / (1 + buffer) + 0.01 * (cell.load == 0)
        spread = cell.part == "spread"
        ltrf = 0.3 + 0.0005 * cell.capacity + (0.0 if aqm else bias) * (0.2 if spread else 1) + 0.002 * ecn
        packets = networks.BUFFER_PACKETS[cell.capacity][cell.buffer]
        filled = 0.32 if aqm else 0.98
        on_off = cell.part == "on_off"
        return {
            "ltrf": ltrf,
            "ltnrf": 0.6 - ltrf,
            "stf": cell.load / 100,
            "utilization": 0.97 - (0.01 / buffer / cell.capacity if aqm else 0) + 0.0001 * ecn,
            "normalized": ltrf / 0.6,
            "delay": filled * 8000 * packets / (1e6 * cell.capacity),
            "relative_delay": filled * buffer,
            "delay_sd": 0.01 if cell.capacity == 5 and on_off else 0.003 if aqm else 0.01,
            "drop": 0.03,
            "ltrf_drop": (0.0 if ecn else 0.03) if aqm else 0.02,
            "ltnrf_drop": (0.041 if ecn else 0.031) if aqm else 0.1,
            "stf_drop": 0.03,
            "mark": 0.04 if ecn else 0.0,
            "response_mean": 1.0 if cell.load else np.nan,
            "response_p95": 2.0 if cell.load else np.nan,
            "estimated_share": np.nan,
        }

    def today(self, cell: Cell) -> dict[str, float]:
        """Each queue of MODERN better than those before it, and CUBIC better than what was before."""
        place = grid.MODERN.queues.index(cell.queue) + 0.5 * (cell.senders == "cubic")
        return {
            **dict.fromkeys(METRICS, 0.1),
            "ltrf": 0.3 + 0.02 * place,
            "utilization": 0.97,
            "delay": 0.1 / (1 + place),
            "response_mean": 2.0 - 0.1 * place if cell.load else np.nan,
        }

    def measures(self) -> dict[str, pa.Table]:
        """A tidy table for each part, as runs give it: a row a cell and seed, with a little noise."""
        rng = np.random.default_rng(5)
        tables = {}
        for part in grid.PARTS:
            cells = list(part.cells())
            means = np.array([[self.values(cell)[metric] for metric in METRICS] for cell in cells])
            noise = 1 + 1e-5 * rng.standard_normal((len(cells), self.seeds, len(METRICS)))
            found = (means[:, None, :] * noise).reshape(-1, len(METRICS))
            keys = [cell.key for cell in cells for _ in range(self.seeds)]
            columns: dict[str, Any] = dict(zip(DIMS, map(list, zip(*keys, strict=True)), strict=True))
            columns["seed"] = [*range(1, self.seeds + 1)] * len(cells)
            columns |= dict(zip(METRICS, found.T, strict=True))
            tables[part.name] = st.tidy(columns, (*DIMS, "seed"))
        return tables

    def results(self) -> st.Results:
        return st.Results(self.measures())

    def judged(self) -> st.Judgements:
        return judge(TOPICS, self.results())


@pytest.fixture(scope="module")
def unchanged() -> st.Judgements:
    """Every claim, judged in the world as the chapter has it."""
    return _Made().judged()


def test_claims_keep_their_ids() -> None:
    """Other people's scripts look for them."""
    ids = [claim.id for topic in TOPICS for claim in topic.claims]
    assert len(ids) == len(set(ids)) == 216
    assert Counter(id.partition(".")[0] for id in ids) == dict(
        [
            *(("table-v", 3), ("table-vi", 9), ("table-viii", 34), ("table-ix", 28), ("table-x", 24)),
            *(("figure-26", 6), ("figure-27", 13), ("figure-28", 6), ("figure-29", 10), ("figure-30", 4)),
            *(("figure-31", 6), ("discussion", 17), ("setup", 9), ("phases", 4), ("thresholds", 4)),
            *(("tuned", 9), ("modern", 30)),
        ]
    )
    assert {
        "table-vi.35.third",
        "table-viii.5.third.30.red-ecn.utilization",
        "table-ix.100.1.30.red-ecn.mark",
        "table-x.100.1.0.droptail.ltrf",
        "table-ix.droptail-ltnrf.stf_drop",
        "figure-27.gap-shrinks.red-ecn.3",
        "figure-29.droptail.third",
        "discussion.long-term-only.100",
        "setup.ltnrf-load.5.30",
        "tuned.works.35",
        "modern.response.fq-codel.droptail",
    } <= set(ids)


def test_a_world_as_the_chapter_has_it_bears_out_its_statements(unchanged: st.Judgements) -> None:
    made = unchanged.where(of_document=True, printed=False)
    assert len(made) == 82
    failed = {each.claim.id for each in made if each.verdict is not Verdict.HOLDS}
    # What no world can have at once: a difference that is large without short flows, and none to speak of.
    assert failed == {f"discussion.large-buffers.throughput.{queue}" for queue in ("red", "red-ecn")} | {
        f"discussion.comparable.{queue}" for queue in ("red", "red-ecn")
    }


@pytest.mark.parametrize(
    ("id", "where", "values"),
    [
        ("figure-26.increases.red", ("red", 35, "3", 30), {"delay": 0.03}),
        ("figure-26.linear.droptail", ("droptail", 35, "1", 30), {"delay": 0.2}),
        ("figure-27.droptail-higher.red", ("red", 100, "1", 30), {"ltrf": 0.6}),
        ("figure-27.gap-shrinks.red.3", ("droptail", 5, "3", 30), {"ltrf": 0.6}),
        ("figure-27.delay-threefold.3", ("red", 35, "3", 30), {"delay": 0.2}),
        ("figure-27.ecn-gains", ("red-ecn", 5, "1/3", 30), {"ltrf": 0.1}),
        ("figure-27.ecn-gain-marginal", ("red-ecn", 5, "1/3", 30), {"ltrf": 0.5}),
        ("table-viii.droptail-higher.red", ("red", 35, "1/3", 30), {"utilization": 0.99}),
        ("table-viii.gap-larger-at-5.red", ("red", 100, "1/3", 30), {"utilization": 0.8}),
        ("table-viii.gap-shrinks.red-ecn", ("red-ecn", 100, "3", 30), {"utilization": 0.8}),
        ("figure-29.droptail.third", ("droptail", 35, "1/3", 30), {"relative_delay": 0.5}),
        ("figure-29.droptail-full", ("droptail", 35, "1", 30), {"delay": 0.09}),
        ("figure-29.ecn-similar", ("red-ecn", 5, "3", 30), {"delay": 0.2}),
        ("figure-29.flat.red", ("red", 100, "1", 30), {"relative_delay": 0.7}),
        ("table-ix.droptail-ltnrf.ltrf_drop", ("droptail", 5, "1", 30), {"ltnrf_drop": 0.03}),
        ("table-ix.no-difference.red", ("red", 5, "1", 30), {"ltnrf_drop": 0.05}),
        ("table-ix.marks-above-drops", ("red-ecn", 35, "1", 30), {"mark": 0.01}),
        ("table-ix.ecn-drops-less", ("red-ecn", 35, "1", 30), {"ltrf_drop": 0.02}),
        ("figure-30.gap-shrinks.red.30", ("droptail", 5, "1", 30), {"normalized": 0.9}),
        ("table-x.droptail-higher.0", ("droptail", 100, "1", 0), {"ltrf": 0.35}),
        ("table-x.short-flows.30", ("red", 100, "1", 30), {"stf": 0.2}),
        ("table-x.close-at-30", ("droptail", 100, "1", 30), {"ltrf": 0.5}),
        ("figure-31.droptail-one", ("droptail", 100, "1", 5), {"relative_delay": 0.8}),
        ("figure-31.load-no-impact.red", ("red", 100, "1", 30), {"relative_delay": 0.6}),
        ("discussion.short-flows-uncontrollable", ("red", 100, "3", 5), {"stf": 0.02}),
        ("discussion.moderate-congestion", ("red", 5, "1", 0), {"drop": 0.2}),
        ("discussion.long-term-only.5", ("droptail", 5, "1", 30), {"ltrf": 0.6}),
        ("discussion.small-buffers.delay.red", ("droptail", 5, "1/3", 0), {"delay": 0.001}),
    ],
)
def test_one_cell_turns_a_statement(
    unchanged: st.Judgements, id: str, where: tuple[str, int, str, int], values: dict[str, float]
) -> None:
    assert unchanged[id].verdict is Verdict.HOLDS
    assert unchanged[id].topic.of_document
    made = _Made()
    made.set(
        lambda cell: cell.part == "grid" and (cell.queue, cell.capacity, cell.buffer, cell.load) == where,
        **values,
    )
    turned = made.judged()[id]
    assert turned.verdict is Verdict.FAILS
    assert turned.outcome.tally.false >= 1


def test_a_statement_says_of_how_many_cells_it_is_true() -> None:
    made = _Made()
    made.set(lambda cell: cell == _cell("red", 100, "1"), ltrf=0.6)
    tally = made.judged()["figure-27.droptail-higher.red"].outcome.tally
    assert (tally.true, tally.false, tally.undecided) == (8, 1, 0)


def test_settings_are_held_against_their_definitions() -> None:
    made = _Made()
    made.set(lambda cell: cell.capacity == 35 and cell.queue == "red", ltnrf=0.54, ltnrf_drop=0.1)
    found = made.judged()
    verdicts = {capacity: found[f"table-v.{capacity}"].verdict for capacity in CAPACITIES}
    assert verdicts == {5: Verdict.HOLDS, 35: Verdict.FAILS, 100: Verdict.HOLDS}  # 525 packets, not 500
    assert found["table-v.35"].ours.mean == 525
    assert found["table-vi.35.third"].verdict is Verdict.FAILS
    assert found["table-vi.100.3"].verdict is Verdict.HOLDS
    assert found["setup.ltnrf-load.35.0"].verdict is Verdict.HOLDS  # 0.54 get through of 0.6
    assert found["setup.ltnrf-load.35.30"].verdict is Verdict.FAILS


def test_jitter_is_judged_on_the_on_off_flows() -> None:
    made = _Made()
    made.set(
        lambda cell: cell.part == "on_off" and cell.queue == "red" and cell.capacity == 100, delay_sd=0.02
    )
    found = made.judged()
    assert found["figure-28.smaller.red"].verdict is Verdict.FAILS
    assert found["figure-28.smaller.red-ecn"].verdict is Verdict.HOLDS
    assert found["discussion.large-buffers.jitter.red"].verdict is Verdict.HOLDS  # under a steady load


def test_a_printed_number_stands_for_all_that_round_to_it() -> None:
    for value, verdict in ((0.9725, Verdict.HOLDS), (0.9738, Verdict.FAILS)):  # 0.972 is printed
        made = _Made()
        made.set(lambda cell: cell.queue == "droptail" and cell.capacity == 100, utilization=value)
        found = made.judged()["table-viii.100.1.30.droptail.utilization"]
        assert found.verdict is verdict
        assert found.outcome.run is not None
        assert found.outcome.run.contains(0.972) is (verdict is Verdict.HOLDS)


def test_few_seeds_decide_nothing() -> None:
    """Nothing but settings, in which there is no chance; and what is undecided is not counted as false."""
    made = _Made()
    made.seeds = 3
    judged = made.judged()
    assert len(judged) == 216
    for each in judged:
        if isinstance(each.claim.rule, st.Exactly):
            assert each.verdict is not Verdict.OPEN
            continue
        assert each.verdict is Verdict.OPEN
        assert each.ours.n == 3
        tally = each.outcome.tally
        assert (tally.true, tally.false) == (0, 0)
        assert tally.undecided == tally.all > 0
        assert each.record()["false"] == 0


def test_what_cannot_be_told_of_one_cell_is_counted_neither_as_true_nor_as_false() -> None:
    """DropTail gives as much as RED in one of nine cells: the noise decides."""
    red = _Made().values(_cell("red", 35, "1"))["ltrf"]
    made = _Made()
    made.set(lambda cell: cell == _cell("droptail", 35, "1"), ltrf=red)
    found = made.judged()["figure-27.droptail-higher.red"]
    tally = found.outcome.tally
    assert (found.verdict, tally.true, tally.false, tally.undecided) == (Verdict.OPEN, 8, 0, 1)
    made.set(lambda cell: cell == _cell("droptail", 5, "1"), ltrf=0.1)
    found = made.judged()["figure-27.droptail-higher.red"]
    tally = found.outcome.tally
    assert (found.verdict, tally.true, tally.false, tally.undecided) == (Verdict.FAILS, 7, 1, 1)


def test_phases_decide_about_droptail(unchanged: st.Judgements) -> None:
    assert unchanged["phases.long-term.100"].verdict is Verdict.HOLDS
    assert unchanged["phases.red-is-close"].verdict is Verdict.HOLDS
    assert not unchanged["phases.long-term.100"].topic.of_document
    made = _Made()
    made.set(lambda cell: cell.part == "spread", ltrf=0.6)
    found = made.judged()
    assert found["phases.long-term.100"].verdict is Verdict.FAILS
    assert found["phases.red-is-close"].verdict is Verdict.FAILS


@pytest.mark.parametrize(("spread", "verdict"), [(0.375, Verdict.HOLDS), (0.385, Verdict.FAILS)])
def test_a_phase_effect_is_more_than_half_of_the_advantage(spread: float, verdict: Verdict) -> None:
    """In phase DropTail leaves 0.41 to long TCP flows, and RED leaves 0.35."""
    made = _Made()
    made.set(lambda cell: (cell.part, *cell.key[2:]) == ("spread", 100, "1", 0), ltrf=spread)
    assert made.judged()["phases.long-term.100"].verdict is verdict


@pytest.mark.parametrize(
    ("id", "queue", "senders", "values"),
    [
        ("modern.delay.pie", "pie", "sack", {"delay": 0.2}),
        ("modern.delay.codel", "red", "sack", {"delay": 0.001}),
        ("modern.utilization.codel", "codel", "sack", {"utilization": 0.9}),
        ("modern.buffer-does-not-matter.fq-codel", "fq-codel", "sack", {"delay": 0.01}),
        ("modern.response.fq-codel.droptail", "fq-codel", "sack", {"response_mean": 3.0}),
        ("modern.protects.droptail", "fq-codel", "sack", {"ltrf": 0.1}),
        ("modern.cubic-takes-more.red", "red", "cubic", {"ltrf": 0.1}),
        ("modern.cubic-responds-sooner.pie", "pie", "cubic", {"response_mean": 3.0}),
        ("modern.cubic-delay.codel", "codel", "cubic", {"delay": 0.2}),
    ],
)
def test_one_cell_turns_a_question_of_today(
    unchanged: st.Judgements, id: str, queue: str, senders: str, values: dict[str, float]
) -> None:
    assert unchanged[id].verdict is Verdict.HOLDS
    assert not unchanged[id].topic.of_document
    made = _Made()
    where = ("modern", queue, senders, 35, "3", 30)
    made.set(lambda cell: (cell.part, *cell.key) == where, **values)
    assert made.judged()[id].verdict is Verdict.FAILS


def test_other_thresholds_are_asked_for_apart() -> None:
    made = _Made()
    made.set(lambda cell: cell.queue == "red-low", delay=0.001, utilization=0.9, ltrf=0.1)
    found = made.judged()
    for question in ("delay-threefold", "delay-lower", "utilization-lower", "ltrf-lower"):
        assert found[f"thresholds.{question}"].verdict is Verdict.HOLDS
    made.set(
        lambda cell: cell.queue == "red-low" and cell.capacity == 5, delay=1.0, ltrf=0.6, utilization=0.99
    )
    found = made.judged()
    for question in ("delay-threefold", "delay-lower", "utilization-lower", "ltrf-lower"):
        assert found[f"thresholds.{question}"].verdict is Verdict.FAILS


@pytest.mark.parametrize(
    ("id", "part", "capacity", "load", "values"),
    [
        ("tuned.works.35", "tuned", 35, 0, {"ltrf": 0.33}),
        ("tuned.fails.100", "tuned", 100, 30, {"ltrf": 0.6}),
        ("tuned.like-droptail", "tuned", 5, 5, {"ltrf": 0.7}),
        ("tuned.delay", "tuned", 5, 5, {"delay": 0.01}),
        ("tuned.nothing-to-gain", "tuned_spread", 5, 5, {"ltrf": 0.7}),
    ],
)
def test_one_cell_turns_a_question_about_tuned_red(
    unchanged: st.Judgements, id: str, part: str, capacity: int, load: int, values: dict[str, float]
) -> None:
    assert unchanged[id].verdict is Verdict.HOLDS
    made = _Made()
    where = (part, capacity, "1", load)
    made.set(lambda cell: (cell.part, cell.capacity, cell.buffer, cell.load) == where, **values)
    assert made.judged()[id].verdict is Verdict.FAILS


# --- The page -----------------------------------------------------------------------------------------------


def _made_ns2(made: _Made) -> pa.Table:
    """ns-2's cells, of which it has no other metrics than these."""
    rows = [
        {
            **dict(zip(DIMS, cell.key, strict=True)),
            **{name: made.values(cell)[name] for name in measures.OUTCOMES},
        }
        for cell in grid.DOCUMENT.cells()
    ]
    return st.tidy({name: [row[name] for row in rows] for name in rows[0]}, DIMS)


def _world(made: _Made | None = None, ns2: _Made | None = None) -> tuple[st.Results, st.Judgements]:
    """Everything that a report is made of, in a made-up world; ns-2's may be another one."""
    results = st.Results({**(made or _Made()).measures(), "ns2": _made_ns2(ns2 or _Made())})
    return results, judge(TOPICS, results)


@pytest.fixture(scope="module")
def world() -> tuple[st.Results, st.Judgements]:
    """The world as the chapter has it."""
    return _world()


def _keep_few_maps(patch: pytest.MonkeyPatch) -> None:
    kept = tuple(view for view in shown._VIEWS if view.metric in ("ltrf", "response_mean"))
    assert len(kept) == 2
    patch.setattr(shown, "_VIEWS", kept)


@pytest.fixture
def few_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two metrics of the maps, one of them without a map where there are no short flows."""
    _keep_few_maps(monkeypatch)


class _Blank:
    """A canvas, or axes, on which anything may be done and nothing is drawn."""

    def __getattr__(self, name: str) -> _Blank:
        return self

    def __call__(self, *_: Any, **__: Any) -> _Blank:
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())


def _draw_nothing(patch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def drawing(height: float, *, rows: int = 1, columns: int = 1, **_: Any) -> Iterator[Any]:
        yield _Blank(), [_Blank()] * (rows * columns)

    patch.setattr(plot, "drawing", drawing)
    patch.setattr(plot, "to_svg", lambda *_: "<svg></svg>")


@pytest.fixture
def no_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures have their data, but nothing is drawn, which takes most of the time."""
    _draw_nothing(monkeypatch)


def test_every_metric_has_its_map() -> None:
    made = _Made()
    (on_off,) = (each for each in shown._OF_CHAPTER if each.id == "map-on-off")
    (picker,) = st.grids(made.results(), shown._VIEWS, [on_off], shown._DIMENSIONS)
    assert picker.id == "map-on-off"
    assert [figure.id for figure in picker.figures] == [f"map-on-off-{view.metric}" for view in shown._VIEWS]
    assert {view.metric for view in shown._VIEWS} == set(METRICS) - {"delay", "mark", "estimated_share"}
    for figure, view in zip(picker.figures, shown._VIEWS, strict=True):
        assert figure.data is not None
        rows = figure.data.to_pylist()
        assert len(rows) == 27
        for row in rows:
            cell = Cell("on_off", row["queue"], row["capacity"], row["buffer"], row["load"])
            expected = view.scale * made.values(cell)[view.metric]
            assert row["mean"] == pytest.approx(expected, rel=1e-4, abs=1e-12)
        texts = set(re.findall(r">([^<>]+)</text>", figure.svg))
        assert {f"{row['mean']:.{view.decimals}f}" for row in rows} <= texts


def test_maps_of_short_flows_leave_out_where_there_are_none(
    world: tuple[st.Results, st.Judgements], few_maps: None, no_drawings: None
) -> None:
    pickers = {each.id: each for each in shown.shown(*world) if isinstance(each, st.Picker)}
    assert set(pickers) == {
        *("map", "map-on-off", "map-tuned", "map-tuned-spread", "map-modern", "map-cubic"),
    }
    for id, queues in (("map", 3), ("map-tuned", 1), ("map-modern", 5), ("map-cubic", 5)):
        long, short = (figure.data for figure in pickers[id].figures)
        assert long is not None
        assert short is not None
        assert (long.num_rows, short.num_rows) == (27 * queues, 18 * queues)
        assert set(short["load"].to_pylist()) == {5, 30}


def test_figures_show_the_measures(
    world: tuple[st.Results, st.Judgements], few_maps: None, no_drawings: None
) -> None:
    made = _Made()

    def mean(metric: str, part: str, *key: Any) -> float:
        queue, capacity, buffer, load, *senders = key
        return made.values(Cell(part, queue, capacity, buffer, load, *senders))[metric]

    chapter = ("droptail", "red", "red-ecn")
    tuned = (
        {"droptail": "grid", "red-tuned": "tuned", "red": "grid"},
        {"droptail": "spread", "red-tuned": "tuned_spread", "red": "grid"},
    )
    # The queue and the points of each line, in the order of the panels.
    expected: dict[str, list[tuple[str, list[tuple[float, float]]]]] = {
        "fig-26": [
            (q, [(BUFFERS[b], 1e3 * mean("delay", "grid", q, 35, b, 30)) for b in BUFFERS]) for q in chapter
        ],
        **{
            id: [
                (
                    q,
                    [
                        (1e3 * mean("delay", part, q, c, b, 30), scale * mean(metric, part, q, c, b, 30))
                        for b in BUFFERS
                    ],
                )
                for c in CAPACITIES
                for q in chapter
            ]
            for id, part, metric, scale in (
                ("fig-27", "grid", "ltrf", 100),
                ("fig-28", "on_off", "delay_sd", 1e3),
            )
        },
        "fig-29": [
            (q, [(c, mean("relative_delay", "grid", q, c, b, 30)) for c in CAPACITIES])
            for b in BUFFERS
            for q in chapter
        ],
        **{
            id: [
                (q, [(load, mean(metric, "grid", q, c, "1", load)) for load in LOADS])
                for c in CAPACITIES
                for q in chapter
            ]
            for id, metric in (("fig-30", "normalized"), ("fig-31", "relative_delay"))
        },
        "phases": [
            (q, [(c, 100 * mean("ltrf", part, q, c, "1", load)) for c in CAPACITIES])
            for load in LOADS
            for q, part in (("droptail", "grid"), ("droptail", "spread"), ("red", "grid"))
        ],
        "tuned": [
            (q, [(load, 100 * mean("ltrf", part, q, c, "1", load)) for load in LOADS])
            for c in CAPACITIES
            for parts in tuned
            for q, part in parts.items()
        ],
        **{
            id: [
                (
                    q,
                    [
                        (100 * mean("ltrf", *cell), mean(metric, *cell))
                        for cell in (("modern", q, c, "1", 30, senders) for senders in grid.MODERN.senders)
                    ],
                )
                for c in CAPACITIES
                for q in grid.MODERN.queues
            ]
            for id, metric in (("response", "response_mean"), ("tradeoff", "relative_delay"))
        },
    }
    figures = {each.id: each for each in shown.shown(*world) if isinstance(each, st.Figure)}
    assert figures.keys() == expected.keys() | {"ns2-cells"}
    for id, lines in expected.items():
        found: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for row in figures[id].data.to_pylist():
            found.setdefault((row.get("panel", ""), row["line"]), []).append((row["x"], row["y"]))
            assert row["low"] < row["y"] < row["high"]
        for ((_, line), points), (queue, wanted) in zip(found.items(), lines, strict=True):
            assert line.startswith(QUEUES[queue]), id
            assert np.array(points) == pytest.approx(np.array(wanted), rel=1e-4), (id, line)


def test_table_7_says_what_is_run_beside_what_the_table_scales_to(
    world: tuple[st.Results, st.Judgements],
) -> None:
    table = next(each for each in shown.shown(*world) if each.id == "table-7")
    assert isinstance(table, st.Table)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["35 Mbit/s, 30 % STF"][:4] == ("55 / 1300 / 14", "55 / 1300 / 14", "30 %", "40 %")
    assert rows["100 Mbit/s, 0 % STF"][:4] == ("157 / 0 / 63", "157 / 0 / 47", "60 %", "47 %")
    assert rows["5 Mbit/s, 5 % STF"][:4] == ("8 / 36 / 3", "8 / 36 / 6", "55 %", "60 %")
    assert rows["5 Mbit/s, 5 % STF"][4].claim.id == "setup.ltnrf-load.5.5"


def test_the_page_holds_together(world: tuple[st.Results, st.Judgements], few_maps: None) -> None:
    results, judged = world
    page = build(STUDY.loaded, results, judged)
    figures = list(page.figures)
    tables = [item for item in page.items.values() if isinstance(item, st.Table)]
    pickers = [item for item in page.items.values() if isinstance(item, st.Picker)]
    ids = [item.id for item in (*figures, *tables, *pickers)]
    assert len(ids) == len(set(ids))
    assert set(ids) >= {f"fig-{number}" for number in range(26, 32)}
    assert set(ids) >= {f"table-{name}" for name in ("5", "6", "7", "viii", "ix", "x")}
    for figure in figures:
        assert figure.data is not None
        assert figure.data.num_rows
        assert figure.title
        assert figure.caption
    for table in tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.heads)}
    assert page.answer is not None
    for part in (page.answer, *page.findings):
        assert "\N{EN DASH}" not in part.text, part.title  # how a number that does not exist is written
    provenance = Provenance("aqm", (1, SEEDS), 0, "today", "here", {}, "", tuple(results.measures))
    html = render(STUDY, page, judged, provenance)
    assert html.count("<svg") == len(figures)
    assert html.count("<select") == len(pickers) > 0
    shown_claims = {id for ids in re.findall(r'data-claim="([^"]+)"', html) for id in ids.split()}
    assert shown_claims == {each.claim.id for each in judged}
    text = re.sub(r"base64,[^\"]*|<script>.*?</script>|<style>.*?</style>", "", html, flags=re.DOTALL)
    assert not re.search(r"\bnan\b|\binf\b|\{\{|\{%|\[\[", text, re.IGNORECASE)


def _texts(page: Page) -> dict[str, str]:
    """The answer and the findings, by title."""
    assert page.answer is not None
    return {part.title: " ".join(part.text.split()) for part in (page.answer, *page.findings)}


def _about(word: str, texts: dict[str, str]) -> str:
    """The finding with this word in its title; nothing where there is none."""
    found = [text for title, text in texts.items() if word in title]
    assert len(found) <= 1
    return "".join(found)


@pytest.fixture(scope="module")
def usual(world: tuple[st.Results, st.Judgements]) -> Page:
    """The page of the world as the chapter has it."""
    with pytest.MonkeyPatch.context() as patch:
        _keep_few_maps(patch)
        _draw_nothing(patch)
        return build(STUDY.loaded, *world)


def _turned(world: tuple[st.Results, st.Judgements], usual: Page) -> dict[str, str]:
    """The texts of another world, with empty tables in the place of all that is shown."""
    stubs = [st.Table(id, (), (), title="Empty") for id in usual.items]
    return _texts(build(replace(STUDY.loaded, shown=lambda *_: stubs), *world))


@pytest.mark.parametrize(
    ("table", "gone"),
    [
        ("on_off", {"Jitter": "ON/OFF"}),
        ("spread", {"phase": "DropTail"}),
        ("thresholds", {"Delay": "twelfth"}),
        ("tuned", {"Answer": "Turning RED into DropTail"}),
        ("tuned_spread", {"Answer": "Turning RED into DropTail"}),
        ("modern", {"Today": "FQ-CoDel", "CUBIC": "FQ-CoDel"}),
        ("ns2", {"ns-2": "ns-2.35"}),
    ],
)
def test_a_page_leaves_out_what_was_not_run(
    world: tuple[st.Results, st.Judgements],
    usual: Page,
    table: str,
    gone: dict[str, str],
    few_maps: None,
    no_drawings: None,
) -> None:
    results, judged = world
    left = st.Results({name: each for name, each in results.measures.items() if name != table})
    fewer = judge(TOPICS, left)
    assert len(fewer) == sum(table not in each.claim.rule.tables for each in judged)
    before, after = _texts(usual), _texts(build(STUDY.loaded, left, fewer))
    for word, said in gone.items():
        assert said in _about(word, before)
        assert said not in _about(word, after)


@pytest.mark.parametrize(
    ("about", "where", "values", "new", "gone"),
    [
        (
            "Answer",
            lambda cell: (cell.part, cell.capacity, cell.load) == ("tuned", 5, 0),
            {"ltrf": 0.5025},
            [r"\b20\b"],
            [],
        ),
        (
            "Answer",
            lambda cell: (cell.part, cell.capacity, cell.load) == ("tuned", 35, 0),
            {"delay": 8 * 0.32 * 8000 * 500 / 35e6},
            [r"\b8\.0 times RED's delay"],
            [],
        ),
        (
            "conclusion",
            lambda cell: cell == _cell("droptail", 5),
            {"ltrf": 0.7},
            [r"\+40\b", "does not hold at 5 Mbit/s"],
            ["5, 35 and 100 Mbit/s[.]"],
        ),
        ("phase", lambda cell: cell.part == "spread", {"ltrf": 0.6}, [r"60\.0 %"], ["more than half"]),
        ("Delay", lambda cell: cell == _cell("red", 35), {"delay": 0.014}, [r"3\.1 to 8\.0 times RED's"], []),
        (
            "Delay",
            lambda cell: (cell.part, cell.capacity, cell.buffer) == ("thresholds", 35, "1"),
            {"delay": 0.014},
            [r"twelfth .* 3\.1 to 8\.0 times"],
            [],
        ),
        (
            "Jitter",
            lambda cell: cell.part == "on_off" and cell.queue == "red",
            {"delay_sd": 0.02},
            [r"\b2\.0 times with ON/OFF", r"\b0 of 9 cells"],
            [r"\b1\.0\b"],
        ),
        (
            "Jitter",
            lambda cell: cell == _cell("red", 35),
            {"delay_sd": 0.02},
            [r"0\.30 to 2\.0 times DropTail's"],
            [],
        ),
        (
            "Today",
            lambda cell: (cell.part, *cell.key) == ("modern", "pie", "sack", 35, "1", 30),
            {"delay": 0.2},
            ["PIE 200 ms", "not hold"],
            [r"PIE 25 ms", "all hold"],
        ),
        (
            "CUBIC",
            lambda cell: (cell.part, *cell.key) == ("modern", "fq-codel", "cubic", 35, "1", 30),
            {"ltrf": 0.1},
            ["FQ-CoDel \N{MINUS SIGN}28 to"],
            [],
        ),
    ],
    ids=[
        "gain",
        "price",
        "conclusion",
        "phases",
        "delay",
        "thresholds",
        "jitter",
        "steady",
        "today",
        "cubic",
    ],
)
def test_findings_follow_the_measures(
    usual: Page,
    about: str,
    where: Callable[[Cell], bool],
    values: dict[str, float],
    new: list[str],
    gone: list[str],
) -> None:
    made = _Made()
    made.set(where, **values)
    before, after = (_about(about, texts) for texts in (_texts(usual), _turned(_world(made), usual)))
    for words in new:
        assert not re.search(words, before)
        assert re.search(words, after)
    for words in gone:
        assert re.search(words, before)
        assert not re.search(words, after)


def test_the_distance_from_ns_2_follows_its_cells(usual: Page) -> None:
    """Its means are five points of throughput off in one cell of ours, and a fifth of the delay in all."""
    other = _Made()
    other.set(
        lambda cell: cell == _cell("droptail", 5, "1"), ltrf=0.05 + _Made().values(_cell("droptail"))["ltrf"]
    )
    results, judged = _world(ns2=other)
    table = results.measures["ns2"]
    slower = table.set_column(table.column_names.index("delay"), "delay", pc.divide(table["delay"], 1.2))
    text = _about("ns-2", _turned((st.Results({**results.measures, "ns2": slower}), judged), usual))
    assert "In 81 cells" in text
    assert "(5.0) points for long TCP throughput" in text
    assert "20 (20) % for the mean delay" in text


# --- A small study ------------------------------------------------------------------------------------------


def _check_runs(part: Part, table: pa.Table) -> None:
    """A row for each cell, with a link that is used, and with response times where there are short flows."""
    results = st.Results({part.name: table})
    assert Counter(tuple(row[dim] for dim in DIMS) for row in table.to_pylist()) == Counter(
        cell.key for cell in part.cells()
    )
    for cell in part.cells():
        place = dict(zip(DIMS, cell.key, strict=True))
        (utilization,) = results.values(part.name, "utilization", **place).seeds
        assert 0.5 < utilization <= 1.0, cell
        (response,) = results.values(part.name, "response_mean", **place).seeds
        assert np.isfinite(response) == (cell.load > 0), cell


def test_a_small_study_end_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few_flows: None, few_maps: None
) -> None:
    monkeypatch.delenv(measured_data.VARIABLE, raising=False)
    chosen = (part for part in grid.PARTS if part is not grid.MODERN)  # 270 cells more would take long
    parts = [replace(part, duration=18.0, warm_up=1.0, probe_spacing=0.5) for part in chosen]
    console = Console(file=io.StringIO(), width=100)
    out = tmp_path / "aqm"
    done = reproduce(study_of(parts), seeds=1, out=out, cache=False, console=console)
    assert done.runs == sum(len(list(part.cells())) for part in parts)
    assert {file.stem for file in out.glob("*.parquet")} == {part.name for part in parts}
    for part in parts:
        _check_runs(part, parquet.read_table(out / f"{part.name}.parquet"))
    records: list[dict[str, Any]] = json.loads((out / "claims.json").read_text())
    assert len(records) == 216 - 30  # those about today's queues
    chance = [record for record in records if record["rule"] != "setting"]
    assert {record["verdict"] for record in chance} == {"cannot be told"}
    assert {record["false"] for record in chance} == {0}
    assert {record["verdict"] for record in records if record["rule"] == "setting"} == {
        "holds",
        "does not hold",
    }
    html = (out / "report.html").read_text()
    assert "<select" in html
    assert "Too few seeds to tell (1; 10 needed)" in html
    assert "Comparison with ns-2" in html
    _draw_nothing(monkeypatch)
    again = reproduce(study_of(parts), source=out, out=tmp_path / "again", console=console)
    assert again.runs == 0
    assert (again.out / "claims.json").read_bytes() == (out / "claims.json").read_bytes()


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


def test_the_study_is_registered() -> None:
    study = find_study("aqm")
    assert study is STUDY
    assert study.name == "aqm"
    assert study.loaded.topics is TOPICS
    ledger = _Ledger(range(1, 3))
    study.loaded.measure(ledger)
    cells = sum(len(list(part.cells())) for part in grid.PARTS)
    assert sum(len(variants) for variants, _ in ledger.asked) == cells == 468
