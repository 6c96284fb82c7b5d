"""Runs experiments in emulated machines, some at once, and keeps what they said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from parshall.errors import ParshallError
from parshall_dev.emulated import Kernel, Machine, Runs, Workshop
from parshall_dev.linux_testbed.reading import Seen
from parshall_dev.linux_testbed.script import script
from parshall_dev.linux_testbed.settings import Experiment, Scale

SERIES = "6.1"
PROGRAMS = ("tc", "ip", "iperf3", "siege")
MODULES = ("veth", "sch_tbf", "sch_netem", "sch_red", "sch_codel", "sch_fq_codel")
OWN = ("send_cbr", "watch_port", "watch_packets")
MEMORY_MIB = 768
_SECONDS_EACH = 20.0
"""Seconds of this computer for a second of the machine, at the chapter's rates, before it counts as stuck."""


@dataclass(frozen=True)
class Bench:
    """A kernel, and what its machines are fitted out with."""

    kernel: Kernel
    files: Mapping[str, Path]
    runs: Runs

    @staticmethod
    def open() -> Bench:
        """Builds what is not built yet. Raises ParshallError, which says what to install, where something is
        missing.
        """
        workshop = Workshop.open()
        lacking = workshop.lacking(SERIES, PROGRAMS)
        if lacking:
            raise ParshallError(lacking)
        kernel = workshop.kernel(SERIES)
        files = {f"/bin/{name}": workshop.program(name) for name in OWN}
        files["/lib/sch_estmred.ko"] = workshop.module(kernel)
        files["/lib/tc/q_estmred.so"] = workshop.plugin()
        return Bench(kernel, files, Runs.kept(workshop.digest))

    def run(
        self,
        experiment: Experiment,
        scale: Scale,
        estimator: Mapping[str, float],
        seed: int,
        *,
        keep: bool = True,
    ) -> Seen:
        """One experiment, or what was kept of it. Without ``keep`` it is done again, and not kept."""
        told = script(experiment, scale, estimator, seed)
        seconds = 60 + _SECONDS_EACH * experiment.duration * scale.times
        runs = self.runs if keep else Runs(self.runs.digest, None)
        return runs.run(self._machine(seed), told, Seen.read, seconds)

    def _machine(self, seed: int) -> Machine:
        return Machine(self.kernel, PROGRAMS, MODULES, self.files, memory_mib=MEMORY_MIB, seed=seed)
