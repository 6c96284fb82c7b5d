"""Senders: Vegas as ns-2 has it, the same with the document's window rule, what else could stand in the
forecast's place, and what an engineer would take today.

A sender is data: what a reader calls it, its transport, and what its network has for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parshall.scenario import ArimaRtoConfig, ArimaVegas, Cubic, Tcp, Veno
from parshall.scenario.parts import Constant, Ewma, LastValue, Median, Mixture

WINDOW = 20
"""The receiver's window in packets: ns-2's default."""
PAYLOAD_BYTES, HEADER_BYTES, ACK_BYTES = 1000, 40, 40
PROPAGATION = 0.1
"""Round trip without queues, in seconds."""
VEGAS, ARTT, LITERAL, STARTED = "vegas", "artt", "artt-ack", "artt-start"
"""Stock Vegas; the document's algorithm with one decision a round trip, with one an ACK, and with the slow
start of stock Vegas.
"""
VENO, SMOOTHED = "veno", "veno-smoothed"
"""Veno as Fu and Liew have it, and as equation (2) has it."""
ALWAYS = "always"
"""The window that no backlog stops."""
_NEVER_REACHED = 1e9
"""A backlog, in packets."""


@dataclass(frozen=True)
class Sender:
    """Sender of the downstream flow, and its network."""

    label: str
    transport: Tcp
    fair_queue: bool = False
    """True if FQ-CoDel is at the upstream link in place of DropTail."""

    @property
    def rule(self) -> ArimaVegas:
        """The document's window rule. Raises TypeError for a sender with another."""
        if not isinstance(self.transport.control, ArimaVegas):
            raise TypeError(f"{self.label}: expected the window rule of CA-ARTT")
        return self.transport.control


def ns2_vegas(**rule: Any) -> Tcp:
    """Vegas as ns-2.35 has it, or the same with another window rule."""
    own: dict[str, Any] = {"control": ArimaVegas(**rule)} if rule else {}
    return tcp(profile="ns2", recovery="vegas", **own)


def tcp(*, window: int = WINDOW, **options: Any) -> Tcp:
    """The document's sizes of packets, and its window of the receiver unless another is given."""
    sizes: dict[str, Any] = {
        "payload_bytes": PAYLOAD_BYTES,
        "header_bytes": HEADER_BYTES,
        "ack_bytes": ACK_BYTES,
    }
    return Tcp(max_window_packets=window, **sizes, **options)


def _cubic(*, delayed_ack: bool) -> Tcp:
    """Today's sender with RFC 6298's timer; the receiver's window is that of the others."""
    return tcp(recovery="sack", control=Cubic(), delayed_ack=delayed_ack)


UPSTREAM = tcp(profile="ns2", recovery="reno")
"""The two flows of the backward traffic."""

DOCUMENT: Mapping[str, Sender] = {
    VEGAS: Sender("Vegas", ns2_vegas()),
    ARTT: Sender("CA-ARTT", ns2_vegas(decide="round")),
}
"""Senders that the document compares, in the reading that the study is about."""
READINGS: Mapping[str, Sender] = {
    **DOCUMENT,
    LITERAL: Sender("CA-ARTT, each ACK", ns2_vegas(decide="ack")),
    STARTED: Sender("CA-ARTT, Vegas's start", ns2_vegas(slow_start="stock")),
}
"""Senders with other readings of the algorithm: a decision with each ACK, and slow start as it is."""
VENOS: Mapping[str, Sender] = {
    **DOCUMENT,
    VENO: Sender("Veno", tcp(profile="ns2", recovery="newreno", control=Veno())),
    SMOOTHED: Sender("Veno by (2)", tcp(profile="ns2", recovery="newreno", control=Veno(backlog="smoothed"))),
}
"""Beside Veno, which the document describes: a smoothed round trip, and a least one that losses reset."""
_WITHOUT_RULE = dict.fromkeys(("alpha", "beta", "gamma"), _NEVER_REACHED)
FORECASTERS: Mapping[str, Sender] = {
    "last-value": Sender("last value", ns2_vegas(forecaster=LastValue())),
    "ewma": Sender("EWMA, 1/8", ns2_vegas(forecaster=Ewma(gain=1 / 8))),
    "median": Sender("median of 5", ns2_vegas(forecaster=Median(window=5))),
    "mixture": Sender("mixture", ns2_vegas(forecaster=Mixture())),
    "propagation": Sender("constant 100 ms", ns2_vegas(forecaster=Constant(value=PROPAGATION))),
    "second": Sender("constant 1 s", ns2_vegas(forecaster=Constant(value=1.0))),
    ALWAYS: Sender("no rule, grows always", ns2_vegas(**_WITHOUT_RULE)),
}
"""Alternatives to ARIMA(2,1,1); last a window that no backlog stops."""
ABLATION: Mapping[str, Sender] = {
    VEGAS: DOCUMENT[VEGAS],
    ARTT: Sender("ARIMA(2,1,1)", DOCUMENT[ARTT].transport),
    **FORECASTERS,
}
TIMERS: Mapping[str, Sender] = {
    ARTT: DOCUMENT[ARTT],
    "artt-rto": Sender(
        "CA-ARTT, timeout by ARTT",
        tcp(profile="ns2", recovery="vegas", control=ArimaVegas(), rto=ArimaRtoConfig()),
    ),
}
"""The timeout that the document leaves for later."""
TODAY: Mapping[str, Sender] = {
    **DOCUMENT,
    "cubic": Sender("CUBIC", _cubic(delayed_ack=False)),
    "cubic-delayed": Sender("CUBIC, delayed ACKs", _cubic(delayed_ack=True)),
    "vegas-fq": Sender("Vegas, FQ-CoDel", DOCUMENT[VEGAS].transport, fair_queue=True),
    "artt-fq": Sender("CA-ARTT, FQ-CoDel", DOCUMENT[ARTT].transport, fair_queue=True),
    "cubic-fq": Sender("CUBIC, FQ-CoDel", _cubic(delayed_ack=False), fair_queue=True),
    "cubic-fq-delayed": Sender("CUBIC, FQ-CoDel, delayed", _cubic(delayed_ack=True), fair_queue=True),
}
"""Remedies of an engineer on such a path: CUBIC with SACK, fewer ACKs, a queue of their own for ACKs."""
