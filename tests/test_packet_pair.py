"""Throughput and capacity from ACKs, on arrays and on runs of the simulator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import parshall
from parshall.errors import InputError
from parshall.estimators import CapacityQuality, PacketPair, ThroughputSampler


def test_samples_by_time_are_the_equation_of_the_document() -> None:
    rng = np.random.default_rng(1)
    times = np.cumsum(rng.exponential(0.01, 2000))
    amounts = rng.integers(0, 3, 2000)
    found = ThroughputSampler(gain=0.25, interval=0.1).run(times, amounts)
    since, acked, f, expected = times[0], 0.0, None, []
    for now, amount in zip(times[1:], amounts[1:], strict=True):
        acked += amount
        if now - since >= 0.1:
            quotient = acked / (now - since)
            f = quotient if f is None else 0.75 * f + 0.25 * quotient
            expected.append((now, f))
            since, acked = now, 0.0
    assert np.column_stack(found) == pytest.approx(np.array(expected))


def test_one_ack_at_a_time_is_the_same_as_an_array() -> None:
    one, whole = (ThroughputSampler(gain=0.5, amount=10) for _ in range(2))
    times = np.arange(100) / 8
    samples = [sample for now in times if (sample := one.on_ack(now, 3)) is not None]
    assert samples == list(whole.run(times, np.full(100, 3)).throughput)
    assert (one.value, one.unsmoothed) == (24.0, 24.0)
    one.set_interval(1.0)
    one.restart(50.0)
    assert (one.on_ack(50.5, 8), one.on_ack(51.0, 8)) == (None, 20.0)
    one.reset()
    assert one.value is None


def pairs(rate: float, noise: float, seed: int = 1) -> tuple[Any, Any]:
    """Pairs of packets each second, whose dispersion is often increased by cross traffic."""
    rng = np.random.default_rng(seed)
    starts = np.arange(200.0)
    gaps = 1 / rate + np.where(rng.random(200) < noise, rng.exponential(3 / rate, 200), 0.0)
    times = np.column_stack([starts + 0.1, starts + 0.1 + gaps]).ravel()
    return times, np.repeat(starts, 2)


@pytest.mark.parametrize("filter", ["density", "histogram"])
def test_the_mode_of_disturbed_pairs_is_the_capacity(filter: Any) -> None:
    times, sent = pairs(1000.0, noise=0.6)
    one, whole = PacketPair(filter=filter), PacketPair(filter=filter)
    found = whole.run(times, sent)
    assert np.isnan(found.packets_per_second[0])
    for i, (now, sent_at) in enumerate(zip(times, sent, strict=True)):
        one.on_ack(now, sent_at)
        capacity = one.capacity()
        assert capacity is None or capacity == (
            found.packets_per_second[i],
            found.pairs[i],
            found.quality[i],
        )
    capacity = one.capacity()
    assert capacity is not None
    assert capacity.packets_per_second == pytest.approx(1000, rel=0.05)
    assert CapacityQuality.FEW_PAIRS not in capacity.quality
    one.reset()
    assert one.capacity() is None


def test_density_is_that_of_its_definition() -> None:
    # With K the triangle, the sample that maximises the sum of K((x - xi) / (c x)) over the last 50.
    times, sent = pairs(1000.0, noise=0.9, seed=3)
    found = PacketPair(window=50).run(times, sent)
    rates = 1 / np.diff(times)[::2]
    last = rates[-50:]
    u = (last[:, None] - last[None, :]) / (0.1 * last[:, None])
    densities = np.maximum(0, 1 - np.abs(u)).sum(axis=1)
    assert found.packets_per_second[-1] == pytest.approx(last[densities.argmax()])


def run_of(**changes: Any) -> tuple[Any, Any, Any]:
    """Arrivals, sending times and packets acknowledged of the ACKs of a flow alone at 10 Mbit/s."""
    tcp = parshall.Tcp(recovery="sack", delayed_ack=changes.pop("delayed_ack", False))
    scenario = parshall.Dumbbell(
        duration="5 s",
        rate="10 Mbit/s",
        delay="18 ms",
        queue=parshall.DropTail(limit_packets=60),
        access_rate="100 Mbit/s",
        access_delay="1 ms",
        flows=[parshall.FlowGroup(name="f", count=1, transport=tcp, app=parshall.Bulk())],
        record=parshall.Record(packets=("s1->r0",), deliveries=("f1",)),
        **changes,
    )
    recording = parshall.run(scenario, seed=1)
    packets = recording.columns("packets")
    data = (packets["port"] >= 0) & (packets["event"] == 0) & ~packets["ack"]
    sent = dict(zip(packets["seq"][data].tolist(), packets["time"][data].tolist(), strict=True))
    acks = packets["ack"] & (packets["event"] == 4)
    times, seqs = packets["time"][acks], packets["seq"][acks]
    highest = np.maximum.accumulate(seqs)
    return times, np.array([sent[seq] for seq in highest.tolist()]), np.diff(highest, prepend=-1)


@pytest.mark.parametrize("delayed_ack", [False, True])
def test_a_flow_alone_finds_the_rate_of_its_bottleneck(delayed_ack: bool) -> None:
    times, sent, packets = run_of(delayed_ack=delayed_ack)
    found = PacketPair().run(times, sent, packets)
    assert found.packets_per_second[-1] == pytest.approx(10e6 / 8 / 1040, rel=0.01)


def test_a_thin_way_back_is_taken_for_the_bottleneck_and_said_not_to_be_ruled_out() -> None:
    # ACKs of 40 bytes at 160 kbit/s: 500 a second.
    deep = parshall.DropTail(limit_packets=10_000)
    times, sent, packets = run_of(reverse=parshall.Reverse(rate="160 kbit/s", queue=deep))
    pairs = PacketPair()
    pairs.run(times, sent, packets)
    capacity = pairs.capacity()
    assert capacity is not None
    assert capacity.packets_per_second == pytest.approx(500, rel=0.02)
    assert capacity.quality & (CapacityQuality.REVERSE_PATH_UNKNOWN | CapacityQuality.THIN_REVERSE_PATH)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (
            lambda: ThroughputSampler(gain=0.5),
            "interval: got neither, expected either an interval or an amount",
        ),
        (
            lambda: ThroughputSampler(gain=0.5, interval=1, amount=1),
            "interval: got both, expected either an interval or an amount",
        ),
        (lambda: ThroughputSampler(gain=0.5, interval=0), "interval: got 0, expected seconds above 0"),
        (
            lambda: ThroughputSampler(gain=2, amount=1),
            "gain: got 2, expected a number above 0 and at most 1",
        ),
        (
            lambda: ThroughputSampler(gain=1, amount=1).run([0.0], [-1.0]),
            "amounts[0]: got -1, expected a finite number of at least 0",
        ),
        (
            lambda: ThroughputSampler(gain=1, amount=1).run([0.0], []),
            "amounts: got 0 values, expected 1, one for each of times",
        ),
        (
            lambda: ThroughputSampler(gain=1, amount=1).on_ack(float("nan"), 1),
            "now: got NaN, expected a finite number",
        ),
        (lambda: PacketPair(width=0), "width: got 0, expected a number from 0.01 to 1"),
        (lambda: PacketPair(window=0), "window: got 0, expected a whole number from 1 to 4096"),
        (lambda: PacketPair(stretch=0.5), "stretch: got 0.5, expected a number of at least 1"),
        (lambda: PacketPair(filter="mean"), 'filter: got "mean", expected "density" or "histogram"'),  # type: ignore[arg-type]
        (
            lambda: PacketPair().run([0.0], [0.0], [0.5]),
            "packets[0]: got 0.5, expected a whole number of packets",
        ),
    ],
)
def test_what_cannot_be_is_named(make: Callable[[], object], fault: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == fault
