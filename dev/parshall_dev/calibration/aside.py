"""Scenarios to judge the share on: kinds of traffic and queues that the table was not calibrated with.

The truth is by design, as in the prior, and held against twins: runs with common random numbers in which a
part of each group's flows meets twice the loss, by marks where flows read marks. Scenarios in which the twins
contradict the design, as where a window is too small to matter, are ambiguous and counted apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import parshall
from parshall.estimators import NonresponsiveKaczmarz, NonresponsiveKalman
from parshall.scenario import (
    BernoulliLoss,
    Binomial,
    CoDel,
    Copa,
    DitherLoss,
    DropTail,
    FlowGroup,
    Pie,
    Red,
    Schedule,
    Series,
    Tcp,
    Udp,
    VegasControl,
    Veno,
)
from parshall_dev.calibration import prior
from parshall_studies.responsiveness import aggregate, drawn, response

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording
    from parshall.scenario import Scenario

SALT = 2087
SCENARIOS = 200
RESPONSIVE = ("veno", "vegas", "copa", "smooth", "backing-off")
"""Responsive kinds: ``smooth`` is a binomial control between AIMD and SQRT, ``backing-off`` a paced AIMD of
long steps, as a rate control over UDP has it."""
DEAF = ("poisson", "frames", "sawtooth", "fixed-window")
"""Deaf kinds: packets at random, frames of a video, a rate that rises and halves by itself, and TCP with a
window that no loss makes smaller."""
QUEUES = ("droptail-bytes", "adaptive-red", "red-ecn", "linux-codel", "linux-pie", "droptail")
TWINS = 4
"""Pairs."""
MODELS = {"kaczmarz": NonresponsiveKaczmarz, "kalman": NonresponsiveKalman}
"""Filters of the dissertation's model, which knows the queue, arrivals and drops of the aggregate."""
_FRAMES = 25.0
"""Frames/s."""
_DEVIATIONS = 2.0
_RATE = (1e6, 1e8)
_MOST_SCHEDULED = 2e7
"""Fastest link with scheduled packets, bit/s."""


@dataclass(frozen=True)
class Aside(prior.Draw):
    """One of them."""

    @property
    def name(self) -> str:
        return f"aside/{self.number}"

    def _queue(self) -> Any:
        limit = self._limit
        queues: Mapping[str, Callable[[], Any]] = {
            "droptail": lambda: DropTail(limit_packets=limit),
            "droptail-bytes": lambda: DropTail(limit_bytes=1500 * limit),
            "adaptive-red": lambda: _red(limit, adaptive=True),
            "red-ecn": lambda: _red(limit, ecn=True),
            "linux-codel": lambda: CoDel(variant="linux", limit_packets=max(limit, 100)),
            "linux-pie": lambda: Pie(variant="linux", limit_packets=max(limit, 100)),
        }
        return queues[self.queue]()

    def _transport(self, kind: str, count: int) -> Any:
        controls: Mapping[str, dict[str, Any]] = {
            "veno": {"control": Veno()},
            "vegas": {"control": VegasControl()},
            "copa": {"control": Copa(), "pacing": True},
            "smooth": {"control": Binomial(k=0.25, l=0.75)},
            "backing-off": {"control": Binomial(k=0, l=1, alpha=0.3, beta=0.3), "pacing": True},
            "sack": {},
        }
        return Tcp(payload_bytes=1448, recovery="sack", ecn=self.queue.endswith("ecn"), **controls[kind])

    def _deaf(self) -> list[FlowGroup]:
        count = min(self._counts[1], 16)
        if count == 0:
            return []
        rng = np.random.default_rng((SALT, self.number, 1))
        rate = self.share * self.rate / count
        if self.deaf == "fixed-window":
            window = max(2, round(rate * self._mean_rtt / (8 * 1500)))
            control = Binomial(k=0, l=1, alpha=100.0, beta=1e-6)
            transport = Tcp(payload_bytes=1448, recovery="sack", control=control, max_window_packets=window)
            return [
                FlowGroup(
                    name="d-", count=count, transport=transport, app=parshall.Bulk(),
                    start_spread=2.0, access_delay=self._delays(count),
                )
            ]  # fmt: skip
        writes = {"poisson": _poisson, "frames": _frames, "sawtooth": _sawtooth}[self.deaf]
        return [
            FlowGroup(
                name="d-",
                count=1,
                transport=Udp(payload_bytes=1472),
                start_spread=2.0,
                app=Schedule(writes=writes(rng, rate / (8 * 1500), self.duration - 3)),
            )
            for _ in range(count)
        ]


def _red(limit: int, *, adaptive: bool = False, ecn: bool = False) -> Red:
    """Thresholds closer together than those of the prior."""
    least = max(limit / 5, 2.0)
    return Red(
        min_threshold_packets=least,
        max_threshold_packets=2.5 * least,
        limit_packets=max(limit, 12),
        max_probability=0.05,
        adaptive=adaptive,
        ecn=ecn,
    )


def _poisson(rng: np.random.Generator, rate: float, duration: float) -> list[tuple[float, int]]:
    times = np.sort(rng.uniform(0, duration, max(1, rng.poisson(rate * duration))))
    return [(float(time), 1) for time in times]


