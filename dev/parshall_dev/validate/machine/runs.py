"""Runs of Linux, each done once: what a machine said is kept under a digest of all that it follows from."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from parshall.engine.cache import default_folder
from parshall.errors import ParshallError
from parshall.support.causes import output_errors
from parshall_dev.emulated import Machine, Workshop
from parshall_dev.validate.machine.cells import Place
from parshall_dev.validate.machine.reading import Run, read_runs
from parshall_dev.validate.machine.script import MODULES, PROGRAMS, script

__all__ = ["SERIES", "Linux"]

SERIES = ("6.1", "6.12")
_TOOL = "tcp_flows"
_MEMORY_MIB = 512
_TIMEOUT_S = 1800.0


@dataclass(frozen=True)
class Linux:
    """Machines with a kernel of a series."""

    workshop: Workshop
    series: str

    @staticmethod
    def open(series: str) -> Linux:
        """``ParshallError``, which says what to install, where no machine can run."""
        workshop = Workshop.open()
        if lacking := workshop.lacking(series, PROGRAMS):
            raise ParshallError(lacking)
        return Linux(workshop, series)

    @cached_property
    def machine(self) -> Machine:
        tool = self.workshop.program(_TOOL)
        kernel = self.workshop.kernel(self.series)
        return Machine(kernel, PROGRAMS, MODULES, {f"/bin/{_TOOL}": tool}, memory_mib=_MEMORY_MIB)

    def runs(self, place: Place, draw: int) -> dict[str, Run]:
        """Runs of all cells of a place, from the cache or from a machine."""
        kept = self._kept(place, draw)
        if kept.is_file():
            return read_runs(gzip.decompress(kept.read_bytes()).decode())
        said = self.machine.run(script(place, draw), _TIMEOUT_S)
        found = read_runs(said)
        with output_errors(kept):
            kept.parent.mkdir(parents=True, exist_ok=True)
            part = kept.with_name(f".{kept.name}.{os.getpid()}")
            part.write_bytes(gzip.compress(said.encode(), mtime=0))
            part.replace(kept)
        return found

    def missing(self, wanted: Sequence[tuple[Place, int]]) -> list[tuple[Place, int]]:
        """Those that were not run yet."""
        return [each for each in wanted if not self._kept(*each).is_file()]

    def ensure(self, wanted: Sequence[tuple[Place, int]], tell: Callable[[str], object]) -> None:
        """Runs what was not run yet."""
        absent = self.missing(wanted)
        for number, (place, draw) in enumerate(absent, start=1):
            tell(f"machine {number} of {len(absent)}: {place.name}, draw {draw}")
            self.runs(place, draw)

    def _kept(self, place: Place, draw: int) -> Path:
        key = hashlib.sha256(f"{self._digest} {script(place, draw)}".encode()).hexdigest()[:16]
        folder = default_folder() / "linux" / "runs"
        return folder / f"{self.series}-{place.name}-{draw}-{key}.txt.gz"

    @cached_property
    def _digest(self) -> str:
        """Digest of the parts that do not depend on the place: kernel, programs, machine."""
        found = hashlib.sha256(f"{self.machine.kernel.release} {_MEMORY_MIB} {MODULES}".encode())
        for program in (*PROGRAMS, "busybox", "qemu-system-x86_64"):
            path = shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin:/bin:/usr/bin")
            assert path is not None
            found.update(Path(path).read_bytes())
        found.update(self.workshop.program(_TOOL).read_bytes())
        return found.hexdigest()
