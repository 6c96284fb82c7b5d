"""Senders: NewReno as ns-2 has it, the same with TCP-TP's increase, what else could stand in place of
the forecast, and window rules that use a forecast otherwise.

A sender is data: what a reader calls it and the window rule that it has at a link.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from parshall.scenario import Aimd, Cubic, Dual, Tcp, TcpTp, VegasControl
from parshall.scenario.parts import Constant, Ewma, Holt, LastValue, Lmmse, Lms, Mixture, Nlms

Rule: TypeAlias = "Aimd | Cubic | Dual | TcpTp | VegasControl"

WINDOW = 20
"""The receiver's window in packets in the document's networks: ns-2's default."""
WIDE = 1000
"""Window limit where nothing but the network is to limit a sender."""
PAYLOAD_BYTES, HEADER_BYTES = 1000, 40
NEWRENO, TP = "newreno", "tcp-tp"
"""The document's senders."""
DUAL, OURS = "dual", "ours"
"""The rule of 1992, and the one proposed here."""


@dataclass(frozen=True)
class Bottleneck:
    """Facts about the link that a rule may be told."""

    rate: float
    """Bit/s."""
    connections: int
    """Number of connections that share it. No sender knows; an oracle does."""


@dataclass(frozen=True)
class Sender:
    """A window rule, and what a reader calls it."""

    label: str
    rule: Callable[[Bottleneck], Rule]

    def transport(self, link: Bottleneck, window: int = WINDOW, **options: Any) -> Tcp:
        """NewReno as ns-2 has it, with this rule, unless ``options`` say otherwise."""
        settings: dict[str, Any] = {"profile": "ns2", "recovery": "newreno", **options}
        sizes: dict[str, Any] = {"payload_bytes": PAYLOAD_BYTES, "header_bytes": HEADER_BYTES}
        return Tcp(control=self.rule(link), max_window_packets=window, **sizes, **settings)


def told(label: str, **options: Any) -> Sender:
    """TCP-TP that is told the capacity."""
    return Sender(label, lambda link: TcpTp(capacity=link.rate, **options))


def _oracle(link: Bottleneck) -> TcpTp:
    """The fair share itself in place of the forecast; a hair more, so that N is not rounded up by one."""
    packets = link.rate / (8 * (PAYLOAD_BYTES + HEADER_BYTES))
    share = packets / link.connections * (1 + 1e-9)
    return TcpTp(capacity=link.rate, samples=1, forecaster=Constant(value=share))


def answering(label: str, **options: Any) -> Sender:
    """The rule proposed here: it gives up a part of the window that grows with the queue it expects."""
    settings: dict[str, Any] = {"threshold": 0.3, "beta": 0.5, "backoff": "proportional", "rounds": 1}
    return Sender(label, lambda _: Dual(**{**settings, **options}))


LMS = Lms(order=20, step=1e-5, clip=1e9)
"""Equation (8) as printed, with one constant for all series; the guard against outliers never acts."""
DOCUMENT: Mapping[str, Sender] = {
    NEWRENO: Sender("NewReno", lambda _: Aimd()),
    TP: told("TCP-TP"),
}
"""Senders that the document compares, in the reading that the study is about."""
READINGS: Mapping[str, Sender] = {
    **DOCUMENT,
    "nearest": told("N to the nearest", rounding="nearest"),
    "down": told("N rounded down", rounding="down"),
    "held": told("ssthresh follows", slow_start_again=False),
    "least-rtt": told("least round trip", rtt="least"),
    "each-ack": told("each ACK", decide="ack"),
    "long": told("intervals of 4 RTT", interval=4.0),
    "unsmoothed": told("gain 1", gain=1.0),
    "smooth": told("gain 1/8", gain=0.125),
    "measured": Sender("capacity by packet pairs", lambda _: TcpTp()),
}
"""Senders with the document's gaps read otherwise."""
FORECASTERS: Mapping[str, Sender] = {
    "last-value": told("last value", forecaster=LastValue()),
    "ewma": told("EWMA, 1/8", forecaster=Ewma(gain=1 / 8)),
    "lms": told("LMS(20) as printed", forecaster=LMS),
    "nlms": told("normalised LMS(20)", forecaster=Nlms(order=20)),
    "lmmse-500": told("LMMSE(20) of 500", forecaster=Lmmse(order=20, window=500, every=20)),
    "mixture": told("mixture", forecaster=Mixture()),
    "oracle": Sender("N is known", _oracle),
}
"""Alternatives to LMMSE(20); last the fair share itself."""
ABLATION: Mapping[str, Sender] = {
    NEWRENO: DOCUMENT[NEWRENO],
    TP: told("LMMSE(20), the document's"),
    **FORECASTERS,
}
RULES: Mapping[str, Sender] = {
    **DOCUMENT,
    "vegas": Sender("Vegas", lambda _: VegasControl()),
    "cubic": Sender("CUBIC", lambda _: Cubic()),
    DUAL: Sender("DUAL", lambda _: Dual()),
    OURS: answering("in proportion"),
}
"""Window rules that are compared beyond the document."""
OURS_FORECASTERS: Mapping[str, Sender] = {
    OURS: answering("last value"),
    "ours-ewma": answering("EWMA, 1/4", forecaster=Ewma(gain=1 / 4)),
    "ours-holt": answering("Holt, 1/2 and 1/2", forecaster=Holt(gain=0.5, trend_gain=0.5)),
    "ours-mixture": answering("mixture", forecaster=Mixture()),
    "ours-lmmse": answering("LMMSE(5) of 50", forecaster=Lmmse(order=5, window=50)),
}
"""Forecasters of the rule proposed here."""
