"""Door to studies of documents, a distribution of their own, in the folder ``studies`` of the repository."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parshall.errors import ParshallError

if TYPE_CHECKING:
    from rich.console import Console

    from parshall_studies.study import Reproduction, Study

__all__ = ["framework", "reproduce"]


def framework() -> Any:
    """The module :mod:`parshall_studies.study`. Raises ParshallError where it is not installed."""
    try:
        return import_module("parshall_studies.study")
    except ModuleNotFoundError as error:
        if error.name != "parshall_studies":
            raise
        raise ParshallError("studies are not installed; in the repository: pip install ./studies") from None


def reproduce(
    name: str | Study,
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    data: str | Path | Sequence[str | Path] | None = None,
    source: str | Path | None = None,
    cache: bool = True,
    full: bool = False,
    quick: bool = False,
    verbose: bool = False,
    console: Console | None = None,
) -> Reproduction:
    """Runs a study and writes its report: :func:`parshall_studies.study.reproduce`, which says what is what.

    Raises ParshallError where studies are not installed.
    """
    given = {key: value for key, value in locals().items() if key != "name"}
    done: Reproduction = framework().reproduce(name, **given)
    return done
