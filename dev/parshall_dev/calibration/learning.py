"""Learns from the prior's runs what a flow's evidence means: trees for flows, widths for intervals.

Trees are of one depth and small, so that they are evaluated without a branch. The width of the bounds goes by
one number, the doubt of an interval, and is fitted to errors of trees that had not seen the scenario, or a
kind of what is in it.
"""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import lightgbm
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]

TREES = 160
DEPTH = 7
PARAMETERS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.15,
    "num_leaves": 2**DEPTH,
    "max_depth": DEPTH,
    "min_data_in_leaf": 200,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 20.0,
    "max_bin": 127,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbose": -1,
}
UNKNOWN = np.uint32(0x7F610000).view(np.float32)
"""Stands for a number that does not exist: like it, it is on the right of every threshold."""
FLOWS = 40
"""Flows of an interval that are learned from, drawn by their packets."""
INTERVALS = 10
"""Intervals of a run that are learned from."""
LEAST_TRIALS = np.float32(0.04)
"""As in ``judgement.rs``."""
STRATA = np.array([0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5])
"""Limits between classes of flows, by the logarithm of their trials."""
MOST_WEIGHT = 20.0
"""By which rare flows of a stratum count more."""
FEWEST = 20
"""Packets of an interval that say too little of a share."""
EDGES = np.array([0, 0.005, 0.015, 0.03, 0.05, 0.075, 0.1, 0.13, 0.17, 0.22, 0.3, 0.4, 0.55, 0.75, 1.001])
"""Limits between the classes of doubt that have a width."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run of the prior, or of a set to judge on."""

    name: str
    kinds: dict[str, str]
    numbers: NDArray[np.float32]
    """A row a flow and interval."""
    packets: Reals
    deaf: Reals
    """By how much the row is of a flow that does not respond: 0 or 1."""
    interval: NDArray[np.int64]

    @property
    def truth(self) -> Reals:
        """The share of deaf packets by interval."""
        return self.mean(self.deaf)

    @property
    def count(self) -> int:
        """Intervals."""
        return int(self.interval.max()) + 1

    def mean(self, values: Reals) -> Reals:
        """Means over the packets of each interval."""
        of = np.bincount(self.interval, self.packets * values, self.count)
        return np.asarray(of / np.bincount(self.interval, self.packets, self.count))


def load(folder: Path, most: int | None = None) -> list[Run]:
    """The runs of a folder in the order of their numbers, of each those intervals that met signals and
    packets.
    """
    # An interrupted draw leaves a file NUMBER.part.npz.
    finished = (path for path in folder.glob("*/*.npz") if path.stem.isdecimal())
    runs = (read(path) for path in sorted(finished, key=lambda path: int(path.stem))[:most])
    return [run for run in runs if run is not None]


def read(path: Path) -> Run | None:
    """One of them; None if nothing of it can be judged."""
    with np.load(path) as kept:
        about = json.loads(str(kept["about"]))
        good = (kept["signals_before"] > 0) & (kept["interval_packets"] > FEWEST)
        rows = good[kept["interval"]] & (kept["packets"] > 0)
        if not rows.any():
            return None
        numbers = upper_halves(kept["numbers"][rows])
        numbers[np.isnan(numbers)] = UNKNOWN
        interval = np.unique(kept["interval"][rows], return_inverse=True)[1]
        return Run(
            path.stem,
            about["kinds"],
            numbers,
            kept["packets"][rows].astype(float),
            kept["deaf"][rows].astype(float),
            interval,
        )


