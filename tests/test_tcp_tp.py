"""TCP-TP (He, Gao, Hou and Park 2002) against the document's rule written out by a user."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import Control, Dumbbell, FlowGroup, Tcp, TcpTp
from parshall.control import NEW, PARTIAL
from parshall.forecast import Forecaster
from parshall.forecast.models import HE_2002
from parshall.scenario.parts import Constant, Ewma, LastValue

RATE = 4e6
PACKET_BITS = 8 * 1040
MODELS = {"lmmse": HE_2002, "last-value": LastValue(), "ewma": Ewma(gain=0.25)}
WHOLE: Any = {
    "up": math.ceil,
    "nearest": lambda n: max(math.floor(n + 0.5), 1),
    "down": lambda n: max(math.floor(n), 1),
}


class WrittenOut(Control):
    """Sections II.B and III.B from the document's text alone: f(t) sampled by time, a forecast with each
    sample, N = ceil(C / f^) and W = C RTT / N in the place of the additive increase.
    """

    model: str = "lmmse"
    gain: float = 0.5
    samples: int = 20
    each_ack: bool = False
    held: bool = False
    least_rtt: bool = False
    rounding: str = "up"
    forecaster: Any = field(init=False, default=None)
    predicted: float = field(init=False, default=float("nan"))
    sampled: float = field(init=False, default=float("nan"))
    first: int | None = field(init=False, default=None)
    since: float = field(init=False, default=0.0)
    acked: float = field(init=False, default=0.0)
    taken: int = field(init=False, default=0)
    srtt: float = field(init=False, default=float("nan"))
    least: float = field(init=False, default=float("inf"))

    def on_ack(self, ack: Any) -> None:
        if ack.kind not in (NEW, PARTIAL):
            return
        self.least = min(self.least, ack.rtt)
        self.srtt = ack.rtt if math.isnan(self.srtt) else self.srtt + (ack.rtt - self.srtt) / 8
        is_new = self.sample(ack)
        if not ack.may_grow:
            return
        ready = self.taken >= self.samples and self.predicted > 0
        if self.cwnd < self.ssthresh:
            self.open(ack.slow_start)
        elif not ready:
            self.cwnd += ack.growth / self.cwnd
        elif is_new or self.each_ack:
            capacity = RATE / PACKET_BITS
            rtt = self.least if self.least_rtt else self.srtt
            self.cwnd = max(capacity * rtt / WHOLE[self.rounding](capacity / self.predicted), 2.0)
            if self.held:
                self.ssthresh = min(self.ssthresh, self.cwnd)

    def sample(self, ack: Any) -> bool:
        picoseconds = round(1e12 * ack.now)
        if self.first is None:
            self.first = picoseconds
            return False
        now = (picoseconds - self.first) / 1e12
        self.acked += ack.acked
        taken = now - self.since
        if taken < self.srtt or taken <= 0:
            return False
        rate = self.acked / taken
        self.sampled = rate if math.isnan(self.sampled) else (1 - self.gain) * self.sampled + self.gain * rate
        self.since, self.acked = now, 0.0
        self.taken += 1
        if self.forecaster is None:
            self.forecaster = Forecaster(MODELS[self.model])
        self.predicted = self.forecaster.update(self.sampled)
        return True


def bell(control: Any) -> Dumbbell:
    tcp = Tcp(recovery="newreno", profile="ns2", payload_bytes=1000, header_bytes=40, control=control)
    return Dumbbell(
        duration="30 s",
        rate=RATE,
        delay="20 ms",
        access_rate="50 Mbit/s",
        access_delay="2 ms",
        queue=parshall.DropTail(limit_packets=15),
        loss=parshall.BernoulliLoss(probability=0.001),
        flows=[
            FlowGroup(name="f", count=2, transport=tcp, app=parshall.Bulk(), start_spread="0.5 s"),
            FlowGroup(name="reno", transport=Tcp(), app=parshall.Bulk(), start="8 s", stop="16 s"),
        ],
        record=parshall.Record(window=["f1", "f2"]),
    )


@pytest.mark.parametrize(
    ("options", "own"),
    [
        ({}, {}),
        ({"forecaster": LastValue()}, {"model": "last-value"}),
        ({"forecaster": Ewma(gain=0.25), "gain": 1.0}, {"model": "ewma", "gain": 1.0}),
        ({"decide": "ack"}, {"each_ack": True}),
        ({"slow_start_again": False}, {"held": True}),
        ({"rtt": "least", "samples": 5}, {"least_rtt": True, "samples": 5}),
        ({"rounding": "nearest"}, {"rounding": "nearest"}),
        ({"rounding": "down"}, {"rounding": "down"}),
    ],
    ids=["document", "last-value", "ewma", "each-ack", "held", "least-rtt", "nearest", "down"],
)
def test_it_is_the_documents_rule_written_out(options: dict[str, Any], own: dict[str, Any]) -> None:
    """Equal to the packet; windows agree to many digits."""
    theirs = parshall.run(bell(TcpTp(capacity=RATE, **options)), seed=3)
    ours = parshall.run(bell(WrittenOut(**own)), seed=3)
    for column, values in theirs.columns("flows").items():
        np.testing.assert_array_equal(ours.columns("flows")[column], values, err_msg=column)
    for column in ("time", "cwnd", "ssthresh"):
        mine, natives = ours.columns("window")[column], theirs.columns("window")[column]
        np.testing.assert_allclose(mine, natives, rtol=1e-9, err_msg=column)
    aimd = parshall.run(bell(parshall.Aimd()), seed=3)
    assert aimd.flow("f1").packets_sent != theirs.flow("f1").packets_sent


@pytest.mark.parametrize("capacity", [RATE, None])
def test_a_later_start_changes_nothing(capacity: float | None) -> None:
    def started(start: float) -> tuple[int, list[float]]:
        network = bell(TcpTp(capacity=capacity)).scenario()
        flow = network.flows[0].model_copy(update={"start": start, "start_spread": 0.0})
        shifted = network.model_copy(
            update={"duration": start + 20.0, "flows": (flow,), "record": parshall.Record(window=[flow.name])}
        )
        recording = parshall.run(shifted, seed=3)
        return recording.flow(flow.name).packets_sent, recording.columns("window")["cwnd"].tolist()

    for start in (0.1, 17.3, 1003.0):
        assert started(start) == started(0.0)


def test_a_capacity_that_is_not_told_is_measured() -> None:
    """Measures the capacity with one flow alone, whose pairs nothing comes between: the windows then are
    those of a given capacity.
    """

    def window(control: TcpTp) -> float:
        tcp = Tcp(payload_bytes=1000, header_bytes=40, control=control)
        run = parshall.run(
            Dumbbell(
                duration="20 s",
                rate=RATE,
                delay="20 ms",
                access_rate="50 Mbit/s",
                access_delay="2 ms",
                queue=parshall.DropTail(limit_packets=30),
                flows=[FlowGroup(transport=tcp, app=parshall.Bulk())],
                record=parshall.Record(window="f1"),
            )
        )
        return float(run.columns("window")["cwnd"][-1])

    share = Constant(value=RATE / PACKET_BITS / 3 * 1.01)
    told, measured = (
        window(TcpTp(capacity=capacity, samples=1, forecaster=share)) for capacity in (RATE, None)
    )
    assert measured == pytest.approx(told, rel=0.02)
