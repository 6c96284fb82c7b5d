"""Makes the table by which the share's estimator judges flows: draws and runs scenarios, learns, writes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import InputError, shown
from parshall_dev.calibration import learning, table

if TYPE_CHECKING:
    import lightgbm
    from numpy.typing import NDArray

    from parshall_dev.calibration.learning import Errors, Reals, Rows, Run

COVERAGE = 0.95
"""Part of the truths that the bounds hold, on errors of trees that had not seen the scenario, or a kind in
it."""
PARTS = {"seen": 0.6, "deaf": 0.2, "responsive": 0.2}
"""Weights of errors: of other scenarios of the same kinds, and of kinds left out."""
UNKNOWABLE = ("deaf replays", "responsive bbr")
"""Kinds that cannot be told from others once they are left out: no width would hold them, and they have none
in the fit."""
_TOLD = 0.1
"""Half a width up to which a share is told; an error beyond it is wrong."""
_ROWS = 200
"""Rows that a test judges again."""
_FEWEST_WIDTHS = 2
_DRAWN = "runs that can be judged, as parshall calibrate draw makes them"
FAMILIES: Mapping[str, Callable[[Run], str]] = {
    "seen": lambda run: str(learning.fold(run.name, 3)),
    "deaf": lambda run: learning.DEAF_FAMILIES[run.kinds["deaf"]],
    "responsive": lambda run: learning.RESPONSIVE_FAMILIES[run.kinds["responsive"]],
}
"""Ways to leave a part of the runs out, by their names in :data:`PARTS`."""


def collect(folder: Path, first: int, last: int, seconds: float) -> None:
    """Runs the draws of these numbers that the folder lacks, for some seconds."""
    from parshall_dev.calibration import replays, runs

    runs.keep(folder, range(first, last), replays.library(folder), seconds=seconds)


def learn(folder: Path, most: int | None = None) -> list[str]:
    """Learns from a folder of runs, and tells how good the table is. Writes it, unless it is made of the
    first ``most`` runs only. InputError for a folder that has too little; what was written before then stays.
    """
    runs = learning.load(folder, most)
    if not runs:
        raise InputError("DIR", shown(str(folder)), f"a folder of {_DRAWN}")
    given = learning.rows(runs)
    errors = out_of_fold(folder, runs, given)
    widths = fitted_widths(errors)
    if len(widths[0]) < _FEWEST_WIDTHS:
        raise _too_few(folder, runs)
    model = learning.fit(given)
    made = table.made(model, widths, _about(runs, given), _rows(model, given))
    told_of = [
        f"{len(runs)} scenarios, {len(given.deaf)} flows; digest {made.digest}",
        *told(errors, widths),
    ]
    if most is None:
        made.write()
    return told_of


def out_of_fold(folder: Path, runs: Sequence[Run], given: Rows) -> Errors:
    """Errors by scenarios, by deaf families and by responsive families that were left out."""
    for family in FAMILIES.values():
        if len({family(runs[place]) for place in given.run.tolist()}) < 2:
            raise _too_few(folder, runs)
    return learning.joined(
        learning.left_out(runs, given, family, PARTS[name], name) for name, family in FAMILIES.items()
    )


def _too_few(folder: Path, runs: Sequence[Run]) -> InputError:
    found = f"{len(runs)} {'run' if len(runs) == 1 else 'runs'} in {shown(str(folder))}"
    return InputError("DIR", found, f"more {_DRAWN}")


def fitted_widths(errors: Errors) -> tuple[Reals, Reals]:
    """Doubts and half widths, but for kinds that cannot be known."""
    return learning.widths(errors.chosen(~np.isin(errors.what, UNKNOWABLE)), COVERAGE)


def told(errors: Errors, widths: tuple[Reals, Reals]) -> Iterable[str]:
    """A line for each kind that was left out, with widths that were fitted without it; other scenarios of the
    same kinds are judged by the table's own widths.
    """
    for what in sorted(set(errors.what.tolist())):
        own = errors.what == what
        without = widths if what == "seen" else fitted_widths(errors.chosen(~own))
        if len(without[0]) == 0:
            yield f"{what}: too few other intervals"
            continue
        half = np.interp(errors.doubt[own], *without)
        weight = errors.weight[own] / errors.weight[own].sum()
        error, known = errors.error[own], half <= _TOLD
        covered = error <= half + 1e-9
        told_part = float((weight * known).sum())
        wrong = 100 * (weight * known * (error > _TOLD)).sum()
        squares = (weight * known * error**2).sum() / max(told_part, 1e-9)
        yield (
            f"{what}: unknown {100 * (1 - told_part):.1f} %, wrong {wrong:.2f} %, MSE {squares:.5f}, "
            f"of all {(weight * error**2).sum():.4f}; bounds hold {100 * (weight * covered).sum():.1f} %"
        )


def _about(runs: Sequence[Run], given: Rows) -> dict[str, object]:
    """Where a table comes from."""
    import lightgbm

    from parshall._core import ENGINE_VERSION
    from parshall_dev.calibration.prior import SALT

    names = " ".join(run.name for run in runs)
    return {
        "scenarios": len(runs),
        "flows": len(given.deaf),
        "salt": SALT,
        "names": hashlib.sha256(names.encode()).hexdigest()[:16],
        "engine": ENGINE_VERSION,
        "learner": f"lightgbm {lightgbm.__version__}",
        "trees": learning.TREES,
        "depth": learning.DEPTH,
        "coverage": COVERAGE,
    }


def _rows(model: lightgbm.Booster, given: Rows) -> tuple[NDArray[np.float32], Reals]:
    """Some rows of every label, and what the learner's library makes of them."""
    deaf = np.asarray(model.predict(given.numbers))
    order = np.argsort(deaf, kind="stable")
    chosen = order[np.linspace(0, len(order) - 1, _ROWS).astype(int)]
    return given.numbers[chosen], deaf[chosen]
