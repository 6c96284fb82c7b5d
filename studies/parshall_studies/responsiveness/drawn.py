"""Scenarios that no estimator was designed on: drawn by a Latin hypercube over rates, numbers of flows, round
trips, queues, buffers, controls and what does not respond, and split once, by hash, into those to design on
and those to judge on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from parshall.control import exp, log
from parshall.scenario import (
    Bbr,
    Binomial,
    Bulk,
    Capacity,
    Cbr,
    CoDel,
    Cubic,
    DropTail,
    Dumbbell,
    ExponentialPeriods,
    FlowGroup,
    FqCodel,
    OnOff,
    ParetoPeriods,
    Pie,
    Record,
    Red,
    Reverse,
    Series,
    ShareSeries,
    Tcp,
    Transfer,
    Udp,
    Vbr,
)

DRAWS = 240
"""Scenarios that are drawn; about half of them are judged on."""
INTERVAL = 0.7
"""Seconds between estimates: the estimator's own default."""
JUDGED_FROM = 20.0
"""Seconds from which intervals are judged."""
_PACKET_BITS = 8 * 1500
_RATES = (1e6, 2e9)
_FLOWS = (2, 5000)
_RTTS = (0.002, 0.6)
_BUFFERS = (0.1, 6.0)
"""Buffers in bandwidth-delay products."""
_LEAST_FAIR_RATE = 20e3
"""Bit/s a flow: below, nobody would keep so many flows on a link."""
_MOST_PACKETS = 1e7
"""Packets that a fast link may take in a run of more than a minute."""
_SEED = 2004
"""Seed of the hypercube."""

QUEUES = ("droptail", "red", "red-ecn", "codel", "pie", "fq-codel")
RESPONSIVE = (
    "newreno",
    "sack",
    "cubic",
    "linux",
    "binomial",
    "paced",
    "rate-over-udp",
    "window-limited",
    "app-limited",
    "mice",
    "bbr",
    "mixed",
)
DEAF = ("cbr", "vbr", "on-off", "pulses", "bursts")
SHAPES = ("steady", "churn", "acks", "capacity")
"""Shapes of the traffic: all steady, flows that come and go, ACKs of traffic in the other direction, and a
link whose rate changes.
"""


