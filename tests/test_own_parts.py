"""Filters and forecasters of one's own do what the library's do, in every form, to the last bit."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.own_controls import NETWORKS, assert_equal, bell, tables

import parshall
from parshall import RtoFilter, SharedForecaster, SharedRtoFilter
from parshall.errors import InputError, PartError, RunError
from parshall.own import header
from parshall.own.kinds import KINDS

EXAMPLES = Path(__file__).parents[1] / "examples" / "parts"
RTTS = np.abs(np.random.default_rng(5).normal(0.1, 0.03, 400))


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"part_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    flags = ["-O2", "-fPIC", "-shared", "-ffp-contract=off", "-Wall", "-Werror", f"-I{header.INSTALLED}"]
    for name in ("jacobson", "ewma"):
        subprocess.run(
            ["cc", *flags, str(EXAMPLES / f"{name}.c"), "-o", str(folder / f"{name}.so")], check=True
        )
    shutil.copy(EXAMPLES / "jacobson.rs", folder)
    shutil.copy(header.INSTALLED / "parshall_rto.rs", folder)
    rustc = [
        "rustc",
        "-O",
        "--edition",
        "2021",
        "--crate-type",
        "cdylib",
        "jacobson.rs",
        "-o",
        "libjacobson.so",
    ]
    subprocess.run(rustc, check=True, cwd=folder)
    return folder


def test_the_headers_are_included_together(tmp_path: Path) -> None:
    source = tmp_path / "all.c"
    for names in (list(KINDS), list(KINDS)[::-1]):
        lines = [*(f"#include <parshall_{name}.h>" for name in names), "parshall_host host;"]
        source.write_text("\n".join([*lines, "parshall_parameter none;", ""]))
        command = ["cc", "-fsyntax-only", "-Wall", "-Werror", f"-I{header.INSTALLED}", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_headers_for_rust_compile(tmp_path: Path) -> None:
    source = tmp_path / "all.rs"
    modules = (f'#[path = "{header.INSTALLED}/parshall_{name}.rs"] pub mod {name};' for name in KINDS)
    source.write_text("\n".join(modules))
    command = ["rustc", "--edition", "2021", "--crate-type", "lib", "--emit", "metadata", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_headers_say_what_is_copied() -> None:
    for name in ("rto", "forecaster"):
        text = " ".join((header.INSTALLED / f"parshall_{name}.h").read_text().replace(" *", " ").split())
        assert "byte by byte" in text
    for name in KINDS.keys() - {"rto", "forecaster"}:
        assert "byte by byte" not in (header.INSTALLED / f"parshall_{name}.h").read_text()


class Linked(RtoFilter):
    """Holds itself, and has a slot."""

    __slots__ = ("peak",)
    me: Any = field(init=False, default=None)

    def on_start(self) -> None:
        self.me, self.peak = self, 0.0

    def on_sample(self, rtt: float) -> None:
        self.peak = max(rtt, self.me.peak + 0.01 * self.random())

    def rto(self) -> float:
        assert self.me is self
        return self.peak


def test_a_copy_has_all_of_the_state_and_refers_to_itself() -> None:
    own = parshall.own.OwnRto(Linked())
    own.run(RTTS)
    other = own.copy()
    expected = own.run(RTTS)
    np.testing.assert_array_equal(other.run(RTTS), expected)
    assert len(set(expected)) > 300


class Bounded(parshall.Queue):
    __slots__ = ("peak",)
    limit: int = 5
    before: int = field(init=False, default=0)

    def on_arrival(self, packet: parshall.own.QueuedPacket) -> int:
        return parshall.own.DROP if self.before + packet.packets >= self.limit else parshall.own.PASS


def _pickled(own: Bounded) -> Any:
    return pickle.loads(pickle.dumps(own))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, _pickled])
def test_a_part_copies_and_pickles_with_its_state(copied: Callable[[Bounded], Any]) -> None:
    own = Bounded(limit=9)
    own.before, own.peak = 2, 4.0
    made = copied(own)
    assert type(made) is Bounded
    assert made is not own
    assert (made.limit, made.before, made.peak, made.parameters()) == (9, 2, 4.0, {"limit": 9})
    assert bell("aimd", queue=made).hash == bell("aimd", queue=own).hash != bell("aimd", queue=Bounded()).hash


def test_a_part_that_is_given_to_others_is_part_of_their_code() -> None:
    def made(limit: int) -> str:
        inner = Bounded(limit=limit)

        class Around(parshall.Queue):
            def on_arrival(self, packet: parshall.own.QueuedPacket) -> int:
                return inner.on_arrival(packet)

        return bell("aimd", queue=Around()).hash

    assert made(3) == made(3) != made(4)


def test_what_cannot_be_copied_is_told_as_such() -> None:
    class Locked(Linked):
        lock: Any = field(init=False, default_factory=threading.Lock)

    with pytest.raises(PartError, match=r"^Locked\.copy: TypeError: cannot pickle"):
        parshall.own.OwnRto(Locked()).copy()


def test_ctrl_c_in_a_method_ends_what_asked_for_it() -> None:
    class Interrupted(RtoFilter):
        def on_sample(self, rtt: float) -> None:
            raise KeyboardInterrupt

        def rto(self) -> float:
            return 1.0

    with pytest.raises(KeyboardInterrupt):
        parshall.evaluate_rto(RTTS, Interrupted().with_rules())

    class Leaving(parshall.Forecaster):
        def update(self, x: float) -> None:
            raise SystemExit(3)

        def forecast(self) -> float | None:
            return None

    with pytest.raises(SystemExit):
        parshall.forecast.Forecaster(Leaving()).update(1.0)


def with_rto(scenario: Any, rto: Any) -> Any:
    """Returns the network with another filter, which the minimum does not hide."""
    return scenario.with_(
        {
            "flows[*].transport.rto": rto,
            "flows[*].transport.min_rto": "10 ms",
            "record.rtt": ["*"],
        }
    )


def recorded(scenario: Any) -> dict[str, Any]:
    recording = parshall.run(scenario, seed=3)
    return {name: dict(recording.columns(name)) for name in ("flows", "ports", "rtt")}


@pytest.mark.parametrize("network", NETWORKS)
def test_a_filter_is_the_engines_own_in_every_form_to_the_last_bit(network: str, libraries: Path) -> None:
    module = example("jacobson")
    plain = NETWORKS[network]("aimd")
    theirs = recorded(with_rto(plain, "jacobson"))
    assert sum(theirs["flows"]["timeouts"]) > 0 or network != "full queue"
    for own in (
        module.Jacobson(),
        module.CompiledJacobson(),
        SharedRtoFilter(libraries / "jacobson.so"),
        SharedRtoFilter(libraries / "libjacobson.so"),
    ):
        ours = recorded(with_rto(plain, own))
        for table, columns in theirs.items():
            for name, values in columns.items():
                np.testing.assert_array_equal(ours[table][name], values, err_msg=f"{own} {table}.{name}")


def test_a_filter_is_judged_on_a_series_like_the_librarys(libraries: Path) -> None:
    module = example("jacobson")
    theirs = parshall.evaluate_rto(RTTS, parshall.JacobsonRto())
    strict = parshall.evaluate_rto(RTTS, parshall.JacobsonRto(min_rto=0.0, granularity=0.01))
    for own in (module.Jacobson(), module.CompiledJacobson(), SharedRtoFilter(libraries / "jacobson.so")):
        assert parshall.evaluate_rto(RTTS, own) == theirs
        assert parshall.evaluate_rto(RTTS, own.with_rules(min_rto=0.0, granularity=0.01)) == strict
    compared = parshall.rto.compare(
        RTTS, filters={"mine": module.Jacobson(), "fast": module.Jacobson(gain=0.5)}
    )
    assert compared.rows["mine"] == compared.rows["jacobson"] != compared.rows["fast"]


@pytest.mark.parametrize("compiled", [False, True])
def test_an_estimator_of_ones_own_copies_and_begins_anew(compiled: bool) -> None:
    module = example("jacobson")
    own = (module.CompiledJacobson if compiled else module.Jacobson)().with_rules(min_rto=0.0)
    theirs = parshall.JacobsonRto(min_rto=0.0)
    np.testing.assert_array_equal(own.run(RTTS[:50]), theirs.run(RTTS[:50]))
    copied, fresh = own.copy(), own.clone()
    np.testing.assert_array_equal(copied.run(RTTS), theirs.copy().run(RTTS))
    assert (own.rto, own.srtt, own.rttvar) == (theirs.rto, theirs.srtt, theirs.rttvar)
    np.testing.assert_array_equal(fresh.run(RTTS), theirs.clone().run(RTTS))
    assert own.on_timeout() == theirs.on_timeout()


def test_a_forecaster_is_the_librarys_wherever_one_stands(libraries: Path) -> None:
    module = example("ewma")
    forecasting = parshall.forecast
    theirs = forecasting.Ewma(gain=0.25)
    forms = [
        module.Ewma(gain=0.25),
        module.CompiledEwma(gain=0.25),
        SharedForecaster(libraries / "ewma.so", gain=0.25),
    ]
    expected = forecasting.Forecaster(theirs, coverage=0.8)
    intervals = expected.run_intervals(RTTS)
    judged = forecasting.evaluate(RTTS, [theirs], horizons=(1, 3)).scores
    controls = {
        "CA-ARTT": lambda f: parshall.ArimaVegas(forecaster=f),
        "TCP-TP": lambda f: parshall.TcpTp(forecaster=f),
        "DUAL": lambda f: parshall.Dual(forecaster=f),
    }
    known = {name: tables(bell(make(theirs))) for name, make in controls.items()}
    timeouts = recorded(with_rto(bell("aimd"), parshall.ArimaRtoConfig(forecaster=theirs)))
    estimated = parshall.ArimaRto(theirs).run(RTTS)
    for own in forms:
        ran = forecasting.Forecaster(own, coverage=0.8)
        assert ran.forecast() is None
        for ours, column in zip(ran.run_intervals(RTTS), intervals, strict=True):
            np.testing.assert_array_equal(ours, column)
        assert ran.forecast(5) == expected.forecast(5)
        scores = forecasting.evaluate(RTTS, {"EWMA 1/4": own}, horizons=(1, 3)).scores
        assert list(scores) == list(judged)
        for name, make in controls.items():
            assert_equal(tables(bell(make(own))), known[name])
        ours = recorded(with_rto(bell("aimd"), parshall.ArimaRtoConfig(forecaster=own)))
        np.testing.assert_array_equal(ours["rtt"]["rto"], timeouts["rtt"]["rto"])
        np.testing.assert_array_equal(parshall.ArimaRto(own).run(RTTS), estimated)


class Faulty(RtoFilter):
    answer: str = "nan"
    late: float = 1.0
    count: int = field(init=False, default=0)

    def on_sample(self, rtt: float) -> None:
        self.count += 1
        self.srtt = -1.0 if self.answer == "srtt" else rtt
        if self.answer == "raises" and self.count > 3:
            raise ZeroDivisionError("nothing left")

    def rto(self) -> Any:
        wrong = {"nan": float("nan"), "negative": -1.0, "text": "soon", "true": True}
        return wrong.get(self.answer, 1.0)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            "nan",
            r"Faulty\.rto, flow f1, 0\.\d+ s: it is NaN, expected seconds, a finite number of at least 0",
        ),
        ("negative", r"Faulty\.rto, flow f1, 0\.\d+ s: it is -1, expected seconds"),
        ("text", r"Faulty\.rto, flow f1, 0\.\d+ s: returned 'soon', expected the timeout, in seconds"),
        ("true", r"Faulty\.rto, flow f1, 0\.\d+ s: returned True, expected the timeout, in seconds"),
        (
            "srtt",
            r"Faulty\.rto, flow f1, 0\.\d+ s: srtt is -1, expected seconds, at least 0, or NaN for none",
        ),
        (
            "raises",
            r"Faulty\.on_sample, flow f1, 0\.\d+ s: ZeroDivisionError: nothing left "
            r"\(test_own_parts\.py, line \d+\)",
        ),
    ],
)
def test_what_is_no_timeout_ends_a_run_in_one_line(answer: str, told: str) -> None:
    with pytest.raises(RunError, match=told):
        parshall.run(with_rto(bell("aimd"), Faulty(answer=answer)), seed=1)
    outside = told.replace(r", flow f1, 0\.\d+ s", "")
    with pytest.raises(PartError, match=outside):
        parshall.evaluate_rto(RTTS, Faulty(answer=answer))


def test_a_filter_that_does_not_return_is_given_up() -> None:
    class Endless(RtoFilter):
        time_limit = 0.3

        def on_sample(self, rtt: float) -> None:
            while rtt:
                pass

        def rto(self) -> float:
            return 1.0

    with pytest.raises(RunError, match=r"Endless\.on_sample, flow f\d, 0\.\d+ s: DoesNotReturn"):
        parshall.run(with_rto(bell("aimd"), Endless()), seed=1)


def test_random_numbers_are_those_of_the_run() -> None:
    class Dithered(RtoFilter):
        def on_sample(self, rtt: float) -> None:
            self.srtt = rtt

        def rto(self) -> float:
            return self.srtt * (2.0 + self.random())

    scenario = with_rto(bell("aimd"), Dithered())
    rtos = [parshall.run(scenario, seed=seed).columns("rtt")["rto"] for seed in (1, 1, 2)]
    assert list(rtos[0]) == list(rtos[1])
    assert list(rtos[0][:5]) != list(rtos[2][:5])


def test_errors_name_what_to_write() -> None:
    module = example("jacobson")
    with pytest.raises(InputError, match="got the class Jacobson, expected one of it"):
        parshall.Tcp(rto=module.Jacobson)
    silent = type("Silent", (RtoFilter,), {})()
    expected = r"Silent\.rto: got nothing, expected a method: the timeout before any rule"
    with pytest.raises(InputError, match=expected):
        parshall.Tcp(rto=silent)
    with pytest.raises(InputError, match="a method that nobody calls, expected on_sample"):
        type("Typo", (RtoFilter,), {"on_smaple": lambda self, rtt: None})
    with pytest.raises(InputError, match="expected an estimator such as MedianRto"):
        parshall.evaluate_rto(RTTS, example("ewma").Ewma())
    with pytest.raises(InputError, match="got the class Ewma, expected one of it"):
        parshall.forecast.Forecaster(example("ewma").Ewma)
    with pytest.raises(InputError, match="rto"):
        parshall.Tcp(rto=example("ewma").Ewma())


@pytest.mark.parametrize(
    ("base", "name", "told"),
    [
        (parshall.Control, "cwnd", "the engine sets this one"),
        (RtoFilter, "srtt", "the engine sets this one"),
        (parshall.Source, "wake_in", "the engine sets this one"),
        (parshall.Queue, "into", "the engine sets this one"),
        (parshall.Queue, "on_idle", "this one is that of a method"),
        (parshall.Marker, "parameters", "this one is that of a method"),
    ],
)
@pytest.mark.parametrize("value", [1.0, field(init=False, default=0.0)])
def test_a_field_cannot_hide_what_the_engine_sets_or_calls(
    base: type, name: str, told: str, value: Any
) -> None:
    with pytest.raises(InputError, match=rf"^Hides\.{name}: got a field, expected another name: {told}$"):
        type("Hides", (base,), {name: value, "__annotations__": {name: float}})


class Stranger:
    """Derived from nothing of Parshall."""


@pytest.mark.parametrize(
    ("base", "give"),
    [
        ("Control", lambda own: parshall.Tcp(control=own)),
        ("RtoFilter", lambda own: parshall.Tcp(rto=own)),
        ("RtoFilter", lambda own: parshall.evaluate_rto([0.1] * 9, own)),
        ("Forecaster", lambda own: parshall.ArimaVegas(forecaster=own)),
        ("Forecaster", parshall.forecast.Forecaster),
        ("Forecaster", lambda own: parshall.forecast.evaluate([0.1] * 11, [own])),
        ("Source", lambda own: parshall.FlowGroup(name="f", transport="tcp", app=own)),
        ("Queue", lambda own: parshall.Link(between=("a", "b"), rate=1e6, delay=0, queue=own)),
        ("Marker", lambda own: parshall.Rule(flows="*", meter=own, if_green="AF11")),
    ],
)
def test_an_object_of_another_class_is_told_what_to_derive_from(
    base: str, give: Callable[[Any], Any]
) -> None:
    with pytest.raises(InputError, match=rf"Stranger object at .*derived from parshall\.{base}$"):
        give(Stranger())
