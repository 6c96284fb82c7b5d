"""The median study: its set-up, the document's numbers, and its measures against plain definitions."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path
from statistics import mean, pstdev, stdev
from typing import Any

import numpy as np
import pytest
from tests.brief_studies import with_rtts
from tests.test_median_rto_costs import plain_costs
from tests.undrawn import undrawn

from parshall import run
from parshall.recording import Recording
from parshall.scenario import MedianRtoConfig, Record
from parshall_studies import study as st
from parshall_studies.median_rto import STUDY, costs, scenarios
from parshall_studies.median_rto.claims import PRINTED_TABLES
from parshall_studies.median_rto.document import TABLES, difference
from parshall_studies.median_rto.measures import of_run
from parshall_studies.median_rto.scenarios import (
    DOCUMENT_FILTERS,
    FILTERS,
    FLOATING,
    ORIGINAL,
    RECOVERIES,
    TRAFFICS,
    Traffic,
    Variant,
    frontier_grid,
    study_scenarios,
    traffic_name,
)
from parshall_studies.study.claims import judge
from parshall_studies.study.data import find
from parshall_studies.study.page import items_of

SHARED = Path(__file__).parents[2] / "shared"
DIMS = ("traffic", "recovery", "filter")


def _bench(seeds: Sequence[int] = (), **options: Any) -> st.Workbench:
    return st.Workbench(seeds, cache=False, **options)


def _key(variant: Variant) -> tuple[str, str, str]:
    return variant.traffic, variant.recovery, variant.filter


def _of(results: st.Results, variant: Variant, measure: str) -> np.ndarray:
    """One number a seed."""
    where = dict(zip(DIMS, _key(variant), strict=True))
    return results.values("runs", measure, **where).seeds


def _rows(results: st.Results, table: str, **where: Any) -> list[dict[str, Any]]:
    return results.rows(table, **where).to_pylist()


# --- Set-up -------------------------------------------------------------------------------------------------


def test_the_network_is_the_documents() -> None:
    network = study_scenarios()["pareto/newreno/median-7"].scenario()
    assert network.duration == 100.0
    assert network.warm_up == 0.0
    bottleneck = next(link for link in network.links if link.name == "bottleneck")
    assert (bottleneck.rate, bottleneck.delay, bottleneck.queue.limit_packets) == (1e6, 0.1, 40)
    access = [link for link in network.links if link is not bottleneck]
    assert {(link.rate, link.delay, link.queue.limit_packets) for link in access} == {(10e6, 0.01, 50)}
    assert len(access) == 12
    assert len(network.flows) == 6
    for flow in network.flows:
        assert flow.app.model_dump(exclude={"kind"}) == {
            "law": {"kind": "pareto", "shape": 2.5},
            "rate": 370e3,
            "on": 1.0,
            "off": 2.0,
        }
        tcp = flow.transport
        assert (tcp.profile, tcp.recovery, tcp.rto) == ("ns2", "newreno", MedianRtoConfig(window=7))
        assert (tcp.payload_bytes, tcp.header_bytes, tcp.max_window_packets) == (1000, 40, 1000)
        assert (flow.start, flow.start_spread) == (0.0, 0.0)


def test_the_original_is_the_profiles_own_filter_under_memoryless_traffic_too() -> None:
    for flow in study_scenarios()["exponential/tahoe/original"].scenario().flows:
        assert flow.app.law.kind == "exponential"
        assert (flow.app.rate, flow.app.on, flow.app.off) == (370e3, 1.0, 2.0)
        assert (flow.transport.recovery, flow.transport.rto) == ("tahoe", None)


def test_every_filter_meets_every_traffic_and_recovery() -> None:
    names = list(study_scenarios())
    assert len(names) == len(set(names)) == 2 * 2 * 9
    assert names == [variant.name for variant in scenarios.variants()]
    assert sum(variant.of_document for variant in scenarios.variants()) == 8
    hashes = {scenario.hash for scenario in study_scenarios().values()}
    assert len(hashes) == len(names)


def test_the_grid_of_parameters_names_each_setting_once_and_marks_each_familys_own() -> None:
    for live in (False, True):
        grid = frontier_grid(live=live)
        assert max(Counter(tuned.name for tuned in grid).values()) == 1
        standard = Counter(tuned.family for tuned in grid if tuned.standard)
        assert standard == dict.fromkeys(dict.fromkeys(tuned.family for tuned in grid), 1)


# --- The document's numbers ---------------------------------------------------------------------------------


def _printed_rows() -> Iterator[tuple[Traffic, st.PrintedTable, str, list[st.Printed]]]:
    """Line by line, from the claims: the traffic, the table, the filter's label, the numbers."""
    for rows, table in zip(TABLES, PRINTED_TABLES, strict=True):
        lines: dict[str, list[st.Printed]] = {}
        for row in table.rows:
            lines.setdefault(row.labels[0], []).append(row.says.printed)
        for label, numbers in lines.items():
            yield rows.traffic, table, label, numbers


