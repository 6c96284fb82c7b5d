"""Queue disciplines from Python: what they do to a bottleneck, how they are written, what they record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import parshall
from parshall import (
    Bulk,
    Cbr,
    CoDel,
    DropTail,
    Dumbbell,
    FlowGroup,
    FqCodel,
    ParshallError,
    Pie,
    Record,
    Recording,
    Red,
    Series,
    Tcp,
    Udp,
    loads,
)
from parshall_dev.bench.compiled import Missing
from parshall_dev.bench.ns3_builds import debian
from parshall_dev.bench.queues.approximate import approximate
from parshall_dev.bench.queues.compare import OUTCOMES, Row
from parshall_dev.bench.queues.loads import DISCIPLINES, LOADS
from parshall_dev.bench.queues.page import section
from parshall_dev.bench.queues.run import main
from parshall_dev.bench.queues.sides import Ns3Queues, ours

LIMIT = 200


def bell(queue: Any, *, ecn: bool = False, cbr: int = 0, record: Record | None = None) -> Recording:
    """Six TCP flows, and calls of 64 kbit/s in small packets, over 10 Mbit/s."""
    scenario = Dumbbell(
        duration="25 s",
        warm_up="10 s",
        rate="10 Mbit/s",
        delay="15 ms",
        queue=queue,
        access_rate="100 Mbit/s",
        access_delay="5 ms",
        flows=[
            FlowGroup(count=6, transport=Tcp(recovery="sack", ecn=ecn), app=Bulk(), start_spread="1 s"),
            FlowGroup(
                name="call",
                count=4,
                transport=Udp(payload_bytes=172),
                app=Cbr(rate="64 kbit/s"),
                start_spread="1 s",
            ),
            *([FlowGroup(name="u", count=cbr, transport=Udp(), app=Cbr(rate="1 Mbit/s"))] if cbr else []),
        ],
        record=record or Record(),
    )
    return parshall.run(scenario, seed=1)


@pytest.mark.parametrize(
    ("queue", "least", "most"),
    [
        (CoDel(limit_packets=LIMIT), 0.004, 0.02),
        (Pie(limit_packets=LIMIT), 0.01, 0.022),
        (Pie(limit_packets=LIMIT, delay="departure-rate"), 0.01, 0.022),
        (FqCodel(limit_packets=LIMIT), 0.004, 0.02),
    ],
    ids=["codel", "pie", "pie-departure-rate", "fq-codel"],
)
def test_the_delay_is_held_where_drop_tail_fills_its_buffer(queue: Any, least: float, most: float) -> None:
    port = bell(queue).port("bottleneck")
    assert least < port.mean_delay < most
    assert port.utilization > 0.93
    assert bell(DropTail(limit_packets=LIMIT)).port("bottleneck").mean_delay > 0.08


@pytest.mark.parametrize("queue", [CoDel(ecn=True), Pie(ecn=True), FqCodel()], ids=lambda queue: queue.kind)
def test_packets_that_can_be_marked_are_not_dropped(queue: Any) -> None:
    recording = bell(queue, ecn=True)
    assert recording.port("bottleneck").packets_marked > 50
    tcp = [recording.flow(name) for name in recording.flows if name.startswith("f")]
    assert sum(flow.packets_dropped for flow in tcp) == 0
    assert bell(queue).port("bottleneck").packets_marked == 0


def test_calls_do_not_wait_behind_other_flows_in_fq_codel() -> None:
    def mean_wait(queue: Any) -> float:
        recording = bell(queue, record=Record(packets=["bottleneck"]))
        packets = recording.port("bottleneck").packets
        call = recording.flows.index("call1")
        arrived, left = (packets.time[(packets.event == k) & (packets.flow == call)] for k in (0, 1))
        return float(np.mean(left[: len(arrived)] - arrived[: len(left)]))

    assert mean_wait(FqCodel()) < 0.002
    assert mean_wait(Pie()) > 0.005


def test_a_kind_alone_has_the_defaults_of_its_rfc() -> None:
    text = """
    duration = "1 s"
    [dumbbell]
    rate = "1 Mbit/s"
    delay = "5 ms"
    queue = "{}"
    access_rate = "1 Mbit/s"
    access_delay = "1 ms"
    flows = [{{ transport = {{ kind = "tcp" }}, app = "bulk" }}]
    """
    for kind, queue in (("codel", CoDel()), ("pie", Pie()), ("fq-codel", FqCodel())):
        assert loads(text.format(kind)).links[0].queue == queue
    codel, pie, fq = CoDel(), Pie(), FqCodel()
    assert (codel.target, codel.interval, codel.ecn) == (0.005, 0.1, False)
    assert (pie.target, pie.update, pie.max_burst, pie.alpha, pie.beta) == (0.015, 0.015, 0.15, 0.125, 1.25)
    assert (fq.queues, fq.quantum_bytes, fq.limit_packets, fq.drop_batch, fq.ecn) == (
        1024,
        1514,
        10240,
        64,
        True,
    )


# --- RED that is tuned ------------------------------------------------------------------------------------


def tuned(**changes: Any) -> Red:
    red: dict[str, Any] = {"min_threshold_packets": 10, "max_threshold_packets": 30, "limit_packets": 60}
    return Red(**red, tune_by="responsiveness", **changes)


def test_a_tuned_red_shows_the_share_and_its_thresholds() -> None:
    record = Record(port_series=Series(of="bottleneck", interval="1 s"))
    tuning = bell(tuned(tune_above=0.4), cbr=7, record=record).port("bottleneck").red_tuning
    assert np.array_equal(tuning.time, np.arange(1, 26))
    assert tuning.share[-1] > 0.5
    assert tuning.min_threshold_packets[-1] == tuning.max_threshold_packets[-1] == 60
    assert tuning.min_threshold_packets[0] == 10


def test_what_is_not_tuned_or_not_sampled_has_no_such_table() -> None:
    record = Record(port_series=Series(of="bottleneck", interval="1 s"))
    with pytest.raises(ParshallError, match="port_series"):
        _ = bell(tuned()).port("bottleneck").red_tuning
    plain = bell(Red(min_threshold_packets=10, max_threshold_packets=30, limit_packets=60), record=record)
    assert "red_tuning" not in plain.tables


# --- Beside ns-3 ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def ns3() -> Ns3Queues:
    try:
        return Ns3Queues(debian())
    except Missing as missing:
        pytest.skip(f"needs {missing}")


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("discipline", ["codel", "fq-codel", "fq-codel-short"])
def test_with_its_arithmetic_codel_is_ns3s_packet_for_packet(
    load: str, discipline: str, ns3: Ns3Queues
) -> None:
    arrivals, _ = ours(LOADS[load], DISCIPLINES[discipline], 8, 1)
    queue = DISCIPLINES[discipline].ours
    assert not isinstance(queue, Pie)
    mine, theirs = approximate(arrivals, 8, queue), ns3.fates(arrivals, DISCIPLINES[discipline], 8, 1)
    assert mine.dropped == theirs.dropped > 100
    assert np.allclose(mine.start, theirs.start, rtol=0, atol=1e-11, equal_nan=True)


@pytest.mark.parametrize("discipline", ["pie", "pie-all"])
def test_pie_holds_the_delay_where_ns3s_holds_it(discipline: str, ns3: Ns3Queues) -> None:
    waits: list[list[float]] = [[], []]
    for seed in range(1, 7):
        arrivals, fates = ours(LOADS["steady"], DISCIPLINES[discipline], 20, seed)
        sides = (fates, ns3.fates(arrivals, DISCIPLINES[discipline], 20, seed))
        for wait, side in zip(waits, sides, strict=True):
            wait.append(side.outcomes(arrivals, 20)["wait"])
    # docs/validation.md: the difference scatters by about 0.15 ms from seed to seed.
    assert np.mean(waits[0]) == pytest.approx(np.mean(waits[1]), abs=0.4)


def row(load: str, discipline: str, approximate: float | None) -> Row:
    values = {key: [1.0, 2.0] for key in OUTCOMES}
    values["sparse"] = [float("nan")] * 2
    return Row(load, discipline, [1, 2], values, {**values, "wait": [1.5, 1.5]}, 0.25, approximate)


def test_a_table_has_both_sides_and_their_difference() -> None:
    text = section([row("bursts", "codel", 1.0), row("bursts", "pie", None)], 30, "ns-3.37")
    assert text.count("| ns-3.37 |") == 2
    assert "sparse" not in text
    differences = [line for line in text.splitlines() if "| difference |" in line]
    # Waits of 1 and 2 less 1.5 twice: Student's t of one degree of freedom times 0.5.
    assert all("+0.000 ± 6.353 |" in line for line in differences)
    assert differences[0].endswith("| 25.00 | 100.00 |")
    assert differences[1].endswith("| 25.00 |  |")


def test_without_ns3_the_comparison_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(main, ["--seeds", "2"])
    assert result.exit_code == 1
    assert "not compared, for want of ns-3" in result.output
