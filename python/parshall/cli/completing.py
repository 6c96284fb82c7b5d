"""Completion that is loaded only when the shell asks for it, so that other starts do not pay for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click

__all__ = ["completing", "prepare"]


def prepare() -> None:
    """Loads our script for bash where the shell asks for completion."""
    if "_PARSHALL_COMPLETE" in os.environ:
        import parshall.cli.completion  # noqa: F401


def completing(what: str) -> Callable[[click.Context, click.Parameter, str], Any]:
    """The function of that name in :mod:`parshall.cli.completion`."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
        from parshall.cli import completion

        return getattr(completion, what)(ctx, param, incomplete)

    return complete
