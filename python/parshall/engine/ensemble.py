"""Many runs: variants of a scenario over seeds, on all cores, each run done once and kept.

Runs go through the engine's own threads. What is finished is stored in the cache about once a second, so that
an interrupt loses nothing that was finished; a second call only does what is missing. The tables are the same
bit for bit for any number of jobs, and whether a run was done now or read from the cache.
"""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from parshall.engine.interrupt import HeldInterrupt
from parshall.engine.kept import Kept
from parshall.engine.run import MOST_JOBS, MOST_SEEDS, checked_max_events, checked_seed, network_of
from parshall.errors import InputError, ParshallError, RunError, shown
from parshall.scenario.checking import check_json
from parshall.support.words import listed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.figure import Figure

    from parshall import _core
    from parshall.engine.cache import Cache
    from parshall.recording.tables import Block, Key, Runs
    from parshall.scenario import Dumbbell, Scenario

__all__ = ["Ensemble", "Failure", "Progress", "run_many"]

Variant: TypeAlias = "Scenario | Dumbbell | str | Path"
"""A scenario, or the name of its file."""

Progress: TypeAlias = Callable[[int, int], object]
"""Called with the number of runs done, cached ones included, and the number of all."""

_WAIT_S = 0.05
_PORTION_BYTES = 128 << 20

_log = logging.getLogger("parshall")


@dataclass(frozen=True)
class Failure:
    """A run that could not be done."""

    variant: str
    seed: int
    scenario: str
    """Hash of the scenario."""
    reason: str

    def __str__(self) -> str:
        return f"variant {self.variant} (scenario {self.scenario[:12]}), seed {self.seed}: {self.reason}"


@dataclass(frozen=True, repr=False)
class Ensemble:
    """The results of variants over seeds."""

    variants: Mapping[str, Scenario]
    seeds: tuple[int, ...]
    tables: tuple[str, ...]
    """The tables that were read back; see :meth:`table`."""
    executed: int
    """Runs that were done now; the others were in the cache."""
    failures: tuple[Failure, ...]
    """Runs that are missing from the tables, and why."""
    _blocks: Sequence[Block] = field(repr=False)

    def __repr__(self) -> str:
        names = listed(list(self.variants))
        seeds = f"{len(self.seeds)} seed{'s' * (len(self.seeds) != 1)}"
        failed = f", {len(self.failures)} runs failed" if self.failures else ""
        return f"<Ensemble {names} with {seeds}: tables {', '.join(self.tables)}{failed}>"

    def _repr_html_(self) -> str:
        from parshall.recording.pictures import ensemble_html

        return ensemble_html(self)

    def table(self, name: str) -> pa.Table:
        """A table of all runs, with ``variant`` and ``seed`` in front and in the order given."""
        from parshall.recording.assemble import assembled

        if name not in self.tables:
            raise InputError(
                "table", shown(name), f"one of {', '.join(self.tables)}, as asked for with tables="
            )
        records = (scenario.recorded_tables() for scenario in self.variants.values())
        if name not in {"flows", "ports"}.union(*records):
            raise InputError("table", shown(name), "a table that a scenario of the ensemble records")
        table = assembled(self._blocks, name, self.variants, self.seeds)
        if table is None:  # not a single run was done
            self.raise_for_failures()
        return table

    def to_pandas(self, name: str = "flows") -> pd.DataFrame:
        """A table as a pandas data frame."""
        from parshall.recording.frames import to_pandas

        return to_pandas(self.table(name))

    def to_polars(self, name: str = "flows") -> pl.DataFrame:
        """A table as a Polars data frame."""
        from parshall.recording.frames import to_polars

        return to_polars(self.table(name))

    def plot(self, metric: str = "goodput") -> Figure:
        """A column of the table of flows, or their goodput: mean and 95 % interval over the seeds, variant by
        variant. Returns the Matplotlib figure.
        """
        from parshall.recording.pictures import plot_metric

        return plot_metric(self, metric)

    def raise_for_failures(self) -> None:
        """Raises RunError if a run failed."""
        if self.failures:
            more = f" (and {len(self.failures) - 1} more)" if len(self.failures) > 1 else ""
            raise RunError(f"{self.failures[0]}{more}")


