"""Where runs are done: by default in the engine's own threads, or in any ``concurrent.futures.Executor``.

The default is an executor like any other, so that there is one way of doing many runs. Each of its threads
hands a chunk of runs to the engine and waits there without the GIL: the cores are busy with Rust, and Python
only sees finished chunks.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from parshall.engine.limits import available_cores, checked_jobs
from parshall.errors import InputError, ParshallError, shown

__all__ = ["EngineExecutor", "is_lost", "opened", "tells_running", "width"]

_NAMES = "local, dask, or the address of a Dask scheduler such as tcp://host:8786"
_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")
_CONNECT_S = 30


class EngineExecutor(ThreadPoolExecutor):
    """All cores of this machine inside the engine, one run each, without the GIL."""

    def __init__(self, jobs: int | None = None) -> None:
        """``jobs`` is the number of threads; all cores unless given."""
        super().__init__(max_workers=checked_jobs(jobs), thread_name_prefix="parshall")


@contextlib.contextmanager
def opened(executor: Executor | str | None, jobs: int | None = None) -> Iterator[Executor]:
    """The executor that is meant, ready to be used: an object, ``local``, ``dask``, or a scheduler's address.

    ``dask`` takes the scheduler that Dask's configuration names, or starts a cluster on this machine. What is
    opened here is closed afterwards; an executor that was given stays open. Raises InputError for anything
    else, and ParshallError when the scheduler does not answer.
    """
    if not isinstance(executor, Executor | str | None):
        raise InputError("executor", shown(executor), _NAMES)
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
    """Number of chunks that it works on at a time, if it tells; a cluster may grow while it runs.

    Raises OSError when a cluster does not answer.
    """
    threads = getattr(executor, "_max_workers", None)
    if isinstance(threads, int):
        return threads
    client: Any = getattr(executor, "_client", None)
    if client is not None:
        return max(1, sum(map(int, client.nthreads().values())))
    return available_cores()


def is_lost(executor: Executor) -> bool:
    """Returns true if a cluster's client has lost its scheduler: tasks that it was sent never come back."""
    client: Any = getattr(executor, "_client", None)
    return client is not None and client.status != "running"


def tells_running(executor: Executor) -> bool:
    """Returns true if ``cancel()`` leaves running tasks alone; that of Dask's futures does not."""
    return isinstance(executor, ThreadPoolExecutor | ProcessPoolExecutor)


@contextlib.contextmanager
def _dask(address: str | None) -> Iterator[Executor]:
    try:
        from dask import config
        from distributed import Client
    except ImportError:
        raise ParshallError(
            "dask is not installed; pip install 'parshall[dask]', or 'dask[distributed]'"
        ) from None
    connect: Any = Client  # has no types
    address = address or config.get("scheduler-address", None)
    # Without an address the client starts a cluster on this machine, and takes what that is told.
    options = {"timeout": _CONNECT_S} if address else {"dashboard_address": None}
    place = address or "a cluster on this machine"
    with _quiet("distributed"), contextlib.ExitStack() as stack:
        try:
            with _deaf_children():
                client = stack.enter_context(connect(address, set_as_default=False, **options))
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ParshallError(f"{place}: {reason}, expected a Dask scheduler") from None
        yield client.get_executor(pure=False)


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes that are started meanwhile ignore Ctrl-C. A terminal sends it to all of them, and workers
    that end by it would take runs along.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) or signal.SIG_DFL
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Silences a library's log, tracebacks included; faults that matter are raised."""
    loggers = [logging.getLogger(each) for each in logging.root.manager.loggerDict if each.startswith(name)]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
