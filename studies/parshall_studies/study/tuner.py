"""Optuna, which searches for settings in studies that tune; installed with ``parshall[studies]``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from parshall.errors import ParshallError

__all__ = ["optuna"]


def optuna() -> Any:
    """The module, which says nothing but warnings. Call it before the first run of a study that tunes.

    Raises ParshallError where it, or the CMA-ES that it uses, is not installed.
    """
    try:
        module = import_module("optuna")
        import_module("cmaes")
    except ImportError as error:
        raise ParshallError(
            f"{error.name} is not installed; pip install 'parshall[studies]' for studies that tune"
        ) from None
    module.logging.set_verbosity(module.logging.WARNING)
    return module
