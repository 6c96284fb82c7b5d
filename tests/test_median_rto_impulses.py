"""Tails and impulses of the median study, on series whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from parshall_studies import study as st
from parshall_studies.median_rto import impulses


def test_tail_ratios_are_those_of_the_laws() -> None:
    levels = (np.arange(100_000) + 0.5) / 100_000
    assert impulses.tail_ratio(-np.log(1 - levels)) == pytest.approx(impulses.EXPONENTIAL_TAIL, rel=1e-3)
    assert impulses.tail_ratio((1 - levels) ** (-1 / 2.5)) == pytest.approx(4.19, rel=1e-2)
    assert impulses.tail_ratio(levels) == pytest.approx(0.49 / 0.4, rel=1e-3)
    assert np.isnan(impulses.tail_ratio(np.ones(10)))
    assert np.isnan(impulses.tail_ratio(np.empty(0)))


def test_impulses_stand_alone_on_either_side() -> None:
    quiet = np.full(50, 0.3)
    up, down, step = quiet.copy(), quiet.copy(), quiet.copy()
    up[20], down[20], step[20:] = 0.46, 0.19, 3.0
    assert impulses.impulse_share([quiet]) == impulses.impulse_share([step]) == 0
    assert impulses.impulse_share([up]) == impulses.impulse_share([down]) == 1 / 48
    assert impulses.impulse_share([up, quiet]) == 1 / 96  # series are not joined
    assert np.isnan(impulses.impulse_share([]))


def test_answers_are_those_of_the_equations() -> None:
    results = st.Results(impulses.measure(range(1, 4), {}))

    def answer(column: str, signal: str, filter: str, after: int) -> float:
        where = {"signal": signal, "filter": filter, "after": after}
        return float(results.values("answers", column, **where).array)

    # A gain of 1/8 and four deviations of gain 1/4: an eighth and the whole height.
    assert answer("estimate", "impulse", "mean", 1) == pytest.approx(1 / 8)
    assert answer("rto", "impulse", "mean", 1) == pytest.approx(9 / 8)
    assert answer("estimate", "impulse", "ewma", 1) == answer("rto", "impulse", "mad", 1) == 0
    assert answer("rto", "impulse", "ewma", 1) == pytest.approx(1)
    assert [answer("estimate", "step", "ewma", after) for after in (2, 3)] == pytest.approx([0, 1])


def test_errors_on_independent_samples_are_those_of_theory() -> None:
    error = st.Results(impulses.measure(range(1, 21), {})).values("laws", "error", law="gaussian")
    # Standard deviations of the estimate: sqrt(1/15) and 0.536 of that of a sample; 0.798 is a mean size.
    assert error.at(filter="mean").mean("seed").array == pytest.approx(0.0798 * 15**-0.5, rel=0.03)
    assert error.at(filter="ewma").mean("seed").array == pytest.approx(0.0798 * 0.536, rel=0.03)
