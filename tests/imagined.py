"""Results that are imagined so that a claim holds, or fails: no verdict may be the same whatever is measured.

Each cell of a table is an unknown. What a rule compares is a function of some of them, whose slopes are found
numerically: the seeds of the imagined results are a batch, in which each unknown is moved once. Newton's
method does the rest, and the rule itself judges what it leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.study.quantity import Expression, Relation
from parshall_studies.study.refutations import Refutation
from parshall_studies.study.rules import Rule
from parshall_studies.study.values import SEED, Values

SEEDS = 12
_CLEAR = 1e-5
"""How far on its side a difference is to lie."""
_NOISE = 1e-12
"""Spread of a number over seeds, as a share of it: less than any bound of a claim."""
_NOISE_OF_RUNS = 1e-8
"""Where the noise is what is compared with: more than the solution is inexact."""
_STEP = 1e-6
_STEPS, _STARTS = 40, 8

Reals = np.ndarray[Any, np.dtype[np.float64]]


@dataclass
class Cells:
    """The unknowns that were asked for so far, in tables of the shape of those that were measured."""

    shape: st.Results
    numbers: dict[Any, int] = field(default_factory=dict)
    """The place of each cell, by its table, column and labels."""
    _asked: dict[str, tuple[dict[str, tuple[Any, ...]], bool, Any]] = field(default_factory=dict)

    def asked(self, table: str, column: str, where: Mapping[str, Any]) -> Any:
        """Labels of what is asked for, whether it is there by seed, and the places of its cells."""
        key = f"{table} {column} {where}"
        if key not in self._asked:
            found = self.shape.values(table, column, **where)
            fixed = {dim: label for dim, label in where.items() if dim not in found.labels}
            labels = {dim: own for dim, own in found.labels.items() if dim != SEED}
            places = np.empty(tuple(map(len, labels.values())), dtype=int)
            for place in np.ndindex(places.shape):
                own = {dim: of[i] for (dim, of), i in zip(labels.items(), place, strict=True)}
                cell = (table, column, *sorted({**fixed, **own}.items()))
                places[place] = self.numbers.setdefault(cell, len(self.numbers))
            self._asked[key] = (labels, SEED in found.labels, places)
        return self._asked[key]


@dataclass(frozen=True)
class Imagined(st.Results):
    """Results with a number for each cell and seed; ``batch`` gives every table the seed as a dimension."""

    cells: Cells
    drawn: Callable[[int], Reals]
    """The numbers of so many cells."""
    batch: bool = False

    def values(self, table: str, column: str, **where: Any) -> Values:
        labels, by_seed, places = self.cells.asked(table, column, where)
        numbers = self.drawn(len(self.cells.numbers))
        if by_seed or self.batch:
            return Values({**labels, SEED: tuple(range(numbers.shape[1]))}, numbers[places])
        return Values(labels, numbers[places, 0])


_FAR = tuple(10.0**power for power in range(6, -5, -1))
"""Distances by which a quantity is turned: one is farther than any bound of a claim, and short ones lead to
where two quantities are alike.
"""


def refuted(rule: Rule, shape: st.Results, refutations: Sequence[Refutation], *, held: bool) -> list[bool]:
    """For each refutation, true if it turns the rule's verdict: from one that holds to one that fails if
    ``held``, and the other way round otherwise. The rule is judged on imagined numbers before and after the
    quantity is moved far in the refutation's direction, where the refutation looks at it.
    """
    if isinstance(rule, st.ByReading):
        found = [refuted(each, shape, refutations, held=held) for each in rule.readings.values()]
        return [any(turns) for turns in zip(*found, strict=True)]
    if isinstance(rule, st.MoreThanNoise):
        return [each.direction == "more" and each.table in rule.tables for each in refutations]
    before = st.Verdict.HOLDS if held else st.Verdict.FAILS
    worlds = [world for aim, *world in _worlds(rule, shape) if aim is before and world[-1] is before]
    return [any(_turns(rule, each, cells, at, held=held) for cells, at, _ in worlds) for each in refutations]


def _turns(rule: Rule, refutation: Refutation, cells: Cells, at: Reals, *, held: bool) -> bool:
    moved = np.zeros(len(at), dtype=bool)
    for (table, column, *labels), place in cells.numbers.items():
        moved[place] = refutation.about(table, column, dict(labels))
    if not moved.any():
        return False
    after = st.Verdict.FAILS if held else st.Verdict.HOLDS
    signs = {"more": (1.0,), "less": (-1.0,), "other": (1.0, -1.0)}[refutation.direction]
    scale = max(1.0, float(np.abs(at).max()))
    ways = (sign * far * scale for far in _FAR for sign in signs)
    return any(rule.judge(_world(cells, at + way * moved, _noise(rule))).verdict is after for way in ways)


def turned(rule: Rule, shape: st.Results) -> Iterator[tuple[st.Verdict, st.Verdict]]:
    """Verdicts that were aimed at, and what the rule made of the results that were imagined for them."""
    if isinstance(rule, st.ByReading):
        for reading in rule.readings.values():
            yield from turned(reading, shape)
        return
    if isinstance(rule, st.MoreThanNoise):
        cells = Cells(shape)
        for aim, noise in ((st.Verdict.HOLDS, _NOISE), (st.Verdict.FAILS, 100.0 * abs(rule.printed.value))):
            yield aim, rule.judge(_world(cells, np.ones(1), noise)).verdict
        return
    for aim, _, _, verdict in _worlds(rule, shape):
        yield aim, verdict


def _worlds(rule: Rule, shape: st.Results) -> Iterator[tuple[st.Verdict, Cells, Reals, st.Verdict]]:
    """Verdicts that were aimed at, the numbers that were imagined for them, and the verdicts on these."""
    for aim, functions, targets in _aims(rule):
        yield aim, *_solved(rule, shape, functions, targets)


Target = Callable[[Reals], Reals]
"""Target values of the numbers, from their present ones."""


def _aims(rule: Rule) -> Iterator[tuple[st.Verdict, Sequence[Any], Sequence[Target]]]:
    """Numbers to compare, and their targets, for each verdict."""
    if isinstance(rule, st.Holds | st.Computed):
        relations = rule.relations if isinstance(rule, st.Holds) else (rule.relation,)
        yield st.Verdict.HOLDS, relations, [_beyond] * len(relations)
        if len(relations) == 1:
            yield st.Verdict.HOLDS, relations, [partial(np.full_like, fill_value=2 * _CLEAR)]
        for relation in relations:
            for member in (0, -1):
                yield st.Verdict.FAILS, [relation], [partial(_one_short, member=member)]
        return
    of, holds, fails = _goals(rule)
    for aim, goal in ((st.Verdict.HOLDS, holds), (st.Verdict.FAILS, fails)):
        yield aim, [of], [partial(np.full_like, fill_value=goal)]


def _goals(rule: Rule) -> tuple[Expression, float, float]:
    """An expression, and a number with which the rule holds, and one with which it fails."""
    if isinstance(rule, st.PrintedNumber):
        value, half = rule.printed.value, rule.printed.half_digit
        return rule.of, value + half / 10, 2 * abs(value) + 10 * half + 1
    if isinstance(rule, st.OneOfRuns):
        return rule.seen - rule.of, 0.0, 1.0
    if isinstance(rule, st.Never):
        return rule.of, -1.0, 1.0
    raise TypeError(f"{type(rule).__name__}: expected a rule that this file knows")


def _beyond(now: Reals) -> Reals:
    """All on their side."""
    return np.maximum(now, 2 * _CLEAR)


def _one_short(now: Reals, *, member: int) -> Reals:
    """One on the other side."""
    wanted = now.copy()
    wanted[member] = np.minimum(now[member], -2 * _CLEAR)
    return wanted


def _numbers(what: Any, results: Imagined) -> Reals:
    """One row a member, one column of the batch; differences are above 0 where a relation holds."""
    if isinstance(what, Relation):
        sign = 1 if what.direction == "greater" else -1
        values = what.differences(results)
        return sign * _by_batch(values)
    assert isinstance(what, Expression)
    return _by_batch(what.values(results))


def _by_batch(values: Values) -> Reals:
    if SEED not in values.labels:
        raise LookupError("nothing that is measured is in it")
    others = [dim for dim in values.dims if dim != SEED]
    return values.along(*others, SEED).reshape(-1, len(values.labels[SEED]))


def _solved(
    rule: Rule, shape: st.Results, functions: Sequence[Any], targets: Sequence[Target]
) -> tuple[Cells, Reals, st.Verdict]:
    """Numbers that are what they ought to be, or as near as was found, and the verdict on them."""
    cells = Cells(shape)
    for what in functions:  # so that all cells are known
        _numbers(what, Imagined({}, cells, lambda count: np.ones((count, 1)), batch=True))
    rng, at, found = np.random.default_rng(3), np.ones(0), st.Verdict.OPEN
    for _ in range(_STARTS):
        at = _newton(cells, rng.uniform(0.5, 1.5, len(cells.numbers)), functions, targets)
        found = rule.judge(_world(cells, at, _noise(rule))).verdict
        if not any(np.abs(_missing(cells, at, functions, targets)[0]) > _CLEAR):
            break
    return cells, np.resize(at, len(cells.numbers)), found


def _noise(rule: Rule) -> float:
    return _NOISE_OF_RUNS if isinstance(rule, st.OneOfRuns) else _NOISE


def _newton(cells: Cells, at: Reals, functions: Sequence[Any], targets: Sequence[Target]) -> Reals:
    for _ in range(_STEPS):
        missing, slopes = _missing(cells, at, functions, targets)
        if not np.isfinite(slopes).all() or np.abs(missing).max() < _CLEAR / 10:
            break
        at = at + np.linalg.lstsq(slopes, missing, rcond=1e-9)[0]
    return at


def _missing(
    cells: Cells, at: Reals, functions: Sequence[Any], targets: Sequence[Target]
) -> tuple[Reals, Reals]:
    """How far what is compared is from what it ought to be, and its slopes in all cells."""
    steps = _STEP * np.maximum(np.abs(at), 1.0)
    moved = np.column_stack([at, at[:, None] + np.diag(steps)])
    results = Imagined({}, cells, lambda count: moved, batch=True)
    rows = [_numbers(what, results) for what in functions]
    missing = [target(own[:, 0]) - own[:, 0] for target, own in zip(targets, rows, strict=True)]
    slopes = [(own[:, 1:] - own[:, :1]) / steps for own in rows]
    return np.concatenate(missing), np.concatenate(slopes)


def _world(cells: Cells, at: Reals, noise: float) -> Imagined:
    """These numbers, with so much noise over seeds, as a share of each."""

    def drawn(count: int) -> Reals:
        centre = np.resize(at, count)[:, None]
        draws = np.random.default_rng(4).standard_normal((count, SEEDS))
        return centre + noise * np.maximum(np.abs(centre), 1.0) * draws

    return Imagined({}, cells, drawn)
