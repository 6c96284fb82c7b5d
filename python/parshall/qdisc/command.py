"""The work of ``parshall qdisc export``."""

from __future__ import annotations

from pathlib import Path

from parshall.qdisc.prometheus import prometheus_text
from parshall.qdisc.socket import read
from parshall.support.files import write_file
from parshall.support.terminal import echo

__all__ = ["export_qdiscs"]


def export_qdiscs(device: str | None, out: str | None) -> None:
    """Prints the text, or puts it in place of the file `out`, of which a reader never meets half."""
    text = prometheus_text(read(device))
    if out is None:
        echo(text, nl=False)
        return
    write_file(Path(out), text)
