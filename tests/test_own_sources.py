"""Sources of one's own do what native applications do, in every form, bit for bit; faults are one line."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.own_controls import NETWORKS, bell
from tests.test_own_parts import example

import parshall
from parshall import SharedSource, Source
from parshall.cli.main import main
from parshall.errors import InputError, RunError
from parshall.own import Done, header

EXAMPLES = Path(__file__).parents[1] / "examples" / "parts"
UDP = parshall.Udp(payload_bytes=1000, header_bytes=28)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sources") / "on_off.so"
    flags = ["-O2", "-fPIC", "-shared", "-ffp-contract=off", "-Wall", "-Werror", f"-I{header.INSTALLED}"]
    subprocess.run(["cc", *flags, str(EXAMPLES / "on_off.c"), "-o", str(file)], check=True)
    return file


def recorded(scenario: Any, seed: int = 3) -> dict[str, Any]:
    watched = scenario.with_(record=parshall.Record(transfers="*", rtt="*", deliveries="*"))
    recording = parshall.run(watched, seed=seed)
    return {
        f"{table}.{name}": values
        for table in ("flows", "ports", "transfers", "rtt", "packets")
        for name, values in recording.columns(table).items()
    }


def assert_same(ours: dict[str, Any], theirs: dict[str, Any], what: object) -> None:
    assert ours.keys() == theirs.keys()
    for name, values in theirs.items():
        np.testing.assert_array_equal(ours[name], values, err_msg=f"{what} {name}")


def bursts(app: Any, transport: Any, **options: Any) -> Any:
    return bell(
        "aimd", flows=[parshall.FlowGroup(name="f", count=2, transport=transport, app=app)], **options
    )


class Thinking(Source):
    """A native ``TransferSequence``, its times to think uniform."""

    length: int = 30
    low: float = 0.0
    high: float = 0.4
    renew: bool = False
    most: int = 1000

    def on_time(self, now: float) -> None:
        self.write(self.length, self.renew)

    def on_done(self, done: Done) -> None:
        if done.number + 1 < self.most:
            self.wake_in = self.low + (self.high - self.low) * self.random()


class Asking(Thinking):
    requests = True


@parshall.native
class CompiledThinking(Thinking):
    pass


@parshall.native
class CompiledAsking(Asking):
    pass


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("renew", [False, True])
def test_a_source_is_the_native_one_in_every_form_to_the_last_bit(network: str, renew: bool) -> None:
    for requests, forms in ((False, (Thinking, CompiledThinking)), (True, (Asking, CompiledAsking))):
        native = parshall.TransferSequence(
            packets=30,
            think={"kind": "uniform", "low": 0.0, "high": 0.4},
            connection="new" if renew else "persistent",
            requests=requests,
        )
        scenario = NETWORKS[network]("aimd")
        theirs = recorded(scenario.with_({"flows[*].app": native}))
        assert len(theirs["transfers.end"]) > 10
        for form in forms:
            ours = recorded(scenario.with_({"flows[*].app": form(renew=renew)}))
            assert_same(ours, theirs, form)


@pytest.mark.parametrize("transport", [parshall.Tcp(), UDP], ids=["tcp", "udp"])
def test_all_forms_of_bursts_are_one(transport: Any, library: Path) -> None:
    module = example("on_off")
    python = recorded(bursts(module.OnOff(rate=3e6), transport))
    assert python["flows.packets_offered"].min() > 500
    for own in (module.CompiledOnOff(rate=3e6), SharedSource(library, rate=3e6)):
        assert_same(recorded(bursts(own, transport)), python, own)


def test_a_constant_rate_over_udp_is_the_native_one() -> None:
    class Steady(Source):
        gap: float = 0.004

        def on_time(self, now: float) -> None:
            self.write(1)
            self.wake_in = self.gap

    for options in ({}, {"loss": parshall.BernoulliLoss(probability=0.05)}, {"rate": "1 Mbit/s"}):
        theirs = recorded(bursts(parshall.Cbr(interval="4 ms"), UDP, **options))
        assert_same(recorded(bursts(Steady(), UDP, **options)), theirs, options)


def test_a_client_thinks_between_its_pages() -> None:
    module = example("pages")
    python, compiled = (
        recorded(bursts(made(packets=12, think=0.2, renew=True), parshall.Tcp()))
        for made in (module.Pages, module.CompiledPages)
    )
    assert_same(compiled, python, "compiled")
    start, end, flow = (python[f"transfers.{name}"] for name in ("start", "end", "flow"))
    assert set(python["transfers.packets"]) == {12}
    waits = np.concatenate([start[flow == each][1:] - end[flow == each][:-1] for each in (0, 1)])
    assert waits.min() > 0
    # 30 or more exponential waits: four standard errors.
    assert abs(waits.mean() - 0.2) < 4 * 0.2 / math.sqrt(len(waits))
    assert len(waits) >= 30


def test_a_video_client_goes_by_its_throughput() -> None:
    module = example("video")

    def segments(video: Any, rate: str) -> Any:
        alone = [parshall.FlowGroup(name="video", transport=parshall.Tcp(), app=video)]
        return recorded(bell("aimd", rate=rate, delay="5 ms", flows=alone, duration="60 s"))

    sizes = {rate: 1 + int(rate * 2.0 / 8000) for rate in (0.4e6, 1.2e6, 3e6)}
    for rate, highest in (("20 Mbit/s", 3e6), ("2.5 Mbit/s", 1.2e6), ("0.8 Mbit/s", 0.4e6)):
        python = segments(module.Video(), rate)
        packets = list(python["transfers.packets"])
        assert packets[0] == sizes[0.4e6]
        assert max(packets) == sizes[highest]
        assert packets.count(sizes[highest]) > 0.8 * len(packets)
        assert_same(segments(module.CompiledVideo(), rate), python, rate)
    # The buffer is full: a segment is asked for every two seconds.
    fast = segments(module.Video(), "20 Mbit/s")["transfers.start"]
    np.testing.assert_allclose(np.diff(fast[-10:]), 2.0, atol=1e-9)


def test_a_later_start_moves_everything_and_changes_nothing() -> None:
    def moved(start: float) -> tuple[Any, ...]:
        flows = [
            parshall.FlowGroup(
                name="f", transport=parshall.Tcp(), app=Asking(length=7, high=0.3), start=start
            )
        ]
        columns = recorded(bell("aimd", flows=flows, duration=8 + start))
        times = [columns[f"transfers.{name}"] - start for name in ("start", "first_byte", "end")]
        return *(np.round(each * 1e12) for each in times), columns["transfers.packets"]

    first = moved(0.0)
    assert len(first[0]) > 10
    for start in (0.25, 2.0, 16.0):
        for ours, known in zip(moved(start), first, strict=True):
            np.testing.assert_array_equal(ours, known)


def test_random_numbers_are_those_of_the_seed() -> None:
    scenario = bursts(Thinking(), parshall.Tcp())
    first, again, other = (recorded(scenario, seed)["transfers.start"] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert list(first[:5]) != list(other[:5])


def test_its_code_is_part_of_the_scenario() -> None:
    def made(pause: float) -> Source:
        class Pausing(Source):
            def on_time(self, now: float) -> None:
                self.write(3)

            def on_done(self, done: Done) -> None:
                self.wake_in = pause

        return Pausing()

    hashes = [bursts(made(pause), parshall.Tcp()).hash for pause in (0.1, 0.1, 0.2)]
    assert hashes[0] == hashes[1] != hashes[2]
    assert bursts(Thinking(), parshall.Tcp()).hash != bursts(Asking(), parshall.Tcp()).hash
    named = bursts(Thinking(length=9), parshall.Tcp()).scenario().flows[0].app
    assert isinstance(named, parshall.UserApp)
    assert (named.form, named.values) == ("python", {"length": 9})


class Faulty(Source):
    fault: str = ""
    count: int = field(init=False, default=0)

    def on_time(self, now: float) -> None:
        self.count += 1
        self.wake_in = 0.1
        if self.count > 3:
            self.fail()

    def fail(self) -> None:
        if self.fault == "raises":
            raise ZeroDivisionError("nothing left")
        if self.fault == "twice":
            self.write(1)
            self.write(2)
        elif self.fault in ("now", "nan", "negative", "late"):
            self.wake_in = {"now": 0.0, "nan": math.nan, "negative": -0.5, "late": 1e9}[self.fault]
        elif self.fault == "fresh":
            self.write(2000)
            self.fault = "again"
        elif self.fault == "again":
            self.write(5, fresh=True)
        else:
            self.write({"less": -3, "many": 1 << 31, "half": 2.5, "text": "all"}[self.fault])  # type: ignore[arg-type]


AT = r"Faulty\.on_time, flow f\d, 0\.[34] s: "
FAULTS = {
    "raises": r"ZeroDivisionError: nothing left \(test_own_sources\.py, line \d+\)",
    "twice": r"ValueError: it writes twice in one call, .* \(test_own_sources\.py, line \d+\)",
    "now": "wake_in is less than a picosecond, expected seconds, more than 0 in on_time",
    "nan": "wake_in is NaN, expected seconds from 0 to 1e7, or infinity for no change",
    "negative": "wake_in is -0.5, expected seconds from 0 to 1e7",
    "late": "wake_in is 1000000000, expected seconds from 0 to 1e7",
    "fresh": "it writes with 1 transfers under way, expected none for a new connection, which forgets them",
    "less": "it writes -3 packets, expected 0 or more",
    "many": "it writes 2147483648 packets, expected at most 1073741824",
    "half": "TypeError: .*float",
    "text": "TypeError: .*str",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_answer_ends_a_run_in_one_line(fault: str) -> None:
    with pytest.raises(RunError, match=AT + FAULTS[fault]) as caught:
        parshall.run(bursts(Faulty(fault=fault), parshall.Tcp()), seed=1)
    assert "\n" not in str(caught.value)


def test_over_udp_the_same_is_told() -> None:
    for fault in ("raises", "now", "nan", "less"):
        with pytest.raises(RunError, match=AT + FAULTS[fault]):
            parshall.run(bursts(Faulty(fault=fault), UDP), seed=1)


@parshall.native
class FaultyCompiled(Source):
    fault: int = 0

    def on_time(self, now: float) -> None:
        if self.fault == 0:
            raise ValueError("nothing left")
        if self.fault == 1:
            self.wake_in = math.nan
        else:
            self.write(-1)


def test_compiled_sources_are_told_of_as_well() -> None:
    raised = "raised an exception; without @parshall.native it is told in full"
    for fault, told in enumerate((raised, "wake_in is NaN, expected seconds", "it writes -1 packets")):
        with pytest.raises(RunError, match=rf"FaultyCompiled\.on_time, flow f\d, 0 s: {told}"):
            parshall.run(bursts(FaultyCompiled(fault=fault), parshall.Tcp()), seed=1)


def test_what_never_ends_is_given_up() -> None:
    class Endless(Source):
        time_limit = 0.3

        def on_done(self, done: Done) -> None:
            while done:
                pass

        def on_time(self, now: float) -> None:
            self.write(1)

    with pytest.raises(RunError, match=r"Endless\.on_done, flow f\d, 0\.\d+ s: DoesNotReturn"):
        parshall.run(bursts(Endless(), parshall.Tcp()), seed=1)

    @parshall.native
    class Restless(Source):
        def on_time(self, now: float) -> None:
            self.wake_in = 1e-12

    for transport in (parshall.Tcp(), UDP):
        with pytest.raises(RunError, match=r"Restless\.on_time, flow f\d, .* s: it was asked 1048576 times"):
            parshall.run(bursts(Restless(), transport), seed=1)


def test_errors_name_what_to_write() -> None:
    with pytest.raises(InputError, match="a method that nobody calls, expected on_done"):
        type("Typo", (Source,), {"on_doen": lambda self, done: None})
    with pytest.raises(
        parshall.ScenarioError, match="expected one without requests, as the transport is udp"
    ):
        parshall.run(bursts(Asking(), UDP), seed=1)
    with pytest.raises(InputError, match="app"):
        parshall.FlowGroup(name="f", transport=parshall.Tcp(), app=example("ewma").Ewma())
    with pytest.raises(InputError, match="got the class Thinking, expected one of it"):
        parshall.FlowGroup(name="f", transport=parshall.Tcp(), app=Thinking)

    @parshall.native
    class Named(Source):
        host: float = 1.0

    with pytest.raises(InputError, match="expected another name: the engine sets this one"):
        parshall.run(bursts(Named(), parshall.Tcp()), seed=1)
    with pytest.raises(InputError, match=r"Annotated\.wake_in: .*expected another name"):

        class Annotated(Source):
            wake_in: float


BELL = """
duration = "8 s"
[dumbbell]
rate = "4 Mbit/s"
delay = "20 ms"
access_rate = "50 Mbit/s"
access_delay = "2 ms"
[[dumbbell.flows]]
name = "f"
count = 2
app = {app}
transport = "tcp"
[record]
transfers = "*"
"""


def test_a_file_and_the_command_name_it(
    tmp_path: Path,
    library: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pages_named.py").write_text((EXAMPLES / "pages.py").read_text())
    (tmp_path / "bell.toml").write_text(BELL.format(app='"pages_named:Pages"'))
    assert main(["run", "bell.toml", "--out", "out"]) == 0
    recording = parshall.Recording.load("out")
    assert {flow.app.source for flow in recording.scenario.flows} == {"pages_named:Pages"}
    ours = recorded(bursts(example("pages").Pages(), parshall.Tcp()), seed=recording.seed)
    assert len(recording.columns("transfers")["end"]) > 10
    assert ours["transfers.packets"][0] == 20
    changed = '{ kind = "user", source = "pages_named:CompiledPages", values = { packets = 3 } }'
    (tmp_path / "bell.toml").write_text(BELL.format(app=changed))
    assert main(["run", "bell.toml", "--out", "out"]) == 0
    assert set(parshall.Recording.load("out").columns("transfers")["packets"]) == {3}
    (tmp_path / "bell.toml").write_text(BELL.format(app='"on_off.so"'))
    (tmp_path / "on_off.so").write_bytes(library.read_bytes())
    assert main(["run", "bell.toml"]) == 0
    assert main(["check", "bell.toml"]) == 0
    capsys.readouterr()
    (tmp_path / "bell.toml").write_text(BELL.format(app='"pages_named:log"'))
    assert main(["check", "bell.toml"]) == 1
    error = capsys.readouterr().err
    assert "expected a class derived from parshall.Source" in error
    assert error.count("\n") == 1


def test_the_command_tells_a_fault_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "broken_source.py").write_text(
        "import parshall\n\n\nclass Broken(parshall.Source):\n"
        "    def on_time(self, now):\n        self.write(10 // int(now))\n"
    )
    (tmp_path / "bell.toml").write_text(BELL.format(app='"broken_source:Broken"'))
    command = [str(Path(sys.executable).parent / "parshall"), "run", "bell.toml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1
    told = "Broken.on_time, flow f1, 0 s: ZeroDivisionError: integer division or modulo by zero"
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
