"""The study of Vegas on forecasts: its numbers, networks and measures against plain definitions."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parshall import run
from parshall.scenario import ArimaVegas, BernoulliLoss, Cubic, Dumbbell, FqCodel, Record
from parshall_studies.arima_vegas import (
    backlog,
    decisions,
    document,
    forecasts,
    measures,
    models,
    networks,
    ns2,
    runs,
    senders,
    timeouts,
)
from parshall_studies.arima_vegas.document import CFS, KS
from parshall_studies.arima_vegas.networks import Path as Setting
from parshall_studies.arima_vegas.senders import ARTT, VEGAS

BASELINES = Path(__file__).parents[2] / "shared" / "reference" / "baselines"
SEEDS = 12


# --- What is printed ----------------------------------------------------------------------------------------


def test_tables_3_and_4_are_read_cell_by_cell() -> None:
    assert len(document.TABLE_3) == len(document.TABLE_4) == len(KS) * len(CFS) == 20
    assert document.TABLE_3[2, 16] == document.Cell(("19.4", "57.4"), ("0", "0"))
    assert document.TABLE_3[32, 8] == document.Cell(("0.52", "0.56"), ("9", "13"))
    assert document.TABLE_4[2, 4] == document.Cell(("2.71", "3.13"), ("6", "20"))
    assert document.TABLE_4[16, 2] == document.Cell(("0.77", "0.3"), ("12", "10"))


def test_the_printed_gains_do_not_bear_out_the_text() -> None:
    found = document.gains(document.TABLE_3)
    assert min(found) == pytest.approx(100 * (1.04 / 4.24 - 1))
    assert max(found) == pytest.approx(100 * (19.62 / 3.5 - 1))
    assert sum(gain < 0 for gain in found) == 6
    assert document.retransmits_more(document.TABLE_3) == 2


def test_the_printed_fpe_follows_from_the_printed_aic() -> None:
    assert document.aic_from_fpe() < 2e-4
    assert document.TABLE_1[2, 1, 1] == min(document.TABLE_1.values(), key=lambda pair: float(pair[0]))


def test_the_twenty_cells_have_eight_upstream_rates() -> None:
    assert document.UPSTREAM_RATES == (2.5, 5, 10, 20, 40, 80, 160, 320)


def test_with_its_indices_as_printed_an_error_of_24_grows() -> None:
    errors = [1.0, 1.0]
    for _ in range(100):
        errors.append(-errors[-1] - document.THETA * errors[-2])
    assert abs(errors[-1] / errors[-2]) == pytest.approx(document.printed_growth())
    assert document.bit_error_rate() == pytest.approx(-np.log(0.99) / 8000, rel=1e-4)


# --- What is run --------------------------------------------------------------------------------------------


def _network(sender: str = VEGAS, **setting: Any) -> Dumbbell:
    every = {**senders.READINGS, **senders.ABLATION, **senders.TODAY}
    return networks.network(every[sender], Setting(**{"cf": 16, "k": 2, **setting}))


def test_the_rates_are_those_of_table_2() -> None:
    for (k, cf), printed in document.TABLE_2.items():
        network = _network(cf=cf, k=k)
        assert network.reverse.rate == 1e3 * float(printed)
        assert network.rate == 1e6 * cf
    assert networks.SYMMETRIC.cr == pytest.approx(2000.0)


def test_the_halved_heads_are_table_2_at_twice_the_asymmetry() -> None:
    for cf, printed in document.HEADS.items():
        assert Setting(cf, measures.HALVED * KS[0]).cr == float(printed)


def test_only_the_window_rule_differs_from_stock_vegas() -> None:
    stock = senders.DOCUMENT[VEGAS].transport
    for name, sender in {**senders.READINGS, **senders.FORECASTERS}.items():
        if name != VEGAS:
            assert isinstance(sender.transport.control, ArimaVegas)
            assert sender.transport.model_copy(update={"control": stock.control}) == stock
    assert senders.DOCUMENT[ARTT].transport.control == ArimaVegas()
    assert isinstance(senders.TODAY["cubic"].transport.control, Cubic)


@pytest.mark.parametrize(
    ("errors", "down", "up"), [("none", 0, 0), ("up", 0, 1), ("down", 1, 0), ("both", 1, 1)]
)
def test_errors_are_on_the_links_that_are_named(errors: str, down: int, up: int) -> None:
    network = _network(errors=errors, error_rate=0.25)
    assert [network.loss, network.reverse.loss] == [
        BernoulliLoss(probability=0.25) if there else None for there in (down, up)
    ]


def test_two_flows_go_upstream_unless_there_is_no_backward_traffic() -> None:
    assert [group.count for group in _network().flows] == [1, 2]
    assert _network().flows[1].direction == "reverse"
    assert len(_network(backward=False).flows) == 1
    assert {group.start_spread for group in _network().flows} == {0.1}


def test_only_today_has_another_queue_for_the_acks() -> None:
    for name, sender in senders.TODAY.items():
        assert isinstance(_network(name).reverse.queue, FqCodel) is name.endswith(("-fq", "-fq-delayed"))
        assert sender.transport.delayed_ack is (
            True if name.endswith("delayed") else sender.transport.delayed_ack
        )


def test_offsets_are_between_starts_that_are_not_drawn() -> None:
    network = networks.started(senders.DOCUMENT[VEGAS], Setting(16, 2), -0.05)
    assert [group.start for group in network.flows] == pytest.approx([0.15, 0.2, 0.25])
    assert {group.start_spread for group in network.flows} == {0.0}


# --- What is measured ---------------------------------------------------------------------------------------


def test_measures_are_plain_counts_of_the_run() -> None:
    network = _network(ARTT, errors="up").model_copy(
        update={"record": Record(window="v1", deliveries="v1", flow_series=networks._RECORD.flow_series)}
    )
    done = run(network.scenario(), seed=3)
    found = runs.of_run(done)
    packets = done.columns("packets")
    received = packets["seq"][(packets["event"] == 4) & ~packets["ack"].astype(bool)]
    in_order = next(number for number in range(len(received) + 1) if number not in set(received.tolist()))
    assert found["throughput"] == pytest.approx(in_order * 8 / 200)
    window = done.columns("window")
    over = window["time"][window["cwnd"] >= window["ssthresh"]]
    assert found["first_slow_start"] == pytest.approx(float(over[0]), abs=networks.SAMPLING)
    assert 0 <= found["full"] <= 1
    assert 1 <= found["window"] <= senders.WINDOW


def test_decisions_are_those_of_equation_33() -> None:
    """The control decides on the same N: a window that grew has followed an N below alpha, and so on."""
    for forecaster in (ARTT, "second"):
        sender = senders.ABLATION[forecaster]
        done = run(networks.network(sender, Setting(16, 8), decisions.RECORD).scenario(), seed=3)
        acks = decisions.acks_of(done)
        assert np.nanmin(acks.rtt) > senders.PROPAGATION
        assert np.all(np.diff(acks.seq) > 0)
        found = decisions.shares(done, sender.rule, Setting(16, 8))
        assert found["grows"] + found["stays"] + found["shrinks"] == pytest.approx(1)
        window = done.columns("window")
        late = window["time"] > 20
        grew = np.count_nonzero(np.diff(window["cwnd"][late]) > 0) / np.count_nonzero(late)
        # Where most decisions are to grow the window does, until it is more than the receiver's.
        assert (found["grows"] > 0.5) is bool(grew > 0.1), forecaster


def test_decisions_of_stock_vegas_are_those_of_its_control() -> None:
    """The window grows after N below 1, shrinks after N above 3 and stays otherwise, in nearly all rounds."""
    path = Setting(2, 2, backward=False)
    done = run(networks.network(senders.DOCUMENT[VEGAS], path, decisions.RECORD).scenario(), seed=3)
    made = list(decisions.decided(done, None))
    steps = np.sign([after.cwnd - before.cwnd for before, after in itertools.pairwise(made)])
    asked = np.array([(each.backlog < 1) * 1.0 - (each.backlog > 3) for each in made[:-1]])
    assert {0.0, 1.0} <= set(asked)
    for way in set(asked):
        assert np.mean(steps[asked == way] == way) > 0.9, way


def test_halves_of_one_law_are_told_from_halves_of_two() -> None:
    drawn = np.random.default_rng(1).normal(size=1000)
    assert models._one_law(drawn) > 0.05
    assert models._one_law(np.r_[drawn[:500], 1.5 * drawn[500:]]) < 0.05


def test_what_a_packet_finds_before_it_is_what_came_and_has_not_left() -> None:
    path = Setting(16, 8)
    done = run(networks.network(senders.DOCUMENT[VEGAS], path, backlog.RECORD).scenario(), seed=3)
    found = backlog._queued(done, backlog.UP, 1e3 * path.cr, ack=True)
    packets = done.columns("packets")
    here = packets["port"] == done.ports.index(backlog.UP)
    own = here & (packets["flow"] == done.flows.index(networks.FLOW)) & packets["ack"].astype(bool)
    for seq in (5, 40):
        at = packets["time"][own & (packets["event"] == 0) & (packets["seq"] == seq)][0]
        came = here & (packets["event"] == 0) & (packets["time"] < at)
        lasts = 8 * packets["size_bytes"] / (1e3 * path.cr)
        gone = here & (packets["event"] == 1) & (packets["time"] + lasts <= at)
        waiting = packets["size_bytes"][came].sum() - packets["size_bytes"][gone].sum()
        assert found.ahead[seq] == waiting > 0
    # What a round trip has beyond the way is spent behind those, but for the part that was sent already.
    parts = backlog.parts_of(done, path)
    assert 1 < parts["explained"] < 1.2
    assert parts["base"] < parts["rtt"]


def test_errors_of_forecasts_are_relative_to_the_mean_round_trip() -> None:
    record = decisions.RECORD
    done = run(networks.network(senders.DOCUMENT[VEGAS], Setting(16, 2), record).scenario(), seed=3)
    errors = dict(zip(forecasts.LABELS, forecasts.errors_of(done).numbers["error"], strict=True))
    rtts = decisions.acks_of(done).known
    assert errors["last-value"] == pytest.approx(np.abs(np.diff(rtts))[10:].mean() / rtts.mean())
    assert errors["arima"] > errors["ewma"] > errors["last-value"]


def test_stock_vegas_delivers_what_it_does_in_ns2() -> None:
    """Most runs of either simulator end in one state, which the median is in; a few end in another."""
    file = BASELINES / ns2.DATA.path
    if not file.is_file():
        pytest.skip("no baselines of ns-2")
    theirs = {(row["errors"], row["k"]): row["throughput"] for row in ns2.ns2_cells(file, 16).to_pylist()}
    for k in KS:
        ours = [runs.of_run(run(_network(k=k).scenario(), seed=seed))["throughput"] for seed in range(1, 10)]
        assert np.median(ours) == pytest.approx(theirs["none", k], rel=0.05)


def test_models_are_compared_as_in_table_1() -> None:
    rng = np.random.default_rng(7)
    noise = rng.standard_normal(1500)
    rtts = 100 + np.cumsum(noise - 0.7 * np.r_[0.0, noise[:-1]])
    tables = models._of_series(rtts)
    assert tables["models"]["model"] == list(models.MODELS)
    assert min(tables["models"]["aic"]) == 0
    assert min(tables["models"]["fpe"]) == 1
    # AIC lacks what it must: without the moving average the difference is white noise seen wrongly.
    aic = dict(zip(tables["models"]["model"], tables["models"]["aic"], strict=True))
    assert aic["ARIMA(1,1,0)"] > 0.05 > aic["ARIMA(0,1,1)"]
    assert tables["chosen"]["straightness"][0] > 0.995
    assert tables["chosen"]["ljung_box"][0] > 0.001
    assert abs(tables["correlations"]["acf_once"][0] + 0.7 / 1.49) < 0.1


def test_waits_are_matched_at_the_risk_of_rfc_6298() -> None:
    rows = [
        *(("a", "jacobson", 4.0, 0.02, 2.0), ("a", "jacobson", 6.0, 0.01, 3.0)),
        *(("a", "median", 4.0, 0.03, 1.0), ("a", "artt", 4.0, 0.03, 1.5), ("a", "artt", 6.0, 0.02, 1.8)),
    ]
    names = ("series", "family", "knob", "early", "wait")
    found = timeouts._matched(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    assert found["family"] == list(timeouts.FAMILIES)
    assert found["wait_ratio"] == pytest.approx([1.0, float("nan"), 0.9, float("nan")], nan_ok=True)
    assert len({setting.name for setting in timeouts.settings()}) == len(timeouts.settings())


def test_symmetric_paths_have_no_slow_link() -> None:
    assert replace(networks.SYMMETRIC, backward=False).cr == pytest.approx(1e3 * networks.SYMMETRIC.cf)
