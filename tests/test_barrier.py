"""Rounds of transfers at a barrier: synchronised reads from many servers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import parshall
from parshall import Barrier, Flow, InputError, Link, Record, Scenario, ScenarioError, Tcp

RATE, DELAY = 1e8, 1e-4
PACKET, REQUEST = 1000, 100
TCP = Tcp(payload_bytes=PACKET - 40, header_bytes=40, delayed_ack=False, initial_window_packets=10)


def reads(servers: int, packets: int = 8, **app: Any) -> Scenario:
    """A client that reads from servers behind one switch."""
    barrier = Barrier(packets=packets, request_bytes=REQUEST - 40, **{"think": 0.01, **app})
    names = [f"s{number}" for number in range(1, servers + 1)]
    return Scenario(
        duration="1 s",
        hosts=["client", *names],
        routers=["switch"],
        links=[Link(between=(name, "switch"), rate=RATE, delay=DELAY) for name in ("client", *names)],
        flows=[
            Flow(name=f"f{name}", source=name, destination="client", transport=TCP, app=barrier)
            for name in names
        ],
        record=Record(transfers="*"),
    )


@pytest.mark.parametrize("servers", [1, 3, 16])
def test_a_round_without_congestion_takes_what_the_wire_takes(servers: int) -> None:
    """The first request crosses two links, its ACK and the first packet one, then all leave the switch in a
    row, with the ACKs of those requests that came so late that packets were there before them.
    """
    rounds = parshall.run(reads(servers)).rounds()
    data, request, ack = (8 * size / RATE for size in (PACKET, REQUEST, 40))
    late = sum(REQUEST * number >= PACKET for number in range(servers))
    due = 2 * (request + DELAY) + ack + data + DELAY + servers * 8 * data + late * ack + DELAY
    assert len(rounds) > 40
    assert rounds.completion_time[1:] == pytest.approx(due, abs=1e-10)
    assert rounds.completion_time[0] > due  # connections are opened
    assert rounds.bytes == pytest.approx(servers * 8 * (PACKET - 40))
    assert rounds.goodput[1:] == pytest.approx(8 * servers * 8 * (PACKET - 40) / due)


def test_a_round_begins_when_the_one_before_is_done_everywhere() -> None:
    recording = parshall.run(reads(5, packets=40))
    rounds = recording.rounds()
    assert rounds.start[1:] == pytest.approx(rounds.end[:-1] + 0.01, abs=1e-12)
    for name in recording.flows:
        own = recording.flow(name).transfers
        assert np.array_equal(own.number, np.arange(len(own)))
        assert np.array_equal(own.session, own.number)
        assert own.start[: len(rounds)] == pytest.approx(rounds.start)
        assert (own.end[: len(rounds)] <= rounds.end).all()


def test_groups_do_not_wait_for_one_another_and_rounds_end() -> None:
    both = reads(4)
    apps = [Barrier(group=name, packets=packets, rounds=7) for name, packets in (("a", 2), ("b", 30))]
    both = both.with_({f"flows[fs{n}].app": apps[n % 2] for n in range(1, 5)})
    recording = parshall.run(both)
    short, long = recording.rounds("a"), recording.rounds("b")
    assert (len(short), len(long)) == (7, 7)
    assert short.end[-1] < long.end[2]
    assert recording.flow("fs1").packets_delivered == 7 * 30
    assert recording.flow("fs2").packets_delivered == 7 * 2
    with pytest.raises(InputError, match="group"):
        recording.rounds("c")


def test_the_first_round_begins_when_the_last_flow_has_started() -> None:
    late = reads(3).replace("flows[fs2].start", "0.3 s")
    assert parshall.run(late).rounds().start[0] == pytest.approx(0.3)


def test_a_new_connection_for_each_answer_opens_each_time() -> None:
    persistent, new = (parshall.run(reads(3, connection=use)).rounds() for use in ("persistent", "new"))
    assert new.completion_time[1:].min() > persistent.completion_time[1:].max() + 2 * DELAY


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("flows[fs2].app.packets", 9, "flows[1].app: got another barrier, expected that of"),
        ("flows[fs2].stop", "0.5 s", "flows[1].stop: got another time, expected that of"),
        ("flows[fs2].transport", "udp", "flows[1].app.kind: got"),
    ],
)
def test_flows_of_a_group_do_the_same(path: str, value: Any, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        reads(2).replace(path, value).check()
    assert str(caught.value).startswith(message)


def test_a_sweep_measures_rounds() -> None:
    bell = parshall.Dumbbell(
        duration="2 s",
        rate="100 Mbit/s",
        delay="20 us",
        queue=parshall.DropTail(limit_bytes="32 kB"),
        access_rate="100 Mbit/s",
        access_delay="10 us",
        flows=[parshall.FlowGroup(name="server", count=1, transport=TCP, app=Barrier(packets=64))],
        record=Record(transfers="*"),
    )
    servers = {"flows[server].count": [1, 8]}
    metrics = {"round": "round_time", "slowest": "flow:server*.round_time.max"}
    result = parshall.Sweep(bell, servers, seeds=1, metrics=metrics).run()
    for point in result.points:
        scenario = bell.replace("flows[server].count", point.parameters["flows[server].count"])
        rounds = parshall.run(scenario, seed=1).rounds()
        assert result.interval("round", point).mean == pytest.approx(rounds.completion_time.mean())
        assert result.interval("slowest", point).mean == pytest.approx(rounds.completion_time.max())
    bulk = bell.replace("flows[server].app", "bulk")
    with pytest.raises(InputError, match="barrier"):
        parshall.Sweep(bulk, servers, seeds=1, metrics={"round": "round_time"}).run()
