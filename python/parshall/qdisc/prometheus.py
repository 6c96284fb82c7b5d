"""Queue disciplines as text for Prometheus (exposition format 0.0.4)."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from parshall.estimators import arguments
from parshall.estimators.nonresponsive import Quality
from parshall.qdisc.estmred import Estmred
from parshall.qdisc.message import Qdisc

__all__ = ["prometheus_text"]


@dataclass(frozen=True)
class _Metric:
    name: str
    kind: str
    help: str
    value: Callable[[Qdisc], float | None]


def _of_estmred(value: Callable[[Estmred], float | None]) -> Callable[[Qdisc], float | None]:
    """Reads a value of disciplines that estimate; one that is asleep or has no estimate yet has none."""

    def of(qdisc: Qdisc) -> float | None:
        estmred = qdisc.estmred
        if estmred is None or estmred.state != "estimating" or estmred.estimates == 0:
            return None
        return value(estmred)

    return of


def _always(value: Callable[[Estmred], float]) -> Callable[[Qdisc], float | None]:
    return lambda qdisc: None if qdisc.estmred is None else value(qdisc.estmred)


_METRICS: Sequence[_Metric] = (
    _Metric("qdisc_sent_bytes_total", "counter", "Bytes sent.", lambda q: q.bytes),
    _Metric("qdisc_sent_packets_total", "counter", "Packets sent.", lambda q: q.packets),
    _Metric("qdisc_dropped_packets_total", "counter", "Packets dropped.", lambda q: q.drops),
    _Metric("qdisc_marked_packets_total", "counter", "Packets marked (ECN).", lambda q: q.marks),
    _Metric("qdisc_overlimits_total", "counter", "Times that a limit was met.", lambda q: q.overlimits),
    _Metric("qdisc_requeues_total", "counter", "Packets put back by the device.", lambda q: q.requeues),
    _Metric("qdisc_backlog_bytes", "gauge", "Bytes queued.", lambda q: q.backlog_bytes),
    _Metric("qdisc_backlog_packets", "gauge", "Packets queued.", lambda q: q.backlog_packets),
    _Metric("estmred_share", "gauge", "Non-responsive share, last interval.", _of_estmred(lambda e: e.share)),
    _Metric(
        "estmred_share_average", "gauge", "Non-responsive share, filtered.", _of_estmred(lambda e: e.average)
    ),
    _Metric("estmred_flows", "gauge", "Responsive flows.", _of_estmred(lambda e: e.flows)),
    _Metric(
        "estmred_load_packets", "gauge", "Responsive packets in a round trip.", _of_estmred(lambda e: e.load)
    ),
    _Metric("estmred_rtt_seconds", "gauge", "Round-trip time.", _of_estmred(lambda e: e.rtt)),
    _Metric(
        "estmred_excitation", "gauge", "Variation of drops, 0 to 1.", _of_estmred(lambda e: e.excitation)
    ),
    _Metric("estmred_age_seconds", "gauge", "Time since the last estimate.", _of_estmred(lambda e: e.age)),
    _Metric(
        "estmred_asleep", "gauge", "1 while it waits for a drop.", _always(lambda e: e.state == "asleep")
    ),
    _Metric("estmred_estimates_total", "counter", "Estimates so far.", _always(lambda e: e.estimates)),
    _Metric("estmred_sleeps_total", "counter", "Times it fell asleep.", _always(lambda e: e.sleeps)),
    _Metric("estmred_early_drops_total", "counter", "Packets RED dropped.", _always(lambda e: e.early_drops)),
    _Metric("estmred_full_drops_total", "counter", "Packets without room.", _always(lambda e: e.full_drops)),
    _Metric("estmred_average_backlog_bytes", "gauge", "RED's average.", _always(lambda e: e.average_backlog)),
)


def prometheus_text(qdiscs: Iterable[Qdisc], name_of: Callable[[int], str] | None = None) -> str:
    """Metrics named ``parshall_...`` of `qdiscs`, labelled with device, kind, handle and parent.

    `name_of` names a device by its number; by default as this computer does.
    """
    qdiscs = arguments.all_of("qdiscs", qdiscs, Qdisc, "queue disciplines")
    named = [(_labels(qdisc, name_of or _device_name), qdisc) for qdisc in qdiscs]
    lines: list[str] = []
    for metric in _METRICS:
        values = ((labels, metric.value(qdisc)) for labels, qdisc in named)
        _add(lines, metric, [(labels, value) for labels, value in values if value is not None])
    doubts = [
        (f'{labels},reason="{(flag.name or "").lower()}"', float(flag in qdisc.estmred.quality))
        for labels, qdisc in named
        if qdisc.estmred is not None and qdisc.estmred.estimates
        for flag in Quality
    ]
    _add(
        lines,
        _Metric("estmred_doubt", "gauge", "1 for each reason to doubt the estimate.", lambda _: None),
        doubts,
    )
    return "".join(f"{line}\n" for line in lines)


def _add(lines: list[str], metric: _Metric, values: Sequence[tuple[str, float]]) -> None:
    if not values:
        return
    lines.append(f"# HELP parshall_{metric.name} {metric.help}")
    lines.append(f"# TYPE parshall_{metric.name} {metric.kind}")
    lines.extend(f"parshall_{metric.name}{{{labels}}} {_number(value)}" for labels, value in values)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))


def _labels(qdisc: Qdisc, name_of: Callable[[int], str]) -> str:
    labels = {
        "device": name_of(qdisc.interface),
        "kind": qdisc.kind,
        "handle": qdisc.handle,
        "parent": qdisc.parent,
    }
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _device_name(number: int) -> str:
    try:
        return socket.if_indextoname(number)
    except OSError:
        return str(number)