def test_printed_numbers_agree_with_each_other() -> None:
    lines = list(_printed_rows())
    assert len(lines) == 11
    for _, _, _, numbers in lines:
        throughput, goodput, loss = (number.value for number in numbers)
        # The document's own formula, and its unit of 80 bit/s.
        assert loss == pytest.approx(100 * (throughput - goodput) / throughput, abs=0.0051)
        assert throughput % 80 == goodput % 80 == 0
        assert [number.unit for number in numbers] == ["bit/s", "bit/s", "%"]


def test_the_tables_are_those_of_the_document() -> None:
    text = SHARED / "seeds" / "000_55572fcff8b69568.txt"
    if not text.is_file():
        pytest.skip("the document's text is not at hand")
    lines = text.read_text(encoding="utf-8").splitlines()
    for _, table, label, numbers in _printed_rows():
        start = next(i for i, line in enumerate(lines) if line.startswith(f"{table.where}:"))
        block = "\n".join(lines[start : start + 9])
        words = "original tcp" if label == "Original TCP" else label.lower().replace("median of", "size")
        throughput, goodput, loss = (re.escape(number.text) for number in numbers)
        row = re.search(rf"{words}\s+{throughput}\s+{goodput}\s+{loss}%", block, re.IGNORECASE)
        assert row, (table.where, label)


def test_printed_differences_are_exact() -> None:
    goodput = difference("exponential", "median-5", "goodput")
    assert (goodput.value, goodput.unit) == (11200, "bit/s")
    assert difference("exponential", "median-7", "throughput", baseline="median-9").value == -75440
    loss = difference("pareto", "median-5", "loss")
    assert (loss.value, loss.unit) == (-0.35, "points")
    # Two numbers were rounded to a hundredth each.
    assert loss.half_digit == pytest.approx(0.01)


# --- Measures against their plain definitions ---------------------------------------------------------------

FEW = (Variant("exponential", "tahoe", ORIGINAL), Variant("pareto", "tahoe", "median-5"))


@pytest.fixture(params=FEW, scope="module")
def one_run(request: pytest.FixtureRequest) -> tuple[Recording, Mapping[str, Any]]:
    """A run, and what the study makes of it."""
    recording = run(study_scenarios()[request.param.name], seed=3)
    return recording, of_run(request.param, recording)


def test_rates_and_loss_are_the_documents_sums(one_run: tuple[Recording, Mapping[str, Any]]) -> None:
    recording, found = one_run[0], one_run[1]["runs"]
    flows = recording.table("flows").to_pylist()
    sent, delivered = (sum(row[f"packets_{what}"] for row in flows) for what in ("sent", "delivered"))
    assert len(flows) == 6
    assert (found["throughput"], found["goodput"]) == (80 * sent, 80 * delivered)
    assert found["loss"] == pytest.approx(100 * (sent - delivered) / sent)
    for name in ("timeouts", "spurious_timeouts", "timeout_wait"):
        assert found[name] == pytest.approx(sum(row[name] for row in flows)), name
    assert 500e3 < 80 * delivered < 80 * sent < 1e6


