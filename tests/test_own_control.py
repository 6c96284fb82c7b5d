"""Controls that users write: they do what the engine's own do, and what is wrong with them is told in one
line.
"""

from __future__ import annotations

import importlib.util
import math
import shutil
import subprocess
import sys
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import Control, Dumbbell, FlowGroup, SharedControl, Tcp
from parshall.control import Report, cbrt, header
from parshall.control.identity import code_hash
from parshall.errors import InputError, RunError, ScenarioError

EXAMPLES = Path(__file__).parents[1] / "examples" / "controls"
FORMS = ["python", "numba", "c", "rust"]


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shared libraries of the examples, built as their first lines say."""
    folder = tmp_path_factory.mktemp("libraries")
    include = str(header.INSTALLED)
    for name in ("aimd", "vegas", "cubic"):
        build = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-ffp-contract=off"]
        source, made = str(EXAMPLES / f"{name}.c"), str(folder / f"{name}.so")
        subprocess.run([*build, "-I", include, source, "-o", made], check=True)
    shutil.copy(EXAMPLES / "aimd.rs", folder)
    shutil.copy(header.INSTALLED / "parshall_control.rs", folder)
    build = ["rustc", "-O", "--edition", "2021", "--crate-type", "cdylib", "-D", "warnings"]
    subprocess.run([*build, "aimd.rs", "-o", "libaimd.so"], check=True, cwd=folder)
    return folder


def bell(control: Any, **options: Any) -> Dumbbell:
    values: dict[str, Any] = {
        "duration": "8 s",
        "rate": "4 Mbit/s",
        "delay": "20 ms",
        "access_rate": "50 Mbit/s",
        "access_delay": "2 ms",
        "queue": parshall.DropTail(limit_packets=15),
        "flows": [
            FlowGroup(name="f", count=2, transport=Tcp(recovery="sack", control=control), app=parshall.Bulk())
        ],
    }
    return Dumbbell(**{**values, **options})


def group(control: Any, app: Any = None, **options: Any) -> list[FlowGroup]:
    tcp = Tcp(**{"recovery": "sack", **options}, control=control)
    return [FlowGroup(name="f", count=3, transport=tcp, app=app or parshall.Bulk(), start_spread="0.5 s")]


NETWORKS: dict[str, Any] = {
    "full queue": lambda control: bell(control, flows=group(control)),
    "random loss, Tahoe": lambda control: bell(
        control, loss=parshall.BernoulliLoss(probability=0.01), flows=group(control, recovery="tahoe")
    ),
    "marks, delayed ACKs, NewReno": lambda control: bell(
        control,
        queue=parshall.CoDel(limit_packets=60, ecn=True),
        flows=group(control, recovery="newreno", ecn=True, delayed_ack=True),
    ),
    "paced, with pauses, as in ns-2": lambda control: bell(
        control,
        flows=group(
            control,
            app=parshall.OnOff(law="exponential", rate="3 Mbit/s", on="0.5 s", off="0.5 s"),
            profile="ns2",
            recovery="reno",
            pacing=True,
        ),
    ),
}
"""Each makes losses; what repairs them and what is told of them differs."""


def tables(scenario: Dumbbell, seed: int = 3) -> dict[str, dict[str, Any]]:
    recording = parshall.run(scenario.replace("record", parshall.Record(window=["f1"], rtt=["f2"])), seed)
    return {name: dict(recording.columns(name)) for name in ("flows", "ports", "window", "rtt")}


def assert_equal(ours: dict[str, dict[str, Any]], theirs: dict[str, dict[str, Any]]) -> None:
    for name, columns in theirs.items():
        for column, values in columns.items():
            np.testing.assert_array_equal(ours[name][column], values, err_msg=f"{name}.{column}")


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
    theirs = tables(scenario(name))
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


class Script(Control):
    """Does one wrong thing after two seconds."""

    what: str = "nothing"
    time_limit = 1.0

    def on_ack(self, ack: parshall.control.Ack) -> None:  # noqa: PLR0912 - one branch for each mistake
        if ack.now < 2:
            return
        match self.what:
            case "nan":
                self.cwnd = math.nan
            case "negative":
                self.cwnd = -1.0
            case "huge":
                self.cwnd = 1e12
            case "silent":
                self.cwnd = 0.2
            case "rate":
                self.pacing_rate = -5.0
            case "nan rate":
                self.pacing_rate = math.nan
            case "stopped":
                self.pacing_rate = 1e-9
            case "past":
                self.wake_at = ack.now - 1
            case "ssthresh":
                self.ssthresh = math.nan
            case "raises":
                raise ValueError("this is\nwrong")
            case "for ever":
                while True:
                    pass

    def on_loss(self, loss: parshall.control.Loss) -> Any:
        return {"none": None, "text": "half", "below": -3.0}.get(self.what, loss.in_use / 2)


PLACE = r"Script\.on_ack, flow f\d, 2\.\d+ s: "


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("nan", PLACE + r"cwnd is NaN, expected 1 to 16777216 packets"),
        ("negative", PLACE + r"cwnd is -1, expected"),
        ("huge", PLACE + r"cwnd is 1000000000000, expected"),
        ("silent", PLACE + r"cwnd is 0\.2, expected"),
        ("rate", PLACE + r"pacing_rate is -5, expected"),
        ("nan rate", PLACE + r"pacing_rate is NaN, expected"),
        ("stopped", PLACE + r"pacing_rate is 0\.000000001, expected a packet an hour"),
        ("past", PLACE + r"wake_at is \d\.\d+, expected a time to come"),
        ("ssthresh", PLACE + r"ssthresh is NaN, expected 0 packets or more"),
        ("raises", PLACE + r"ValueError: this is wrong \(test_own_control\.py, line \d+\)"),
        ("for ever", PLACE + r"DoesNotReturn \(test_own_control\.py, line \d+\)"),
        (
            "none",
            r"Script\.on_loss, flow f\d, \d\.\d+ s: returned None, expected the window after it, in packets",
        ),
        ("text", r"Script\.on_loss, .*: returned 'half', expected the window"),
        ("below", r"Script\.on_loss, .*: window after it is -3, expected 0 to 16777216 packets"),
    ],
)
def test_what_a_control_does_wrong_is_one_line(what: str, message: str) -> None:
    with pytest.raises(RunError, match=message) as caught:
        parshall.run(bell(Script(what=what), queue=parshall.DropTail(limit_packets=5)))
    assert "\n" not in str(caught.value)
    if what in ("raises", "for ever"):
        assert caught.value.__cause__ is not None
        assert caught.value.__cause__.__traceback__ is not None


class NativeScript(Control):
    """The same, compiled."""

    what: int = 0
    time_limit = 1.0

    def on_ack(self, ack: parshall.control.Ack) -> None:
        if ack.now > 2 and self.what == 1:
            raise ValueError("no")
        while ack.now > 2 and self.what == 2:
            self.cwnd = 7.0
        if ack.now > 2 and self.what == 3:
            self.cwnd = math.nan


NativeScript = parshall.native(NativeScript)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("what", "message"), [(1, "raised an exception"), (2, "does not return for 1 s"), (3, "cwnd is NaN")]
)
def test_what_a_compiled_control_does_wrong_is_one_line(what: int, message: str) -> None:
    with pytest.raises(RunError, match=rf"NativeScript\.on_ack, flow f\d, 2\.\d+ s: {message}"):
        parshall.run(bell(NativeScript(what=what)))


@pytest.mark.parametrize("hangs", [Script(what="for ever"), NativeScript(what=2)])
def test_a_run_that_fails_leaves_the_others_alone(hangs: Control) -> None:
    variants = {"good": bell("aimd"), "bad": bell(hangs), "other": bell(example("aimd").Aimd())}
    ensemble = parshall.run_many(variants, [1, 2, 3], cache=None, jobs=2)
    assert [(each.variant, each.seed) for each in ensemble.failures] == [("bad", 1), ("bad", 2), ("bad", 3)]
    flows = ensemble.table("flows").to_pandas()
    good = flows[flows.variant == "good"].drop(columns="variant").reset_index(drop=True)
    assert good.equals(flows[flows.variant == "other"].drop(columns="variant").reset_index(drop=True))


def test_equal_code_and_seed_give_equal_bits_on_any_number_of_threads() -> None:
    module = example("cubic")
    for control in (module.Cubic(), module.CompiledCubic()):
        one, two = (
            parshall.run_many({"a": bell(control)}, range(1, 9), cache=None, jobs=jobs).table("flows")
            for jobs in (1, 2)
        )
        assert one.to_pandas().equals(two.to_pandas())


def test_a_rate_is_kept_and_a_timer_comes_when_it_was_asked_for() -> None:
    woken: list[float] = []

    class Timed(Control):
        rate: float = 100.0

        def on_start(self) -> None:
            self.cwnd = 1000.0
            self.pacing_rate = self.rate
            self.wake_at = 0.5

        def on_timer(self, moment: parshall.control.Moment) -> None:
            assert math.isinf(self.wake_at)
            woken.append(moment.now)
            self.wake_at = moment.now + 0.25
            self.pacing_rate *= 2 if moment.now == 4.0 else 1

    tcp = Tcp(recovery="sack", control=Timed(rate=50.0))
    flows = [FlowGroup(name="f", count=1, transport=tcp, app=parshall.Bulk())]
    recording = parshall.run(bell("aimd", flows=flows))
    assert woken == [0.5 + 0.25 * i for i in range(30)]
    sent = recording.flow("f1").packets_sent
    assert abs(sent - (4 * 50 + 4 * 100)) <= 2


def test_a_report_gathers_what_every_ack_tells() -> None:
    told: list[Any] = []
    gathered: list[tuple[float, ...]] = []

    class Each(Control):
        def on_ack(self, ack: parshall.control.Ack) -> None:
            told.append(ack)

    class Gathers(Control):
        report = Report(
            "rtt",
            low="min rtt",
            high="max rtt",
            mean="mean rtt",
            acked="sum acked",
            seq="last high_ack",
            first="first now",
        )

        def on_report(self, report: Any) -> None:
            gathered.append(report)

    parshall.run(bell("aimd", flows=one(Each())))
    parshall.run(bell("aimd", flows=one(Gathers())))
    assert len({id(ack) for ack in told}) == len(told)  # an ACK that is kept stays as it is
    place = 0
    for report in gathered:
        acks = told[place : place + int(report.acks)]
        place += len(acks)
        rtts = [ack.rtt for ack in acks]
        assert (report.low, report.high, report.first) == (min(rtts), max(rtts), acks[0].now)
        assert report.mean == pytest.approx(sum(rtts) / len(rtts), rel=1e-12)
        assert (report.acked, report.seq, report.now) == (
            sum(ack.acked for ack in acks),
            acks[-1].high_ack,
            acks[-1].now,
        )
        assert report.lost == 0
    assert 20 < len(gathered) < len(told) / 4


def one(control: Any) -> list[FlowGroup]:
    return [
        FlowGroup(name="f", count=1, transport=Tcp(recovery="sack", control=control), app=parshall.Bulk())
    ]


def test_reports_come_after_a_time_and_at_losses() -> None:
    seen: list[Any] = []

    class Timed(Control):
        report = Report("100 ms", at_losses=True, acks_so_far="last delivered")

        def on_report(self, report: Any) -> None:
            seen.append(report)
            if not report.lost:
                self.cwnd += 1.0

    recording = parshall.run(bell("aimd", flows=one(Timed())))
    lost = sum(report.lost for report in seen)
    assert lost == recording.flow("f1").fast_retransmits + recording.flow("f1").timeouts > 0
    regular = [report.now for report in seen if not report.lost]
    assert 60 <= len(regular) <= 80
    assert np.diff(regular).min() >= 0.1


def test_a_compiled_report_is_the_same() -> None:
    module = example("rate")
    assert_equal(tables(bell(module.CompiledProbe())), tables(bell(module.Probe())))


def test_the_rate_based_example_fills_the_link_without_filling_the_queue() -> None:
    queue = parshall.DropTail(limit_packets=200)
    recording = parshall.run(
        bell("aimd", duration="30 s", queue=queue, flows=one(example("rate").Probe()), warm_up="5 s")
    )
    assert recording.flow("f1").goodput > 0.9 * 4e6 * 1000 / 1040


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
        lambda: parshall.Ewma(0.2),
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
    assert len(set(plain["window"]["cwnd"])) > 10
    assert_equal(tables(bell(parshall.native(Compiled)())), plain)


def test_an_estimator_that_all_flows_would_share_is_refused() -> None:
    with pytest.raises(InputError, match=r"Shared\.rtt: got Ewma\(gain=0\.5\), expected field\(init=False"):
        type("Shared", (Control,), {"rtt": parshall.Ewma(0.5), "__annotations__": {"rtt": Any}})


def test_estimators_are_lent_to_libraries(tmp_path: Path) -> None:
    text = """
