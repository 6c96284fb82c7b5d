"""Rounds of flows that wait for one another at a barrier, made of the transfers of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.errors import InputError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording.recording import Recording
    from parshall.scenario import Scenario

    Reals = NDArray[np.float64]

__all__ = ["Rounds", "flows_of_group", "rounds", "rounds_of"]


@dataclass(frozen=True)
class Rounds:
    """Rounds of a group in their order, those that the run has cut short left out."""

    start: Reals
    """When each began: when the client asked, in seconds."""
    end: Reals
    """When the last packet of the last answer was delivered."""
    bytes: NDArray[np.int64]
    """Payload of all answers."""

    def __len__(self) -> int:
        return len(self.start)

    @property
    def completion_time(self) -> Reals:
        """Seconds from the start to the end of each."""
        return self.end - self.start

    @property
    def goodput(self) -> Reals:
        """Payload per second of each, in bit/s."""
        return 8 * self.bytes / self.completion_time


def rounds(recording: Recording, group: str) -> Rounds:
    """The rounds of the flows with this ``group``. Raises InputError for one that no flow has, and unless
    ``record.transfers`` names all of its flows.
    """
    flows = flows_of_group(recording.scenario, group)
    if not flows.size:
        raise InputError("group", shown(group), "the group of flows whose application is a barrier")
    for flow in flows:
        rows = recording.asked_columns("transfers", "transfers", recording.flows[flow])
    return rounds_of(rows, flows)


def flows_of_group(scenario: Scenario, group: str) -> NDArray[np.int64]:
    """The indices of the flows of a group."""
    apps = [flow.app for flow in scenario.flows]
    return np.flatnonzero([app.kind == "barrier" and app.group == group for app in apps])


def rounds_of(rows: Mapping[str, Any], flows: NDArray[np.int64]) -> Rounds:
    """Rounds from the columns of the table of transfers."""
    own = np.isin(rows["flow"], flows)
    number, start, end, size = (np.asarray(rows[name])[own] for name in ("session", "start", "end", "bytes"))
    count = int(number.max()) + 1 if number.size else 0
    starts, ends, sizes = np.full(count, np.inf), np.full(count, -np.inf), np.zeros(count, dtype=np.int64)
    np.minimum.at(starts, number, start)
    np.maximum.at(ends, number, np.nan_to_num(end, nan=np.inf))  # of a transfer that is not complete
    np.add.at(sizes, number, size)
    done = np.isfinite(ends)
    return Rounds(starts[done], ends[done], sizes[done])
