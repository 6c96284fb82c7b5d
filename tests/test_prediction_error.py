"""The model of prediction errors: closed forms against its Monte-Carlo runs, limits, and what was printed."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from parshall import InputError
from parshall.theory import prediction_error_model
from parshall.theory.wrong_predictions import SharedLink, law
from parshall_dev.theory.wrong_predictions.deviations import judge, links
from parshall_dev.theory.wrong_predictions.draws import Drawn, draw_independent, draw_rectangle
from parshall_dev.theory.wrong_predictions.formulas import FORMULAS
from parshall_studies.tcp_tp import printed_figure

CAPACITY, RTT = 10e6, 0.02
RUNS, PREDICTIONS = 25, 20_000


def link(connections: int, error: float, part: float, sub_case: int = 1) -> SharedLink:
    """A link whose l lies at ``part`` between the ends of a sub-case."""
    reach, edge = error * CAPACITY, (connections - 2) / connections * error * CAPACITY
    low, high = {1: (0.0, edge), 2: (edge, reach), 3: (reach, 2 * reach)}[sub_case]
    return SharedLink(error, connections, CAPACITY, (low + part * (high - low)) * RTT / 8, RTT)


def held(expected: float | None, runs: list[Drawn], value: Callable[[Drawn], float]) -> bool:
    """Returns whether ``expected`` lies within four standard errors of the runs."""
    found = np.array([value(run) for run in runs])
    error = float(np.std(found, ddof=1)) / math.sqrt(len(found))
    assert expected is not None
    return abs(float(np.mean(found)) - expected) <= max(4 * error, 1e-9 * abs(expected))


def windows(run: Drawn, kind: str) -> float:
    """The mean window of one kind of interval, read off the sequence of rates alone."""
    halved = np.zeros(len(run.sequence), dtype=bool)
    halved[np.flatnonzero(np.repeat(run.lost, 1 + run.lost))[1::2]] = True
    congested = np.roll(halved, -1)
    chosen = {"c": congested, "d": halved, "u": ~congested & ~halved}[kind]
    return float(np.mean(run.sequence[chosen])) * RTT


# --- The closed forms ---------------------------------------------------------------------------------------

SETTINGS = [
    *product((3, 5, 20, 100), (0.1, 0.6, 1.0), (0.0, 0.4, 0.9), (1,)),
    *product((3, 5), (0.1, 1.0), (0.1, 0.5), (2,)),
    (2, 0.5, 0.0, 2),
    (2, 1.0, 0.5, 2),
    (20, 1.0, 0.05, 2),
    (5, 0.5, 0.2, 3),
]


@pytest.mark.parametrize(("connections", "error", "part", "sub_case"), SETTINGS)
def test_closed_forms_are_those_of_the_model(
    connections: int, error: float, part: float, sub_case: int
) -> None:
    here = link(connections, error, part, sub_case)
    found = law(here)
    # Of two connections sub-case 1 is l = 0 alone.
    assert found.sub_case == (1 if (connections, part) == (2, 0.0) else sub_case)
    runs = [draw_rectangle(here, PREDICTIONS, seed) for seed in range(RUNS)]
    assert held(found.loss_probability, runs, lambda run: run.loss_probability)
    assert held(found.throughput, runs, lambda run: run.throughput)
    assert held(found.fairness, runs, lambda run: run.fairness)
    assert held(found.lossless_window, runs, lambda run: windows(run, "u"))
    if sub_case == 3:
        assert found.loss_window is None
        assert found.halved_window is None
    else:
        assert held(found.loss_window, runs, lambda run: windows(run, "c"))
        assert held(found.halved_window, runs, lambda run: windows(run, "d"))


@pytest.mark.parametrize("connections", [3, 20, 100])
@pytest.mark.parametrize("error", [0.05, 1.0])
def test_the_sub_cases_meet(connections: int, error: float) -> None:
    for sub_case in (1, 2):
        below = law(link(connections, error, 1 - 1e-9, sub_case))
        above = law(link(connections, error, 1e-9, sub_case + 1))
        assert (below.sub_case, above.sub_case) == (sub_case, sub_case + 1)
        for name in ("loss_probability", "throughput", "fairness", "lossless_window"):
            assert getattr(below, name) == pytest.approx(getattr(above, name), rel=1e-7, abs=1e-12)


def test_small_errors_cost_nothing_unless_there_is_no_buffer() -> None:
    small = prediction_error_model(1e-6, connections=20, capacity=CAPACITY, buffer_bytes=100, rtt=RTT)
    assert (small.sub_case, small.loss_probability, small.throughput) == (3, 0, CAPACITY / 20)
    assert small.fairness == pytest.approx(1)
    bare = prediction_error_model(1e-6, connections=20, capacity=CAPACITY, buffer_bytes=0, rtt=RTT)
    # Half of all predictions are too high, and a third of all intervals is halved.
    assert bare.loss_probability == pytest.approx(0.5)
    assert bare.throughput == pytest.approx(5 / 6 * CAPACITY / 20, rel=1e-6)
    assert bare.fairness == pytest.approx((5 / 6) ** 2 / (3 / 4), rel=1e-6)
    none = prediction_error_model(0, connections=20, capacity=CAPACITY, buffer_bytes=0, rtt=RTT)
    assert (none.loss_probability, none.throughput, none.fairness) == (0, CAPACITY / 20, 1)


@given(
    st.floats(0, 1),
    st.integers(2, 10_000),
    st.floats(1e3, 1e12),
    st.floats(0, 1e9),
    st.floats(1e-6, 100),
)
def test_the_model_stays_in_its_bounds(
    error: float, connections: int, capacity: float, buffer_bytes: float, rtt: float
) -> None:
    found = prediction_error_model(
        error, connections=connections, capacity=capacity, buffer_bytes=buffer_bytes, rtt=rtt
    )
    share = capacity / connections
    assert 0 <= found.loss_probability <= 0.5
    assert 0.8 * share <= found.throughput <= share * (1 + 1e-9)
    assert 0.6 <= found.fairness <= 1 + 1e-9


# --- What was printed ---------------------------------------------------------------------------------------


def test_printed_formulas_are_judged() -> None:
    wrong = {(each.formula.where, each.formula.what) for each in judge() if not each.holds}
    assert {
        ("(18)", "E(W_d)"),
        ("(19)", "E(W_u)"),
        ("(20)", "T"),
        ("(24)", "T"),
        ("sub-case 2", "p"),
    } <= wrong
    assert not {("(17)", "E(W_c)"), ("(21)", "E(W_c)"), ("(23)", "E(W_u)"), ("sub-case 1", "p")} & wrong
    for verdict in judge():
        assert verdict.holds == (not verdict.formula.right)
        assert verdict.holds == (not verdict.formula.why)


def test_formulas_are_judged_within_their_sub_case() -> None:
    assert {formula.sub_case for formula in FORMULAS} == {1, 2, 3}
    for sub_case in (1, 2, 3):
        assert {each.sub_case for each in links(sub_case)} == {sub_case}


@pytest.mark.parametrize("name", ["P_C", "P_B"])
def test_areas_are_what_falls_into_them(name: str) -> None:
    # In sub-case 2: C is under the line of loss and right of where it leaves the upper edge, B to the left.
    formula = next(each for each in FORMULAS if each.sub_case == 2 and each.what == name)
    here = link(4, 0.7, 0.3, 2)
    random, points = np.random.default_rng(5), 2_000_000
    rate = here.share * (1 + random.uniform(-here.error, here.error, points))
    others = 3 * here.share * (1 + random.uniform(-here.error, here.error, points))
    line = CAPACITY + here.spare
    corner = line - 3 * here.share * (1 + here.error)
    lower_end = line - here.share * (1 + here.error)
    inside = (rate + others <= line) & (others > lower_end)
    inside &= (rate > corner) if name == "P_C" else (rate <= corner)
    share = np.mean(inside[rate + others <= line])
    assert formula.right_value(here) == pytest.approx(share, abs=4 * math.sqrt(0.25 / points))


def test_constants_of_the_figure() -> None:
    readings = {(each.buffer, each.divisor): each for each in printed_figure.readings()}
    as_printed = readings["bits", "RTT = 20 ms"]
    assert (as_printed.spare, as_printed.throughput, as_printed.fits) == (16e6, 0.5, False)
    undivided = readings["bits", "not divided"]
    assert undivided.spare == 320e3
    assert undivided.fits
    assert undivided.throughput == pytest.approx(printed_figure.PRINTED_THROUGHPUT, abs=5e-5)
    assert undivided.fairness == pytest.approx(printed_figure.PRINTED_FAIRNESS, abs=5e-4)
    closest = min(
        readings.values(), key=lambda each: abs(each.throughput - printed_figure.PRINTED_THROUGHPUT)
    )
    assert closest is undivided
    for printed in (False, True):
        spare = printed_figure.largest_spare(printed_figure.PRINTED_THROUGHPUT, as_printed=printed)
        assert 0 < spare < 1e6
    here = printed_figure.with_spare(printed_figure.largest_spare(0.43))
    assert law(here).throughput == pytest.approx(0.43e6)


def test_a_background_of_equal_rates_gives_the_ratio_of_means() -> None:
    here = link(20, 1.0, 0.2)
    random, n = np.random.default_rng(6), 1_000_000
    one, others = 1 + random.uniform(-1, 1, n), 19 * (1 + random.uniform(-1, 1, n))
    ratio = np.mean((one + others) ** 2) / (20 * np.mean(one**2 + others**2 / 19))
    assert printed_figure.shared_background_fairness(here) == pytest.approx(ratio, abs=3e-4)


# --- Independent errors -------------------------------------------------------------------------------------


def test_two_connections_are_the_rectangle() -> None:
    here = link(2, 0.8, 0.3, 2)
    found = law(here)
    runs = [draw_independent(here, PREDICTIONS, seed) for seed in range(RUNS)]
    assert held(found.loss_probability, runs, lambda run: run.loss_probability)
    assert held(found.throughput, runs, lambda run: run.throughput)
    assert held(found.fairness, runs, lambda run: run.fairness)


def test_independent_errors_average_out() -> None:
    # The sum is nearly normal with the deviation C gamma/sqrt(3 N).
    here = link(100, 1.0, 0.05)
    runs = [draw_independent(here, 4000, seed) for seed in range(RUNS)]
    deviations = here.spare / (CAPACITY / math.sqrt(300))
    tail = 0.5 * math.erfc(deviations / math.sqrt(2))
    assert float(np.mean([run.loss_probability for run in runs])) == pytest.approx(tail, abs=0.01)
    assert tail < 0.5 * law(here).loss_probability


def test_halving_all_windows_leaves_the_index_of_an_instant() -> None:
    run = draw_independent(link(20, 1.0, 0.0), 20_000, 1)
    assert float(np.mean(run.index)) == pytest.approx(1 / (1 + 1 / 3), abs=0.01)
    assert run.fairness < run.synchronous_fairness


def test_a_halved_window_follows_each_loss() -> None:
    run = Drawn(np.array([4.0, 6.0, 8.0]), np.array([False, True, False]), np.ones(3))
    assert run.sequence.tolist() == [4, 6, 3, 8]
    assert run.throughput == 21 / 4


# --- Input --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("error", -0.1),
        ("error", 1.1),
        ("error", math.nan),
        ("connections", 1),
        ("connections", 2.5),
        ("capacity", 0),
        ("capacity", math.inf),
        ("buffer_bytes", -1),
        ("buffer_bytes", math.nan),
        ("rtt", 0),
    ],
)
def test_bad_input_is_named(field: str, value: float) -> None:
    given_values = {"error": 0.5, "connections": 20, "capacity": CAPACITY, "buffer_bytes": 800, "rtt": RTT}
    with pytest.raises(InputError, match=rf"^{field}: got .*, expected .+"):
        prediction_error_model(**{**given_values, field: value})  # type: ignore[arg-type]
