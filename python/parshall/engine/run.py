"""One run: a scenario and a seed in, a recording out. Importing this module costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from parshall.engine.limits import checked_max_events, checked_seed
from parshall.errors import InputError, RunError, shown

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall.scenario import Dumbbell, Scenario

__all__ = ["network_of", "run"]


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