def test_margins_set_each_rtt_against_the_rto_after_the_sample_before(
    one_run: tuple[Recording, Mapping[str, Any]],
) -> None:
    rows = one_run[0].table("rtt").to_pylist()
    in_force, rtts = [], []
    for flow in {row["flow"] for row in rows}:
        mine = [row for row in rows if row["flow"] == flow]
        assert [row["time"] for row in mine] == sorted(row["time"] for row in mine)
        in_force += [row["rto"] for row in mine[:-1]]
        rtts += [row["rtt"] for row in mine[1:]]
    margins = [rto - rtt for rto, rtt in zip(in_force, rtts, strict=True)]
    expected = {
        "rtt_samples": len(rtts),
        "rtt_mean": mean(rtts),
        "rtt_deviation": pstdev(rtts),
        "rto_mean": mean(in_force),
        "rto_deviation": pstdev(in_force),
        "rto_margin": mean(margins),
        "rto_exceeded": sum(margin < 0 for margin in margins) / len(margins),
    }
    found = one_run[1]["runs"]
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_cumulative_goodput_adds_up_what_all_flows_have_delivered(
    one_run: tuple[Recording, Mapping[str, Any]],
) -> None:
    series, rows = one_run[1]["goodput_over_time"], one_run[0].table("flow_series").to_pylist()
    assert list(series.dims["time"]) == sorted({row["time"] for row in rows})
    megabits = list(series.numbers["megabits"])
    for time, own in list(zip(series.dims["time"], megabits, strict=True))[::14]:
        assert own == pytest.approx(
            0.008 * sum(row["packets_delivered"] for row in rows if row["time"] == time)
        )
    assert all(a <= b for a, b in pairwise(megabits))
    whole = one_run[1]["runs"]["goodput"] * 100 / 1e6
    assert 0.98 * whole < megabits[-1] <= whole  # the last point lies a second before the end


def test_a_run_without_a_packet_has_no_loss_and_no_margin() -> None:
    variant = Variant("pareto", "newreno", "median-9")
    silent = study_scenarios()[variant.name].replace("duration", 0.001)
    measures = of_run(variant, run(silent, 1))["runs"]
    assert measures["throughput"] == measures["rtt_samples"] == 0
    for name in ("loss", "rtt_mean", "rtt_deviation", "rto_mean", "rto_margin", "rto_exceeded"):
        assert math.isnan(measures[name]), name


# --- The whole ----------------------------------------------------------------------------------------------

MEASURED = "4g-fiber-1k"
FEW_SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def whole(folder: Path) -> st.Results:
    """Everything that the study measures, with made-up round-trip times in the place of measured ones."""
    files = find(with_rtts(STUDY, folder).loaded.data, [folder]).files
    return st.Results(STUDY.loaded.measure(_bench(FEW_SEEDS, files=files)))


@pytest.fixture(scope="module")
def figures(whole: st.Results) -> dict[str, st.Figure]:
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        items = items_of(STUDY.loaded, whole, judge(STUDY.loaded.topics, whole))
        return {item.id: item for item in items if isinstance(item, st.Figure)}


def test_the_runs_are_those_of_each_variant_with_each_seed(whole: st.Results) -> None:
    assert whole.measures["runs"].num_rows == 36 * len(FEW_SEEDS)
    for name, seed in (
        ("exponential/newreno/weighted-median", 3),
        ("pareto/tahoe/median-mad-9", 2),
        ("pareto/newreno/original", 1),
    ):
        variant = next(each for each in scenarios.variants() if each.name == name)
        expected = of_run(variant, run(study_scenarios()[name], seed))["runs"]
        (row,) = _rows(whole, "runs", seed=seed, **dict(zip(DIMS, _key(variant), strict=True)))
        assert {column: row[column] for column in expected} == expected
    kept = {tuple(row[dim] for dim in DIMS) for row in _rows(whole, "goodput_over_time")}
    assert kept == {_key(each) for each in scenarios.variants() if each.of_document}


def test_the_examples_are_flow_one_of_the_median_run(whole: st.Results) -> None:
    for traffic in TRAFFICS:
        goodput = _of(whole, Variant(traffic, "tahoe", ORIGINAL), "goodput")
        example = FEW_SEEDS[int(np.argsort(goodput, kind="stable")[1])]
        for name in DOCUMENT_FILTERS:
            rows = _rows(whole, "rtt_examples", traffic=traffic, filter=name)
            assert {(row["recovery"], row["seed"]) for row in rows} == {("tahoe", example)}
            recording = run(study_scenarios()[f"{traffic}/tahoe/{name}"], example)
            expected = [row for row in recording.table("rtt").to_pylist() if row["flow"] == "f1"]
            assert len(expected) > 50
            for column in ("time", "rtt", "rto"):
                assert [row[column] for row in rows] == [row[column] for row in expected]


