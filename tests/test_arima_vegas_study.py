"""The study of Vegas on forecasts: its numbers, networks and measures against plain definitions, its verdicts
on made-up measures, and the whole with short runs.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console

from parshall import run
from parshall.scenario import ArimaVegas, BernoulliLoss, Cubic, Dumbbell, FqCodel, Record
from parshall_studies import study as st
from parshall_studies.arima_vegas import (
    STUDY,
    decisions,
    document,
    measures,
    models,
    networks,
    ns2,
    senders,
    timeouts,
)
from parshall_studies.arima_vegas.claims import TOPICS
from parshall_studies.arima_vegas.document import CFS, KS
from parshall_studies.arima_vegas.networks import Path as Setting
from parshall_studies.arima_vegas.printed import PRINTED_TABLES
from parshall_studies.arima_vegas.senders import ARTT, LITERAL, VEGAS
from parshall_studies.study import Verdict
from parshall_studies.study.claims import judge

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
    found = measures.of_run(done)
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
        found = decisions.shares(done, sender.rule)
        assert found["grows"] + found["stays"] + found["shrinks"] == pytest.approx(1)
        window = done.columns("window")
        late = window["time"] > 20
        grew = np.count_nonzero(np.diff(window["cwnd"][late]) > 0) / np.count_nonzero(late)
        # Where most decisions are to grow the window does, until it is more than the receiver's.
        assert (found["grows"] > 0.5) is bool(grew > 0.1), forecaster


def test_stock_vegas_delivers_what_it_does_in_ns2() -> None:
    """Most runs of either simulator end in one state, which the median is in; a few end in another."""
    file = BASELINES / ns2.DATA.path
    if not file.is_file():
        pytest.skip("no baselines of ns-2")
    theirs = {(row["errors"], row["k"]): row["throughput"] for row in ns2.ns2_cells(file, 16).to_pylist()}
    for k in KS:
        ours = [
            measures.of_run(run(_network(k=k).scenario(), seed=seed))["throughput"] for seed in range(1, 10)
        ]
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


# --- Verdicts -----------------------------------------------------------------------------------------------


def _made(throughput: Callable[[Mapping[str, Any]], float]) -> st.Results:
    """The tables as runs give them, with a throughput that is made up, and a little noise."""
    rng = np.random.default_rng(4)
    tables = {}
    parts = measures._parts()
    offsets = {(name, offset): None for name in senders.DOCUMENT for offset in measures.OFFSETS}
    parts["offsets"] = ("", ("sender", "offset"), offsets)  # type: ignore[assignment]
    for name, (_, dims, variants) in parts.items():
        rows = []
        for key in variants:
            place = dict(zip(dims, key, strict=True))
            for seed in range(1, SEEDS + 1):
                noise = 1 + 1e-4 * rng.standard_normal()
                artt = place["sender"] != VEGAS
                rows.append(
                    {
                        **place,
                        "seed": seed,
                        "throughput": noise * throughput({**place, "table": name}),
                        "upstream": 100 * noise,
                        "retransmitted": 0.0,
                        "timeouts": 0.0,
                        "window": (15.0 if artt else 2.0) * noise,
                        "full": 0.5,
                        "first_slow_start": (10.0 if artt else 1.0) * noise,
                        "slow_start": 0.1,
                    }
                )
        columns = {column: [row[column] for row in rows] for column in rows[0]}
        tables[name] = st.tidy(columns, (*dims, "seed"))
    tables["meetings"] = _made_meetings()
    keys = [(name, k, seed) for name in (ARTT, *senders.FORECASTERS) for k in KS for seed in range(1, 11)]
    columns = dict(zip(("sender", "k", "seed"), map(list, zip(*keys, strict=True)), strict=True))
    columns |= {"grows": [0.9 + 1e-3 * seed for *_, seed in keys], "backlog": [0.01] * len(keys)}
    tables["decisions"] = st.tidy(columns, ("sender", "k", "seed"))
    return st.Results(tables)


def _made_meetings() -> pa.Table:
    rows = [
        {
            "first": x,
            "second": y,
            "seed": seed,
            "first_rate": 5.0,
            "second_rate": 4.0,
            "share": 0.55 + 1e-4 * seed,
            "jain": 0.99 + 1e-4 * seed,
            "delay": 50.0 + 0.01 * seed,
            "drop": 0.01,
            "utilization": 0.9,
        }
        for x, y in networks.PAIRS
        for seed in range(1, SEEDS + 1)
    ]
    return st.tidy({name: [row[name] for row in rows] for name in rows[0]}, ("first", "second", "seed"))


def _as_claimed(place: Mapping[str, Any]) -> float:
    """CA-ARTT twice as good with backward traffic, and the same without."""
    alone = place["table"] == "alone" or place.get("backward") == "no"
    return 10.0 if place["sender"] == VEGAS or alone else 20.0


def test_claims_keep_their_ids() -> None:
    """Other people's scripts look for them."""
    ids = [claim.id for topic in TOPICS for claim in topic.claims]
    assert len(ids) == len(set(ids))
    assert {
        "gain.between",
        "gain.greater.2",
        "retransmissions.same-or-fewer",
        "alone.similar",
        "slow-start.longer",
        "symmetric.lossy-fewer",
        "forecast.last-value.none",
        "table-3.k2.cf16.vegas.throughput",
        "table-4-halved.k32.cf2.artt.retransmitted",
        "table-5.up.artt.throughput",
        "consistency.fpe",
        "heads.cf16",
    } <= set(ids)


