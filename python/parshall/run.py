"""One run: a scenario and a seed in, a recording out. Importing this module costs nothing."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

from parshall.errors import InputError, RunError, ScenarioError, shown

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall.scenario import Dumbbell, Scenario

__all__ = ["MAX_SEED", "check_json", "checked_seed", "run"]

MAX_SEED = 2**63 - 1
"""Seeds are whole numbers from 0 to this, so that they fit a signed column."""


def run(scenario: Scenario | Dumbbell, seed: int = 1) -> Recording:
    """Simulates ``scenario`` and returns what was recorded. The same seed gives the same bits on any machine.

    Raises ScenarioError for a scenario that cannot be run, and InputError for a seed that is none.
    """
    from parshall import _core
    from parshall.recording import Recording
    from parshall.scenario.canonical import as_given

    network = scenario.scenario()
    number = checked_seed(seed)
    try:
        result = _core.simulate(as_given(network), number)
    except (_core.ScenarioError, ValueError) as error:
        raise scenario_error(error) from None
    except RuntimeError as error:
        raise RunError(f"scenario {network.hash[:12]}, seed {number}: {error}") from error.__cause__
    return Recording(network, number, result)


def check_json(scenario_json: str) -> None:
    """Checks what needs the whole network: names, routes, duplicates. Raises ScenarioError."""
    from parshall import _core

    try:
        _core.check(scenario_json)
    except (_core.ScenarioError, ValueError) as error:
        raise scenario_error(error) from None


def scenario_error(error: Exception) -> ScenarioError:
    """The engine's error as the package's own; without a path, what it was given is no scenario at all."""
    path = getattr(error, "path", None)
    if path is None:
        return ScenarioError("", f"what the engine does not read ({error})", "a scenario")
    return ScenarioError(path, error.value, error.expected)  # type: ignore[attr-defined]


def checked_seed(seed: object, path: str = "seed") -> int:
    """The seed as an int. Raises InputError for what is none."""
    if isinstance(seed, Integral) and not isinstance(seed, bool) and 0 <= int(seed) <= MAX_SEED:
        return int(seed)
    raise InputError(path, shown(seed), "a whole number from 0 to 2^63 - 1")
