"""Queues of one's own by their names in files, and what is wrong with them in one line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.test_own_parts import example
from tests.test_own_queues import udp

import parshall
from parshall import Queue, SharedQueue
from parshall.cli.main import main
from parshall.errors import InputError, ScenarioError

MINE = """
import parshall
from parshall.own import DROP, PASS

class Short(parshall.Queue):
    limit: int = 8
    def on_arrival(self, packet):
        return DROP if packet.packets >= self.limit else PASS

class Other:
    pass
"""
BELL = """
duration = "2 s"

[dumbbell]
rate = "4 Mbit/s"
delay = "10 ms"
queue = QUEUE
access_rate = "50 Mbit/s"
access_delay = "1 ms"

[[dumbbell.flows]]
count = 2
transport = "tcp"
app = "bulk"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a module, which is forgotten afterwards."""
    path = list(sys.path)
    (tmp_path / "queue_named.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.path[:] = path
    sys.modules.pop("queue_named", None)


def test_a_file_names_a_queue_and_the_command_runs_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "bell.toml"
    dropped = []
    table = '{ kind = "user", source = "queue_named:Short", values = { limit = 30 } }'
    for index, queue in enumerate(('"queue_named:Short"', table)):
        file.write_text(BELL.replace("QUEUE", queue))
        out = str(folder / f"out{index}")
        assert main(["run", "bell.toml", "--format", "json", "--out", out]) == 0
        recording = parshall.Recording.load(out)
        assert recording.scenario.links[0].queue.source == "queue_named:Short"
        again = parshall.run(parshall.loads(recording.scenario.to_toml()), seed=1)
        found = recording.port("bottleneck").packets_dropped
        assert found == again.port("bottleneck").packets_dropped
        dropped.append(found)
    assert dropped[0] > 0
    assert dropped[0] != dropped[1]
    for wrong, told in (
        ('"queue_named:Other"', "a class derived from parshall.Queue"),
        ('"queue_named:Missing"', "a class derived from parshall.Queue, as module:Class"),
    ):
        file.write_text(BELL.replace("QUEUE", wrong))
        with pytest.raises(ScenarioError, match=rf"dumbbell\.queue.*expected {told}"):
            parshall.load(file)
    capsys.readouterr()


@pytest.mark.parametrize(
    ("module", "told"),
    [
        ("raise ValueError('of its own')", r"ValueError: of its own \(queue_named\.py, line 1\)"),
        ("import sys\nsys.exit(3)", r"SystemExit: 3 \(queue_named\.py, line 2\)"),
        ("def f(:", r"SyntaxError: invalid syntax \(queue_named\.py, line 1\)"),
        ("import no_such_one", r"ModuleNotFoundError: No module .* \(queue_named\.py, line 1\)"),
    ],
)
def test_a_module_that_fails_is_told_with_its_line(folder: Path, module: str, told: str) -> None:
    (folder / "queue_named.py").write_text(module)
    with pytest.raises(ScenarioError, match=rf"expected a module that can be imported \({told}\)$"):
        parshall.loads(BELL.replace("QUEUE", '"queue_named:Short"'))


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            'source = "queue_named:Short", values = { limt = 3 }',
            r"\.values: got .*, expected parameters of Short",
        ),
        (
            'source = "queue_named:Short", form = "numba"',
            r'\.form: got "numba", expected "python", which queue_named:Short is',
        ),
        ('source = ":Short"', r": got .*, expected a class derived from parshall\.Queue, as module:Class$"),
    ],
)
def test_a_table_that_its_class_does_not_fit_is_refused_as_it_is_read(
    folder: Path, table: str, told: str
) -> None:
    with pytest.raises(ScenarioError, match=rf"dumbbell\.queue{told}"):
        parshall.loads(BELL.replace("QUEUE", f'{{ kind = "user", {table} }}'))


def test_errors_name_what_to_write(tmp_path: Path) -> None:
    module = example("step_mark")
    with pytest.raises(InputError, match="got the class StepMark, expected one of it"):
        udp(module.StepMark)
    with pytest.raises(ScenarioError, match=r"queue"):
        udp(example("jacobson").Jacobson())
    with pytest.raises(ScenarioError, match=r"queue"):
        udp(object())
    with pytest.raises(InputError, match="a method that nobody calls, expected on_arrival"):
        type("Typo", (Queue,), {"on_arival": lambda self, packet: None})
    with pytest.raises(InputError, match=r"queue: got .*, expected a shared library"):
        SharedQueue(tmp_path / "none.so")