#include "parshall_control.h"
typedef struct { parshall_window window; void *median; } state;
static int32_t on_start(void *flow) {
    state *own = flow;
    const parshall_host *host = own->window.host;
    own->median = host->estimator(own->window.flow, "median", 9);
    if (host->estimator(own->window.flow, "mean", 9)) return 1;
    if (host->estimator(own->window.flow, "ewma", 2)) return 1;
    return own->median ? 0 : 2;
}
static int32_t on_ack(void *flow, const parshall_ack *ack) {
    state *own = flow;
    const parshall_host *host = own->window.host;
    double median = host->update(own->median, ack->rtt);
    own->window.cwnd = median > 0.06 && host->value(own->median) == median ? 12.0 : 20.0;
    return 0;
}
static const parshall_control_table table = {
    .version = PARSHALL_CONTROL_VERSION, .name = "smoothed", .state_size = sizeof(state),
    .on_start = on_start, .on_ack = on_ack,
};
const parshall_control_table *parshall_control(void) { return &table; }
"""

    class Smoothed(Control):
        rtt: Any = field(init=False, default_factory=lambda: parshall.SlidingMedian(9))

        def on_ack(self, ack: parshall.control.Ack) -> None:
            self.cwnd = 12.0 if self.rtt.update(ack.rtt) > 0.06 else 20.0

    assert_equal(tables(bell(SharedControl(build(tmp_path, "smoothed", text)))), tables(bell(Smoothed())))


def make(limit: float) -> type[Control]:
    class Limited(Control):
        gain: float = 1.0

        def on_ack(self, ack: parshall.control.Ack) -> None:
            self.cwnd = min(self.cwnd + self.gain, limit)

    return Limited


def test_identity_is_the_code_and_what_it_refers_to() -> None:
    def hash_of(control: Control) -> str:
        return bell(control).scenario().hash

    limited, same, other = make(20), make(20), make(21)
    assert hash_of(limited()) == hash_of(same()) == hash_of(limited(gain=1.0)) == hash_of(limited(1.0))
    assert len({hash_of(each) for each in (limited(), other(), limited(gain=2.0), Script())}) == 4
    assert code_hash(limited, Control) != code_hash(parshall.native(make(22)), Control)


def test_identity_follows_what_other_functions_and_variables_are(tmp_path: Path) -> None:
    texts = {
        "a": "LIMIT = 20\ndef helper(x):\n    return min(x, LIMIT)\n",
        "b": "LIMIT = 21\ndef helper(x):\n    return min(x, LIMIT)\n",
        "c": "LIMIT = 20\ndef helper(x):\n    return max(x, LIMIT)\n",
        "d": "LIMIT = 20\nUNUSED = 4\ndef helper(x):\n    return min(x, LIMIT)\n",
    }
    body = """
