"""What all tests share: a cache of their own, and small scenarios."""

from __future__ import annotations

import os
import signal
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

REPOSITORY = Path(__file__).parent.parent

EXHAUSTIVE = bool(os.environ.get("PARSHALL_EXHAUSTIVE"))
"""Whether property tests try many more examples, as `make test-all` has them."""

settings.register_profile("brief", deadline=None, max_examples=25)
settings.register_profile("exhaustive", deadline=None, max_examples=500)
settings.load_profile("exhaustive" if EXHAUSTIVE else "brief")


SLOW = (
    "test_linux_qdisc",
    "test_study_contract",
    "test_wheel",
    "test_sweep_guide",
    "test_drawn_scenarios",
    "test_sweep_dask",
    "test_interrupts",
    "test_packages",
    "test_linux_testbed",
    "test_validate_machines",
    "test_own_control_processes",
    "test_validate",
)
"""Files that take five seconds or more, the longest first; `make check` leaves them out."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts slow files first, so that processes which share the files end together."""
    places = {name: place for place, name in enumerate(SLOW)}
    items.sort(key=lambda item: places.get(item.path.stem, len(SLOW)))
    for item in items:
        if item.path.stem in places:
            item.add_marker("slow")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees results of another, or of the user."""
    folder = tmp_path_factory.mktemp("cache")
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
    """The same, with everything recorded."""
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
