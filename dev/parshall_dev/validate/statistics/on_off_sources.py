"""Study 0: six on-off sources over TCP, one slow drop-tail link."""

from __future__ import annotations

from parshall.recording import Recording
from parshall.scenario import Scenario
from parshall_dev.validate.statistics.network import Access, Network, droptail
from parshall_dev.validate.statistics.outcomes import Outcome
from parshall_dev.validate.statistics.sender import on_off, tcp
from parshall_studies.baselines import Settings

__all__ = ["OUTCOMES", "TITLE", "measure", "rebuild"]

TITLE = "Six on-off sources over TCP at a drop-tail link of 1 Mbit/s"

OUTCOMES = (
    Outcome("offered", "offered", "kbit/s", 1e-3, 1),
    Outcome("throughput", "throughput", "kbit/s", 1e-3, 1),
    Outcome("goodput", "goodput", "kbit/s", 1e-3, 1),
    Outcome("loss_pct", "loss", "%"),
    Outcome("rexmit_pkts", "sent again", "packets", digits=1),
    Outcome("queue_drops", "dropped by the queue", "packets", digits=1),
)

_SOURCES = 6
_DEFAULT_LIMIT = 50
"""ns-2's limit_ of a queue of which a script says nothing."""


def rebuild(settings: Settings, seed: int) -> Scenario:
    """The scenario; it is the same for each seed."""
    del seed
    limit = settings.whole("qlim")
    middle = {"between": ("R0", "R1"), "rate": 1e6, "delay": 0.1, "queue": droptail(limit)}
    network = Network(["R0", "R1"], [middle])
    access = Access(rate=10e6, delay=0.01, limit=_DEFAULT_LIMIT)
    payload = settings.whole("pktsize")
    for index in range(_SOURCES):
        ends = (network.host(f"s{index}", "R0", access), network.host(f"d{index}", "R1", access))
        network.flow(
            f"f{index}",
            ends,
            transport=tcp(settings, payload="pktsize"),
            app=on_off(settings, write_bytes=settings.whole("apppkt"), payload_bytes=payload),
            start_spread=settings.number("jitter"),
        )
    return network.scenario(duration=settings.number("time"))


def measure(settings: Settings, run: Recording) -> dict[str, float]:
    """Output of the script, from counters.

    It counts one packet more than was offered (``seqno_`` is the next packet, and it adds one), and the SYN
    as one that arrived in order.
    """
    flows, ports = run.columns("flows"), run.columns("ports")
    bits_per_second = settings.number("pktsize") * 8 / settings.number("time")
    sent = int(flows["packets_sent"].sum())
    in_order = int(flows["packets_delivered"].sum()) + int((flows["packets_received"] > 0).sum())
    return {
        "offered": (int(flows["packets_offered"].sum()) + _SOURCES) * bits_per_second,
        "throughput": sent * bits_per_second,
        "goodput": in_order * bits_per_second,
        "loss_pct": 100 * (1 - in_order / sent),
        "rexmit_pkts": float(flows["packets_retransmitted"].sum()),
        "queue_drops": float(ports["packets_dropped"][run.scenario.ports.index("R0->R1")]),
    }
