"""Fixtures of all tests: a cache of their own, and small scenarios."""

from __future__ import annotations

import gc
import itertools
import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Before NumPy is imported. Matrices here are small: threads that wait for each other take up to thirty times
the processor's time, and tests run beside each other anyway."""

from parshall import (  # noqa: E402
    Bulk,
    Cbr,
    DropTail,
    Dumbbell,
    FlowGroup,
    Record,
    Scenario,
    Series,
    Tcp,
    Udp,
)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A job in the background of a script ignores Ctrl-C, and so would every run that a test interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Half a million objects are modules and tests, which stay: to look at them seldom saves a tenth of the time.
gc.set_threshold(50_000, 20, 20)

REPOSITORY = Path(__file__).parent.parent

EXHAUSTIVE = bool(os.environ.get("PARSHALL_EXHAUSTIVE"))
"""True if property tests try many more examples, as under `make test-all`."""

settings.register_profile("brief", deadline=None, max_examples=25)
settings.register_profile("exhaustive", deadline=None, max_examples=500)
settings.load_profile("exhaustive" if EXHAUSTIVE else "brief")


DURATIONS = Path(__file__).parent / "durations.json"
"""Seconds that a test function takes with all its parameters, of those that take a tenth of a second or more.
`make durations` measures them anew."""

SLOW_S = 0.2
"""Tests of functions that take as long as that are left out by `make check`."""


def function_of(nodeid: str) -> str:
    """A test function's name with its file, without parameters."""
    return nodeid.partition("[")[0].removeprefix("tests/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks slow tests, and puts slow files first, so that processes which share the files end together."""
    seconds: dict[str, float] = json.loads(DURATIONS.read_text())
    of_file: Counter[str] = Counter()
    for function, took in seconds.items():
        of_file[function.partition("::")[0]] += took
    items.sort(key=lambda item: -of_file[item.path.name])
    for item in items:
        if seconds.get(function_of(item.nodeid), 0) >= SLOW_S:
            item.add_marker("slow")


class Stopwatch:
    """A pytest plugin that writes how long test functions took."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[function_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        long = {function: round(took, 1) for function, took in sorted(self.seconds.items()) if took >= 0.1}
        DURATIONS.write_text(json.dumps(long, indent=1) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("PARSHALL_DURATIONS") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Stopwatch())


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders for the caches of tests; the first result that is kept makes one, and most tests keep none."""
    return (tmp_path_factory.getbasetemp() / "caches" / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_cache(caches: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees results of another, or of the user."""
    folder = next(caches)
    monkeypatch.setenv("PARSHALL_CACHE", str(folder))
    return folder


@pytest.fixture
def repository() -> Path:
    return REPOSITORY


@pytest.fixture
def bell() -> Dumbbell:
    """Two bulk flows and a call through a bottleneck that drops; a few milliseconds to run."""
    return Dumbbell(
        title="A small bell",
        duration="4 s",
        warm_up="1 s",
        rate="2 Mbit/s",
        delay="10 ms",
        queue=DropTail(limit_packets=10),
        access_rate="10 Mbit/s",
        access_delay="1 ms",
        flows=[
            FlowGroup(name="tcp", count=2, transport=Tcp(), app=Bulk(), start_spread="100 ms"),
            FlowGroup(name="call", transport=Udp(payload_bytes=160), app=Cbr(rate="64 kbit/s")),
        ],
    )


@pytest.fixture
def everything(bell: Dumbbell) -> Scenario:
    """Returns the dumbbell's scenario with everything recorded."""
    record = Record(
        rtt="*",
        window=["tcp1"],
        flow_series=Series(of="*", interval="100 ms"),
        port_series=Series(of=["bottleneck", "r1->r0"], interval="50 ms"),
        packets=["bottleneck"],
        deliveries=["tcp2"],
        pcap=["bottleneck"],
    )
    return bell.replace("record", record).scenario()


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shared libraries of the example controls."""
    from tests.own_controls import build_examples

    folder = tmp_path_factory.mktemp("libraries")
    build_examples(folder)
    return folder
