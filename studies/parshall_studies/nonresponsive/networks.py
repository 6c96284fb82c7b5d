"""The networks of Chapter II: one RED bottleneck (Figure 2), and three in a row (Figure 11).

Each function returns a scenario; what the document leaves out is assumed, as the report says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parshall.scenario import (
    Binomial,
    Bulk,
    Cbr,
    DropTail,
    Dumbbell,
    Flow,
    FlowGroup,
    Link,
    Record,
    Red,
    Reverse,
    Scenario,
    Series,
    ShareSeries,
    Tcp,
    Transfer,
    Udp,
    Vbr,
)

RATE = 28e6
"""Bit/s of every bottleneck."""
DELAY = 0.05
"""Propagation delay of every bottleneck, in seconds."""
BUFFER = 60
"""Packets that wait."""
PACKET_BYTES = 1000
"""Payload of every packet. TCP adds 40 bytes of headers, CBR none, as in ns-2."""
TCP_FLOWS = 35
CBR_RATE = 1e6
"""Bit/s of a CBR flow."""
CBR_PERIOD = 8 * PACKET_BYTES / CBR_RATE
"""Seconds between its packets."""
ACCESS_RATE = 100e6
DURATION, START = 320.0, 100.0
"""Seconds simulated, and when the estimator is started."""
SAMPLING = 0.033
"""Seconds between samples at the router."""
ESTIMATION = 20
"""Sampling intervals in an estimation interval (II.C)."""
RTT = 0.1
"""Round trip without queueing that the text's 'a third of the RTT' asks for."""
WINDOW = 64
"""Receiver's window in packets."""
_MIN_RTO = 1.0
"""Least RTO of ns-2 before October 2004, in seconds."""
_SPREAD = 1.0
"""Seconds over which starts are spread."""


def red(minimum: float = 15, maximum: float = 45, limit: int = BUFFER) -> Red:
    """RED(15, 45, 0.1) with 60 packets of room, unless said otherwise."""
    return Red(min_threshold_packets=minimum, max_threshold_packets=maximum, limit_packets=limit)


def tcp(recovery: str = "newreno", *, control: Binomial | None = None, window: int = WINDOW) -> Tcp:
    """A sender as ns-2 had it."""
    options: dict[str, object] = {} if control is None else {"control": control}
    return Tcp(
        profile="ns2",
        recovery=recovery,  # type: ignore[arg-type]
        min_rto=_MIN_RTO,
        payload_bytes=PACKET_BYTES,
        header_bytes=40,
        max_window_packets=window,
        **options,  # type: ignore[arg-type]
    )


# --- Groups of flows ----------------------------------------------------------------------------------------


def responsive(
    count: int = TCP_FLOWS,
    *,
    name: str = "t",
    transport: Tcp | None = None,
    rtts: Sequence[float] = (),
    delay: float = DELAY,
) -> FlowGroup:
    """Endless transfers. ``rtts`` are round trips without queueing, one a flow, in place of the common one;
    ``delay`` is the bottleneck's, which is part of them.
    """
    own: dict[str, object] = {"access_delay": [(rtt - 2 * delay) / 4 for rtt in rtts]} if rtts else {}
    return FlowGroup(
        name=name,
        count=count,
        transport=transport or tcp(),
        app=Bulk(),
        start_spread=_SPREAD,
        **own,  # type: ignore[arg-type]
    )


def cbr(
    count: int, *, name: str = "c", start: float = 0.0, spread: float = _SPREAD, stop: float | None = None
) -> FlowGroup:
    """CBR flows of 1 Mbit/s whose phases are random, unless ``spread`` is 0."""
    return FlowGroup(
        name=name,
        count=count,
        transport=_udp(),
        app=Cbr(rate=CBR_RATE),
        start=start,
        start_spread=spread,
        stop=stop,
    )


def vbr(count: int, intervals: tuple[float, float]) -> FlowGroup:
    """Flows with a rate from 0.5 to 1.5 Mbit/s that is drawn anew at the end of each interval."""
    app = Vbr(rates=(0.5e6, 1.5e6), intervals=intervals)
    return FlowGroup(name="v", count=count, transport=_udp(), app=app, start_spread=_SPREAD)


def pulses(count: int, half_period: float, *, duration: float = DURATION) -> list[FlowGroup]:
    """CBR flows that are on for ``half_period`` seconds and off for as long, all at once, on first.

    Every pulse is a group of its own; phases are drawn within one period of a CBR flow, so that the edges of
    the square wave stay sharp.
    """
    starts = _arange(0.0, duration, 2 * half_period)
    return [
        cbr(count, name=f"p{index}-", start=start, spread=CBR_PERIOD, stop=start + half_period)
        for index, start in enumerate(starts)
    ]