def run_many(
    variants: Mapping[str, Variant] | Sequence[Variant] | Variant,
    seeds: Iterable[int] | int,
    *,
    jobs: int | None = None,
    cache: Cache | Literal["default"] | bool | None = "default",
    tables: Sequence[str] = ("flows", "ports"),
    progress: Progress | None = None,
    max_events: int | None = None,
) -> Ensemble:
    """Runs every variant with every seed, unless its results are in the cache.

    Variants are scenarios by name; those of a list are named by their places, from 0. A number of ``seeds``
    stands for the seeds from 1 to it. ``jobs`` is the number of threads, by default all cores.
    ``cache=None`` or ``False`` keeps nothing. Everything that a scenario records is stored; ``tables`` says
    what of it is read back. A run that fails is logged with its scenario and seed, is in ``failures``, and
    does not stop the rest; when no variant can be run, its ScenarioError is raised. ``max_events`` lets each
    run fail that takes more events.

    Ctrl-C ends the runs under way; what has finished is kept, and a second call does the rest.
    """
    networks = _networks(variants)
    numbers = checked_seeds(seeds)
    threads, most = checked_jobs(jobs), checked_max_events(max_events)
    store = _store(cache)
    keys = list(dict.fromkeys((network.hash, seed) for seed in numbers for network in networks.values()))
    blocks = store.read(store.find(keys), tables) if store else []
    known = {key for block in blocks for key in block.keys}
    report = _Report(networks, len(numbers), progress)
    report.cached(key for key in keys if key in known)
    sink = _Sink(store, tuple(tables))
    _execute([key for key in keys if key not in known], networks, _Engine(threads, most), sink, report)
    failures = sorted(
        report.failures, key=lambda failure: (list(networks).index(failure.variant), failure.seed)
    )
    return Ensemble(networks, numbers, tuple(tables), sink.executed, tuple(failures), (*blocks, *sink.blocks))


def _store(cache: object) -> Cache | None:
    from parshall.engine.cache import Cache

    if cache is None or cache is False:
        return None
    if cache == "default" or cache is True:
        return Cache()
    if isinstance(cache, Cache):
        return cache
    raise InputError("cache", shown(cache), 'a Cache, "default", or none')


def _networks(variants: object) -> dict[str, Scenario]:
    if isinstance(variants, Mapping):
        named = dict(variants)
    elif isinstance(variants, list | tuple):
        named = {str(place): variant for place, variant in enumerate(variants)}
    else:
        named = {"0": variants}
    if not named:
        raise InputError("variants", "none", "at least one scenario")
    return {name: network_of(variant, f"variants[{name}]") for name, variant in named.items()}


def checked_seeds(seeds: Iterable[int] | int) -> tuple[int, ...]:
    """Seeds that can be used, each once; a number stands for those from 1 to it. Raises InputError."""
    if isinstance(seeds, int) and not isinstance(seeds, bool) and seeds > 0:
        seeds = range(1, seeds + 1)
    if not isinstance(seeds, Iterable) or isinstance(seeds, str | bytes):
        raise InputError("seeds", shown(seeds), f"a whole number from 1 to {MOST_SEEDS}, or a list of seeds")
    some = itertools.islice(seeds, MOST_SEEDS + 1)
    numbers = tuple(checked_seed(seed, f"seeds[{index}]") for index, seed in enumerate(some))
    if len(numbers) > MOST_SEEDS:
        raise InputError("seeds", f"more than {MOST_SEEDS} seeds", f"at most {MOST_SEEDS} of them")
    if not numbers:
        raise InputError("seeds", "none", "at least one seed")
    known: set[int] = set()
    for index, seed in enumerate(numbers):
        if seed in known:
            raise InputError(f"seeds[{index}]", f"{seed} twice", "seeds that differ")
        known.add(seed)
    return numbers


def checked_jobs(jobs: int | None) -> int:
    """How many threads: all cores unless given. Raises InputError for anything but a count of threads."""
    if jobs is None:
        return available_cores()
    if isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= MOST_JOBS:
        raise InputError("jobs", shown(jobs), f"a whole number from 1 to {MOST_JOBS}")
    return jobs


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class _Engine:
    """How runs are done."""

    threads: int
    max_events: int | None

    def start(self, jobs: list[tuple[str, int]]) -> Any:
        from parshall import _core

        return _core.JoiningBatch(jobs, self.threads, self.max_events)


def _execute(
    missing: Sequence[Key], networks: Mapping[str, Scenario], engine: _Engine, sink: _Sink, report: _Report
) -> None:
    """Runs what is missing; on Ctrl-C or an error, what has finished by then is still stored."""
    texts = {network.hash: network.to_json() for network in networks.values()}
    faults: dict[str, ParshallError] = {}
    with HeldInterrupt() as interrupt:
        for portion in _portions(missing, texts):
            runs, batch = _started(portion, texts, engine, faults)
            if batch is not None:
                _finish(batch, runs, interrupt, sink, report)
            if interrupt.came:
                break
    if interrupt.came:
        raise KeyboardInterrupt
    if faults and all(scenario in faults for scenario, _ in missing):
        raise next(iter(faults.values()))
    for scenario, fault in faults.items():
        report.refused(scenario, [seed for other, seed in missing if other == scenario], str(fault))


def _portions(missing: Sequence[Key], texts: Mapping[str, str]) -> Iterator[list[Key]]:
    """What is handed to the engine at a time, which compiles each scenario of it: not too many of them."""
    portion: list[Key] = []
    compiled: set[str] = set()
    size = 0
    for key in missing:
        portion.append(key)
        if key[0] not in compiled:
            compiled.add(key[0])
            size += len(texts[key[0]])
        if size >= _PORTION_BYTES:
            yield portion
            portion, compiled, size = [], set(), 0
    if portion:
        yield portion


