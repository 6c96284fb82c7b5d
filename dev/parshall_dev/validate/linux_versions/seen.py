"""Facts that are kept, and machines that find them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from parshall.errors import ParshallError
from parshall.support.files import write_file
from parshall_dev.emulated import Machine, Workshop
from parshall_dev.validate.linux_versions.reading import Facts, read
from parshall_dev.validate.linux_versions.script import MODULES, PROGRAMS, TOOLS, script

__all__ = ["SEEN", "find", "keep", "kept"]

SEEN = Path(__file__).with_name("seen.csv")
_HEAD = ("series", "fact", "value")
_MEMORY_MIB = 6144
"""Enough for the buffers that Linux takes by default; less memory makes `tcp_rmem` smaller."""
_TIMEOUT_S = 3600.0


def kept(file: Path = SEEN) -> dict[str, Facts]:
    """Facts of each series, oldest first."""
    found: dict[str, Facts] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            found.setdefault(row["series"], {})[row["fact"]] = row["value"]
    return found


def keep(kernels: dict[str, Facts], file: Path = SEEN) -> None:
    """Writes facts, oldest series first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEAD)
    for series in sorted(kernels, key=lambda name: [int(part) for part in name.split(".")]):
        writer.writerows((series, name, value) for name, value in kernels[series].items())
    write_file(file, text.getvalue())


def find(series: str) -> Facts:
    """Runs all scenarios with the kernel of a series. ParshallError where no machine can run."""
    workshop = Workshop.open()
    if lacking := workshop.lacking(series, PROGRAMS):
        raise ParshallError(lacking)
    files = {f"/bin/{name}": workshop.program(name) for name in TOOLS}
    machine = Machine(workshop.kernel(series), PROGRAMS, MODULES, files, memory_mib=_MEMORY_MIB)
    return read(machine.run(script(), _TIMEOUT_S))
