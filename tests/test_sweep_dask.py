"""A sweep on a Dask cluster: a scheduler and two worker processes, of which one is killed in the middle."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from parshall import Dumbbell, ParshallError, RunError
from parshall.sweep import Parameter, Sweep
from test_ensemble import bits
from test_sweep_cli import wait_for_results

distributed = pytest.importorskip("distributed", reason="dask is not installed")

pytestmark = [
    pytest.mark.timeout(600),
    # Of the cluster's own threads and sockets at its end.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

WAIT_S = 120
"""For processes to start and connect; a busy machine may take long."""


class Cluster:
    """A scheduler and workers as processes of their own, on the loopback interface."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.file = folder / "scheduler.json"
        self.folder = folder
        self.stack = stack
        self.scheduler = self.start("scheduler", "--port", "0", "--no-dashboard")
        self.workers = [
            self.start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(2)
        ]

    def start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", what, "--scheduler-file", str(self.file), *options]
        log = self.stack.enter_context((self.folder / f"{what}-{os.urandom(4).hex()}.log").open("wb"))
        environment = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": f"{WAIT_S}s"}
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1"], cwd=self.folder, env=environment, stdout=log, stderr=log
        )
        self.stack.callback(ended, process)
        return process

    @contextmanager
    def client(self) -> Iterator[distributed.Client]:
        with distributed.Client(
            scheduler_file=str(self.file), timeout=WAIT_S, set_as_default=False
        ) as client:
            client.wait_for_workers(len(self.workers), timeout=WAIT_S)
            yield client

    def ready_address(self) -> str:
        """Address of the scheduler, once its workers are there."""
        with self.client():
            address: str = json.loads(self.file.read_text())["address"]
        return address


def ended(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait(WAIT_S)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(tmp_path, stack)


@pytest.fixture
def sweep(bell: Dumbbell) -> Sweep:
    parameters = {
        "rate": ["1 Mbit/s", "2 Mbit/s", "3 Mbit/s"],
        "limit": Parameter(path="queue.limit_packets", values=[5, 10, 20]),
    }
    return Sweep(bell.replace("duration", "20 s"), parameters, seeds=30)


def test_a_worker_that_is_killed_loses_nothing(cluster: Cluster, sweep: Sweep) -> None:
    killed: list[int] = []

    with cluster.client() as client:
        pids = client.run(os.getpid)

        def kill_one_at_work(done: int, asked: int) -> None:
            """Once runs have come back and others are under way, of which a worker then dies."""
            busy = [address for address, tasks in client.processing().items() if tasks]
            if not killed and busy:
                assert 0 < done < asked
                os.kill(pids[busy[0]], signal.SIGKILL)
                killed.append(pids[busy[0]])

        remote = sweep.run(executor=client.get_executor(), cache=None, progress=kill_one_at_work)
        dead = next(worker for worker in cluster.workers if worker.pid in killed)
        assert dead.wait(WAIT_S) == -signal.SIGKILL
        assert len(client.scheduler_info()["workers"]) == 1

    assert remote.executed == 270
    assert not remote.failures
    local = sweep.run(cache=None)
    for table in ("runs", "flows", "ports"):
        assert bits(remote.table(table)) == bits(local.table(table))


def test_the_command_finds_the_scheduler_by_its_address(
    cluster: Cluster, bell: Dumbbell, tmp_path: Path
) -> None:
    (tmp_path / "bell.toml").write_text(bell.to_toml())
    file = tmp_path / "sweep.toml"
    file.write_text('scenario = "bell.toml"\nseeds = 3\n[parameters]\nrate = ["1 Mbit/s", "2 Mbit/s"]\n')
    command = [Path(sys.executable).parent / "parshall", "sweep", str(file), "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [*command, "--executor", cluster.ready_address()],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "6 runs, 6 done now" in done.stdout
    more = subprocess.run(
        [*command, "--executor", "dask", "--seeds", "4"],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
        env={**os.environ, "DASK_SCHEDULER_ADDRESS": cluster.ready_address()},
    )
    assert (more.returncode, more.stderr) == (0, "")
    assert "8 runs, 2 done now" in more.stdout
    assert (tmp_path / "out" / "sweep.json").exists()


def test_control_c_at_a_terminal_does_not_end_the_workers(
    bell: Dumbbell, tmp_path: Path, own_cache: Path
) -> None:
    """A terminal sends it to the workers on this machine too; what they are at is kept all the same."""
    (tmp_path / "bell.toml").write_text(bell.replace("duration", "20 s").to_toml())
    file = tmp_path / "sweep.toml"
    file.write_text('scenario = "bell.toml"\nseeds = 20_000\n[parameters]\nrate = ["1 Mbit/s", "2 Mbit/s"]\n')
    command = [Path(sys.executable).parent / "parshall", "sweep", str(file), "--executor", "dask"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for_results(process, own_cache)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=WAIT_S)
    said, last = (line for line in errors.splitlines() if line)
    assert re.fullmatch(r"parshall: [\d,]+ of 40,000 runs are kept; the same command does the rest", said)
    assert last == "parshall: interrupted"
    assert process.returncode == 130


def test_a_scheduler_that_ends_is_one_line(cluster: Cluster, sweep: Sweep) -> None:
    def kill_the_scheduler(done: int, asked: int) -> None:
        assert 0 < done < asked
        cluster.scheduler.kill()

    with pytest.raises(RunError, match=r"^the executor cannot go on: .*; finished runs are kept"):
        sweep.run(executor=cluster.ready_address(), progress=kill_the_scheduler)
    rest = sweep.run()
    assert 0 < rest.executed < 270


def test_a_scheduler_that_does_not_answer_is_one_line(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parshall.engine.executors._CONNECT_S", 1)
    with pytest.raises(ParshallError, match=r"^tcp://127\.0\.0\.1:1: .*, expected a Dask scheduler$"):
        sweep.run(executor="tcp://127.0.0.1:1")
