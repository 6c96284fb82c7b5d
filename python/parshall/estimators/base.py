"""Base of all estimators: attributes, copies, pickles and a repr.

``parshall.estimators`` offers everything that is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parshall import _core
from parshall.errors import InputError
from parshall.estimators import arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

__all__ = ["Estimator"]


class Estimator:
    """Base class of all estimators. Use one of the classes made from it.

    The arguments that an estimator was made with are its attributes and cannot be changed. ``copy()``,
    ``copy.copy``, ``copy.deepcopy`` and ``pickle`` give an estimator in the same state that goes on by
    itself; :meth:`clone` gives a fresh one. A pickle can be read by the version of Parshall that wrote it.

    >>> median = EwmaFilter(gain=0.5)
    >>> median.update(8.0)
    8.0
    >>> other = median.copy()
    >>> other.update(0.0), median.value, median.gain, median.clone().value
    (4.0, 8.0, 0.5, None)
    """

    __slots__ = ("_core", "_given", "_more")

    _core: Any
    _given: dict[str, Any]
    _more: dict[str, Any]

    def __init__(self, core: Any, given: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> None:
        """``core`` does the work, ``given`` are the arguments that make it, ``more`` other attributes."""
        set_once = object.__setattr__
        set_once(self, "_core", core)
        set_once(self, "_given", dict(given))
        set_once(self, "_more", dict(more or {}))

    def copy(self) -> Self:
        """An estimator of the same state; what either takes in from now on does not change the other."""
        return self._with(self._core.copy())

    def clone(self) -> Self:
        """An estimator made with the same arguments that has taken in nothing yet."""
        fresh = self.copy()
        fresh.reset()
        return fresh

    def reset(self) -> None:
        """Forget every sample."""
        self._core.reset()

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        kind = type(self._core).__name__
        return _restored, (type(self), self._given, self._more, kind, _version(), self._core.save())

    def __repr__(self) -> str:
        return arguments.call(type(self).__name__, self._given)

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._given or name in self._more:
            kind = type(self).__name__
            raise AttributeError(f"{name}: got {value!r}, expected no change: make a new {kind} with it")
        object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._given, *self._more})

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("_"):
                for attributes in (self._given, self._more):
                    if name in attributes:
                        return attributes[name]
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _with(self, core: Any) -> Self:
        other = object.__new__(type(self))
        Estimator.__init__(other, core, self._given, self._more)
        return other


def _restored(
    kind: type[Estimator], given: dict[str, Any], more: dict[str, Any], core: str, version: str, state: bytes
) -> Estimator:
    """Makes an estimator from the parts of :meth:`Estimator.__reduce__`."""
    if version != _version():
        raise InputError("pickle", f"an estimator of Parshall {version}", f"one of Parshall {_version()}")
    estimator = object.__new__(kind)
    try:
        Estimator.__init__(estimator, getattr(_core, core).load(state), given, more)
    except ValueError as error:
        raise InputError("pickle", f"a state that says {error}", f"that of a {kind.__name__}") from None
    return estimator


def _version() -> str:
    from parshall import __version__

    return __version__
