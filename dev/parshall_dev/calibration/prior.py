"""Scenarios that the table is learned from: networks, what responds in them and what does not.

They go beyond the scenarios of the study ``responsiveness``: every rhythm comes both deaf and responsive,
time scales are random, links lose elsewhere, and dithers ask alone. A draw's number is all that decides it,
so that more can be drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import (
    BernoulliLoss,
    Cbr,
    CoDel,
    DitherLoss,
    Dumbbell,
    ExponentialPeriods,
    FlowGroup,
    FqCodel,
    OnOff,
    ParetoPeriods,
    Pie,
    Schedule,
    SelfSimilar,
    Udp,
    Vbr,
)
from parshall_dev.calibration.rhythms import Rhythm, writes
from parshall_studies.responsiveness import drawn

if TYPE_CHECKING:
    from parshall.scenario import Scenario

SALT = 50
"""Salt of the draws; sets to judge on have others, and other kinds."""
RESPONSIVE = (*drawn.RESPONSIVE, "rhythm")
"""Responsive kinds; ``rhythm`` is TCP under an application that is on and off, changes its rate or is
self-similar."""
DEAF = (
    "cbr",
    "vbr",
    "on-off",
    "pulses",
    "bursts",
    "wide-vbr",
    "wide-on-off",
    "self-similar",
    "replay",
    "replay",
)
"""Deaf kinds; replays twice, because nothing else has a responsive flow's rhythm."""
QUEUES = (*drawn.QUEUES, "codel-ecn", "pie-ecn")
DITHERS = ("none", "none", "none", "part", "floor", "floor", "alone")
"""``alone``: a dither at a link that is never full."""
INTERVAL = drawn.INTERVAL
EVERY = 5
"""Estimates from one row of evidence to the next."""
_STRATA = ((1e6, 5e7, 0.84), (5e7, 3e8, 0.13), (3e8, 2e9, 0.03))
"""Rates in bit/s and how often they are drawn: fast links are dear."""
_MOST_PACKETS = 1.5e6
_PACKET_BITS = 8 * 1500
_MOST_DEAF = 16
"""Flows that are drawn one by one."""
_MOST_FLOWS = 200
_REPLAYED_RATE = 2e7
"""Fastest link with replays, bit/s: each packet of theirs is written down."""


