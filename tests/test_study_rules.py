"""Edges of the rules: fewest seeds, bounds, halves of a printed digit, and what is shown of several."""

from __future__ import annotations

import math

import numpy as np
import pytest

from parshall import stats
from parshall_studies import study as st
from parshall_studies.study.rules import FEWEST_SEEDS, Rule

X, Y = st.Quantity("runs", "x", "s"), st.Quantity("runs", "y", "s")
SPREAD = np.linspace(-1.0, 1.0, 12)


def results(x: np.ndarray) -> st.Results:
    return st.Results({"runs": st.tidy({"seed": list(range(1, len(x) + 1)), "x": x}, ("seed",))})


def grouped(*rows: np.ndarray) -> st.Results:
    """One group of runs for each row."""
    columns = {
        "group": [str(place) for place, row in enumerate(rows) for _ in row],
        "seed": [seed for row in rows for seed in range(1, len(row) + 1)],
        "x": np.concatenate(rows),
    }
    return st.Results({"runs": st.tidy(columns, ("group", "seed"))})


@pytest.mark.parametrize(("count", "verdict"), [(9, st.Verdict.OPEN), (10, st.Verdict.HOLDS)])
@pytest.mark.parametrize(
    "says", [st.Holds((X > 0.0,)), st.PrintedNumber(st.Printed("5"), X), st.Never(X - 100.0)]
)
def test_ten_seeds_decide_and_nine_do_not(count: int, verdict: st.Verdict, says: Rule) -> None:
    assert FEWEST_SEEDS == 10
    assert says.judge(results(np.linspace(4.0, 6.0, count))).verdict is verdict


def test_what_is_not_above_in_any_run_fails_though_its_interval_is_a_point() -> None:
    flat = results(np.full(12, 3.0))
    assert st.Holds((X > 3.0,)).judge(flat).verdict is st.Verdict.FAILS
    assert st.Holds((X > 2.5,)).judge(flat).verdict is st.Verdict.HOLDS
    assert st.Holds((X > 3.0,)).judge(results(3.0 + SPREAD)).verdict is st.Verdict.OPEN


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [(0.45, st.Verdict.FAILS), (0.6, st.Verdict.HOLDS), (1.9, st.Verdict.HOLDS), (2.1, st.Verdict.FAILS)],
)
def test_alike_has_a_bound_on_either_side(ratio: float, verdict: st.Verdict) -> None:
    assert st.alike(X, 1.0, 2.0).judge(results(ratio + SPREAD / 1000)).verdict is verdict


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_least_favourable_is_shown_by_the_end_that_decides(sign: float) -> None:
    """Where all hold, by the end nearer to zero; where one refutes, by the end that refutes."""

    def shown(*members: tuple[float, float]) -> float:
        found = grouped(*(sign * (mean + width * SPREAD) for mean, width in members))
        relation = X > 0.0 if sign > 0 else X < 0.0
        return sign * st.Holds((relation,)).judge(found).ours.mean

    assert shown((5.0, 0.1), (6.0, 7.0)) == pytest.approx(6.0)  # its interval begins lower
    assert shown((-5.0, 0.1), (-6.0, 7.0)) == pytest.approx(-5.0)  # its interval ends lower
    assert shown((-1.0, 0.1), (8.0, 0.1)) == pytest.approx(-1.0)


def test_each_label_counts_once_between_two_bounds() -> None:
    found = grouped(5.0 + SPREAD, 50.0 + SPREAD, 7.0 + SPREAD)
    outcome = st.within(X, 0.0, 10.0).judge(found)
    assert str(outcome.tally) == "true of 2 of 3"
    assert outcome.verdict is st.Verdict.FAILS


@pytest.mark.parametrize("least", [None, 0.0, 3.0, 4.9])
def test_a_run_of_a_quantity_with_a_least_does_not_go_below(least: float | None) -> None:
    values = 5.0 + SPREAD
    outcome = st.PrintedNumber(st.Printed("5.0"), X, least=least).judge(results(values))
    bare = stats.prediction_interval(values, at_least_zero=least == 0.0)
    assert outcome.run is not None
    low = bare.low - 0.05
    assert outcome.run.low == pytest.approx(low if least is None else max(low, least))
    assert outcome.run.high == pytest.approx(bare.high + 0.05)


def test_a_run_of_what_cannot_be_below_zero_is_found_for_square_roots() -> None:
    values = np.array([0.01, 0.02, 0.03, 0.05, 0.08, 0.13, 0.21, 0.34, 0.55, 0.89, 1.44, 2.33])
    seen = st.Results(
        {
            **results(values).measures,
            "others": st.tidy({"run": [1], "seen": [0.001]}, ("run",)),
        }
    )
    other = st.Quantity("others", "seen", "s")
    rooted, bare = st.OneOfRuns(other, X, least=0.0), st.OneOfRuns(other, X)
    assert rooted.tables == frozenset({"runs", "others"})
    assert rooted.judge(seen).run == stats.prediction_interval(values, at_least_zero=True)
    assert bare.judge(seen).run == stats.prediction_interval(values)


def test_a_printed_difference_within_half_a_digit_of_the_band_is_open() -> None:
    found = results(SPREAD * 10)
    bound = st.MoreThanNoise(st.Printed("1"), X).judge(found).ours

    def verdict(size: float) -> st.Verdict:
        return st.MoreThanNoise(st.Printed(f"{size:.0f}"), X).judge(found).verdict

    assert verdict(math.floor(bound.low - 0.5)) is st.Verdict.FAILS
    assert verdict(math.ceil(bound.low - 0.5)) is st.Verdict.OPEN
    assert verdict(math.floor(bound.high + 0.5)) is st.Verdict.OPEN
    assert verdict(math.ceil(bound.high + 0.5)) is st.Verdict.HOLDS


def test_a_statement_that_chance_may_refute_says_how_often() -> None:
    printed = st.Printed("1")
    assert st.Holds((X > Y,)).error_rate == pytest.approx(0.025)
    assert st.MoreThanNoise(printed, X).error_rate == pytest.approx(0.025)
    assert st.PrintedNumber(printed, X).error_rate == pytest.approx(0.05)
    assert st.OneOfRuns(Y, X).error_rate == pytest.approx(0.05)
    assert st.Never(X).error_rate == 0.0


def test_computed_goes_by_its_least_favourable_setting() -> None:
    found = grouped(np.array([4.0]), np.array([2.0]))
    above, below = st.Computed(X > 1.0).judge(found), st.Computed(X < 1.0).judge(found)
    assert (above.verdict, above.ours.mean) == (st.Verdict.HOLDS, 1.0)
    assert (below.verdict, below.ours.mean) == (st.Verdict.FAILS, 3.0)


def test_a_closed_form_rests_on_no_seed() -> None:
    outcome = st.Exactly(st.Printed("3.1"), 3.14).judge(results(SPREAD))
    assert outcome.ours == stats.Interval(3.14, 3.14, 3.14, 0)
    assert outcome.verdict is st.Verdict.HOLDS
