"""Transfers by quinn over the relay and in simulated time, and the same in the simulator."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import parshall
from parshall import Scenario
from parshall.errors import ParshallError
from parshall.recording import Recording
from parshall_dev.checkout import ROOT

__all__ = [
    "CANDIDATES",
    "DELAY_OFF",
    "DELAY_OFF_S",
    "GOODPUT_OFF",
    "JITTERS",
    "SAME_DELAY_OFF",
    "SAME_DELAY_OFF_S",
    "SAME_GOODPUT_OFF",
    "UNEVEN",
    "Candidate",
    "Compared",
    "Measured",
    "built",
    "compared",
    "scenario",
    "uneven",
    "with_jitter",
]

JITTERS = ("0.2 ms", "0.5 ms", "1 ms", "2 ms")
"""Largest jitters of ACKs, which stand for what a machine adds; one simulated transfer each."""

GOODPUT_OFF = 0.03
"""Relative difference of goodput up to which both worlds agree."""

DELAY_OFF, DELAY_OFF_S = 0.15, 2e-3
"""Difference of the mean queueing delay up to which they agree: relative, or in seconds if that is more."""

SAME_GOODPUT_OFF = 0.01
"""Relative difference of goodput up to which quinn is in the same network in simulated and in real time."""

SAME_DELAY_OFF, SAME_DELAY_OFF_S = 0.1, 2e-3
"""Difference of its mean queueing delay up to which it is: relative, or in seconds if that is more."""

UNEVEN = "0.5 ms"
"""Largest jitter of ACKs, in simulated time, for what parts without it."""

EXAMPLES = ROOT / "examples/quic"
PORT = "bottleneck"


@dataclass(frozen=True)
class Candidate:
    """A control, by its names in both worlds."""

    name: str
    transfer: str
    """The option of the transfer: a control's name, or a class."""
    control: str
    """Its name in the simulator; of quinn's own ones, the control of that name."""

    @property
    def is_class(self) -> bool:
        """True for a class in Python."""
        return ":" in self.transfer

    @property
    def is_same(self) -> bool:
        """True if both worlds run the same code."""
        return not self.transfer.startswith("quinn-")

    @property
    def needs_even_acks(self) -> bool:
        """True for the control that a machine's jitter makes another one."""
        return self.transfer == "quinn-bbr"


CANDIDATES = (
    Candidate("CUBIC", "cubic", "cubic"),
    Candidate("BBR", "bbr", "bbr"),
    Candidate("Copa", "copa", "copa"),
    Candidate("CA-ARTT", "arima-vegas", "arima-vegas"),
    Candidate("TCP-TP", "tcp-tp", "tcp-tp"),
    Candidate("DUAL", "dual", "dual"),
    Candidate("Gentle, in Python", "gentle:Gentle", "gentle:Gentle"),
    Candidate("quinn 0.11's CUBIC", "quinn-cubic", "cubic"),
    Candidate("quinn 0.11's BBR", "quinn-bbr", "bbr"),
)


@dataclass(frozen=True)
class Measured:
    """Goodput, delay and losses in one of the worlds."""

    goodput: float
    """Payload handed over in order, in bits a second."""
    delay: float
    """Mean queueing delay, in seconds: at the port, without the packet's own transmission."""
    lost: float
    """Share of the packets that the queue dropped."""
    times: Any = ()
    delays: Any = ()
    """The backlog over time, as the delay that it means; not of quinn in simulated time."""
    late: float = 0.0
    """Seconds by which 99 % of a relay's datagrams were at most late."""


@dataclass(frozen=True)
class Compared:
    """A control in all worlds."""

    candidate: Candidate
    simulated: Measured
    """In the simulator, with its own transport."""
    timeless: Measured
    """In quinn, in simulated time."""
    real: Measured
    """In quinn, over the relay."""

    @property
    def goodput_off(self) -> float:
        """By which part the real goodput is off."""
        return self.real.goodput / self.simulated.goodput - 1

    @property
    def delay_off(self) -> float:
        """Seconds by which the real delay is longer."""
        return self.real.delay - self.simulated.delay

    @property
    def agrees(self) -> bool:
        """True if goodput is within :data:`GOODPUT_OFF`, and mean queueing delay within :data:`DELAY_OFF`."""
        most = max(DELAY_OFF * self.simulated.delay, DELAY_OFF_S)
        return abs(self.goodput_off) <= GOODPUT_OFF and abs(self.delay_off) <= most

    @property
    def is_same_network(self) -> bool:
        """True if quinn has goodput within :data:`SAME_GOODPUT_OFF` and mean queueing delay within
        :data:`SAME_DELAY_OFF` of each other in simulated and in real time.
        """
        most = max(SAME_DELAY_OFF * self.real.delay, SAME_DELAY_OFF_S)
        goodput_off = self.timeless.goodput / self.real.goodput - 1
        return abs(goodput_off) <= SAME_GOODPUT_OFF and abs(self.timeless.delay - self.real.delay) <= most