def _started(
    portion: Sequence[Key], texts: Mapping[str, str], engine: _Engine, faults: dict[str, ParshallError]
) -> tuple[Sequence[Key], Any]:
    """A batch under way and its runs: those whose scenario can be run; ``faults`` gains the others'."""
    runs = [key for key in portion if key[0] not in faults]
    jobs = [(texts[scenario], seed) for scenario, seed in runs]
    try:
        batch = engine.start(jobs) if jobs else None
    except ValueError:
        faults |= _faults(runs, texts)
        return _started(runs, texts, engine, faults)
    return runs, batch


def _faults(runs: Sequence[Key], texts: Mapping[str, str]) -> dict[str, ParshallError]:
    """What is wrong with each scenario that cannot be run, by its hash; there is one."""
    faults: dict[str, ParshallError] = {}
    for scenario in dict.fromkeys(scenario for scenario, _ in runs):
        try:
            check_json(texts[scenario])
        except ParshallError as error:
            faults[scenario] = error
    assert faults, "the engine refuses a scenario that it has checked"
    return faults


def _finish(batch: Any, runs: Sequence[Key], interrupt: HeldInterrupt, sink: _Sink, report: _Report) -> None:
    """Takes the results of a batch as they come, until all are there or the user interrupts."""
    stopped = False

    def take(done: Sequence[tuple[list[int], _core.Joined | Exception]]) -> None:
        # Results first: reporting them may fail.
        for indices, result in done:
            if not isinstance(result, Exception):
                sink.take([runs[index] for index in indices], result)
        for indices, result in done:
            for index in indices:
                if not isinstance(result, Exception):
                    report.finished(runs[index])
                elif not stopped:  # what is stopped has not failed
                    report.failed(runs[index], str(result))

    try:
        while not interrupt.came and (done := batch.next(_WAIT_S)) is not None:
            take(done)
            sink.flush_if_due()
    finally:
        stopped = True
        batch.stop()
        try:
            # Runs that ended just now are kept; those under way end at once.
            while (done := batch.next(_WAIT_S)) is not None:
                take(done)
        finally:
            sink.flush()


class _Sink:
    """Takes finished runs, and makes blocks of them from time to time, which are stored."""

    def __init__(self, store: Cache | None, tables: tuple[str, ...]) -> None:
        self.executed = 0
        self._kept = Kept(store, tables)
        self._waiting: list[Runs] = []
        self._bytes = 0

    @property
    def blocks(self) -> list[Block]:
        return self._kept.blocks

    def take(self, keys: Sequence[Key], joined: _core.Joined) -> None:
        self.executed += len(keys)
        self._waiting.append((keys, joined))
        self._bytes += joined.nbytes

    def flush_if_due(self) -> None:
        if self._kept.is_due(self._bytes):
            self.flush()

    def flush(self) -> None:
        from parshall.recording.tables import block

        if self._waiting:
            self._kept.add(block(self._waiting))
            self._waiting.clear()
            self._bytes = 0
        self._kept.flush()


class _Report:
    """Counts runs, tells the caller, and names those that failed."""

    def __init__(self, networks: Mapping[str, Scenario], seeds: int, progress: Progress | None) -> None:
        self.failures: list[Failure] = []
        self._variants: dict[str, list[str]] = {}
        for variant, network in networks.items():
            self._variants.setdefault(network.hash, []).append(variant)
        self._total = len(networks) * seeds
        self._done = 0
        self._progress = progress

    def cached(self, keys: Iterable[Key]) -> None:
        self._count(sum(len(self._variants[scenario]) for scenario, _ in keys))

    def finished(self, key: Key) -> None:
        self._count(len(self._variants[key[0]]))

    def failed(self, key: Key, reason: str) -> None:
        """A run that the engine gave up."""
        for failure in self._failures(*key, reason):
            _log.error("run failed: %s", failure)
        self.finished(key)

    def refused(self, scenario: str, seeds: Sequence[int], reason: str) -> None:
        """A scenario that cannot be run, with any seed; said once."""
        for variant in self._variants[scenario]:
            _log.error("cannot be run: variant %s (scenario %s): %s", variant, scenario[:12], reason)
        for seed in seeds:
            self._failures(scenario, seed, reason)
            self.finished((scenario, seed))

    def _failures(self, scenario: str, seed: int, reason: str) -> list[Failure]:
        line = " ".join(reason.split())
        new = [Failure(variant, seed, scenario, line) for variant in self._variants[scenario]]
        self.failures += new
        return new

    def _count(self, runs: int) -> None:
        self._done += runs
        if self._progress is not None and runs:
            self._progress(self._done, self._total)
