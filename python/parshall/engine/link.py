"""A network in real time: a UDP relay over the simulator's own links."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from parshall.engine.limits import checked_seed
from parshall.engine.run import network_of
from parshall.errors import InputError, OutputError, RunError, shown

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall.scenario import Dumbbell, Scenario

__all__ = ["LATE_S", "Relay", "Relayed"]

LATE_S = 200e-6
"""A relay is late, and says so, when one datagram in a hundred leaves later than this after its time."""


@dataclass(frozen=True)
class Relayed:
    """Results of a relay that has ended. Times are in seconds."""

    recording: Recording
    """As of a run: ``flows``, ``ports`` and what the scenario asks for by ``record``, but for what only a
    transport knows. Its scenario ends when the relay did. Peers stand for the scenario's flows in their
    order; columns that only a transport knows are 0."""
    elapsed: float
    """From the first datagram to the end."""
    datagrams: int
    """Datagrams that reached the far end, in both directions."""
    late_p50: float
    """Median of the times by which they left too late."""
    late_p99: float
    """Time that 99 % of them did not exceed."""
    late_most: float
    """The longest of these times."""
    realtime: bool
    """True if the relay had real-time priority."""
    peers: int
    """Addresses that sent datagrams; one that was forgotten and came back is counted again."""
    overflowed: int
    """Datagrams that the kernel dropped since the relay did not take them in time: the queue does not know of
    them."""
    refused: int
    """Datagrams that the relay dropped as too many were under way, or as all of its 500 peers had some under
    way."""
    undeliverable: int
    """Datagrams that did not get where they were to go: nobody listens there, or no way leads there."""

    @property
    def lateness(self) -> str:
        """In a sentence, how late datagrams left."""
        late = ", ".join(
            f"{1e6 * seconds:.0f} us ({name})"
            for seconds, name in (
                (self.late_p50, "median"),
                (self.late_p99, "99 %"),
                (self.late_most, "longest"),
            )
        )
        priority = "real-time" if self.realtime else "normal"
        return f"{self.datagrams:,} datagrams left {late} after their time, with {priority} priority"

    def warnings(self) -> list[str]:
        """Reasons why this was another link than the scenario's, in a sentence each."""
        said = []
        if self.late_p99 > LATE_S:
            hint = "a quieter machine" if self.realtime else "real-time priority, or a quieter machine,"
            late = f"one datagram in a hundred left more than {1e6 * self.late_p99:.0f} us after its time"
            said.append(f"{late}: {hint} would help")
        for count, what in (
            (self.overflowed, "were dropped by the kernel before the relay could take them in"),
            (self.refused, "were dropped by the relay, which kept too many or had too many peers"),
            (self.undeliverable, "did not get where they were to go"),
        ):
            if count:
                said.append(f"{count:,} datagrams {what}")
        return said


class Relay:
    """A network in real time between a client and a server, without root: a UDP relay over the links, queues,
    losses, conditioners, recorded capacity and events of ``scenario``, both ways.

        with parshall.Relay("bottleneck.toml", listen="127.0.0.1:5000", to="127.0.0.1:6000") as relay:
            relay.wait(30)
            relayed = relay.finish()
        print(relayed.recording.port("bottleneck").mean_delay, relayed.late_p99)

    The scenario's clock starts with the first datagram. The relay ends when ``duration``, that of the
    scenario unless given, is over, or with :meth:`finish`. The first address that sends to ``listen`` takes
    the place of the first flow of the scenario, and so on; transports and applications of the flows do not
    matter. ECN and the code point of differentiated services are those that datagrams come with.

    ``realtime`` asks for real-time priority; unless given, it is tried. Needs Linux.

    Raises ScenarioError for a scenario that cannot be run or has queues or markers that are classes in
    Python, InputError for an address that is none, and OutputError for one that cannot be used, or priority
    that is not granted.
    """

    def __init__(
        self,
        scenario: Scenario | Dumbbell | str | Path,
        *,
        to: str,
        listen: str = "127.0.0.1:0",
        seed: int = 1,
        duration: float | str | None = None,
        realtime: bool | None = None,
    ) -> None:
        from parshall import _core
        from parshall.scenario.checking import engine_error

        self.scenario = network_of(scenario, "scenario")
        if duration is not None:
            self.scenario = self.scenario.replace("duration", duration)
        self.seed = checked_seed(seed)
        if not isinstance(realtime, bool | None):
            raise InputError("realtime", shown(realtime), "true, false or None")
        addresses = checked_address("listen", listen, 0), checked_address("to", to, 1)
        try:
            self._relay = _core.Relay(self.scenario.to_json(), self.seed, *addresses, realtime)
        except (_core.ScenarioError, ValueError) as error:
            raise engine_error(error) from None
        except RuntimeError as error:
            raise RunError(str(error)) from None
        except OSError as error:
            raise OutputError("relay", str(error)) from None

    def __enter__(self) -> Relay:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._relay.close()

    @property
    def listening(self) -> str:
        """The address at which it takes datagrams in, with the port that the system chose if that was 0."""
        return self._relay.listening

    @property
    def realtime(self) -> bool:
        """True if it has real-time priority."""
        return self._relay.realtime

    @property
    def elapsed(self) -> float | None:
        """Seconds since the first datagram; None before it."""
        return self._relay.elapsed

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until it has ended, for at most ``timeout`` seconds; returns whether it has. Ctrl-C ends
        the wait, and not the relay.
        """
        left = float("inf") if timeout is None else timeout
        while left > 0:
            step = min(left, 0.1)
            if self._relay.wait(step):
                return True
            left -= step
        return self._relay.wait(0.0)

    def finish(self) -> Relayed:
        """Ends it, if it has not ended yet, and returns what it recorded. Raises RunError if it failed, or
        ended before anything counted, or if its ``with`` is over.
        """
        from parshall.recording import Recording

        try:
            result: dict[str, Any] = self._relay.finish()
        except (RuntimeError, OSError) as error:
            raise RunError(str(error)) from None
        facts = result.pop("link")
        elapsed, scenario = facts["elapsed"], self.scenario
        if not facts["peers"]:
            raise RunError("the relay ended before a datagram came")
        if elapsed <= scenario.warm_up:
            said = f"the relay ended after {elapsed:g} s, within warm_up = {scenario.warm_up:g} s"
            raise RunError(f"{said}: nothing was counted")
        if elapsed < scenario.duration:
            scenario = scenario.replace("duration", elapsed)
        facts = {name: 0.0 if value is None else value for name, value in facts.items()}
        return Relayed(Recording(scenario, self.seed, result), **facts)


def checked_address(place: str, given: object, least: int) -> str:
    """An IP address with a port that is at least ``least``. Raises InputError."""
    if isinstance(given, str):
        host, _, port = given.strip().rpartition(":")
        host = "127.0.0.1" if host == "localhost" else host
        digits = port.isascii() and port.isdigit() and len(port) <= 5
        if _is_address(host) and digits and least <= int(port) <= 65535:
            return f"{host}:{int(port)}"
    raise InputError(place, shown(given), "an address and a port, such as 127.0.0.1:5000 or [::1]:5000")


def _is_address(host: str) -> bool:
    """Tells if it is an IP address, in brackets if and only if of version 6, and without a zone."""
    bracketed = host.startswith("[") and host.endswith("]")
    try:
        address = ipaddress.ip_address(host[1:-1] if bracketed else host)
    except ValueError:
        return False
    return bracketed == (address.version == 6) and "%" not in host
