"""Results of studies: arrays by the names of their dimensions, expressions over them, printed numbers."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as hyp
from pyarrow import parquet

from parshall.stats import mean_interval
from parshall_studies import study as st
from parshall_studies.study.bench import RunSeries, tables_of
from parshall_studies.study.results import dimensions_of

QUEUES, LOADS, SEEDS = ("red", "droptail"), (5, 30, 100), (1, 2, 3, 4)


def number(queue: str, load: int, seed: int) -> float:
    return 1000 * QUEUES.index(queue) + 10 * load + seed


@pytest.fixture
def results() -> st.Results:
    rng = np.random.default_rng(3)
    rows = [(queue, load, seed) for queue in QUEUES for load in LOADS for seed in SEEDS]
    rows = [rows[0], *(rows[1 + i] for i in rng.permutation(len(rows) - 1))]
    columns: dict[str, Any] = {
        name: [row[place] for row in rows] for place, name in enumerate(("queue", "load", "seed"))
    }
    columns["value"] = [number(*row) for row in rows]
    return st.Results({"runs": st.tidy(columns, ("queue", "load", "seed"))})


# --- Tables by their dimensions -----------------------------------------------------------------------------


def test_every_number_is_found_under_its_labels_whatever_the_order_of_rows(results: st.Results) -> None:
    values = results.values("runs", "value")
    assert set(values.dims) == {"queue", "load", "seed"}
    assert values.dims[-1] == "seed"
    for queue in QUEUES:
        for load in LOADS:
            own = values.at(queue=queue, load=load)
            assert own.labels == {"seed": SEEDS}
            assert own.seeds.tolist() == [number(queue, load, seed) for seed in SEEDS]
            direct = results.values("runs", "value", queue=queue, load=load)
            assert direct.seeds.tolist() == own.seeds.tolist()


def test_a_list_of_labels_gives_their_order_and_a_span_a_range(results: st.Results) -> None:
    chosen = results.values("runs", "value", queue="red", load=[100, 5])
    assert chosen.labels["load"] == (100, 5)
    assert chosen.at(seed=1).array.tolist() == [number("red", 100, 1), number("red", 5, 1)]
    assert chosen.at(load=[5]).dims == ("load", "seed")
    between = results.values("runs", "value", queue="red", load=st.Span(5, 100))
    assert set(between.labels["load"]) == {30, 100}  # above the lower end, up to the upper


def test_what_is_not_there_is_said(results: st.Results) -> None:
    for wrong, said in (
        ({"queue": "codel"}, r"runs.queue: got 'codel', expected one of 'red', 'droptail'"),
        ({"colour": 1}, r"runs.colour: expected one of the dimensions queue, load, seed"),
    ):
        with pytest.raises(LookupError, match=said):
            results.values("runs", "value", **wrong)
    with pytest.raises(LookupError, match=r"runs.speed: expected one of the columns"):
        results.values("runs", "speed")
    with pytest.raises(LookupError, match="dimensions queue, seed: expected none but the seed"):
        _ = results.values("runs", "value", load=5).seeds


@pytest.mark.parametrize(
    ("rows", "said"), [([1, 2, 2], "2 rows with kind=b, seed=2"), ([1, 3], "0 rows with kind=b, seed=2")]
)
def test_a_combination_of_labels_has_one_row(rows: list[int], said: str) -> None:
    table = st.tidy(
        {"kind": ["a"] * 3 + ["b"] * len(rows), "seed": [1, 2, 3, *rows], "value": [0.0] * (3 + len(rows))},
        ("kind", "seed"),
    )
    with pytest.raises(LookupError, match=f"t: {said}.*, expected one"):
        st.Results({"t": table}).values("t", "value")


def test_dimensions_survive_parquet(results: st.Results, tmp_path: Any) -> None:
    table = results.measures["runs"]
    parquet.write_table(table, tmp_path / "runs.parquet")
    again = parquet.read_table(tmp_path / "runs.parquet")
    assert dimensions_of(again) == ("queue", "load", "seed")
    read = st.Results({"runs": again}).values("runs", "value")
    assert read.array.tolist() == results.values("runs", "value").array.tolist()
    assert dimensions_of(pa.table({"x": [1]})) == ()


def test_seeds_are_those_of_the_table_that_has_most(results: st.Results) -> None:
    few = st.tidy({"seed": [1, 2], "x": [0.0, 0.0]}, ("seed",))
    assert st.Results({**results.measures, "few": few}).seeds == SEEDS
    assert st.Results({}).seeds == ()


def test_labels_and_rows_of_a_part(results: st.Results) -> None:
    assert results.labels("runs", "queue") == ("red", "droptail")
    assert results.labels("runs", "seed", load=5) == SEEDS
    rows = results.rows("runs", queue="red", seed=2)
    assert sorted(rows["load"].to_pylist()) == sorted(LOADS)
    assert "runs" in results
    assert "walks" not in results


def test_rows_of_runs_become_a_table() -> None:
    found = {
        ("red", 5): [{"runs": {"loss": 0.1}, "time": RunSeries({"t": [0, 1]}, {"q": [3.0, 4.0]})}] * 2,
        ("red", 30): [{"runs": {"loss": 0.2}, "time": RunSeries({"t": [0]}, {"q": [5.0]})}] * 2,
    }
    tables = tables_of(found, ("queue", "load"), (7, 8))
    assert dimensions_of(tables["runs"]) == ("queue", "load", "seed")
    assert dimensions_of(tables["time"]) == ("queue", "load", "seed", "t")
    assert tables["runs"].to_pylist()[-1] == {"queue": "red", "load": 30, "seed": 8, "loss": 0.2}
    assert tables["time"].num_rows == 6


# --- Arithmetic by names ------------------------------------------------------------------------------------


@given(
    hyp.permutations(["a", "b", "seed"]),
    hyp.sampled_from([operator.add, operator.sub, operator.mul, operator.truediv]),
)
def test_values_meet_by_the_names_of_their_dimensions(order: list[str], operation: Any) -> None:
    rng = np.random.default_rng(5)
    sizes = {"a": ("x", "y"), "b": (1, 2, 3), "seed": (1, 2, 3, 4)}
    shape = [len(sizes[dim]) for dim in order]
    whole = st.Values({dim: sizes[dim] for dim in order}, rng.uniform(1, 2, shape))
    part = st.Values({"seed": sizes["seed"], "a": ("y", "x")}, rng.uniform(1, 2, (4, 2)))
    found = whole.combined(part, operation)
    assert found.dims[-1] == "seed"
    for a in sizes["a"]:
        for b in sizes["b"]:
            for seed in sizes["seed"]:
                one = float(whole.at(a=a, b=b, seed=seed).array)
                other = float(part.at(a=a, seed=seed).array)
                assert float(found.at(a=a, b=b, seed=seed).array) == pytest.approx(operation(one, other))


def test_labels_that_differ_are_an_error_and_never_dropped() -> None:
    one = st.Values({"seed": (1, 2, 3)}, np.zeros(3))
    other = st.Values({"seed": (1, 2)}, np.zeros(2))
    with pytest.raises(LookupError, match=r"seed: labels \(1, 2, 3\) on one side and \(1, 2\) on the other"):
        one.combined(other, operator.add)


def test_neighbours_carry_the_later_label() -> None:
    values = st.Values({"load": LOADS, "seed": (1,)}, np.array([[1.0], [4.0], [9.0]]))
    growth = values.later("load").combined(values.earlier("load"), operator.sub)
    assert growth.labels["load"] == (30, 100)
    assert growth.array.ravel().tolist() == [3.0, 5.0]


def test_intervals_are_those_of_the_seeds(results: st.Results) -> None:
    values = results.values("runs", "value", queue="red")
    for (load,), interval in values.intervals().items():
        assert interval == mean_interval([number("red", int(load), seed) for seed in SEEDS])
    averaged = values.mean("load")
    assert averaged.dims == ("seed",)
    assert averaged.seeds[0] == pytest.approx(np.mean([number("red", load, 1) for load in LOADS]))


# --- Expressions --------------------------------------------------------------------------------------------

VALUE = st.Quantity("runs", "value", "packets")


def test_an_expression_is_made_before_there_are_results(results: st.Results) -> None:
    expression = (VALUE.at(queue="droptail") - VALUE.at(queue="red")) / 2 + 1
    values = expression.at(load=30).values(results)
    assert values.seeds.tolist() == [501.0] * len(SEEDS)
    assert expression.tables == {"runs"}
    assert "value" in str(expression)
    assert "droptail" in str(expression)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda v: 2 * v, 2 * 52),
        (lambda v: v * 2, 2 * 52),
        (lambda v: 1 + v, 53),
        (lambda v: 1 - v, -51),
        (lambda v: v / 4, 13),
        (lambda v: abs(1 - v), 51),
        (lambda v: (v + v) / v, 2),
    ],
)
def test_arithmetic_of_expressions(results: st.Results, make: Any, expected: float) -> None:
    assert float(make(VALUE.at(queue="red", load=5, seed=2)).values(results).array) == expected


def test_given_numbers_stand_beside_measured_ones(results: st.Results) -> None:
    bounds = st.Given(("load",), {5: 50.0, 30: 300.0, 100: 1000.0})
    over = (VALUE.at(queue="red") - bounds).values(results)
    assert over.at(load=100).seeds.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert float(bounds.at(load=30).values(results).array) == 300.0


def test_units_follow_the_arithmetic() -> None:
    share = st.Quantity("runs", "share", "%")
    assert (share - share).unit == "points"
    assert (share / share).unit == ""
    assert (share / 2).unit == (2 * share).unit == "%"
    assert (VALUE - VALUE).unit == "packets"
    assert (share > share / 2).unit == "points"


def test_a_relation_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="hand it to a rule"):
        bool(VALUE > 0)


def test_rising_and_falling_are_asked_step_by_step(results: st.Results) -> None:
    rising = st.rises(VALUE.at(queue="red", load=[5, 30, 100]), "load").differences(results)
    assert rising.labels["load"] == (30, 100)
    assert rising.at(seed=1).array.tolist() == [250.0, 700.0]
    falling = st.falls(VALUE.at(queue="red", load=[5, 30, 100]), "load")
    assert falling.differences(results).at(seed=1).array.tolist() == [-250.0, -700.0]
    assert falling.direction == "greater"


# --- Printed numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "half_digit", "shown"),
    [
        ("0.970", 0.97, 0.0005, "0.970"),
        ("753440", 753440.0, 0.5, "753,440"),
        ("753,440", 753440.0, 0.5, "753,440"),
        ("-1.6", -1.6, 0.05, "\N{MINUS SIGN}1.6"),
        ("3", 3.0, 0.5, "3"),
    ],
)
def test_a_printed_number_keeps_its_digits(text: str, value: float, half_digit: float, shown: str) -> None:
    printed = st.Printed(text, "s")
    assert (printed.value, str(printed)) == (value, shown)
    assert printed.half_digit == pytest.approx(half_digit)


@pytest.mark.parametrize("text", ["", "1.", ".5", "about 3", "1e3", "nan", "3 %"])
def test_a_printed_number_has_digits_and_nothing_else(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected digits as in 0\.970"):
        st.Printed(text)


def test_a_difference_of_printed_numbers_is_as_exact_as_the_less_exact_and_was_rounded_twice() -> None:
    difference = st.Printed("1.66", "%").less(st.Printed("1.1", "%"))
    assert (difference.text, difference.unit) == ("0.6", "points")
    assert difference.half_digit == pytest.approx(0.1)


def test_a_table_is_read_as_it_is_printed() -> None:
    lines = dict(st.numbers_in("\n  red  5 | 0.970 12\n\n  red 30 | 1,000 -3.5\n"))
    assert lines == {("red", "5"): ["0.970", "12"], ("red", "30"): ["1,000", "-3.5"]}
