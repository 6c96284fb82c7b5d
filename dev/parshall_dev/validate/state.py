"""State of conditioners and class queues after each arrival: ns-2's and ours."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.errors import InputError, ParshallError

if TYPE_CHECKING:
    from parshall.recording import Recording

__all__ = ["StateDivergence", "compare_state", "load_state"]

_METERS = {
    "c_bucket_bytes": "committed_bytes",
    "e_bucket_bytes": "excess_bytes",
    "p_bucket_bytes": "peak_bytes",
    "tsw_rate_Bps": "rate",
}
_PLACED = {"code_point": "dscp", "queue": "queue", "precedence": "precedence", "flow": "flow", "seq": "seq"}
_TOKENS = 1e-3
"""Bytes: what 1 ns, the tolerance of times, is at 8 Mbit/s."""
_AVERAGE = 1.5e-6
"""ns-2 prints six decimals."""

Rows = list[dict[str, str]]


@dataclass(frozen=True)
class StateDivergence:
    """Where two states part first at a port."""

    time_s: float
    place: str
    what: str
    reference: str
    ours: str


def load_state(file: Path) -> Rows | None:
    """The states of a scenario; none if there is no such file."""
    if not file.exists():
        return None
    try:
        with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines, strict=True))
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise ParshallError(f"{file}: cannot be read: {error}") from None
    _refuse_without_columns(file, rows)
    return rows


def compare_state(
    rows: Rows,
    recording: Recording,
    flows: Sequence[int],
    ports: Mapping[str, str],
    end: float,
    slack: float,
) -> StateDivergence | None:
    """The first divergence at one of the ports, by place.

    ``flows`` are the reference's numbers of ours. ``slack`` is what averages may differ by where arrivals
    coincide with ends of transmissions, which ns-2 orders by the last bits of its clock.
    """
    ours = dict(recording.columns("class_state"))
    ours["flow"] = np.array(flows)[ours["flow"]]
    averages = recording.columns("averages")
    first = np.searchsorted(averages["arrival"], np.arange(len(ours["time"]) + 1))
    for place, port in ports.items():
        mine = np.flatnonzero((ours["port"] == recording.scenario.ports.index(port)) & (ours["time"] < end))
        theirs = [row for row in rows if row.get("place") == place and float(row["time_s"]) < end]
        for row, index in zip(theirs, mine, strict=False):
            listed = averages["average"][first[index] : first[index + 1]]
            if found := _differs(row, {name: ours[name][index] for name in ours}, listed, slack):
                return found
        if len(theirs) != len(mine):
            return StateDivergence(end, place, "rows", str(len(theirs)), str(len(mine)))
    return None


def _differs(
    row: dict[str, str], ours: dict[str, Any], averages: Any, slack: float
) -> StateDivergence | None:
    time, place = float(row["time_s"]), row["place"]

    def parted(what: str, reference: object, found: object) -> StateDivergence:
        return StateDivergence(time, place, what, str(reference), str(found))

    if abs(time - ours["time"]) > 1e-9:
        return parted("time_s", time, ours["time"])
    for theirs, name in _PLACED.items():
        if int(row[theirs]) != int(ours[name]):
            return parted(theirs, row[theirs], ours[name])
    for theirs, name in _METERS.items():
        scale = 8.0 if name == "rate" else 1.0
        if row[theirs] and not abs(float(row[theirs]) - ours[name] / scale) <= _TOKENS:
            return parted(theirs, row[theirs], ours[name] / scale)
    listed = [row[name] for name in sorted(row) if name.startswith("avg_") and row[name]]
    # Without an average of its own ns-2 shows zeros.
    for index, average in enumerate(listed if len(averages) else []):
        if not abs(float(average) - averages[index]) <= _AVERAGE + slack:
            return parted(f"avg_{index}", average, averages[index])
    return None


def _refuse_without_columns(file: Path, rows: Rows) -> None:
    """Raises InputError unless the file has what is compared."""
    needed = {"time_s", "place", *_METERS, *_PLACED}
    if rows and not needed <= set(rows[0]):
        missing = ", ".join(sorted(needed - set(rows[0])))
        raise InputError(f"{file}:1", f"no column {missing}", "the columns of a state file")
