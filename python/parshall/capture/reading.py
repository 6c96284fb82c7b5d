"""A capture that was read: its tables, and what it lacks."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from parshall import _core
from parshall.capture import tables
from parshall.errors import InputError, checked_path, shown

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.capture.replay import Replayed
    from parshall.capture.series import Delivery
    from parshall.capture.share import Share
    from parshall.forecast import Evaluation
    from parshall.long_memory import HurstEstimate
    from parshall.long_memory.estimates import Method

__all__ = ["Capture", "Progress"]

_STEP = 50_000
"""Frames that are read between two looks at the clock."""

_STEP_LIVE = 64
"""The same of a stream, which may be slow."""


@dataclass(frozen=True)
class Progress:
    """How far reading is."""

    bytes_read: int
    frames: int
    connections: int
    retransmissions: int
    timeouts: int


@dataclass(frozen=True)
class Capture:
    """What passed a link, by a packet capture. Times are in seconds; directions are ``f``, from who opened a
    connection, and ``b``.

    Columns are explained in docs/guide/captures-in.md.
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
    """How the file ended: whole, cut, or damaged."""
    passed: pa.Table | None = None
    """A row a packet with payload, if they were asked for."""
    name: str = "capture"
    """Name of the file."""
    seconds: float = field(default=0.0, compare=False)
    """Time that reading took."""

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
        began = time.monotonic()
        live = os.fspath(file) == "-"
        path = checked_path("file", file, "a path")
        reader = _opened(path, live, filter, nanoseconds, (max_flows, passed))
        parts, packets = [reader.samples()], [reader.passed()]
        while reader.step(_STEP_LIVE if live else _STEP):
            if not live:
                parts.append(reader.samples())
                packets.append(reader.passed())
            if tell is not None:
                tell(Progress(reader.bytes_read, reader.frames, *reader.glance()))
        found = reader.finish()
        hide = tables.anonymous(found) if anonymise else {}
        return Capture(
            connections=tables.connections(found["connections"], hide),
            samples=tables.samples([*parts, found["samples"]]),
            events=tables.events(found["events"]),
            udp=tables.datagrams(found["datagrams"], hide),
            spin=tables.spun(found["spun"]),
            traffic=tables.traffic(found["traffic"]),
            totals=found["totals"],
            ending=reader.ending or "whole",
            passed=tables.passed([*packets, found["passed"]]) if passed else None,
            name="standard input" if live else path.name,
            seconds=time.monotonic() - began,
        )

    def flow(self, connection: int) -> Capture:
        """One connection of it. Raises InputError if there is none of this number."""
        import pyarrow.compute as pc

        def of(rows: pa.Table) -> pa.Table:
            return rows.filter(pc.equal(rows["connection"], connection))

        if of(self.connections).num_rows == 0:
            raise InputError("flow", shown(connection), f"a connection, 1 to {self.connections.num_rows}")
        return Capture(
            connections=of(self.connections),
            samples=of(self.samples),
            events=of(self.events),
            udp=self.udp.slice(0, 0),
            spin=self.spin.slice(0, 0),
            traffic=self.traffic.slice(0, 0),
            totals=self.totals,
            ending=self.ending,
            name=self.name,
            seconds=self.seconds,
        )

    def replay(self) -> list[Replayed]:
        """Every RTO filter on every direction with enough samples; see :mod:`parshall.capture.replay`."""
        from parshall.capture.replay import replay

        return replay(self)

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

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes the tables as Parquet into a folder. Raises OutputError."""
        from pyarrow import parquet

        from parshall.support.files import failing_as

        place = checked_path("folder", folder, "a path")
        with failing_as(place):
            place.mkdir(parents=True, exist_ok=True)
            for name, rows in self.tables().items():
                parquet.write_table(rows, place / f"{name}.parquet", compression="zstd")


def _opened(
    path: Path, live: bool, filter: str | None, nanoseconds: bool, kept: tuple[int, bool]
) -> _core.CaptureReader:
    """``kept``: flows at most, and whether packets are. Raises InputError for what cannot be read."""
    max_flows, passed = kept
    if isinstance(max_flows, bool) or not isinstance(max_flows, int) or max_flows < 1:
        raise InputError("max_flows", shown(max_flows), "a whole number, 1 or more")
    try:
        return _core.CaptureReader(None if live else str(path), filter, nanoseconds, max_flows, passed)
    except OSError as error:
        raise InputError("file", str(path), f"a file that can be read ({_reason(error)})") from None
    except ValueError as error:
        match error.args:
            case (str(place), str(value), str(expected)):
                raise InputError(place, value, expected) from None
        raise InputError("file", str(path), "a capture (pcap or pcapng, gzip or zstd)") from None


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)
