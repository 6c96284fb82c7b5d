"""Experiments on demand: groups that respond and that do not, nothing without a dose, budgets, marks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import parshall
from parshall.errors import InputError, ParshallError, ScenarioError
from parshall.estimators import FlowLabel, Treatment
from parshall.recording import Recording
from parshall.recording.views import PortTreatment
from parshall.scenario import (
    Bulk,
    Cbr,
    Cubic,
    DropTail,
    Dumbbell,
    FlowGroup,
    LossChange,
    Pie,
    Red,
    Reverse,
    Tcp,
    TreatedGroup,
    TreatmentLoss,
    Udp,
    Web,
)
from parshall_dev.calibration import treated
from parshall_dev.checkout import ROOT

GROUPS = [TreatedGroup(flows=["r-*"]), TreatedGroup(flows=["d-*"])]


def bell(loss: TreatmentLoss | None = None, *, ecn: bool = False, duration: float = 100.0) -> Dumbbell:
    """Ten flows of CUBIC and ten of a constant rate at 8 Mbit/s."""
    tcp = Tcp(payload_bytes=1448, recovery="sack", control=Cubic(), ecn=ecn)
    queue = (
        Red(
            min_threshold_packets=20,
            max_threshold_packets=60,
            limit_packets=100,
            ecn=True,
        )
        if ecn
        else Pie(limit_packets=150)
    )
    return Dumbbell(
        duration=duration,
        rate=8e6,
        delay=0.01,
        queue=queue,
        reverse=Reverse(queue=DropTail()),
        access_rate=1e8,
        access_delay=0.005,
        loss=loss,
        flows=[
            FlowGroup(name="r-", count=10, transport=tcp, app=Bulk(), start_spread=1.0),
            FlowGroup(
                name="d-",
                count=10,
                transport=Udp(payload_bytes=1472),
                app=Cbr(rate=3e5),
                start_spread=1.0,
                dscp=10,
            ),
        ],
    )


def experiments(run: Recording, group: int) -> dict[str, np.ndarray]:
    rows = run.port("bottleneck").treatment
    assert isinstance(rows, PortTreatment)
    return {
        name: getattr(rows, name)[rows.group == group] for name in ("label", "lower", "upper", "price")
    } | {"taken": rows.signals[rows.group == group] / rows.packets[rows.group == group]}


def test_who_responds_and_who_does_not_is_found_out_within_the_budget() -> None:
    run = parshall.run(bell(TreatmentLoss(groups=GROUPS, budget=0.15)), 1)
    tcp, udp = experiments(run, 0), experiments(run, 1)
    assert tcp["label"][-1] == FlowLabel.RESPONDS
    assert udp["label"][-1] == FlowLabel.DEAF
    assert tcp["lower"][-1] >= 0.1 >= udp["upper"][-1]
    assert (udp["lower"] <= 0).all()
    assert (udp["upper"] >= 0).all()
    for rows in (tcp, udp):
        assert (rows["taken"] <= 0.15).all()
        assert (rows["price"] <= 0.16).all()
        assert len(rows["label"]) >= 1
        assert (rows["label"][:-1] == FlowLabel.UNKNOWN).all()
    port = run.port("bottleneck")
    assert port.packets_lost == sum(
        port.treatment.signals[port.treatment.group == group][-1] for group in (0, 1)
    )


@pytest.mark.parametrize("budget", [0.03, 0.1])
def test_what_flows_send_less_is_held_to_the_budget_and_spends_it(budget: float) -> None:
    loss = TreatmentLoss(groups=GROUPS[:1], budget=budget, limit=0.99, goes_on=True)
    price = experiments(parshall.run(bell(loss, duration=200.0), 1), 0)["price"]
    assert (price <= 1.15 * budget).all()
    assert 0.7 * budget < price[-1]


def test_a_group_may_be_a_class() -> None:
    loss = TreatmentLoss(groups=[TreatedGroup(dscp=[10])], goes_on=True)
    run = parshall.run(bell(loss, duration=32.0), 1)
    rows = run.port("bottleneck").treatment
    assert set(rows.group) == {0}
    sent = sum(run.flow(flow).packets_sent for flow in run.flows if flow.startswith("d-"))
    assert rows.time[-1] == 32
    assert 0.95 * sent < rows.packets[-1] <= sent
    assert 0 < rows.signals[-1] == run.port("bottleneck").packets_lost


def test_nothing_happens_without_a_dose() -> None:
    plain = parshall.run(bell(duration=30.0), 1)
    loss = TreatmentLoss(groups=GROUPS, times=0.0, floor=0.0, goes_on=True)
    asked = parshall.run(bell(loss, duration=30.0), 1)
    for table in ("flows", "ports"):
        for name, column in plain.columns(table).items():
            assert np.array_equal(column, asked.columns(table)[name], equal_nan=True), (table, name)
    rows = asked.port("bottleneck").treatment
    assert rows.signals.sum() == 0
    assert (rows.lower <= 0).all()
    assert (rows.upper >= 0).all()


def test_flows_that_read_marks_are_marked() -> None:
    loss = TreatmentLoss(groups=GROUPS[:1], goes_on=True, budget=0.5)
    run = parshall.run(bell(loss, ecn=True, duration=40.0), 1)
    rows = run.port("bottleneck").treatment
    assert rows.signals[-1] > 50
    # What is sent again carries no mark (RFC 3168, section 6.1.5).
    assert run.port("bottleneck").packets_lost < 0.05 * rows.signals[-1]
    assert run.port("bottleneck").packets_marked >= rows.signals[-1]


@pytest.mark.parametrize("flows", [["r-1", "d-11"], ["*", "x-*"]])
def test_a_group_that_nobody_belongs_to_is_refused(flows: list[str]) -> None:
    loss = TreatmentLoss(groups=[GROUPS[0], TreatedGroup(flows=flows)])
    with pytest.raises(ScenarioError, match=r"loss\.groups\[1\]\.flows\[1\]: got .*the name of a flow"):
        parshall.run(bell(loss, duration=1.0), 1)


def test_connections_of_an_application_belong_to_the_group_of_its_flow() -> None:
    def asked(name: str) -> tuple[int, int]:
        loss = TreatmentLoss(groups=[TreatedGroup(flows=[name])], goes_on=True, budget=1.0)
        web = FlowGroup(
            name="w-", count=1, transport=Tcp(payload_bytes=1448), app=Web(inter_page=0.05, objects=8)
        )
        run = parshall.run(bell(loss, duration=60.0).with_({"flows": [web]}), 1)
        port = run.port("bottleneck")
        return int(port.treatment.packets[-1]), int(port.packets_arrived)

    packets, arrived = asked("w-1")
    assert asked("*") == (packets, arrived)
    assert packets > 0.5 * arrived


def test_a_change_of_the_losses_ends_an_experiment_and_keeps_what_it_found() -> None:
    loss = TreatmentLoss(groups=GROUPS, goes_on=True, budget=0.5)
    whole = parshall.run(bell(loss, duration=40.0), 1).port("bottleneck").treatment
    scenario = bell(loss, duration=40.0).with_({"events": [LossChange(at=20.5, probability=0.01)]})
    cut = parshall.run(scenario, 1).port("bottleneck").treatment
    early = whole.time <= 20
    assert early.sum() >= 4
    for name in ("time", "group", "lower", "upper", "packets", "signals"):
        assert getattr(cut, name)[cut.time <= 20].tolist() == getattr(whole, name)[early].tolist()
    assert cut.time.max() == 20
    assert cut.packets[-1] < whole.packets[-1]


def test_a_port_without_experiments_says_so() -> None:
    run = parshall.run(bell(duration=1.0), 1)
    assert "treatment" not in run.tables
    with pytest.raises(ParshallError, match="no experiments, expected a link whose loss is a TreatmentLoss"):
        _ = run.port("bottleneck").treatment


def test_tables_that_a_scenario_has_are_known_before() -> None:
    assert "treatment" in bell(TreatmentLoss(groups=GROUPS)).scenario().recorded_tables()
    assert "treatment" not in bell().scenario().recorded_tables()


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"groups": []}, "groups"),
        ({"groups": GROUPS, "part": 0.0}, "part"),
        ({"groups": GROUPS, "budget": 2.0}, "budget"),
        ({"groups": GROUPS, "block": 0.0}, "block"),
    ],
)
def test_a_treatment_that_cannot_be_is_refused(given: dict[str, object], place: str) -> None:
    with pytest.raises(ScenarioError, match=place):
        TreatmentLoss(**given)  # type: ignore[arg-type]


def test_an_experiment_of_a_router_of_ones_own() -> None:
    experiment = Treatment(block=1.0, budget=0.1, seed=3)
    with pytest.raises(InputError, match="part"):
        Treatment(part=0.0)
    rng = np.random.default_rng(0)
    taken = 0
    last = None
    for step in range(20_000):
        time, flow = 0.01 * step, step % 30
        last = experiment.close(time) or last
        if rng.uniform() < experiment.packet(time=time, flow=flow):
            experiment.signal()
            taken += 1
        else:
            experiment.queue(bool(rng.uniform() < 0.01))
        assert taken <= 0.1 * (step + 1)
        if step == 9000:
            experiment = pickle.loads(pickle.dumps(experiment))
    assert last is not None
    assert last.label == FlowLabel.DEAF
    assert last.lower <= 0 <= last.upper
    assert experiment.clone().close(1e3) is None


def test_scenarios_to_judge_on_have_other_kinds() -> None:
    design, judging = treated.DESIGN, treated.JUDGING
    for own, other in zip(design[:3], judging[:3], strict=True):
        assert not set(own) & set(other)


def test_the_guide_says_what_its_tables_say() -> None:
    page = (ROOT / "docs/guide/responsiveness.md").read_text()
    section = page.split("<!-- experiments -->")[1].split("<!-- end of experiments -->")[0]
    tables = [
        {cells[0]: cells[1:] for cells in ([cell.strip() for cell in row[1:-1].split("|")] for row in rows)}
        for rows in (part.split("\n") for part in _tables(section))
    ]
    assert len(tables) == 2
    for budget, table in zip((5, 20), tables, strict=True):
        assert table["all that do not"][1] == "0"
        deaf = [*(treated.NAMES[kind] for kind in treated.JUDGING.deaf), "all that do not"]
        assert {table[name][6] for name in deaf} == {"100"}
        assert table["all that respond"][6] == "99"
        assert all(int(cells[6]) >= 95 for cells in table.values())
        assert {table[name][5] for name in ("BBR", "limited by window")} <= {"100", ""}
        assert all(
            float(cells[10].split("at most ")[1].rstrip(")")) <= 1.2 * budget for cells in table.values()
        )
    small, large = tables
    assert all(int(small[name][1]) > 20 for name in ("CUBIC", "IIAD and SQRT"))
    assert int(small["constant rate"][3]) > 20
    assert int(small["BBR"][2]) > int(large["BBR"][2]) > 4


def _tables(section: str) -> list[str]:
    """Rows of each table in Markdown."""
    return [part.split("---|\n")[1].strip() for part in section.split("With a budget of ")[1:]]


def test_experiments_are_judged() -> None:
    kinds = treated.JUDGING._replace(deaf=("cbr",), responsive=("cubic",))
    head, _, *rows = treated.lines(kinds, 1)
    assert head.count("|") == 14
    assert [row.split("|")[1].strip() for row in rows] == [
        "CUBIC",
        "constant rate",
        "all that respond",
        "all that do not",
    ]
