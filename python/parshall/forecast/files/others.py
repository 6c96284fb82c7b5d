"""Programs whose output holds round-trip times but no series of them: each is called by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from parshall.errors import InputError

__all__ = ["REFUSED", "Refused", "refuse_others"]


@dataclass(frozen=True)
class Refused:
    """A program that is not read."""

    what: str
    """The name of its output, as the error says it."""
    form: str
    """A pattern of its lines."""
    instead: str
    """Advice: the output to use in its place."""


_SINGLE = "a line for each request, as ping and fping print"

REFUSED: dict[str, Refused] = {
    "mtr": Refused(
        "what mtr prints, means of a path's hops",
        r"^HOST: .*Loss%|^Start: .*\d{4}|My traceroute|^Mtr_Version,|^<MTR ",
        "single round trips, as mtr --raw prints",
    ),
    "traceroute": Refused(
        "what traceroute prints",
        r"^traceroute6? to |^Tracing (?:route|the path) to |^ *1  +\S.* ms  ",
        _SINGLE,
    ),
    "tcpdump": Refused(
        "what tcpdump prints", r"\bIP6? \S+ > \S+: |^\S+ IP6?, ", "the capture itself: parshall capture FILE"
    ),
    "ss": Refused(
        "what ss prints, smoothed round trips",
        r"\brto:\d+ rtt:[\d.]+/[\d.]+|^(?:State|Netid) +\S*Recv-Q",
        "a capture of the connection: parshall capture FILE",
    ),
    "hrping": Refused("what hrping prints", r": seq=[0-9a-f]{4} time=[\d.]+ms|^This is hrPING", _SINGLE),
    "nping": Refused("what nping prints", r"^Starting Nping |^(?:SENT|RCVD) \([\d.]+s\)", _SINGLE),
    "prettyping": Refused(
        "what prettyping draws", r"^ *\d+/ *\d+ \( *\d+%\) lost;", "what ping prints itself"
    ),
    "iperf": Refused(
        "what iperf prints, no round trips", r"^\[ ID\] Interval +Transfer", "JSON of a sender: iperf3 --json"
    ),
    "sockperf": Refused(
        "a summary of sockperf alone", r"^sockperf: ", "its table: sockperf ping-pong --full-log FILE"
    ),
    "qperf, netperf": Refused("a mean alone", r"^\s+latency  += +[\d.]+ \ws\s*$|^MIGRATED TCP", _SINGLE),
    "Cisco IOS": Refused(
        "what a Cisco router prints, no times of single replies",
        r"^Sending \d+, [\d-]+ ?byte ICMP Echos|^Success rate is ",
        "lines such as: Reply to request 0 (4 ms), as ping prints with the option verbose",
    ),
    "pathping": Refused("what pathping prints", r"^Computing statistics for \d+ seconds", _SINGLE),
    "HTML or XML": Refused("HTML or XML", r"^\s*<[!?a-zA-Z]", "a CSV file"),
}
"""By the names of the programs."""
_KNOWN = tuple((each, re.compile(each.form)) for each in REFUSED.values())
_LOOKED_AT = 30
"""Lines in which a program makes itself known."""


def refuse_others(file: str, lines: Sequence[str]) -> None:
    """Raises InputError, which names the program and its line, for what one of these programs prints."""
    filled = [(number, line) for number, line in enumerate(lines, 1) if line.strip()][:_LOOKED_AT]
    for number, line in filled:
        for each, form in _KNOWN:
            if form.search(line):
                raise InputError(f"{file}:{number}", each.what, each.instead)
