"""Runs of the prior's scenarios, and what is kept of them: evidence of each flow every few seconds, and who
is deaf.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import parshall
from parshall.errors import ParshallError
from parshall_dev.calibration.prior import draw, kept_in

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall_dev.calibration.rhythms import Rhythm

SEED = 1
_ABOUT = ("time", "port", "flow", "packets", "deaf")
"""Columns of the table ``evidence`` that are no numbers of a flow."""
LEARNED_FROM = 12.0
"""Seconds from which evidence is kept."""


def keep(
    folder: Path, numbers: Iterable[int], rhythms: tuple[Rhythm, ...], *, seconds: float = np.inf
) -> None:
    """Runs the draws that the folder does not have; ends after some seconds. A run that cannot be made is
    told and left out, and what is finished stays.
    """
    end = time.monotonic() + seconds
    for number in numbers:
        path = kept_in(folder, number)
        if path.exists():
            continue
        if time.monotonic() > end:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        each = draw(number, rhythms)
        began = time.monotonic()
        try:
            run = parshall.run(each.scenario(), SEED)
        except ParshallError as problem:
            print(f"{each.name}: {problem}", flush=True)
            continue
        about = {"kinds": {**each.kinds, "dither": each.dither}, "seconds": time.monotonic() - began}
        _write(path, about | {"rate": each.rate, "elsewhere": each.elsewhere}, of_run(run))


def of_run(run: Recording) -> dict[str, Any]:
    """Evidence and intervals of a run. A flow is deaf if its transport has no control of its own."""
    evidence, seen = run.columns("evidence"), run.columns("responsiveness")
    late = evidence["time"] > LEARNED_FROM
    deaf = np.array([flow.startswith("d-") for flow in run.flows])
    names = [name for name in evidence if name not in _ABOUT]
    times, interval = np.unique(evidence["time"][late], return_inverse=True)
    at = np.searchsorted(seen["time"], times - 1e-9)
    return {
        "numbers": np.column_stack([evidence[name][late] for name in names]).astype(np.float32),
        "packets": evidence["packets"][late].astype(np.float32),
        "deaf": deaf[evidence["flow"][late]],
        "flow": np.asarray(evidence["flow"][late], np.int32),
        "interval": interval.astype(np.int32),
        "interval_packets": seen["packets"][at].astype(float),
        "signals_before": np.cumsum(seen["signals"].astype(float))[at],
    }


def _write(path: Path, about: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Writes a file whole or not at all."""
    unfinished = path.with_suffix(".part.npz")
    np.savez(unfinished, about=np.array(json.dumps(about)), **arrays)
    unfinished.rename(path)
