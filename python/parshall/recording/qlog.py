"""qlog of simulated flows, and several logs as one on a common clock.

What is written follows draft-ietf-quic-qlog-main-schema and draft-ietf-quic-qlog-quic-events, version 14
of both: one sequential file (JSON text sequences, RFC 7464) whose events have a group for each flow. Times
are milliseconds of the simulated clock.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parshall.errors import InputError, ParshallError, shown

if TYPE_CHECKING:
    from parshall.recording.recording import Recording
    from parshall.recording.rows import RttSamples, WindowChanges
    from parshall.recording.views import FlowView

__all__ = ["merge_qlogs", "qlog_of"]

SEPARATOR = "\x1e"
"""Before each record of a text sequence."""

QUIC_EVENTS = "urn:ietf:params:qlog:events:quic-14"
"""The definitions of the events that are written."""

DIGITS = 9
"""Decimal places of times in milliseconds: a picosecond."""

DUPACKS = 3
"""So many duplicate ACKs start a fast retransmit."""


def qlog_of(recording: Recording, flows: Sequence[str]) -> str:
    """A qlog of these flows, of which ``record.window`` has to keep the sender's variables.

    Each change gives a ``quic:recovery_metrics_updated`` with what is new, and each change between slow
    start, congestion avoidance and recovery a ``quic:congestion_state_updated``. Where ``record.rtt`` names a
    flow, too, its RTT samples are ``latest_rtt`` and ``min_rtt``.
    """
    events = [event for name in flows for event in _flow_events(recording, recording.flow(name))]
    title = recording.scenario.title or recording.scenario.summary
    return _written(title, f"Simulated by Parshall, seed {recording.seed}", events)


def merge_qlogs(
    logs: Mapping[str, str | Path], starts: Mapping[str, float] | None = None, *, title: str = ""
) -> str:
    r"""Several qlogs as one, in the order of time.

    ``logs`` maps a name to the text of a log or to its file: a text sequence, a JSON document with traces, or
    a line for each record, by the drafts from version 02 on. The name becomes the group of the log's events,
    before the group that they have. ``starts`` gives the simulated time, in seconds, of the zero of a log's
    clock: 0 for a log that is not named. Raises InputError for a log that cannot be read.

    >>> event = '{"time": 1.5, "name": "quic:packet_sent", "data": {}}'
    >>> log = '{"trace": {"vantage_point": {"type": "client"}}}\\n' + event
    >>> "2001.5" in merge_qlogs({"client": log}, {"client": 2.0})
    True
    """
    shifts = _checked(logs, starts, title)
    events: list[dict[str, Any]] = []
    for name, log in logs.items():
        start = 1e3 * shifts.get(name, 0.0)
        for event in _events_of(name, log):
            group = event.get("group_id")
            event["group_id"] = name if group in (None, "") else f"{name}/{group}"
            event["time"] = round(event["time"] + start, DIGITS)
            events.append(event)
    return _written(title or "Merged", f"Merged from {', '.join(logs)}", events)


def _checked(logs: object, starts: object, title: object) -> dict[str, float]:
    """The starts of logs, once all arguments are known to be what they should be."""
    if not isinstance(logs, Mapping) or not all(isinstance(name, str) for name in logs):
        raise InputError("logs", shown(logs), "a mapping from names to qlogs")
    if not isinstance(title, str):
        raise InputError("title", shown(title), "text")
    if starts is None:
        return {}
    if not isinstance(starts, Mapping):
        raise InputError("starts", shown(starts), "a mapping from names of logs to seconds")
    for name, start in starts.items():
        if name not in logs:
            raise InputError(f"starts[{name!r}]", "no log of that name", f"one of {', '.join(logs)}")
        if isinstance(start, bool) or not isinstance(start, int | float) or not math.isfinite(start):
            raise InputError(f"starts[{name!r}]", shown(start), "seconds")
    return dict(starts)


def _written(title: str, description: str, events: Iterable[dict[str, Any]]) -> str:
    """The sequential file of these events."""
    trace = {
        "title": title,
        "description": description,
        "vantage_point": {"type": "network"},
        "event_schemas": [QUIC_EVENTS],
        "common_fields": {
            "time_format": "relative_to_epoch",
            "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
        },
    }
    head = {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "title": title,
        "trace": trace,
    }
    records = [head, *sorted(events, key=lambda event: event["time"])]
    return "".join(f"{SEPARATOR}{json.dumps(record, separators=(',', ':'))}\n" for record in records)


def _flow_events(recording: Recording, flow: FlowView) -> Iterator[dict[str, Any]]:
    """Events of a flow's sender."""
    window = flow.window
    transport = next(each.transport for each in recording.scenario.flows if each.name == flow.name)
    metrics = _window_metrics(window, transport.payload_bytes)
    if flow.name in _recorded(recording):
        metrics = sorted([*metrics, *_rtt_metrics(flow.rtt)], key=lambda each: each[0])
    yield from _changes(flow.name, metrics)
    yield from _states(flow.name, window)


def _recorded(recording: Recording) -> set[str]:
    """The flows of which RTT samples are kept."""
    names = set(recording.scenario.record.rtt)
    return set(recording.flows) if "*" in names else names


