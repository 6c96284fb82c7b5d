"""Every estimator copies, pickles and clones, and its parameters are attributes that stay."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from parshall.errors import InputError
from parshall.estimators import (
    Alarm,
    ArimaRto,
    Estimator,
    EwmaFilter,
    JacobsonRto,
    JacobsonTicksRto,
    LinuxRto,
    MedianRto,
    NonresponsiveFixedPoint,
    NonresponsiveKaczmarz,
    NonresponsiveKalman,
    NonresponsiveRls,
    PacketPair,
    QuantileRto,
    Responsiveness,
    SlidingMad,
    SlidingMedian,
    ThroughputSampler,
    UdpCounter,
    WeightedMedianRto,
    base,
)
from parshall.forecast import Forecaster
from parshall.scenario.parts import Arima, forecaster as models

Feed = Callable[[Any, float], object]
"""Gives an estimator a sample made of a number between 0.05 and 0.15, and returns what it says."""

RNG = np.random.default_rng(1)
NUMBERS = 0.05 + 0.1 * RNG.random(700)


def _update(estimator: Any, x: float) -> object:
    return estimator.update(x)


def _port(estimator: Any, x: float) -> object:
    return estimator.update(backlog=100 * x, arrivals=1000 * x, drops=20 * x)


def _udp(estimator: Any, x: float) -> object:
    return estimator.update(arrived=1e6, udp=1e6 * x)


class _Clock:
    """Packets or ACKs at times that go on from call to call, wherever the estimator was copied."""

    def __init__(self) -> None:
        self.now: dict[int, float] = {}

    def ack(self, estimator: Any, x: float) -> object:
        return self._at(estimator, x, lambda now: estimator.on_ack(now, 100 * x)), estimator.value

    def pair(self, estimator: Any, x: float) -> object:
        return self._at(
            estimator, x, lambda now: estimator.on_ack(now, now - now % 0.5)
        ), estimator.capacity()

    def packet(self, estimator: Any, x: float) -> object:
        flow = int(x * 1000) % 7
        return self._at(estimator, x, lambda now: estimator.update(time=now, flow=flow, signalled=x > 0.14))

    def _at(self, estimator: Any, x: float, take: Callable[[float], object]) -> object:
        now = self.now.get(id(estimator), 0.0) + x
        self.now[id(estimator)] = now
        return take(now)

    def follow(self, original: Any, other: Any) -> None:
        if id(original) in self.now:
            self.now[id(other)] = self.now[id(original)]


_PORT = (3500.0, 0.1, 0.033)
MAKERS: dict[str, tuple[Callable[[], Any], Feed | str]] = {
    "ewma": (lambda: EwmaFilter(0.1), _update),
    "median": (lambda: SlidingMedian(5), _update),
    "long median": (lambda: SlidingMedian(200), _update),
    "mad": (lambda: SlidingMad(9), _update),
    "jacobson": (lambda: JacobsonRto(min_rto=0), _update),
    "ticks": (lambda: JacobsonTicksRto(min_rto=0), _update),
    "linux": (lambda: LinuxRto(min_rto=0), _update),
    "median rto": (lambda: MedianRto(7, min_rto=0), _update),
    "mad rto": (lambda: MedianRto(300, deviation="mad", min_rto=0), _update),
    "weighted": (lambda: WeightedMedianRto(memory=20, min_rto=0), _update),
    "quantile": (lambda: QuantileRto(0.05), _update),
    "arima rto": (lambda: ArimaRto(min_rto=0), _update),
    "kaczmarz": (lambda: NonresponsiveKaczmarz(*_PORT, rtt=0.1), _port),
    "multi-hop": (lambda: NonresponsiveKaczmarz(*_PORT, form="multi-hop"), _port),
    "rls": (lambda: NonresponsiveRls(*_PORT, form="cbr"), _port),
    "kalman": (lambda: NonresponsiveKalman(*_PORT, noise=3.0), _port),
    "fixed point": (lambda: NonresponsiveFixedPoint(*_PORT), _port),
    "udp": (UdpCounter, _udp),
    "throughput": (lambda: ThroughputSampler(gain=0.5, interval=0.3), "ack"),
    "pairs": (lambda: PacketPair(window=16), "pair"),
    "pairs by histogram": (lambda: PacketPair(filter="histogram"), "pair"),
    "alarm": (lambda: Alarm(level=0.5, rule="cusum"), _update),
    "responsiveness": (lambda: Responsiveness(interval=0.5, flows=64), "packet"),
}
for _name in models.__all__:
    _kind = getattr(models, _name)
    if isinstance(_kind, type) and _name not in ("Constant", "ForecasterConfig", "Forecaster"):
        try:
            _model = _kind()
        except Exception:
            continue  # has settings without a default
        MAKERS[f"forecaster {_name}"] = (lambda model=_model: Forecaster(model), _update)
MAKERS["forecaster exact"] = (lambda: Forecaster(Arima.jeyasekar_2014()), _update)


def _same(one: object, other: object, apart: float = 0.0) -> bool:
    """Equal, or no further ``apart``, where NaN equals NaN."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= apart or (math.isnan(one) and math.isnan(other))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(_same(a, b, apart) for a, b in zip(one, other, strict=True))
    return one == other


