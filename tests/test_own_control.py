"""Controls that users write do what those of the engine do, in every form, to the last bit."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.own_controls import NETWORKS, assert_equal, bell, example, tables

import parshall
from parshall import Control, SharedControl
from parshall.control import cbrt
from parshall.errors import InputError

FORMS = ["python", "numba", "c", "rust"]


def own(name: str, form: str, libraries: Path) -> Any:
    if form == "c":
        return SharedControl(libraries / f"{name}.so")
    if form == "rust":
        return SharedControl(libraries / "libaimd.so")
    module = example(name)
    return getattr(module, name.title() if form == "python" else f"Compiled{name.title()}")()


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(
    ("name", "form"),
    [(n, f) for n in ("aimd", "vegas", "cubic") for f in FORMS if f != "rust" or n == "aimd"],
)
def test_every_form_is_the_engines_own_to_the_last_bit(
    name: str, form: str, network: str, libraries: Path
) -> None:
    scenario = NETWORKS[network]
    # The examples are RFC 9438's, whatever the profile makes of the name.
    engines = parshall.Cubic(variant="rfc", hystart="none") if name == "cubic" else name
    theirs = tables(scenario(engines))
    lost = theirs["flows"]["packets_retransmitted"].sum() + theirs["flows"]["mark_reductions"].sum()
    assert lost > (0 if name == "vegas" else 10)  # Vegas avoids them
    assert_equal(tables(scenario(own(name, form, libraries))), theirs)


def test_parameters_reach_every_form(libraries: Path) -> None:
    module = example("aimd")
    forms = [
        module.Aimd(increase=3, left=0.8),
        module.CompiledAimd(increase=3.0, left=0.8),
        SharedControl(libraries / "aimd.so", increase=3, left=0.8),
        SharedControl(libraries / "libaimd.so", left=0.8, increase=3),
    ]
    first, *others = [tables(bell(form)) for form in forms]
    for other in others:
        assert_equal(other, first)
    with pytest.raises(AssertionError):
        assert_equal(first, tables(bell("aimd")))


def test_equal_code_and_seed_give_equal_bits_on_any_number_of_threads() -> None:
    module = example("cubic")
    for control in (module.Cubic(), module.CompiledCubic()):
        one, two = (
            parshall.run_many({"a": bell(control)}, range(1, 9), cache=None, jobs=jobs).table("flows")
            for jobs in (1, 2)
        )
        assert one.to_pandas().equals(two.to_pandas())


def test_random_numbers_follow_the_seed_in_every_form() -> None:
    class Random(Control):
        def on_ack(self, ack: parshall.control.Ack) -> None:
            self.cwnd = 5.0 + 10.0 * self.random()

    class NativeRandom(Random):
        pass

    parshall.native(NativeRandom)
    plain, again, other = (tables(bell(Random()), seed) for seed in (1, 1, 2))
    assert_equal(again, plain)
    assert_equal(tables(bell(NativeRandom()), 1), plain)
    assert not np.array_equal(plain["window"]["cwnd"], other["window"]["cwnd"])


def test_estimators_work_inside() -> None:
    class Smoothed(Control):
        weight: float = 0.125
        rtt: Any = field(init=False, default=None)

        def __post_init__(self) -> None:
            self.rtt = parshall.SlidingMedian(9)

        def on_ack(self, ack: parshall.control.Ack) -> None:
            median = self.rtt.update(ack.rtt)
            self.cwnd = 12.0 if median > 0.06 else 20.0

    class Compiled(Control):
        weight: float = 0.125
        rtt: Any = field(init=False, default_factory=lambda: parshall.SlidingMedian(9))

        def on_ack(self, ack: parshall.control.Ack) -> None:
            median = self.rtt.update(ack.rtt)
            self.cwnd = 12.0 if median > 0.06 and self.rtt.value == median else 20.0

    plain = tables(bell(Smoothed()))
    assert {12.0, 20.0} <= set(plain["window"]["cwnd"])
    assert_equal(tables(bell(Compiled())), plain)
    assert_equal(tables(bell(parshall.native(Compiled)())), plain)


@pytest.mark.parametrize(
    "make_one",
    [
        lambda: parshall.EwmaFilter(0.2),
        lambda: parshall.SlidingMad(7),
        lambda: parshall.MedianRto(5, min_rto=0.01),
        lambda: parshall.JacobsonRto(min_rto=0.01),
    ],
)
def test_every_estimator_is_the_same_in_compiled_code(make_one: Any) -> None:
    class Follows(Control):
        estimator: Any = field(init=False, default_factory=make_one)

        def on_ack(self, ack: parshall.control.Ack) -> None:
            self.cwnd = 8.0 + 50.0 * self.estimator.update(ack.rtt)

    class Compiled(Follows):
        pass

    plain = tables(bell(Follows()))
    assert len(set(plain["window"]["cwnd"])) > 5
    assert_equal(tables(bell(parshall.native(Compiled)())), plain)


def test_an_estimator_that_all_flows_would_share_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"Shared\.rtt: got EwmaFilter\(gain=0\.5\), expected field\(init=False"
    ):
        type("Shared", (Control,), {"rtt": parshall.EwmaFilter(0.5), "__annotations__": {"rtt": Any}})


def test_arrays_are_state_in_compiled_controls() -> None:
    class Window(Control):
        samples: Any = field(init=False, default_factory=lambda: np.zeros(8))
        count: int = field(init=False, default=0)

        def on_ack(self, ack: parshall.control.Ack) -> None:
            self.samples[self.count % 8] = ack.rtt
            self.count += 1
            if self.count >= 8:
                self.cwnd = 10.0 if self.samples.max() > 0.08 else 14.0

    plain = tables(bell(Window()))
    assert {10.0, 14.0} <= set(plain["window"]["cwnd"])

    class Compiled(Window):
        pass

    assert_equal(tables(bell(parshall.native(Compiled)())), plain)


def test_the_engines_cube_root_is_lent() -> None:
    assert cbrt(27.0) == 3.0