def test_a_world_as_the_document_has_it_bears_out_its_statements() -> None:
    judged = judge(TOPICS, _made(_as_claimed))
    for id in (
        "gain.between",
        "gain.mean",
        "gain.greater.32",
        "gain.low-loss",
        "alone.similar",
        "slow-start.longer",
    ):
        assert judged[id].verdict is Verdict.HOLDS, id
    assert judged["retransmissions.same-or-fewer"].verdict is Verdict.HOLDS
    assert judged["symmetric.better"].verdict is Verdict.HOLDS
    assert judged["gain.between"].outcome.tally.all == 20


@pytest.mark.parametrize(
    ("id", "changed"),
    [
        ("gain.between", lambda place: 1.2 if place.get("k") == 8 and place.get("cf") == 4 else 2.0),
        ("gain.between", lambda place: 6.0 if place.get("k") == 32 and place.get("cf") == 2 else 2.0),
        ("gain.greater.4", lambda place: 0.9 if place.get("k") == 4 else 2.0),
        ("gain.low-loss", lambda place: 1.2 if place.get("rate") == "0.001" else 2.0),
        ("gain.round-trips.2", lambda place: 1.05 if place.get("rtt") == 400 else 2.0),
        ("alone.similar", lambda place: 1.3),
        ("symmetric.better", lambda place: 0.9),
        ("starts.artt", lambda place: 0.9),
    ],
)
def test_one_cell_refutes_a_statement_about_all(
    id: str, changed: Callable[[Mapping[str, Any]], float]
) -> None:
    """``changed`` is CA-ARTT's throughput over that of Vegas."""
    judged = judge(TOPICS, _made(lambda place: 10.0 * (1 if place["sender"] == VEGAS else changed(place))))
    assert judged[id].verdict is Verdict.FAILS


def test_a_forecaster_that_delivers_as_much_is_said_to_be_as_good() -> None:
    def world(place: Mapping[str, Any]) -> float:
        own = {VEGAS: 10.0, ARTT: 20.0, LITERAL: 20.0, "last-value": 18.5, "ewma": 17.0}
        return own.get(place["sender"], 19.0)

    judged = judge(TOPICS, _made(world))
    assert judged["forecast.last-value.none"].verdict is Verdict.HOLDS
    assert judged["forecast.ewma.none"].verdict is Verdict.FAILS
    assert judged["forecast.best.none"].verdict is Verdict.HOLDS
    assert judged["forecast.window.none"].verdict is Verdict.HOLDS


def test_the_heads_of_tables_3_and_4_contradict_table_2() -> None:
    judged = judge(TOPICS, _made(_as_claimed))
    assert {each.verdict for each in judged.where("table-2.")} == {Verdict.HOLDS}
    assert {each.verdict for each in judged.where("heads.")} == {Verdict.FAILS}
    assert judged["consistency.fpe"].verdict is Verdict.HOLDS
    assert judged["consistency.symmetric-gain"].verdict is Verdict.HOLDS
    assert judged["consistency.gain-greatest"].verdict is Verdict.FAILS


# --- The whole ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def short() -> Iterator[None]:
    """Runs of 12 s at few K."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(networks, "DURATION", 12.0)
        patch.setattr(networks, "MEETING_DURATION", 22.0)
        yield


@pytest.fixture(scope="module")
def reproduced(short: None, tmp_path_factory: pytest.TempPathFactory) -> st.Reproduction:
    out = tmp_path_factory.mktemp("arima-vegas")
    return st.reproduce(STUDY, seeds=10, out=out, cache=False, console=Console(file=io.StringIO()))


def test_the_study_writes_its_report(reproduced: st.Reproduction) -> None:
    out = reproduced.out
    page = (out / "report.html").read_text(encoding="utf-8")
    for figure in ("gains", "fig-5", "fig-6", "fig-7", "fig-8", "fig-9", "starts", "forecasters", "today"):
        assert (out / "figures" / f"{figure}.svg").is_file()
        assert f'aria-labelledby="{figure}-title' in page
    claims = json.loads((out / "claims.json").read_text(encoding="utf-8"))
    ids = {claim.id for topic in TOPICS for claim in topic.claims}
    assert {each["id"] for each in claims} == {id for id in ids if not id.startswith("timeouts.")}
    assert all(each["verdict"] in {verdict.value for verdict in Verdict} for each in claims)


def test_every_printed_number_stands_beside_ours(reproduced: st.Reproduction) -> None:
    claims = {each["id"]: each for each in json.loads((reproduced.out / "claims.json").read_text())}
    for table in PRINTED_TABLES:
        for row in table.rows:
            assert claims[row.id]["paper"] == row.says.printed.value
            assert claims[row.id]["ours"] is not None


def test_the_report_can_be_made_again(reproduced: st.Reproduction, tmp_path: Path) -> None:
    again = st.reproduce(STUDY, source=reproduced.out, out=tmp_path, console=Console(file=io.StringIO()))
    assert (again.out / "claims.json").read_bytes() == (reproduced.out / "claims.json").read_bytes()


def test_symmetric_paths_have_no_slow_link() -> None:
    assert replace(networks.SYMMETRIC, backward=False).cr == pytest.approx(1e3 * networks.SYMMETRIC.cf)