def _by_pickle(estimator: Any) -> Any:
    return pickle.loads(pickle.dumps(estimator))


WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": _by_pickle,
    "method": lambda estimator: estimator.copy(),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("maker", MAKERS)
def test_a_copy_goes_on_as_the_original_does_and_by_itself(maker: str, way: str) -> None:
    make, feed = MAKERS[maker]
    clock = _Clock()
    take: Feed = getattr(clock, feed) if isinstance(feed, str) else feed
    original, untouched = make(), make()
    for x in NUMBERS[:350]:
        take(original, x)
        take(untouched, x)
    other = WAYS[way](original)
    clock.follow(original, other)
    said = [take(other, x) for x in NUMBERS[350:]]
    # The original has not moved: it says the same as one that was never copied, and as its copy.
    assert _same(said, [take(original, x) for x in NUMBERS[350:]])
    assert _same(said, [take(untouched, x) for x in NUMBERS[350:]])
    assert type(other) is type(original)
    assert repr(other) == repr(original)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_clone_and_one_that_was_reset_begin_anew(maker: str) -> None:
    make, feed = MAKERS[maker]
    said = []
    for prepare in (lambda used: used.clone(), lambda used: used.reset() or used, lambda _: make()):
        clock = _Clock()
        take: Feed = getattr(clock, feed) if isinstance(feed, str) else feed
        used = make()
        for x in NUMBERS[:300]:
            take(used, x)
        fresh = prepare(used)
        clock.now.clear()
        said.append([take(fresh, x) for x in NUMBERS])
    # To rounding: the order in which a mixture adds up depends on what was there before.
    assert _same(said[0], said[1])
    assert _same(said[0], said[2], 1e-12)


@pytest.mark.parametrize("maker", MAKERS)
def test_what_an_estimator_was_made_with_are_attributes_that_stay(maker: str) -> None:
    estimator = MAKERS[maker][0]()
    given = estimator._given
    assert given
    assert all(getattr(estimator, name) == value for name, value in given.items())
    assert set(given) <= set(dir(estimator))
    for name in given:
        with pytest.raises(AttributeError, match=f"{name}: got 3, expected no change: make a new "):
            setattr(estimator, name, 3)
    with pytest.raises(AttributeError, match="no attribute 'gian'"):
        _ = estimator.gian
    with pytest.raises(AttributeError):
        estimator.gian = 3


def test_settings_that_were_left_at_their_defaults_are_attributes_too() -> None:
    kalman = NonresponsiveKalman(3500, 0.1, 0.033)
    assert (kalman.form, kalman.backlog_alpha, kalman.estimation_samples, kalman.rtt) == (
        "basic",
        0.4,
        20,
        None,
    )
    assert kalman.start_z0 == pytest.approx(0.5 * 3500 * 0.1, rel=0.5)
    assert NonresponsiveFixedPoint(3500, 0.1, 0.033).signal_alpha == 0.6


def test_an_interval_that_was_changed_is_the_attribute() -> None:
    sampler = ThroughputSampler(gain=0.5, amount=10)
    sampler.set_interval(0.25)
    assert (sampler.interval, sampler.amount) == (0.25, None)
    assert repr(sampler.clone()) == "ThroughputSampler(gain=0.5, interval=0.25, amount=None)"


def test_a_pickle_of_another_version_or_that_was_damaged_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    text = pickle.dumps(MedianRto())
    monkeypatch.setattr(base, "_version", lambda: "9.9")
    with pytest.raises(InputError, match=r"pickle: got an estimator of Parshall \d.*, expected one of"):
        pickle.loads(text)
    monkeypatch.undo()
    restore, arguments = MedianRto().__reduce__()
    with pytest.raises(InputError, match=r"pickle: got a state that says .*, expected that of a MedianRto"):
        restore(*arguments[:-1], b"\x00\x01")


def test_a_pickle_of_a_fresh_table_of_flows_is_small() -> None:
    assert len(pickle.dumps(Responsiveness(flows=100_000))) < 10_000


def test_a_subclass_stays_one() -> None:
    assert type(_Own().copy()) is _Own
    assert type(_by_pickle(_Own())) is _Own
    assert isinstance(_Own(), Estimator)


class _Own(MedianRto):
    pass
