"""Analysis of a capture by tshark, packet by packet."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")

_ANALYSIS = "tcp.analysis."
_FIELDS = (
    "frame.comment",
    "frame.len",
    "frame.cap_len",
    "ip.src",
    "ip.dst",
    "ip.dsfield.ecn",
    "ip.dsfield.dscp",
    "udp.length",
    "tcp.srcport",
    "tcp.stream",
    "tcp.seq_raw",
    "tcp.flags",
    "tcp.window_size",
    "tcp.options.sack.count",
    "tcp.options.timestamp.tsecr",
    "_ws.expert.message",
    *(
        _ANALYSIS + name
        for name in (
            "retransmission",
            "fast_retransmission",
            "spurious_retransmission",
            "out_of_order",
            "keep_alive",
            "duplicate_ack",
            "lost_segment",
            "ack_lost_segment",
            "zero_window",
            "window_full",
            "reused_ports",
        )
    ),
)
REPEATS = ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
"""Names that Wireshark gives to a segment that does not go beyond those before it."""

FIN, SYN, ECE, CWR = 0x01, 0x02, 0x40, 0x80


@dataclass(frozen=True)
class Dissected:
    """A packet as tshark sees it: text of fields, several values of one separated by |."""

    fields: dict[str, str]

    def number(self, name: str) -> int:
        """A field with a number, decimal or hexadecimal; 0 where it is missing."""
        return int(self.fields[name].split("|")[0] or "0", 0)

    def is_a(self, *names: str) -> bool:
        """Returns whether the analysis has one of these names for the packet."""
        return any(self.fields[_ANALYSIS + name] for name in names)

    def flags(self, *flags: int) -> bool:
        return all(self.number("tcp.flags") & flag for flag in flags)

    @property
    def repeats(self) -> bool:
        return self.is_a(*REPEATS)

    @property
    def ack(self) -> bool:
        """True if the packet comes from a receiver."""
        return self.fields["tcp.srcport"] == "80"

    @property
    def comments(self) -> list[str]:
        return [comment for comment in self.fields["frame.comment"].split("|") if comment]


def dissect(capture: bytes, folder: Path, *, show: str = "") -> list[Dissected]:
    """Packets of a capture, those that the display filter ``show`` lets through."""
    file = folder / "capture"
    file.write_bytes(capture)
    fields = [argument for field in _FIELDS for argument in ("-e", field)]
    wanted = ["-Y", show] if show else []
    separators = ["-E", "separator=/t", "-E", "aggregator=|"]
    command = ["tshark", "-n", "-r", str(file), "-T", "fields", *separators, *wanted, *fields]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "malformed" not in done.stderr.lower()
    return [Dissected(dict(zip(_FIELDS, line.split("\t"), strict=True))) for line in done.stdout.splitlines()]
