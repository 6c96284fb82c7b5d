"""JSON of programs that measure round trips: one value, a list, or a value a line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from parshall.errors import InputError, shown
from parshall.forecast.files.measured import Measured
from parshall.forecast.files.plausible import plausible

__all__ = ["RECORDS", "RecordTool", "is_json", "read_json"]

_NONE = math.nan


@dataclass(frozen=True)
class _Sample:
    """A request; seconds are NaN where it got no reply."""

    seconds: float
    time: float | None = None
    whose: str | None = None
    """A name that tells this series from others of the file."""


@dataclass(frozen=True)
class RecordTool:
    """A program by the shape of its JSON."""

    knows: Callable[[Any], bool]
    samples: Callable[[str, list[Any]], Iterator[_Sample]]
    remark: str | None = None


def is_json(lines: Sequence[str]) -> bool:
    """Returns true if the first line with anything begins a value of JSON."""
    first = next((line.strip() for line in lines if line.strip()), "")
    return first[:1] in ("{", "[") and (
        len(first) == 1 or first[1:].lstrip()[:1] in ('"', "{", "[", "}", "]")
    )


def read_json(file: str, lines: Sequence[str]) -> Measured:
    """The round trips of a program's JSON. Raises InputError for JSON of others, and for several series."""
    values = _values(file, lines)
    for name, tool in RECORDS.items():
        if values and all(tool.knows(value) for value in values):
            return _measured(file, tool, _samples(file, name, tool, values))
    known = ", ".join(RECORDS)
    expected = f"JSON of {known}, or a CSV file with a column rtt_ms"
    raise InputError(f"{file}:1", f"JSON with {_keys(values)}", expected)


def _samples(file: str, name: str, tool: RecordTool, values: list[Any]) -> list[_Sample]:
    try:
        return list(tool.samples(file, values))
    except InputError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        got = f"JSON of {name} with something missing or unlike ({shown(str(error))})"
        raise InputError(file, got, "its results as the program writes them") from None


def _values(file: str, lines: Sequence[str]) -> list[Any]:
    text = "\n".join(lines)
    decoder = json.JSONDecoder()
    values: list[Any] = []
    place = 0
    while (place := len(text) - len(text[place:].lstrip(" \t\r\n,"))) < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            got = f"{error.msg} in JSON"
            raise InputError(f"{file}:{error.lineno}", got, "whole values of JSON") from None
        values += value if isinstance(value, list) else [value]
    return values


def _keys(values: Sequence[Any]) -> str:
    first = values[0] if values else None
    return f"the names {shown(', '.join(list(first)[:6]))}" if isinstance(first, dict) else "no names"


def _measured(file: str, tool: RecordTool, samples: Sequence[_Sample]) -> Measured:
    series = list(dict.fromkeys(sample.whose for sample in samples if sample.whose is not None))
    if len(series) > 1:
        raise InputError(
            file, f"{len(series)} series ({', '.join(map(shown, series[:3]))})", "one series a file"
        )
    values = [sample.seconds for sample in samples]
    if all(map(math.isnan, values)):
        raise InputError(file, "no round trip", "requests with their round-trip times")
    known = [sample.time for sample in samples]
    times = [time for time in known if time is not None]
    timed = len(times) == len(known) and times == sorted(times)
    kept, remarks = plausible(values, [0.0] * len(values), times if timed else None)
    said = (*([tool.remark] if tool.remark else []), *remarks)
    return Measured(kept, times if timed else None, "ms", said)


