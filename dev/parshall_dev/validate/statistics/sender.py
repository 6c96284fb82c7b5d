"""ns-2's TCP agents as transports of ours."""

from __future__ import annotations

from parshall_dev.validate.statistics.network import Part
from parshall_studies.baselines import Settings

__all__ = ["on_off", "tcp"]

_RECOVERY = {"TCP": "tahoe", "Tahoe": "tahoe", "Reno": "reno", "Newreno": "newreno", "Sack1": "sack"}
_HEADER_BYTES = 40


def tcp(settings: Settings, *, payload: str, header_bytes: int = _HEADER_BYTES) -> Part:
    """The sender that a script makes; ``payload`` names its setting for packetSize_.

    Each flow has a clock phase of its own, drawn at random, as in ns-2.
    """
    variants = {**{f"TCP/{name}": name for name in _RECOVERY}, **{name: name for name in _RECOVERY}}
    return {
        "kind": "tcp",
        "profile": "ns2",
        "recovery": _RECOVERY[variants[settings.one_of("tcp", variants)]],
        "payload_bytes": settings.whole(payload),
        "header_bytes": header_bytes,
        "max_window_packets": settings.whole("window"),
        "clock_tick": settings.number("tick"),
        "rto": {"kind": "jacobson-ticks", "tick": settings.number("tick")},
        "min_rto": settings.number("minrto"),
    }


def on_off(settings: Settings, *, write_bytes: int, payload_bytes: int) -> Part:
    """ns-2's on-off source over TCP, which makes one full segment of each write, however short it is.

    So the rate of the source, which counts bytes written, is that of the segments times a ratio of sizes.
    """
    if write_bytes > payload_bytes:
        raise settings.error("apppkt", f"no more than a segment, {payload_bytes} bytes")
    pareto = settings.one_of("traffic", ["Exponential", "Pareto"]) == "Pareto"
    return {
        "kind": "on-off",
        "law": {"kind": "pareto", "shape": settings.number("shape")} if pareto else {"kind": "exponential"},
        "rate": settings.number("rate") * payload_bytes / write_bytes,
        "on": settings.number("on"),
        "off": settings.number("off"),
    }
