"""Runs cells in emulated machines, some at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING

from parshall.emulated import Machine, Runs, Workshop
from parshall.errors import ParshallError
from parshall.validate.kernel import cells as grid
from parshall.validate.kernel.cells import Cell, machines
from parshall.validate.kernel.reading import Measured, read
from parshall.validate.kernel.script import script

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = ("tc", "ip", "iperf3", "ss")
MODULES = (
    *("veth", "sch_tbf", "sch_netem", "sch_red", "sch_codel", "sch_pie", "sch_fq_codel"),
    *("tcp_bbr", "inet_diag", "tcp_diag"),
)
OWN = "watch_port"
_SECONDS_EACH = 30.0
"""Of this computer for a second of the machine, before it counts as stuck."""


def run(
    series: str, chosen: Sequence[Cell], jobs: int, *, keep: bool = True
) -> Iterator[dict[str, Measured]]:
    """Cells of one machine after the other, by name, as they are done. Raises ParshallError, which says what
    to install, where something is missing.
    """
    workshop = Workshop.open()
    lacking = workshop.lacking(series, PROGRAMS)
    if lacking:
        raise ParshallError(lacking)
    kernel = workshop.kernel(series)
    files: dict[str, bytes | Path] = {f"/bin/{OWN}": workshop.program(OWN)}
    machine = Machine(kernel, PROGRAMS, MODULES, files)
    runs = Runs.kept(workshop.digest, keep=keep)

    def done(cells: list[Cell]) -> dict[str, Measured]:
        seconds = 60 + _SECONDS_EACH * grid.DURATION * len(cells)
        return runs.run(machine, script(cells), lambda said: read(said, cells), seconds)

    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(done, cells) for cells in machines(list(chosen))]
        try:
            for each in as_completed(waiting):
                yield each.result()
        finally:
            for each in waiting:
                each.cancel()
