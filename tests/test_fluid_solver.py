"""Delay equations: their solver and the roots of their characteristic equations against closed forms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy.integrate import solve_ivp
from scipy.special import lambertw

from parshall import InputError
from parshall.fluid import Smooth, SolverError, delay_margin, rightmost_roots, solve
from parshall.fluid.characteristic import residual

# --- The solver ---------------------------------------------------------------------------------------------


def by_steps(time: float) -> float:
    """x' = -x(t - 1), x = 1 before 0: the polynomial of the step that holds ``time``."""
    return sum((-1) ** k * (time - (k - 1)) ** k / math.factorial(k) for k in range(math.floor(time) + 2))


def test_the_method_of_steps_gives_its_polynomials() -> None:
    equation = Smooth(lambda _t, _y, past: [-past[0]], lambda _t, _y: 1.0, 1.0)
    found = solve(equation, lambda _: [1.0], 0, 12, rtol=1e-9, atol=1e-12)
    times = np.linspace(0, 12, 201)
    assert found(times)[:, 0] == pytest.approx([by_steps(time) for time in times], abs=1e-8)
    # The kinks that a step could tell are ends of steps.
    for kink in range(5):
        assert np.abs(found.knots - kink).min() < 1e-8


def test_an_exponential_goes_on_as_an_exponential() -> None:
    # s = -a exp(-s tau) has the real root W(-a tau) / tau.
    a, tau = 1.5, 0.2
    root = float(lambertw(-a * tau).real) / tau
    equation = Smooth(lambda _t, _y, past: [-a * past[0]], lambda _t, _y: tau, tau)
    found = solve(equation, lambda t: [math.exp(root * t)], 0, 5, rtol=1e-9, atol=1e-13)
    times = np.linspace(0, 5, 100)
    assert found(times)[:, 0] == pytest.approx(np.exp(root * times), rel=1e-7)


def sine_equation(least: float = 0.5) -> Smooth:
    """An equation with a delay of 0.5 to 0.8 that depends on the state, whose solution is a sine."""

    def lag(_t: float, y: Sequence[float]) -> float:
        return least + 0.3 * y[0] ** 2

    def slope(t: float, y: list[float], past: Sequence[float]) -> list[float]:
        sine = math.sin(t)
        return [math.cos(t) + past[0] - math.sin(t - lag(t, y)) - 2 * (y[0] - sine)]

    return Smooth(slope, lag, least)


def test_the_solver_converges_with_order_five_where_the_delay_depends_on_the_state() -> None:
    times = np.linspace(0, 20, 777)
    errors = []
    for step in (0.2, 0.1, 0.05):
        found = solve(sine_equation(), lambda t: [math.sin(t)], 0, 20, step=step)
        errors.append(float(np.abs(found(times)[:, 0] - np.sin(times)).max()))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 4.5).all()
    assert errors[-1] < 1e-8


def test_the_tolerance_bounds_the_error() -> None:
    times = np.linspace(0, 20, 777)
    errors = []
    for rtol in (1e-4, 1e-6, 1e-8):
        found = solve(sine_equation(), lambda t: [math.sin(t)], 0, 20, rtol=rtol, atol=rtol)
        errors.append(float(np.abs(found(times)[:, 0] - np.sin(times)).max()))
        assert errors[-1] < 20 * rtol
    assert errors[0] > 10 * errors[1] > 100 * errors[2]


def test_an_equation_that_ignores_its_past_is_an_ordinary_one() -> None:
    equation = Smooth(lambda _t, y, _past: [y[1], -9 * y[0] - 0.2 * y[1]], lambda _t, _y: 0.3, 0.3)
    found = solve(equation, lambda _: [1.0, 0.0], 0, 10, rtol=1e-8, atol=1e-10)
    times = np.linspace(0, 10, 101)
    peer = solve_ivp(
        lambda _t, y: [y[1], -9 * y[0] - 0.2 * y[1]],
        (0, 10),
        [1, 0],
        rtol=1e-10,
        atol=1e-12,
        t_eval=times,
    )
    assert found(times) == pytest.approx(peer.y.T, abs=1e-6)


class Ball:
    """A ball that bounces, with a height that must not be negative: guards without a delay."""

    least_delay = 0.5

    def delay(self, time: float, state: list[float]) -> float:
        return 0.5

    def slope(self, time: float, state: list[float], past: Sequence[float], mode: int) -> list[float]:
        return [state[1], -10.0]

    def start(self, time: float, state: list[float]) -> int:
        return 0

    def guards(self, time: float, state: list[float], mode: int) -> tuple[float, ...]:
        return (state[0],)

    def switch(self, time: float, state: list[float], mode: int, guard: int) -> tuple[int, list[float]]:
        return mode + 1, [0.0, -state[1]]


def test_guards_are_located() -> None:
    found = solve(Ball(), lambda _: [5.0, 0.0], 0, 4.5)
    # It falls for a second, then flies for two, again and again.
    assert found.switches == 2
    assert found([1.0, 2.0, 3.0, 4.0])[:, 0] == pytest.approx([0, 5, 0, 5], abs=1e-7)
    for bounce in (1.0, 3.0):
        assert np.abs(found.knots - bounce).min() < 1e-8


