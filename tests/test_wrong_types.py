"""One battery of wrong types over every public callable: each argument gets each of them, and all that may
come of it is a result or one line that a user understands.
"""

from __future__ import annotations

import importlib
import inspect
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import (
    Bulk,
    Control,
    DropTail,
    Dumbbell,
    FlowGroup,
    JacobsonRto,
    MedianRto,
    Tcp,
    fluid,
    forecast,
)
from parshall.errors import InputError, ParshallError
from parshall.sweep import Sweep

MODULES = (
    "parshall",
    "parshall.control",
    "parshall.estimators",
    "parshall.fluid",
    "parshall.forecast",
    "parshall.long_memory",
    "parshall.qdisc",
    "parshall.stats",
    "parshall.sweep",
    "parshall.theory",
    "parshall.units",
)
RESULTS = {
    "ArimaFit",
    "Candidate",
    "CapacitySeries",
    "Correlations",
    "DieboldMariano",
    "Ensemble",
    "Equilibria",
    "Equilibrium",
    "Estmred",
    "Evaluation",
    "Failure",
    "HurstEstimate",
    "Identification",
    "Intervals",
    "LevelShifts",
    "Linear",
    "LjungBox",
    "MeasuredSeries",
    "NonresponsiveEstimate",
    "NonresponsiveSeries",
    "PathCapacity",
    "Point",
    "PredictionErrorLaw",
    "Qdisc",
    "Recording",
    "ResponsivenessEstimate",
    "ResponsivenessSeries",
    "Route",
    "RtoCosts",
    "RtoSeries",
    "Samples",
    "Score",
    "Solution",
    "Stability",
    "SweepResult",
    "ThroughputSeries",
    "Trajectory",
    "TreatmentOutcome",
    "UdpSeries",
    "UdpShare",
    "Told",
    "Moment",
    "Ack",
    "Loss",
    "Interval",
    "Relayed",
}
"""Made by functions, not by users."""
NOT_CALLED = {
    "Estimator",
    "NonresponsiveEstimator",
    "NonresponsiveSettings",
    "RtoEstimator",
    "RtoRules",
    "Equation",
    "LossLaw",
    "Response",
    "Unresponsive",
}
"""Base classes, protocols, and tables of settings."""
PYTHONS_OWN = {
    *("cbrt", "exp", "log", "pow", "CapacityQuality", "FlowLabel", "Quality", "ResponsivenessQuality"),
}
"""Functions of ``math`` for controls, and enumerations: they say what Python's say."""
ELSEWHERE = {"reproduce"}
"""Needs the wheel of the studies."""
LEFT_OUT = RESULTS | NOT_CALLED | PYTHONS_OWN | ELSEWHERE


class Odd:
    """Nothing that anybody expects."""

    def __repr__(self) -> str:
        return "Odd()"


def plain(cls: type) -> type:
    return cls


