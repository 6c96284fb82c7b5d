"""A series as a file holds it, in seconds, and what is to be said of how it was read."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Measured"]


@dataclass(frozen=True)
class Measured:
    """Round-trip times of a file, one for each request."""

    values: list[float]
    """In seconds; NaN where there was no reply."""
    times: list[float] | None
    """When each sample was taken, in seconds; ``None`` if the file does not say."""
    unit: str | None
    """The unit that the file names; ``None`` if it names none."""
    remarks: tuple[str, ...]
    """Remarks on how the file was read, a sentence each."""
