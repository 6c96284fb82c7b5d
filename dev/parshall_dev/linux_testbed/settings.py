"""Settings of Chapter III's testbed, its experiments, and how much of it is run at once."""

from __future__ import annotations

from dataclasses import dataclass

RATE = 100e6
"""Bit/s of the bottleneck, Ethernet's headers included as Linux counts them."""
ONE_WAY = 0.05
"""Propagation one way, in seconds; a round trip takes twice that."""
LIMIT, LOW, HIGH = 60_000, 15_000, 45_000
"""The queue in bytes: its limit and RED's thresholds (Figure 19)."""
MEAN_PACKET = 1000
EWMA = 4
"""Exponent of RED: the weight of the queue in its average is 2^-4 (Figure 19)."""
PLOG = 19
MOST = (HIGH - LOW) / 2**PLOG
"""RED's drop probability at the upper threshold: Figure 19's 'Plog 19' makes it rise by 2^-19 a byte."""
TCP_FLOWS, WEB_CLIENTS = 35, 200
UDP_PAYLOAD, TCP_PAYLOAD = 972, 1448
UDP_HEADERS, TCP_HEADERS = 42, 66
"""UDP or TCP with time stamps, IP, Ethernet."""
UDP_BYTES, TCP_BYTES = UDP_PAYLOAD + UDP_HEADERS, TCP_PAYLOAD + TCP_HEADERS
CBR_RATE = 1e6
"""Bit/s of one of the UDP flows: the chapter's own simulation has 80 of them."""
WEB_SIZES = {500: 350, 5_000: 500, 50_000: 140, 500_000: 9, 5_000_000: 1}
"""Bytes of the five files and their weights of 1000 (Figure 21; WebStone's list of files)."""

SAMPLING = 0.033
"""Seconds of a sampling interval: a third of a round trip."""
ESTIMATION = 21
"""Sampling intervals in an estimation interval: seven round trips."""
ALPHA = 0.975
"""Forgetting factor of estimate and measure (III.C)."""
BACKLOG_ALPHA, SIGNAL_ALPHA = 0.23, 0.8
"""Forgetting factors of the queue length and the drop probability (III.C)."""
PZTHD = 3
"""Sampling intervals without a drop after which the form for p = 0 is taken; not printed."""
START = 60.0
"""When the estimator is started, in seconds (III.C)."""
DURATION = 300.0
CARRY_OVER_MSE = "0.001586"
"""Printed for the testbed's gains in the simulator (III.D)."""


@dataclass(frozen=True)
class Scale:
    """Factor of the chapter's rates, times and delays in a run. Loads and the queue stay as they are."""

    rates: float
    """Scale of the bottleneck, and of the numbers of flows and clients."""
    times: float
    """Time scale. The average of estimates forgets as much faster, so that its course looks the same."""
    repetitions: int
    delays: float = 1.0
    """Scale of the round trip, and of the intervals that are a part of it."""

    @property
    def one_way(self) -> float:
        """Propagation one way, in seconds."""
        return ONE_WAY * self.delays

    @property
    def sampling(self) -> float:
        """Seconds of a sampling interval."""
        return SAMPLING * self.delays

    @property
    def rate(self) -> float:
        """Bit/s of the bottleneck."""
        return RATE * self.rates

    @property
    def tcp_flows(self) -> int:
        return round(TCP_FLOWS * self.rates)

    @property
    def web_clients(self) -> int:
        return round(WEB_CLIENTS * self.rates)

    @property
    def alpha(self) -> float:
        """Forgetting factor of estimate and measure."""
        return float(ALPHA ** (1 / self.times))

    @property
    def start(self) -> float:
        """When the estimator is started, in seconds."""
        return START * self.times

    @property
    def words(self) -> str:
        """For a reader."""
        if self.rates == self.times == 1:
            return f"the chapter's rates and times, {self.repetitions} runs each"
        runs = "one run" if self.repetitions == 1 else f"{self.repetitions} runs"
        return (
            f"{self.rates:.3g} of the chapter's rates and numbers of flows and {self.times:g} of its times, "
            f"with its loads, delays and queue; {runs} each"
        )


