"""Grades of claims: a near miss is close, a smaller error is better, and a reading is not a failure."""

from __future__ import annotations

import numpy as np
import pytest

from parshall_studies import study as st
from parshall_studies.study import words
from parshall_studies.study.claims import Judged, judge
from parshall_studies.study.rules import FEWEST_SEEDS, Rule

X, Y = st.Quantity("runs", "x", "s", "group"), st.Quantity("runs", "y", "s", "group")
SPREAD = np.linspace(-0.01, 0.01, 12)


def results(*levels: float) -> st.Results:
    """A group of runs at each level; y is one more than x."""
    x = np.concatenate([level + SPREAD for level in levels])
    groups = [str(place) for place, _ in enumerate(levels) for _ in SPREAD]
    seeds = [*range(1, len(SPREAD) + 1)] * len(levels)
    return st.Results(
        {"runs": st.tidy({"group": groups, "seed": seeds, "x": x, "y": x + 1}, ("group", "seed"))}
    )


def judged(says: Rule, found: st.Results) -> Judged:
    (one,) = judge([st.Topic("A", (st.Claim("a", "Table I", "Said.", says),))], found)
    return one


@pytest.mark.parametrize(
    ("printed", "less_is_better", "grade"),
    [
        ("100", False, st.Grade.AGREES),
        ("104", False, st.Grade.CLOSE),
        ("96", False, st.Grade.CLOSE),
        ("106", False, st.Grade.FAILS),
        ("94", False, st.Grade.FAILS),
        ("150", True, st.Grade.BETTER),
        ("50", True, st.Grade.FAILS),
        ("96", True, st.Grade.CLOSE),
    ],
)
def test_a_printed_number_that_is_missed_may_be_close_or_better(
    printed: str, less_is_better: bool, grade: st.Grade
) -> None:
    says = st.PrintedNumber(st.Printed(printed), X.at(group="0"), less_is_better=less_is_better)
    assert judged(says, results(100.0)).grade is grade


@pytest.mark.parametrize(
    ("levels", "grade", "label", "clause"),
    [
        ((3.0, 3.0, 3.0), st.Grade.HOLDS, "holds", "holds"),
        ((3.0, 3.0, 1.0), st.Grade.PARTLY, "true in 2 of 3", "holds in 2 of 3 cases"),
        ((3.0, 1.0), st.Grade.FAILS, "does not hold", "does not hold"),
        ((3.0, 1.0, 1.0), st.Grade.FAILS, "does not hold", "does not hold"),
        ((3.0, 2.0, 3.0), st.Grade.OPEN, "inconclusive", "is inconclusive"),
    ],
)
def test_a_statement_that_most_things_fulfil_is_true_in_part(
    levels: tuple[float, ...], grade: st.Grade, label: str, clause: str
) -> None:
    found = judged(st.Holds((X > 2.0,)), results(*levels))
    assert (found.grade, found.label, found.clause) == (grade, label, clause)


@pytest.mark.parametrize(
    ("level", "verdict", "grade"),
    [
        (3.0, st.Verdict.HOLDS, st.Grade.HOLDS),
        (1.5, st.Verdict.FAILS, st.Grade.READING),
        (0.5, st.Verdict.FAILS, st.Grade.FAILS),
        (2.0, st.Verdict.OPEN, st.Grade.OPEN),
    ],
)
def test_readings_that_differ_are_named(level: float, verdict: st.Verdict, grade: st.Grade) -> None:
    says = st.ByReading({"ceiling": st.Holds((Y > 2.0,)), "floor": st.Holds((X > 2.0,))})
    found = judged(says, results(level))
    assert (found.verdict, found.grade) == (verdict, grade)
    split = "ceiling: holds; floor: does not hold" if grade is st.Grade.READING else ""
    assert found.outcome.by_reading == split
    assert found.record()["by_reading"] == (split or None)
    assert [topic.title for topic, _ in judge([found.topic], results(level)).topics()] == ["A"]


def test_a_statement_that_holds_with_no_reading_is_graded_by_the_least_favourable() -> None:
    says = st.ByReading({"low": st.Holds((X > 2.0,)), "high": st.Holds((X > 1.5,))})
    found = judged(says, results(1.0, 3.0, 3.0))
    assert (found.label, found.outcome.by_reading) == ("true in 2 of 3", "")


def test_readings_need_what_the_neediest_does_and_err_where_any_does() -> None:
    drawn, computed = st.Holds((X > 2.0,)), st.Computed(X > 2.0)
    mixed, certain = st.ByReading({"a": drawn, "b": computed}), st.ByReading({"a": computed, "b": computed})
    both = st.ByReading({"a": drawn, "b": drawn})
    assert (mixed.needs, certain.needs) == (FEWEST_SEEDS, 0)
    assert (certain.error_rate, mixed.error_rate) == (0.0, drawn.error_rate)
    assert both.error_rate == 2 * drawn.error_rate


def test_one_reading_is_none() -> None:
    with pytest.raises(ValueError, match="readings: got 1, expected at least two"):
        st.ByReading({"only": st.Holds((X > 2.0,))})


@pytest.mark.parametrize(
    ("grades", "worth"),
    [
        ({st.Grade.HOLDS: 3, st.Grade.CLOSE: 1}, "Works"),
        ({st.Grade.HOLDS: 3, st.Grade.OPEN: 1}, "Works in part"),
        ({st.Grade.HOLDS: 1, st.Grade.FAILS: 9}, "Works in part"),
        ({st.Grade.PARTLY: 1}, "Works in part"),
        ({st.Grade.FAILS: 2, st.Grade.OPEN: 1}, "Does not work"),
        ({st.Grade.OPEN: 2}, "Inconclusive"),
    ],
)
def test_an_idea_is_worth_what_its_claims_are(grades: dict[st.Grade, int], worth: str) -> None:
    assert words.worth({grade: grades.get(grade, 0) for grade in st.Grade}) == worth


@pytest.mark.parametrize(
    ("spread", "grade", "label"),
    [
        (1.0, st.Grade.AGREES, "agrees within ±3 %"),
        (7.0, st.Grade.AGREES, "agrees within ±18 %"),
        (12.0, st.Grade.INDISTINGUISHABLE, "cannot be told apart"),
    ],
)
def test_a_wide_interval_of_a_single_run_tells_nothing(spread: float, grade: st.Grade, label: str) -> None:
    values = 100.0 + spread * np.linspace(-1.6, 1.6, 12)
    found = st.Results({"runs": st.tidy({"seed": list(range(12)), "x": values}, ("seed",))})
    one = judged(st.PrintedNumber(st.Printed("100"), st.Quantity("runs", "x")), found)
    assert (one.grade, one.label) == (grade, label)
