"""Claims as data: every rule, what it needs, what is counted, and where the words come from."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from parshall_studies import study as st
from parshall_studies.study.claims import Judged, Judgements, judge
from parshall_studies.study.rules import FEWEST_SEEDS, Rule, Tally

KEYS = [
    *("id", "where", "statement", "paper", "ours", "low", "high", "n", "verdict", "grade"),
    *("unit", "rule", "of_document", "true", "false", "undecided", "run", "width", "by_reading"),
]
X, Y = st.Quantity("runs", "x", "s"), st.Quantity("runs", "y", "s")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def results(**columns: Any) -> st.Results:
    """One number a seed in each column."""
    count = len(next(iter(columns.values())))
    seeds = list(range(1, count + 1))
    return st.Results({"runs": st.tidy({"seed": seeds, **columns}, ("seed",))})


def grouped(values: Sequence[Any], column: str = "x") -> st.Results:
    """One group of runs for each entry."""
    count = len(values[0])
    columns = {
        "group": [str(place) for place in range(len(values)) for _ in range(count)],
        "seed": [seed for _ in values for seed in range(1, count + 1)],
        column: np.concatenate(values),
    }
    return st.Results({"runs": st.tidy(columns, ("group", "seed"))})


def one(says: Any, found: st.Results, paper: st.Printed | None = None) -> Judged:
    (judged,) = judge([st.Topic("All", (st.Claim("a", "Page 1", "It is so.", says, paper),))], found)
    return judged


def centred(rng: np.random.Generator, count: int = 60) -> np.ndarray:
    noise = rng.normal(0.0, 1.0, count)
    return noise - noise.mean()


# --- Rules --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("100", st.Verdict.HOLDS),
        ("81", st.Verdict.HOLDS),
        ("70", st.Verdict.FAILS),
        ("130", st.Verdict.FAILS),
    ],
)
def test_a_printed_number_is_compared_with_single_runs_not_with_the_mean(
    rng: np.random.Generator, text: str, verdict: st.Verdict
) -> None:
    found = one(st.PrintedNumber(st.Printed(text, "s"), X), results(x=rng.normal(100.0, 10.0, 100)))
    assert found.verdict is verdict
    # The interval shown is the mean's, far narrower than the one that decides.
    assert found.ours.high - found.ours.low < 5
    assert found.outcome.run is not None
    assert found.outcome.run.contains(float(text)) is (verdict is st.Verdict.HOLDS)


def test_a_printed_number_stands_for_all_that_round_to_it() -> None:
    found = results(x=0.9725 + 1e-6 * np.arange(20))
    assert one(st.PrintedNumber(st.Printed("0.972"), X), found).verdict is st.Verdict.HOLDS
    assert one(st.PrintedNumber(st.Printed("0.9720"), X), found).verdict is st.Verdict.FAILS


def test_no_interval_of_a_rate_lies_below_zero(rng: np.random.Generator) -> None:
    rate = np.abs(rng.normal(0.0, 0.01, 40))
    found = one(st.PrintedNumber(st.Printed("0.1", "%"), X, least=0.0), results(x=rate))
    assert found.outcome.run is not None
    assert 0 <= found.outcome.run.low < found.outcome.run.high
    unbound = one(st.PrintedNumber(st.Printed("0.1", "%"), X), results(x=rate))
    assert unbound.outcome.run is not None
    assert unbound.outcome.run.low < 0


@pytest.mark.parametrize(
    ("shift", "greater", "verdict"),
    [
        (1.0, True, st.Verdict.HOLDS),
        (1.0, False, st.Verdict.FAILS),
        (-1.0, False, st.Verdict.HOLDS),
        (-1.0, True, st.Verdict.FAILS),
        (0.0, True, st.Verdict.OPEN),
        (0.0, False, st.Verdict.OPEN),
    ],
)
def test_a_relation_is_decided_by_the_side_of_the_paired_interval(
    rng: np.random.Generator, shift: float, greater: bool, verdict: st.Verdict
) -> None:
    load = rng.normal(700.0, 50.0, 60)
    found = one(X > Y if greater else X < Y, results(x=load + shift + centred(rng), y=load))
    assert found.verdict is verdict
    assert found.ours.mean == pytest.approx(shift, abs=1e-9)


def test_equal_in_every_run_is_neither_more_nor_less() -> None:
    same = results(x=np.arange(20.0), y=np.arange(20.0))
    assert one(X > Y, same).verdict is one(X < Y, same).verdict is st.Verdict.FAILS


@pytest.mark.parametrize(
    ("shifts", "verdict", "shown", "tally"),
    [
        ((1.0, 2.0, 3.0), st.Verdict.HOLDS, 1.0, Tally(3, 0, 0)),
        ((1.0, 0.0, 3.0), st.Verdict.OPEN, 0.0, Tally(2, 0, 1)),
        ((1.0, 0.0, -3.0), st.Verdict.FAILS, -3.0, Tally(1, 1, 1)),
    ],
)
def test_all_of_stands_and_falls_with_its_least_favourable_member(
    rng: np.random.Generator, shifts: Sequence[float], verdict: st.Verdict, shown: float, tally: Tally
) -> None:
    found = grouped([shift + centred(rng) for shift in shifts])
    judged = one(X > 0.0, found)
    assert (judged.verdict, judged.outcome.tally) == (verdict, tally)
    assert judged.ours.mean == pytest.approx(shown, abs=1e-9)
    mirrored = one(0.0 - X < 0.0, found)
    assert (mirrored.verdict, mirrored.outcome.tally) == (verdict, tally)
    assert mirrored.ours.mean == pytest.approx(-shown, abs=1e-9)


def test_all_of_needs_more_than_each_alone(rng: np.random.Generator) -> None:
    # Just significant alone, at 95 % of two-sided t: not enough for one of ten.
    noise = centred(rng, 50)
    values = noise + 2.1 * np.std(noise, ddof=1) / math.sqrt(50)
    assert one(X > 0.0, grouped([values])).verdict is st.Verdict.HOLDS
    assert one(X > 0.0, grouped([values] * 10)).verdict is st.Verdict.OPEN


@pytest.mark.parametrize(
    ("value", "verdict", "distance"),
    [(0.5, st.Verdict.HOLDS, 0.2), (0.2, st.Verdict.FAILS, -0.1), (0.9, st.Verdict.FAILS, -0.2)],
)
def test_bounds_are_two_relations_of_one_statement(
    rng: np.random.Generator, value: float, verdict: st.Verdict, distance: float
) -> None:
    found = one(st.within(X, 0.3, 0.7), results(x=value + 1e-3 * centred(rng)))
    assert (found.verdict, found.outcome.tally.all) == (verdict, 1)
    assert found.ours.mean == pytest.approx(distance, abs=1e-6)


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(1.1, st.Verdict.HOLDS), (1.4, st.Verdict.FAILS), (0.7, st.Verdict.FAILS)]
)
def test_alike_is_a_ratio_near_one(rng: np.random.Generator, ratio: float, verdict: st.Verdict) -> None:
    base = rng.uniform(5, 9, 40)
    assert one(st.alike(X, Y, 1.25), results(x=ratio * base, y=base)).verdict is verdict


def test_one_statement_has_one_direction() -> None:
    with pytest.raises(ValueError, match="one direction"):
        st.Holds((X > 0.0, X < 1.0))


@pytest.mark.parametrize(
    ("text", "verdict"), [("60", st.Verdict.HOLDS), ("-60", st.Verdict.HOLDS), ("5", st.Verdict.FAILS)]
)
def test_a_printed_difference_is_noise_when_another_seed_makes_as_much(
    rng: np.random.Generator, text: str, verdict: st.Verdict
) -> None:
    # Two runs with deviation 10 differ by less than 27.7 in 95 % of pairs.
    found = results(x=rng.normal(0.0, 10.0, 100))
    judged = one(st.MoreThanNoise(st.Printed(text), X), found)
    assert judged.verdict is verdict
    bound = f"{judged.ours.mean:.0f}"
    assert one(st.MoreThanNoise(st.Printed(bound), X), found).verdict is st.Verdict.OPEN


def test_never_is_refuted_by_one_occurrence() -> None:
    once = np.zeros(100)
    once[-1] = 1
    assert one(st.Never(X), results(x=once)).verdict is st.Verdict.FAILS
    unseen = one(st.Never(X), results(x=np.zeros(100)))
    assert unseen.verdict is st.Verdict.HOLDS
    assert 0.02 < unseen.ours.high < 0.05


def test_runs_of_which_nothing_is_known_do_not_count_as_never() -> None:
    found = one(st.Never(X), results(x=np.full(12, math.nan)))
    assert (found.verdict, found.ours.n) == (st.Verdict.OPEN, 0)
    assert one(st.Never(X), results(x=[*[0.0] * 12, math.nan])).ours.n == 12


def test_a_difference_of_printed_numbers_is_known_to_a_whole_digit() -> None:
    difference = st.Printed("1.25").less(st.Printed("0.25"))
    values = np.random.default_rng(1).normal(0.0, 1.0, 400)
    bound = one(st.MoreThanNoise(difference, X), results(x=values)).ours
    for beyond, verdict in ((0.012, st.Verdict.HOLDS), (0.008, st.Verdict.OPEN)):
        scaled = results(x=values * (1 - beyond) / bound.high)
        assert one(st.MoreThanNoise(difference, X), scaled).verdict is verdict


def test_several_statements_count_each_and_two_bounds_count_once() -> None:
    found = results(x=np.arange(20.0) + 5, y=np.arange(20.0) - 50)
    several = one(st.Holds((X > 0.0, Y > 0.0, X + 1 > 0.0)), found)
    assert (several.verdict, str(several.outcome.tally)) == (st.Verdict.FAILS, "true of 2 of 3")
    assert str(one(st.within(X, 0.0, 100.0), found).outcome.tally) == "true of 1 of 1"


def test_what_chance_may_refute_does_not_depend_on_what_it_did() -> None:
    claims = tuple(st.Claim(name, "T", "Above.", X + shift > 0.0) for name, shift in (("a", 0.0), ("b", 9.0)))
    judged = judge([st.Topic("A", claims)], results(x=np.arange(20.0) - 9.5))
    assert [each.verdict for each in judged] == [st.Verdict.OPEN, st.Verdict.HOLDS]
    assert len(judged.by_chance) == 2
    assert judged.expected_failures == pytest.approx(0.05)


def test_a_setting_holds_when_it_rounds_to_what_is_printed() -> None:
    for value, verdict in ((525.4, st.Verdict.HOLDS), (525.6, st.Verdict.FAILS)):
        assert one(st.Exactly(st.Printed("525"), value), results(x=[1.0])).verdict is verdict


def test_what_is_computed_needs_no_seed() -> None:
    table = st.tidy({"model": ["a", "b", "c"], "growth": [-2.0, -0.5, math.nan]}, ("model",))
    found = st.Results({"models": table})
    growth = st.Quantity("models", "growth", "1/s")
    stable = one(st.Computed(growth.at(model=["a", "b"]) < 0.0), found)
    assert (stable.verdict, stable.ours.mean, stable.outcome.tally) == (
        st.Verdict.HOLDS,
        -0.5,
        Tally(2, 0, 0),
    )
    assert one(st.Computed(growth < 0.0), found).verdict is st.Verdict.OPEN
    unstable = one(st.Computed(growth > -1.0), found)
    assert (unstable.verdict, unstable.outcome.tally) == (st.Verdict.FAILS, Tally(1, 1, 1))


# --- Few seeds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, FEWEST_SEEDS - 1])
def test_too_few_seeds_decide_nothing_and_count_as_undecided(rng: np.random.Generator, count: int) -> None:
    few = results(x=rng.normal(100.0, 1.0, count), y=np.zeros(count))
    for says in (
        st.PrintedNumber(st.Printed("100"), X),
        st.PrintedNumber(st.Printed("999999"), X),
        X > Y,
        X < Y,
        st.within(X, 0.0, 1.0),
        st.alike(X, X, 2.0),
        st.MoreThanNoise(st.Printed("999999"), X),
        st.Never(Y),
    ):
        found = one(says, few)
        assert found.verdict is st.Verdict.OPEN, says
        assert (found.outcome.tally.true, found.outcome.tally.false) == (0, 0), says
    assert one(st.Never(X), few).verdict is st.Verdict.FAILS  # one counterexample is enough
    assert one(st.Exactly(st.Printed("3"), 3.1), few).verdict is st.Verdict.HOLDS


def test_undecided_is_neither_true_nor_false() -> None:
    assert (
        str(Tally.of([st.Verdict.HOLDS, st.Verdict.OPEN, st.Verdict.OPEN])) == "true of 1 of 3, 2 undecided"
    )
    assert str(Tally.of([st.Verdict.HOLDS] * 27)) == "true of 27 of 27"


def test_every_rule_says_what_it_does_and_what_it_needs() -> None:
    rules = [*{st.ByReading, *Rule.__subclasses__()}, *st.Computed.__subclasses__()]
    kinds = [rule.kind for rule in rules]
    assert len(kinds) == len(set(kinds)) == 9
    for rule in rules:
        assert rule.kind
        assert rule.explanation.endswith(".")
        assert rule is st.ByReading or rule.needs in (0, FEWEST_SEEDS)


# --- What chance does ---------------------------------------------------------------------------------------


def test_the_number_that_chance_fails_is_about_what_is_said() -> None:
    """True statements fail as often as is announced, in many studies in which everything is true."""
    rng = np.random.default_rng(11)
    failed = announced = 0.0
    for _ in range(40):
        columns = {f"c{place}": rng.normal(10.0, 1.0, 31) for place in range(25)}
        table = {name: values[:30] for name, values in columns.items()}
        claims = tuple(
            st.Claim(
                name,
                "T",
                "A number.",
                st.PrintedNumber(st.Printed(f"{columns[name][30]:.6f}"), st.Quantity("runs", name)),
            )
            for name in columns
        )
        judged = judge([st.Topic("All", claims)], results(**table))
        failed += judged.counts[st.Verdict.FAILS]
        announced += judged.expected_failures
    assert announced == pytest.approx(0.05 * 1000)
    assert failed == pytest.approx(announced, rel=0.35)


# --- Judgements and claims.json -----------------------------------------------------------------------------


def _strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_records_have_exactly_the_agreed_keys_and_no_nan() -> None:
    topics = [
        st.Topic("A", (st.Claim("a", "Table I", "A number.", st.PrintedNumber(st.Printed("3.0", "s"), X)),)),
        st.beyond("B", [st.Claim("b", "text", "More.", Y > 0.0)]),
    ]
    judged = judge(topics, results(x=[1.0], y=[math.nan]))
    records = _strict(judged.to_json())
    assert [list(record) for record in records] == [KEYS, KEYS]
    assert records[0] == {
        "id": "a",
        "where": "Table I",
        "statement": "A number.",
        "paper": 3.0,
        "ours": 1.0,
        "low": None,
        "high": None,
        "n": 1,
        "verdict": "inconclusive",
        "grade": "inconclusive",
        "unit": "s",
        "rule": "printed number",
        "of_document": True,
        "true": 0,
        "false": 0,
        "undecided": 1,
        "run": [None, None],
        "width": None,
        "by_reading": None,
    }
    assert (records[1]["ours"], records[1]["of_document"]) == (None, False)


def test_an_id_that_occurs_twice_is_refused() -> None:
    claim = st.Claim("twice", "t", "s", X > 0.0)
    with pytest.raises(ValueError, match="twice: its id occurs 2 times"):
        judge([st.Topic("A", (claim,)), st.beyond("B", [claim])], results(x=[1.0]))


def test_claims_about_tables_that_are_absent_are_left_out_and_others_are_errors() -> None:
    absent = st.Claim("absent", "t", "s", st.Quantity("measured", "x") > 0.0)
    wrong = st.Claim("wrong", "t", "s", st.Quantity("runs", "speed") > 0.0)
    assert len(judge([st.Topic("A", (absent,))], results(x=[1.0]))) == 0
    with pytest.raises(LookupError, match=r"claim wrong: runs\.speed"):
        judge([st.Topic("A", (wrong,))], results(x=[1.0]))


def test_judgements_are_asked_for_by_what_they_are() -> None:
    topics = [
        st.beyond("Late", [st.Claim("b.one", "t", "s", X > 2.0)]),
        st.Topic("A", (st.Claim("a.one", "t", "s", X > 0.0), st.Claim("a.two", "t", "s", st.Never(X)))),
    ]
    judged = judge(topics, results(x=np.full(12, 1.0) + 1e-9 * np.arange(12)))
    assert [each.claim.id for each in judged] == ["a.one", "a.two", "b.one"]  # the document's first
    assert isinstance(judged.where("a."), Judgements)
    assert [len(judged.where("a.")), len(judged.where(end=".one")), len(judged.where(of_document=False))] == [
        2,
        2,
        1,
    ]
    assert judged["a.one"].verdict is st.Verdict.HOLDS
    assert judged.counts == {st.Verdict.HOLDS: 1, st.Verdict.FAILS: 2, st.Verdict.OPEN: 0}
    assert [topic.title for topic, _ in judged.topics()] == ["A", "Late"]
    assert "a.three" not in judged
    assert len(judged.with_verdict(st.Verdict.FAILS)) == 2


# --- What is seen elsewhere ---------------------------------------------------------------------------------


def seen(*values: float) -> st.Results:
    """Runs of something that is looked at, beside twenty of ours."""
    rng = np.random.default_rng(5)
    ours = st.tidy({"seed": list(range(1, 21)), "x": rng.normal(10, 1, 20)}, ("seed",))
    theirs = st.tidy({"run": list(range(1, len(values) + 1)), "x": list(values)}, ("run",))
    return st.Results({"runs": ours, "seen": theirs})


SEEN = st.Quantity("seen", "x")


@pytest.mark.parametrize(
    ("values", "verdict"),
    [((10.0,), "holds"), ((11.5, 8.9), "holds"), ((14.0,), "does not hold"), ((10.0, 16.0), "does not hold")],
)
def test_what_was_seen_might_be_one_of_our_runs(values: tuple[float, ...], verdict: str) -> None:
    found = st.OneOfRuns(SEEN, X).judge(seen(*values))
    assert found.verdict.value == verdict
    assert found.tally.all == len(values)
    assert found.run is not None
    assert found.run.low < found.ours.low < found.ours.high < found.run.high


def test_few_seeds_do_not_tell_whether_it_might() -> None:
    few = seen(10.0).measures
    some = st.Results({**few, "runs": few["runs"].slice(0, FEWEST_SEEDS - 1)})
    assert st.OneOfRuns(SEEN, X).judge(some).verdict is st.Verdict.OPEN


def test_what_is_observed_must_be_true_of_each_run() -> None:
    rule = st.Observed(SEEN < 3.0)
    assert rule.judge(seen(1.0, 2.0)).verdict is st.Verdict.HOLDS
    assert rule.judge(seen(1.0, 4.0)).verdict is st.Verdict.FAILS
    assert rule.needs == 0
    assert rule.kind == "observed"
