"""CA-ARTT (Jeyasekar et al. 2014): against the document's algorithm written out by a user, and inside ns-2's
Vegas, where nothing but the window rule may differ from the stock Vegas that ns-2.35 runs.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import ArimaVegas, Control, Dumbbell, FlowGroup, Scenario, Tcp, VegasControl
from parshall.control import NEW, PARTIAL
from parshall.scenario.parts import Constant, Ewma, LastValue, Median

PHI1, PHI2, THETA = -0.36251, 0.17573, -0.95108
"""Coefficients of the document, below equation 24."""


class CaArtt(Control):
    """The algorithm under equation 33 from the document's text alone: RTT1 to RTT3, equation 24 with the
    indices that its derivation gives, equation 33; decided once a round trip or with each ACK.
    """

    each_ack: bool = False
    rtts: Any = field(init=False, default=None)
    forecast: float = field(init=False, default=0.0)
    artt: float = field(init=False, default=0.0)
    least: float = field(init=False, default=float("inf"))
    began: int = field(init=False, default=0)
    total: float = field(init=False, default=0.0)
    count: int = field(init=False, default=0)
    mean: float = field(init=False, default=0.0)
    doubling: bool = field(init=False, default=True)
    growing: bool = field(init=False, default=False)

    def on_ack(self, ack: Any) -> None:
        if ack.kind not in (NEW, PARTIAL):
            return
        self.estimate(ack.rtt)
        ended = self.count_round(ack)
        if not ack.may_grow:
            return
        slow_start = self.cwnd < self.ssthresh
        if slow_start and self.doubling:
            self.open(ack.slow_start)
        if slow_start and ended:
            self.doubling = not self.doubling
        if ended or self.each_ack:
            self.decide()
        if self.growing and not slow_start:
            self.cwnd += ack.growth / self.cwnd

    def estimate(self, rtt: float) -> None:
        self.least = min(self.least, rtt)
        if self.rtts is None:
            self.rtts, error = (rtt, rtt, rtt), 0.0
        else:
            self.rtts, error = (rtt, *self.rtts[:2]), rtt - self.forecast
        x1, x2, x3 = self.rtts
        self.forecast = (1 + PHI1) * x1 + (PHI2 - PHI1) * x2 - PHI2 * x3 + THETA * error
        self.artt = self.forecast if self.forecast > 0 else rtt

    def count_round(self, ack: Any) -> bool:
        self.total += ack.rtt
        self.count += 1
        if ack.now_ps - round(1e12 * ack.rtt) < self.began:
            return False
        self.mean = self.total / self.count
        self.begin_round(ack.now_ps)
        return True

    def begin_round(self, now_ps: int) -> None:
        self.began, self.total, self.count = now_ps, 0.0, 0

    def on_timeout(self, loss: Any) -> float:
        self.begin_round(0)
        self.doubling = True
        return float(loss.in_use) / 2

    def on_restart(self, moment: Any) -> None:
        self.begin_round(0)

    def decide(self) -> None:
        expected, actual = self.cwnd / self.artt, self.cwnd / self.mean
        backlog = (expected - actual) * (self.artt - self.least)
        self.growing = False
        if self.cwnd < self.ssthresh:
            if backlog > 1:
                self.cwnd = max(min(self.cwnd - backlog + 1, self.cwnd), 2.0)
                self.ssthresh = min(self.cwnd, self.ssthresh)
        elif backlog > 3:
            self.cwnd = max(self.cwnd - 1, 2.0)
            self.ssthresh = min(self.ssthresh, self.cwnd)
        else:
            self.growing = backlog < 1


def bell(control: Any, **options: Any) -> Dumbbell:
    tcp = Tcp(**{"recovery": "newreno", **options}, control=control)
    return Dumbbell(
        duration="20 s",
        rate="4 Mbit/s",
        delay="20 ms",
        access_rate="50 Mbit/s",
        access_delay="2 ms",
        queue=parshall.DropTail(limit_packets=30),
        loss=parshall.BernoulliLoss(probability=0.002),
        flows=[
            FlowGroup(name="f", count=2, transport=tcp, app=parshall.Bulk(), start_spread="0.5 s"),
            FlowGroup(name="reno", count=1, transport=Tcp(), app=parshall.Bulk(), start="2 s", stop="12 s"),
        ],
        record=parshall.Record(window=["f1", "f2"]),
    )


@pytest.mark.parametrize("decide", ["round", "ack"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"recovery": "sack", "ecn": True},
        {"recovery": "reno", "profile": "ns2", "delayed_ack": True},
    ],
    ids=["newreno", "sack", "ns2"],
)
def test_it_is_the_documents_algorithm_written_out(decide: Any, options: dict[str, Any]) -> None:
    """Equal to the packet; sums of floats in another order leave windows equal to many digits."""
    theirs = parshall.run(bell(ArimaVegas(decide=decide), **options), seed=5)
    ours = parshall.run(bell(CaArtt(each_ack=decide == "ack"), **options), seed=5)
    for column, values in theirs.columns("flows").items():
        np.testing.assert_array_equal(ours.columns("flows")[column], values, err_msg=column)
    for column in ("time", "cwnd", "ssthresh", "next_seq", "high_ack"):
        mine, natives = ours.columns("window")[column], theirs.columns("window")[column]
        np.testing.assert_allclose(mine, natives, rtol=1e-9, err_msg=column)
    assert theirs.flow("f1").packets_retransmitted > 0


def asymmetric(control: Any, starts: tuple[float, float, float], cr: str = "320 kbit/s") -> Scenario:
    """The document's network: Vegas over 16 Mbit/s, its ACKs behind the packets of two Reno flows. Vegas of
    ns-2 adds no headers to its packets.
    """
    queue = {"kind": "droptail", "limit_packets": 50}
    reno = {"kind": "tcp", "profile": "ns2", "recovery": "reno", "clock_phase": 0}
    vegas = {**reno, "recovery": "vegas", "payload_bytes": 960, "control": control}
    ends = {"vegas": ("S", "D"), "reno1": ("D1", "S1"), "reno2": ("D2", "S2")}
    hosts = [host for pair in ends.values() for host in pair]
    access = [
        {
            "between": [host, "R1" if host[0] == "S" else "R2"],
            "rate": "100 Mbit/s",
            "delay": 0,
            "queue": queue,
        }
        for host in hosts
    ]
    bottleneck = {"between": ["R1", "R2"], "rate": "16 Mbit/s", "delay": "50 ms", "queue": queue}
    flows = [
        {"name": name, "source": source, "destination": destination, "app": "bulk", "start": start}
        | {"transport": vegas if name == "vegas" else reno}
        for (name, (source, destination)), start in zip(ends.items(), starts, strict=True)
    ]
    return Scenario.from_dict(
        {
            "duration": "200 s",
            "hosts": hosts,
            "routers": ["R1", "R2"],
            "links": [{**bottleneck, "reverse": {"rate": cr, "queue": queue}}, *access],
            "flows": flows,
            "record": {"window": ["vegas"]},
        }
    )


STARTS = {
    1: (0.0075008615420669601, 0.087939798034699534, 0.018389970724652507),
    2: (0.0070233092676025401, 0.098956314706688905, 0.041459133914419979),
    3: (0.029065123120818812, 0.064807395900044307, 0.046849045039549959),
    4: (0.019334130044716472, 0.02023475552920008, 0.0077957698645981822),
    5: (0.080091338595417949, 0.095215821124248132, 0.058626736355305999),
    6: (0.042729904848490798, 0.032229191592069904, 0.088418480329410409),
}
"""Starts of Vegas and the two Reno flows that ns-2's seeds draw."""

