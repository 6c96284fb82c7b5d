"""Controls of users that act on reports, on a rate and on a timer of their own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.own_controls import assert_equal, bell, example, one, tables

import parshall
from parshall import Control, FlowGroup, Tcp
from parshall.control import Report
from parshall.errors import InputError


def test_a_rate_is_kept_and_a_timer_comes_when_it_was_asked_for() -> None:
    woken: list[float] = []

    class Timed(Control):
        rate: float = 100.0

        def on_start(self) -> None:
            self.cwnd = 1000.0
            self.pacing_rate = self.rate
            self.wake_at = 0.5

        def on_timer(self, moment: parshall.control.Moment) -> None:
            assert math.isinf(self.wake_at)
            woken.append(moment.now)
            self.wake_at = moment.now + 0.25
            self.pacing_rate *= 2 if moment.now == 4.0 else 1

    tcp = Tcp(recovery="sack", control=Timed(rate=50.0))
    flows = [FlowGroup(name="f", count=1, transport=tcp, app=parshall.Bulk())]
    recording = parshall.run(bell("aimd", flows=flows))
    assert woken == [0.5 + 0.25 * i for i in range(30)]
    sent = recording.flow("f1").packets_sent
    assert abs(sent - (4 * 50 + 4 * 100)) <= 2


def test_a_report_gathers_what_every_ack_tells() -> None:
    told: list[Any] = []
    gathered: list[tuple[float, ...]] = []

    class Each(Control):
        def on_ack(self, ack: parshall.control.Ack) -> None:
            told.append(ack)

    class Gathers(Control):
        report = Report(
            "rtt",
            low="min rtt",
            high="max rtt",
            mean="mean rtt",
            acked="sum acked",
            seq="last high_ack",
            first="first now",
        )

        def on_report(self, report: Any) -> None:
            gathered.append(report)

    parshall.run(bell("aimd", flows=one(Each())))
    parshall.run(bell("aimd", flows=one(Gathers())))
    assert len({id(ack) for ack in told}) == len(told)  # an ACK that is kept stays as it is
    place = 0
    for report in gathered:
        acks = told[place : place + int(report.acks)]
        place += len(acks)
        rtts = [ack.rtt for ack in acks]
        assert (report.low, report.high, report.first) == (min(rtts), max(rtts), acks[0].now)
        assert report.mean == pytest.approx(sum(rtts) / len(rtts), rel=1e-12)
        assert (report.acked, report.seq, report.now) == (
            sum(ack.acked for ack in acks),
            acks[-1].high_ack,
            acks[-1].now,
        )
        assert report.lost == 0
    assert 20 < len(gathered) < len(told) / 4


def test_reports_come_after_a_time_and_at_losses() -> None:
    seen: list[Any] = []

    class Timed(Control):
        report = Report("100 ms", at_losses=True, acks_so_far="last delivered")

        def on_report(self, report: Any) -> None:
            seen.append(report)
            if not report.lost:
                self.cwnd += 1.0

    recording = parshall.run(bell("aimd", flows=one(Timed())))
    lost = sum(report.lost for report in seen)
    assert lost == recording.flow("f1").fast_retransmits + recording.flow("f1").timeouts > 0
    regular = [report.now for report in seen if not report.lost]
    assert 60 <= len(regular) <= 80
    assert np.diff(regular).min() >= 0.1


def test_a_compiled_report_is_the_same() -> None:
    module = example("rate")
    assert_equal(tables(bell(module.CompiledProbe())), tables(bell(module.Probe())))


def test_the_rate_based_example_fills_the_link_without_filling_the_queue() -> None:
    queue = parshall.DropTail(limit_packets=200)
    recording = parshall.run(
        bell("aimd", duration="30 s", queue=queue, flows=one(example("rate").Probe()), warm_up="5 s")
    )
    assert recording.flow("f1").goodput > 0.9 * 4e6 * 1000 / 1040


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"every": "sometimes"}, "sometimes"),
        ({"every": 0}, "0"),
        ({"low": "least rtt"}, r"low: got \"least rtt\", expected sum, min"),
        ({"low": "min speed"}, r"low: got \"min speed\""),
        ({"now": "last now"}, "now: got the name of a value, expected another name"),
    ],
)
def test_a_report_of_what_is_not_there_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Report(**arguments)
