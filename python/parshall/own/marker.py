"""Markers of one's own at the edges of domains."""

from __future__ import annotations

from typing import ClassVar

from parshall import _core
from parshall._core import MeteredPacket
from parshall.own.base import Part
from parshall.own.kinds import MARKER, Kind
from parshall.own.library import SharedPart

__all__ = ["GREEN", "RED", "YELLOW", "Marker", "MeteredPacket", "SharedMarker"]

GREEN, YELLOW, RED = 0, 1, 2
"""Colours of packets, best first."""


class Marker(Part, _core.MarkerBase):
    """A marker at the edge of a DiffServ domain, to be derived from. Each rule that asks for it gets an
    instance of its own.

    :meth:`colour` says of each packet of the rule's aggregate how well it keeps to the profile: ``GREEN``,
    ``YELLOW`` or ``RED`` of :mod:`parshall.own`. What becomes of each colour, a code point or a drop, is in
    the rule: ``Rule(meter=..., if_green="AF11", if_red="AF12")``.

    ``random()`` is a random number from 0 to below 1, of the conditioner's stream, the one of which the
    engine's meters draw: the same in each run with the same seed.
    """

    _kind: ClassVar[Kind] = MARKER

    def colour(self, packet: MeteredPacket) -> int:
        """The colour of a packet."""
        raise NotImplementedError


class SharedMarker(SharedPart):
    """A marker in a shared library, for ``Rule(meter=...)``; ``parshall_marker.h`` has its interface.

    ``parameters`` are numbers by their names, which the library declares with their defaults. Raises
    InputError for a library that cannot be loaded or has another version of the interface, and for a
    parameter that it does not have.
    """

    _kind: ClassVar[Kind] = MARKER
