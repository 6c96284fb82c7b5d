"""Delays of BBR in Linux, from the page of Linux's versions."""

from __future__ import annotations

from pathlib import Path

from parshall_dev.checkout import ROOT

__all__ = ["Delays", "delays"]

Delays = dict[str, dict[str, float]]
"""Mean queueing delays in milliseconds by places, such as ``10 Mbit/s, 20 ms``, and by versions of Linux."""

_PAGE = ROOT / "docs" / "validation" / "linux-versions.md"


def delays(page: Path = _PAGE) -> Delays:
    """Delays in the rows of BBR, which have goodput and delay in each cell."""
    text = page.read_text(encoding="utf-8")
    rows = [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    versions = next(row[1:-1] for row in rows if row and row[0] == "" and row[-1] != "---")
    found = {row[0].removeprefix("BBR, "): row[1:-1] for row in rows if row and row[0].startswith("BBR, ")}
    columns = {place: [float(cell.split("; ")[1]) for cell in cells] for place, cells in found.items()}
    return {place: dict(zip(versions, values, strict=True)) for place, values in columns.items()}