@dataclass(frozen=True)
class Drawn:
    """One scenario, and the kinds that it was drawn from."""

    number: int
    rate: float
    """Bit/s."""
    flows: int
    rtt: float
    """Seconds, without queueing; of the fastest flow where they differ."""
    spread: float
    """The longest round trip over the shortest."""
    buffer: float
    """Buffer in bandwidth-delay products."""
    queue: str
    responsive: str
    deaf: str
    shape: str
    share: float
    """Rate offered by flows that do not respond, of the link's."""

    @property
    def name(self) -> str:
        return f"drawn/{self.number}"

    @property
    def held_out(self) -> bool:
        """True if it is one to judge on; the hash of its name says so, for ever."""
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 0

    @property
    def duration(self) -> float:
        """Seconds: one to two minutes, the less the more packets that makes."""
        most = _MOST_PACKETS * _PACKET_BITS / self.rate
        return max(60.0, min(120.0, most))

    @property
    def kinds(self) -> Mapping[str, str]:
        """Groups of which coverage is asked, each by itself."""
        return {"queue": self.queue, "responsive": self.responsive, "deaf": self.deaf, "shape": self.shape}

    def network(self) -> Dumbbell:
        """Scenario to run."""
        reach = self.rtt / 4  # half of the round trip; access links have the rest
        return Dumbbell(
            duration=self.duration,
            rate=self.rate,
            delay=reach,
            queue=self._queue(),
            capacity=self._capacity(),
            reverse=Reverse(queue=DropTail()),
            access_rate=10 * self.rate,
            access_delay=(self.rtt - 2 * reach) / 4,
            flows=[*self._responsive(), *self._deaf(), *self._backwards()],
            record=Record(
                port_series=Series(of="bottleneck", interval=INTERVAL),
                responsiveness=ShareSeries(of="bottleneck", interval=INTERVAL),
            ),
        )

    # --- Its parts ------------------------------------------------------------------------------------------

    @property
    def _mean_rtt(self) -> float:
        return self.rtt * (1 + self.spread) / 2

    @property
    def _limit(self) -> int:
        """Packets in the buffer."""
        return max(10, round(self.buffer * self.rate * self._mean_rtt / _PACKET_BITS))

    def _queue(self) -> Any:
        limit = self._limit
        queues: Mapping[str, Callable[[], Any]] = {
            "droptail": lambda: DropTail(limit_packets=limit),
            "red": lambda: _red(limit),
            "red-ecn": lambda: _red(limit, ecn=True),
            "codel": lambda: CoDel(limit_packets=max(limit, 100)),
            "pie": lambda: Pie(limit_packets=max(limit, 100)),
            "fq-codel": FqCodel,
        }
        return queues[self.queue]()

    def _capacity(self) -> Any:
        """A rate that changes every two seconds between half of the link's and all of it."""
        if self.shape != "capacity":
            return None
        packets = self.rate / _PACKET_BITS
        times: list[float] = []
        for second, part in enumerate((1.0, 0.5, 0.8, 0.6, 1.0, 0.7)):
            count = max(1, round(2 * packets * part))
            times += [2.0 * second + 2.0 * index / count for index in range(count)]
        return Capacity(times=times, period=12.0, bytes=1500)

    @property
    def _counts(self) -> tuple[int, int]:
        """Flows that respond, and those that do not."""
        if self.share == 0:
            return self.flows, 0
        deaf = min(max(1, round(self.flows * min(self.share, 0.8) / 2)), 400, self.flows - 1)
        return self.flows - deaf, deaf

    def _responsive(self) -> list[FlowGroup]:
        count = self._counts[0]
        if self.share >= 1:
            count = 1
        if self.responsive == "mice":
            return self._mice(count)
        kinds = ("newreno", "cubic", "linux", "paced") if self.responsive == "mixed" else (self.responsive,)
        groups: list[FlowGroup] = []
        for index, kind in enumerate(kinds):
            part = count // len(kinds) + (index < count % len(kinds))
            groups += self._groups(kind, part)
        return groups

    def _groups(self, kind: str, count: int) -> list[FlowGroup]:
        """Endless transfers of a kind; with churn a third of them comes late and a third leaves early."""
        if count == 0:
            return []
        app: Any = Bulk()
        if kind == "app-limited":
            app = Cbr(rate=max(0.3 * (1 - min(self.share, 0.9)) * self.rate / count, 1e3))
        transport = self._transport(kind, count)
        thirds: Sequence[tuple[float, float | None]] = [(0.0, None)]
        if self.shape == "churn":
            thirds = [(0.0, None), (self.duration / 3, None), (0.0, 2 * self.duration / 3)]
        groups: list[FlowGroup] = []
        for index, (start, stop) in enumerate(thirds):
            part = count // len(thirds) + (index < count % len(thirds))
            if part:
                groups.append(
                    FlowGroup(
                        name=f"r-{kind}-",
                        count=part,
                        transport=transport,
                        app=app,
                        start=start,
                        start_spread=min(5.0, 0.1 * self.duration),
                        access_delay=self._delays(part),
                        **({} if stop is None else {"stop": stop}),  # type: ignore[arg-type]
                    )
                )
        if kind == "app-limited":  # others fill the link
            groups.append(
                FlowGroup(
                    name="r-sack-",
                    count=max(1, count // 4),
                    transport=self._transport("sack", 1),
                    app=Bulk(),
                    start_spread=2.0,
                )
            )
        return groups

    def _transport(self, kind: str, count: int) -> Tcp:
        ecn = self.queue == "red-ecn"
        window = max(2, round(1.2 * self.rate * self._mean_rtt / _PACKET_BITS / max(count, 1)))
        options: Mapping[str, Mapping[str, Any]] = {
            "newreno": {"recovery": "newreno"},
            "sack": {"recovery": "sack"},
            "cubic": {"recovery": "sack", "control": Cubic()},
            "linux": {"profile": "linux", "recovery": "sack", "control": Cubic.linux()},
            "binomial": {"recovery": "sack", "control": Binomial.sqrt()},
            "paced": {"recovery": "sack", "pacing": True},
            "rate-over-udp": {"recovery": "sack", "pacing": True, "control": Binomial.iiad()},
            "window-limited": {"recovery": "sack", "max_window_packets": window},
            "app-limited": {"recovery": "sack"},
            "mice": {"recovery": "sack"},
            "bbr": {"recovery": "sack", "control": Bbr()},
        }
        return Tcp(payload_bytes=1448, ecn=ecn, **options[kind])

    def _mice(self, count: int) -> list[FlowGroup]:
        """Half of the flows are endless; short transfers make up half of what they leave."""
        endless = max(1, count // 2)
        rest = (1 - min(self.share, 0.95)) * self.rate / 2
        size = 20
        transfers = min(max(1, round(rest * self.duration / (size * _PACKET_BITS))), 20_000)
        mice = FlowGroup(
            name="r-mice-",
            count=transfers,
            transport=self._transport("mice", 1),
            app=Transfer(packets=size),
            start_spread=self.duration,
        )
        return [*self._groups("sack", endless), mice]

    def _delays(self, count: int) -> list[float]:
        """Access delays that make round trips from the shortest to the longest, in even ratios."""
        ratios = [self.spread ** (index / max(count - 1, 1)) for index in range(count)]
        return [(self.rtt * ratio - self.rtt / 2) / 4 for ratio in ratios]

    def _deaf(self) -> list[FlowGroup]:
        count = self._counts[1]
        if count == 0:
            return []
        rate = self.share * self.rate / count
        packet = 1500
        common: dict[str, Any] = {
            "name": f"d-{self.deaf}-",
            "count": count,
            "transport": Udp(payload_bytes=packet - 28),
            "start_spread": 2.0,
        }
        apps: Mapping[str, Callable[[], Any]] = {
            "cbr": lambda: Cbr(rate=rate),
            "vbr": lambda: Vbr(rates=(0.5 * rate, 1.5 * rate), intervals=(0.1, 5.0)),
            "on-off": lambda: OnOff(law=ParetoPeriods(shape=1.5), rate=2 * rate, on=1.0, off=1.0),
            "bursts": lambda: OnOff(law=ExponentialPeriods(), rate=2 * rate, on=0.02, off=0.02),
        }
        if self.deaf != "pulses":
            return [FlowGroup(**common, app=apps[self.deaf]())]
        steady = FlowGroup(**(common | {"count": max(1, count // 2)}), app=Cbr(rate=rate))
        late = count - max(1, count // 2)
        if late == 0:
            return [steady]
        start, stop = 0.4 * self.duration, 0.7 * self.duration
        pulse = FlowGroup(**(common | {"count": late}), app=Cbr(rate=rate), start=start, stop=stop)
        return [steady, pulse]

    def _backwards(self) -> list[FlowGroup]:
        if self.shape != "acks":
            return []
        count = max(1, self.flows // 4)
        transport = Tcp(payload_bytes=1448, recovery="sack")
        return [
            FlowGroup(
                name="a-", count=count, transport=transport, app=Bulk(), direction="reverse", start_spread=2.0
            )
        ]


def _red(limit: int, *, ecn: bool = False) -> Red:
    least = max(limit / 4, 2.0)
    return Red(
        min_threshold_packets=least, max_threshold_packets=3 * least, limit_packets=max(limit, 10), ecn=ecn
    )


@cache
def drawn() -> tuple[Drawn, ...]:
    """All of them, the same for ever."""
    from scipy.stats import qmc

    points = qmc.LatinHypercube(d=10, seed=_SEED).random(DRAWS)
    return tuple(_scenario(number, point) for number, point in enumerate(points.tolist()))


def design_set() -> tuple[Drawn, ...]:
    """Those to design on."""
    return tuple(each for each in drawn() if not each.held_out)


def judging_set() -> tuple[Drawn, ...]:
    """Those to judge on, which nobody looks at before an estimator is finished."""
    return tuple(each for each in drawn() if each.held_out)


def _scenario(number: int, point: Sequence[float]) -> Drawn:
    rate = _log(point[0], _RATES)
    most = min(_FLOWS[1], max(4.0, rate / _LEAST_FAIR_RATE))
    share = point[8] * 1.2 - 0.1
    return Drawn(
        number=number,
        rate=float(f"{rate:.3g}"),
        flows=round(_log(point[1], (_FLOWS[0], most))),
        rtt=float(f"{_log(point[2], _RTTS):.3g}"),
        spread=1.0 if point[3] < 0.4 else 1 + 7 * (point[3] - 0.4) / 0.6,
        buffer=_log(point[4], _BUFFERS),
        queue=_of(QUEUES, point[5]),
        responsive=_of(RESPONSIVE, point[6]),
        deaf=_of(DEAF, point[7]),
        shape=_of(SHAPES, point[9]),
        share=min(max(share, 0.0), 1.0),
    )


def _log(part: float, ends: tuple[float, float]) -> float:
    low, high = map(log, ends)
    return exp(low + part * (high - low))


def _of(kinds: Sequence[str], part: float) -> str:
    return kinds[int(part * len(kinds))]
