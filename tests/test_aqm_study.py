"""The study of queue management: its networks, its measures against plain definitions, verdicts and words."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from rich.console import Console

from parshall import run
from parshall.claims import Claim, Kind, Verdict
from parshall.report import Page, Picker, Table, render
from parshall.scenario import Cbr, DropTail, OnOff, Red, Transfer
from parshall.studies.aqm import STUDY, document, grid, maps, measures, networks, ns2
from parshall.studies.aqm.claims import all_claims
from parshall.studies.aqm.grid import BUFFERS, CAPACITIES, LOADS, Cell, Part
from parshall.studies.aqm.results import Results
from parshall.studies.aqm.study import AqmStudy
from parshall.study import find_study, reproduce

SHARED = Path(__file__).parents[2] / "shared"
SEEDS = 12


# --- What is run --------------------------------------------------------------------------------------------


def _cell(queue: str = "red", capacity: int = 5, buffer: str = "1", load: int = 30) -> Cell:
    return Cell("grid", queue, capacity, buffer, load)


def test_the_grid_is_the_chapters() -> None:
    cells = list(grid.DOCUMENT.cells())
    assert len(cells) == len(set(cells)) == 3 * 3 * 3 * 3
    assert len(list(grid.ON_OFF.cells())) == 27
    assert grid.DOCUMENT.duration == 300
    assert STUDY.seeds >= 10
    names = [cell.name for part in STUDY.parts for cell in part.cells()]
    assert len(names) == len(set(names))


def test_a_sweep_runs_every_cell_of_its_part(few_flows: None) -> None:
    part = replace(grid.DOCUMENT, duration=30.0, warm_up=10.0)
    points = [point for _, sweep in part.sweeps() for point in sweep.points]
    assert Counter(
        (each["queue"], each["capacity"], each["buffer"], each["load"])
        for each in (point.parameters for point in points)
    ) == Counter((cell.queue, cell.capacity, cell.buffer, cell.load) for cell in part.cells())
    assert len({point.scenario.hash for point in points}) == len(points)


def test_queues_follow_table_6_and_the_recommended_ratios() -> None:
    for capacity in CAPACITIES:
        for buffer in BUFFERS:
            packets = document.TABLE_6[buffer][capacity]
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
        for senders in grid.SENDERS:
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
    network = networks.dumbbell(Cell("on-off", "red", 5, "1", 30), grid.ON_OFF)
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
    assert expected.keys() == measures.METRICS.keys()
    for name, metric in measures.METRICS.items():
        assert metric(found) == pytest.approx(expected[name], rel=1e-9, nan_ok=True), name
    assert port.packets_marked > 0
    assert dropped["c"] > 0


def test_without_short_flows_there_is_no_response_time() -> None:
    found = run(networks.network(_cell("red", 5, "1", 0), _SHORT).scenario(), seed=1)
    for name in ("response_mean", "response_p95", "stf_drop"):
        assert np.isnan(measures.METRICS[name](found))
    assert measures.METRICS["stf"](found) == 0


def test_tuned_red_estimates_the_share_and_turns_into_droptail() -> None:
    part = replace(grid.TUNED, duration=60.0, warm_up=20.0)
    tuned, droptail, red = (
        run(networks.network(Cell("tuned", queue, 35, "1", 0), part), seed=1)
        for queue in ("red-tuned", "droptail", "red")
    )
    share = measures.METRICS["estimated_share"](tuned)
    tuning = tuned.port("bottleneck").red_tuning
    assert share == pytest.approx(tuning.share[tuning.time > 20].mean(), abs=1e-9)  # it is tuned by this
    arrived = (
        tuned.columns("port_series")["packets_arrived_udp"][-1]
        / tuned.columns("port_series")["packets_arrived"][-1]
    )
    assert share == pytest.approx(arrived, abs=0.1)
    assert share > networks.TUNE_ABOVE + 0.1
    shares = [measures.METRICS["ltrf"](each) for each in (tuned, droptail, red)]
    assert abs(shares[0] - shares[1]) < abs(shares[0] - shares[2])


def test_todays_queues_hold_little_and_serve_short_flows() -> None:
    """One cell of each queue and sender, as it is run."""
    found = {}
    for queue in grid.MODERN.queues:
        for senders in grid.MODERN.senders:
            cell = Cell("modern", queue, 5, "3", 30, senders)
            one = run(networks.network(cell, grid.MODERN), seed=1)
            found[queue, senders] = {name: metric(one) for name, metric in measures.METRICS.items()}
    for (queue, senders), own in found.items():
        assert 0.9 < own["utilization"] < 1, (queue, senders)
        assert 0 < own["response_mean"] <= own["response_p95"]
        if queue in ("codel", "pie", "fq-codel"):
            assert own["delay"] < found["red", senders]["delay"] < found["droptail", senders]["delay"]
    assert found["fq-codel", "sack"]["ltrf"] > found["droptail", "sack"]["ltrf"]


# --- What is printed ----------------------------------------------------------------------------------------


def test_the_tables_are_whole() -> None:
    numbers = list(document.printed_numbers())
    assert Counter(number.table for number in numbers) == {"VIII": 27, "IX": 21, "X": 18}
    assert len({number.id for number in numbers}) == len(numbers)
    cells = set(grid.DOCUMENT.cells())
    for number in numbers:
        assert Cell("grid", number.queue, number.capacity, number.buffer, number.load) in cells
        assert round(number.value, number.digits) == number.value
        assert number.metric in measures.METRICS
    for load in LOADS:  # shares of one link
        for queue in ("red", "red-ecn", "droptail"):
            row = [
                each.value
                for each in numbers
                if each.table == "X" and (each.load, each.queue) == (load, queue)
            ]
            assert 0.65 < sum(row) < 0.98


def test_table_9_and_table_10_give_the_same_number_of_cbr_flows() -> None:
    """Throughput over one minus the drop rate is what 25 flows of 1 Mbit/s offer."""
    by_id = {number.id: number.value for number in document.printed_numbers()}
    for queue in ("red", "red-ecn", "droptail"):
        throughput = by_id[f"table-x.100.1.30.{queue}.ltnrf"]
        drops = by_id[f"table-ix.100.1.30.{queue}.ltnrf_drop"]
        assert throughput / (1 - drops) == pytest.approx(networks.CBR_FLOWS[100][30] / 100, abs=0.002)


# --- Verdicts -----------------------------------------------------------------------------------------------


class _Made:
    """Measures made up so that the chapter is right, with what a test changes."""

    def __init__(self) -> None:
        self.changes: list[tuple[Callable[[Cell], bool], dict[str, float]]] = []
        self.seeds = SEEDS

    def set(self, where: Callable[[Cell], bool], **values: float) -> None:
        self.changes.append((where, values))

    def values(self, cell: Cell) -> dict[str, float]:
        if cell.part in ("tuned", "tuned-spread"):
            queue, part = ("droptail", "grid") if cell.part == "tuned" else ("red", "grid")
            found = {**self.values(replace(cell, part=part, queue=queue)), "estimated_share": 0.6}
            for where, values in self.changes:
                if where(cell):
                    found.update(values)
            return found
        buffer, aqm = BUFFERS[cell.buffer], cell.queue != "droptail"
        ecn = cell.queue == "red-ecn"
        if cell.part == "modern":
            return self.today(cell)
        bias = (0.02 if cell.load == 30 else 0.1) / (1 + buffer) + 0.01 * (cell.load == 0)
        spread = cell.part == "spread"
        ltrf = 0.3 + 0.0005 * cell.capacity + (0.0 if aqm else bias) * (0.2 if spread else 1) + 0.002 * ecn
        packets = networks.BUFFER_PACKETS[cell.capacity][cell.buffer]
        filled = 0.32 if aqm else 0.98
        on_off = cell.part == "on-off"
        found = {
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
            "estimated_share": 0.6 if cell.queue == "red-tuned" else np.nan,
        }
        for where, values in self.changes:
            if where(cell):
                found.update(values)
        return found

    def today(self, cell: Cell) -> dict[str, float]:
        """Each queue of MODERN better than those before it, and CUBIC better than what was before."""
        place = grid.MODERN.queues.index(cell.queue) + 0.5 * (cell.senders == "cubic")
        found = {
            **dict.fromkeys(measures.METRICS, 0.1),
            "ltrf": 0.3 + 0.02 * place,
            "utilization": 0.97,
            "delay": 0.1 / (1 + place),
            "response_mean": 2.0 - 0.1 * place if cell.load else np.nan,
        }
        for where, values in self.changes:
            if where(cell):
                found.update(values)
        return found

    def measures(self) -> dict[str, pa.Table]:
        rows = []
        rng = np.random.default_rng(5)
        for part in STUDY.parts:
            for cell in part.cells():
                values = self.values(cell)
                for seed in range(1, self.seeds + 1):
                    own = {name: value * (1 + 1e-5 * rng.standard_normal()) for name, value in values.items()}
                    key = {"part": cell.part, "queue": cell.queue, "senders": cell.senders}
                    place = {"capacity": cell.capacity, "buffer": cell.buffer, "load": cell.load}
                    rows.append({**key, **place, "seed": seed, **own})
        return {"runs": pa.Table.from_pylist(rows)}


def _by_id(made: _Made) -> dict[str, Claim]:
    claims = all_claims(made.measures())
    assert len({claim.id for claim in claims}) == len(claims)
    return {claim.id: claim for claim in claims}


def test_a_world_as_the_chapter_has_it_bears_out_its_statements() -> None:
    found = _by_id(_Made())
    made = [claim for claim in found.values() if claim.of_document and claim.kind is not Kind.PRINTED]
    failed = {claim.id for claim in made if claim.verdict is not Verdict.HOLDS}
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
        ("figure-29.droptail.1-3", ("droptail", 35, "1/3", 30), {"relative_delay": 0.5}),
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
    id: str, where: tuple[str, int, str, int], values: dict[str, float]
) -> None:
    id = id.replace("1-3", "third")
    assert _by_id(_Made())[id].verdict is Verdict.HOLDS
    made = _Made()
    made.set(
        lambda cell: cell.part == "grid" and (cell.queue, cell.capacity, cell.buffer, cell.load) == where,
        **values,
    )
    assert _by_id(made)[id].verdict is Verdict.FAILS


def test_settings_are_held_against_their_definitions() -> None:
    made = _Made()
    made.set(lambda cell: cell.capacity == 35 and cell.queue == "red", ltnrf=0.54, ltnrf_drop=0.1)
    found = _by_id(made)
    verdicts = {capacity: found[f"table-v.{capacity}"].verdict for capacity in CAPACITIES}
    assert verdicts == {5: Verdict.HOLDS, 35: Verdict.FAILS, 100: Verdict.HOLDS}  # 525 packets, not 500
    assert found["table-v.35"].ours == 525
    assert found["table-vi.35.third"].verdict is Verdict.FAILS
    assert found["table-vi.100.3"].verdict is Verdict.HOLDS
    assert found["setup.ltnrf-load.35.0"].verdict is Verdict.HOLDS  # 0.54 get through of 0.6
    assert found["setup.ltnrf-load.35.30"].verdict is Verdict.FAILS


def test_jitter_is_judged_on_the_on_off_flows() -> None:
    made = _Made()
    made.set(
        lambda cell: cell.part == "on-off" and cell.queue == "red" and cell.capacity == 100, delay_sd=0.02
    )
    found = _by_id(made)
    assert found["figure-28.smaller.red"].verdict is Verdict.FAILS
    assert found["figure-28.smaller.red-ecn"].verdict is Verdict.HOLDS
    assert found["discussion.large-buffers.jitter.red"].verdict is Verdict.HOLDS  # under a steady load


def test_a_printed_number_stands_for_all_that_round_to_it() -> None:
    for value, verdict in ((0.9725, Verdict.HOLDS), (0.9738, Verdict.FAILS)):  # 0.972 is printed
        made = _Made()
        made.set(lambda cell: cell.queue == "droptail" and cell.capacity == 100, utilization=value)
        claim = _by_id(made)["table-viii.100.1.30.droptail.utilization"]
        assert claim.verdict is verdict
        assert claim.run is not None
        assert claim.run.contains(0.972) is (verdict is Verdict.HOLDS)


def test_few_seeds_decide_nothing() -> None:
    made = _Made()
    made.seeds = 3
    assert {claim.verdict for claim in _by_id(made).values()} == {Verdict.OPEN}


def test_phases_decide_about_droptail() -> None:
    found = _by_id(_Made())
    assert found["phases.long-term.100"].verdict is Verdict.HOLDS
    assert not found["phases.long-term.100"].of_document
    made = _Made()
    made.set(lambda cell: cell.part == "spread", ltrf=0.6)
    found = _by_id(made)
    assert found["phases.long-term.100"].verdict is Verdict.FAILS
    assert found["phases.red-is-close"].verdict is Verdict.FAILS


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
    id: str, queue: str, senders: str, values: dict[str, float]
) -> None:
    claim = _by_id(_Made())[id]
    assert claim.verdict is Verdict.HOLDS
    assert not claim.of_document
    made = _Made()
    where = (queue, senders, 35, "3", 30)
    made.set(
        lambda cell: (
            cell.part == "modern"
            and (cell.queue, cell.senders, cell.capacity, cell.buffer, cell.load) == where
        ),
        **values,
    )
    assert _by_id(made)[id].verdict is Verdict.FAILS


def test_other_thresholds_are_asked_for_apart() -> None:
    made = _Made()
    made.set(lambda cell: cell.queue == "red-low", delay=0.001, utilization=0.9, ltrf=0.1)
    found = _by_id(made)
    for question in ("delay-threefold", "delay-lower", "utilization-lower", "ltrf-lower"):
        assert found[f"thresholds.{question}"].verdict is Verdict.HOLDS
    made.set(lambda cell: cell.queue == "red-low" and cell.capacity == 5, delay=1.0, ltrf=0.6)
    found = _by_id(made)
    for question in ("delay-threefold", "delay-lower", "ltrf-lower"):
        assert found[f"thresholds.{question}"].verdict is Verdict.FAILS


@pytest.mark.parametrize(
    ("id", "part", "capacity", "load", "values"),
    [
        ("tuned.works.35", "tuned", 35, 0, {"ltrf": 0.33}),
        ("tuned.fails.100", "tuned", 100, 30, {"ltrf": 0.6}),
        ("tuned.like-droptail", "tuned", 5, 5, {"ltrf": 0.7}),
        ("tuned.delay", "tuned", 5, 5, {"delay": 0.01}),
        ("tuned.nothing-to-gain", "tuned-spread", 5, 5, {"ltrf": 0.7}),
    ],
)
def test_one_cell_turns_a_question_about_tuned_red(
    id: str, part: str, capacity: int, load: int, values: dict[str, float]
) -> None:
    assert _by_id(_Made())[id].verdict is Verdict.HOLDS
    made = _Made()
    where = (part, capacity, "1", load)
    made.set(lambda cell: (cell.part, cell.capacity, cell.buffer, cell.load) == where, **values)
    assert _by_id(made)[id].verdict is Verdict.FAILS


# --- The page -----------------------------------------------------------------------------------------------


def _made_ns2() -> pa.Table:
    rows = [
        {"queue": cell.queue, "capacity": cell.capacity, "buffer": cell.buffer, "load": cell.load,
         "metric": metric, "runs": 3, "mean": value}
        for cell in grid.DOCUMENT.cells()
        for metric, value in _Made().values(cell).items()
        if metric in ns2.OUTCOMES
    ]  # fmt: skip
    return pa.Table.from_pylist(rows)


@pytest.fixture
def few_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two metrics of the maps, one of them without a map where there are no short flows."""
    kept = [view for view in maps.VIEWS if view.metric in ("ltrf", "response_mean")]
    monkeypatch.setattr(maps, "VIEWS", kept)


