"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from parshall.cli.completing import completing
from parshall.engine.limits import MOST_JOBS, MOST_SEEDS

__all__ = ["FAILED", "FILES", "FOLDERS", "JOBS", "SEEDS", "form"]

FAILED = 1
"""Exit status after a fault in a scenario or the system."""

FILES, FOLDERS = completing("files"), completing("folders")

JOBS, SEEDS = click.IntRange(1, MOST_JOBS), click.IntRange(1, MOST_SEEDS)


def form(*choices: str, help: str) -> Callable[[Any], Any]:
    """``--format``, the first choice unless another is asked for."""
    return click.option(
        "--format", "form", type=click.Choice(choices), default=choices[0], show_default=True, help=help
    )
