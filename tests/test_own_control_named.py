"""A control of one's own, named in a file or on the command line without the hash of its code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import parshall
from parshall import ScenarioError, Tcp
from parshall.cli.main import main

OWN = """
import parshall

class Gentle(parshall.Control):
    gain: float = 0.5

    def on_ack(self, ack):
        if ack.may_grow:
            self.cwnd += self.gain / self.cwnd

class Other:
    pass
"""
BELL = """
duration = "2 s"

[dumbbell]
rate = "4 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit_packets = 20 }
access_rate = "50 Mbit/s"
access_delay = "1 ms"

[[dumbbell.flows]]
count = 2
transport = TRANSPORT
app = "bulk"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a module, which is forgotten afterwards."""
    path = list(sys.path)
    (tmp_path / "gentle_named.py").write_text(OWN)
    yield tmp_path
    sys.path[:] = path
    sys.modules.pop("gentle_named", None)


def bell(folder: Path, transport: str) -> Path:
    file = folder / "bell.toml"
    file.write_text(BELL.replace("TRANSPORT", transport))
    return file


def test_a_file_names_a_class_beside_it(folder: Path) -> None:
    by_text = parshall.load(bell(folder, '{ kind = "tcp", control = "gentle_named:Gentle" }'))
    control = by_text.flows[0].transport.control
    assert (control.form, control.source, control.values) == ("python", "gentle_named:Gentle", {})
    assert len(control.code) == 64
    table = '{ kind = "user", source = "gentle_named:Gentle", values = { gain = 0.1 } }'
    by_table = parshall.load(bell(folder, f'{{ kind = "tcp", control = {table} }}'))
    assert by_table.flows[0].transport.control.code == control.code
    sent = [parshall.run(each, seed=1).flow("f1").packets_sent for each in (by_text, by_table)]
    assert sent[0] > sent[1] > 100

    import gentle_named  # type: ignore[import-not-found]

    by_hand = by_text.replace("flows[*].transport", Tcp(control=gentle_named.Gentle()))
    assert by_hand.hash == by_text.hash
    again = parshall.loads(by_text.to_toml())
    assert again.hash == by_text.hash
    assert f'code = "{control.code}"' in by_text.to_toml()


def test_values_that_are_no_table_are_one_line(folder: Path) -> None:
    for wrong in ("3", "[1]", '"abc"'):
        table = f'{{ kind = "user", source = "gentle_named:Gentle", values = {wrong} }}'
        with pytest.raises(parshall.ParshallError, match=r"values.*expected a table"):
            parshall.load(bell(folder, f'{{ kind = "tcp", control = {table} }}'))


def test_other_code_has_another_hash(folder: Path) -> None:
    file = bell(folder, '{ kind = "tcp", control = "gentle_named:Gentle" }')
    first = parshall.load(file).hash
    sys.modules.pop("gentle_named")
    (folder / "gentle_named.py").write_text(OWN.replace("self.cwnd +=", "self.cwnd += 0 +"))
    assert parshall.load(file).hash != first


def test_set_puts_it_into_all_flows(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    bell(folder, '"tcp"')
    changes = ["--set", "control=gentle_named:Gentle"]
    assert main(["run", "bell.toml", *changes, "--format", "json", "--out", "out"]) == 0
    own = parshall.Recording.load("out")
    assert {flow.transport.control.source for flow in own.scenario.flows} == {"gentle_named:Gentle"}
    assert main(["run", "bell.toml", "--seeds", "2", *changes]) == 0
    assert main(["check", "bell.toml", "--set", "profile=linux", "--set", "min_rto=300 ms"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("control=gentle_named:Nothing", "has no attribute 'Nothing'"),
        ("control=gentle_named:Other", "expected a class derived from parshall.Control"),
        ("control=no_such_module:X", "No module named 'no_such_module'"),
        ("control=:", "expected a class derived from parshall.Control, as module:Class"),
        ("control=nothing.so", "expected a shared library (no such file)"),
        (
            "control=broken_named:X",
            "expected a module that can be imported (NameError: name 'nothing' is not",
        ),
        ("contrl=cubic", 'contrl: got an unknown field, expected the key "control"'),
        ("control=cubik", 'control: got "cubik", expected "aimd" or'),
    ],
)
def test_what_is_no_control_is_one_line(
    change: str,
    expected: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    (folder / "broken_named.py").write_text("nothing")
    bell(folder, '"tcp"')
    assert main(["check", "bell.toml", "--set", change]) == 1
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1
    assert "control.control" not in error


def test_two_modules_of_one_name_are_told_apart(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    parshall.load(bell(folder, '{ kind = "tcp", control = "gentle_named:Gentle" }'))
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "gentle_named.py").write_text(OWN)
    with pytest.raises(ScenarioError, match="one module of that name, not that in"):
        parshall.load(bell(elsewhere, '{ kind = "tcp", control = "gentle_named:Gentle" }'))
