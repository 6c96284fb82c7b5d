"""Recordings of how responsive flows send, by kind, for deaf flows that replay them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import parshall
from parshall_dev.calibration import prior
from parshall_dev.calibration.rhythms import Rhythm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording

RUNS = 6
"""Runs of each kind that are recorded."""
FLOWS = 6
"""Flows of a run that are kept, at most."""
_FIRST = 900_000
"""Number of the first recorded scenario; draws have smaller ones."""
_SEED = 7
_STARTED = 5.0
"""Seconds after which what a flow sends is kept."""
_FEWEST = 300


def library(folder: Path) -> tuple[Rhythm, ...]:
    """Recorded rhythms of every kind that responds; made once, and kept in the folder."""
    kept = folder / "rhythms.pickle"
    if kept.exists():
        return tuple(Rhythm(*each) for each in pickle.loads(kept.read_bytes()))
    kinds = [kind for kind in prior.RESPONSIVE if kind not in ("mice", "app-limited")]
    found = [
        rhythm
        for place, kind in enumerate(kinds)
        for run in range(RUNS)
        for rhythm in recorded(kind, _FIRST + RUNS * place + run)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = kept.with_suffix(".part")
    unfinished.write_bytes(pickle.dumps([tuple(each) for each in found]))
    unfinished.rename(kept)
    return tuple(found)


def recorded(kind: str, number: int) -> list[Rhythm]:
    """Flows of a scenario in which everything responds."""
    each = replace(prior.draw(number, slow=True), share=0.0, responsive=kind, shape="steady", dither="none")
    changes = {"record.responsiveness": None, "record.port_series": None, "record.packets": ["bottleneck"]}
    run = parshall.run(each.network().with_(changes), _SEED)
    times, flows = _arrivals(run)
    order = np.unique(flows)
    chosen = order[:: max(1, len(order) // FLOWS)][:FLOWS]
    rhythms = []
    for flow in chosen:
        own = times[(flows == flow) & (times > _STARTED)]
        if len(own) > _FEWEST:
            rhythms.append(Rhythm(kind, own - own[0]))
    return rhythms


def _arrivals(run: Recording) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    packets = run.columns("packets")
    arrived = (packets["event"] == 0) & ~packets["ack"]
    return packets["time"][arrived], np.asarray(packets["flow"][arrived])
