"""Many runs: variants of a scenario over seeds, on all cores, each run done once and kept.

What is finished is stored in the cache about once a second, so that an interrupt loses nothing that was
finished; a second call only does what is missing. The tables are the same bit for bit for any number of jobs,
and whether a run was done now or read from the cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.engine.executors import EngineExecutor
from parshall.engine.interrupt import HeldInterrupt
from parshall.engine.limits import checked_jobs, checked_max_events, checked_seeds, checked_tables
from parshall.engine.run import network_of
from parshall.engine.runs import Failure, Progress, Runs, raise_for
from parshall.errors import InputError, ParshallError, shown
from parshall.support.words import listed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.figure import Figure

    from parshall.engine.cache import Cache
    from parshall.recording.tables import Block, Key
    from parshall.scenario import Dumbbell, Scenario

__all__ = ["Ensemble", "Failure", "Progress", "run_many"]

Variant: TypeAlias = "Scenario | Dumbbell | str | Path"
"""A scenario, or the name of its file."""


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
    _hashes: Mapping[str, str] = field(repr=False)
    """Hashes of the variants, as they were run."""

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

        if not isinstance(name, str) or name not in self.tables:
            raise InputError(
                "table", shown(name), f"one of {', '.join(self.tables)}, as asked for with tables="
            )
        records = (scenario.recorded_tables() for scenario in self.variants.values())
        if name not in {"flows", "ports"}.union(*records):
            raise InputError("table", shown(name), "a table that a scenario of the ensemble records")
        table = assembled(self._blocks, name, self.variants, self._hashes.values(), self.seeds)
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
        raise_for(self.failures)


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
    from parshall.engine.cache import cache_of

    networks = _networks(variants)
    numbers = checked_seeds(seeds)
    threads, most, store = checked_jobs(jobs), checked_max_events(max_events), cache_of(cache)
    hashes = {name: network.hash for name, network in networks.items()}
    named = [(name, hashes[name], network) for name, network in networks.items()]
    runs = Runs(named, checked_tables(tables), store, progress, most)
    with HeldInterrupt() as interrupt, EngineExecutor(threads) as workers:
        missing = runs.missing([(hash, seed) for seed in numbers for hash in hashes.values()])
        faults = _faults(missing, {hashes[name]: network for name, network in networks.items()})
        runs.refuse(missing, {scenario: str(fault) for scenario, fault in faults.items()})
        rest = [key for key in missing if key[0] not in faults]
        runs.do(rest, workers, lambda: interrupt.came)
    return Ensemble(networks, numbers, runs.tables, runs.executed, runs.failures, tuple(runs.blocks), hashes)


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


def _faults(missing: Iterable[Key], scenarios: Mapping[str, Scenario]) -> dict[str, ParshallError]:
    """Returns the faults of scenarios that cannot be run, by hash. Raises one if all have faults."""
    faults: dict[str, ParshallError] = {}
    for scenario in dict.fromkeys(scenario for scenario, _ in missing):
        try:
            scenarios[scenario].check()
        except ParshallError as error:
            faults[scenario] = error
    if faults and len(faults) == len(scenarios):
        raise next(iter(faults.values()))
    return faults
