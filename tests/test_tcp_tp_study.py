"""The study of forecasts of throughput: its measures against plain definitions, and its networks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parshall import run
from parshall.scenario import Bulk, Dual, Record, Series, TcpTp
from parshall_studies import study as st
from parshall_studies.study.claims import judge
from parshall_studies.tcp_tp import (
    STUDY,
    judging,
    line,
    measures,
    model,
    networks,
    quantities,
    series,
    theorem,
)
from parshall_studies.tcp_tp.claims import TOPICS
from parshall_studies.tcp_tp.networks import Setting
from parshall_studies.tcp_tp.senders import ABLATION, DOCUMENT, OURS, RULES, TP, WIDE, Bottleneck

# --- Plain definitions --------------------------------------------------------------------------------------


def test_the_rule_never_gives_a_connection_more_than_it_has() -> None:
    assert model.after(0.4, 1.0) == pytest.approx(1 / 3)
    assert model.after(0.5, 1.0) == 0.5
    assert model.after(1.0, 1.0) == 1.0
    jump = model.tables()["jump"].to_pydict()
    assert all(after <= before + 1e-12 for before, after in zip(jump["before"], jump["after"], strict=True))
    assert min(b / a for b, a in zip(jump["before"], jump["after"], strict=True)) == pytest.approx(1.0)


def test_an_oracle_knows_n_and_not_one_more() -> None:
    for connections in range(1, 200):
        control = ABLATION["oracle"].rule(Bottleneck(20e6, connections))
        assert isinstance(control, TcpTp)
        packets = 20e6 / (8 * 1040)
        share = control.forecaster.value  # type: ignore[union-attr]
        assert np.ceil(packets / share) == connections


def test_jains_index_and_when_a_rate_is_settled() -> None:
    assert quantities.jain(np.ones(4)) == 1.0
    assert quantities.jain(np.array([1.0, 0.0, 0.0, 0.0])) == 0.25
    time = np.arange(1.0, 11.0)
    rates = np.array([1.0, 1.0, 1.0, 1.0, 0.9, 0.7, 0.55, 0.5, 0.5, 0.5])
    assert quantities.settled(time, rates, 0.5, 4.0, 10.0) == 3.0
    assert quantities.settled(time, rates, 2.0, 4.0, 10.0) == 6.0


def test_errors_are_those_of_the_definition() -> None:
    draws = np.random.default_rng(1).normal(10, 1, 600)
    found = series.errors(draws, "last-value")
    wrong = np.abs(np.diff(draws))[series.SKIPPED :]
    assert found["error"] == pytest.approx(wrong.mean() / draws[series.SKIPPED + 1 :].mean())
    assert found["rmse"] == pytest.approx(np.sqrt(2), rel=0.1)
    assert np.isnan(series.errors(np.ones(50), "last-value")["error"])
    assert np.isnan(series.memory(np.ones(50))["hurst"])


def test_figure_8_is_flat_with_the_printed_constants() -> None:
    rows = model.tables()["figure_8"].to_pylist()
    printed = [row["throughput"] for row in rows if row["constants"] == "printed"]
    assert printed == pytest.approx([0.5] * len(model.GAMMAS))
    (end,) = (row for row in rows if row["constants"] == "undivided" and row["gamma"] == 1.0)
    assert round(end["throughput"], 2) == 0.42
    assert round(end["shortfall_fairness"], 3) == 0.975


def test_verdicts_on_the_model() -> None:
    judged = judge(TOPICS, st.Results(model.tables()))
    for id, verdict in (
        ("jump.never-up", st.Verdict.HOLDS),
        ("figure-8.throughput.undivided", st.Verdict.HOLDS),
        ("figure-8.throughput.printed", st.Verdict.FAILS),
        ("theory.parts.fgn", st.Verdict.FAILS),
    ):
        assert judged[id].verdict is verdict, id


# --- Networks -----------------------------------------------------------------------------------------------


def test_round_trips_are_those_of_the_document() -> None:
    equal, spread = Setting(4), Setting(4, round_trips=networks.UNEQUAL)
    trips = [2 * networks.CORE_DELAY + 4 * delay for delay in spread.delays]
    assert {2 * networks.CORE_DELAY + 4 * delay for delay in equal.delays} == {networks.ROUND_TRIP}
    assert trips == pytest.approx([0.03, 0.05, 0.07, 0.09])


def test_five_queues_have_cross_traffic_at_two() -> None:
    scenario = networks.chain(DOCUMENT[TP], 10)
    through = [flow for flow in scenario.flows if flow.name.startswith("f")]
    cross = [flow for flow in scenario.flows if flow.name.startswith("x")]
    assert (len(through), len(cross)) == (10, 2 * 5)
    assert sum(link.name.startswith("queue") for link in scenario.links if link.name) == networks.HOPS


def test_thirty_then_sixty_then_twenty_send(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("JOINED", 4.0), ("LEFT", 8.0), ("ENDED", 12.0)):
        monkeypatch.setattr(networks, name, value)
    record = Record(flow_series=Series(of="*", interval=0.5))
    found = run(networks.dynamic(DOCUMENT[TP], "bulk", record), seed=1)
    table = found.columns("flow_series")

    def sending(start: float, end: float) -> int:
        before, after = (
            table["packets_sent"][np.isclose(table["time"], at)].astype(int) for at in (start, end)
        )
        return int((after > before).sum())

    assert [sending(1.5, 3.5), sending(5.0, 8.0), sending(10.0, 11.5)] == [30, 60, 20]


def test_the_rule_that_is_judged_is_one_that_a_user_can_write() -> None:
    control = RULES[OURS].rule(Bottleneck(1e6, 1))
    assert control == Dual(threshold=0.3, beta=0.5, backoff="proportional", rounds=1)
    page = STUDY.loaded.page
    assert '{ kind = "dual", threshold = 0.3, beta = 0.5, backoff = "proportional", rounds = 1 }' in page


def test_kinds_are_judged_that_the_rule_was_not_designed_on() -> None:
    for kind in judging.KINDS.values():
        network = kind.network(RULES[OURS])
        assert network.flows[0].app == Bulk()
        same = (network.rate, network.queue.kind) == (networks.RATE, "droptail")
        extra = network.loss or network.jitter or len(network.flows) > 1 or kind.transport
        others = kind.connections not in {10, 40, 60, 100} or kind.limit != networks.LIMIT
        assert not same or extra or others or kind.round_trips != (networks.ROUND_TRIP,) * 2, kind.label


def test_a_step_of_theorem_1_is_what_the_readings_say() -> None:
    assert theorem.step([0.1, 0.1, 0.1], "up") == pytest.approx([0.1] * 3)
    assert theorem.step([0.3, 0.4], "up") == pytest.approx([1 / 4, 1 / 3])
    assert theorem.step([0.3, 0.4], "nearest") == pytest.approx([1 / 3, 1 / 3])
    assert theorem.step([0.3, 0.4], "down") == pytest.approx([1 / 3, 1 / 2])
    assert theorem.step([0.1, 0.1, 0.1], "spare") == pytest.approx([0.5] * 3)  # beyond the line
    assert theorem.step([0.2, 0.2], "spare") == pytest.approx([0.5] * 2)  # the optimum in one step


class _Run:
    """A recording of a few packets or samples."""

    flows = ("f1",)

    def __init__(self, **columns: Any) -> None:
        self._columns = {name: np.array(values) for name, values in columns.items()}

    def columns(self, table: str) -> dict[str, Any]:
        return self._columns


def test_a_load_is_back_below_the_line_where_less_arrives_than_the_link_carries() -> None:
    carried = networks.RATE * line.SAMPLING / (8 * 1040)
    loads = [0.5, 1.2, 1.1, 0.9, 0.9, 1.5, 1.5]
    arrived = np.concatenate([[0.0], np.cumsum(loads)]) * carried
    dropped = np.cumsum([0, 0, 4, 0, 0, 0, 0, 0])
    found = line.excursions(_Run(packets_arrived=arrived, packets_dropped=dropped))  # type: ignore[arg-type]
    assert found == {"over": 1.0, "longest": pytest.approx(2 * line.SAMPLING)}
    dropped[-2:] += 1  # the load that never comes back counts until the end
    found = line.excursions(_Run(packets_arrived=arrived, packets_dropped=dropped))  # type: ignore[arg-type]
    assert found == {"over": 2.0, "longest": pytest.approx(2 * line.SAMPLING)}
    nothing = line.excursions(_Run(packets_arrived=arrived, packets_dropped=0 * dropped))  # type: ignore[arg-type]
    assert nothing == {"over": 0.0, "longest": 0.0}


def test_packet_pairs_find_the_rate_at_which_acks_come() -> None:
    spacing = 8 * 1040 / 10e6
    numbers = range(1, 41)
    events = [(0.001 * (k // 20), 0, False, k) for k in numbers]
    events += [(1.0 + spacing * k, 4, True, k) for k in numbers]
    time, event, ack, seq = zip(*sorted(events), strict=True)
    run = _Run(time=time, event=event, ack=ack, seq=seq, flow=[0] * len(time))
    assert line.capacity(run) == pytest.approx(10.0)  # type: ignore[arg-type]


def test_rises_are_changes_that_no_loss_made() -> None:
    record = Record(window=["f1"])
    network = networks.single(DOCUMENT[TP], Setting(10, "bulk", window=WIDE), record, duration=40.0)
    found = run(network, seed=1)
    rows = [row for row in found.table("window").to_pylist() if row["time"] > networks.WARM_UP]
    before = [row for row in found.table("window").to_pylist() if row["time"] <= networks.WARM_UP][-1]
    rises = falls = 0
    for earlier, later in zip([before, *rows], rows, strict=False):
        calm = earlier["ssthresh"] == later["ssthresh"] and not earlier["dupacks"] and not later["dupacks"]
        if calm and earlier["cwnd"] >= earlier["ssthresh"]:
            rises += later["cwnd"] > earlier["cwnd"]
            falls += later["cwnd"] < earlier["cwnd"]
    counted = measures.rises(found)
    assert (counted["rises"], counted["changes"]) == (rises, rises + falls)
    assert falls > rises > 0
