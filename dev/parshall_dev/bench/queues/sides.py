"""The two sides: what the packets of a load met in our queue, and what the same packets met in ns-3's."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import parshall
from parshall_dev.bench.ns3_builds import Ns3Build
from parshall_dev.bench.process import run
from parshall_dev.bench.queues.loads import PORT, RATE, SPARSE, Discipline, Load

__all__ = ["Arrivals", "Fates", "Ns3Queues", "ours"]

_PS = 1e12


@dataclass(frozen=True)
class Arrivals:
    """Packets in the order of their arrival."""

    time: NDArray[np.float64]
    """Seconds."""
    flow: NDArray[np.int64]
    size: NDArray[np.int64]
    """Bytes."""
    sparse: NDArray[np.bool_]
    """True for packets of flows that send little."""


@dataclass(frozen=True)
class Fates:
    """Fate of each packet: the start of its transmission in seconds, NaN for one that was not sent."""

    start: NDArray[np.float64]
    dropped: int

    def outcomes(self, arrivals: Arrivals, seconds: float) -> dict[str, float]:
        """Mean and upper waits in milliseconds, drops in percent, throughput in Mbit/s."""
        wait = 1e3 * (self.start - arrivals.time)
        sent = np.isfinite(self.start)
        sparse = sent & arrivals.sparse
        return {
            "wait": float(wait[sent].mean()),
            "wait95": float(np.quantile(wait[sent], 0.95)),
            "dropped": 100 * self.dropped / len(arrivals.time),
            "throughput": float(8e-6 * arrivals.size[sent].sum() / seconds),
            "sparse": float(wait[sparse].mean()) if sparse.any() else float("nan"),
        }


def ours(load: Load, discipline: Discipline, seconds: float, seed: int) -> tuple[Arrivals, Fates]:
    """A run of the load through our queue."""
    recording = parshall.run(load.scenario(discipline.ours, seconds), seed=seed)
    packets = recording.port(PORT).packets
    arrived, left, dropped = (packets.event == kind for kind in (0, 1, 2))
    names = np.array([name.startswith(SPARSE) for name in recording.flows])
    flow = packets.flow.astype(np.int64)
    # A flow's numbers are its packets in order, so the two make one number of each packet.
    key = flow * (int(packets.seq.max()) + 1) + packets.seq
    place = np.argsort(key[arrived])
    start = np.full(int(arrived.sum()), np.nan)
    start[place[np.searchsorted(key[arrived][place], key[left])]] = packets.time[left]
    arrivals = Arrivals(
        time=packets.time[arrived],
        flow=flow[arrived],
        size=packets.size_bytes[arrived].astype(np.int64),
        sparse=names[flow[arrived]],
    )
    return arrivals, Fates(start, int(dropped.sum()))


class Ns3Queues:
    """ns-3's disciplines, driven by our arrivals."""

    def __init__(self, build: Ns3Build) -> None:
        """Compiles the driver. Raises Missing."""
        self._program = build.program(Path(__file__).with_name("discipline.cc"), "ns3-discipline")

    def fates(self, arrivals: Arrivals, discipline: Discipline, seconds: float, seed: int) -> Fates:
        """Sends the packets through ns-3's queue. Raises ProcessError."""
        settings = ",".join(f"{name}={value}" for name, value in discipline.settings.items())
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            columns = (np.rint(arrivals.time * _PS).astype(np.int64), arrivals.flow, arrivals.size)
            np.savetxt(file, np.column_stack(columns), fmt="%d")
            file.flush()
            options = {"arrivals": file.name, "disc": discipline.theirs, "rate": RATE, "set": settings}
            words = [
                f"--{name}={value}" for name, value in {**options, "stop": seconds, "seed": seed}.items()
            ]
            lines = run([str(self._program), *words]).output.splitlines()
        sent = np.loadtxt(lines[:-1], dtype=np.int64, ndmin=2)
        start = np.full(len(arrivals.time), np.nan)
        start[sent[:, 0]] = sent[:, 1] / _PS
        return Fates(start, int(lines[-1].split()[-1]))
