"""A scenario that the engine has no means for."""

from __future__ import annotations

__all__ = ["UnsupportedError"]


class UnsupportedError(Exception):
    """Missing feature, in a few words; the scenario is listed as not rebuilt."""
