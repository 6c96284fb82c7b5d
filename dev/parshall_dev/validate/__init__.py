"""Packet for packet: rebuilds scenarios that ns-2 ran, runs them, and compares every packet event.

    from parshall_dev.validate import load_folder, validate

    for verdict in validate(load_folder("../shared/reference/ns2")):
        print(verdict.name, verdict.exact)

A folder holds ``scenarios.json`` and ``traces/NAME.csv.gz``; docs/validation.md says what is in them.
"""

from __future__ import annotations

from parshall_dev.validate.compare import Divergence, Pair, compare
from parshall_dev.validate.compared import Compared, validate
from parshall_dev.validate.events import Event, Events
from parshall_dev.validate.folder import Entry, Folder, load_folder

__all__ = [
    "Compared",
    "Divergence",
    "Entry",
    "Event",
    "Events",
    "Folder",
    "Pair",
    "compare",
    "load_folder",
    "validate",
]
