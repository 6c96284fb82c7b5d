"""The forms of programs that print a line for each request, beside ping and fping."""

from __future__ import annotations

from parshall.forecast.files.forms import Form

__all__ = ["FORMS"]

_PROBES = (r"(?P<sent>\d+) probes sent", r"(?P<received>\d+) successful, \d+ failed")

FORMS: dict[str, Form] = {
    "httping": Form(
        known=r"\bconnected to \S+ \(\d+ bytes\), seq=\d+ time=|^PING \S+:\d+ \(\S*\):\s*$",
        reply=r"connected to (?P<host>\S+) \(.*?\), seq=(?P<seq>\d+) time=(?: *[^\s+=]+[+=])* *(?P<time>[\d.]+) *(?P<unit>m?s)\b",
        lost=r"time ?out|could not connect|refused|[Nn]o route|error|failed|unreachable|closed",
        start=r"^PING (?P<target>\S+):\d+ \(",
        end=(r"(?P<sent>\d+) connects, (?P<received>\d+) ok",),
        other=r"^--- .* statistics ---|^round-trip ",
        first=0,
        marks=True,
    ),
    "tcping": Form(
        known=r"^(?:\S+ \S+ )?Probing \S+/tcp - |^Ping (?:tcp|https?)://\S+ |\bon port \d+ TCP_conn=\d+",
        reply=r"(?:Port is (?:open|closed)|connected|Reply from (?P<host>\S+).*TCP_conn=\d+)\b.*time=(?P<time>[\d.]+) ?(?P<unit>m?s)",
        lost=r"No response|[Tt]ime ?out|timed out|failed|refused|No reply|unreachable",
        start=r"^TCPinging (?P<target>\S+)",
        end=(*_PROBES, r"(?P<sent>\d+) probes transmitted.*?(?P<received>\d+) received"),
        other=r"statistics|Approximate|Minimum|Was able|Trip times|round-trip|^TCPing|^-{3,}|"
        r"^\s*(?:min|rtt|uptime|downtime|duration|longest|total|last|first|successful|unsuccessful)",
    ),
    "paping": Form(
        known=r"^Connected to \S+: time=[\d.]+ms protocol=",
        reply=r"^Connected to (?P<host>\S+): time=(?P<time>[\d.]+)(?P<unit>ms)",
        lost=r"timed out|refused|failed",
        start=r"^Connecting to (?P<target>\S+)",
        end=(r"Attempted = (?P<sent>\d+), Connected = (?P<received>\d+)",),
        other=r"^paping|statistics|Approximate|Minimum",
    ),
    "PsPing": Form(
        known=r"^Connecting to \S+(?: \(warmup\))?: (?:from \S+: [\d.]+ms|.*timeout)",
        reply=r"^Connecting to (?P<host>\S+): from \S+: (?P<time>[\d.]+)(?P<unit>ms)",
        lost=r"^Connecting to \S+:\s*$|^Connecting to \S+: (?!from)",
        start=r"^TCP connect to (?P<target>\S+?):?$",
        end=(r"Sent = (?P<sent>\d+), Received = (?P<received>\d+)",),
        other=r"\(warmup\)|^This operation|^PsPing|^Copyright|^Sysinternals|iterations|statistics|Minimum",
    ),
    "arping of Thomas Habets": Form(
        known=r"bytes from \S+ \([^)]*\): index=\d+ time=",
        reply=r"bytes from \S+ \((?P<host>[^)]*)\): index=\d+ time=(?P<time>[\d.]+) (?P<unit>[um]?sec)",
        lost=r"^Timeout",
        start=r"^ARPING (?P<target>\S+)",
        end=(r"(?P<sent>\d+) packets transmitted, (?P<received>\d+) packets received",),
        other=r"^--- .* statistics ---|^rtt min",
    ),
    "arping of iputils": Form(
        known=r"^(?:Unicast|Broadcast) reply from \S+ \[",
        reply=r"^(?:Unicast|Broadcast) reply from (?P<host>\S+) \[[^]]*\].*?\s(?P<time>[\d.]+)(?P<unit>ms)",
        lost=r"^Timeout",
        start=r"^ARPING (?P<target>\S+) from",
        end=(r"^Sent (?P<sent>\d+) probe", r"^Received (?P<received>\d+) (?:response|reply)"),
        other=r"^WARNING|request",
    ),
    "ping of Huawei and H3C": Form(
        known=r"\bbytes=\d+ Sequence ?= ?\d+ ",
        reply=r"(?:Reply from (?P<host>\S+): )?\bbytes=\d+ Sequence ?= ?(?P<seq>\d+) .*time ?(?P<sign>[=<]) ?(?P<time>\d+) ?(?P<unit>ms)",
        lost=r"Request time(?:d)? ?out|unreachable|exceeded",
        start=r"\bPING (?P<target>\S+?): +\d+ +data bytes",
        end=(r"(?P<sent>\d+) packet\(?s?\)? transmitted", r"(?P<received>\d+) packet\(?s?\)? received"),
        other=r"Reply from \S+\s*$|statistics|packet loss|round-trip",
    ),
    "ping of Cisco IOS, verbose": Form(
        known=r"\bReply to request \d+ \(\d+ ms\)",
        reply=r"\bReply to request (?P<seq>\d+) \((?P<time>\d+) (?P<unit>ms)\)",
        lost=r"Request (?P<seq>\d+) timed out",
        start=r"^Sending \d+, [\d-]+ ?byte ICMP Echos to (?P<target>\S+?),",
        end=(r"^Success rate is \d+ percent \((?P<received>\d+)/(?P<sent>\d+)\)",),
        other=r"^Type escape|^Packet |^Reply data|^Unreachable|^[!.U]+$|:",
        first=0,
    ),
    "ping of RouterOS": Form(
        known=r"^ *SEQ HOST +SIZE TTL TIME|\bsent=\d+ received=\d+ packet-loss=|^\s*\d+ \S+ +\d+ +\d+ (?:\d+(?:s|ms|us))+\s*$",
        reply=r"^\s*(?P<seq>\d+)\s+(?P<host>\S+)\s+\d+\s+\d+\s+(?P<time>(?:\d+(?:s|ms|us))+)\s*(?:echo reply)?\s*$",
        unit="",
        lost=r"^\s*(?P<seq>\d+)\s.*\b(?:timeout|unreachable|exceeded|no route|prohibited|failed|net |host )",
        start=r"^(?:\[.*\] >|) ?/?(?:tool )?ping (?:address=)?(?P<target>[^\s=]+)",
        end=(r"\bsent=(?P<sent>\d+) received=(?P<received>\d+)",),
        other=r"SEQ HOST|-rtt=|^\s*-- \[",
        first=0,
    ),
    "ping of old RouterOS": Form(
        known=r"\bbyte p[io]ng: ttl=\d+ time",
        reply=r"^(?P<host>\S+) \d+ byte p[io]ng: ttl=\d+ time(?P<sign>[=<]) ?(?P<time>\d+) ?(?P<unit>ms)",
        lost=r"ping timeout|unreachable",
        start=r"ping (?P<target>\d\S+)",
        end=(r"(?P<sent>\d+) packets transmitted, (?P<received>\d+) packets received",),
        other=r"^round-trip",
    ),
    "Test-Connection of PowerShell 7": Form(
        known=r"^\s*Ping +Source +Address +Latency|^\s*\d+ \S+ +\S+ +(?:\d+|\*) +\d+ [A-Z][A-Za-z]+\s*$",
        reply=r"^\s*(?P<seq>\d+)\s+\S+\s+(?P<host>\S+)\s+(?P<time>\d+)\s+\d+\s+Success\s*$",
        lost=r"^\s*(?P<seq>\d+)\s+\S+\s+\S+\s.*\b[A-Z]\w+\s*$",
        start=r"^\s*Destination: (?P<target>\S+)",
        end=(),
        other=r"^\s*Ping +Source|^[\s()msB]+$|^[\s-]+$",
        first=1,
    ),
    "Test-Connection of Windows PowerShell": Form(
        known=r"^Source +Destination +IPV4Address +IPV6Address +Bytes +Time",
        reply=r"^\S+ +\S+ .*\s\d+ +(?P<time>\d+)\s*$",
        lost=r"^Test-Connection : ",
        start=r"(?!)",
        end=(),
        other=r"^Source +|^[\s-]+$|^At |^\+|^\s+\+|[Ee]rror",
    ),
    "irtt": Form(
        known=r"^seq=\d+ rtt=[\d.]+[mµun]?s rd=",
        reply=r"^seq=(?P<seq>\d+) rtt=(?P<time>[\d.]+)(?P<unit>[mµun]?s)\b",
        double=r"^DUP! seq=(?P<seq>\d+)",
        marks=True,
        doubles_received=True,
        lost=r"(?!)",
        start=r"\] connecting to (?P<target>\S+)",
        end=(r"packets sent/received: (?P<sent>\d+)/(?P<received>\d+)",),
        other=r"",
        first=0,
    ),
}  # fmt: skip
"""By the names of the programs."""