class Own(Control):
    def on_ack(self, ack):
        self.cwnd = [helper(x) for x in (5.0,)][0]
"""
    codes = {}
    for name, text in texts.items():
        (tmp_path / f"own_{name}.py").write_text(f"from parshall import Control\n{text}{body}")
        spec = importlib.util.spec_from_file_location(f"own_{name}", tmp_path / f"own_{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        codes[name] = code_hash(module.Own, Control)
    assert codes["a"] == codes["d"]
    assert len(set(codes.values())) == 3


def test_runs_with_own_code_are_cached(tmp_path: Path) -> None:
    from parshall.cache import Cache

    store = Cache(tmp_path)
    first = parshall.run_many({"a": bell(make(20)())}, [1, 2], cache=store)
    second = parshall.run_many({"a": bell(make(20)())}, [1, 2], cache=store)
    third = parshall.run_many({"a": bell(make(19)())}, [1, 2], cache=store)
    assert (first.executed, second.executed, third.executed) == (2, 0, 2)
    assert first.to_pandas().equals(second.to_pandas())


def test_a_file_names_what_it_needs_to_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
from parshall import Control
class Own(Control):
    size: float = 9.0
    def on_ack(self, ack):
        self.cwnd = self.size
"""
    (tmp_path / "own_module_for_files.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    import own_module_for_files as module  # type: ignore[import-not-found]

    scenario = bell(module.Own(size=11)).scenario()
    toml = scenario.to_toml()
    assert 'source = "own_module_for_files:Own"' in toml
    assert '"size" = 11' in toml
    again = parshall.loads(toml)
    assert again.hash == scenario.hash
    assert parshall.run(again).flow("f1").goodput == parshall.run(scenario).flow("f1").goodput

    other = toml.replace(scenario.flows[0].transport.control.code, "0" * 64)  # type: ignore[union-attr]
    with pytest.raises(
        ScenarioError,
        match=r"own_module_for_files:Own with other code, [0-9a-f]{12}, expected the code that was",
    ):
        parshall.loads(other)
    with pytest.raises(
        ScenarioError, match=r"control: got \"nowhere:Own\", expected a class of your own, code [0-9a-f]{12}"
    ):
        parshall.loads(
            toml.replace("own_module_for_files", "nowhere").replace(
                scenario.flows[0].transport.control.code, "1" * 64
            )
        )  # type: ignore[union-attr]


def test_parameters_are_swept_by_their_path() -> None:
    scenario = bell(make(30)(gain=1.0)).scenario()
    changed = scenario.replace("flows[*].transport.control.gain", 0.25)
    assert changed.hash == bell(make(30)(gain=0.25)).scenario().hash
    assert parshall.run(changed).flow("f1").packets_sent != parshall.run(scenario).flow("f1").packets_sent
    with pytest.raises(ScenarioError, match="parameters of Limited"):
        scenario.replace("flows[*].transport.control.gian", 1).check()


@pytest.mark.parametrize("value", [object(), math.nan, {"a": 1}])
def test_a_parameter_that_no_file_can_hold_is_refused(value: Any) -> None:
    with pytest.raises(
        InputError, match=r"gain: got .*, expected a finite number, true or false, text, or a list"
    ):
        bell(make(20)(gain=value))


def test_a_class_in_place_of_an_instance_is_refused() -> None:
    with pytest.raises(InputError, match="expected"):
        bell(make(20))


def test_the_headers_are_those_of_the_engine() -> None:
    assert (header.INSTALLED / "parshall_control.h").read_text() == header.c_header()
    assert (header.INSTALLED / "parshall_control.rs").read_text() == header.rust_header()


def build(folder: Path, name: str, text: str) -> Path:
    (folder / f"{name}.c").write_text(text)
    made = folder / f"{name}.so"
    command = [
        "cc",
        "-fPIC",
        "-shared",
        "-I",
        str(header.INSTALLED),
        str(folder / f"{name}.c"),
        "-o",
        str(made),
    ]
    subprocess.run(command, check=True)
    return made


def test_libraries_that_cannot_be_used_are_refused(tmp_path: Path, libraries: Path) -> None:
    start = '#include "parshall_control.h"\n'
    table = """
static const parshall_control_table t = {%s};
const parshall_control_table *parshall_control(void) { return &t; }
"""
    cases = {
        "nothing": ("int x;\n", r"parshall_control\(\)"),
        "null": (
            start + "const parshall_control_table *parshall_control(void) { return NULL; }\n",
            "not NULL",
        ),
        "newer": (
            start + table % '.version = 77, .name = "n", .state_size = 100',
            "interface 77, expected interface 1",
        ),
        "small": (start + table % '.version = 1, .name = "n", .state_size = 8', "a state of 8 bytes"),
        "nameless": (start + table % ".version = 1, .state_size = 100", "a name"),
    }
    for name, (text, message) in cases.items():
        with pytest.raises(InputError, match=message):
            SharedControl(build(tmp_path, name, text))
    with pytest.raises(InputError, match=r"No such file"):
        SharedControl(tmp_path / "absent.so")
    with pytest.raises(
        InputError, match=r"control\.speed: got 3, expected a parameter of .*: increase, left"
    ):
        SharedControl(libraries / "aimd.so", speed=3)
    with pytest.raises(InputError, match=r"control\.left: got \"half\", expected a number"):
        SharedControl(libraries / "aimd.so", left="half")  # type: ignore[arg-type]


def test_a_library_that_was_changed_is_not_run(tmp_path: Path, libraries: Path) -> None:
    path = tmp_path / "control.so"
    shutil.copy(libraries / "aimd.so", path)
    scenario = bell(SharedControl(path)).scenario()
    path.unlink()
    shutil.copy(libraries / "cubic.so", path)
    with pytest.raises(ScenarioError, match="with other content"):
        parshall.run(scenario)


def test_what_numba_cannot_compile_is_told() -> None:
    class Odd(Control):
        def on_ack(self, ack: parshall.control.Ack) -> None:
            self.cwnd = input("file")

    class Texts(Control):
        name: str = "a"

    parshall.native(Odd)
    parshall.native(Texts)
    with pytest.raises(
        ScenarioError,
        match=r"Odd\.on_ack: got what Numba cannot compile, .*input.* \(test_own_control\.py, line \d+\)",
    ):
        parshall.run(bell(Odd()))
    with pytest.raises(ScenarioError, match=r'Texts\.name: got "a", expected a number, a flag, or an array'):
        parshall.run(bell(Texts()))


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"every": "sometimes"}, "sometimes"),
        ({"every": 0}, "0"),
        ({"low": "least rtt"}, r"low: got \"least rtt\", expected sum, min"),
        ({"low": "min speed"}, r"low: got \"min speed\""),
        ({"now": "last now"}, "now: got the name of a value, expected another name"),
    ],
)
def test_a_report_of_what_is_not_there_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Report(**arguments)