def _frames(rng: np.random.Generator, rate: float, duration: float) -> list[tuple[float, int]]:
    """Frames of sizes that have a heavy tail; every twelfth is three times as large."""
    count = int(duration * _FRAMES)
    sizes = rng.lognormal(0, 0.5, count) * np.where(np.arange(count) % 12 == 0, 3.0, 1.0)
    ends = np.floor(np.cumsum(sizes * rate * duration / sizes.sum())).astype(int)
    packets = np.diff(ends, prepend=0)
    return [(float(frame / _FRAMES), int(size)) for frame, size in enumerate(packets) if size > 0]


def _sawtooth(rng: np.random.Generator, rate: float, duration: float) -> list[tuple[float, int]]:
    """A rate that rises from two thirds of its mean to four, halves, and rises again, as AIMD's does."""
    period = prior.between(rng, 0.3, 10.0)
    grid = np.arange(0, duration, period / 200)
    phase = (grid / period + rng.uniform()) % 1
    sent = np.cumsum(rate * (2 + 2 * phase) / 3) * (period / 200)
    return [(float(time), 1) for time in np.interp(np.arange(1, int(sent[-1])), sent, grid)]


def scenarios() -> tuple[Aside, ...]:
    """All of them, the same for ever."""
    return tuple(_scenario(number) for number in range(SCENARIOS))


def _scenario(number: int) -> Aside:
    rng = np.random.default_rng((SALT, number, 0))
    deaf = DEAF[number % len(DEAF)]
    rate = prior.between(rng, _RATE[0], _RATE[1] if deaf == "fixed-window" else _MOST_SCHEDULED)
    return Aside(
        number=number,
        rate=float(f"{rate:.3g}"),
        flows=round(prior.between(rng, 3, min(100, max(4.0, rate / 3e4)))),
        rtt=float(f"{prior.between(rng, 0.005, 0.4):.3g}"),
        spread=1.0 if rng.uniform() < 0.4 else float(rng.uniform(1, 8)),
        buffer=prior.between(rng, 0.2, 4.0),
        queue=QUEUES[rng.integers(len(QUEUES))],
        responsive=RESPONSIVE[number // len(DEAF) % len(RESPONSIVE)],
        deaf=deaf,
        shape=drawn.SHAPES[rng.choice(4, p=(0.6, 0.2, 0.1, 0.1))],
        share=float(np.clip(rng.uniform(-0.1, 1.1), 0.0, 1.0)),
    )


def contradicted(each: Aside) -> bool:
    """True where twins say with some certainty that a group does what it was not designed to do."""
    network = each.network().with_({"record.responsiveness": None})
    pairs = []
    given = None
    for seed in range(1, TWINS + 1):
        plain = parshall.run(network, seed)
        given = given or response.treatment(network, response.loss_at(plain))
        treated = parshall.run(_marking(response.twin(network, given)), seed)
        pairs.append((response.sent(plain), response.sent(treated)))
    assert given is not None
    every = [response.elasticities(given, [pair]) for pair in pairs]
    for group in every[0]:
        found = np.array([each_pair[group] for each_pair in every])
        error = _DEVIATIONS * float(found.std(ddof=1)) / TWINS**0.5
        low, high = found.mean() - error, found.mean() + error
        if low > response.DEAF_BELOW if group.startswith("d-") else high < response.DEAF_BELOW:
            return True
    return False


def _marking(scenario: Scenario) -> Scenario:
    """The treatment by marks where flows read them: a dither marks what may carry a mark."""
    links = [
        link.model_copy(update={"loss": DitherLoss(floor=link.loss.probability, of="data")})
        if isinstance(link.loss, BernoulliLoss)
        else link
        for link in scenario.links
    ]
    return scenario.with_({"links": links})


def _modelled(each: Aside, run: Recording, follows: Any) -> NDArray[np.float64]:
    """Shares of the dissertation's model, one half where it has none."""
    rows = len(run.columns("responsiveness")["time"])
    shares = np.full(rows, 0.5)
    found = aggregate.modelled(each, run, follows)[:rows]
    shares[: len(found)] = np.clip(np.nan_to_num(found, nan=0.5), 0, 1)
    return shares


def judged(each: Aside, dither: str) -> Mapping[str, Any]:
    """Truth and estimates of the intervals from 20 s on in which the queue was asked for more than it could
    do.
    """
    network = each.network()
    deaf = [
        flow for name, flows in response.groups(network).items() if name.startswith("d-") for flow in flows
    ]
    changes: dict[str, Any] = {
        "record.responsiveness.evidence_every": None,
        "record.responsiveness.deaf": deaf,
        "record.port_series": Series(of="bottleneck", interval=aggregate.SAMPLING),
    }
    if dither == "floor":
        changes |= {
            "loss": DitherLoss(floor=0.001, part=1.0, of="data"),
            "record.responsiveness.signals": "both",
        }
    run = parshall.run(network.with_(changes), 1)
    seen = run.columns("responsiveness")
    late = (seen["time"] > drawn.JUDGED_FROM) & (seen["packets"] > 20) & (np.cumsum(seen["signals"]) > 0)
    packets = seen["packets"][late]
    found = {name: seen[name][late] for name in ("share", "share_lower", "share_upper")}
    return {
        "truth": seen["packets_deaf"][late] / packets,
        "udp": seen["packets_udp"][late] / packets,
        **{name: _modelled(each, run, follows)[late] for name, follows in MODELS.items()},
        **found,
    }