SMALL = Scale(1 / 7, 0.3, 1)
"""Unless asked for all of it."""
FULL = Scale(1.0, 1.0, 3)
AT_RATE = Scale(1.0, 0.15, 1)
"""The chapter's rates for one experiment, so that one sees whether the scale matters."""


CHANGES = {
    "rate": ("the link is seven times as fast", AT_RATE),
    "round-trip": ("the round trip is twice as long", Scale(SMALL.rates, SMALL.times, 1, delays=2.0)),
}
"""Changes of the network's configuration, after which gains may have to be tuned anew (III.D)."""


@dataclass(frozen=True)
class Pulse:
    """UDP that comes and goes."""

    load: float
    start: float
    stop: float


@dataclass(frozen=True)
class Experiment:
    """Traffic at the bottleneck; times in seconds of the chapter."""

    name: str
    load: float
    """UDP's part of the bottleneck's rate."""
    pulse: Pulse | None = None
    web: tuple[float, float] | None = None
    """When Web clients come, and when they go."""
    super_packets: bool = False
    """True if senders hand down super-packets (GSO), which the bottleneck then drops whole."""
    queue: str = "estmred"
    """The queue discipline; a key of :data:`QUEUES`."""
    packets: bool = False
    """True if each packet at the router is looked at, too."""
    form: str = "one-hop"
    """Form of the estimator: a key of :data:`FORMS`."""
    second: float | None = None
    """UDP's part of the rate of a second bottleneck, which the long flows cross as well."""
    duration: float = DURATION


LOADS = (0.63, 0.76, 0.87)
LOAD_NAMES = {f"load/{100 * load:.0f}": load for load in LOADS}
DYNAMIC, MIX, SUPER = "dynamic", "mix", "super-packets"
EXPERIMENTS = {
    each.name: each
    for each in (
        *(Experiment(name, load, packets=True) for name, load in LOAD_NAMES.items()),
        Experiment(DYNAMIC, 0.63, pulse=Pulse(0.24, 150.0, 250.0)),
        Experiment(MIX, 0.67, web=(120.0, 240.0)),
    )
}
"""Figures 22 to 24."""
VARIANTS = {SUPER: Experiment(SUPER, 0.76, super_packets=True)}
"""Beside them: what the kernel does when it is left to itself."""
ESTMRED, TUNED, OFF = "estmred", "estmred-tuned", "estmred-off"
TUNE_ABOVE, TUNE_BAND = 0.5, 0.1
"""The share at which thresholds begin to move, and how far beyond it they have reached the limit."""
QUEUES = {
    ESTMRED: "ESTMRED",
    TUNED: "ESTMRED that becomes drop-tail",
    OFF: "ESTMRED that does not estimate",
    "red": "RED",
    "codel": "CoDel",
    "fq_codel": "FQ-CoDel",
    "bfifo": "drop-tail",
}
"""Queue disciplines of the kernel, and what a reader calls them."""
QUEUE_LOAD, QUEUE_DURATION = 0.76, 120.0
BESIDE = {
    f"queue/{queue}": Experiment(f"queue/{queue}", QUEUE_LOAD, queue=queue, duration=QUEUE_DURATION)
    for queue in QUEUES
}
"""Queues that get the same traffic."""
FORMS = {"one-hop": "the one-hop form", "multi-hop": "the multi-hop form"}
"""Forms of the estimator in the module: the second one knows of drops at other routers (2.23)."""
HOPS = {
    f"hops/{form}": Experiment(f"hops/{form}", 0.76, form=form, second=0.76, duration=DURATION)
    for form in FORMS
}
"""Two bottlenecks in a row, where the chapter has one; it leaves the multi-hop form for later (III.A)."""
RATE_LOAD = Experiment("rate/76", 0.76)
"""Experiment that is run at the chapter's rate, too; scaled it is ``load/76``."""
TRAINING = {each.name: each for each in (Experiment("train/70", 0.70), Experiment("train/82", 0.82))}
"""On these gains are tuned; nothing is judged on them."""
LABELS = {
    **{name: f"UDP {100 * load:.0f} %" for name, load in LOAD_NAMES.items()},
    DYNAMIC: "UDP that comes and goes",
    MIX: "UDP and the Web",
    SUPER: "UDP 76 %, super-packets",
}
