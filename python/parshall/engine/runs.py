"""Many runs, each once: what the cache has is read, the rest is done, and kept as it comes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from parshall.engine.dispatch import dispatch
from parshall.engine.kept import Kept
from parshall.engine.work import Outcome, Task
from parshall.errors import RunError
from parshall.recording.tables import Block
from parshall.scenario.canonical import hashed

if TYPE_CHECKING:
    from parshall.engine.cache import Cache
    from parshall.recording.tables import Block, Key
    from parshall.scenario import Scenario

__all__ = ["Failure", "Progress", "Runs", "raise_for", "text_of"]

Progress: TypeAlias = Callable[[int, int], object]
"""Called with the number of runs done, cached ones included, and the number of all that were asked for."""

_log = logging.getLogger("parshall")


@dataclass(frozen=True)
class Failure:
    """A run that could not be done."""

    variant: str
    """Its name; of a point of a sweep the values, such as ``rate=1000000, queue=red``."""
    seed: int
    scenario: str
    """Hash of the scenario."""
    reason: str

    def __str__(self) -> str:
        return f"variant {self.variant} (scenario {self.scenario[:12]}), seed {self.seed}: {self.reason}"


def raise_for(failures: Sequence[Failure]) -> None:
    """Raises RunError if there are any."""
    if failures:
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        raise RunError(f"{failures[0]}{more}")


def text_of(scenario: Scenario, hash: str) -> str:
    """The canonical JSON of a scenario that had this hash: its results are kept under it. Raises RunError for
    one that somebody has changed since.
    """
    text = scenario.to_json()
    if hashed(text) != hash:
        raise RunError(
            f"scenario {hash[:12]}: has become {hashed(text)[:12]} since it was given, "
            "expected one that nobody changes meanwhile"
        )
    return text


class Runs:
    """Does runs, and holds the tables that are wanted of them."""

    def __init__(
        self,
        variants: Iterable[tuple[str, str, Scenario]],
        tables: tuple[str, ...],
        store: Cache | None,
        progress: Progress | None,
        max_events: int | None = None,
        look: tuple[Callable[[Block], None], tuple[str, ...]] | None = None,
    ) -> None:
        """``variants`` are scenarios with their names and hashes; equal ones are run once. ``look`` is called
        with each block once, with the tables that it names beside it and perhaps others, which need not be
        held afterwards.
        """
        self.tables = tables
        self._read = tables if look is None else tuple(dict.fromkeys((*tables, *look[1])))
        self.executed = 0
        self._failures: list[Failure] = []
        self._names: dict[str, list[str]] = {}
        self._scenarios: dict[str, Scenario] = {}
        self._order: dict[str, int] = {}
        for name, hash, scenario in variants:
            self._names.setdefault(hash, []).append(name)
            self._scenarios[hash] = scenario
            self._order[name] = len(self._order)
        self._asked = self._done = 0
        self._there: set[Key] = set()
        self._store = store
        self._progress = progress
        self._task = Task(None if store is not None else self._read, max_events=max_events)
        self._kept = Kept(store, tables, None if look is None else look[0])

    @property
    def blocks(self) -> list[Block]:
        """Results so far, in order of arrival."""
        return self._kept.blocks

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Failed runs, variant by variant and seed by seed."""
        return tuple(sorted(self._failures, key=lambda each: (self._order[each.variant], each.seed)))

    def add(self, wanted: Sequence[Key], executor: Executor, interrupted: Callable[[], bool]) -> None:
        """Does those of these runs that are missing and can be done. Raises RunError when the executor
        breaks; what has finished by then is kept.
        """
        self.do(self.missing(wanted), executor, interrupted)

    def missing(self, wanted: Sequence[Key]) -> list[Key]:
        """Those of these runs that are asked for first now, and that the cache does not have."""
        fresh = [key for key in dict.fromkeys(wanted) if key not in self._there]
        self._asked += sum(len(self._names[scenario]) for scenario, _ in fresh)
        self._there.update(fresh)
        if self._store is None:
            return fresh
        found: set[Key] = set()
        for group in self._store.together(self._store.find(fresh, self._task.max_events)):
            for block in self._store.read(group, self._read):
                found.update(block.keys)
                self._kept.hold(block)
        self._count(found)
        return [key for key in fresh if key not in found]

    def do(self, missing: Sequence[Key], executor: Executor, interrupted: Callable[[], bool]) -> None:
        """Does these runs, as :meth:`add`."""
        scenarios = dict.fromkeys(scenario for scenario, _ in missing)
        texts = {hash: text_of(self._scenarios[hash], hash) for hash in scenarios}

        def take(outcome: Outcome | None) -> None:
            if outcome is not None:
                self._take(outcome)
            self._kept.flush_if_due()

        try:
            dispatch(executor, missing, texts, self._task, take, interrupted)
        finally:
            self._kept.flush()

    def refuse(self, missing: Sequence[Key], reasons: Mapping[str, str]) -> None:
        """Notes why scenarios cannot be run, with any seed; said once of each."""
        for scenario, reason in reasons.items():
            for name in self._names[scenario]:
                _log.error("cannot be run: variant %s (scenario %s): %s", name, scenario[:12], reason)
        refused = [key for key in missing if key[0] in reasons]
        for scenario, seed in refused:
            self._failed((scenario, seed), reasons[scenario])
        self._count(refused)

    def _take(self, outcome: Outcome) -> None:
        # Results first: reporting them may fail.
        if outcome.block is not None:
            self._kept.add(outcome.block)
            self.executed += len(outcome.block.keys)
        for key, reason in outcome.failed:
            for failure in self._failed(key, reason):
                _log.error("run failed: %s", failure)
        self._count(outcome.keys)

    def _failed(self, key: Key, reason: str) -> list[Failure]:
        scenario, seed = key
        line = " ".join(reason.split())
        new = [Failure(name, seed, scenario, line) for name in self._names[scenario]]
        self._failures += new
        return new

    def _count(self, keys: Collection[Key]) -> None:
        self._done += sum(len(self._names[scenario]) for scenario, _ in keys)
        if self._progress is not None and keys:
            self._progress(self._done, self._asked)
