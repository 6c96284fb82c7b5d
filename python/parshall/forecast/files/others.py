"""Programs whose output holds round-trip times but is not read: each is called by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parshall.errors import InputError

__all__ = ["refuse_others"]

_OTHERS = (
    (
        "what mtr prints, means of a path's hops",
        r"^HOST: .*Loss%|^Start: .*\d{4}|My traceroute|^Mtr_Version,|^[hpxdt] \d+ ",
    ),
    ("what traceroute prints", r"^traceroute6? to |^Tracing route to |^ *1  +\S.* ms  "),
    ("what tcpdump prints", r"\bIP6? \S+ > \S+: |^\S+ IP6?, "),
    ("what hrping prints", r": seq=[0-9a-f]{4} time=[\d.]+ms|^This is hrPING"),
    ("what nping prints", r"^Starting Nping |^(?:SENT|RCVD) \([\d.]+s\)"),
    ("what arping prints", r"^ARPING |^(?:Unicast|Broadcast) reply from | index=\d+ time=[\d.]+"),
    ("what tcping or paping prints", r"^Probing \S+|^Connected to \S+: time=|\bPort is open\b"),
    (
        "what a Cisco router prints, no times of single replies",
        r"^Sending \d+, [\d-]+ ?byte ICMP Echos|^Success rate is ",
    ),
    ("what ping of RouterOS prints", r"^ *SEQ HOST +SIZE TTL TIME"),
    (
        "what Test-Connection of PowerShell prints",
        r"\bLatency(?:\(ms\) +\w| +BufferSize)|^Source +Destination +IPV4Address",
    ),
    ("what pathping prints", r"^Computing statistics for \d+ seconds"),
    ("HTML or XML", r"^\s*<[!?a-zA-Z]"),
    ("JSON", r"^\s*[{\[]\s*(?:[\"{\[}\]]|$)"),
)
_KNOWN = tuple((what, re.compile(form)) for what, form in _OTHERS)
_LOOKED_AT = 30
"""Lines in which a program makes itself known."""


def refuse_others(file: str, lines: Sequence[str]) -> None:
    """Raises InputError, which names the program and its line, for what one of these programs prints."""
    filled = [(number, line) for number, line in enumerate(lines, 1) if line.strip()][:_LOOKED_AT]
    for number, line in filled:
        for what, form in _KNOWN:
            if form.search(line) and not (what == "JSON" and number != filled[0][0]):
                expected = "what ping or fping prints, or a CSV file"
                raise InputError(f"{file}:{number}", what, expected)
