"""Judging in the study nonresponsive: errors, the dither's costs, whole numbers and start values against
plain definitions, on short runs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests import brief_studies
from tests.brief_studies import brief_case
from tests.nonresponsive_traces import Seen, entry_of, made_traces, short_case

from parshall import run
from parshall_studies.nonresponsive import (
    alarm,
    cases,
    counting,
    excitation,
    measures,
    networks,
    phase,
    shorter,
    treatments,
    tuning,
    windows,
)
from parshall_studies.nonresponsive.cases import Case
from parshall_studies.nonresponsive.contestants import CONTESTANTS, HOP_TRAINING, TRAINING, contestant
from parshall_studies.nonresponsive.traces import (
    Traces,
    mean_square_error,
    relative_error,
    stacked,
    traces_of,
)
from parshall_studies.nonresponsive.tuned import Tuned
from parshall_studies.responsiveness import held_out
from parshall_studies.study import Results, Workbench, tuner

_UNTUNED = (
    *(entry_of(name, "printed", contestant(name).printed) for name in ("zero-drops", "fixed-point")),
    *(entry_of(name) for name in ("responsiveness", "responsiveness-dither", "counter")),
)
"""Contestants that can be judged without tuning."""
_OF_THEIR_OWN = (counting, phase, shorter, treatments, windows)
"""Parts that make runs of their own, whatever cases there are."""


def _measured(patch: pytest.MonkeyPatch, case: Case) -> Results:
    """Measures of one case over three seeds, with nothing tuned."""
    patch.setattr(cases, "all_cases", lambda: (case,))
    patch.setattr(measures, "case", {case.name: case}.__getitem__)
    patch.setattr(measures, "tuned", lambda bench: Tuned(_UNTUNED, {}, {}))
    patch.setattr(held_out, "without_dither", lambda *given: {})
    for module in (alarm, excitation, *_OF_THEIR_OWN):
        patch.setattr(module, "measure", lambda *given: {})
    return Results(measures.measure(Workbench([1, 2, 3], cache=False)))


def _row(results: Results, table: str, **where: Any) -> dict[str, Any]:
    (row,) = results.rows(table, **where).to_pylist()
    return dict(row)


def _quiet_case() -> Case:
    """12 s of 3 TCP flows and a CBR flow that share 4 Mbit/s without filling it: their windows are small."""
    tcp = networks.responsive(3, transport=networks.tcp(window=4))
    network = networks.single([tcp, networks.cbr(1)], rate=4e6, duration=12.0)
    return Case("quiet", "quiet", network, delay=0.1, rate=4e6, start=2.0)


_NO_DROPS = pytest.mark.filterwarnings("ignore:invalid value encountered in scalar divide:RuntimeWarning")
"""Where nothing is dropped the document's estimate can be 0 for ever, and no distance is a part of that."""


@_NO_DROPS
def test_the_dither_is_the_only_difference_and_its_cost_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    case = _quiet_case()
    network = measures.with_dither(case).network
    undone = {"loss": None, "record.responsiveness.signals": "queue"}
    assert network.hash != case.network.hash
    assert network.with_(undone).hash == case.network.hash
    results = _measured(monkeypatch, case)
    for table, variant in (("port", case.network), ("port_dithered", network)):
        for seed in (1, 2, 3):
            recording = run(variant, seed=seed)
            traces, port = traces_of(case, recording), recording.port("r0->r1")
            row = _row(results, table, case="quiet", seed=seed)
            assert row["queue_drops"] == 0
            assert row["dither_drops"] == pytest.approx(100 * port.packets_lost / port.packets_arrived)
            assert row["throughput"] == pytest.approx(8e-6 * port.bytes_departed / 12)
            assert row["delay"] == pytest.approx(1e3 * port.mean_delay)
            assert row["responsive"] == pytest.approx(
                (traces.arrivals - traces.udp).sum() / (0.033 * traces.arrivals.shape[1])
            )
            assert row["quiet"] == pytest.approx(100 * np.mean(traces.signals == 0))
    without, with_it = (results.measures[name].to_pandas() for name in ("port", "port_dithered"))
    assert set(without["dither_drops"]) == {0}
    assert with_it["dither_drops"].to_numpy() == pytest.approx(0.1, abs=0.1)
    assert with_it["dither_drops"].sum() > 0
    assert set(without["quiet"]) == {100}
    assert with_it["quiet"].min() < 100
    assert without["throughput"].max() < 4
    assert with_it["throughput"].to_numpy() == pytest.approx(without["throughput"].to_numpy(), rel=0.1)


