"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from parshall.cli.completing import completing

__all__ = ["FILES", "FOLDERS", "form"]

FILES, FOLDERS = completing("files"), completing("folders")


def form(*choices: str, help: str) -> Callable[[Any], Any]:
    """``--format``, the first choice unless another is asked for."""
    return click.option(
        "--format", "form", type=click.Choice(choices), default=choices[0], show_default=True, help=help
    )