WRONG: list[Any] = [
    None,
    True,
    "text",
    "",
    -1,
    0,
    3,
    2.5,
    float("nan"),
    float("inf"),
    1j,
    [],
    {},
    (),
    ["a"],
    [None],
    [3],
    {"a": 1},
    Odd(),
    b"x",
    10**400,
    plain,
    np.array([[1.0, 2.0]]),
    np.int64(3),
    np.float64("nan"),
    parshall.EwmaFilter,
    parshall.Cubic,
    "a\nb\x00",
    np.array(["x"]),
    np.array([1, 2, 3]),
    {1, 2},
    range(3),
    Path("nowhere"),
]
VALUES = np.random.default_rng(1).normal(size=60) + 20
STEPS = np.cumsum(VALUES - 20)
SCENARIO = Dumbbell(
    duration="0.4 s",
    warm_up="0.2 s",
    rate="2 Mbit/s",
    delay="10 ms",
    queue=DropTail(limit_packets=10),
    access_rate="10 Mbit/s",
    access_delay="1 ms",
    flows=[FlowGroup(name="tcp", count=2, transport=Tcp(), app=Bulk())],
)
MODEL = fluid.FluidModel(capacity=100.0, propagation_delay=0.1, flows=2.0, loss=fluid.FixedLoss(0.01))
EWMA = forecast.Ewma(gain=0.5)
LABEL = forecast.label(EWMA)
ARGUMENTS: dict[str, dict[str, Any]] = {
    "parshall.run": {"scenario": SCENARIO},
    "parshall.run_many": {"variants": [SCENARIO], "seeds": [1]},
    "parshall.load": {"path": "nowhere.toml"},
    "parshall.merge_qlogs": {"logs": {}},
    "parshall.loads": {"text": ""},
    "parshall.native": {"cls": plain},
    "parshall.Relay": {"scenario": SCENARIO, "to": "127.0.0.1:9"},
    "parking_lot": {"hops": 2, "delay": "1 ms", "access_rate": "10 Mbit/s", "access_delay": "1 ms"},
    "leaf_spine": {
        "leaves": 2,
        "spines": 2,
        "hosts": 1,
        "flows": [],
        "delay": "1 ms",
        "host_rate": "10 Mbit/s",
        "host_delay": "1 ms",
    },
    "parshall.Sweep": {"scenario": SCENARIO, "parameters": {"rate": ["1 Mbit/s", "2 Mbit/s"]}, "seeds": [1]},
    "Alarm": {"level": 0.5},
    "evaluate_rto": {"rtts": abs(VALUES), "estimator": JacobsonRto()},
    "ThroughputSampler": {"gain": 0.5},
    "counter_differences": {"readings": [1, 2]},
    "NonresponsiveFixedPoint": {"capacity": 1e6, "propagation": 0.1, "sampling": 0.01},
    "NonresponsiveKaczmarz": {"capacity": 1e6, "propagation": 0.1, "sampling": 0.01},
    "NonresponsiveKalman": {"capacity": 1e6, "propagation": 0.1, "sampling": 0.01},
    "NonresponsiveRls": {"capacity": 1e6, "propagation": 0.1, "sampling": 0.01},
    "fluid.ConstantWindow": {"flows": 1.0, "window": 2.0},
    "fluid.FluidModel": {"capacity": 100.0, "propagation_delay": 0.1, "flows": 2.0},
    "fluid.RedLoss": {"low": 1.0, "high": 3.0, "most": 0.1},
    "fluid.Smooth": {"derivative": plain, "lag": plain, "least_delay": 0.1},
    "fluid.WithTimeouts": {},
    "fluid.critical": {"family": lambda _: MODEL, "low": 1.0, "high": 2.0},
    "fluid.delay_margin": {"a": [[-1.0]], "b": [[-1.0]]},
    "fluid.rightmost_roots": {"a": [[-1.0]], "b": [[-1.0]], "delay": 0.1},
    "fluid.equilibria": {"model": MODEL},
    "fluid.linearise": {"model": MODEL, "equilibrium": fluid.equilibria(MODEL).found[0]},
    "fluid.stability": {"model": MODEL, "equilibrium": fluid.equilibria(MODEL).found[0]},
    "fluid.simulate": {"model": MODEL, "duration": 1.0},
    "fluid.solve": {"equation": MODEL, "history": lambda _: [1.0, 0.0], "start": 0.0, "end": 0.2},
    "forecast.Forecaster": {"model": EWMA},
    "forecast.diebold_mariano": {"first": VALUES, "second": VALUES + 1},
    "forecast.evaluate": {"series": VALUES, "models": [EWMA]},
    "forecast.fit": {"series": STEPS, "order": (1, 0, 0)},
    "forecast.holm": {"p_values": [0.1, 0.2]},
    "forecast.identify": {"series": STEPS, "max_p": 1, "max_q": 1},
    "forecast.irregular": {"times": [1.0, 2.0, 3.0]},
    "forecast.label": {"model": EWMA},
    "forecast.read": {"file": "nowhere.csv"},
    "Evaluation.compare": {"first": LABEL, "second": LABEL},
    "Evaluation.compare_all": {"second": LABEL},
    "Evaluation.errors": {"name": LABEL},
    "Evaluation.score": {"name": LABEL},
    "Scenario.replace": {"path": "rate", "value": "3 Mbit/s"},
    "SweepResult.differences": {"parameter": "rate", "baseline": "1 Mbit/s"},
    "SweepResult.interval": {"metric": "goodput", "point": None},
    "SweepResult.values": {"metric": "goodput", "point": None},
    "SweepResult.write": {"folder": "elsewhere"},
    "long_memory.plot_all": {"estimates": []},
    "qdisc.prometheus_text": {"qdiscs": []},
    "stats.difference_interval": {"values": VALUES, "baseline": VALUES},
    "stats.simultaneous_intervals": {"pairs": [(VALUES, VALUES)]},
    "sweep.load_sweep": {"path": "nowhere.toml"},
    "theory.padhye_send_rate": {"loss": 0.01, "rtt": 0.1, "timeout": 1.0},
    "theory.prediction_error_model": {
        "error": 0.1,
        "connections": 3,
        "capacity": 1e6,
        "buffer_bytes": 1e4,
        "rtt": 0.1,
    },
    "theory.red_probability": {"average": 2.0, "low": 1.0, "high": 3.0, "most": 0.1},
    "theory.replayed_drop_rate": {
        "averages": np.array([2.0]),
        "waiting": np.array([3]),
        "draws": np.array([0.5]),
        "low": 1.0,
        "high": 3.0,
        "most": 0.1,
        "wait": True,
    },
}
COMMON: dict[str, Any] = {
    "series": STEPS,
    "values": VALUES,
    "amounts": VALUES,
    "file": "nowhere",
    "text": "",
    "events": 1,
    "trials": 3,
    "members": 3,
    "arrival_rate": 0.5,
    "services": [1.0],
    "load": 0.5,
    "service": 1.0,
    "mean_delay": 1.0,
    "probability": 0.1,
    "loss": 0.01,
    "h": 0.7,
    "d": 0.2,
    "n": 64,
    "m": 2,
    "lags": 5,
    "family": "fgn",
    "data": b"",
    "value": "1 ms",
    "rtts": abs(VALUES),
    "amid_round": VALUES < 0,
    "rtt": 1.0,
    "xs": VALUES,
    "gain": 0.5,
    "window": 3,
    "duration": 1.0,
    "rate": 1.0,
    "equation": MODEL,
}
"""Arguments that functions have in common."""


