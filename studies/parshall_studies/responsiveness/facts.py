"""Numbers that the report's sentences are made with."""

from __future__ import annotations

from typing import Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.responsiveness import aggregate, attacks, drawn, held_out, sampled
from parshall_studies.responsiveness.claims import COVERED, FLAGGED, TOO_SMALL, WRONG
from parshall_studies.responsiveness.shown import parts


def facts(results: st.Results, judged: st.Judgements) -> dict[str, Any]:
    """By the names under which the page knows them."""
    del judged

    def mean(table: str, column: str, **where: str) -> float:
        return float(np.mean(results.values(table, column, **where).array))

    few = str(sampled.SIZES[-1])
    return {
        "aggregate": aggregate,
        "drawn": drawn,
        "sampled": sampled,
        "scenarios": len(results.labels("drawn", "case")),
        "parts": {dither: parts(results, dither) for dither in held_out.DITHERS},
        "goals": (100 * FLAGGED, 100 * WRONG, 100 * COVERED),
        "errors": {
            name: float(np.nanmean(results.values("aggregate", name).array))
            for name in ("half", "kalman", *aggregate.HORIZONS)
        },
        "few": few,
        "error_of_few": mean("sampled", "mse", room=few) ** 0.5,
        "told_of_few": mean("sampled", "variance", room=few) ** 0.5,
        "believed": [
            attack.label
            for name, attack in attacks.ATTACKS.items()
            if mean("attacks", "truth", attack=name) - mean("attacks", "share_upper", attack=name) > TOO_SMALL
        ],
    }