def short_flows(
    count: int,
    *,
    packets: int = 20,
    repeats: int = 5,
    start: float = START,
    spread: float = 50.0,
    name: str = "s",
) -> FlowGroup:
    """``count`` flows that each transfer ``packets`` packets ``repeats`` times, at random instants of
    ``spread`` seconds; each transfer begins in slow start.
    """
    return FlowGroup(
        name=name,
        count=count * repeats,
        transport=tcp(),
        app=Transfer(packets=packets),
        start=start,
        start_spread=spread,
    )


def _udp() -> Udp:
    return Udp(payload_bytes=PACKET_BYTES, header_bytes=0)


def _arange(start: float, stop: float, step: float) -> list[float]:
    return [start + index * step for index in range(round((stop - start) / step + 0.499999))]


# --- Networks -----------------------------------------------------------------------------------------------


def single(
    flows: Iterable[FlowGroup],
    *,
    rtt: float = RTT,
    delay: float = DELAY,
    rate: float = RATE,
    queue: DropTail | Red | None = None,
    access_rate: float = ACCESS_RATE,
    duration: float = DURATION,
    warm_up: float = 0.0,
    sampling: float | None = SAMPLING,
    title: str = "",
) -> Dumbbell:
    """Figure 2: one bottleneck; the round trip without queueing is ``rtt`` for flows without their own.

    The router's counters are sampled every ``sampling`` seconds, or not at all.
    """
    record = _record("bottleneck", sampling)
    return Dumbbell(
        title=title,
        duration=duration,
        warm_up=warm_up,
        rate=rate,
        delay=delay,
        queue=queue or red(),
        reverse=Reverse(queue=DropTail()),
        access_rate=access_rate,
        access_delay=(rtt - 2 * delay) / 4,
        flows=list(flows),
        record=record,
    )


def _record(port: str, sampling: float | None) -> Record:
    """Counters of a router, and estimates of an observer of its packets."""
    if sampling is None:
        return Record()
    return Record(
        port_series=Series(of=port, interval=sampling),
        responsiveness=ShareSeries(of=port, interval=ESTIMATION * sampling),
    )


_HOPS = {1: ("r1", "r2"), 2: ("r2", "r3"), 3: ("r2", "r4")}
"""The three bottlenecks of Figure 11."""


def multihop(
    cbrs: int,
    to_r3: int | None = None,
    *,
    access_delay: float = 0.01,
    duration: float = DURATION,
    warm_up: float = 0.0,
    sampling: float | None = SAMPLING,
) -> Scenario:
    """Figure 11: flow sets A (TCP) and B (CBR) enter at R1 and leave at R3 or R4; C and D cross link 2, E and
    F cross link 3. ``to_r3`` of the ``cbrs`` flows of set B leave at R3, half unless given.
    """
    branch = cbrs // 2 if to_r3 is None else to_r3
    sets = (
        ("A3-", 17, True, "r1", "r3"),
        ("A4-", 18, True, "r1", "r4"),
        ("B3-", branch, False, "r1", "r3"),
        ("B4-", cbrs - branch, False, "r1", "r4"),
        ("C", 17, True, "r2", "r3"),
        ("D", 11, False, "r2", "r3"),
        ("E", 18, True, "r2", "r4"),
        ("F", 6, False, "r2", "r4"),
    )
    flows = [_hop_flow(f"{name}{i}", is_tcp) for name, count, is_tcp, _, _ in sets for i in range(count)]
    ends = [(name, i, enter, leave) for name, count, _, enter, leave in sets for i in range(count)]
    access = [
        Link(between=between, rate=ACCESS_RATE, delay=access_delay)
        for name, i, enter, leave in ends
        for between in ((f"s-{name}{i}", enter), (leave, f"d-{name}{i}"))
    ]
    core = [
        Link(
            between=between,
            name=f"link{number}",
            rate=RATE,
            delay=DELAY,
            queue=red(),
            reverse=Reverse(queue=DropTail()),
        )
        for number, between in _HOPS.items()
    ]
    return Scenario(
        duration=duration,
        warm_up=warm_up,
        hosts=[f"{side}-{name}{i}" for name, i, _, _ in ends for side in "sd"],
        routers=["r1", "r2", "r3", "r4"],
        links=[*core, *access],
        flows=flows,
        record=_record("link1", sampling),
    )


def _hop_flow(name: str, is_tcp: bool) -> Flow:
    return Flow(
        name=name,
        source=f"s-{name}",
        destination=f"d-{name}",
        transport=tcp("reno") if is_tcp else _udp(),
        app=Bulk() if is_tcp else Cbr(rate=CBR_RATE),
        start_spread=_SPREAD,
    )
