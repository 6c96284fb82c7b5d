"""Where runs are done: by default in the engine's own threads, or in any ``concurrent.futures.Executor``.

The default is an executor like any other, so that there is one way of running a sweep. Each of its threads
hands a chunk of runs to the engine and waits there without the GIL: the cores are busy with Rust, and Python
only sees finished chunks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from parshall.ensemble import available_cores
from parshall.errors import InputError, ParshallError, shown

__all__ = ["EngineExecutor", "opened", "tells_running", "width"]

_NAMES = "local, dask, or the address of a Dask scheduler such as tcp://host:8786"
_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")
_CONNECT_S = 30


class EngineExecutor(ThreadPoolExecutor):
    """All cores of this machine inside the engine, one run each, without the GIL."""

    def __init__(self, jobs: int | None = None) -> None:
        """``jobs`` is the number of threads; all cores unless given."""
        super().__init__(max_workers=_jobs(jobs), thread_name_prefix="parshall")


@contextlib.contextmanager
def opened(executor: Executor | str | None, jobs: int | None = None) -> Iterator[Executor]:
    """The executor that is meant, ready to be used: an object, ``local``, ``dask``, or a scheduler's address.

    ``dask`` takes the scheduler that Dask's configuration names, or starts a cluster on this machine. What is
    opened here is closed afterwards; an executor that was given stays open. Raises InputError for anything
    else, and ParshallError when the scheduler does not answer.
    """
    if executor is None or executor == "local":
        with EngineExecutor(jobs) as engine:
            yield engine
        return
    if jobs is not None:
        raise InputError("jobs", shown(jobs), "none: the executor knows how many workers it has")
    if isinstance(executor, Executor):
        yield executor
        return
    if executor == "dask" or (isinstance(executor, str) and executor.startswith(_SCHEMES)):
        with _dask(None if executor == "dask" else executor) as cluster:
            yield cluster
        return
    raise InputError("executor", shown(executor), _NAMES)


def width(executor: Executor) -> int:
    """How many chunks it works on at a time, as far as it tells; a cluster may grow while it runs."""
    threads = getattr(executor, "_max_workers", None)
    if isinstance(threads, int):
        return threads
    client: Any = getattr(executor, "_client", None)
    if client is not None:
        return max(1, sum(map(int, client.nthreads().values())))
    return available_cores()


def tells_running(executor: Executor) -> bool:
    """Whether ``cancel()`` leaves what is under way alone; that of Dask's futures does not."""
    return isinstance(executor, ThreadPoolExecutor | ProcessPoolExecutor)


@contextlib.contextmanager
def _dask(address: str | None) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError:
        raise ParshallError(
            "dask is not installed; pip install 'parshall[dask]', or 'dask[distributed]'"
        ) from None
    connect: Any = Client  # has no types
    place = address or "the scheduler that Dask's configuration names"
    try:
        client = connect(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ParshallError(f"{place}: {reason}, expected a Dask scheduler") from None
    with client:
        yield client.get_executor(pure=False)


def _jobs(jobs: int | None) -> int:
    if jobs is None:
        return available_cores()
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise InputError("jobs", shown(jobs), "a whole number of at least 1")
    return jobs
