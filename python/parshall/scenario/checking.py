"""The engine's check of a whole network, and its errors as the package's own."""

from __future__ import annotations

from parshall.errors import ScenarioError
from parshall.scenario.expected import Expected

__all__ = ["check_json", "engine_error"]


def check_json(scenario_json: str) -> Expected:
    """Checks what needs the whole network: names, routes, duplicates. Raises ScenarioError.

    Returns what a run will take.
    """
    from parshall import _core

    try:
        return Expected(*_core.check(scenario_json))
    except (_core.ScenarioError, ValueError) as error:
        raise engine_error(error) from None


def engine_error(error: Exception) -> ScenarioError:
    """The engine's error as the package's own; without a path, what it was given is no scenario at all."""
    path = getattr(error, "path", None)
    if path is None:
        return ScenarioError("", f"what the engine does not read ({error})", "a scenario")
    return ScenarioError(path, error.value, error.expected)  # type: ignore[attr-defined]
