"""Rows of a capture as they leave the analysis: some are kept for what is shown, and all go to where they are
wanted.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from parshall.capture import tables
from parshall.capture.kept import Best, Bounds, First, ShareRows, largest_flows, only
from parshall.capture.spool import Spool, ordered
from parshall.capture.whole import Whole, worst_rows
from parshall.recording.columns import numbers, values
from parshall.support.stages import stage

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gathering", "Goal", "Scratch"]

Goal = Literal["shown", "read", "written"]
"""Use of rows that are not kept: they are left out, read once more, or written, with all samples."""

_KEYS = {"connections": "connection", "samples": "time", "events": "frame", "udp": "flow", "spin": None}
"""Columns by which tables are sorted."""

_SPOOLED = 100_000
"""Rows of samples, events and spin that wait in memory for their place in the order."""

_SHARE = 8
"""Packets for a share are so many times as many as rows of other tables."""


class Scratch:
    """A folder for temporary files, which is made when it is first asked for."""

    def __init__(self, inside: Path | None = None) -> None:
        self.place = inside or Path(tempfile.gettempdir())
        """The folder that it is in."""
        self._open = ExitStack()
        self._made: Path | None = None

    def __call__(self) -> Path:
        """The folder. Raises OSError."""
        if self._made is None:
            self._made = self._open.enter_context(stage(self.place))
        return self._made

    def remove(self) -> None:
        """Removes the folder."""
        self._open.close()


class Gathering:
    """Takes in the rows of a capture."""

    def __init__(self, bounds: Bounds, scratch: Scratch, goal: Goal = "shown") -> None:
        self._bounds = bounds
        self._name_of = tables.anonymous() if bounds.anonymise else tables.plain
        self.whole = Whole()
        self._connections = Best(bounds.connections, worst_rows)
        self._udp = Best(bounds.connections, largest_flows)
        self._first = {name: First(bounds.rows) for name in ("events", "samples", "spin")}
        most = None if bounds.rows is None else _SHARE * bounds.rows
        self._share = ShareRows(most) if bounds.passed else None
        self._spinning: list[NDArray[Any]] = []
        self._shows = True
        kept = {"connections": bounds.connections, "udp": bounds.connections}
        every = [name for name in _KEYS if goal == "written" or (goal == "read" and name != "samples")]
        self._every = {name: Spool(scratch, _KEYS[name], kept.get(name, _SPOOLED)) for name in every}

    @property
    def wants_samples(self) -> bool:
        """Samples are shown or written."""
        return self._shows or "samples" in self._every

    def add(self, found: Mapping[str, Any], begun: int) -> None:
        """Takes in the rows that the engine gives, when so many connections have begun. Raises OSError."""
        rows = {
            "connections": tables.connections(found["connections"], self._name_of),
            "events": tables.events(found["events"]),
            "udp": tables.datagrams(found["datagrams"], self._name_of),
        }
        if self._share is not None:
            self._share.add(tables.passed(found["passed"]), **rows)
        udp, spin = rows["udp"], tables.spun(found["spun"])
        self._spinning.append(values(udp["flow"])[values(udp["spin_edges"]) > 0])
        if (flow := self._bounds.flow) is not None:
            rows = {name: only(rows[name], flow) for name in ("connections", "events")}
            rows["udp"], spin = udp.slice(0, 0), spin.slice(0, 0)
        rows["spin"] = spin
        rows["samples"] = self._samples(found, begun)
        self.whole.add(rows["connections"], rows["events"], rows["udp"])
        self._connections.add(rows["connections"])
        self._udp.add(rows["udp"])
        for name in ("events", "spin"):
            self._first[name].add(rows[name])
        for name, spool in self._every.items():
            spool.add(rows[name])

    def _samples(self, found: Mapping[str, Any], begun: int) -> pa.Table:
        """Takes in samples, and returns them."""
        flow, most = self._bounds.flow, self._bounds.shown
        if flow is None:
            self.whole.samples += found["sample_count"]
        rows = only(tables.samples(found["samples"]), flow)
        if flow is not None:
            self.whole.samples += rows.num_rows
        if flow is None and most is not None and begun > most and self._shows:
            self._shows = False
            self._first["samples"].clear()
        self._first["samples"].add(rows if self._shows else rows.slice(0, 0))
        return rows

    def kept(self) -> dict[str, pa.Table]:
        """The rows that were kept of each table."""
        first = {name: kept.rows() for name, kept in self._first.items()}
        return {
            "connections": ordered(self._connections.rows(), "connection"),
            "samples": ordered(first["samples"], "time"),
            "events": ordered(first["events"], "frame"),
            "udp": ordered(self._udp.rows(), "flow"),
            "spin": self._of_spinning(first["spin"]),
        }

    def left_out(self) -> dict[str, int]:
        """Rows of tables that would be looked at if they were kept."""
        found = {name: kept.left_out if self._shows else 0 for name, kept in self._first.items()}
        return {**found, "passed": 0 if self._share is None else self._share.left_out}

    def share_rows(self) -> Mapping[str, pa.Table]:
        """The rows that a share goes by, if packets are kept."""
        return {} if self._share is None else self._share.tables()

    def _of_spinning(self, rows: pa.Table) -> pa.Table:
        """Round trips by the spin bit, without changes of bits that do not spin."""
        return rows.filter(numbers(np.isin(values(rows["flow"]), np.concatenate(self._spinning))))

    def batches(self, name: str) -> Iterator[pa.Table]:
        """All rows of a table, in order and in parts; of samples if they are written. Raises OSError."""
        for rows in self._every[name].batches():
            yield self._of_spinning(rows) if name == "spin" else rows
