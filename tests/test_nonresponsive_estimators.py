"""Estimators of non-responsive traffic: against slow implementations of the printed equations, on simulated
ports, and with every kind of bad input."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

import parshall
from parshall.estimators import (
    EwmaFilter,
    NonresponsiveEstimator,
    NonresponsiveFixedPoint,
    NonresponsiveKaczmarz,
    NonresponsiveKalman,
    NonresponsiveRls,
    Quality,
    UdpCounter,
    counter_differences,
)
from parshall.scenario import Bulk, Cbr, Dumbbell, FlowGroup, Record, Red, Series, Tcp, Udp

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CAPACITY, PROPAGATION = 3500.0, 0.1
"""28 Mbit/s in packets of 1000 bytes, and 2 (30 + 2 x 10) ms."""
SAMPLES = 20
"""Sampling intervals in an estimation interval."""
WARM_UP, DURATION = 60.0, 180.0

METHODS: list[type[NonresponsiveEstimator]] = [NonresponsiveKaczmarz, NonresponsiveRls, NonresponsiveKalman]


class Port(NamedTuple):
    """Samples of the bottleneck at each sampling interval, and the true count of UDP packets."""

    backlog: Floats
    arrivals: Floats
    drops: Floats
    udp: Floats

    def samples(self) -> dict[str, Floats]:
        return {"backlog": self.backlog, "arrivals": self.arrivals, "drops": self.drops}

    def share(self) -> Floats:
        """True share of UDP packets in each estimation interval."""
        whole = len(self.udp) // SAMPLES * SAMPLES
        udp, arrivals = (x[:whole].reshape(-1, SAMPLES).sum(1) for x in (self.udp, self.arrivals))
        share: Floats = udp / arrivals
        return share


def bottleneck(cbr: int, sampling: float) -> Dumbbell:
    """Zhao 2004, figure 2 and 3: 35 TCP and some CBR flows of 1 Mbit/s over RED(15, 45, 0.1)."""
    tcp = Tcp(profile="ns2", recovery="reno", payload_bytes=960, header_bytes=40, min_rto=1.0)
    udp = Udp(payload_bytes=972, header_bytes=28)
    red = Red(min_threshold_packets=15, max_threshold_packets=45, max_probability=0.1, limit_packets=60)
    return Dumbbell(
        duration=DURATION,
        rate=28e6,
        delay=0.03,
        queue=red,
        access_rate=100e6,
        access_delay=0.01,
        flows=[
            FlowGroup(name="tcp", count=35, transport=tcp, app=Bulk(), start_spread=1.0),
            FlowGroup(name="cbr", count=cbr, transport=udp, app=Cbr(interval=0.008), start_spread=0.008),
        ],
        record=Record(port_series=Series(of="bottleneck", interval=sampling), packets="bottleneck"),
    )


@cache
def port(cbr: int, *, sampling: float = 0.033, seed: int = 7) -> Port:
    recording = parshall.run(bottleneck(cbr, sampling).scenario(), seed=seed)
    series, packets = recording.columns("port_series"), recording.columns("packets")
    times = series["time"]
    is_udp = np.array([name.startswith("cbr") for name in recording.flows])
    udp_times = packets["time"][(packets["event"] == 0) & is_udp[packets["flow"]]]
    counted = np.bincount(np.searchsorted(times, udp_times), minlength=len(times) + 1)[: len(times)]
    since = int(WARM_UP / sampling)
    counts = (counter_differences(series[name]) for name in ("packets_arrived", "packets_dropped"))
    columns = (series["backlog_packets"].astype(float), *counts, counted.astype(float))
    return Port(*(column[since:] for column in columns))


# --- The printed equations, slowly --------------------------------------------------------------------------


class Slow:
    """The signals of Zhao 2004, II.B and II.C, with lists instead of state."""

    def __init__(self, samples: dict[str, Floats], sampling: float, settings: dict[str, Any]) -> None:
        self.samples, self.sampling, self.settings = samples, sampling, settings
        alpha = {"backlog_alpha": 0.4, "signal_alpha": 0.6, "drop_alpha": 0.6, **settings}
        self.arrivals, self.drops = samples["arrivals"], samples["drops"]
        self.q = self.filtered(samples["backlog"], alpha["backlog_alpha"])
        self.p = self.filtered(self.drops / self.arrivals, alpha["signal_alpha"])
        self.rtt = self.q / CAPACITY + PROPAGATION
        self.r0 = np.full_like(self.q, settings["rtt"]) if settings.get("rtt") else self.rtt
        self.loss = self.filtered(self.drops, alpha["drop_alpha"]) / sampling * self.rtt

    @staticmethod
    def filtered(x: Floats, alpha: float) -> Floats:
        values = [float(x[0])]
        for new in x[1:]:
            values.append(alpha * values[-1] + (1 - alpha) * float(new))
        return np.array(values)

    def equation(self, t: int) -> tuple[list[float], float] | None:
        """Regressor and output at sample t of eq. 2.14, 2.19, 2.23 or A.6."""
        lag = math.floor(self.r0[t] / self.sampling + 0.5)
        if t < 2 or t < lag:
            return None
        rate = (self.q[t] - self.q[t - 1]) / self.sampling
        rate_before = (self.q[t - 1] - self.q[t - 2]) / self.sampling
        chi = self.rtt[t] * (rate - rate_before) / self.sampling + (rate / CAPACITY + 1) * rate
        if self.settings.get("count_drops"):
            chi += (self.loss[t] - self.loss[t - 1]) / self.sampling
        form = self.settings.get("form", "basic")
        third = {"basic": [], "multi-hop": [-1 / (2 * self.r0[t])], "cbr": [rate / CAPACITY]}[form]
        return [1 / self.r0[t], -self.p[t - lag] / (2 * self.r0[t]), *third], chi

    def quiet(self, t: int) -> int:
        """Sampling intervals in a row without a drop, up to a round trip before t."""
        end = t - math.floor(self.r0[t] / self.sampling + 0.5) + 1
        dropped = np.flatnonzero(self.drops[:end] > 0)
        return end - (dropped[-1] + 1 if len(dropped) else 0)

    def start(self) -> Floats:
        n_s, z0 = self.settings["start_n_s"], self.settings["start_z0"]
        third = {
            "basic": [],
            "multi-hop": [z0**2 / n_s * self.settings.get("start_elsewhere", 0.01)],
            "cbr": [self.settings.get("start_cbr", CAPACITY / 2)],
        }[self.settings.get("form", "basic")]
        return np.array([n_s, z0**2 / n_s, *third])

    def load(self, beta: Floats, t: int) -> float:
        """z0; 0 where the parameters have no meaning. With CBR the projection of A.7 and A.8."""
        if beta[0] <= 0 or beta[1] <= 0:
            return 0.0
        z0 = math.sqrt(beta[0] * beta[1])
        if self.settings.get("form") != "cbr":
            return z0
        # The two lines of A.7, intersected.
        slope = -1 / self.r0[t]
        lines = np.array([[-slope, 1.0], [1 / slope, 1.0]])
        x, _ = np.linalg.solve(lines, [CAPACITY, beta[2] + z0 / slope])
        return max(0.0, float(x))

    def offered(self, t: int) -> float:
        return float(self.arrivals[t] / self.sampling * self.r0[t])


def slow_loads(
    slow: Slow, betas: Callable[[], Callable[[list[float], float], Floats]]
) -> tuple[Floats, Floats]:
    """z0 and the first parameter after each sample."""
    step, beta, z = betas(), slow.start(), float("nan")
    loads, firsts = [], []
    after = slow.settings.get("zero_drops_after")
    for t in range(len(slow.q)):
        equation = slow.equation(t)
        if equation is not None and after is not None and slow.quiet(t) >= after:
            z = max(0.0, z + slow.sampling * equation[1])
        else:
            if equation is not None:
                beta = step(*equation)
            z = slow.load(beta, t)
        loads.append(z)
        firsts.append(beta[0])
    return np.array(loads), np.array(firsts)


def slow_share(slow: Slow, loads: Floats) -> Floats:
    shares = []
    for end in range(SAMPLES, len(loads) + 1, SAMPLES):
        window = range(end - SAMPLES, end)
        ratio = sum(loads[t] for t in window) / sum(slow.offered(t) for t in window)
        shares.append(min(1.0, max(0.0, 1 - ratio)))
    return np.array(shares)


def kaczmarz(slow: Slow, gamma1: float, gamma2: float) -> Callable[[list[float], float], Floats]:
    """Eq. 2.16."""
    beta = slow.start()

    def step(regressor: list[float], output: float) -> Floats:
        nonlocal beta
        w = np.array(regressor)
        error = output - w @ beta
        beta = beta + error * gamma2 * w / (gamma1 + w @ w)
        return beta

    return step


def batch_least_squares(
    slow: Slow, forgetting: float, initial: float
) -> Callable[[list[float], float], Floats]:
    """All equations so far at once, weighted, with the start value as one more; no recursion in the
    parameters. What is known fades only as far as no variance comes to exceed that of the start."""
    start = slow.start()
    scale = np.array(
        [
            start[0],
            start[1],
            *({"cbr": [CAPACITY], "multi-hop": [start[0]]}.get(slow.settings.get("form", ""), [])),
        ]
    )
    information = np.eye(len(start)) / initial
    right = information @ (start / scale)

    def step(regressor: list[float], output: float) -> Floats:
        nonlocal information, right
        w = np.array(regressor) * scale
        faded = forgetting * information + np.outer(w, w)
        fades = np.all(np.diag(np.linalg.inv(faded)) <= initial)
        information = faded if fades else information + np.outer(w, w)
        right = (forgetting if fades else 1.0) * right + w * output
        solution: Floats = np.linalg.solve(information, right) * scale
        return solution

    return step


def joseph_kalman(
    slow: Slow, initial: float, drift: float, noise: float
) -> Callable[[list[float], float], Floats]:
    """The Kalman filter on the parameters themselves, with Joseph's form of the covariance."""
    beta = slow.start()
    scale = np.array(
        [
            beta[0],
            beta[1],
            *({"cbr": [CAPACITY], "multi-hop": [beta[0]]}.get(slow.settings.get("form", ""), [])),
        ]
    )
    covariance = np.diag((initial * scale) ** 2)

    def step(regressor: list[float], output: float) -> Floats:
        nonlocal beta, covariance
        w = np.array(regressor)
        predicted = covariance + np.diag((drift * scale) ** 2 * slow.sampling)
        gain = predicted @ w / (w @ predicted @ w + noise**2)
        beta = beta + gain * (output - w @ beta)
        rest = np.eye(len(w)) - np.outer(gain, w)
        covariance = rest @ predicted @ rest.T + noise**2 * np.outer(gain, gain)
        return beta

    return step


