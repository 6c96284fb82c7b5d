"""A capture that was read: its tables, and what it lacks."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parshall import _core
from parshall.capture import tables
from parshall.capture.gathering import Gathering, Goal, Scratch
from parshall.capture.kept import Bounds
from parshall.capture.whole import Whole
from parshall.errors import FileError, InputError, checked_path, shown
from parshall.support.causes import output_errors, reason

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.capture.replay import Replayed
    from parshall.capture.series import Delivery
    from parshall.capture.share import Share
    from parshall.estimators.rto import RtoEstimator
    from parshall.forecast import Evaluation
    from parshall.long_memory import HurstEstimate
    from parshall.long_memory.estimates import Method
    from parshall.own import RtoFilter, SharedRtoFilter

__all__ = ["Capture", "Progress", "Source", "bounded"]

_STEP = 50_000
"""Frames that are read between two looks at the clock."""

_STEP_LIVE = 64
"""Frames between two looks at the clock for a stream, which may be slow."""

_ENDED = 10_000
"""Connections and flows whose rows are made together in the end."""


@dataclass(frozen=True)
class Progress:
    """Progress of reading."""

    bytes_read: int
    frames: int
    connections: int
    retransmissions: int
    timeouts: int


@dataclass(frozen=True)
class Capture:
    """Traffic on a link, from a packet capture. Directions are ``f``, from who opened a connection, and
    ``b``.

    Times are in seconds. Those since 1970 are the doubles nearest to what the file has, which lie 238 ns
    apart; columns that end with ``_ns`` have the same times as whole nanoseconds. Columns are
    explained in docs/guide/captures-in.md.
    """

    connections: pa.Table
    """A row a TCP connection."""
    samples: pa.Table
    """A row a sample of a round trip."""
    events: pa.Table
    """A row a frame that is more than a first transmission: sent again, late, or there twice."""
    udp: pa.Table
    """A row a flow of UDP."""
    spin: pa.Table
    """A row a round trip of a flow of UDP, by the spin bit of QUIC."""
    traffic: pa.Table
    """Packets and bytes of all flows in equal intervals of 1 ms, or twice that as often as needed."""
    totals: Mapping[str, int]
    """Frames by what they are."""
    ending: str
    """End of the file: whole, cut, or damaged."""
    unread: Sequence[tuple[str, str, int]] = ()
    """Frames that were not read: the group of the reason as in ``totals``, its name, and their number."""
    passed: pa.Table | None = None
    """A row a packet with payload, if they were asked for."""
    name: str = "capture"
    """Name of the file."""
    seconds: float = field(default=0.0, compare=False)
    """Time that reading took."""
    counts: Whole = field(default_factory=Whole)
    """Counts over all rows, also those that are not in the tables."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Rows of tables that are missing because there were too many of them."""
    share_rows: Mapping[str, pa.Table] = field(default_factory=dict, repr=False, compare=False)
    """Rows that a share goes by, where they are not in the tables."""
    _all: Gathering | None = field(default=None, repr=False, compare=False)
    """Where all rows are, if the tables do not hold them."""

    @staticmethod
    def read(
        file: str | os.PathLike[str],
        *,
        filter: str | None = None,
        anonymise: bool = False,
        nanoseconds: bool = False,
        max_flows: int = 1_000_000,
        passed: bool = False,
        tell: Callable[[Progress], None] | None = None,
    ) -> Capture:
        """Reads a pcap or pcapng file, which may be compressed by gzip or zstd; ``-`` is the standard input.

        ``filter`` chooses packets in the words of tcpdump (host, net, port, tcp, udp, and, or, not).
        ``anonymise`` puts hashes in place of addresses. Times are taken to the microsecond, so that one
        capture says the same in every format, unless ``nanoseconds``. Of more than ``max_flows`` open at once
        the oldest are ended. With ``passed`` every packet with payload is kept, for ``responsiveness``: 40
        bytes each. ``tell`` is called now and then. Raises InputError.
        """
        source = Source(file, filter, nanoseconds, max_flows, tell)
        return _gathered(source, Bounds(passed=passed, anonymise=anonymise), Scratch(), "shown")

    def flow(self, connection: int) -> Capture:
        """One connection of it. Raises InputError if there is none of this number."""
        import pyarrow.compute as pc

        def of(rows: pa.Table) -> pa.Table:
            return rows.filter(pc.equal(rows["connection"], connection))

        if of(self.connections).num_rows == 0:
            raise InputError("flow", shown(connection), f"a connection, 1 to {self.connections.num_rows}")
        connections, samples, events = of(self.connections), of(self.samples), of(self.events)
        counts = Whole(samples=samples.num_rows)
        counts.add(connections, events, self.udp.slice(0, 0))
        return replace(
            self,
            connections=connections,
            samples=samples,
            events=events,
            udp=self.udp.slice(0, 0),
            spin=self.spin.slice(0, 0),
            passed=None,
            counts=counts,
        )

    @property
    def lacks_events(self) -> bool:
        """The table of events does not hold all."""
        return bool(self.events.num_rows < self.counts.events)

    def replay(
        self, filters: Mapping[str, RtoFilter | SharedRtoFilter | RtoEstimator] | None = None
    ) -> list[Replayed]:
        """Every RTO filter on every direction with enough samples; see :mod:`parshall.capture.replay`.
        ``filters`` has others by their names, such as filters of your own. Raises InputError.
        """
        from parshall.capture.replay import replay

        return replay(self, filters)

    def forecasts(self) -> dict[tuple[int, str], Evaluation]:
        """Every forecaster on the round trips of directions with 100 or more, by connection and direction."""
        from parshall.capture.series import forecasts

        return forecasts(self)

    def deliveries(self) -> list[Delivery]:
        """Rate of delivery, window, silence and capacity of each direction with 20 or more answered sends."""
        from parshall.capture.series import deliveries

        return deliveries(self)

    def responsiveness(self, drops: str | os.PathLike[str] | None = None) -> Share:
        """The share of packets whose flows do not respond to congestion, of a capture that was read with
        ``passed=True``: by drops that are inferred, or by those that a file lists; see
        :mod:`parshall.capture.share`. Raises InputError.
        """
        from parshall.capture.share import read_drops, share

        return share(self, None if drops is None else read_drops(drops))

    def hurst(self, method: Method = "local-whittle") -> HurstEstimate:
        """Hurst parameter of the bytes per interval of all its traffic, as
        :func:`parshall.long_memory.hurst` has it. Raises InputError for a capture of less than half a second.
        """
        from parshall.capture.series import traffic_hurst

        return traffic_hurst(self, method)

    def tables(self) -> dict[str, pa.Table]:
        """All tables by name."""
        return {
            "connections": self.connections,
            "samples": self.samples,
            "events": self.events,
            "udp": self.udp,
            "spin": self.spin,
            "traffic": self.traffic,
        }

    def batches(self, name: str) -> Iterator[pa.Table]:
        """All rows of a table in parts, in order; also those that the tables do not hold, within
        :func:`bounded`.
        """
        all_rows = None if name == "traffic" else self._all
        return iter([self.tables()[name]]) if all_rows is None else all_rows.batches(name)

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes the tables as Parquet into a folder, in place of those of another capture. Raises
        OutputError.
        """
        from parshall.capture.written import write

        write(self, checked_path("folder", folder, "a path"))


@dataclass(frozen=True)
class Source:
    """A file and how it is read, as :meth:`Capture.read` has it."""

    file: str | os.PathLike[str]
    filter: str | None = None
    nanoseconds: bool = False
    max_flows: int = 1_000_000
    tell: Callable[[Progress], None] | None = None


@contextmanager
def bounded(source: Source, bounds: Bounds, goal: Goal, out: Path | None = None) -> Iterator[Capture]:
    """A capture of which the tables hold only so many rows. Where the others are wanted they are in files
    until the end, inside of ``out`` if that is given. Raises InputError and OutputError.
    """
    scratch = Scratch(out)
    try:
        if out is not None:
            with output_errors(out):
                scratch()  # a folder that cannot be written is told before the capture is read
        yield _gathered(source, bounds, scratch, goal)
    finally:
        scratch.remove()


def _gathered(source: Source, bounds: Bounds, scratch: Scratch, goal: Goal) -> Capture:
    """Reads a file to its end. Raises InputError and OutputError."""
    began = time.monotonic()
    live = os.fspath(source.file) == "-"
    path = checked_path("file", source.file, "a path")
    reader = _opened(path, live, source, bounds.passed)
    with output_errors(scratch.place):
        gathering = Gathering(bounds, scratch, goal)
        found, begun = _drained(reader, gathering, source, _STEP_LIVE if live else _STEP)
    if bounds.flow is not None and not gathering.whole.connections:
        raise InputError("flow", shown(bounds.flow), f"a connection, 1 to {begun}")
    share_rows = gathering.share_rows()
    return Capture(
        **gathering.kept(),
        traffic=tables.traffic(found["traffic"]),
        totals=found["totals"],
        ending=reader.ending or "whole",
        unread=found["unread"],
        passed=share_rows.get("passed"),
        name="standard input" if live else path.name,
        seconds=time.monotonic() - began,
        counts=gathering.whole,
        left_out=gathering.left_out(),
        share_rows=share_rows,
        _all=None if goal == "shown" else gathering,
    )


def _drained(
    reader: _core.CaptureReader, gathering: Gathering, source: Source, step: int
) -> tuple[Mapping[str, Any], int]:
    """Reads to the end; the last of what the engine says, and the number of connections. Raises OSError."""

    def gather(found: Mapping[str, Any]) -> None:
        gathering.add(found, reader.glance()[0])

    taken = 0
    while reader.step(step):
        if reader.frames - taken >= _STEP:
            taken = reader.frames
            gather(reader.rows(gathering.wants_samples))
        if source.tell is not None:
            source.tell(Progress(reader.bytes_read, reader.frames, *reader.glance()))
    more = True
    while more:
        gather(reader.rows(gathering.wants_samples))
        more = reader.end(_ENDED)
    begun = reader.glance()[0]
    found = reader.finish(gathering.wants_samples)
    gathering.add(found, begun)
    return found, begun


def _opened(path: Path, live: bool, source: Source, passed: bool) -> _core.CaptureReader:
    """Raises InputError for what cannot be read."""
    most = source.max_flows
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InputError("max_flows", shown(most), "a whole number, 1 or more")
    file = None if live else str(path)
    try:
        return _core.CaptureReader(file, source.filter, source.nanoseconds, most, passed)
    except OSError as error:
        raise FileError(str(path), reason(error), "a capture") from None
    except ValueError as error:
        match error.args:
            case (str(place), str(value), str(expected)):
                raise InputError(place, value, expected) from None
        cause = "is a folder" if path.is_dir() else "not a capture"
        raise FileError(str(path), cause, "pcap or pcapng, also packed by gzip or zstd") from None
