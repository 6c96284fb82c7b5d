"""Estimators that watch a port in the simulator: they are those that take arrays, and disturb nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parshall
from parshall.errors import ParshallError, ScenarioError
from parshall.estimators import (
    NonresponsiveFixedPoint,
    NonresponsiveKaczmarz,
    NonresponsiveKalman,
    NonresponsiveRls,
    Quality,
)
from parshall.estimators.nonresponsive import NonresponsiveEstimator, NonresponsiveSeries
from parshall.recording import Recording
from parshall.recording.views import PortNonresponsive
from parshall.scenario import (
    BernoulliLoss,
    Bulk,
    Capacity,
    Cbr,
    DropTail,
    Dumbbell,
    FixedPointMethod,
    FlowGroup,
    KaczmarzMethod,
    KalmanMethod,
    QueueShareSeries,
    Record,
    Red,
    RlsMethod,
    Series,
    Tcp,
    Udp,
    loads,
)

SAMPLING = 0.033
PROPAGATION = 0.1
RED = Red(min_threshold_packets=15, max_threshold_packets=45, limit_packets=60)
RED_ECN = RED.replace("ecn", True)

Make = Callable[..., NonresponsiveEstimator]


def bell(
    *,
    method: Any = "kaczmarz",
    interval: float = SAMPLING,
    queue: Any = RED,
    duration: float = 40,
    **more: Any,
) -> Dumbbell:
    """Long TCP flows and CBR in packets of 1000 bytes at 28 Mbit/s over a round trip of 100 ms, with the
    sampled port beside the observed one.
    """
    tcp = Tcp(recovery="sack", payload_bytes=960, handshake=False, ecn=True)
    cbr = Udp(payload_bytes=972, header_bytes=28)
    observed = QueueShareSeries(
        of="bottleneck", sampling=SAMPLING, propagation=PROPAGATION, method=method, **more
    )
    return Dumbbell(
        duration=duration,
        rate="28 Mbit/s",
        delay="50 ms",
        access_rate="100 Mbit/s",
        access_delay=0,
        queue=queue,
        flows=[
            FlowGroup(name="t", count=35, transport=tcp, app=Bulk(), start_spread=1),
            FlowGroup(name="u", count=16, transport=cbr, app=Cbr(rate="1 Mbit/s"), start_spread=1),
        ],
        record=Record(port_series=Series(of="bottleneck", interval=interval), nonresponsive=observed),
    )


def from_arrays(recording: Recording, estimator: NonresponsiveEstimator) -> NonresponsiveSeries:
    """Estimates from the sampled port."""
    port = recording.port("bottleneck").series

    def counted(name: str) -> np.ndarray:
        return np.diff(getattr(port, f"packets_{name}").astype(float))

    return estimator.run(
        backlog=port.backlog_packets[1:].astype(float),
        arrivals=counted("arrived"),
        drops=counted("dropped"),
        marks=counted("marked"),
    )


def assert_same(seen: PortNonresponsive, series: NonresponsiveSeries) -> None:
    for column in set(NonresponsiveSeries._fields) - {"samples"}:
        np.testing.assert_array_equal(getattr(seen, column), getattr(series, column), err_msg=column)


@pytest.mark.parametrize(
    ("method", "make", "settings"),
    [
        ("kaczmarz", NonresponsiveKaczmarz, {}),
        (
            KaczmarzMethod(gamma1=0.5, gamma2=1.5),
            lambda *port, **more: NonresponsiveKaczmarz(*port, gamma1=0.5, gamma2=1.5, **more),
            {"zero_drops_after": 3, "derivative_alpha": 0.3, "estimation_samples": 7},
        ),
        ("rls", NonresponsiveRls, {"count_drops": True, "start_n_s": 20, "start_z0": 100}),
        (
            RlsMethod(forgetting=0.99, initial=3),
            lambda *port, **more: NonresponsiveRls(*port, forgetting=0.99, initial=3, **more),
            {"form": "multi-hop", "start_elsewhere": 0.02},
        ),
        ("kalman", NonresponsiveKalman, {"rtt": 0.11, "backlog_alpha": 0, "signal_alpha": 0.9}),
        (
            KalmanMethod(initial=0.5, drift=0.1, noise=1e4),
            lambda *port, **more: NonresponsiveKalman(*port, initial=0.5, drift=0.1, noise=1e4, **more),
            {"form": "cbr", "start_cbr": 1500, "count_drops": True, "drop_alpha": 0.2},
        ),
    ],
)
@pytest.mark.parametrize("queue", [RED, RED_ECN, DropTail(limit_packets=60)], ids=["red", "ecn", "droptail"])
def test_the_observer_is_the_estimator_on_the_sampled_port(
    method: Any, make: Make, settings: dict[str, Any], queue: Any
) -> None:
    recording = parshall.run(bell(method=method, queue=queue, **settings), 3)
    seen = recording.port("bottleneck").nonresponsive
    series = from_arrays(recording, make(28e6 / 8000, PROPAGATION, SAMPLING, **settings))
    samples = settings.get("estimation_samples", 20)
    assert len(seen) == int((40 - 1e-9) / SAMPLING) // samples
    np.testing.assert_allclose(seen.time, SAMPLING * series.samples, rtol=1e-12)
    assert_same(seen, series)
    assert np.ptp(seen.share) > 0


def test_the_fixed_point_form_looks_at_each_tick() -> None:
    method = FixedPointMethod(tick="10 ms")
    recording = parshall.run(bell(method=method, interval=0.01, queue=RED_ECN), 3)
    seen = recording.port("bottleneck").nonresponsive
    estimator = NonresponsiveFixedPoint(28e6 / 8000, PROPAGATION, SAMPLING, tick_ms=10)
    series = from_arrays(recording, estimator)
    # 33 ms have passed after four ticks, and 20 samples make an estimate.
    assert len(seen) == (4000 - 1) // (4 * 20)
    np.testing.assert_allclose(seen.time, 0.01 * series.samples, rtol=1e-12)
    assert_same(seen, series)


def test_the_truth_stands_beside_the_estimate() -> None:
    recording = parshall.run(bell(estimation_samples=5, queue=RED_ECN), 1)
    port = recording.port("bottleneck")
    seen, sampled = port.nonresponsive, port.series
    ends = sampled.time.searchsorted(seen.time)
    np.testing.assert_array_equal(sampled.time[ends], seen.time)
    for name, count in (("packets_arrived", seen.packets), ("packets_arrived_udp", seen.packets_udp)):
        np.testing.assert_array_equal(np.diff(getattr(sampled, name)[np.r_[0, ends]]), count)
    np.testing.assert_array_equal(seen.arrivals, seen.packets)
    assert 0.4 < seen.packets_udp.sum() / seen.packets.sum() < 0.7


def test_a_warm_up_hides_nothing_from_the_observer() -> None:
    scenario = bell(duration=20)
    whole = parshall.run(scenario, 2).port("bottleneck").nonresponsive
    later = parshall.run(scenario.replace("warm_up", 7), 2).port("bottleneck").nonresponsive
    for column in fields(whole):
        np.testing.assert_array_equal(getattr(whole, column.name), getattr(later, column.name))


@pytest.mark.parametrize("queue", [RED, DropTail(limit_packets=60)], ids=["red", "droptail"])
@pytest.mark.parametrize("warm_up", [0, 3.21])
def test_other_tables_do_not_change(queue: Any, warm_up: float) -> None:
    changes = {"record.packets": "bottleneck", "record.rtt": "*", "warm_up": warm_up}
    scenario = bell(duration=10, queue=queue).with_(changes)
    watched = parshall.run(scenario, 2)
    plain = parshall.run(scenario.replace("record.nonresponsive", None), 2)
    assert set(watched.tables) - set(plain.tables) == {"nonresponsive"}
    for table in plain.tables:
        ours, theirs = watched.columns(table), plain.columns(table)
        for column in theirs:
            np.testing.assert_array_equal(ours[column], theirs[column], err_msg=f"{table}.{column}")


def test_what_is_lost_before_the_queue_counts_as_dropped() -> None:
    scenario = bell(duration=20).replace("loss", BernoulliLoss(probability=0.05))
    recording = parshall.run(scenario, 1)
    assert recording.port("bottleneck").packets_lost > 1000
    estimator = NonresponsiveKaczmarz(28e6 / 8000, PROPAGATION, SAMPLING)
    assert_same(recording.port("bottleneck").nonresponsive, from_arrays(recording, estimator))


def test_the_rate_stands_for_a_recorded_capacity() -> None:
    capacity = Capacity(times=[0.0004], period=0.0004, bytes=1500)
    recording = parshall.run(bell(duration=20).replace("capacity", capacity), 1)
    estimator = NonresponsiveKaczmarz(28e6 / 8000, PROPAGATION, SAMPLING)
    assert_same(recording.port("bottleneck").nonresponsive, from_arrays(recording, estimator))


def test_the_mean_packet_makes_the_capacity() -> None:
    recording = parshall.run(bell(duration=20, mean_packet_bytes=500), 1)
    estimator = NonresponsiveKaczmarz(28e6 / 4000, PROPAGATION, SAMPLING)
    seen = recording.port("bottleneck").nonresponsive
    assert_same(seen, from_arrays(recording, estimator))
    assert all(Quality(int(flags)) & Quality.NOT_CONGESTED for flags in seen.flags)


def test_several_ports_are_watched_at_once() -> None:
    both = bell(duration=20).with_({"record.nonresponsive.of": "*"})
    alone = parshall.run(bell(duration=20), 1).port("bottleneck").nonresponsive
    recording = parshall.run(both, 1)
    beside = recording.port("bottleneck").nonresponsive
    for column in fields(alone):
        np.testing.assert_array_equal(getattr(alone, column.name), getattr(beside, column.name))
    table = recording.table("nonresponsive")
    assert table.num_rows == len(alone) * len(recording.ports)
    assert np.all(np.diff(table["time"].to_numpy()) >= 0)
    idle = recording.port("d1->r1").nonresponsive
    assert np.all(idle.packets_udp == 0)
    assert all(Quality(int(flags)) & Quality.NOT_CONGESTED for flags in idle.flags)


def test_a_recording_is_saved_with_its_estimates(tmp_path: Path) -> None:
    recording = parshall.run(bell(duration=5), 1)
    loaded = Recording.load(recording.save(tmp_path / "run"))
    ours, theirs = (one.port("bottleneck").nonresponsive for one in (recording, loaded))
    for column in fields(ours):
        np.testing.assert_array_equal(getattr(ours, column.name), getattr(theirs, column.name))


def test_nothing_is_there_that_was_not_asked_for() -> None:
    recording = parshall.run(bell(duration=1).replace("record.nonresponsive", None), 1)
    message = "bottleneck: nonresponsive is not recorded; name it in record.nonresponsive"
    with pytest.raises(ParshallError, match=message):
        _ = recording.port("bottleneck").nonresponsive


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"sampling": "200 ms"},
            "record.nonresponsive.sampling: got 0.2 with a round-trip time of 0.1 s, "
            "expected at most one round-trip time",
        ),
        (
            {"sampling": "0 s"},
            'record.nonresponsive.sampling: got "0 s", expected',
        ),
        (
            {"form": "double"},
            'record.nonresponsive.form: got "double", expected "basic", "multi-hop" or "cbr"',
        ),
        (
            {"method": "lms"},
            'record.nonresponsive.method: got "lms", '
            'expected "kaczmarz" or "rls" or "kalman" or "fixed-point"',
        ),
        (
            {"method": {"kind": "rls", "gamma1": 5}},
            "record.nonresponsive.method.gamma1: got an unknown key, "
            "expected one of the keys kind, forgetting, initial",
        ),
        (
            {"method": {"kind": "kaczmarz", "gamma2": 2}},
            "record.nonresponsive.method.gamma2: got 2, expected a number above 0 and below 2",
        ),
        (
            {"method": {"kind": "fixed-point", "tick": "1.5 ms"}},
            "record.nonresponsive.method.tick: got 0.0015 s, "
            "expected a whole number of milliseconds, at least 1",
        ),
        (
            {"backlog_alpha": 1},
            "record.nonresponsive.backlog_alpha: got 1, expected a number from 0 to below 1",
        ),
        (
            {"of": "nowhere"},
            'record.nonresponsive.of[0]: got "nowhere", expected the name of a port or link, or "*" for all',
        ),
    ],
)
def test_settings_are_checked(changes: dict[str, Any], message: str) -> None:
    observed = {"of": "bottleneck", "sampling": SAMPLING, "propagation": PROPAGATION, **changes}
    with pytest.raises(ScenarioError, match=re.escape(message)) as error:
        parshall.run(bell(duration=1).replace("record.nonresponsive", observed), 1)
    assert "\n" not in str(error.value)


def test_the_guides_file_runs() -> None:
    page = (Path(__file__).parents[1] / "docs/guide/nonresponsive.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    scenario = bell(duration=5).scenario().to_toml()
    head, _, _ = scenario.partition("[record")
    series = '[record.port_series]\nof = "bottleneck"\ninterval = "33 ms"\n'
    recording = parshall.run(loads(head + text + series), 1)
    seen = recording.port("bottleneck").nonresponsive
    assert len(seen) == int(5 / SAMPLING) // 20
    estimator = NonresponsiveKalman(28e6 / 8000, PROPAGATION, SAMPLING, count_drops=True)
    assert_same(seen, from_arrays(recording, estimator))