FUNCTIONS = {"family", "history", "derivative", "lag"}
"""Arguments that are functions of the user's, whose faults are the user's."""


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Everything that is offered, each once: under the last of its names."""
    return iter({id(found): (place, found) for place, found in offered_by_modules()}.values())


def offered_by_modules() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in MODULES:
        offered = importlib.import_module(module)
        for name in sorted(offered.__all__):
            found = getattr(offered, name)
            exception = isinstance(found, type) and issubclass(found, BaseException)
            if (
                callable(found)
                and not exception
                and name not in RESULTS | NOT_CALLED | PYTHONS_OWN | ELSEWHERE
            ):
                yield f"{module}.{name}", found


PUBLIC = dict(public())


def arguments_of(place: str, called: Callable[..., Any], parameters: list[str]) -> dict[str, Any]:
    needed = {
        name: COMMON[name]
        for name in parameters
        if name in COMMON and inspect.signature(called).parameters[name].default is inspect.Parameter.empty
    }
    module, _, name = place.rpartition(".")
    short = place.removeprefix("parshall.")
    places = (place, short, name, f"parshall.{name}") if module.startswith("parshall") else (place,)
    own = next((ARGUMENTS[each] for each in places if each in ARGUMENTS), {})
    return {**needed, **own}


def parameters_of(called: Callable[..., Any]) -> list[str]:
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [p.name for p in inspect.signature(called).parameters.values() if p.kind not in variable]


def fault_of(called: Callable[..., Any], *args: Any, **given: Any) -> str | None:
    """How a call fails, where that is not as it should."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            called(*args, **given)
    except ParshallError as error:
        long = "\n" in str(error) or len(str(error)) > 400
        return f"not one line: {error}" if long else None
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "PARSHALL_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("place", PUBLIC)
def test_wrong_types_get_one_line(place: str) -> None:
    called = PUBLIC[place]
    parameters = [name for name in parameters_of(called) if name != "progress"]
    base = arguments_of(place, called, parameters)
    raw = [
        f"{name}={wrong!r}: {fault}"
        for name in parameters
        for wrong in WRONG
        if not (name in FUNCTIONS and callable(wrong))
        if (fault := fault_of(called, **{**base, name: wrong}))
    ]
    assert not raw, "\n".join(raw[:10])


# --- Methods of what functions return, and of estimators ----------------------------------------------------


def two_rates() -> Sweep:
    return Sweep(SCENARIO, {"rate": ["1 Mbit/s", "2 Mbit/s"]}, seeds=[1], metrics=["goodput"])


