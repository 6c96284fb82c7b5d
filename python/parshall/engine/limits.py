"""Limits of requests to the engine: seeds, threads, events. Importing this module costs nothing."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from numbers import Integral

from parshall.errors import InputError, shown

__all__ = [
    "MAX_SEED",
    "MOST_JOBS",
    "MOST_SEEDS",
    "available_cores",
    "checked_jobs",
    "checked_max_events",
    "checked_seed",
    "checked_seeds",
    "checked_tables",
]

MAX_SEED = 2**63 - 1
"""Seeds are whole numbers from 0 to this, so that they fit a signed column."""

MOST_SEEDS = 1_000_000
"""Each of many seeds is a run of its own."""

MOST_JOBS = 1024
"""Threads."""


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


def checked_seeds(seeds: Iterable[int] | int) -> tuple[int, ...]:
    """Seeds that can be used, each once; a number stands for those from 1 to it. Raises InputError."""
    if isinstance(seeds, Integral) and not isinstance(seeds, bool) and int(seeds) > 0:
        seeds = range(1, int(seeds) + 1)
    if not isinstance(seeds, Iterable) or isinstance(seeds, str | bytes):
        raise InputError("seeds", shown(seeds), f"a whole number from 1 to {MOST_SEEDS}, or a list of seeds")
    if isinstance(seeds, range) and _fits(seeds):
        return tuple(seeds)
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


def _fits(seeds: range) -> bool:
    """Tell of a whole range by its ends if all its seeds can be used: a million of them take no time."""
    few = bool(seeds) and not seeds[MOST_SEEDS:]
    return few and min(seeds[0], seeds[-1]) >= 0 and max(seeds[0], seeds[-1]) <= MAX_SEED


def checked_jobs(jobs: int | None) -> int:
    """Number of threads: all cores unless given. Raises InputError for anything but a count of threads."""
    if jobs is None:
        return available_cores()
    if isinstance(jobs, bool) or not isinstance(jobs, Integral) or not 1 <= jobs <= MOST_JOBS:
        raise InputError("jobs", shown(jobs), f"a whole number from 1 to {MOST_JOBS}")
    return int(jobs)


def checked_tables(tables: object) -> tuple[str, ...]:
    """Names of tables, each once. Raises InputError for anything but a list of names."""
    if isinstance(tables, str) or not isinstance(tables, Iterable):
        raise InputError("tables", shown(tables), 'a list of names, such as ["flows", "ports"]')
    names = tuple(tables)
    for index, name in enumerate(names):
        if not isinstance(name, str):
            raise InputError(f"tables[{index}]", shown(name), "the name of a table")
    return tuple(dict.fromkeys(names))


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