def _number(file: str, value: Any, what: str, per_second: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise InputError(file, f"{what} {shown(value)}", "a number from 0 on")
    return value / per_second


# --- The programs -------------------------------------------------------------------------------------------


def _of_irtt(file: str, values: list[Any]) -> Iterator[_Sample]:
    for each in sorted(values[0]["round_trips"], key=lambda each: each["seqno"]):
        lost = each["lost"] != "false"
        sent = each["timestamps"]["client"]["send"].get("wall")
        seconds = _NONE if lost else _number(file, each["delay"].get("rtt"), "a rtt of", 1e9)
        yield _Sample(seconds, None if sent is None else sent / 1e9)


def _of_iperf3(file: str, values: list[Any]) -> Iterator[_Sample]:
    for value in values:
        for interval in value["intervals"]:
            for stream in interval["streams"]:
                if stream.get("omitted") or stream.get("sender") is False:
                    continue
                if "rtt" not in stream:
                    raise InputError(
                        file, "iperf3 without round trips", "a sender of TCP on Linux (no -u, no -R)"
                    )
                seconds = _number(file, stream["rtt"], "a rtt of", 1e6)
                yield _Sample(seconds or _NONE, stream.get("end"), f"socket {stream['socket']}")
    if not any(
        stream.get("rtt") for value in values for each in value["intervals"] for stream in each["streams"]
    ):
        raise InputError(file, "iperf3 without round trips", "a sender of TCP on Linux (no -u, no -R)")


def _of_fping(file: str, values: list[Any]) -> Iterator[_Sample]:
    answered: dict[tuple[str, int], float] = {}
    hosts: dict[str, int] = {}
    for value in values:
        (kind, each), *_ = value.items()
        if kind in ("resp", "timeout"):
            place = (each["host"], each["seq"])
            hosts[each["host"]] = max(hosts.get(each["host"], 0), each["seq"] + 1)
            if kind == "resp":
                answered.setdefault(place, _number(file, each["rtt"], "a rtt of", 1e3))
    for host, count in hosts.items():
        for number in range(count):
            yield _Sample(answered.get((host, number), _NONE), None, host)


def _of_atlas(file: str, values: list[Any]) -> Iterator[_Sample]:
    for value in sorted(values, key=lambda value: value["timestamp"]):
        whose = f"probe {value.get('prb_id')} to {value.get('dst_addr') or value.get('dst_name')}"
        for each in value["result"]:
            if (
                "dup" in each
                or "late" in each
                or ("srcaddr" in each and "rtt" not in each and "x" not in each and "error" not in each)
            ):
                continue
            seconds = _number(file, each["rtt"], "a rtt of", 1e3) if "rtt" in each else _NONE
            yield _Sample(seconds, float(value["timestamp"]), whose)


def _of_mtr(file: str, values: list[Any]) -> Iterator[_Sample]:
    for value in values:
        hubs = value["report"]["hubs"]
        last = hubs[-1] if hubs else {}
        if last.get("Snt") != 1:
            got = f"means over {last.get('Snt', 'no')} probes, which mtr --json prints"
            raise InputError(
                file, got, "single round trips: mtr --raw prints them, or mtr -c 1 --json in a loop"
            )
        lost = last.get("Loss%", 0) == 100
        yield _Sample(
            _NONE if lost else _number(file, last["Last"], "a Last of", 1e3),
            None,
            value["report"]["mtr"]["dst"],
        )


def _of_powershell(file: str, values: list[Any]) -> Iterator[_Sample]:
    for value in values:
        status = value.get("Status", value.get("StatusCode"))
        answered = status in (0, "Success")
        taken = value.get("Latency", value.get("ResponseTime"))
        seconds = _number(file, taken, "a latency of", 1e3) if answered else _NONE
        whose = value.get("Destination") or value.get("Address")
        yield _Sample(seconds, None, whose if isinstance(whose, str) else None)


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(name in value for name in names)


RECORDS: dict[str, RecordTool] = {
    "irtt": RecordTool(_has("round_trips", "config"), _of_irtt),
    "iperf3": RecordTool(
        _has("intervals", "start"),
        _of_iperf3,
        "iperf3 gives the kernel's smoothed round trip (TCP_INFO) at the end of each interval: single ones "
        "are longer and shorter than these.",
    ),
    "fping": RecordTool(
        lambda value: (
            isinstance(value, dict)
            and len(value) == 1
            and bool({"resp", "timeout", "summary", "intSum", "vSum", "stats"} & value.keys())
        ),
        _of_fping,
    ),
    "RIPE Atlas (ping)": RecordTool(
        lambda value: (
            isinstance(value, dict) and value.get("type") == "ping" and isinstance(value.get("result"), list)
        ),
        _of_atlas,
    ),
    "mtr": RecordTool(_has("report"), _of_mtr),
    "Test-Connection": RecordTool(
        lambda value: (
            isinstance(value, dict)
            and ({"Latency", "Status"} <= value.keys() or {"ResponseTime", "StatusCode"} <= value.keys())
        ),
        _of_powershell,
    ),
}
"""By the names of the programs."""