def test_series_are_those_of_the_original_in_all_runs_and_those_at_hand(
    whole: st.Results, folder: Path
) -> None:
    series = {MEASURED: [costs.read_rtts(folder / f"rtt/{MEASURED}.csv.gz")]}
    for traffic in TRAFFICS:
        scenario = study_scenarios()[f"{traffic}/tahoe/{ORIGINAL}"]
        parts = [part for seed in FEW_SEEDS for part in costs.rtts_of(run(scenario, seed))]
        series[f"simulated, {traffic_name(traffic)} sources"] = parts
    assert list(whole.labels("series_costs", "series")) == list(series)
    for name, parts in series.items():
        where = {"series": name, "setting": "Median, window 5, multiplier 4"}
        (row,) = _rows(whole, "series_costs", **where)
        for column, value in plain_costs(parts, 4.0).items():
            assert row[column] == pytest.approx(value), (name, column)


def test_live_costs_are_counted_run_by_run(whole: st.Results) -> None:
    grid = frontier_grid(live=True)
    assert whole.measures["live_costs"].num_rows == 2 * len(grid) * len(FEW_SEEDS)
    for traffic, tuned, seed in (("exponential", grid[2], 3), ("pareto", grid[-1], 1)):
        recording = run(scenarios.scenario(traffic, "tahoe", tuned.config, Record()), seed)
        flows = recording.table("flows").to_pylist()
        (row,) = _rows(whole, "live_costs", traffic=traffic, setting=tuned.name, seed=seed)
        for name in ("timeouts", "spurious_timeouts", "timeout_wait", "packets_sent", "packets_delivered"):
            assert row[name] == pytest.approx(sum(flow[name] for flow in flows)), name
        assert row["timeouts"] > 0


def _drawn(figure: st.Figure, **where: str) -> list[dict[str, Any]]:
    """Points of a figure, as they are offered to the reader."""
    assert figure.data is not None
    rows = figure.data.to_pylist()
    return [row for row in rows if all(row[name] == wanted for name, wanted in where.items())]


def test_what_the_filters_change_is_paired_seed_by_seed(
    whole: st.Results, figures: dict[str, st.Figure]
) -> None:
    names = [name for name in FILTERS if name != FLOATING]
    for measure, factor in (("goodput", 1e-3), ("rto_margin", 1e3), ("spurious_timeouts", 1.0)):
        for traffic, recovery in product(TRAFFICS, RECOVERIES):
            points = _drawn(
                figures[f"difference-{measure.replace('_', '-')}"],
                panel=traffic.capitalize(),
                line=scenarios.PROTOCOLS[recovery],
            )
            for each, name in zip(points, names, strict=True):
                own, base = (
                    factor * _of(whole, Variant(traffic, recovery, of), measure) for of in (name, FLOATING)
                )
                half = 4.302653 * stdev(own - base) / math.sqrt(3)  # Student's, two degrees of freedom
                expected = (mean(own - base), mean(own - base) - half, mean(own - base) + half)
                assert (each["x"], each["low"], each["high"]) == pytest.approx(expected, abs=1e-5 * half)


# --- Against ns-2 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("traffic", "label"), [("exponential", "exp"), ("pareto", "par")])
def test_runs_scatter_as_those_of_ns2(traffic: Traffic, label: str) -> None:
    table = SHARED / "reference" / "baselines" / "results" / "study0_stats.csv"
    if not table.is_file():
        pytest.skip("ns-2's results are not at hand")
    with table.open() as file:
        theirs = {
            row["outcome"]: {name: float(row[name]) for name in ("n", "mean", "sd")}
            for row in csv.DictReader(file)
            if row["label"] == f"{label} TCP window 1000 rate 370k"
        }
    variant = Variant(traffic, "tahoe", ORIGINAL)
    found = _bench(range(1, 151)).measure(
        "Runs",
        {_key(variant): study_scenarios()[variant.name]},
        lambda _, recording: of_run(variant, recording)["runs"],
        table="runs",
        dims=DIMS,
        tables=("flows", "rtt", "flow_series"),
    )
    results = st.Results(found)
    for measure, outcome in (("throughput", "throughput"), ("goodput", "goodput"), ("loss", "loss_pct")):
        ours, ns2 = _of(results, variant, measure), theirs[outcome]
        error = math.hypot(np.std(ours, ddof=1) / math.sqrt(len(ours)), ns2["sd"] / math.sqrt(ns2["n"]))
        # 3.3 standard errors: one false alarm in a thousand, and the seeds do not change.
        assert abs(np.mean(ours) - ns2["mean"]) < 3.3 * error, measure
        # F quantiles at 0.0005 and 0.9995 for 149 and 29 degrees of freedom are about 0.41 and 3.0.
        assert 0.41 < (np.std(ours, ddof=1) / ns2["sd"]) ** 2 < 3.0, measure
