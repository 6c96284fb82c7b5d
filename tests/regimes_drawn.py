"""Random runs beyond the first seconds of a flow: late starts, pauses, timeouts, outages, rates that change,
transfers that follow one another, of every control with every recovery, profile and timeout.

A run is drawn as a plain value, apart from all that must not matter: when it begins, how flows are called,
which links nobody uses.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from hypothesis import strategies as st

import parshall
from parshall import (
    ArimaRtoConfig,
    ArimaVegas,
    Bbr,
    BernoulliLoss,
    Binomial,
    Bulk,
    Capacity,
    CoDel,
    Copa,
    Cubic,
    DropTail,
    Dual,
    Flow,
    FqCodel,
    JacobsonRtoConfig,
    Link,
    ListedLoss,
    MedianRtoConfig,
    QuantileRtoConfig,
    Record,
    Recording,
    Red,
    Reverse,
    Scenario,
    Schedule,
    Tcp,
    TcpTp,
    Transfer,
    TransferSequence,
    VegasControl,
    Veno,
    WeightedMedianRtoConfig,
)

# Controls, timeouts, applications and options of a transport, which have no type in common.
Some = Any

CONTROLS: dict[str, Some] = {
    "aimd": "aimd",
    "iiad": Binomial.iiad(),
    "sqrt": Binomial.sqrt(),
    "veno": Veno(),
    "vegas": VegasControl(),
    "arima-vegas": ArimaVegas(),
    "dual": Dual(),
    "tcp-tp": TcpTp(),
    "dctcp": "dctcp",
    "cubic": Cubic(),
    "cubic-classic": Cubic(hystart="classic"),
    "cubic-plus-plus": Cubic(hystart="plus-plus"),
    "cubic-linux": Cubic.linux(),
    "copa": Copa(),
    "copa-alone": Copa(competitive=False),
    "bbr": Bbr(),
    "bbr-linux": Bbr.linux(),
    "bbr-bounds": Bbr(bounds=True),
}
RECOVERIES = ("tahoe", "reno", "newreno", "sack", "vegas")
PROFILES = ("rfc", "linux", "ns2")
RTOS: dict[str, Some] = {
    "default": None,
    "jacobson": JacobsonRtoConfig(),
    "median": MedianRtoConfig(),
    "quantile": QuantileRtoConfig(),
    "weighted-median": WeightedMedianRtoConfig(),
    "arima": ArimaRtoConfig(),
}
QUEUES: dict[str, Some] = {
    "droptail": lambda limit, packet: DropTail(limit_packets=limit),
    "red": lambda limit, packet: Red(
        min_threshold_packets=limit / 4,
        max_threshold_packets=limit / 2,
        limit_packets=limit,
        mean_packet_bytes=packet,
    ),
    "codel": lambda limit, packet: CoDel(limit_packets=limit, mtu_bytes=packet),
    "fq-codel": lambda limit, packet: FqCodel(limit_packets=limit, mtu_bytes=packet, quantum_bytes=packet),
}

TICK = 0.1
"""A late start is a whole number of these later: clocks that tick, as ns-2's and those of recorded rates do,
do not see the difference."""


def stack(control: str, recovery: str, profile: str, rto: str, **more: Some) -> Some:
    """Options of a transport, but for sizes."""
    options: dict[str, Some] = {"control": CONTROLS[control], "recovery": recovery, "profile": profile} | more
    if RTOS[rto] is not None:
        options["rto"] = RTOS[rto]
    if profile == "ns2":
        options["clock_phase"] = 0.0
    if control == "dctcp":
        options["ecn"] = True
    return options


def is_one(options: Some) -> bool:
    """True if there is such a transport."""
    try:
        probe(Tcp(**options)).check()
    except parshall.ParshallError:
        return False
    return True


def probe(tcp: Tcp) -> Scenario:
    link = Link(between=("a", "b"), rate="1 Mbit/s", delay="1 ms")
    flow = Flow(name="f", source="a", destination="b", transport=tcp, app=Bulk())
    return Scenario(duration="1 ms", hosts=["a", "b"], links=[link], flows=[flow])


@dataclass(frozen=True)
class Sender:
    """A flow over the path."""

    options: Some
    app: Some
    start: float


@dataclass(frozen=True)
class Drawn:
    """A run, and what must not matter to it."""

    senders: tuple[Sender, ...]
    rate: float
    delay: float
    queue: str
    limit: int
    seconds: float
    lost: tuple[int, ...] = ()
    """Arrivals that the bottleneck loses."""
    instants: tuple[float, ...] | None = None
    """When a packet may leave the bottleneck, if its rate is a recorded one."""
    later: float = 0.0
    names: tuple[str, ...] = ("f0", "f1", "f2")
    reordered: bool = False
    """True declares links and hosts the other way round."""
    more: frozenset[str] = field(default_factory=frozenset)
    """Some of `idle`, a flow that begins at the end; `elsewhere`, a link that loses all and that no flow
    crosses; `none`, a loss rate of 0."""
    scale: int = 1
    """Factor of rates and sizes."""

    def scenario(self) -> Scenario:
        links = [self.bottleneck()]
        hosts = ["b"]
        flows = []
        for number, sender in enumerate(self.senders):
            hosts.append(f"a{number}")
            access = Link(between=(f"a{number}", "r"), rate=100e6 * self.scale, delay=0.001 * (number + 1))
            links.append(access)
            flows.append(self.flow(sender, f"a{number}", self.names[number]))
        if "idle" in self.more:
            flows.append(self.flow(Sender(self.senders[0].options, Bulk(), self.seconds), "a0", "idle"))
        if "elsewhere" in self.more:
            hosts.append("c")
            links.append(
                Link(between=("r", "c"), rate="1 Mbit/s", delay="1 ms", loss=BernoulliLoss(probability=1.0))
            )
        if self.reordered:
            links.reverse()
            hosts.reverse()
        return Scenario(
            duration=self.later + self.seconds,
            hosts=hosts,
            routers=["r"],
            links=links,
            flows=flows,
            record=Record(window=list(self.names[: len(self.senders)])),
        )

    @property
    def packet(self) -> int:
        """Bytes of a full one."""
        return 1040 * self.scale

    def bottleneck(self) -> Link:
        loss: Some = ListedLoss(arrivals=self.lost, of="data") if self.lost else None
        if "none" in self.more and loss is None:
            loss = BernoulliLoss(probability=0.0)
        options: dict[str, Some] = {"rate": self.rate * self.scale}
        if self.instants is not None:
            times = [self.later + instant for instant in self.instants]
            options["capacity"] = Capacity(times=times, period="10 h", bytes=self.packet)
        return Link(
            name="bottleneck",
            between=("r", "b"),
            delay=self.delay,
            queue=QUEUES[self.queue](self.limit, self.packet),
            loss=loss,
            reverse=Reverse(rate=100e6 * self.scale, queue=DropTail(), capacity=None, loss=None),
            **options,
        )

    def flow(self, sender: Sender, source: str, name: str) -> Flow:
        sizes: dict[str, Some] = {"payload_bytes": 1000, "header_bytes": 40, "ack_bytes": 40}
        sizes = {size: self.scale * count for size, count in sizes.items()}
        app = sender.app
        if isinstance(app, TransferSequence) and app.requests:
            app = app.replace("request_bytes", 40 * self.scale)
        return Flow(
            name=name,
            source=source,
            destination="b",
            start=self.later + sender.start,
            transport=Tcp(**sender.options, **sizes),
            app=app,
        )

    def run(self, **changes: Some) -> Recording:
        return parshall.run(replace(self, **changes).scenario(), seed=1)


def silences(pieces: list[tuple[int, float]]) -> Schedule:
    """So many packets, then so long nothing, and so on."""
    times = accumulate((pause for _, pause in pieces[:-1]), initial=0.0)
    return Schedule(writes=[(time, packets) for time, (packets, _) in zip(times, pieces, strict=True)])


pauses = st.one_of(st.floats(0.05, 3.0), st.floats(3.0, 60.0)).map(lambda s: round(s, 3))
apps: st.SearchStrategy[Some] = st.one_of(
    st.just(Bulk()),
    st.builds(Transfer, packets=st.integers(1, 3000)),
    st.lists(st.tuples(st.integers(1, 400), pauses), min_size=2, max_size=5).map(silences),
    st.builds(
        TransferSequence,
        packets=st.integers(1, 300).map(float),
        think=pauses,
        connection=st.sampled_from(["new", "persistent"]),
        requests=st.booleans(),
    ),
)


@st.composite
def losses(draw: st.DrawFn) -> tuple[int, ...]:
    """Single packets, and rows of them that take a window and more: timeouts, and timeouts in a row."""
    rows = draw(
        st.lists(st.tuples(st.integers(1, 3000), st.sampled_from([1, 1, 3, 10, 40, 300])), max_size=3)
    )
    return tuple(sorted({first + n for first, count in rows for n in range(count)}))


@st.composite
def changes(draw: st.DrawFn, rate: float, seconds: float) -> tuple[float, ...] | None:
    """Instants at which packets of 1040 bytes leave: rates that change twentyfold, and outages."""
    if not draw(st.booleans()):
        return None
    instants: list[float] = []
    time = 0.0
    while time < seconds and len(instants) < 20_000:
        lasts = draw(st.floats(0.2, seconds / 2 + 0.3))
        now = rate * draw(st.sampled_from([1.0, 1.0, 0.3, 0.05, 0.0]))
        if now:
            gap = 8 * 1040 / now
            instants += [round(time + n * gap, 9) for n in range(min(int(lasts / gap), 10_000))]
        time += lasts
    return tuple(instants) or None


@st.composite
def runs(draw: st.DrawFn, control: str, most_seconds: float = 40.0) -> Drawn:
    """Runs whose first flow has this control."""

    def options(control: str) -> Some:
        parts = (draw(st.sampled_from(RECOVERIES)), draw(st.sampled_from(PROFILES)))
        chosen = stack(control, *parts, draw(st.sampled_from(list(RTOS))))
        return chosen if is_one(chosen) else stack(control, "sack", "rfc", "default")

    seconds = round(draw(st.floats(0.1, most_seconds)), 3)
    rate = draw(st.sampled_from([0.3e6, 1e6, 3e6] if seconds > 10 else [1e6, 4e6, 10e6]))
    others = draw(st.lists(st.sampled_from(list(CONTROLS)), max_size=2))
    senders = tuple(
        Sender(options(each), draw(apps), round(draw(st.floats(0, seconds / 2)), 3))
        for each in (control, *others)
    )
    return Drawn(
        senders=senders,
        rate=rate,
        delay=draw(st.sampled_from([0.001, 0.02, 0.1])),
        queue=draw(st.sampled_from(list(QUEUES))),
        limit=draw(st.sampled_from([4, 20, 100])),
        seconds=seconds,
        lost=draw(losses()),
        instants=draw(changes(rate, seconds)),
    )
