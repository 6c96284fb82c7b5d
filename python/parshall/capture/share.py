"""The share of a capture's traffic that does not respond to congestion.

Responsiveness wants to know which packets were dropped or marked. A capture shows marks that were set before
it, and of TCP the drops behind it: what was sent again, though a copy had passed, and not needlessly. Drops
of UDP show nowhere. Unless they are given, it cannot be known whether UDP responds, and all that is said is
between which bounds the share lies.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.errors import FileError, InputError, checked_path, shown
from parshall.estimators import Responsiveness, ResponsivenessQuality
from parshall.stats import NORMAL_95
from parshall.support.causes import reason

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from parshall.capture.reading import Capture

__all__ = ["Share", "read_drops", "share"]

_UDP = -1
_NEVER = np.iinfo(np.int64).min
_MOST_DIGITS = 19
_INTERVAL_S = 0.7


@dataclass(frozen=True)
class Share:
    """The share of packets with payload, in the direction of most bytes, whose flows do not respond."""

    share: float | None
    """The share, from 0 to 1; None where it cannot be known."""
    share_se: float | None
    """The mean over intervals of half the width of their bounds, over 1.96."""
    low: float | None
    """The share is at least this, if no flow whose drops are not seen is non-responsive; None where nothing
    is known."""
    high: float
    """And at most this, if all of these are."""
    udp: float
    """Part of the packets that is UDP."""
    packets: int
    """Packets that it goes by."""
    signals: int
    """Drops and marks among them."""
    resolved: float
    """Part of the watched packets that belong to flows with a label."""
    intervals: int
    """Intervals of 0.7 s that tell bounds."""
    given: bool
    """The drops were given, and not inferred."""
    reason: str
    """Why the share cannot be known; empty where it is."""


def read_drops(file: str | os.PathLike[str]) -> NDArray[np.int64]:
    """Frames that were dropped behind the capture's point: a number a line, or a CSV with the column
    ``frame``. Raises InputError.
    """
    place = checked_path("drops", file, "a path")
    try:
        lines = place.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise FileError(str(place), reason(error), "numbers of dropped frames") from None
    except UnicodeDecodeError:
        raise FileError(str(place), "not a text file", "numbers of dropped frames") from None
    try:
        return np.array(_frames(lines), np.int64)
    except csv.Error as error:
        raise InputError("drops", str(place), f"numbers of frames, one a line ({error})") from None


def _frames(lines: list[str]) -> list[int]:
    header = next(iter(csv.reader(lines[:1])), [])
    column, first = (header.index("frame"), 1) if "frame" in header else (0, 0)
    frames = []
    for number, row in enumerate(csv.reader(lines[first:]), first + 1):
        if not row:
            continue
        text = row[column].strip() if column < len(row) else ""
        is_number = text.isdecimal() and len(text) <= _MOST_DIGITS
        if not is_number or not 1 <= int(text) < 2**63:
            raise InputError(f"drops, line {number}", shown(text), "the number of a frame, from 1")
        frames.append(int(text))
    return frames


def share(capture: Capture, drops: NDArray[np.int64] | None = None) -> Share:
    """The share over a capture that was read with ``passed``. Raises InputError for one that was not."""
    if capture.passed is None:
        raise InputError(
            "capture", shown(capture.name), "a whole one, not a flow of it, read with passed=True"
        )
    given = capture.share_rows
    rows = _busy(given["connections"], given["udp"], capture.passed)
    times, number, direction, frame, marked = (
        np.asarray(rows[name]) for name in ("time_ns", "number", "direction", "frame", "marked")
    )
    times = (times - times.min(initial=np.iinfo(np.int64).max)) / 1e9
    udp = direction == _UDP
    if drops is None:
        signalled = marked | _lost(given["events"], rows)
        seen = ~udp | np.isin(number, np.unique(number[udp & marked]))
    else:
        _check(drops, capture.totals["frames"])
        signalled = marked | np.isin(frame, drops)
        seen = np.ones(len(times), bool)
    part = float(np.mean(udp)) if len(udp) else 0.0
    unseen = 1 - float(np.mean(seen)) if len(seen) else 0.0
    flows = (number.astype(np.uint64) << np.uint64(2)) | (direction + 1).astype(np.uint64)
    known = _known(times[seen], flows[seen], signalled[seen])
    return _share(known, unseen, part, (len(times), int(np.sum(signalled)), drops is not None))


def _share(
    known: dict[str, NDArray[Any]] | None, unseen: float, udp: float, counts: tuple[int, int, bool]
) -> Share:
    packets, signals, given = counts
    fields: dict[str, Any] = {"udp": udp, "packets": packets, "signals": signals, "given": given}
    if known is None:
        reason = "no drop and no mark shows" if signals == 0 else "too few drops and marks show"
        return Share(
            share=None,
            share_se=None,
            low=None,
            high=1.0,
            resolved=0.0,
            intervals=0,
            reason=reason,
            **fields,
        )
    weights = known["packets"]
    error, resolved, lower, upper = (
        float(np.average(known[name], weights=weights))
        for name in ("error", "resolved", "share_lower", "share_upper")
    )
    fields |= {"resolved": resolved, "intervals": len(weights)}
    low, high = lower * (1 - unseen), upper * (1 - unseen) + unseen
    reason = ""
    if unseen > 0:
        reason = f"drops of UDP, {100 * unseen:.0f} % of the packets, do not show in a capture"
    elif upper - lower > Responsiveness.WIDEST:
        reason = "too few flows are classified: too few drops"
    if reason:
        return Share(share=None, share_se=None, low=low, high=high, reason=reason, **fields)
    value = float(np.average(known["share"], weights=weights))
    return Share(share=value, share_se=error, low=low, high=high, reason="", **fields)


def _known(
    times: NDArray[Any], flows: NDArray[Any], signalled: NDArray[Any]
) -> dict[str, NDArray[Any]] | None:
    """The intervals that tell bounds, by column; None if there are none."""
    if len(times) == 0:
        return None
    order = np.argsort(times, kind="stable")
    estimator = Responsiveness(interval=_INTERVAL_S)
    series = estimator.run(
        time=times[order], flow=flows[order], signalled=signalled[order], until=times[order][-1] + _INTERVAL_S
    )
    good = (series.flags & int(ResponsivenessQuality.WARMING_UP)) == 0
    good &= np.isfinite(series.share_lower)
    if not good.any():
        return None
    half = (series.share_upper - series.share_lower) / 2
    columns = {
        "share": series.share_or_middle,
        "error": np.where(np.isfinite(series.share_se), series.share_se, half / NORMAL_95),
        **{name: getattr(series, name) for name in ("share_lower", "share_upper", "resolved", "packets")},
    }
    return {name: column[good] for name, column in columns.items()}


def _check(drops: NDArray[np.int64], frames: int) -> None:
    beyond = drops[drops > frames]
    if len(beyond):
        raise InputError("drops", f"frame {beyond[0]}", f"a frame of the capture, 1 to {frames}")


def _busy(connections: pa.Table, udp: pa.Table, passed: pa.Table) -> pa.Table:
    """The packets that went, between any two hosts, in the direction of more bytes."""
    bytes_by: dict[tuple[str, str], int] = {}
    ends: dict[tuple[int, int], tuple[str, str]] = {}
    for row in connections.to_pylist():
        for way, pair, size in (
            (0, (row["a"], row["b"]), row["data_bytes_f"]),
            (1, (row["b"], row["a"]), row["data_bytes_b"]),
        ):
            ends[row["connection"], way] = pair
            bytes_by[pair] = bytes_by.get(pair, 0) + size
    for row in udp.to_pylist():
        pair = (row["source"], row["destination"])
        ends[row["flow"], _UDP] = pair
        bytes_by[pair] = bytes_by.get(pair, 0) + row["bytes"]
    busy = {
        flow for flow, pair in ends.items() if bytes_by.get(pair, 0) >= bytes_by.get((pair[1], pair[0]), 0)
    }
    keys = [4 * number + way + 1 for number, way in busy]
    own = 4 * np.asarray(passed["number"]) + np.asarray(passed["direction"]) + 1
    return passed.filter(np.isin(own, keys))


def _lost(events: pa.Table, rows: pa.Table) -> NDArray[np.bool_]:
    """Packets of TCP that were lost behind the point: a copy followed that was not needless."""
    needless = np.array([value is True for value in events["needless"].to_pylist()], bool)
    before = np.asarray(events["copy_before_ns"].fill_null(_NEVER))
    known = (before != _NEVER) & ~needless
    way = np.asarray(events["direction"]) == "b"
    columns = (np.asarray(events["connection"])[known], way[known].astype(int), before[known])
    # Packets of one instant are alike: as many are lost as were sent again.
    left = Counter(zip(*(column.tolist() for column in columns), strict=True))
    lost = np.zeros(rows.num_rows, np.bool_)
    near = np.flatnonzero(np.isin(np.asarray(rows["time_ns"]), before[known]))
    keys = (np.asarray(rows[name])[near].tolist() for name in ("number", "direction", "time_ns"))
    for at, key in zip(near, zip(*keys, strict=True), strict=True):
        if left[key] > 0:
            left[key] -= 1
            lost[at] = True
    return lost
