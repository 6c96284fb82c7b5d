"""Executed figures with the colours of a dark page, as those of docs/figures have them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["darken"]


def darken(folder: str | Path) -> None:
    """Gives each SVG that a notebook made the dark colours of :mod:`parshall.plot` for dark pages."""
    from parshall.plot import PAPER, themed

    for file in Path(folder, "_images").glob("*.svg"):
        text = file.read_text(encoding="utf-8")
        if "prefers-color-scheme" not in text and "matplotlib" in text:
            text = text.replace("fill: #ffffff", f"fill: {PAPER}").replace("fill: none; ", "fill: none; ")
            file.write_text(themed(text), encoding="utf-8")
