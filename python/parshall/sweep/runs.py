"""The runs of a sweep: what the cache has is read, the rest is done, and kept as it comes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parshall.engine.kept import Kept
from parshall.recording.tables import Block
from parshall.sweep.dispatch import dispatched

if TYPE_CHECKING:
    from parshall.engine.cache import Cache
    from parshall.recording.tables import Key
    from parshall.sweep.points import Point

__all__ = ["Failure", "Runs"]

_log = logging.getLogger("parshall")


@dataclass(frozen=True)
class Failure:
    """A run that could not be done."""

    point: str
    """The point's values."""
    seed: int
    scenario: str
    """Hash of the scenario."""
    reason: str

    def __str__(self) -> str:
        return f"{self.point} (scenario {self.scenario[:12]}), seed {self.seed}: {self.reason}"


class Runs:
    """Does runs, each once, and holds the tables that are wanted of them."""

    def __init__(
        self,
        points: Sequence[Point],
        tables: tuple[str, ...],
        store: Cache | None,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        self.tables = tables
        self.failures: list[Failure] = []
        self.executed = 0
        self.asked = 0
        """Runs asked for so far, by all points."""
        self._points: dict[str, list[str]] = {}
        for point in points:
            self._points.setdefault(point.scenario.hash, []).append(point.name)
        self._texts = {point.scenario.hash: point.scenario.to_json() for point in points}
        self._there: set[Key] = set()
        self._store = store
        self._progress = progress
        self._done = 0
        self._kept = Kept(store, tables)

    def add(self, wanted: Sequence[Key], executor: Executor, interrupted: Callable[[], bool]) -> None:
        """Does those of these runs that are missing and can be done. Raises RunError when the executor
        breaks; what has finished by then is kept.
        """
        fresh = [key for key in dict.fromkeys(wanted) if key not in self._there]
        self.asked += sum(len(self._points[scenario]) for scenario, _ in fresh)
        self._there.update(fresh)
        missing = self._read(fresh)
        kept = None if self._store is not None else self.tables
        try:
            for outcome in dispatched(executor, missing, self._texts, kept, interrupted):
                if outcome is not None:
                    self._take(outcome.block, outcome.failed)
                self._kept.flush_if_due()
        finally:
            self._kept.flush()

    @property
    def blocks(self) -> list[Block]:
        """What is there so far, in the order in which it came."""
        return self._kept.blocks

    def _read(self, keys: Sequence[Key]) -> list[Key]:
        """Reads what the cache has; returns what it has not."""
        if self._store is None:
            return list(keys)
        blocks = self._store.read(self._store.find(keys), self.tables)
        found = {key for block in blocks for key in block.keys}
        wanted = found.intersection(keys)
        self.blocks.extend(block.only(wanted) for block in blocks)
        self._count(wanted)
        return [key for key in keys if key not in found]

    def _take(self, block: Block | None, failed: Sequence[tuple[Key, str]]) -> None:
        # Results first: reporting them may fail.
        if block is not None:
            self._kept.add(block)
            self.executed += len(block.keys)
        for key, reason in failed:
            self._fail(key, " ".join(reason.split()))
        self._count([*(block.keys if block is not None else ()), *(key for key, _ in failed)])

    def _fail(self, key: Key, reason: str) -> None:
        scenario, seed = key
        for point in self._points[scenario]:
            failure = Failure(point, seed, scenario, reason)
            self.failures.append(failure)
            _log.error("run failed: %s", failure)

    def _count(self, keys: Sequence[Key] | set[Key]) -> None:
        self._done += sum(len(self._points[scenario]) for scenario, _ in keys)
        if self._progress is not None and keys:
            self._progress(self._done, self.asked)