def test_faults_of_a_solution_are_one_line() -> None:
    equation = sine_equation()
    for arguments, options, place in (
        ((0, 0), {}, "end"),
        ((0, math.inf), {}, "end"),
        ((0, 1), {"rtol": 0.0}, "rtol"),
        ((0, 1), {"atol": [-1.0]}, "atol"),
        ((0, 1), {"step": 0.6}, "step"),
    ):
        with pytest.raises(InputError, match=f"^{place}: got .*, expected"):
            solve(equation, lambda t: [math.sin(t)], *arguments, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="times: got 2"):
        solve(equation, lambda t: [math.sin(t)], 0, 1)([0.5, 2.0])
    runaway = Smooth(lambda _t, y, _past: [y[0] ** 2], lambda _t, _y: 1.0, 1.0)
    with pytest.raises(SolverError, match="no step is short enough at t = "):
        solve(runaway, lambda _: [1.0], 0, 2)


# --- Roots --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "tau"), [(1.0, 1.0), (3.0, 0.5), (0.2, 1.0), (5.0, 2.0), (-0.7, 1.3)])
def test_roots_of_the_scalar_equation_are_branches_of_lambert_w(a: float, tau: float) -> None:
    # s = -a exp(-s tau)
    branches = [complex(lambertw(-a * tau, k)) / tau for k in range(-4, 5)]
    expected = sorted(branches, key=lambda s: -s.real)[:6]
    found = rightmost_roots(0, -a, tau, 6)
    assert sorted(found.real) == pytest.approx(sorted(s.real for s in expected), abs=1e-9)
    for root in found:
        assert np.abs(root - np.array(branches)).min() < 1e-9


@settings(max_examples=20, deadline=None)
@example(entries=[0.0] * 8 + [1.0] + [0.0] * 9, delay=1.0)
@given(
    # Whole thousandths: a past that all but vanishes has roots too far left to be found.
    entries=st.lists(st.integers(-2000, 2000).map(lambda n: n / 1000), min_size=18, max_size=18),
    delay=st.floats(0.05, 1),
)
def test_roots_satisfy_the_characteristic_equation_and_none_lies_further_right(
    entries: list[float], delay: float
) -> None:
    a, b = np.array(entries[:9]).reshape(3, 3), np.array(entries[9:]).reshape(3, 3)
    roots = rightmost_roots(a, b, delay, 4)
    for root in roots[:2]:
        # A double root is found with half the digits.
        assert residual(a, b, delay, complex(root)) < 1e-6
    # The argument principle: the determinant turns round zero once for each root inside a contour.
    edge = float(roots.real.max()) + 0.3
    reach = edge + np.linalg.norm(a, 2) + np.linalg.norm(b, 2) * math.exp(max(-edge * delay, 0)) + 1
    corners = [edge - 1j * reach, reach - 1j * reach, reach + 1j * reach, edge + 1j * reach]
    sides = [
        np.linspace(begin, end, 3000) for begin, end in zip(corners, [*corners[1:], corners[0]], strict=True)
    ]
    contour = np.concatenate(sides)
    past = b[None] * np.exp(-contour * delay)[:, None, None]
    values = np.linalg.det(contour[:, None, None] * np.eye(3) - a[None] - past)
    turns = np.unwrap(np.angle(values))
    assert round((turns[-1] - turns[0]) / (2 * math.pi)) == 0


def test_without_delay_roots_are_eigenvalues() -> None:
    a, b = np.array([[0.0, 1.0], [-4.0, -1.0]]), np.array([[0.0, 0.0], [-2.0, 0.5]])
    eigenvalues = np.linalg.eigvals(a + b)
    assert rightmost_roots(a, b, 0.0).real == pytest.approx(eigenvalues.real)
    assert rightmost_roots(a, b, 1e-4, 2).real == pytest.approx(eigenvalues.real, abs=1e-2)


def test_delay_margins_in_closed_form() -> None:
    assert delay_margin(0, -2) == pytest.approx(math.pi / 4)
    # x' = -a x - b x(t - tau) with b > a.
    a, b = 1.0, 2.0
    assert delay_margin(-a, -b) == pytest.approx(math.acos(-a / b) / math.sqrt(b * b - a * a))
    assert delay_margin(-2, -1) == math.inf
    # An oscillator with delayed damping.
    now, past = np.array([[0.0, 1.0], [-4.0, -1.0]]), np.array([[0.0, 0.0], [-3.0, 0.0]])
    margin = delay_margin(now, past)
    assert rightmost_roots(now, past, margin, 1)[0].real == pytest.approx(0, abs=1e-8)
    assert rightmost_roots(now, past, 0.99 * margin, 1)[0].real < 0
    assert rightmost_roots(now, past, 1.01 * margin, 1)[0].real > 0