def upper_halves(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Numbers without the lower half of their bits, as they are judged."""
    halves: NDArray[np.float32] = (numbers.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    return halves


def judged(numbers: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Rows with enough trials: others are not judged."""
    return np.asarray(np.maximum(numbers[:, 0], numbers[:, 1]) >= LEAST_TRIALS)


@dataclass(frozen=True)
class Rows:
    """Rows that trees learn from."""

    numbers: NDArray[np.float32]
    deaf: Reals
    weight: Reals
    run: NDArray[np.int64]
    """Places of their runs."""


def rows(runs: Sequence[Run], weigh: Callable[[Run], float] = lambda run: 1.0) -> Rows:
    """Some intervals of each run and some flows of each; each run weighs the same but for ``weigh``."""
    numbers, deaf, weight, places = [], [], [], []
    rng = np.random.default_rng(0)
    for place, run in enumerate(runs):
        chosen = np.unique(np.linspace(0, run.count - 1, INTERVALS).round().astype(int))
        for each in chosen:
            at = np.flatnonzero((run.interval == each) & judged(run.numbers))
            if len(at) == 0:
                continue
            part = run.packets[at] / run.packets[at].sum()
            if len(at) > FLOWS:
                at = rng.choice(at, FLOWS, p=part)
                part = np.full(FLOWS, 1 / FLOWS)
            numbers.append(run.numbers[at])
            deaf.append(run.deaf[at])
            weight.append(part * weigh(run) / len(chosen))
            places.append(np.full(len(at), place))
    if not places:
        return Rows(np.empty((0, 0), np.float32), np.empty(0), np.empty(0), np.empty(0, np.int64))
    every = Rows(
        np.concatenate(numbers), np.concatenate(deaf), np.concatenate(weight), np.concatenate(places)
    )
    return replace(every, weight=balanced(every))


def balanced(rows: Rows) -> Reals:
    """Weights with which flows of about as many trials are deaf as often as not: how much was seen of a flow
    says nothing of what it does, though short flows are mostly TCP.
    """
    trials = np.maximum(rows.numbers[:, 0], rows.numbers[:, 1])
    stratum = np.digitize(trials, STRATA)
    weight: Reals = rows.weight.copy()
    for each in np.unique(stratum):
        for deaf in (0, 1):
            own = (stratum == each) & (rows.deaf == deaf)
            part = weight[own].sum() / max(rows.weight[stratum == each].sum(), 1e-12)
            weight[own] *= min(0.5 / max(part, 1e-12), MOST_WEIGHT)
    return weight


def fit(given: Rows, kept: NDArray[np.bool_] | slice = slice(None), trees: int = TREES) -> lightgbm.Booster:
    """Trees that tell deaf flows from the rest."""
    import lightgbm

    weight = given.weight[kept]
    data = lightgbm.Dataset(
        given.numbers[kept],
        given.deaf[kept],
        weight=weight / weight.mean(),
        params={"max_bin": PARAMETERS["max_bin"]},
    )
    return lightgbm.train(PARAMETERS, data, trees)


def probability(model: lightgbm.Booster, run: Run) -> Reals:
    """Probabilities that the run's rows are of deaf flows; one half of those that have shown nothing."""
    return np.where(judged(run.numbers), np.asarray(model.predict(run.numbers)), 0.5)


def fold(name: str, of: int) -> int:
    """A number below ``of`` that a name has for ever."""
    return zlib.crc32(name.encode()) % of


@dataclass(frozen=True)
class Errors:
    """Errors of trees on intervals that they did not learn from."""

    error: Reals
    doubt: Reals
    weight: Reals
    what: NDArray[np.str_]
    """Kind that was left out."""

    def chosen(self, which: NDArray[np.bool_]) -> Errors:
        """Some of them."""
        return Errors(self.error[which], self.doubt[which], self.weight[which], self.what[which])


DEAF_FAMILIES = {
    "cbr": "steady",
    "pulses": "steady",
    "vbr": "rates that change",
    "wide-vbr": "rates that change",
    "on-off": "on and off",
    "bursts": "on and off",
    "wide-on-off": "on and off",
    "self-similar": "self-similar",
    "replay": "replays",
}
RESPONSIVE_FAMILIES = {
    "newreno": "loss", "sack": "loss", "paced": "loss", "mixed": "loss",
    "cubic": "cubic", "linux": "cubic",
    "bbr": "bbr",
    "binomial": "smooth", "rate-over-udp": "smooth",
    "window-limited": "limited", "app-limited": "limited", "rhythm": "limited",
    "mice": "mice",
}  # fmt: skip


def left_out(
    runs: Sequence[Run], given: Rows, family: Callable[[Run], str], part: float, label: str
) -> Errors:
    """Trees that learned without a family are asked about it, for each family in turn."""
    families = np.array([family(run) for run in runs])
    found: list[Errors] = []
    for name in sorted(set(families.tolist())):
        model = fit(given, families[given.run] != name)
        for run in (run for run, own in zip(runs, families, strict=True) if own == name):
            deaf = probability(model, run)
            share, doubt = run.mean(deaf), run.mean(4 * deaf * (1 - deaf))
            count = len(share)
            what = label if label == "seen" else f"{label} {name}"
            found.append(
                Errors(np.abs(share - run.truth), doubt, np.full(count, part / count), np.full(count, what))
            )
    return joined(found)


def joined(found: Iterable[Errors]) -> Errors:
    """All of them; weights sum to those of the parts."""
    every = list(found)
    return Errors(
        *(
            np.concatenate([getattr(each, name) for each in every])
            for name in ("error", "doubt", "weight", "what")
        )
    )


def widths(errors: Errors, coverage: float) -> tuple[Reals, Reals]:
    """Doubts, and half the width of the bounds that hold this part of the truths, which grows with doubt."""
    middles, halves = [], []
    for low, high in itertools.pairwise(EDGES):
        own = (errors.doubt >= low) & (errors.doubt < high)
        if own.sum() < 30:
            continue
        order = np.argsort(errors.error[own])
        reached = np.cumsum(errors.weight[own][order])
        place = np.searchsorted(reached, coverage * reached[-1])
        middles.append(float(np.average(errors.doubt[own], weights=errors.weight[own])))
        halves.append(float(errors.error[own][order][min(place, len(order) - 1)]))
    return np.array(middles), np.maximum.accumulate(np.array(halves))