VARIANTS: list[dict[str, Any]] = [
    {},
    {"rtt": 0.11},
    {"count_drops": True},
    {"zero_drops_after": 2},
    {"form": "multi-hop", "start_elsewhere": 0.03},
    {"form": "cbr", "start_cbr": 2300.0},
    {"form": "cbr", "rtt": 0.11, "count_drops": True, "zero_drops_after": 1, "backlog_alpha": 0.0},
]
START: dict[str, Any] = {"start_n_s": 20.0, "start_z0": 120.0}

METHOD_TWINS: list[tuple[type[NonresponsiveEstimator], Callable[..., Any], dict[str, float]]] = [
    (NonresponsiveKaczmarz, kaczmarz, {"gamma1": 5.0, "gamma2": 0.05}),
    (NonresponsiveRls, batch_least_squares, {"forgetting": 0.999, "initial": 1e-4}),
    (NonresponsiveKalman, joseph_kalman, {"initial": 0.3, "drift": 0.01, "noise": 400.0}),
]


@pytest.mark.parametrize("cbr", [16, 25])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize(("make", "twin", "own"), METHOD_TWINS, ids=lambda x: getattr(x, "__name__", ""))
def test_equals_the_printed_equations(
    make: Callable[..., Any],
    twin: Callable[..., Any],
    own: dict[str, float],
    variant: dict[str, Any],
    cbr: int,
) -> None:
    samples = {name: column[:1500] for name, column in port(cbr).samples().items()}
    settings = {**START, **variant}
    slow = Slow(samples, 0.033, settings)
    loads, firsts = slow_loads(slow, lambda: twin(slow, **own))
    series = make(CAPACITY, PROPAGATION, 0.033, **own, **settings).run(**samples)
    np.testing.assert_allclose(series.share, slow_share(slow, loads), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(series.n_s, firsts[SAMPLES - 1 :: SAMPLES], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(series.z0, loads.reshape(-1, SAMPLES).mean(1), rtol=1e-5, atol=1e-4)
    np.testing.assert_array_equal(series.samples, np.arange(SAMPLES, 1501, SAMPLES))
    # A check that could not fail if everything were at a limit.
    assert make is not NonresponsiveKaczmarz or np.ptp(series.n_s) > 1.0


def test_marks_count_as_signals_but_not_as_drops() -> None:
    samples = port(22).samples()
    drops = samples.pop("drops")
    common: dict[str, Any] = START | {"gamma2": 0.05}

    def share(count_drops: bool, **signals: Floats) -> Floats:
        estimator = NonresponsiveKaczmarz(CAPACITY, PROPAGATION, 0.033, count_drops=count_drops, **common)
        return estimator.run(**samples, **signals).share

    nothing = np.zeros_like(drops)
    np.testing.assert_array_equal(share(False, drops=nothing, marks=drops), share(False, drops=drops))
    np.testing.assert_array_equal(share(True, drops=nothing, marks=drops), share(False, drops=drops))
    assert not np.array_equal(share(True, drops=drops), share(False, drops=drops))


# --- Fixed point --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cbr", [16, 22, 25])
@pytest.mark.parametrize("extra", [{}, {"rtt": 0.11}, {"zero_drops_after": 10}], ids=str)
def test_fixed_point_is_within_one_percent_on_a_simulated_port(cbr: int, extra: dict[str, Any]) -> None:
    """Ticks of 10 ms, four of which make a sampling interval of 33 ms or more: 40 ms."""
    ticks = port(cbr, sampling=0.01).samples()
    whole = len(ticks["backlog"]) // 4 * 4
    fours = {name: column[:whole].reshape(-1, 4) for name, column in ticks.items()}
    sampled = {name: rows.mean(1) if name == "backlog" else rows.sum(1) for name, rows in fours.items()}
    settings: dict[str, Any] = {"gamma2": 0.02, "start_n_s": 12.0, "start_z0": 110.0, **extra}
    floating = NonresponsiveKaczmarz(CAPACITY, PROPAGATION, 0.04, **settings).run(**sampled)
    fixed = NonresponsiveFixedPoint(CAPACITY, PROPAGATION, 0.033, **settings).run(**ticks)
    np.testing.assert_allclose(fixed.share, floating.share, rtol=0.01)
    np.testing.assert_allclose(fixed.arrivals, floating.arrivals, rtol=1e-12)
    np.testing.assert_allclose(fixed.rtt, floating.rtt, rtol=1e-3)
    np.testing.assert_array_equal(fixed.samples, 4 * floating.samples)
    assert np.ptp(fixed.share) > 0.02
    assert not np.any(fixed.flags & Quality.SATURATED)


# --- Recovery on a simulated port ---------------------------------------------------------------------------

TUNED: list[tuple[Callable[..., Any], dict[str, Any], float]] = [
    # One set of settings for the three loads, tuned by hand on seeds 1 to 6, and a bound of the MSE: about
    # twice the greatest of those seeds.
    (
        NonresponsiveKaczmarz,
        {"gamma1": 0.04, "gamma2": 1e-4, "start_n_s": 59, "start_z0": 107, "zero_drops_after": 2}
        | {"count_drops": True, "backlog_alpha": 0.01, "signal_alpha": 0.13, "drop_alpha": 0.13},
        0.02,
    ),
    (
        NonresponsiveRls,
        {"forgetting": 0.999, "initial": 1e-6, "start_n_s": 11, "start_z0": 133}
        | {"backlog_alpha": 0.8, "signal_alpha": 0.94},
        0.03,
    ),
    (
        NonresponsiveKalman,
        {"initial": 0.04, "drift": 0.003, "start_n_s": 11, "start_z0": 133}
        | {"backlog_alpha": 0.81, "signal_alpha": 0.94},
        0.013,
    ),
]


@pytest.mark.parametrize(("make", "settings", "bound"), TUNED, ids=lambda x: getattr(x, "__name__", ""))
def test_recovers_the_share_of_cbr_traffic(
    make: Callable[..., Any], settings: dict[str, Any], bound: float
) -> None:
    """With the dissertation's MSE: both series through an EWMA of forgetting factor 0.975."""
    means = []
    for cbr in (16, 22, 25):
        series = make(CAPACITY, PROPAGATION, 0.033, **settings).run(**port(cbr).samples())
        estimate, actual = EwmaFilter(0.025).run(series.share), EwmaFilter(0.025).run(port(cbr).share())
        assert np.mean((estimate - actual) ** 2) < bound
        means.append(series.share.mean())
    assert means == sorted(means)


def test_the_udp_counter_is_right_where_only_udp_does_not_respond() -> None:
    for cbr in (16, 22, 25):
        counted = UdpCounter(SAMPLES).run(arrived=1000 * port(cbr).arrivals, udp=1000 * port(cbr).udp)
        np.testing.assert_allclose(counted.share, port(cbr).share(), rtol=1e-12)


def test_quality_tells_a_busy_port_from_an_idle_one() -> None:
    busy = NonresponsiveKalman(CAPACITY, PROPAGATION, 0.033).run(**port(25).samples())
    doubts = Quality.EMPTY_QUEUE | Quality.NOT_CONGESTED | Quality.NO_DROPS | Quality.BAD_SAMPLE
    assert np.mean((busy.flags & doubts) == 0) > 0.95
    assert np.all(busy.share_se > 0)
    idle = {name: column / 5 for name, column in port(25).samples().items()}
    idle["backlog"] *= 0
    slow = NonresponsiveKalman(CAPACITY, PROPAGATION, 0.033).run(**idle)
    assert np.all(slow.flags & Quality.EMPTY_QUEUE)
    assert np.all(slow.flags & Quality.NOT_CONGESTED)
