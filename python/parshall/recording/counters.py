"""Counters of flows and ports: one value of a table of them, and those of losses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["LOST", "cell"]

LOST = ("packets_dropped", "packets_lost", "packets_marked")
"""Counters of ports, of which one at least is more than 0 where a port did more than pass packets on."""


def cell(columns: Mapping[str, Any], name: str, row: int) -> Any:
    """One value of a table as a Python number; columns of the engine need not become arrays for it."""
    at = getattr(columns, "at", None)
    return columns[name][row].item() if at is None else at(name, row)
