"""Queues of one's own in front of links."""

from __future__ import annotations

from typing import ClassVar

from parshall import _core
from parshall._core import QueuedPacket
from parshall.own.base import Part
from parshall.own.kinds import QUEUE, Kind
from parshall.own.library import SharedPart

__all__ = ["DROP", "MARK", "PASS", "PUSH_OUT", "Queue", "QueuedPacket", "SharedQueue"]

PASS, MARK, DROP, PUSH_OUT = 0, 1, 2, 3
"""Answers of a queue about a packet: it goes on, it goes on with a mark that says congestion, it is dropped,
or the first packet of the class ``into`` is dropped, and the queue is asked again.
"""


class Queue(Part, _core.QueueBase):
    """A queue in front of a link, to be derived from. Each port that asks for it gets an instance of its own.

    The engine holds the packets. It asks about each when it arrives, and again when the link is free and its
    turn has come. The answer is one of :mod:`parshall.own`: ``PASS``, for which None stands too; ``MARK``, if
    the packet is ``ecn_capable``; ``DROP``; or, as it arrives, ``PUSH_OUT``: the first packet of the class
    ``into`` is dropped, and :meth:`on_arrival` is called again.

    A queue may have up to 1024 classes: :meth:`on_arrival` sets ``into`` to the class that the packet joins,
    0 unless it does, and :meth:`next_class` says whose turn it is. Packets of one class leave in the order in
    which they came. ``rate`` is the rate of the link at first, in bit/s.

    ``random()`` is a random number from 0 to below 1, of the port's own stream: the same in each run with the
    same seed, and the one of which the engine's queues draw.
    """

    _kind: ClassVar[Kind] = QUEUE

    def on_arrival(self, packet: QueuedPacket) -> int | None:
        """Decides about a packet that arrives. Sets ``into``, if there are classes."""

    def next_class(self, moment: _core.Moment) -> int:
        """Returns the class whose turn it is, as the link is free and packets wait; -1 for the first in which
        some do. It is not asked while no packet has been in a class but 0.
        """
        return -1

    def on_departure(self, packet: QueuedPacket) -> int | None:
        """Decides about a packet that is about to leave. If it is dropped, the next one is looked for."""

    def on_idle(self, moment: _core.Moment) -> None:
        """The link is free, and nothing waits."""


class SharedQueue(SharedPart):
    """A queue in a shared library, for ``Link(queue=...)``; ``parshall_queue.h`` has its interface.

    ``parameters`` are numbers by their names, which the library declares with their defaults. Raises
    InputError for a library that cannot be loaded or has another version of the interface, and for a
    parameter that it does not have.
    """

    _kind: ClassVar[Kind] = QUEUE