def test_every_metric_has_its_map() -> None:
    results = Results(_Made().measures()["runs"])
    picker = maps.picker(results, grid.ON_OFF, "map", "A title", "A caption.")
    assert [figure.id for figure in picker.figures] == [f"map-{view.metric}" for view in maps.VIEWS]
    assert {view.metric for view in maps.VIEWS} <= set(measures.METRICS)
    for figure, view in zip(picker.figures, maps.VIEWS, strict=True):
        assert figure.data is not None
        rows = figure.data.to_pylist()
        assert len(rows) == 27
        shown = set(re.findall(r">([^<>]+)</text>", figure.svg))
        assert {f"{view.scale * row['mean']:.{view.decimals}f}" for row in rows} <= shown


def test_the_page_holds_together(few_maps: None) -> None:
    measured = {**_Made().measures(), "ns2": _made_ns2()}
    claims = all_claims(measured)
    sections = STUDY.sections(measured, claims)
    findings = STUDY.findings(measured, claims)
    figures = [figure for section in sections for figure in section.figures]
    tables = [item for section in sections for item in section.items if isinstance(item, Table)]
    pickers = [item for section in sections for item in section.items if isinstance(item, Picker)]
    ids = [item.id for item in (*figures, *tables, *pickers)]
    assert len(ids) == len(set(ids))
    wanted = {f"fig-{number}" for number in range(26, 32)} | {
        f"table-{n}" for n in ("5", "6", "7", "viii", "ix", "x")
    }
    assert wanted <= set(ids)
    assert all(figure.data is not None and figure.data.num_rows for figure in figures)
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.columns)}
    page = render(Page(STUDY.title, STUDY.document, findings, STUDY.assumptions, sections, claims))
    assert page.count("<svg") == len(figures)
    assert page.count("<select") == len(pickers) > 0
    text = re.sub(r"base64,[^\"]*|<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"\bnan\b|\binf\b", text)


def test_findings_follow_the_measures() -> None:
    measured = _Made().measures()
    texts = {each.subject: each.text for each in STUDY.findings(measured, all_claims(measured))}
    assert "more than half" in texts["Phase effect"]
    made = _Made()
    made.set(lambda cell: cell.part == "spread", ltrf=0.6)
    turned = made.measures()
    texts = {each.subject: each.text for each in STUDY.findings(turned, all_claims(turned))}
    assert "more than half" not in texts["Phase effect"]
    assert "60.0 % without" in texts["Phase effect"]


def test_a_small_study_end_to_end(tmp_path: Path, few_flows: None, few_maps: None) -> None:
    chosen = (part for part in grid.PARTS if part is not grid.MODERN)  # 270 cells more would take long
    parts = [replace(part, duration=18.0, warm_up=1.0, probe_spacing=0.5) for part in chosen]
    console = Console(file=io.StringIO(), width=100)
    done = reproduce(AqmStudy(parts), seeds=1, out=tmp_path / "aqm", cache=False, console=console)
    assert done.runs == sum(len(list(part.cells())) for part in parts)
    runs = parquet.read_table(tmp_path / "aqm" / "runs.parquet")
    results = Results(runs)
    assert set(results.cells) == {cell for part in parts for cell in part.cells()}
    for cell in results.cells:
        assert 0.5 < float(results.of("utilization", cell)[0]) <= 1.0, cell
        assert np.isfinite(results.of("response_mean", cell)).all() == (cell.load > 0)
    records: list[dict[str, Any]] = json.loads((tmp_path / "aqm" / "claims.json").read_text())
    assert {record["verdict"] for record in records} == {"cannot be told"}
    assert "<select" in (tmp_path / "aqm" / "report.html").read_text()


def test_ns_2s_cells_are_found() -> None:
    folder = SHARED / "reference" / "baselines"
    if not (folder / "results" / ns2.FILE).is_file():
        pytest.skip("needs ../shared/reference/baselines")
    rows = ns2.ns2_runs(folder).to_pylist()
    cells = {(row["queue"], row["capacity"], row["buffer"], row["load"]) for row in rows}
    assert len(cells) == 2 * 27 + 9
    assert len(rows) == len(cells) * len(ns2.OUTCOMES)
    (red,) = (
        row["mean"]
        for row in rows
        if (row["queue"], row["capacity"], row["load"], row["metric"]) == ("red", 100, 0, "ltrf")
    )
    assert red == pytest.approx(0.519, abs=0.0005)  # as its summary prints it


def test_the_study_is_registered(few_flows: None) -> None:
    study = find_study("aqm")
    assert study.name == "aqm"
    assert len(study.scenarios()) == sum(len(list(part.cells())) for part in STUDY.parts)
