"""A result of each kind, and processes that write others in their place."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import parshall
from parshall.capture import Capture
from parshall.cli.main import main
from parshall.sweep import Sweep

SMALL = """
duration = "0.3 s"
{top}
[dumbbell]
rate = "5 Mbit/s"
delay = "5 ms"
access_rate = "100 Mbit/s"
access_delay = "1 ms"
flows = [{{ count = {flows}, transport = "tcp", app = "bulk" }}]
"""

KINDS = ("recording", "ensemble", "sweep", "capture")


def scenario(flows: int = 1) -> parshall.Scenario:
    """A run of a moment, with a capture; other numbers of flows give other files."""
    return parshall.loads(SMALL.format(top='record = {pcap = ["bottleneck"], rtt = ["*"]}', flows=flows))


def writers(place: Path) -> dict[str, Callable[[Path, int], object]]:
    """How a result of each kind is written into a folder, with one flow or two. ``place`` takes inputs."""
    ensemble = {}
    for flows in (1, 2):
        file = place / f"{flows}.toml"
        file.write_text(SMALL.format(top="", flows=flows))
        ensemble[flows] = str(file)
    recordings = {flows: parshall.run(scenario(flows)) for flows in (1, 2)}
    rates = ["5 Mbit/s", "4 Mbit/s"]
    sweeps = {
        flows: Sweep(scenario(flows), {"links[bottleneck].rate": rates[:flows]}, seeds=2).run(cache=None)
        for flows in (1, 2)
    }
    captures = {}
    for flows, recording in recordings.items():
        (place / f"{flows}.pcap").write_bytes(next(iter(recording.pcap.values())))
        captures[flows] = Capture.read(place / f"{flows}.pcap")
    return {
        "recording": lambda folder, flows: recordings[flows].save(folder),
        "ensemble": lambda folder, flows: main(
            ["run", ensemble[flows], "--seeds", "2", "--format", "parquet", "--out", str(folder)]
        ),
        "sweep": lambda folder, flows: sweeps[flows].write(folder),
        "capture": lambda folder, flows: captures[flows].write(folder),
    }


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }


def forked(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> int:
    """Does something in a process of its own, after ``before``. Returns the exit status: the number that
    ``work`` returns, less than 0 for a signal, 99 for an exception.
    """
    child = os.fork()
    if child == 0:
        status = 99
        try:
            signal.alarm(60)
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            before()
            found = work()
            status = found if isinstance(found, int) else 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def limited(size: int) -> Callable[[], None]:
    """Lets no file grow beyond ``size`` bytes, as on a disk that is full."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
