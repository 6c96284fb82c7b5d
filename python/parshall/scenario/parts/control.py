"""Congestion controls."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/control.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default
from parshall.scenario.methods.control import BbrMethods, BinomialMethods, CubicMethods
from parshall.scenario.parts.forecaster import Arima, LastValue, Lmmse
from parshall.scenario.parts.own import UserControl

if TYPE_CHECKING:
    from parshall._core import ControlBase
    from parshall.control.library import SharedControl
    from parshall.scenario.parts.forecaster import ForecasterConfig, ForecasterConfigGiven
    from parshall.scenario.quantities import Given, Number, Table

__all__ = [
    "Aimd",
    "AnyControl",
    "ArimaVegas",
    "Bbr",
    "Binomial",
    "Copa",
    "Cubic",
    "Dctcp",
    "Dual",
    "TcpTp",
    "VegasControl",
    "Veno",
]


class Aimd(Part):
    """One packet a round trip up, half of the window down (RFC 5681)."""

    kind: Literal["aimd"] = "aimd"
    """Names this control."""


class ArimaVegas(Part):
    """CA-ARTT: Vegas that decides on a forecast of its next round trip. With ``ARTT`` for the forecast,
    ``RTT`` for the mean of the last round and ``baseRTT`` for the least, the backlog is ``N = (cwnd / ARTT -
    cwnd / RTT) (ARTT - baseRTT)`` packets (Jeyasekar et al. 2014, eq. 33). The last sample stands for a
    forecast that is not above 0. Slow start, of which they say nothing, is Vegas's, with N for the backlog or
    its own.
    """

    kind: Literal["arima-vegas"] = "arima-vegas"
    """Names this control."""
    alpha: float = 1.0
    """Backlog below which the window grows by a packet a round trip."""
    beta: float = 3.0
    """Backlog above which it shrinks by one; at least alpha."""
    gamma: float = 1.0
    """Backlog above which slow start ends."""
    forecaster: Given[ForecasterConfig, ForecasterConfigGiven] = default(
        Arima.known(ar=(-0.36251, 0.17573), d=1, ma=(-0.95108,))
    )
    """Forecaster of the next round trip, in seconds, from that of each ACK of new data."""
    decide: Literal["round", "ack"] = "round"
    """When it decides: once a round trip, as Vegas does, or with each ACK of new data, as the document's
    algorithm reads.
    """
    slow_start: Literal["forecast", "stock"] = "forecast"
    """Which backlog ends slow start: N, or that of stock Vegas."""


class Bbr(BbrMethods, Part):
    """BBR, version 1: a model of the path, its rate at the bottleneck and its round trip without a queue,
    sets rate and window (Cardwell et al. 2016). Its packets are paced. Meant for the recovery ``sack``.
    """

    kind: Literal["bbr"] = "bbr"
    """Names this control."""
    bounds: bool = False
    """True if losses and marks bound rate and window, as in version 3 (draft-ietf-ccwg-bbr)."""
    variant: Literal["draft", "linux"] | None = None
    """Version 1 of the draft or of Linux, which also looks out for policers and makes room in the window for
    ACKs that come together. Left out it is ``linux`` with the profile of that name and without ``bounds``,
    and ``draft`` otherwise.
    """


class Binomial(BinomialMethods, Part):
    """For a window ``w``, ``alpha / w^k`` packets a round trip up and ``beta w^l`` down (Bansal and
    Balakrishnan 2001). IIAD has k = 1 and l = 0, SQRT 1/2 for both. A loss in slow start and a timeout take
    half of the window, or what ``beta w^l`` is if that is more.
    """

    kind: Literal["binomial"] = "binomial"
    """Names this control."""
    k: float
    """Exponent of the increase."""
    l: float  # noqa: E741
    """Exponent of the decrease."""
    alpha: float = 1.0
    """Factor of the increase."""
    beta: float = 0.5
    """Factor of the decrease."""


class Copa(Part):
    """Copa: steers towards a rate that falls with the queueing delay, so that each flow keeps ``1 / delta``
    packets in the queue (Arun and Balakrishnan 2018). Its packets are paced. Meant for the recovery ``sack``.
    """

    kind: Literal["copa"] = "copa"
    """Names this control."""
    delta: float = 0.5
    """Weight of delay beside throughput."""
    competitive: bool = True
    """True if a flow that does not see the queue empty lowers delta, to hold its own beside flows that fill
    the buffer. Several flows of Copa may take each other for such ones.
    """


class Cubic(CubicMethods, Part):
    """CUBIC: a window that grows with the cube of the time since the last loss (RFC 9438)."""

    kind: Literal["cubic"] = "cubic"
    """Names this control."""
    c: float = 0.4
    """Steepness of the curve (RFC 9438, section 5.1)."""
    beta: float = 0.7
    """Factor of the window at a loss (section 4.6)."""
    fast_convergence: bool = True
    """True if a flow that loses early makes room (section 4.7)."""
    hystart: Literal["none", "classic", "plus-plus"] | None = None
    """Exit from slow start before a loss: none; by trains of ACKs and round trips that grow (Ha and Rhee
    2011, as in Linux); or by such round trips, with a conservative slow start after them (RFC 9406). Left out
    it is ``classic`` with the profile ``linux``, and ``none`` with others.
    """
    variant: Literal["rfc", "linux"] | None = None
    """Growth by the RFC or by Linux, which counts whole packets and ticks of 4 ms, aims ahead by the least
    round trip, which leaves queues out, grows by a twentieth a round trip at least before the first loss, and
    keeps up with a flow of Reno that grows by 0.53 packets a round trip for ever. Left out it is ``linux``
    with the profile of that name, and ``rfc`` with others.
    """


class Dctcp(Part):
    """DCTCP: the window shrinks by as much as the share of packets that were marked asks for (RFC 8257). It
    takes ``ecn`` and a queue that marks, best each packet that finds K or more waiting: ``Red`` with both
    thresholds K, ``weight=1``, ``gentle=False``, ``ecn=True`` and ``hard_drop=False``. Its receiver reports
    marks packet by packet.
    """

    kind: Literal["dctcp"] = "dctcp"
    """Names this control."""
    gain: float = 0.0625
    """Weight of the latest window in the share of marked packets (DCTCP.g)."""


class Dual(Part):
    """DUAL: AIMD that also backs off where it expects a round trip in the upper part of those it has seen
    (Wang and Crowcroft 1992), with any forecaster of the next one. Between ``least`` and ``greatest``, the
    limit is ``least + threshold (greatest - least)``. Slow start is that of AIMD: its overshoot is what shows
    how long round trips can be.
    """

    kind: Literal["dual"] = "dual"
    """Names this control."""
    threshold: float = 0.5
    """Where the limit lies between the least and the greatest round trip, from 0 to below 1."""
    beta: float = 0.875
    """Factor of the window above it, or, in proportion, where the greatest round trip is expected."""
    backoff: Literal["constant", "proportional"] = "constant"
    """By how much the window shrinks: always by the same part, or by more the higher the expected round trip
    is above the limit.
    """
    rounds: int = 2
    """It looks once in so many round trips."""
    forecaster: Given[ForecasterConfig, ForecasterConfigGiven] = default(LastValue.known())
    """Forecaster of the mean of the next round trip, in seconds, from those of the last ones."""


class TcpTp(Part):
    """TCP-TP: jumps to the share of the link that a forecast of its own throughput ``f`` implies, for ``N =
    ceil(C / f)`` connections: ``cwnd = C RTT / N`` (He et al. 2002, eq. 10 and 11). Slow start and what a
    loss leaves are those of AIMD, and so is the increase while there is no forecast.
    """

    kind: Literal["tcp-tp"] = "tcp-tp"
    """Names this control."""
    capacity: Given[float | None, Number | None] = default(None)
    """C, the rate of the bottleneck with all headers; packet pairs measure it if it is not given."""
    interval: float = 1.0
    """Measurement interval, in smoothed round-trip times."""
    gain: float = 0.5
    """alpha, the weight of the newest interval in the sampled throughput."""
    samples: int = 20
    """Number of intervals measured before the rule applies."""
    forecaster: Given[ForecasterConfig, ForecasterConfigGiven] = default(Lmmse.known(every=1, window=21))
    """Forecaster of the throughput of the next interval, in packets a second."""
    rounding: Literal["up", "nearest", "down"] = "up"
    """Rounding of N: up as printed, to the nearest, or down to one at least."""
    rtt: Literal["smoothed", "least"] = "smoothed"
    """Which round trip the window is for: the smoothed one, or the least so far."""
    decide: Literal["interval", "ack"] = "interval"
    """Times at which the window is set: with each new forecast, or with each ACK by the last one."""
    slow_start_again: bool = True
    """True if a window that is set below ssthresh opens by slow start again, as in a TCP whose increase alone
    is changed. If not, ssthresh comes down with it.
    """


class VegasControl(Part):
    """Vegas: keeps a number of packets in queues (Brakmo and Peterson 1995). This is its window alone; the
    recovery of the same name has its retransmissions as well.
    """

    kind: Literal["vegas"] = "vegas"
    """Names this control."""
    alpha: float = 1.0
    """Packets in queues below which the window grows."""
    beta: float = 3.0
    """Packets in queues above which it shrinks; at least alpha."""
    gamma: float = 1.0
    """Packets in queues above which slow start ends."""


class Veno(Part):
    """Veno: AIMD that backs off less when a loss does not look like congestion (Fu and Liew 2003)."""

    kind: Literal["veno"] = "veno"
    """Names this control."""
    beta: float = 3.0
    """Packets in queues from which on a loss counts as congestion."""
    backlog: Literal["round", "smoothed"] = "round"
    """Estimate of these: from the mean of the last round trip and the least of the connection, or from the
    smoothed round trip of RFC 6298 and the least since the last loss (Jeyasekar et al. 2014, eq. 1 and 2).
    """


AnyControl: TypeAlias = (
    Aimd
    | ArimaVegas
    | Bbr
    | Binomial
    | Copa
    | Cubic
    | Dctcp
    | Dual
    | TcpTp
    | VegasControl
    | Veno
    | UserControl
)
"""Any control."""

if TYPE_CHECKING:
    AnyControlGiven: TypeAlias = (
        AnyControl
        | Table
        | Literal["aimd", "arima-vegas", "bbr", "copa", "cubic", "dctcp", "dual", "tcp-tp", "vegas", "veno"]
        | ControlBase
        | SharedControl
    )