def scenario(control: str) -> Scenario:
    """The scenario of the example with a control."""
    network = parshall.load(EXAMPLES / "bottleneck.toml")
    return network.replace("flows[0].transport.control", control)


def built() -> Path:
    """The program that transfers, compiled if it has to be. Raises ParshallError."""
    command = ["cargo", "build", "--release", "--quiet", "-p", "parshall-quinn", "--features", "library,sim"]
    try:
        subprocess.run([*command, "--examples"], cwd=ROOT, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ParshallError(f"the transfer could not be compiled: {error}") from None
    return ROOT / "target/release/examples/transfer"


def compared(program: Path, candidates: tuple[Candidate, ...] = CANDIDATES) -> Iterator[Compared]:
    """Compares controls, one after the other, so that the machine is free for each."""
    for candidate in candidates:
        yield Compared(
            candidate,
            _simulated(candidate),
            _timeless(program, candidate, EXAMPLES / "bottleneck.toml"),
            _real(program, candidate),
        )


def uneven(program: Path, candidate: Candidate) -> Measured:
    """The transfer by quinn in simulated time with ACKs that come up to :data:`UNEVEN` late."""
    reverse = parshall.Reverse(jitter=parshall.Jitter(most=UNEVEN))
    network = scenario("cubic").replace("links[0].reverse", reverse)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.json"
        file.write_text(network.to_json(), encoding="utf-8")
        return _timeless(program, candidate, file)


def with_jitter(candidate: Candidate) -> list[Measured]:
    """The simulated transfer with ACKs that come up to each of :data:`JITTERS` late."""
    return [_simulated(candidate, parshall.Reverse(jitter=parshall.Jitter(most=most))) for most in JITTERS]


def _simulated(candidate: Candidate, reverse: parshall.Reverse | None = None) -> Measured:
    sys.path.insert(0, str(EXAMPLES))
    try:
        network = scenario(candidate.control)
        if reverse is not None:
            network = network.replace("links[0].reverse", reverse)
        recording = parshall.run(network, seed=1)
    finally:
        sys.path.remove(str(EXAMPLES))
    return _measured(recording, recording.flow("transfer").goodput)


def _timeless(program: Path, candidate: Candidate, file: Path) -> Measured:
    shown = _shown(candidate, [*_command(program, candidate), "--scenario", str(file)])
    (link,) = scenario("cubic").links
    return Measured(
        goodput=float(shown["goodput"]),
        delay=float(shown["mean_delay"]) - 8 * 1500 / link.rate,
        lost=shown["packets_dropped"] / max(1, shown["packets_arrived"]),
    )


def _real(program: Path, candidate: Candidate) -> Measured:
    network = scenario("cubic")
    server = f"127.0.0.1:{_free_port()}"
    seconds = network.duration
    with parshall.Relay(network, to=server, duration=seconds + 60) as relay:
        options = ["--relay", relay.listening, "--server", server]
        options += ["--time", str(seconds), "--warm-up", str(network.warm_up)]
        # As exact as the relay is: what the machine adds to round trips is no part of the comparison.
        exact = ["chrt", "-f", "5"] if relay.realtime and shutil.which("chrt") else []
        shown = _shown(candidate, [*exact, *_command(program, candidate), *options])
        relayed = relay.finish()
    return _measured(relayed.recording, float(shown["goodput"]), relayed.late_p99)


def _command(program: Path, candidate: Candidate) -> list[str]:
    if candidate.is_class:
        return [sys.executable, str(EXAMPLES / "own.py"), candidate.transfer]
    return [str(program), "--control", candidate.transfer]


def _shown(candidate: Candidate, command: list[str]) -> dict[str, Any]:
    """The line of JSON that a transfer prints. Raises ParshallError."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ParshallError(f"{candidate.name}: {done.stderr.strip() or 'the transfer failed'}")
    shown: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return shown


def _measured(recording: Recording, goodput: float, late: float = 0.0) -> Measured:
    port = recording.port(PORT)
    rate = recording.scenario.links[0].rate
    series = port.series
    full = 8 * 1500 / rate
    return Measured(
        goodput=goodput,
        delay=port.mean_delay - full,
        lost=port.packets_dropped / max(1, port.packets_arrived),
        times=np.array(series.time),
        delays=8 * np.array(series.backlog_bytes) / rate,
        late=late,
    )


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
