"""The engine, written in Rust; docs/architecture.md says what a result holds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from parshall.sim.ecn import Ecn

ENGINE_VERSION: str
"""Changes whenever a recording may change."""

class ScenarioError(ValueError):
    """A scenario that cannot be run."""

    path: str
    value: str
    expected: str

def check(scenario_json: str) -> tuple[float, float, float, float]:
    """Checks a scenario. Raises ScenarioError; ValueError for what is no scenario at all.

    Returns what a run will take: packets, events, seconds and bytes of memory.
    """

def memory() -> tuple[int, int] | None:
    """Bytes of memory that there are and that are available; None where the system does not tell."""

def canonical_json(
    model: object,
    fields: Callable[[type], list[tuple[str, str, Any, bool]] | None],
    other: Callable[[Any], str],
) -> str:
    """The canonical JSON of a model.

    ``fields`` tells of a class which fields it has, in the order in which they are written: name, name as a
    key, default, and whether they are written even then; None of what is no model. ``other`` writes values
    that are neither text, real number, tuple nor model.
    """

_Given = str | tuple[object, Callable[[type], list[tuple[str, str, Any, bool]] | None], Callable[[Any], str]]
"""A scenario: its JSON, or a model with what ``canonical_json`` is told besides."""

def normalize(scenario: _Given) -> str:
    """The scenario as the engine understands it, with every default filled in, as JSON."""

def slow_links(scenario: _Given) -> str | None:
    """A sentence about links that send no packet in the time of the run; none where there are none."""

_Cause: TypeAlias = Literal["queue", "early", "conditioner", "link", "path-mtu"]
"""A place where a datagram went no further."""

_Fault: TypeAlias = tuple[str, str, str, int | None]
"""A path, its value, what was expected, and the line of the file where it is known."""

class ReadScenario:
    """A scenario that was read from a file, without an object for each of its parts."""

    @property
    def title(self) -> str: ...
    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Hosts, routers, links and flows."""

    @property
    def duration(self) -> float: ...
    @property
    def canonical_json(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def slow_links(self) -> str | None:
        """A sentence about links that send no packet in the time of the run; none where there are none."""

    def check(self) -> tuple[float, float, float, float]:
        """What a run will take, as :func:`check` says. Raises ScenarioError."""

def read_scenario(
    text: str,
    is_json: bool,
    folder: Path | None,
    find: _Find,
) -> tuple[ReadScenario | None, list[_Fault]]:
    """The scenario that the text of a file describes, or its faults.

    ``find`` finds the form, the source and the hash of the code of a part of the user's own that is named
    without it, from the name of its class in a scenario, its source, the values of its parameters and the
    folder.
    """

def toml_tables(text: str) -> tuple[dict[str, Any], list[_Fault]]:
    """The tables of a text in TOML, or the fault."""

def toml_lines(text: str, paths: Sequence[str]) -> list[int | None]:
    """The lines of paths in a text in TOML, or of the closest thing around each."""

def scenario_schema() -> str:
    """The JSON Schema of scenario files."""

_Find: TypeAlias = Callable[[str, str, dict[str, Any], Path | None], tuple[str, str, str]]

def part_fields(
    name: str, given: object, folder: Path | None, find: _Find
) -> tuple[dict[str, Any] | None, list[_Fault]]:
    """The fields of a part that are not at their defaults, of a mapping from names to values; or the faults.

    Parts among the values are kept as they are. ``find`` is that of :func:`read_scenario`.
    """

def file_fields(
    given: object, folder: Path | None, find: _Find
) -> tuple[str, dict[str, Any] | None, list[_Fault]]:
    """The name of the part that the tables of a file stand for, and its fields; or the faults."""

def network_fields(dumbbell_json: str) -> tuple[dict[str, Any] | None, list[_Fault]]:
    """The fields of the network that a dumbbell in its canonical form stands for; or the fault."""

def scenario_parts() -> str:
    """All parts of scenarios and unions of their kinds, as JSON."""

def scenario_part_schema(name: str) -> str:
    """The JSON Schema of a part."""

def known_keys(key: str, part: str) -> str:
    """The key of a part that was meant by an unknown one, or those that there are, in words."""

def quantity(name: str, given: object, zero: bool) -> tuple[float | None, tuple[str, str] | None]:
    """A rate, a duration or a size in base units; or its value in words and what was expected."""

def mahimahi_times(path: str | Path) -> tuple[list[float] | None, tuple[str, str, int | None, bool] | None]:
    """The times of a file as Mahimahi keeps them, in seconds; or the value, what was expected, the line, and
    true unless the file cannot be read.
    """

def filled_transport(transport_json: str) -> str:
    """A flow's transport with every option at the value that its profile gives it, from JSON to JSON."""

def simulate(
    scenario: _Given,
    seed: int,
    max_events: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> dict[str, Any]:
    """Runs a scenario. ``progress`` is called from time to time with the simulated seconds so far.

    Raises as ``check`` does, RuntimeError when the engine fails, and what ``progress`` or a signal raises.
    """

def flow_starts(scenario_json: str, seed: int) -> list[float]:
    """The seconds at which the flows start in a run with this seed, in the order of the scenario."""

def routes(scenario_json: str) -> list[list[list[int]]]:
    """The ports that each flow's data and its ACKs cross, by their numbers, in the order of the scenario.

    Raises as ``check`` does.
    """

@final
class Names(Mapping[str, list[str]]):
    """Names by what they are of, ``flows`` or ``ports``. Each list is made when it is first asked for."""

    def __getitem__(self, name: str) -> list[str]: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

@final
class Columns(Mapping[str, NDArray[Any]]):
    """The columns of a table by name. Each becomes a NumPy array when it is first asked for."""

    @property
    def rows(self) -> int:
        """Rows of the table."""

    @property
    def nbytes(self) -> int:
        """Bytes that the columns take as arrays."""

    def at(self, name: str, row: int) -> float:
        """One cell as a Python number, without an array."""

    def __getitem__(self, name: str) -> NDArray[Any]: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

def join(tables: Sequence[Columns]) -> dict[str, NDArray[Any]]:
    """The columns of one table of several, one behind the other.

    Raises ValueError for tables that differ in their columns.
    """

def engine_seconds(scenario_json: str, seeds: Sequence[int], threads: int) -> float:
    """Seconds that the engine alone needs for runs of a scenario with these seeds; their results are lost.

    Raises as ``simulate`` does.
    """

@final
class Batch:
    """Runs under way on several threads; each job is a scenario's JSON and a seed.

    A scenario is compiled once, however many jobs run it, and all their results share one ``names``.
    """

    def __new__(cls, jobs: list[tuple[str, int]], threads: int, max_events: int | None = None) -> Batch: ...
    def next(self, timeout_s: float) -> list[tuple[int, dict[str, Any] | Exception]] | None:
        """Finished runs by index; an empty list when the timeout passed; None when all are done."""

    def cancel(self) -> None:
        """Starts no further run."""
    def stop(self) -> None:
        """Starts no further run, and ends those under way."""

@final
class Relay:
    """A relay in real time over the network of a scenario, which is JSON."""

    def __new__(
        cls,
        scenario: str,
        seed: int,
        listen: str,
        to: str,
        realtime: bool | None,
    ) -> Relay: ...
    @property
    def listening(self) -> str:
        """The address at which it takes datagrams in."""

    @property
    def realtime(self) -> bool:
        """Whether its thread has real-time priority."""

    @property
    def elapsed(self) -> float | None:
        """Seconds since the first datagram; None before it, and once the relay has been ended."""

    def close(self) -> None:
        """Ends it, if it has not ended yet, and gives up what it recorded."""

    def wait(self, timeout_s: float) -> bool:
        """Waits until it has ended; tells if it has."""

    def finish(self) -> dict[str, Any]:
        """Ends it. Returns what a run returns, and under ``link`` what only a relay has."""

@final
class Endpoint:
    """An end of a pair that sends datagrams to each other; :meth:`parshall.sim.Network.attach` makes it."""

    @property
    def number(self) -> int:
        """Its number in the network, from 0, in the order in which endpoints were attached."""

    @property
    def flow(self) -> str:
        """The name of its pair, by which a recording has it."""

    @property
    def host(self) -> str:
        """The host at which it is."""

    @property
    def name(self) -> str:
        """Its name in messages: ``FLOW at HOST``."""

@final
class Datagram:
    """A datagram: its bytes, or a size alone, and what queues and routers see of it."""

    def __new__(
        cls,
        data: bytes | bytearray | memoryview | int,
        *,
        ecn: Ecn | str | None = None,
        dscp: int | None = None,
        key: int | None = None,
        tag: int | None = None,
        ip: bool = False,
        wire_bytes: int | None = None,
        payload_bytes: int | None = None,
    ) -> Datagram: ...
    @property
    def data(self) -> bytes:
        """Its bytes; none if it is only a size."""

    @property
    def wire_bytes(self) -> int:
        """Bytes on the wire, headers included."""

    @property
    def payload_bytes(self) -> int:
        """Bytes that count as delivered when it arrives."""

    @property
    def ecn(self) -> Ecn:
        """Its code point of ECN; that of an arrival is the one with which it arrives."""

    @property
    def dscp(self) -> int:
        """Its code point of differentiated services."""

    @property
    def key(self) -> int | None:
        """Its key, if it has one of its own."""

    @property
    def tag(self) -> int:
        """The caller's number."""

    @property
    def ip(self) -> bool:
        """True if its bytes are a whole IP packet."""

@final
class Arrival:
    """A datagram that has arrived."""

    @property
    def endpoint(self) -> Endpoint:
        """Where it has arrived."""

    @property
    def at(self) -> float:
        """Now, in seconds."""

    @property
    def at_ps(self) -> int:
        """Now, in picoseconds, without rounding."""

    @property
    def sent_at(self) -> float:
        """When it was sent, in seconds."""

    @property
    def sent_at_ps(self) -> int:
        """When it was sent, in picoseconds, without rounding."""

    @property
    def data(self) -> bytes:
        """Its bytes: the very object that was sent, unless it is an IP packet."""

    @property
    def ecn(self) -> Ecn:
        """Its code point of ECN as it arrives: a queue may have marked it."""

    @property
    def tag(self) -> int:
        """The number that it was sent with."""

    @property
    def datagram(self) -> Datagram:
        """All of it, which can be sent again."""

@final
class Dropped:
    """A datagram that went no further. A real endpoint would not be told."""

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint that had sent it."""

    @property
    def at(self) -> float:
        """When it was dropped, in seconds."""

    @property
    def at_ps(self) -> int:
        """When it was dropped, in picoseconds, without rounding."""

    @property
    def sent_at(self) -> float:
        """When it was sent, in seconds."""

    @property
    def sent_at_ps(self) -> int:
        """When it was sent, in picoseconds, without rounding."""

    @property
    def cause(self) -> _Cause:
        """The place: a full ``queue`` or its algorithm, an ``early`` drop at random, a ``conditioner``, the
        ``link`` itself, or the ``path-mtu``.
        """

    @property
    def tag(self) -> int:
        """The number that it was sent with."""

    @property
    def datagram(self) -> Datagram:
        """All of it."""

@final
class Wake:
    """The time that an endpoint asked for has come."""

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint that asked."""

    @property
    def at(self) -> float:
        """Now, in seconds."""

    @property
    def at_ps(self) -> int:
        """Now, in picoseconds, without rounding."""

@final
class Trace:
    """All that endpoints sent and received, in order: a sequence of entries. Equal scenario, seed and
    datagrams give an equal trace.
    """

    @property
    def digest(self) -> int:
        """A hash of times, sizes, endpoints and ECN: equal traces have equal digests, in any process."""

    def between(self, start: float | str, end: float | str) -> list[TraceEntry]:
        """The entries from one instant up to another."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> TraceEntry: ...
    def __iter__(self) -> Iterator[TraceEntry]: ...

@final
class TraceEntry:
    """One datagram at one instant. As text it is a line."""

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint that sent or received it."""

    @property
    def at(self) -> float:
        """Simulated time, in seconds."""

    @property
    def at_ps(self) -> int:
        """Simulated time, in picoseconds, without rounding."""

    @property
    def event(self) -> Literal["sent", "received", "dropped"]:
        """The event; the endpoint of what was dropped is the one that had sent it."""

    @property
    def cause(self) -> _Cause | None:
        """The place of a drop, as of :class:`Dropped`."""

    @property
    def wire_bytes(self) -> int:
        """Bytes on the wire."""

    @property
    def ecn(self) -> Ecn:
        """Its code point of ECN at that instant."""

class NetworkBase:
    """The engine's side of :class:`parshall.sim.Network`."""

    def __new__(cls, scenario: _Given, seed: int, mtu: int, trace: bool) -> Self: ...
    def _attach(
        self, name: str, source: str, destination: str, tcp: bool, path_mtu: int | None
    ) -> tuple[Endpoint, Endpoint]: ...
    def _replace(self, flow: str, tcp: bool, path_mtu: int | None) -> tuple[Endpoint, Endpoint]: ...
    def send(
        self,
        endpoint: Endpoint,
        data: bytes | bytearray | memoryview | int | Datagram,
        *,
        at: float | str | None = None,
        ecn: Ecn | str | None = None,
        dscp: int | None = None,
        key: int | None = None,
        tag: int | None = None,
        ip: bool = False,
    ) -> None:
        """Sends a datagram from an endpoint to the other one of its pair."""

    def wake(self, endpoint: Endpoint, at: float | str | None) -> None:
        """Asks for a :class:`Wake`."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> Arrival | Dropped | Wake: ...
    def _next_before(self, limit: float | str) -> Arrival | Dropped | Wake | None: ...
    @property
    def now(self) -> float:
        """The simulated time, in seconds."""

    @property
    def now_ps(self) -> int:
        """The simulated time, in picoseconds, without rounding."""

    def _trace(self) -> Trace | None: ...
    def _finish(self) -> dict[str, Any]: ...

@final
class Joined:
    """What several runs recorded."""

    @property
    def names(self) -> list[Names]:
        """Of flows and ports, by run; runs of one scenario share them."""

    @property
    def tables(self) -> dict[str, Columns]:
        """By name, each with the rows of one run behind those of the one before."""

    @property
    def rows(self) -> dict[str, list[int]]:
        """Of each table, by name, the rows of each run."""

    @property
    def captures(self) -> list[dict[str, bytes]]:
        """By port, by run."""

    @property
    def took(self) -> list[tuple[int, int]]:
        """Events of each run, and these with what was done ahead of them, which is what ``max_events`` is
        about.
        """

    @property
    def nbytes(self) -> int:
        """Bytes that tables and captures take."""

@final
class JoiningBatch:
    """As ``Batch``, but what short runs recorded is joined, as long as they have the same tables."""

    def __new__(
        cls, jobs: list[tuple[str, int]], threads: int, max_events: int | None = None
    ) -> JoiningBatch: ...
    def next(self, timeout_s: float) -> list[tuple[list[int], Joined | Exception]] | None:
        """Finished runs by their indices; an empty list when the timeout passed; None when all are done."""

    def cancel(self) -> None:
        """Starts no further run."""
    def stop(self) -> None:
        """Starts no further run, and ends those under way."""

_Reals = NDArray[np.float64]
_Flags = NDArray[np.bool_]

class _Estimator:
    """What all estimators have, for copies and pickles."""

    def copy(self) -> Self: ...
    def save(self) -> bytes: ...
    @staticmethod
    def load(state: bytes) -> Any:
        """What ``save`` saved. Raises ValueError."""

    def reset(self) -> None: ...

@final
class RtoTimer(_Estimator):
    """An estimator of the retransmission timeout, with initial, least and greatest RTO and granularity."""

    # Each takes its parameters in the order of RtoConfig, then the rules: initial, min, max, granularity.
    @staticmethod
    def jacobson(*parameters: Any) -> RtoTimer: ...
    @staticmethod
    def jacobson_ticks(*parameters: Any) -> RtoTimer: ...
    @staticmethod
    def linux(*parameters: Any) -> RtoTimer: ...
    @staticmethod
    def median(*parameters: Any) -> RtoTimer: ...
    @staticmethod
    def weighted_median(*parameters: Any) -> RtoTimer: ...
    @staticmethod
    def arima(*parameters: Any) -> RtoTimer: ...
    @staticmethod
    def quantile(*parameters: Any) -> RtoTimer: ...
    @staticmethod
    def own(parts: PythonParts | CompiledParts, rules: tuple[float, ...]) -> RtoTimer: ...
    def update(self, rtt: float, retransmitted: bool) -> float: ...
    def run(self, rtts: _Reals, retransmitted: _Flags | None) -> _Reals: ...
    def run_rounds(self, rtts: _Reals, amid_round: _Flags) -> _Reals: ...
    def run_full(self, rtts: _Reals, retransmitted: _Flags | None) -> tuple[_Reals, _Reals, _Reals]: ...
    def evaluate(self, rtts: _Reals, warm_up: int, karn: bool) -> tuple[int, int, float, float]: ...
    def on_early_timeout(self) -> float: ...
    def on_timeout(self) -> float: ...
    def reset_backoff(self) -> None: ...
    @property
    def rto(self) -> float: ...
    @property
    def srtt(self) -> float | None: ...
    @property
    def rttvar(self) -> float | None: ...
    @property
    def backoff(self) -> int: ...
    @property
    def risk_seen(self) -> float | None: ...

class _Filter(_Estimator):
    def update(self, x: float) -> float: ...
    def run(self, xs: _Reals) -> _Reals: ...
    @property
    def value(self) -> float | None: ...

@final
class SlidingMedian(_Filter):
    def __new__(cls, window: int) -> SlidingMedian: ...

@final
class SlidingMad(_Filter):
    def __new__(cls, window: int) -> SlidingMad: ...

@final
class Ewma(_Filter):
    def __new__(cls, gain: float) -> Ewma: ...

@final
class Forecaster(_Estimator):
    """A forecaster that is under way, from its configuration in JSON.

    ``coverage`` is the share of samples that its prediction intervals are to hold; without one there are
    none.
    """

    def __new__(cls, config: str, coverage: float | None = None) -> Forecaster: ...
    def update(self, x: float) -> float: ...
    def run(self, xs: _Reals, steps: int = 1) -> _Reals: ...
    def run_intervals(self, xs: _Reals) -> tuple[_Reals, _Reals, _Reals]: ...
    def forecast(self, steps: int = 1) -> float | None: ...
    def interval(self) -> tuple[float, float] | None: ...

def fractional_weights(fbm: bool, h: float, order: int) -> _Reals:
    """Weights of the last ``order`` values, the newest first; the caller has checked H and the order."""

@final
class ThroughputSampler(_Estimator):
    def __new__(cls, gain: float, interval: float | None, amount: float | None) -> ThroughputSampler: ...
    def on_ack(self, now: float, acked: float) -> float | None: ...
    def run(self, times: _Reals, amounts: _Reals) -> tuple[NDArray[np.int64], _Reals]: ...
    def set_interval(self, seconds: float) -> None: ...
    def restart(self, now: float) -> None: ...
    @property
    def value(self) -> float | None: ...
    @property
    def unsmoothed(self) -> float | None: ...

@final
class PacketPair(_Estimator):
    def __new__(cls, histogram: bool, width: float, window: int, stretch: float) -> PacketPair: ...
    def on_ack(self, now: float, sent_at: float, packets: int) -> bool: ...
    def run(
        self, times: _Reals, sent: _Reals, packets: NDArray[np.uint32]
    ) -> tuple[_Reals, NDArray[np.int64], NDArray[np.int64]]: ...
    def capacity(self) -> tuple[float, int, int] | None: ...
    def interrupt(self) -> None: ...

def fit_arima(xs: _Reals, order: tuple[int, int, int], css: bool) -> dict[str, Any]:
    """Fits an ARIMA; what ``parshall.forecast.ArimaFit`` is made of.

    Raises ValueError(place, value, expected).
    """

def correlations(xs: _Reals, lags: int) -> tuple[_Reals, _Reals, _Reals, _Reals]:
    """Autocorrelations, partial ones, Bartlett's standard errors, Ljung and Box's statistics."""

def hurst(
    xs: _Reals,
    method: str,
    power: float | None = None,
    frequencies: int | None = None,
    first_octave: int | None = None,
) -> dict[str, Any]:
    """H by a method; what ``parshall.long_memory.HurstEstimate`` is made of.

    Raises ValueError(place, value, expected), as the next ones do.
    """

def level_shifts(xs: _Reals) -> dict[str, Any]:
    """What ``parshall.long_memory.LevelShifts`` is made of."""

def long_memory_autocovariances(family: str, parameter: float, lags: int) -> _Reals:
    """Those of lags 0 to ``lags``; the parameter is H of ``"fgn"`` and d of ``"farima"``."""

def aggregate(xs: _Reals, m: int) -> _Reals:
    """Means of blocks of ``m``."""

@final
class PathGenerator:
    """Makes paths of a process of standard normal variates."""

    def __new__(cls, family: str, parameter: float, n: int) -> PathGenerator: ...
    @property
    def normals(self) -> int:
        """How many variates a path is made of."""

    def path(self, normals: _Reals) -> _Reals: ...

@final
class Nonresponsive(_Estimator):
    """The linear model of non-responsive traffic; settings have the names of the Rust fields."""

    def __new__(cls, settings: dict[str, Any]) -> Nonresponsive: ...
    def update(
        self, backlog: float, arrivals: float, drops: float, marks: float
    ) -> tuple[float, float, float, float, float, float, float, int] | None: ...
    def run(
        self, backlog: _Reals, arrivals: _Reals, drops: _Reals, marks: _Reals
    ) -> dict[str, NDArray[Any]]: ...
    @property
    def parameters(self) -> list[float]: ...
    @property
    def settings(self) -> dict[str, Any]: ...

@final
class NonresponsiveFixedPoint(_Estimator):
    """The basic form in whole numbers; a sample is one of a clock tick, in packets."""

    def __new__(
        cls, settings: dict[str, Any], mean_packet_bytes: int, tick_ms: int
    ) -> NonresponsiveFixedPoint: ...
    def update(
        self, backlog: float, arrivals: float, drops: float, marks: float
    ) -> tuple[float, float, float, float, float, float, float, int] | None: ...
    def run(
        self, backlog: _Reals, arrivals: _Reals, drops: _Reals, marks: _Reals
    ) -> dict[str, NDArray[Any]]: ...
    @property
    def parameters(self) -> list[int]: ...
    @property
    def settings(self) -> dict[str, Any]: ...

@final
class UdpCounter(_Estimator):
    """Share, bytes and flags of each estimation interval."""

    def __new__(cls, estimation_samples: int) -> UdpCounter: ...
    def update(self, arrived: float, udp: float) -> tuple[float, float, int] | None: ...
    def run(self, arrived: _Reals, udp: _Reals) -> dict[str, NDArray[Any]]: ...

def counter_differences(readings: NDArray[np.uint64], bits: int, most: int) -> _Reals:
    """What a cumulative counter counted between readings; NaN at the first and where it went back."""

@final
class Responsiveness(_Estimator):
    """The share of non-responsive traffic at a port, from its packets."""

    EVIDENCE: list[str]
    WIDEST: float

    def __new__(cls, interval_s: float, flows: int, seed: int) -> Responsiveness: ...
    def close(self, time: float) -> list[tuple[list[float], int, int, int, int]]: ...
    def packet(self, time: float, flow: int, signalled: bool, dither: tuple[float, bool]) -> None: ...
    def arrive(self, time: float, flow: int, dither: tuple[float, bool]) -> int: ...
    def decide(self, ticket: int, signalled: bool | None) -> bool: ...
    def settle(self) -> None: ...
    def evidence(self) -> dict[str, NDArray[Any]]: ...
    def run(
        self,
        times: _Reals,
        flows: NDArray[np.uint64],
        signalled: _Flags,
        dithers: tuple[_Reals, _Flags],
        until: float | None,
    ) -> dict[str, Any]: ...

@final
class Treatment(_Estimator):
    """An experiment with a group of flows."""

    def __new__(cls, reals: list[float], goes_on: bool, seed: int) -> Treatment: ...
    def close(self, time: float) -> tuple[list[float], int, int, int, int] | None: ...
    def packet(self, time: float, flow: int) -> float: ...
    def signal(self) -> None: ...
    def queue(self, signalled: bool) -> None: ...

@final
class Alarm(_Estimator):
    """Whether estimates of a share are above a level."""

    on: bool
    @staticmethod
    def level(level: float) -> Alarm: ...
    @staticmethod
    def k_of_n(level: float, k: int, n: int) -> Alarm: ...
    @staticmethod
    def cusum(level: float, excess: float, most: float) -> Alarm: ...
    def update(self, share: float) -> bool: ...
    def run(self, shares: _Reals) -> NDArray[np.bool_]: ...

class WrongAnswerError(TypeError):
    """A method returned something in place of its answer."""

class RtoFilterBase:
    """What the engine knows of a filter of timeouts in Python; see ``parshall.RtoFilter``."""

    srtt: float
    """Smoothed round-trip time, in seconds; NaN for none."""
    rttvar: float
    """Deviation of the round-trip time, in seconds; NaN for none."""
    backoff: float
    """The backoff factor, which the engine applies."""
    amid_round: int
    """1 if the sample is one of the same round trip as that before, else 0."""

    def __new__(cls, *args: object, **kwargs: object) -> Self: ...
    def random(self) -> float:
        """A random number from 0 to below 1, of a stream of its own; NaN outside of what uses it."""

class ForecasterBase:
    """What the engine knows of a forecaster in Python; see ``parshall.Forecaster``."""

    def __new__(cls, *args: object, **kwargs: object) -> Self: ...
    def random(self) -> float:
        """A random number from 0 to below 1, of a stream of its own; NaN outside of what uses it."""

class SourceBase:
    """What the engine knows of a source in Python; see ``parshall.Source``."""

    packets_now: int
    """Packets of a transfer that begins now; 0 unless it is set."""
    fresh_now: int
    """1 if that transfer has a new connection; 0 unless it is set."""
    wake_in: float
    """Seconds until ``on_time`` is called; infinity leaves what was said before."""
    payload_bytes: int
    """Bytes of data in a packet."""

    def __new__(cls, *args: object, **kwargs: object) -> Self: ...
    def random(self) -> float:
        """A random number from 0 to below 1, of the flow's own stream; NaN outside of a run."""

class ControlBase:
    """What the engine knows of a control in Python; see ``parshall.Control``."""

    cwnd: float
    """Congestion window, in packets."""
    ssthresh: float
    """Slow start threshold, in packets."""
    pacing_rate: float
    """Packets a second that may leave; 0 leaves that to the sender."""
    wake_at: float
    """When ``on_timer`` shall be called, in seconds; infinity for never."""

    def __new__(cls, *args: object, **kwargs: object) -> Self: ...
    def random(self) -> float:
        """A random number from 0 to below 1, of the flow's own stream; NaN outside a run."""

class MarkerBase:
    """Knowledge that the engine has of a marker in Python; see ``parshall.Marker``."""

    def __new__(cls, *args: object, **kwargs: object) -> Self: ...
    def random(self) -> float:
        """A random number from 0 to below 1, of the conditioner's stream; NaN outside a run."""

@final
class MeteredPacket:
    """A packet that arrives at an edge."""

    now: float
    """Time at which it arrives, in seconds."""
    now_ps: int
    """The same in picoseconds, without rounding."""
    size: int
    """Its bytes on the wire."""
    metered: int
    """Bytes that count: all, or those behind the headers, as the rule has it."""
    flow: int
    """Number of its flow, not negative; ACKs have another one. It depends on the flow's name alone."""
    dscp: int
    """Code point with which it arrives (RFC 2474)."""
    arriving: int
    """Colour that this code point stands for: ``GREEN``, ``YELLOW`` or ``RED``."""
    ecn_capable: bool
    """True if it may be marked in place of a drop (RFC 3168)."""
    ack: bool
    """True for an ACK."""

class QueueBase:
    """Knowledge that the engine has of a queue in Python; see ``parshall.Queue``."""

    into: int
    """Class that an arriving packet joins, or that one is pushed out of, 0 to 1023; 0 unless it is set."""
    rate: float
    """Rate of the link at first, in bit/s; NaN outside a run."""

    def __new__(cls, *args: object, **kwargs: object) -> Self: ...
    def random(self) -> float:
        """A random number from 0 to below 1, of the port's own stream; NaN outside a run."""

@final
class QueuedPacket:
    """A packet that arrives at a queue, or is about to leave it."""

    now: float
    """Time at which the queue is asked, in seconds."""
    now_ps: int
    """The same in picoseconds, without rounding."""
    waited: float
    """Seconds that it has waited."""
    waited_ps: int
    """The same in picoseconds, without rounding."""
    size: int
    """Its bytes."""
    flow: int
    """Number of its flow, not negative, with another one for the ACKs; the flow's name alone decides it."""
    dscp: int
    """Its code point (RFC 2474)."""
    class_id: int
    """Class in which it waits; 0 for one that arrives."""
    packets: int
    """Other packets that wait, in all classes; the one in transmission does not."""
    bytes: int
    """Bytes of these."""
    on_link: int
    """Bytes of the packet in transmission; 0 while the link is free, as it is at each departure."""
    ecn_capable: bool
    """True if it may be marked in place of a drop (RFC 3168)."""
    marked: bool
    """True if it carries a mark."""
    ack: bool
    """True for an ACK."""

@final
class Ack:
    """What a control is told of an ACK. Packets are numbered from 0. What cannot be known yet is NaN."""

    now: float
    now_ps: int
    rtt: float
    srtt: float
    min_rtt: float
    delivery_rate: float
    growth: float
    slow_start: float
    high_ack: int
    next_seq: int
    in_flight: int
    delivered: int
    prior_delivered: int
    acked: int
    newly_delivered: int
    newly_lost: int
    kind: int
    ecn_echo: bool
    window_limited: bool
    may_grow: bool
    app_limited: bool
    in_recovery: bool

@final
class Loss:
    """What a control is told of a loss, a mark or a timeout."""

    now: float
    now_ps: int
    in_use: float

@final
class Moment:
    """An instant: of a start after silence, or of the control's own timer."""

    now: float
    now_ps: int

@final
class Done:
    """A transfer that is complete, the one that began first of those under way."""

    now: float
    took: float
    number: int
    packets: int

_Report = tuple[str, bool, list[tuple[str, str]]]

@final
class PythonParts:
    """Makes a part by calling ``make``."""

    def __new__(
        cls,
        name: str,
        make: Callable[[], object],
        hung: type[BaseException],
        time_limit: float | None,
        exact_echo: bool = False,
        report: tuple[_Report, Callable[..., object]] | None = None,
        requests: bool = False,
    ) -> Self: ...

@final
class CompiledParts:
    """Makes parts from a table of functions."""

    def __new__(
        cls,
        name: str,
        functions: Sequence[int],
        state: bytes,
        time_limit: float | None,
        code: object,
        estimators: Sequence[tuple[int, object]] = (),
        exact_echo: bool = False,
        report: _Report | None = None,
        requests: bool = False,
    ) -> Self: ...

def part_interface(kind: str) -> dict[str, Any]:
    """The interface of compiled parts of a kind as plain data."""

def cbrt(x: float) -> float:
    """Cube root, as the engine computes it."""

def exp(x: float) -> float:
    """E to the power of x, as the engine computes it."""

def log(x: float) -> float:
    """Natural logarithm, as the engine computes it."""

def pow(x: float, y: float) -> float:
    """X to the power of y, as the engine computes it."""

@final
class CaptureReader:
    """Reads a packet capture and analyses it, some frames at a time; standard input if there is no file."""

    def __new__(
        cls, file: str | None, filter: str | None, nanoseconds: bool, most_flows: int, keep_passed: bool
    ) -> Self: ...
    @property
    def bytes_read(self) -> int:
        """Bytes of the file so far, compressed as it is."""
    @property
    def frames(self) -> int:
        """Frames so far."""
    @property
    def ending(self) -> str | None:
        """How the file ended: whole, cut or damaged; None before."""
    def step(self, frames: int) -> bool:
        """Reads up to so many frames; False at the end."""
    def glance(self) -> tuple[int, int, int]:
        """Connections, retransmissions and timeouts so far."""
    def rows(self, samples: bool) -> dict[str, Any]:
        """Rows of each table that nothing can change any more, since the last call; samples if they are
        wanted, and their number, ``sample_count``.
        """
    def end(self, most: int) -> bool:
        """Ends so many connections and flows, when all frames are read; False when all have ended."""
    def finish(self, samples: bool) -> dict[str, Any]:
        """Ends the analysis; the other rows, with ``totals`` and ``traffic``."""