def test_the_dither_of_several_hops_is_at_the_first_link_alone() -> None:
    network = measures.with_dither(cases.case("hops/16")).network.scenario()
    assert [link.name for link in network.links if link.loss is not None] == ["link1"]
    assert network.record.responsiveness.of == ("link1",)
    assert network.record.responsiveness.signals == "both"


def test_a_port_that_drops_enough_is_not_dithered(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _measured(monkeypatch, short_case()).measures["port_dithered"].to_pandas()
    assert found["dither_drops"].max() < 0.05
    assert found["queue_drops"].min() > 1


@_NO_DROPS
def test_contestants_are_scored_on_runs_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    case = _quiet_case()
    results = _measured(monkeypatch, case)
    for seed in (1, 2, 3):
        plain, dithered = (
            traces_of(case, run(each.network, seed=seed)) for each in (case, measures.with_dither(case))
        )
        for name, traces in (("responsiveness", plain), ("responsiveness-dither", dithered)):
            row = _row(results, "scores", case="quiet", entry=f"{name}/none", seed=seed)
            given = (traces.recorded["responsiveness"], traces.true_share)
            assert row["mse"] == pytest.approx(mean_square_error(*given)[0])
            assert row["relative_error"] == pytest.approx(relative_error(*given)[0])
        by_bytes = contestant("counter").run(case, plain, {})
        row = _row(results, "scores", case="quiet", entry="counter/none", seed=seed)
        assert row["mse"] == pytest.approx(np.mean((by_bytes - plain.true_share) ** 2))
        traffic = _row(results, "traffic", case="quiet", seed=seed)
        assert traffic["mean_share"] == pytest.approx(plain.true_share.mean())
        assert traffic["share_variance"] == pytest.approx(np.var(plain.true_share))
        assert traffic["drop_rate"] == 0
    mean = results.values("scores", "mse", case="quiet").mean("seed")
    assert mean.at(entry="responsiveness/none").array != mean.at(entry="responsiveness-dither/none").array


def test_the_drop_rate_is_that_of_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    case = short_case()
    row = _row(_measured(monkeypatch, case), "traffic", case="small", seed=2)
    seen = traces_of(case, run(case.network, seed=2))
    assert row["drop_rate"] == pytest.approx(seen.drops.sum() / seen.arrivals.sum())
    assert row["drop_rate"] > 0.01


def test_whole_numbers_are_compared_on_the_same_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    case = short_case()
    results = _measured(monkeypatch, case)
    for seed in (1, 2, 3):
        seen = traces_of(case, run(case.network, seed=seed))
        fixed, floating = (
            contestant(name).run(case, seen, contestant("zero-drops").printed)[0]
            for name in ("fixed-point", "zero-drops")
        )
        row = _row(results, "whole_numbers", case="small", settings="printed", seed=seed)
        assert row["relative"] == pytest.approx(np.abs(fixed - floating).mean() / floating.mean())
        assert 0 < row["relative"] < 0.01
        assert row["most"] == pytest.approx(100 * np.abs(fixed - floating).max())


def test_intervals_of_any_length_cover_the_same_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shorter, "traces_of", lambda case, seen: seen)
    rng = np.random.default_rng(1)
    fine = rng.uniform(0.2, 0.8, (3, 44))
    seen = made_traces(runs=1, samples=220)
    runs = [
        replace(seen, udp=np.repeat(row[None] * 120, 5, axis=1), recorded={"fine": row[None]}) for row in fine
    ]

    def perfect(case: Case, seen: Traces, settings: Any, *, samples: int = 0) -> np.ndarray:
        """The share in each interval; one that is tuned is told their length."""
        length = samples or int(case.name.rpartition("/")[2])
        return seen.recorded["fine"].reshape(1, -1, length // 5).mean(axis=2)

    known = [
        replace(entry, contestant=replace(entry.contestant, run=perfect))
        for entry in (entry_of("responsiveness"), entry_of("zero-drops", "tuned"), entry_of("counter"))
    ]
    results = Results(shorter.measure(Seen(runs), known))
    assert results.labels("shorter", "entry") == ("responsiveness/none", "zero-drops/tuned")
    for entry in results.labels("shorter", "entry"):
        for half in shorter.HALVES:
            for samples in shorter.SAMPLES:
                errors = results.values("shorter", "mse", half=half, samples=samples, entry=entry).seeds
                spread = np.var(fine.reshape(3, -1, samples // 5), axis=2).mean(axis=1)
                assert errors == pytest.approx(spread, abs=1e-12)
                asked = shorter.interval_case(half, samples).network.record.responsiveness
                assert asked.interval == pytest.approx(samples * 0.033)


def test_packets_of_short_flows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    flows = [networks.responsive(3), networks.cbr(2), networks.short_flows(4, start=1.0, spread=2.0)]
    network = networks.single(flows, rate=8e6, duration=8.0)
    case = Case("short", "short", network, delay=0.1, rate=8e6, start=2.0)
    found = _row(_measured(monkeypatch, case), "short_flows", case="short", seed=1)["packets_sent"]
    recording = run(network, seed=1)
    sent = {name: recording.flow(name).packets_sent for name in recording.flows}
    assert found == sum(count for name, count in sent.items() if name.startswith("s"))
    assert found >= 4 * 5 * 20


# --- Brief runs ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def brief(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """All that is measured of brief runs of six cases, with hardly any tuning."""
    with pytest.MonkeyPatch.context() as patch:
        brief_studies.brief("nonresponsive", patch, tmp_path_factory.mktemp("none"))
        names = ("load/8", "load/16", "load/22", "load/25", "hops/16", "hops/25")
        chosen = tuple(cases.case(name) for name in names)
        patch.setattr(cases, "all_cases", lambda: chosen)
        for module in (alarm, *_OF_THEIR_OWN):
            patch.setattr(module, "measure", lambda *given: {})
        return Results(measures.measure(Workbench([1, 2], cache=False)))


def test_drop_rates_of_links_are_theirs(brief: Results) -> None:
    """The first link is the one at whose port the share is estimated."""
    case = brief_case(cases.case("hops/25"))
    recording = run(case.network, seed=2)
    rates = []
    for number, name in enumerate(("link1", "link2", "link3"), start=1):
        port = recording.port(name)
        rates.append(100 * port.packets_dropped / port.packets_arrived)
        assert _row(brief, "links", case="hops/25", link=number, seed=2)["drop_rate"] == pytest.approx(
            rates[-1]
        )
    assert min(rates) > 0
    row = _row(brief, "port", case="hops/25", seed=2)
    assert row["queue_drops"] == pytest.approx(rates[0])
    assert row["throughput"] == pytest.approx(8e-6 * recording.port("link1").bytes_departed / 6)


def test_start_values_are_tried_with_both_kinds_of_settings(brief: Results) -> None:
    """A start value of its own makes the error that the study gives for the entry itself."""
    case = brief_case(cases.case("load/22"))
    seen = traces_of(case, run(case.network, seed=1))
    settings = {
        row["setting"]: row["value"]
        for row in brief.measures["tuning"].to_pylist()
        if row["entry"] == "basic/tuned"
    }
    for start in (0.02, 0.98):
        where = {"case": "load/22", "settings": "tuned", "start_share": start, "seed": 1}
        estimates = contestant("basic").run(case, seen, {**settings, "start_share": start})
        assert brief.values("starts", "mean_estimate", **where).array == pytest.approx(estimates.mean())
        error = mean_square_error(estimates, seen.true_share)[0]
        assert brief.values("starts", "mse", **where).array == pytest.approx(error)


def test_estimates_over_time_are_those_that_are_scored(brief: Results) -> None:
    for case, name in (("load/22", "zero-drops"), ("hops/16", "several-hops")):
        share = brief.values("intervals", "share", case=case).along("seed", "time")
        for kind in ("printed", "tuned"):
            estimates = brief.values("intervals", kind, case=case).along("seed", "time")
            scored = brief.values("scores", "mse", case=case, entry=f"{name}/{kind}").seeds
            assert np.mean((estimates - share) ** 2, axis=1) == pytest.approx(scored)
        for free in ("responsiveness", "counter"):
            estimates = brief.values("intervals", free, case=case).along("seed", "time")
            scored = brief.values("scores", "mse", case=case, entry=f"{free}/none").seeds
            assert np.mean((estimates - share) ** 2, axis=1) == pytest.approx(scored)
    dithered = {
        column: brief.values("dithered_intervals", column, case="hops/16").along("seed", "time")
        for column in ("share", "responsiveness")
    }
    scored = brief.values("scores", "mse", case="hops/16", entry="responsiveness-dither/none").seeds
    errors = (dithered["responsiveness"] - dithered["share"]) ** 2
    assert errors.mean(axis=1) == pytest.approx(scored)


def test_carried_settings_are_those_of_their_home(brief: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuner, "POPULATION", 5)  # as in the brief runs
    modified, away = contestant("zero-drops"), brief_case(cases.case("load/22"))
    seen = traces_of(away, run(away.network, seed=1))
    found = []
    for name in ("load/8", "load/22"):
        home = brief_case(cases.case(name))
        training = stacked([traces_of(home, run(home.network, seed=seed)) for seed in tuning.TRAINING_SEEDS])
        settings = tuning.tune(modified, {home: training}, trials=4).settings
        expected = mean_square_error(modified.run(away, seen, settings), seen.true_share)[0]
        found.append(float(brief.values("transfer", "mse", home=name, case="load/22", seed=1).array))
        assert found[-1] == pytest.approx(expected)
    assert found[0] > found[1]


def test_settings_come_from_where_they_are_said_to(brief: Results) -> None:
    rows = brief.measures["tuning"].to_pylist()
    settings: dict[str, dict[str, float]] = {}
    for row in rows:
        if not row["entry"].endswith("/fitted"):
            settings.setdefault(row["entry"], {})[row["setting"]] = row["value"]
    for entry in CONTESTANTS:
        own = settings.get(f"{entry.name}/printed", {})
        assert bool(own) is entry.of_document
        for name, value in entry.printed.items():
            assert name in entry.silent or own[name] == value
    for kind in ("printed", "tuned"):
        assert settings[f"fixed-point/{kind}"] == settings[f"zero-drops/{kind}"]
    modified = contestant("zero-drops")
    for row in rows:
        if row["entry"] == "zero-drops/fitted" and row["setting"] not in modified.silent:
            assert row["value"] == modified.printed[row["setting"]]
    training = {row["entry"]: row["trained_on"] for row in rows}
    assert training["several-hops/tuned"] == ", ".join(HOP_TRAINING)
    assert training["kalman/tuned"] == ", ".join(TRAINING)
    errors = {row["entry"]: row["training_mse"] for row in rows if row["trained_on"] == ", ".join(TRAINING)}
    for entry in CONTESTANTS:
        if entry.of_document and entry.training == TRAINING:
            assert errors[f"{entry.name}/tuned"] <= errors[f"{entry.name}/printed"]
