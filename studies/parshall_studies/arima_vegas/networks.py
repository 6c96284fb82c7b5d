"""The asymmetric network of Figure 4, with what the document leaves out taken from the runs of ns-2 that come
nearest to its numbers, and a symmetric dumbbell for what it does not ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from parshall.scenario import (
    ArimaVegas,
    BernoulliLoss,
    Bulk,
    Cubic,
    DropTail,
    Dumbbell,
    FlowGroup,
    FqCodel,
    Record,
    Reverse,
    Series,
    Tcp,
    VegasControl,
)
from parshall_studies.arima_vegas.document import SIZE_RATIO
from parshall_studies.arima_vegas.senders import (
    ACK_BYTES,
    HEADER_BYTES,
    PAYLOAD_BYTES,
    PROPAGATION,
    UPSTREAM,
    Sender,
)

Errors: TypeAlias = Literal["none", "up", "down", "both"]
"""Where packets are lost: on the upstream link, the downstream one, both, or nowhere."""
MAIN: Errors = "down"
"""Where packet errors are in the main reading: where ours fits most of the numbers that are printed."""

DURATION = 200.0
"""Simulated seconds."""
ERROR_RATE = 0.01
LIMIT = 50
"""Packets that a queue of the bottleneck holds: ns-2's default."""
ACCESS_RATE = 100e6
BACKWARD_FLOWS = 2
START_SPREAD = 0.1
"""Seconds over which flows start."""
SAMPLING = 0.1
"""Seconds between samples of the window."""
FLOW = "v1"
"""The downstream flow."""
_RECORD = Record(flow_series=Series(of=FLOW, interval=SAMPLING))


@dataclass(frozen=True)
class Path:
    """One setting of the network of Figure 4."""

    cf: float
    """Mbit/s downstream."""
    k: float
    """Normalised asymmetry; the upstream rate is cf / (25 k)."""
    errors: Errors = "none"
    """Where packet errors are."""
    error_rate: float = ERROR_RATE
    round_trip: float = PROPAGATION
    backward: bool = True
    """True if there is traffic upstream."""
    queue: int = LIMIT
    """Packets that each queue holds."""

    @property
    def cr(self) -> float:
        """kbit/s upstream (equation 34)."""
        return 1e3 * self.cf / (SIZE_RATIO * self.k)

    @property
    def without_queues(self) -> float:
        """Seconds that a packet and its ACK need where nobody else sends."""
        packet, ack = 8 * (PAYLOAD_BYTES + HEADER_BYTES), 8 * ACK_BYTES
        access = 2 * (packet + ack) / ACCESS_RATE
        return self.round_trip + access + packet / (1e6 * self.cf) + ack / (1e3 * self.cr)


SYMMETRIC = Path(cf=2, k=1 / SIZE_RATIO)
"""Cf = Cr = 2 Mbit/s."""


def network(sender: Sender, path: Path, record: Record = _RECORD) -> Dumbbell:
    """One flow downstream, two upstream, all with data without end; starts are drawn."""
    loss = BernoulliLoss(probability=path.error_rate)
    lossy = {side: {"loss": loss} for side in ("up", "down") if path.errors in (side, "both")}
    flows = [_downstream(sender, start_spread=START_SPREAD)]
    if path.backward:
        flows.append(_upstream("b", count=BACKWARD_FLOWS, start_spread=START_SPREAD))
    return _dumbbell(sender, path, flows, record, lossy)


def started(sender: Sender, path: Path, offset: float, record: Record = _RECORD) -> Dumbbell:
    """With nothing drawn: the upstream flows start half of the spread apart, and the downstream one
    ``offset`` seconds after the first of them.
    """
    first = 2 * START_SPREAD
    flows = [
        _downstream(sender, start=first + offset),
        _upstream("b", start=first),
        _upstream("b", start=first + START_SPREAD / 2),
    ]
    return _dumbbell(sender, path, flows, record, {})


def _dumbbell(
    sender: Sender,
    path: Path,
    flows: list[FlowGroup],
    record: Record,
    lossy: Mapping[str, Mapping[str, Any]],
) -> Dumbbell:
    plain = DropTail(limit_packets=path.queue)
    queue = FqCodel(limit_packets=path.queue, ecn=False) if sender.fair_queue else plain
    return Dumbbell(
        title=f"{sender.label}, {path.cf:g} Mbit/s down, {path.cr:g} kbit/s up",
        duration=DURATION,
        rate=1e6 * path.cf,
        delay=path.round_trip / 2,
        queue=plain,
        reverse=Reverse(rate=1e3 * path.cr, queue=queue, **lossy.get("up", {})),
        access_rate=ACCESS_RATE,
        access_delay=0.0,
        access_queue=plain,
        flows=flows,
        record=record,
        **lossy.get("down", {}),
    )


def _downstream(sender: Sender, **starts: Any) -> FlowGroup:
    return FlowGroup(name=FLOW[0], transport=sender.transport, app=Bulk(), **starts)


def _upstream(name: str, *, count: int = 1, **starts: Any) -> FlowGroup:
    return FlowGroup(name=name, count=count, direction="reverse", transport=UPSTREAM, app=Bulk(), **starts)


# --- Beyond the document: two flows that meet in one direction ----------------------------------------------

MEETING_RATE, MEETING_DELAY = 10e6, 0.02
"""Rate and delay of the bottleneck where two senders meet: bit/s, and seconds in each direction."""
MEETING_DURATION, MEETING_WARM_UP = 80.0, 20.0
MEETING_LIMIT = 100
"""Packets: two bandwidth-delay products."""
CONTROLS: Mapping[str, tuple[str, ArimaVegas | Cubic | VegasControl]] = {
    "artt": ("CA-ARTT", ArimaVegas()),
    "vegas": ("Vegas", VegasControl()),
    "cubic": ("CUBIC", Cubic()),
}
"""Window rules that meet, all with the same recovery, so that nothing else differs."""
PAIRS = (
    ("artt", "artt"),
    ("vegas", "vegas"),
    ("cubic", "cubic"),
    ("artt", "vegas"),
    ("artt", "cubic"),
    ("vegas", "cubic"),
)


def meeting(first: str, second: str) -> Dumbbell:
    """Two long flows through one bottleneck of 10 Mbit/s, with SACK and without a limit of the receiver."""

    def flow(name: str, control: str) -> FlowGroup:
        # Without a handshake: the small SYN would set the least round trip.
        transport = Tcp(
            recovery="sack", control=CONTROLS[control][1], max_window_packets=1000, handshake=False
        )
        return FlowGroup(name=name, transport=transport, app=Bulk(), start_spread=1.0)

    return Dumbbell(
        title=f"{CONTROLS[first][0]} meets {CONTROLS[second][0]}",
        duration=MEETING_DURATION,
        warm_up=MEETING_WARM_UP,
        rate=MEETING_RATE,
        delay=MEETING_DELAY,
        queue=DropTail(limit_packets=MEETING_LIMIT),
        access_rate=ACCESS_RATE,
        access_delay=0.0,
        flows=[flow("x", first), flow("y", second)],
    )
