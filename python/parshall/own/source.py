"""Sources of one's own: applications that say what is written, and when."""

from __future__ import annotations

from typing import Any, ClassVar

from parshall import _core
from parshall._core import Done
from parshall.own.base import Part
from parshall.own.kinds import SOURCE, Kind
from parshall.own.library import SharedPart

__all__ = ["Done", "SharedSource", "Source"]


class Source(Part, _core.SourceBase):
    """An application, to be derived from. Each flow that asks for it gets an instance of its own.

    It is asked when its flow starts, when a time has come that it named, and over TCP when a transfer is
    complete: its last packet has been acknowledged, or, with ``requests``, has reached the destination. It
    answers by

    ``write(packets)``
        A transfer begins now, behind those under way.
    ``wake_in``
        Seconds from now until :meth:`on_time` shall be called, in place of what was said before.

    ``payload_bytes`` is the size of a packet's data. ``random()`` is a random number from 0 to below 1, of
    the flow's own stream: the same in each run with the same seed.
    """

    requests: ClassVar[bool] = False
    """True if the destination is a client that asks for each transfer, one at a time, and hears of its end:
    a request is a packet that crosses the network, and with a new connection the client opens that. Over TCP
    only.
    """
    _kind: ClassVar[Kind] = SOURCE
    _called: ClassVar[tuple[str, ...]] = ("write",)

    def write(self, packets: int, fresh: bool = False) -> None:
        """A transfer of so many packets begins now, one a call of :meth:`on_time` or :meth:`on_done`. With
        ``fresh`` it has a new connection, with handshake, initial window and all estimates anew, and no other
        may be under way. Over UDP there are no connections.
        """
        if self.packets_now != 0:
            raise ValueError("it writes twice in one call, expected one transfer")
        self.packets_now = packets
        self.fresh_now = 1 if fresh else 0

    def on_time(self, now: float) -> None:
        """The flow starts, or the time that ``wake_in`` named has come; it is ``now``, in seconds."""

    def on_done(self, done: Done) -> None:
        """The transfer that began first of those under way is complete: ``done.took`` seconds after it was
        written. ``done.now`` is the time, ``done.number`` counts transfers from 0, and ``done.packets`` is
        its length.
        """

    @classmethod
    def _engine_options(cls) -> dict[str, Any]:
        return {"requests": bool(cls.requests)}


class SharedSource(SharedPart):
    """An application in a shared library; ``parshall_source.h`` has its interface.

    ``parameters`` are numbers by their names, which the library declares with their defaults. Raises
    InputError for a library that cannot be loaded or has another version of the interface, and for a
    parameter that it does not have.
    """

    _kind: ClassVar[Kind] = SOURCE