def _window_metrics(window: WindowChanges, payload_bytes: int) -> list[tuple[float, dict[str, Any]]]:
    """Metrics after each change of the sender's variables, with their time."""
    columns = zip(
        window.time, window.cwnd, window.ssthresh, window.next_seq, window.high_ack, window.srtt,
        window.rttvar, window.rto, strict=True,
    )  # fmt: skip
    return [
        (
            float(time),
            {
                "smoothed_rtt": _milliseconds(srtt),
                "rtt_variance": _milliseconds(rttvar),
                "congestion_window": _bytes(cwnd, payload_bytes),
                "ssthresh": _bytes(ssthresh, payload_bytes),
                "packets_in_flight": max(0, int(next_seq) - 1 - int(high_ack)),
                "bytes_in_flight": max(0, int(next_seq) - 1 - int(high_ack)) * payload_bytes,
                "retransmission_timeout": _milliseconds(rto),
            },
        )
        for time, cwnd, ssthresh, next_seq, high_ack, srtt, rttvar, rto in columns
    ]


def _rtt_metrics(samples: RttSamples) -> list[tuple[float, dict[str, Any]]]:
    """Metrics after each RTT sample, with their time."""
    least = math.inf
    metrics: list[tuple[float, dict[str, Any]]] = []
    for time, rtt in zip(samples.time, samples.rtt, strict=True):
        least = min(least, float(rtt))
        metrics.append((float(time), {"latest_rtt": _milliseconds(rtt), "min_rtt": _milliseconds(least)}))
    return metrics


def _changes(group: str, metrics: Iterable[tuple[float, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """An event for each instant at which a metric has a value that it had not before."""
    known: dict[str, Any] = {}
    for time, values in metrics:
        data = {key: value for key, value in values.items() if value is not None and known.get(key) != value}
        if data:
            known.update(data)
            yield _event(group, time, "quic:recovery_metrics_updated", data)


def _states(group: str, window: WindowChanges) -> Iterator[dict[str, Any]]:
    """An event for each change of the state of congestion control."""
    before: str | None = None
    columns = zip(window.time, window.cwnd, window.ssthresh, window.dupacks, window.backoff, strict=True)
    for time, cwnd, ssthresh, dupacks, backoff in columns:
        state = "congestion_avoidance"
        if dupacks >= DUPACKS or backoff > 1:
            state = "recovery"
        elif cwnd < ssthresh:
            state = "slow_start"
        if state != before:
            data = {"new": state} if before is None else {"old": before, "new": state}
            yield _event(group, float(time), "quic:congestion_state_updated", data)
            before = state


def _event(group: str, seconds: float, name: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"time": round(1e3 * seconds, DIGITS), "name": name, "data": data, "group_id": group}


def _bytes(packets: float, payload_bytes: int) -> int | None:
    """Payload of so many packets; none if there is no limit."""
    return round(float(packets) * payload_bytes) if math.isfinite(packets) else None


def _milliseconds(seconds: float) -> float | None:
    """Milliseconds; none if there is no value yet."""
    return round(1e3 * float(seconds), DIGITS) if math.isfinite(seconds) else None


def _events_of(name: str, log: str | Path) -> Iterator[dict[str, Any]]:
    """The events of a log, each with its time in milliseconds from the log's zero."""
    text = log
    if isinstance(log, Path):
        try:
            text = log.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ParshallError(f"{log}: {error}, expected a qlog") from error
    elif not isinstance(log, str):
        raise InputError(f"logs[{name!r}]", shown(log), "the text of a qlog, or its file as a Path")
    for trace in _traces(name, str(text)):
        common = trace.get("common_fields") or {}
        now = zero = None
        for event in trace["events"]:
            read = _normal(name, event, trace)
            form = str(read.pop("time_format") or common.get("time_format") or "relative_to_epoch")
            now = (
                read["time"] + (now or 0.0)
                if form in ("relative_to_previous_event", "delta")
                else read["time"]
            )
            if form == "absolute":
                zero = now if zero is None else zero
                now -= zero
            read["time"] = now
            read["group_id"] = read.get("group_id") or common.get("group_id")
            yield read


def _traces(name: str, text: str) -> list[dict[str, Any]]:
    """The traces of a log, each with its events."""
    if (document := _document(text)) is not None:
        return [trace for trace in document["traces"] if isinstance(trace.get("events"), list)]
    lines = text.split(SEPARATOR) if SEPARATOR in text else text.splitlines()
    records = [_parsed(name, line, number) for number, line in enumerate(lines, 1) if line.strip()]
    if not records or not isinstance(records[0].get("trace"), dict):
        raise InputError(f"logs[{name!r}]", shown(text[:60]), "a qlog: a header with a trace, and events")
    return [{**records[0]["trace"], "events": records[1:]}]


def _document(text: str) -> Any:
    """The JSON document with traces that this is; none if it is something else."""
    try:
        document = json.loads(text)
    except ValueError:
        return None
    has_traces = isinstance(document, dict) and isinstance(document.get("traces"), list)
    return document if has_traces else None


def _parsed(name: str, text: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except ValueError as error:
        raise InputError(f"logs[{name!r}], record {number}", str(error), "JSON") from error
    if not isinstance(record, dict):
        raise InputError(f"logs[{name!r}], record {number}", shown(record), "an object")
    return record


def _normal(name: str, event: Any, trace: Mapping[str, Any]) -> dict[str, Any]:
    """An event with time, name and data, whichever draft it follows."""
    if isinstance(event, list):  # version 02: rows under the names of `event_fields`
        event = dict(zip(trace.get("event_fields", ()), event, strict=False))
    time = event.get("time", event.get("relative_time"))
    title = event.get("name") or ":".join(str(event.get(key, "")) for key in ("category", "event"))
    if not isinstance(time, int | float) or not math.isfinite(time):
        raise InputError(f"logs[{name!r}], event {title}: time", shown(time), "milliseconds")
    rest = {"group_id": event.get("group_id"), "time_format": event.get("time_format")}
    return {"time": float(time), "name": title, "data": event.get("data", {}), **rest}
