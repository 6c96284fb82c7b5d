"""The tables of a capture on disk, with what is written beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from parshall.capture.spool import Growing
from parshall.support.results import replace_result, seal

if TYPE_CHECKING:
    from parshall.capture.reading import Capture

__all__ = ["MANIFEST", "REPORT", "write"]

MANIFEST = "capture.json"
REPORT = "report.html"


def write(capture: Capture, folder: Path, report: Callable[[Path], str] | None = None) -> None:
    """Writes the tables as Parquet, and the page that ``report`` makes of their folder, in place of another
    capture's. Raises OutputError.
    """
    from parshall._core import ENGINE_VERSION

    tables = capture.tables()
    # Earlier versions wrote no manifest.
    unlisted = [*(f"{name}.parquet" for name in tables), REPORT]
    with replace_result(folder, MANIFEST, unlisted) as files:
        for name in tables:
            file = Growing(files.place(f"{name}.parquet"))
            for part in capture.batches(name):
                file.add(part)
            file.close()
        if report is not None:
            files.add(REPORT, report(files.folder))
        facts = {"engine_version": ENGINE_VERSION, "capture": capture.name, "tables": list(tables)}
        seal(files, MANIFEST, facts)
