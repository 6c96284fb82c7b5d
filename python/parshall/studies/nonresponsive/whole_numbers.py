"""How far the form in whole numbers (Chapter III) is from the floating one on the same samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from parshall.studies.nonresponsive.cases import Case
    from parshall.studies.nonresponsive.contestants import Settings
    from parshall.studies.nonresponsive.traces import Traces

__all__ = ["BOUND", "FIXED", "FLOATING", "deviations"]

FIXED, FLOATING = "fixed-point", "zero-drops"
"""The two contestants."""
BOUND = 0.01
"""How far they may be apart, as a part of the floating estimate."""


def deviations(case: Case, traces: Traces, settings: Settings, kind: str) -> pa.Table:
    """A row a run: the mean distance of the two estimates over the mean of the floating one, and the greatest
    distance in any interval, in points of share.
    """
    from parshall.studies.nonresponsive.contestants import contestant

    fixed, floating = (contestant(name).run(case, traces, settings) for name in (FIXED, FLOATING))
    apart = np.abs(fixed - floating)
    return pa.table(
        {
            "case": [case.name] * len(apart),
            "settings": [kind] * len(apart),
            "seed": np.array(traces.seeds),
            "relative": np.nanmean(apart, axis=1) / np.nanmean(floating, axis=1),
            "most": 100 * np.nanmax(apart, axis=1),
        }
    )
