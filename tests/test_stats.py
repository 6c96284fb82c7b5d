"""Intervals: against closed forms, against SciPy's own, and by how often they cover what they promise to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from parshall import stats
from parshall.errors import InputError
from parshall.stats import Interval, jain, known_mean, mean

scipy_stats = pytest.importorskip("scipy.stats")

RNG_SEED = 20_040_601


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(RNG_SEED)


# --- One sample, by hand and by SciPy -----------------------------------------------------------------------


def test_mean_interval_of_three_numbers_by_hand() -> None:
    # s = 1, t(0.975, 2) = 4.302653 (any table), so the half width is 4.302653 / sqrt(3).
    found = stats.mean_interval([1.0, 2.0, 3.0])
    assert found.mean == 2.0
    assert found.half_width == pytest.approx(4.302653 / np.sqrt(3), rel=1e-6)
    assert found.n == 3


@pytest.mark.parametrize("n", [2, 3, 10, 100])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_mean_interval_is_scipys(rng: np.random.Generator, n: int, confidence: float) -> None:
    sample = rng.normal(700.0, 50.0, n)
    low, high = scipy_stats.t.interval(confidence, n - 1, loc=sample.mean(), scale=scipy_stats.sem(sample))
    found = stats.mean_interval(sample, confidence)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


def test_difference_interval_is_that_of_scipys_paired_test(rng: np.random.Generator) -> None:
    left, right = rng.normal(0.2, 1.0, 40), rng.normal(0.0, 1.0, 40)
    expected = scipy_stats.ttest_rel(left, right).confidence_interval(0.95)
    found = stats.difference_interval(left, right)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_what_a_seed_does_to_both_cancels_in_a_paired_difference(rng: np.random.Generator) -> None:
    load = rng.normal(740.0, 53.0, 30)
    left, right = load + 1.0 + rng.normal(0, 0.1, 30), load
    assert stats.difference_interval(left, right).low > 0
    assert stats.mean_interval(left).low < stats.mean_interval(right).high


def test_prediction_interval_is_wider_than_the_means_by_the_square_root_of_n_plus_one(
    rng: np.random.Generator,
) -> None:
    sample = rng.normal(size=25)
    ratio = stats.prediction_interval(sample).half_width / stats.mean_interval(sample).half_width
    assert ratio == pytest.approx(np.sqrt(26))


def test_noise_bound_of_a_known_deviation_by_hand() -> None:
    sample = np.concatenate([np.full(50, -1.0), np.full(50, 1.0)])
    sigma = np.sqrt(100 / 99)
    found = stats.noise_bound(sample)
    assert found.mean == pytest.approx(1.959964 * np.sqrt(2) * sigma, rel=1e-6)
    low, high = (sigma * np.sqrt(99 / scipy_stats.chi2.ppf(p, 99)) for p in (0.975, 0.025))
    assert (found.low, found.high) == pytest.approx(
        (1.959964 * np.sqrt(2) * low, 1.959964 * np.sqrt(2) * high)
    )


@pytest.mark.parametrize(("events", "trials"), [(0, 100), (1, 100), (50, 100), (99, 100), (100, 100), (3, 7)])
def test_rate_interval_is_clopper_and_pearsons(events: int, trials: int) -> None:
    expected = scipy_stats.binomtest(events, trials).proportion_ci(0.95, method="exact")
    found = stats.rate_interval(events, trials)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert found.mean == events / trials


# --- Several at once ----------------------------------------------------------------------------------------


def test_bonferroni_shares_the_error_equally() -> None:
    assert stats.bonferroni(5, 0.95) == pytest.approx(0.99)
    assert stats.bonferroni(1, 0.95) == pytest.approx(0.95)


def test_simultaneous_intervals_are_each_wider_than_one_alone(rng: np.random.Generator) -> None:
    baseline = rng.normal(size=50)
    others = [baseline + rng.normal(0, 1, 50) for _ in range(3)]
    together = stats.simultaneous_intervals([(other, baseline) for other in others])
    for other, interval in zip(others, together, strict=True):
        alone = stats.difference_interval(other, baseline)
        assert interval.low < alone.low < alone.high < interval.high
        assert interval.mean == alone.mean


# --- Coverage -----------------------------------------------------------------------------------------------

TRIALS = 4000


def _covered(share_expected: float, hits: int) -> None:
    """Five standard deviations of a binomial: fails by chance once in a million."""
    spread = 5 * np.sqrt(share_expected * (1 - share_expected) / TRIALS)
    assert abs(hits / TRIALS - share_expected) < spread


@pytest.mark.parametrize("n", [3, 10, 40])
def test_mean_interval_covers_the_mean_as_often_as_it_says(rng: np.random.Generator, n: int) -> None:
    samples = rng.normal(5.0, 2.0, (TRIALS, n))
    _covered(0.9, sum(stats.mean_interval(sample, 0.9).contains(5.0) for sample in samples))


@pytest.mark.parametrize("n", [3, 10, 40])
def test_prediction_interval_covers_the_next_value_as_often_as_it_says(
    rng: np.random.Generator, n: int
) -> None:
    samples = rng.normal(5.0, 2.0, (TRIALS, n + 1))
    _covered(0.95, sum(stats.prediction_interval(sample[:-1]).contains(sample[-1]) for sample in samples))


def test_prediction_interval_of_a_skewed_law_is_still_near_what_it_says(rng: np.random.Generator) -> None:
    # Loss percentages look like this: above zero, a tail to the right.
    samples = rng.gamma(9.0, 1.0, (TRIALS, 101))
    hits = sum(stats.prediction_interval(sample[:-1]).contains(sample[-1]) for sample in samples)
    assert 0.94 < hits / TRIALS < 0.97


@pytest.mark.parametrize("n", [10, 40])
def test_noise_bound_covers_its_quantile_as_often_as_it_says(rng: np.random.Generator, n: int) -> None:
    truth = 1.959963985 * np.sqrt(2) * 3.0
    samples = rng.normal(0.0, 3.0, (TRIALS, n))
    _covered(0.95, sum(stats.noise_bound(sample).contains(truth) for sample in samples))


def test_two_runs_lie_within_the_noise_bound_as_often_as_it_says(rng: np.random.Generator) -> None:
    bound = stats.noise_bound(rng.normal(0.0, 3.0, 200_000)).mean
    pairs = rng.normal(0.0, 3.0, (TRIALS, 2))
    _covered(0.95, int(np.sum(np.abs(pairs[:, 0] - pairs[:, 1]) <= bound)))


def test_simultaneous_intervals_hold_together_at_least_as_often_as_they_say(rng: np.random.Generator) -> None:
    truths = np.array([0.0, 1.0, -2.0, 0.5])
    together = 0
    for _ in range(TRIALS):
        baseline = rng.normal(size=12)
        pairs = [(baseline + truth + rng.normal(0, 1, 12), baseline) for truth in truths]
        intervals = stats.simultaneous_intervals(pairs)
        together += all(i.contains(truth) for i, truth in zip(intervals, truths, strict=True))
    assert together / TRIALS > 0.95 - 5 * np.sqrt(0.95 * 0.05 / TRIALS)


def test_a_rate_near_zero_has_an_interval_that_stays_above_it(rng: np.random.Generator) -> None:
    """Overdispersed counts, as drops of a run are: the interval holds a further one as often as it says."""
    inside = 0
    for _ in range(TRIALS):
        counts = rng.poisson(rng.gamma(4, 5, 21)).astype(float)
        found = stats.prediction_interval(counts[:20], at_least_zero=True)
        assert found.low >= 0
        assert found.mean == pytest.approx(counts[:20].mean())
        inside += found.contains(counts[20])
    assert inside / TRIALS == pytest.approx(0.95, abs=0.025)


def test_far_from_zero_both_intervals_of_a_run_agree(rng: np.random.Generator) -> None:
    values = rng.normal(100, 1, 30)
    plain, rooted = (stats.prediction_interval(values, at_least_zero=which) for which in (False, True))
    assert rooted.low == pytest.approx(plain.low, abs=0.02)
    assert rooted.high == pytest.approx(plain.high, abs=0.02)
    with pytest.raises(ValueError, match="got -1, expected none below 0"):
        stats.prediction_interval([1.0, -1.0], at_least_zero=True)


# --- Edges --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [[], [4.2]])
def test_too_few_values_give_no_bounded_interval(values: list[float]) -> None:
    for function in (stats.mean_interval, stats.prediction_interval, stats.noise_bound):
        found = function(values)
        assert not found.bounded
        assert found.n == len(values)


def test_missing_values_are_left_out_and_counted_out() -> None:
    nan = float("nan")
    assert stats.mean_interval([1.0, nan, 3.0]) == stats.mean_interval([1.0, 3.0])
    # A pair is complete or it does not count.
    assert stats.difference_interval([5.0, nan, 7.0], [1.0, 1.0, nan]).n == 1


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert stats.mean_interval([2.0] * 12) == Interval(2.0, 2.0, 2.0, 12)


def test_pairs_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one for each common seed"):
        stats.difference_interval([1.0, 2.0], [1.0, 2.0, 3.0])


def test_scaling_moves_every_number_but_the_count() -> None:
    assert Interval(1.0, 0.5, 1.5, 9).scaled(80.0) == Interval(80.0, 40.0, 120.0, 9)


def test_jain() -> None:
    assert jain(np.ones(4)) == 1.0
    assert jain([1, 0, 0, 0]) == 0.25
    assert jain((3.0, 1.0)) == 16 / 20
    assert math.isnan(jain([0, 0]))
    assert math.isnan(jain([]))


def test_means() -> None:
    assert mean([1, 2, 6]) == known_mean([1, np.nan, 2, 6]) == 3.0
    assert known_mean([1, np.nan, np.inf]) == mean([1, np.inf]) == np.inf
    assert math.isnan(mean([-np.inf, np.inf]))
    assert math.isnan(mean([1, np.nan]))
    assert math.isnan(mean([]))
    assert math.isnan(known_mean([np.nan]))


# --- What is infinite, and what is no number ----------------------------------------------------------------

INF = math.inf


def same(found: Interval, mean: float, low: float, high: float, n: int) -> None:
    np.testing.assert_array_equal(
        [found.mean, found.low, found.high, found.n], [mean, low, high, n], strict=False
    )


def test_an_infinite_value_is_one_and_makes_the_interval_unbounded() -> None:
    values = [1.0, 2.0, INF, np.nan]
    same(stats.mean_interval(values), INF, -INF, INF, 3)
    same(stats.mean_interval([-INF, 1.0, INF]), np.nan, -INF, INF, 3)
    same(stats.prediction_interval(values), INF, -INF, INF, 3)
    same(stats.prediction_interval(values, at_least_zero=True), INF, 0.0, INF, 3)
    same(stats.noise_bound(values), INF, 0.0, INF, 3)
    same(stats.difference_interval(values, [1.0, 1.0, 1.0, 1.0]), INF, -INF, INF, 3)
    # No difference of infinities is known, and the pair is not left out for that.
    same(stats.difference_interval([INF, 1.0, 2.0], [INF, 1.0, 1.0]), np.nan, -INF, INF, 3)
    # A pair of which one value does not exist is left out, whatever the other one is.
    same(stats.difference_interval([INF, 1.0, 2.0], [np.nan, 1.0, 1.0]), *_of([0.0, 1.0]), 2)


def _of(values: list[float]) -> tuple[float, float, float]:
    found = stats.mean_interval(values)
    return found.mean, found.low, found.high


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5, 1.5, math.nan, 0, "0.9", "much", [0.9, 0.8], True])
def test_what_is_no_confidence_is_refused(confidence: Any) -> None:
    intervals: list[Callable[[], Interval]] = [
        lambda: stats.mean_interval([1.0, 2.0], confidence),
        lambda: stats.noise_bound([1.0, 2.0], confidence),
        lambda: stats.rate_interval(0, 0, confidence),
    ]
    for interval in intervals:
        with pytest.raises(InputError, match=r"confidence: got .*, expected a number above 0 and below 1"):
            interval()


@pytest.mark.parametrize("values", [["a"], [1.0, [2.0]], [object()], [10**400]])
def test_what_is_no_number_is_refused(values: Any) -> None:
    with pytest.raises(InputError, match=r"values: got .*, expected numbers"):
        stats.mean_interval(values)


def test_two_values_and_one_trial_are_the_fewest() -> None:
    # sqrt(chi-square of 1 degree) by hand: |x - y| / sqrt(2) = sigma, and sqrt(2) * 1.96 of that.
    assert stats.noise_bound([0.0, 1.0]).mean == pytest.approx(1.959964)
    assert 0 < stats.noise_bound([0.0, 1.0]).low < stats.noise_bound([0.0, 1.0]).high < math.inf
    assert stats.mean_interval([0.0, 1.0]).high == pytest.approx(0.5 + 12.7062 / 2, abs=1e-3)
    # Of one trial the ends are (1 - confidence) / 2 to the power of one.
    for confidence in (0.4, 0.95):
        tail = (1 - confidence) / 2
        same(stats.rate_interval(0, 1, confidence), 0.0, 0.0, 1 - tail, 1)
        same(stats.rate_interval(1, 1, confidence), 1.0, tail, 1.0, 1)
    nothing = stats.rate_interval(0, 0)
    assert (nothing.low, nothing.high, nothing.n) == (0.0, 1.0, 0)
    assert math.isnan(nothing.mean)
