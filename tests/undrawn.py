"""Figures without drawings: their data are there, and the drawing, which takes most of the time, is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from parshall import plot


class _Blank:
    """A canvas, or axes, on which anything may be done and nothing is drawn."""

    def __getattr__(self, name: str) -> _Blank:
        return self

    def __call__(self, *_: Any, **__: Any) -> _Blank:
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter((self, self))

    def __le__(self, _: object) -> bool:
        return True


@contextmanager
def _blank(height: float = 0.0, *, rows: int = 1, columns: int = 1, **_: Any) -> Iterator[Any]:
    yield _Blank(), [_Blank()] * (rows * columns)


def undrawn(patch: pytest.MonkeyPatch, drawing: Callable[[str], str] = lambda ident: "<svg></svg>") -> None:
    """Nothing is drawn; in place of each figure stands what is known of it by its id."""
    patch.setattr(plot, "drawing", _blank)
    patch.setattr(plot, "to_svg", lambda canvas, ident, *_: drawing(ident))
