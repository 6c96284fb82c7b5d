"""One run: a scenario and a seed in, a recording out. Importing this module costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

from parshall.errors import InputError, RunError, shown

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall.scenario import Dumbbell, Scenario

__all__ = [
    "MAX_SEED",
    "MOST_JOBS",
    "MOST_SEEDS",
    "checked_max_events",
    "checked_seed",
    "network_of",
    "run",
]

MAX_SEED = 2**63 - 1
"""Seeds are whole numbers from 0 to this, so that they fit a signed column."""

MOST_SEEDS = 1_000_000
"""Each of many seeds is a run of its own."""

MOST_JOBS = 1024
"""Threads."""


def run(
    scenario: Scenario | Dumbbell | str | Path,
    seed: int = 1,
    *,
    max_events: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Recording:
    """Simulates ``scenario``, or the one in the file of that name, and returns what was recorded. The same
    seed gives the same bits on any machine.

    ``max_events`` ends a run that takes more events with a RunError. ``progress`` is called some fifty times
    a second with the simulated seconds so far; what it raises ends the run, and so does Ctrl-C.

    Raises ScenarioError for a scenario that cannot be run, InputError for a seed or limit that cannot be
    used, and RunError when the run ends early, as it does when memory runs low.
    """
    from parshall import _core
    from parshall.recording import Recording
    from parshall.scenario.canonical import as_given
    from parshall.scenario.checking import engine_error

    network = network_of(scenario, "scenario")
    number, most = checked_seed(seed), checked_max_events(max_events)
    try:
        result = _core.simulate(as_given(network), number, most, progress)
    except (_core.ScenarioError, ValueError) as error:
        raise engine_error(error) from None
    except RuntimeError as error:
        raise RunError(f"scenario {network.hash[:12]}, seed {number}: {error}") from error.__cause__
    return Recording(network, number, result)


def network_of(given: object, place: str) -> Scenario:
    """The network that is meant: a scenario's, a dumbbell's, or that of a file. Raises InputError."""
    if isinstance(given, str | Path):
        from parshall.scenario import load

        return load(given)
    if (scenario := getattr(given, "scenario", None)) is not None and callable(scenario):
        network: Scenario = scenario()
        return network
    raise InputError(place, shown(given), "a scenario, a dumbbell, or the name of a scenario file")


def checked_max_events(limit: object) -> int | None:
    """The limit as an int, or none. Raises InputError for anything else."""
    if limit is None:
        return None
    if isinstance(limit, Integral) and not isinstance(limit, bool) and 1 <= int(limit) < 2**64:
        return int(limit)
    raise InputError("max_events", shown(limit), "a whole number from 1 to 2^64 - 1, or none")


def checked_seed(seed: object, path: str = "seed") -> int:
    """The seed as an int. Raises InputError for anything that is not a seed."""
    if isinstance(seed, Integral) and not isinstance(seed, bool) and 0 <= int(seed) <= MAX_SEED:
        return int(seed)
    raise InputError(path, shown(seed), "a whole number from 0 to 2^63 - 1")