def between(rng: np.random.Generator, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


@dataclass(frozen=True)
class Draw(drawn.Drawn):
    """A scenario of the prior."""

    dither: str = "none"
    chance: float = 0.0
    """Probability of a signal by a dither that asks alone."""
    elsewhere: float = 0.0
    """Part of the packets that is lost before the link."""
    rhythms: tuple[Rhythm, ...] = ()

    @property
    def name(self) -> str:
        return f"prior/{self.number}"

    @property
    def duration(self) -> float:
        """Seconds."""
        return float(np.clip(_MOST_PACKETS * _PACKET_BITS / self.rate, 40.0, 70.0))

    def network(self) -> Dumbbell:
        changes: dict[str, Any] = {"record.responsiveness.evidence_every": EVERY, "record.port_series": None}
        if self.dither == "alone":
            changes |= {"loss": BernoulliLoss(probability=self.chance, of="data")}
            changes |= {"record.responsiveness.signals": "both"}
        elif self.dither != "none":
            part, floor = (0.05, 0.0) if self.dither == "part" else (1.0, 0.001)
            changes |= {"loss": DitherLoss(floor=floor, part=part, of="data")}
            changes |= {"record.responsiveness.signals": "both"}
        return super().network().with_(changes)

    def scenario(self) -> Scenario | Dumbbell:
        """The network, with what is lost elsewhere: on the way of every other flow."""
        network = self.network()
        if self.elsewhere == 0.0:
            return network
        scenario = network.scenario()
        some = {flow.source for flow in scenario.flows[::2]}
        loss = BernoulliLoss(probability=self.elsewhere, of="data")
        links = [
            link.model_copy(update={"loss": loss}) if link.between[0] in some else link
            for link in scenario.links
        ]
        return scenario.with_({"links": links})

    def _queue(self) -> Any:
        queues: Mapping[str, Any] = {
            "codel-ecn": lambda: CoDel(limit_packets=max(self._limit, 100), ecn=True),
            "pie-ecn": lambda: Pie(limit_packets=max(self._limit, 100), ecn=True),
            "fq-codel": lambda: FqCodel(ecn=self.number % 2 == 0),
        }
        return queues[self.queue]() if self.queue in queues else super()._queue()

    def _transport(self, kind: str, count: int) -> Any:
        transport = super()._transport("sack" if kind == "rhythm" else kind, count)
        ecn = self.queue.endswith("ecn") or (self.queue == "fq-codel" and self.number % 2 == 0)
        return transport.model_copy(update={"ecn": ecn})

    def _groups(self, kind: str, count: int) -> list[FlowGroup]:
        if kind != "rhythm" or count == 0:
            return super()._groups(kind, count)
        rng = np.random.default_rng((SALT, self.number, 2))
        fair = (1 - min(self.share, 0.9)) * self.rate / count
        bulk = max(1, count // 3)
        groups = super()._groups("sack", bulk)
        if count > bulk:
            app = _rhythm(rng, str(rng.choice(["on-off", "vbr", "self-similar"])), 1.5 * fair)
            control = str(rng.choice(["newreno", "sack", "cubic", "linux", "paced"]))
            groups.append(
                FlowGroup(
                    name="r-rhythm-",
                    count=count - bulk,
                    transport=self._transport(control, 1),
                    app=app,
                    start_spread=2.0,
                    access_delay=self._delays(count - bulk),
                )
            )
        return groups

    def _deaf(self) -> list[FlowGroup]:
        if self.deaf in drawn.DEAF:
            return super()._deaf()
        count = min(self._counts[1], _MOST_DEAF)
        if count == 0:
            return []
        rng = np.random.default_rng((SALT, self.number, 1))
        rate = self.share * self.rate / count
        return [
            FlowGroup(name="d-", count=1, transport=Udp(payload_bytes=1472), start_spread=2.0, app=app)
            for app in self._apps(rng, rate, count)
        ]

    def _apps(self, rng: np.random.Generator, rate: float, count: int) -> list[Any]:
        if self.deaf != "replay":
            return [_rhythm(rng, self.deaf.removeprefix("wide-"), rate) for _ in range(count)]
        if not self.rhythms:
            return [Cbr(rate=rate)] * count
        kinds = sorted({each.kind for each in self.rhythms})
        kind = kinds[self.number % len(kinds)]  # one control a scenario, as among those that respond
        own = [each for each in self.rhythms if each.kind == kind]
        wanted = rate / _PACKET_BITS
        near = sorted(own, key=lambda each: abs(np.log(each.rate / wanted)))[:8]
        return [
            Schedule(writes=writes(near[rng.integers(len(near))], wanted, self.duration - 3, rng))
            for _ in range(count)
        ]


def _rhythm(rng: np.random.Generator, kind: str, rate: float) -> Any:
    """A source of a kind at this mean rate, with time scales at random."""
    if kind == "vbr":
        swing, least = rng.uniform(0.1, 0.9), between(rng, 0.02, 10.0)
        rates = ((1 - swing) * rate, (1 + swing) * rate)
        return Vbr(rates=rates, intervals=(least, least * rng.uniform(1.5, 10)))
    if kind == "on-off":
        law = (
            ExponentialPeriods() if rng.uniform() < 0.5 else ParetoPeriods(shape=float(rng.uniform(1.2, 1.9)))
        )
        on, off = between(rng, 0.01, 10.0), between(rng, 0.01, 10.0)
        return OnOff(law=law, rate=rate * (on + off) / on, on=on, off=off)
    spread = rate * rng.uniform(0.1, 0.5)
    h = float(rng.uniform(0.55, 0.95))
    return SelfSimilar(rate=rate, h=h, sd=spread, interval=between(rng, 0.02, 2.0))


def draw(number: int, rhythms: Sequence[Rhythm] = (), *, slow: bool = False) -> Draw:
    """The scenario of this number; ``slow`` for a link of at most 20 Mbit/s with few flows."""
    rng = np.random.default_rng((SALT, number, 0))
    strata = rng.choice(len(_STRATA), p=[part for *_, part in _STRATA])
    deaf = DEAF[number % len(DEAF)]
    responsive = RESPONSIVE[number // len(DEAF) % len(RESPONSIVE)]
    dither = DITHERS[rng.integers(len(DITHERS))]
    most_rate = _REPLAYED_RATE if slow or deaf == "replay" else _STRATA[strata][1]
    least_rate = 1e6 if slow or deaf == "replay" else _STRATA[strata][0]
    rate = between(rng, least_rate, most_rate)
    most_flows = 24 if slow else min(_MOST_FLOWS, max(4.0, rate / 2e4))
    flows = round(between(rng, 2, most_flows))
    rtt = between(rng, 0.002, 0.6)
    share = float(np.clip(rng.uniform(-0.1, 1.2), 0.0, 1.15))
    chance = between(rng, 5e-4, 2e-2)
    if dither == "alone":
        # Twice what the square-root law of TCP lets the flows send, and what does not respond.
        rate = float(np.clip(2 * flows * 1.22 * _PACKET_BITS / (rtt * chance**0.5), 5e5, most_rate))
        share = min(share, 0.6)
    return Draw(
        number=number,
        rate=float(f"{rate:.3g}"),
        flows=flows,
        rtt=float(f"{rtt:.3g}"),
        spread=1.0 if rng.uniform() < 0.4 else float(rng.uniform(1, 8)),
        buffer=between(rng, 0.1, 6.0),
        queue=QUEUES[rng.integers(len(QUEUES))],
        responsive=responsive,
        deaf=deaf,
        shape=drawn.SHAPES[rng.choice(4, p=(0.55, 0.2, 0.15, 0.1))],
        share=share,
        dither=dither,
        chance=chance,
        elsewhere=between(rng, 5e-4, 2e-2) if rng.uniform() < 0.15 else 0.0,
        rhythms=tuple(rhythms) if deaf == "replay" else (),
    )


def kept_in(folder: Path, number: int) -> Path:
    """The file of a draw."""
    return folder / f"{number // 1000:03d}" / f"{number}.npz"
