"""Every figure of the package holds what it shows, with ordinary and with odd data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.figures_inspected import faults_of, figures_drawn

import parshall
from parshall import Bulk, Cbr, Dumbbell, FlowGroup, Record, Series, Tcp, Transfer, Udp
from parshall.errors import InputError
from parshall.long_memory.plots import plot_all
from parshall.plot import drawing, log_axis
from parshall.recording.pictures import Distribution, Measured, Row, Strip, draw_strips, plot_points
from parshall.recording.pictures.notebook import _plot_intervals
from parshall.stats import AT_LEAST_ZERO, mean_interval
from parshall_studies.study import charts as st, figures

rng = np.random.default_rng


def _long(value: Any) -> Any:
    """A value that differs little from those beside it: only the longest tests draw it too."""
    return pytest.param(value, marks=pytest.mark.exhaustive)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARSHALL_CACHE", str(tmp_path / "cache"))


def check(figure: Figure, name: str = "", **options: Any) -> None:
    faults = faults_of(figure, **options)
    assert not faults, f"{name}: " + "\n".join(faults)


# --- Round trips: timeouts, forecasts, identification, long memory ------------------------------------------


def series_of_round_trips() -> dict[str, np.ndarray]:
    cellular = 0.045 + 0.012 * rng(7).standard_gamma(1.0, 3000) + 0.06 * (rng(8).random(3000) < 0.05)
    gaps = cellular.copy()
    gaps[::7] = np.nan
    return {
        "cellular": cellular,
        "gaps": gaps,
        "few": cellular[:60],
        "equal": np.full(500, 0.02),
        "two values": np.where(rng(1).random(600) < 0.5, 0.02, 0.021),
        "one spike": np.r_[np.full(400, 0.02), 5.0, np.full(400, 0.02)],
        "huge ratio": np.exp(rng(2).normal(-6, 3, 2000)),
        "microseconds": 1e-6 * (1 + rng(3).random(800)),
    }


@pytest.mark.parametrize("name", series_of_round_trips())
@pytest.mark.parametrize("risk", [1e-4, _long(0.1)])
def test_filters_of_the_timeout(name: str, risk: float) -> None:
    check(parshall.rto.compare(series_of_round_trips()[name], risk=risk).plot())


@pytest.mark.parametrize("name", series_of_round_trips())
@pytest.mark.parametrize("horizons", [(1,), (1, 3, 10, 100)])
def test_forecasts(name: str, horizons: tuple[int, ...]) -> None:
    series = series_of_round_trips()[name]
    if len(series) <= 10 * horizons[-1]:
        pytest.skip("a short series has no forecasts so far ahead")
    check(parshall.forecast.evaluate(series, horizons=horizons).plot())


@pytest.mark.parametrize("name", ["cellular", "few", "one spike", "huge ratio", "microseconds"])
@pytest.mark.parametrize("d", [_long(0), 1])
def test_identifications(name: str, d: int) -> None:
    found = parshall.forecast.identify(series_of_round_trips()[name], d=d)
    for lags, unit in ((2, ""), (40, "ms")):
        check(found.plot_identification(lags=lags, unit=unit))


def test_diagrams_of_long_memory() -> None:
    for length in (300, 5000):
        estimates = parshall.long_memory.hurst_all(rng(5).normal(size=length))
        check(plot_all(list(estimates.values())), str(length))
        check(next(iter(estimates.values())).plot(), str(length))


# --- A run --------------------------------------------------------------------------------------------------


QUEUE = {"kind": "droptail", "limit_packets": 30}


def bell(*groups: FlowGroup, **others: Any) -> Dumbbell:
    common = {"rate": "5 Mbit/s", "delay": "5 ms", "access_rate": "100 Mbit/s", "access_delay": "1 ms"}
    return Dumbbell(**{"duration": "3 s", "queue": QUEUE, **common, **others}, flows=list(groups))


BULK = FlowGroup(name="tcp", count=2, transport=Tcp(), app=Bulk())
CALL = FlowGroup(name="call", transport=Udp(), app=Cbr(rate="64 kbit/s"), start="1 s")
NEVER = FlowGroup(name="never", transport=Tcp(), app=Transfer(packets=3), start="2.99 s")
EVERYTHING = Record(
    rtt=["*"],
    window=["*"],
    flow_series=Series(of=["*"], interval="100 ms"),
    port_series=Series(of=["bottleneck"], interval="50 ms"),
    packets=["bottleneck"],
    deliveries=["*"],
)
RUNS = {
    "everything": bell(BULK, CALL, NEVER, record=EVERYTHING),
    "nothing recorded": bell(BULK),
    "nothing sent": bell(NEVER.replace("start", "3 s"), record=EVERYTHING),
    "one sample": bell(BULK, record=Record(flow_series=Series(of=["*"], interval="2.9 s"))),
    "many flows": bell(
        FlowGroup(name="a-flow-with-a-rather-long-name", count=60, transport=Tcp(), app=Bulk()),
        record=EVERYTHING,
    ),
    "long names": bell(
        FlowGroup(name="a" * 60, count=7, transport=Tcp(), app=Bulk()), record=EVERYTHING, title="title " * 40
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_sheets_of_a_run(name: str) -> None:
    recording = parshall.run(RUNS[name], seed=1)
    check(recording.plot())
    check(recording.flow(recording.flows[0]).plot())
    check(recording.port("bottleneck").plot())
    check(recording.plot(start="1 s", end="1.5 s"), cropped=True)


@pytest.mark.parametrize("name", ["everything", "many flows"])
def test_time_and_sequence(name: str) -> None:
    recording = parshall.run(RUNS[name], seed=1)
    for flow in (recording.flows[0], recording.flows[-1]):
        check(recording.flow(flow).plot_sequence(), flow)


# --- Many runs ----------------------------------------------------------------------------------------------


def variants(count: int) -> dict[str, Dumbbell]:
    rates = np.geomspace(1, 100, count)
    return {
        f"a rate of {rate:.3g} Mbit/s": bell(BULK, CALL, duration="1 s").replace("rate", f"{rate} Mbit/s")
        for rate in rates
    }


@pytest.mark.parametrize(
    ("count", "metric"),
    [(1, "goodput"), (2, "timeouts"), (3, "completed_at"), (8, "goodput"), (9, "timeouts"), (40, "goodput")],
)
def test_means_of_variants(count: int, metric: str) -> None:
    ensemble = parshall.run_many(variants(count), seeds=3)
    figure = ensemble.plot(metric)
    check(figure)
    if 1 < count <= 8 and metric == "goodput":
        (axis,) = figure.axes
        named = {text.get_text() for text in axis.get_legend().get_texts()}
        assert named == set(ensemble.variants)
        lines = [container.lines[0] for container in axis.containers]
        assert len({(line.get_color(), line.get_marker()) for line in lines}) == count


def test_more_variants_than_a_figure_shows_are_refused() -> None:
    ensemble = parshall.run_many(variants(201), seeds=1)
    with pytest.raises(InputError, match=r"variants: got 201, expected at most 200 .*table"):
        ensemble.plot()


def measured(points: list[dict[str, Any]], values: Callable[[int], list[float]]) -> Measured:
    own = [values(number) for number in range(len(points))]
    return Measured(
        "",
        tuple(points),
        {"goodput": own, "timeouts": [[each[0] % 3] for each in own]},
        {"goodput": "bit/s"},
        {"goodput": AT_LEAST_ZERO},
    )


def grid(*counts: int) -> list[dict[str, Any]]:
    names = [f"flows[tcp].parameter_{number}" for number in range(len(counts))]
    return [dict(zip(names, (int(place) for place in places), strict=True)) for places in np.ndindex(*counts)]


VALUES: Mapping[str, Callable[[int], list[float]]] = {
    "ordinary": lambda number: [1e6 * (number + 1), 1.5e6 * (number + 2), 1e6 * number],
    "zero": lambda number: [0.0, 0.0],
    "equal": lambda number: [2.5e6, 2.5e6],
    "nothing": lambda number: [np.nan, np.nan],
    "some missing": lambda number: [np.nan if number % 2 else 3.0, 4.0],
    "one seed": lambda number: [1e6 * (number % 5)],
    "huge ratio": lambda number: [10.0 ** (number % 12), 2 * 10.0 ** (number % 12)],
}


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("counts", [_long((3,)), (4, 5)])
def test_values_of_a_sweep(counts: tuple[int, ...], values: str) -> None:
    check(plot_points(measured(grid(*counts), VALUES[values])))


@pytest.mark.parametrize("counts", [(1,), (2,), (30,), (3, 2, 2), (10, 9), (100, 50)])
def test_points_of_a_sweep(counts: tuple[int, ...]) -> None:
    check(plot_points(measured(grid(*counts), VALUES["ordinary"])))


def test_values_that_are_no_numbers_have_a_place_each() -> None:
    points = [{"queue": f"a queue of kind {number}", "rate": 1e6} for number in range(20)]
    check(plot_points(measured(points, VALUES["ordinary"]), x="queue"))
    check(plot_points(measured(points, VALUES["ordinary"])))


def test_a_design_that_is_no_grid_is_drawn_as_points() -> None:
    points = [dict(zip("abc", row.tolist(), strict=True)) for row in rng(4).random((1000, 3))]
    check(plot_points(measured(points, VALUES["ordinary"])))


def test_more_points_than_a_figure_shows_are_refused() -> None:
    with pytest.raises(InputError, match="combinations of the others"):
        plot_points(measured(grid(3, 20, 20), VALUES["ordinary"]), x="flows[tcp].parameter_0")
    labels = [{"queue": f"queue {number}"} for number in range(5000)]
    with pytest.raises(InputError, match="too many for a row each"):
        plot_points(measured(labels, VALUES["ordinary"]))
    with pytest.raises(InputError, match="values are numbers"):
        plot_points(measured(labels, VALUES["ordinary"]), x="queue")


SAMPLES = {
    "ordinary": [3.0, 4.0, 5.5],
    "zero": [0.0, 0.0],
    "below zero": [-1.0, 2.0],
    "one": [7.0],
    "none": [],
    "missing": [np.nan, 2.0],
    "huge": [1e-9, 1e12],
}


@pytest.mark.parametrize("unit", [_long(""), "s", "share", _long("%")])
def test_strips_and_distributions(unit: str) -> None:
    for name, sample in SAMPLES.items():
        rows = [Row(f"{name} {place}", mean_interval(sample), tuple(sample), place) for place in range(3)]
        panels: list[Strip | Distribution] = [Strip(name, unit, tuple(rows[:count])) for count in (1, 3)]
        panels.append(Strip(name, unit, tuple(rows), zero=True))
        if np.isfinite(sample).any():
            curves = (("a", np.array(sample)), ("b", np.array([*sample, 1.0])))
            panels.append(Distribution(name, unit, curves))
        check(draw_strips(panels, "A title"), name)


@pytest.mark.parametrize("name", SAMPLES)
def test_intervals_in_a_notebook(name: str) -> None:
    for count in (1, 20):
        rows = [(f"point {place}", mean_interval(SAMPLES[name])) for place in range(count)]
        check(_plot_intervals("metric", rows))


# --- Charts of studies --------------------------------------------------------------------------------------


PLACES: Mapping[str, list[float]] = {
    "ordinary": [1.0, 2.0, 5.0, 10.0, 30.0],
    "zero": [0.0, 1.0, 20.0],
    "only zero": [0.0, 0.0],
    "one": [3.0],
    "equal": [4.0, 4.0, 4.0],
    "missing": [1.0, np.nan, 8.0],
    "huge ratio": [1e-12, 1.0, 1e15],
    "narrow": [100.0, 101.0, 103.0],
    "infinite": [1.0, np.inf, 10.0],
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("drawn_before", [False, _long(True)])
def test_logarithmic_axes(name: str, drawn_before: bool) -> None:
    """The axis may be told of its values before or after they are drawn."""
    places = PLACES[name]
    with drawing() as (canvas, (axis,)):
        if drawn_before:
            axis.plot(places, places, "o")
        log_axis(axis.xaxis, places)
        log_axis(axis.yaxis, places)
        if not drawn_before:
            axis.plot(places, places, "o")
    check(canvas)
    assert 1 <= len(axis.get_xticks()) <= 9


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("limits", [None, _long((0.0, None))])
def test_charts_of_studies(
    name: str, log: bool, limits: tuple[float | None, float | None] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if log and limits:
        pytest.skip("a logarithmic axis does not begin at zero")
    places = PLACES[name]
    x, y = (st.Axis(title, "s", log=log, limits=limits) for title in ("time", "delay"))
    traces = [
        st.Trace(
            st.Look(f"line {number}", colour, marker="o"), places, [value * (number + 1) for value in places]
        )
        for number, colour in enumerate(("#0068a8", "#c44e00", "#007d5c"))
    ]
    with figures_drawn(monkeypatch) as made:
        figures.drawn("id", [figures.Panel(traces, "one"), figures.Panel(traces[:1], "two")], x, y)
    check(made[0])