NS2 = [
    (1, "320 kbit/s", 1, 3, (401, 6, 2)),
    (2, "320 kbit/s", 1, 3, (401, 6, 2)),
    (3, "320 kbit/s", 1, 3, (399, 6, 2)),
    (4, "320 kbit/s", 1, 3, (397, 5, 2)),
    (5, "320 kbit/s", 1, 3, (397, 5, 2)),
    (6, "320 kbit/s", 1, 3, (397, 5, 2)),
    (5, "320 kbit/s", 2, 6, (399, 6, 2)),
    (1, "320 kbit/s", 4, 8, (776, 6, 2)),
    (3, "320 kbit/s", 4, 8, (772, 6, 2)),
    (1, "2 Mbit/s", 1, 3, (5980, 0, 0)),
    (1, "2 Mbit/s", 4, 8, (10702, 0, 0)),
    (3, "2 Mbit/s", 4, 8, (10693, 0, 0)),
]
"""Counters of ns-2.35's Vegas with these alpha and beta: packets sent, retransmitted, and timeouts."""


@pytest.mark.parametrize(("seed", "cr", "alpha", "beta", "expected"), NS2)
def test_stock_vegas_does_in_the_documents_network_what_ns_2_does(
    seed: int, cr: str, alpha: float, beta: float, expected: tuple[int, int, int]
) -> None:
    scenario = asymmetric(VegasControl(alpha=alpha, beta=beta), STARTS[seed], cr)
    flow = parshall.run(scenario).flow("vegas")
    assert (flow.packets_sent, flow.packets_retransmitted, flow.timeouts) == expected


def window_of(control: Any) -> list[np.ndarray[Any, Any]]:
    columns = parshall.run(asymmetric(control, STARTS[1])).columns("window")
    return [columns[name] for name in ("time", "cwnd", "ssthresh", "next_seq", "high_ack", "rto")]


def same(these: list[np.ndarray[Any, Any]], those: list[np.ndarray[Any, Any]]) -> bool:
    return all(np.array_equal(one, other, equal_nan=True) for one, other in zip(these, those, strict=True))


def test_nothing_but_the_window_rule_differs_from_stock_vegas() -> None:
    """Where both rules come to the same decisions, all the rest is the same to the last bit."""
    stock = window_of("aimd")
    assert same(window_of("vegas"), stock)
    assert not same(window_of("arima-vegas"), stock)
    unbounded = {"alpha": 1e9, "beta": 1e9, "gamma": 1e9}
    always = window_of(VegasControl(**unbounded))
    assert not same(always, stock)
    assert same(window_of(ArimaVegas(**unbounded)), always)
    # A forecast below the least round trip makes a backlog below 0.
    assert same(window_of(ArimaVegas(forecaster=Constant(value="1 ms"))), always)
    # One that is no time is none.
    no_time = ArimaVegas(forecaster=Constant(value=-1))
    assert same(window_of(no_time), window_of(ArimaVegas(forecaster=LastValue())))


def test_any_forecaster_may_stand_in_the_place_of_arima() -> None:
    forecasters = [None, LastValue(), Ewma(gain=0.125), Median(window=21)]
    windows = [window_of(ArimaVegas() if f is None else ArimaVegas(forecaster=f)) for f in forecasters]
    windows.append(window_of(ArimaVegas(decide="ack")))
    assert not any(same(one, other) for k, one in enumerate(windows) for other in windows[:k])
    stock = parshall.run(asymmetric("vegas", STARTS[1])).flow("vegas")
    ours = parshall.run(asymmetric("arima-vegas", STARTS[1])).flow("vegas")
    assert ours.goodput > 3 * stock.goodput
