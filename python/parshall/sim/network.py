"""A network in simulated time, with endpoints outside of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall import _core
from parshall.engine.limits import checked_seed
from parshall.engine.run import network_of
from parshall.errors import InputError, InputTypeError, RunError, shown
from parshall.scenario.canonical import as_given
from parshall.scenario.checking import engine_error
from parshall.sim.ran import as_it_ran

if TYPE_CHECKING:
    from typing_extensions import Self

    from parshall.recording import Recording
    from parshall.scenario import Dumbbell, Scenario

__all__ = ["Event", "Network"]

Event: TypeAlias = _core.Arrival | _core.Dropped | _core.Wake
"""Something that concerns an endpoint."""

_PROTOCOLS = ("udp", "tcp")


class Network(_core.NetworkBase):
    """A network of a scenario, or of the file of that name, which carries datagrams of yours.

        net = Network("dsl.toml", seed=1)
        client, server = net.attach("call", "client", "server")
        net.send(client, 200, at="1 s", ecn="ect0")
        for event in net:
            print(event)

    Endpoints are attached first; the first other call puts the network into operation. Iteration goes from
    event to event, up to the end of the scenario: an :class:`Arrival`, a :class:`Dropped` or a
    :class:`Wake`. In between, datagrams may be sent. The scenario's own flows run beside. A pair of
    endpoints that sends nothing leaves the recording that :func:`parshall.run` gives.

    Times are seconds from the scenario's start, as floats, or text such as ``"20 ms"``; ``now_ps`` and
    ``at_ps`` are whole picoseconds, without rounding. The time of an event, given back, means its very
    picosecond.

    ``mtu`` is the most bytes of a datagram, headers included. With ``trace`` all that endpoints send and
    receive is kept. Parts of one's own in the scenario are called on the thread that drives the network,
    without the limit of time that a run has for them. Ctrl-C ends a call that takes long, and the network
    can be used further, unless it comes within one event of the engine that does not end.

    Raises ScenarioError for a scenario that cannot be run, and InputError for other values that cannot be
    used.
    """

    scenario: Scenario
    """Its scenario, as it was given."""
    seed: int
    """Seed of all its random numbers."""

    def __new__(
        cls,
        scenario: Scenario | Dumbbell | str | Path,
        *,
        seed: int = 1,
        mtu: int = 65535,
        trace: bool = False,
    ) -> Self:
        network, number = network_of(scenario, "scenario"), checked_seed(seed)
        most = _checked_bytes("mtu", mtu)
        if not isinstance(trace, bool):
            raise InputTypeError("trace", shown(trace), "true or false")
        try:
            made = super().__new__(cls, as_given(network), number, most, trace)
        except (_core.ScenarioError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise engine_error(error) from None
        made.scenario, made.seed, made._added = network, number, {}
        return made

    _added: dict[str, tuple[str, str]]
    """Hosts of the flows that were attached, by name, in order."""

    def __repr__(self) -> str:
        return f"<Network {self.scenario.summary}, seed {self.seed}, now {self.now:g} s>"

    def attach(
        self,
        name: str,
        source: str,
        destination: str,
        *,
        protocol: Literal["udp", "tcp"] = "udp",
        path_mtu: int | None = None,
    ) -> tuple[_core.Endpoint, _core.Endpoint]:
        """Attaches two endpoints, at two hosts, that send datagrams to each other; returns that at ``source``
        first. ``name`` is that of a new flow, by which the recording has them: what the second one sends
        counts as its ACKs. A node at the end of a single link becomes a host if it is none.

        ``protocol`` is what estimators take the datagrams for. Those larger than ``path_mtu`` vanish on the
        way.

        Raises InputError for a host that is unknown and for the name of a flow that is there, and RunError
        once the network is in operation.
        """
        for place, given in (("name", name), ("source", source), ("destination", destination)):
            _check_text(f"attach, {place}", given)
        pair = self._attach(name, source, destination, *_options("attach", protocol, path_mtu))
        self._added[name] = (source, destination)
        return pair

    def replace(
        self, flow: str, *, protocol: Literal["udp", "tcp"] = "udp", path_mtu: int | None = None
    ) -> tuple[_core.Endpoint, _core.Endpoint]:
        """Puts two endpoints in the place of a flow of the scenario, and returns that at its source first.
        What the scenario says of its transport and its application does not matter then. See :meth:`attach`.
        """
        _check_text("replace, flow", flow)
        pair = self._replace(flow, *_options("replace", protocol, path_mtu))
        self._added[flow] = (pair[0].host, pair[1].host)
        return pair

    def until(self, time: float | str) -> Iterator[Event]:
        """The events before ``time``; afterwards it is then, or the end of the scenario. What happens at the
        instant itself has not happened.
        """
        while (event := self._next_before(time)) is not None:
            yield event

    @property
    def end(self) -> float:
        """The end of the scenario, at which iteration ends."""
        return self.scenario.duration

    @property
    def trace(self) -> _core.Trace | None:
        """All that endpoints have sent and received so far; None unless it was asked for. A copy, so better
        asked for once.
        """
        return self._trace()

    def finish(self) -> Recording:
        """Ends the network where it is, and returns what was recorded up to then. Its scenario has the
        endpoints as flows that send nothing by themselves. Nothing but ``now`` and ``trace`` can be used
        afterwards.

        Raises RunError if nothing was counted, as the warm-up is not over, and when it is called again.
        """
        from parshall.recording import Recording

        result = self._finish()
        now, scenario = self.now, self.scenario
        if now <= scenario.warm_up:
            said = f"the network ended at {now:g} s, within warm_up = {scenario.warm_up:g} s"
            raise RunError(f"{said}: nothing was counted")
        if now < scenario.duration:
            scenario = scenario.replace("duration", now)
        return Recording(as_it_ran(scenario, self._added, result["names"]["flows"]), self.seed, result)

    @property
    def _label(self) -> str:
        return f"scenario {self.scenario.hash[:12]}, seed {self.seed}"


def _options(call: str, protocol: object, path_mtu: object) -> tuple[bool, int | None]:
    if protocol not in _PROTOCOLS:
        raise InputError(f"{call}, protocol", shown(protocol), f"one of {', '.join(_PROTOCOLS)}")
    return protocol == "tcp", None if path_mtu is None else _checked_bytes(f"{call}, path_mtu", path_mtu)


def _checked_bytes(place: str, given: object) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise InputTypeError(place, shown(given), "a whole number from 1 to 65535")
    if not 1 <= given <= 65535:
        raise InputError(place, shown(given), "a whole number from 1 to 65535")
    return given


def _check_text(place: str, given: object) -> None:
    if not isinstance(given, str):
        raise InputTypeError(place, shown(given), "a name")