def objects() -> dict[str, Any]:
    sweep = two_rates()
    return {
        "MedianRto": MedianRto(5),
        "SlidingMedian": parshall.SlidingMedian(3),
        "SlidingMad": parshall.SlidingMad(3),
        "Ewma": parshall.EwmaFilter(0.5),
        "Alarm": parshall.Alarm(level=0.5),
        "Forecaster": forecast.Forecaster(EWMA),
        "Evaluation": forecast.evaluate(VALUES, [EWMA]),
        "ArimaFit": forecast.fit(STEPS, (1, 0, 0)),
        "Scenario": SCENARIO,
        "Recording": parshall.run(SCENARIO),
        "Ensemble": parshall.run_many([SCENARIO], [1, 2]),
        "Sweep": sweep,
        "SweepResult": sweep.run(),
    }


PYDANTIC = {
    "construct",
    "copy",
    "dict",
    "from_orm",
    "json",
    "model_construct",
    "model_copy",
    "model_dump",
    "model_dump_json",
    "model_json_schema",
    "model_parametrized_name",
    "model_post_init",
    "model_rebuild",
    "model_validate",
    "model_validate_json",
    "model_validate_strings",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "schema",
    "schema_json",
    "update_forward_refs",
    "validate",
}


INSIDE = {"asked_columns"}
"""Called by views alone."""


def test_methods_get_one_line() -> None:
    raw = []
    for kind, each in objects().items():
        for name, method in inspect.getmembers(type(each), callable):
            if name.startswith("_") or name in PYDANTIC | INSIDE or isinstance(method, type):
                continue
            bound = getattr(each, name)
            parameters = [p for p in parameters_of(bound) if p != "progress"]
            base = arguments_of(f"{kind}.{name}", bound, parameters)
            raw += [
                f"{kind}.{name}({parameter}={wrong!r}): {fault}"
                for parameter in parameters
                for wrong in WRONG
                if (fault := fault_of(bound, **{**base, parameter: wrong}))
            ]
    assert not raw, "\n".join(raw[:60])


# --- Each of those that were reported -----------------------------------------------------------------------


def test_an_estimator_of_timeouts_may_stand_in_a_scenario() -> None:
    assert Tcp(rto=MedianRto(7)) == Tcp(rto=parshall.MedianRtoConfig(window=7))
    assert Tcp(rto=MedianRto()) == Tcp(rto=parshall.MedianRtoConfig())
    with pytest.raises(InputError, match=r"min_rto=0.5.*Tcp\(min_rto=...\) has it"):
        Tcp(rto=MedianRto(5, min_rto=0.5))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Tcp(control=parshall.Cubic), "control: got the class Cubic, expected one of it: Cubic()"),
        (lambda: Tcp(rto=MedianRto), "rto: got the class MedianRto, expected one of it: MedianRto()"),
        (
            lambda: parshall.run_many([SCENARIO], 1, tables="flows"),
            'tables: got "flows", expected a list of names',
        ),
        (lambda: forecast.Forecaster("ewma"), 'model: got "ewma", expected a forecaster'),
        (lambda: forecast.evaluate(VALUES, ["ewma"]), 'models[0]: got "ewma", expected a forecaster'),
        (lambda: two_rates().run().values("goodput", 3), "point: got 3, expected one of the 2 points"),
    ],
)
def test_a_wrong_type_is_named(call: Callable[[], object], says: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert says in str(caught.value)


def test_numbers_of_numpy_are_numbers() -> None:
    ensemble = parshall.run_many([SCENARIO], np.int64(2), jobs=np.int64(1))
    assert ensemble.seeds == (1, 2)
    sweep = Sweep(SCENARIO, {"rate": [1e6, 2e6]}, seeds=np.int64(2))
    assert sweep.run(cache=False, jobs=np.int64(1)).seeds == ((1, 2), (1, 2))


@pytest.mark.parametrize("name", ["on_acks", "onAck", "on_ackk", "on_loose", "onTimeout", "on_packet"])
def test_a_misspelt_event_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name}: got a method that nobody calls, expected on_"):
        type("Mine", (Control,), {name: lambda self, ack: None})


def test_a_control_may_have_methods_of_its_own() -> None:
    kinds = type("Mine", (Control,), {"on_ack": lambda self, ack: None, "rate_of": lambda self: 1})
    assert issubclass(kinds, Control)


def test_the_battery_has_everything() -> None:
    """A name that moved out of the battery would no longer be tried."""
    assert {"parshall.run", "parshall.Tcp", "parshall.sweep.StopRule", "parshall.stats.mean"} <= set(PUBLIC)
    assert len(PUBLIC) > 180
