"""Controls in shared libraries."""

from __future__ import annotations

from typing import ClassVar

from parshall.own.kinds import CONTROL, Kind
from parshall.own.library import SharedPart

__all__ = ["SharedControl"]


class SharedControl(SharedPart):
    """A congestion control in a shared library, for ``Tcp(control=...)``.

    ``parameters`` are numbers by their names, which the library declares with their defaults. Raises
    InputError for a library that cannot be loaded or has another version of the interface, and for a
    parameter that it does not have. A call may take ``TIME_LIMIT`` seconds.
    """

    _kind: ClassVar[Kind] = CONTROL