SCRIPT = """
import sys, time
import parshall
from parshall import Control, Dumbbell, FlowGroup, Tcp

def hang():
    print("hangs", flush=True)
    while True: pass

class Own(Control):
    hangs: bool = False
    def on_ack(self, ack):
        if self.hangs and ack.now > 1: hang()
        self.cwnd = 12.0
{decorate}

def bell(control):
    tcp = Tcp(recovery="sack", control=control)
    flows = [FlowGroup(name="f", count=2, transport=tcp, app=parshall.Bulk())]
    network = dict(rate="4 Mbit/s", delay="20 ms", access_rate="50 Mbit/s", access_delay="2 ms")
    return Dumbbell(duration="8 s", **network,
        queue=parshall.DropTail(limit_packets=15), flows=flows)

if __name__ == "__main__":
{main}
"""


def script(tmp_path: Path, main: str, decorate: str = "") -> Path:
    path = tmp_path / "script.py"
    indented = "\n".join(f"    {line}" for line in main.splitlines())
    path.write_text(SCRIPT.format(main=indented, decorate=decorate))
    return path


@pytest.mark.parametrize(
    "main",
    [
        "parshall.run(bell(Own(hangs=True)))",
        "parshall.run_many({'a': bell(Own(hangs=True))}, [1], cache=None)",
    ],
)
def test_ctrl_c_ends_a_control_that_does_not_return(tmp_path: Path, main: str) -> None:
    import signal
    import time

    process = subprocess.Popen(
        [sys.executable, str(script(tmp_path, main))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "hangs\n"
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert process.returncode != 0
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    "decorate", ["", "import numba; hang = numba.njit(lambda: None); Own = parshall.native(Own)"]
)
def test_own_code_travels_to_other_processes(tmp_path: Path, decorate: str) -> None:
    main = """
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from parshall.sweep import Sweep
sweep = Sweep(bell(Own()).scenario(), {"links[0].delay": ["1 ms", "9 ms"]}, seeds=range(2))
here = sweep.run(cache=None).to_pandas("flows")
with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
    assert here.equals(sweep.run(executor=pool, cache=None).to_pandas("flows"))
assert here.equals(sweep.run(executor="dask", cache=None).to_pandas("flows"))
print(len(here))
"""
    done = subprocess.run(
        [sys.executable, str(script(tmp_path, main, decorate))],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "8\n"), done.stderr


def test_the_guide_runs() -> None:
    page = (Path(__file__).parents[1] / "docs" / "guide" / "own-control.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in page.split("```python\n")[1:]]
    assert len(blocks) == 3
    names: dict[str, Any] = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, "docs/guide/own-control.md", "exec", dont_inherit=True), names)
    assert names["recording"].flow("f1").goodput > 9e6
    assert names["recording"].port("bottleneck").mean_delay < 0.03


def test_the_example_draws_its_figure(tmp_path: Path) -> None:
    target = tmp_path / "own.svg"
    script = EXAMPLES.parent / "own_control.py"
    subprocess.run([sys.executable, str(script), str(target)], check=True)
    shown = Path(__file__).parents[1] / "docs" / "figures" / "own-control.svg"
    assert target.read_text().count("<path") == shown.read_text().count("<path")
