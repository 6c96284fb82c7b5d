"""Runs stop when told, whatever the scenario does: Ctrl-C, an event budget, memory that runs low."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests import growing

import parshall
from parshall.errors import InputError, RunError

COMMAND = str(Path(sys.executable).parent / "parshall")

BULK = '{kind = "bulk"}'
FAST = growing.EACH_PICOSECOND


def network(app: str = BULK, transport: str = "tcp", *, top: str = 'duration = "1e6 s"', **links: str) -> str:
    """A flow over a link of 10 Mbit/s."""
    kind = f'{{kind = "{transport}"}}'
    return growing.network(app=app, transport=kind, top=top, rate="1 Gbit/s", narrow="10 Mbit/s", **links)


ENDLESS = {
    "a long run": network(),
    "a packet each picosecond": network(FAST, "udp", top='duration = "10 s"'),
    "a source that writes ahead and is dropped": network(
        FAST, "udp", top='duration = "10 s"', access='queue = {kind = "droptail", limit_packets = 1}'
    ),
    "four billion packets at once": network(
        '{kind = "schedule", writes = [[0, 4000000000]]}', "udp", top='duration = "10 s"'
    ),
    "a recorded link of a picosecond": network(bottleneck='capacity = {times = [0], period = "1 ps"}'),
    "an update each picosecond": network(
        '{kind = "cbr", interval = "10 s"}', "udp", bottleneck='queue = {kind = "pie", update = "1 ps"}'
    ),
    "a series of four billion rows": network(
        top='duration = "10 s"\nrecord = {responsiveness = {of = ["bottleneck"], interval = "3 ns"}}'
    ),
}


@contextmanager
def started(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A process that is not waited for forever: one that does not end is killed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        watch = threading.Timer(60, process.kill)
        watch.start()
        try:
            yield process
        finally:
            watch.cancel()
            if process.poll() is None and sys.exc_info()[0]:
                process.kill()


def interrupted(process: subprocess.Popen[str], after_s: float) -> tuple[float, str]:
    """Seconds from Ctrl-C to when that is answered, and what is said from then on."""
    assert process.stderr is not None
    time.sleep(after_s)
    assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    # What the run will take may have been said before.
    first = next((line for line in process.stderr if "will take" not in line), "")
    return time.monotonic() - began, first + process.stderr.read()


@pytest.mark.parametrize("kind", ENDLESS)
def test_ctrl_c_ends_a_run_whatever_it_does(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "endless.toml"
    file.write_text(ENDLESS[kind])
    # With a limit of events, what takes more memory than there is begins, too.
    with started([COMMAND, "run", str(file), "--max-events", str(10**15)]) as process:
        waited, said = interrupted(process, 1.5)
    assert said.splitlines()[-1] == "parshall: interrupted"
    assert process.returncode == 130
    # Two tenths are promised; a machine that is busy otherwise gets more.
    assert waited < 2.0


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_many_runs_and_keeps_what_was_finished(jobs: int, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(network())
    (tmp_path / "short.toml").write_text(network(top='duration = "1 s"'))
    code = f"""
import parshall
from parshall import Cache
runs = dict((name, parshall.load({str(tmp_path)!r} + "/" + name + ".toml")) for name in ("short", "long"))
told = lambda done, _: print(done, flush=True)
parshall.run_many(runs, [1], jobs={jobs}, cache=Cache({str(tmp_path / "cache")!r}), progress=told)
"""
    with started([sys.executable, "-c", code]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "1\n", "the short run is done"
        waited, said = interrupted(process, 0.2)
    assert "KeyboardInterrupt" in said
    assert "run failed" not in said
    assert waited < 2.0
    again = parshall.run_many(
        {"short": parshall.load(tmp_path / "short.toml")}, [1], cache=parshall.Cache(tmp_path / "cache")
    )
    assert again.executed == 0


@pytest.fixture
def short() -> parshall.Scenario:
    return parshall.loads(network(top='duration = "10 s"'))


def test_a_run_has_as_many_events_as_it_may(short: parshall.Scenario) -> None:
    whole = parshall.run(short)
    assert whole.events > 10_000
    with pytest.raises(RunError, match=r"stopped at [\d.]+ s: reached max_events = 5000"):
        parshall.run(short, max_events=5000)
    again = parshall.run(short, max_events=10**9)
    assert repr(again.table("flows").to_pylist()) == repr(whole.table("flows").to_pylist())
    failed = parshall.run_many({"a": short}, [1], cache=None, max_events=5000).failures
    assert "max_events" in failed[0].reason


@pytest.mark.parametrize("limit", [0, -1, 1.5, "many", True])
def test_a_budget_is_a_number_of_events(short: parshall.Scenario, limit: object) -> None:
    with pytest.raises(InputError, match=r"max_events: got .*, expected a whole number from 1"):
        parshall.run(short, max_events=limit)  # type: ignore[arg-type]


def test_the_command_takes_a_budget(tmp_path: Path) -> None:
    (tmp_path / "endless.toml").write_text(ENDLESS["a packet each picosecond"])
    done = subprocess.run(
        [COMMAND, "run", tmp_path / "endless.toml", "--max-events", "100000"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "events" in done.stderr.splitlines()[0], "what the run will take is said first"
    assert "reached max_events" in done.stderr.splitlines()[-1]


def test_progress_is_told_and_can_end_a_run() -> None:
    seen: list[float] = []

    def told(seconds: float) -> None:
        seen.append(seconds)
        if len(seen) == 5:
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        parshall.run(parshall.loads(network()), progress=told)
    assert seen == sorted(seen)
    assert seen[-1] > 0


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="only Linux tells what memory is left")
def test_memory_that_runs_low_ends_a_run_with_a_message(tmp_path: Path) -> None:
    everything = 'duration = "1000 s"\nrecord = {packets = ["*"]}'
    (tmp_path / "much.toml").write_text(network('{kind = "cbr", rate = "900 Mbit/s"}', "udp", top=everything))
    code = f"""
import resource, parshall
from parshall import _core
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (2 << 30), -1))
parshall.run(parshall.load({str(tmp_path / "much.toml")!r}), max_events=10**9)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"},
    )
    assert done.returncode == 1, done.stderr
    assert "RunError" in done.stderr
    assert "memory runs low" in done.stderr.splitlines()[-1]
