"""Drawn runs of requests, of which the truth is known, and how measuring programs print them.

A run has requests with numbers from a first one on, of which some are lost, some answered twice and some
overtaken. A writer prints it as a program does; what may be cut off is the writer's affair no more.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

HOST = "192.0.2.1"


@dataclass
class Drawn:
    """A run: milliseconds of each request, NaN if it was lost, and the order in which replies came."""

    rtts: list[float]
    doubled: set[int] = field(default_factory=set)
    """Requests that were answered twice."""
    order: list[int] = field(default_factory=list)
    """Requests in the order of their first replies, or of the words of their loss."""

    @property
    def received(self) -> int:
        return sum(not math.isnan(rtt) for rtt in self.rtts)


def drawn(
    rng: random.Random,
    count: int,
    *,
    decimals: int,
    loss: float = 0.1,
    doubles: float = 0.05,
    overtaken: bool = True,
) -> Drawn:
    """A run of ``count`` requests, times with as many decimals."""
    rtts = [
        math.nan if rng.random() < loss else round(20 + rng.expovariate(0.2), decimals) for _ in range(count)
    ]
    if all(map(math.isnan, rtts)):
        rtts[count // 2] = 21.0
    doubled = {k for k, rtt in enumerate(rtts) if not math.isnan(rtt) and rng.random() < doubles}
    order = list(range(count))
    for k in range(1, count):
        if overtaken and rng.random() < 0.05:
            order[k - 1], order[k] = order[k], order[k - 1]
    return Drawn(rtts, doubled, order)


Lines = Callable[[Drawn, int], Iterator[str]]
"""The lines between first line and statistics, for numbers that begin at one."""


@dataclass(frozen=True)
class Writer:
    """A program's form."""

    head: Callable[[Drawn], list[str]]
    lines: Lines
    tail: Callable[[Drawn], list[str]]
    decimals: int
    first: int | None
    """The number of the first request; ``None`` for programs without numbers."""
    words: bool
    """True if a lost request has a line of its own."""
    doubles: bool = True
    """True if a request may be answered twice."""
    overtaken: bool = True
    wraps: bool = True


def _numbered(reply: str, *, lost: str | None = None, again: str | None = None, wraps: bool = True) -> Lines:
    def lines(run: Drawn, first: int) -> Iterator[str]:
        for k in run.order:
            seq = (first + k) % 65536 if wraps else first + k
            if math.isnan(run.rtts[k]):
                if lost is not None:
                    yield lost.format(seq=seq)
                continue
            yield reply.format(seq=seq, rtt=run.rtts[k])
            if k in run.doubled:
                yield (again or reply).format(seq=seq, rtt=run.rtts[k] + 1)

    return lines


def _nothing(run: Drawn) -> list[str]:
    return []


def _counts(form: str, *, doubles: str = "") -> Callable[[Drawn], list[str]]:
    def tail(run: Drawn) -> list[str]:
        sent, received, extra = len(run.rtts), run.received, len(run.doubled)
        again = doubles.format(extra=extra) if extra and doubles else ""
        share = round(100 * (sent - received) / sent)
        text = form.format(
            sent=sent, received=received, all=received + extra, lost=sent - received, again=again, share=share
        )
        return text.split("\n")

    return tail


_IPUTILS = "64 bytes from 192.0.2.1: icmp_seq={seq} ttl=57 time={rtt:.2f} ms"
_BSD = "64 bytes from 192.0.2.1: icmp_seq={seq} ttl=57 time={rtt:.3f} ms"
_STATISTICS = "\n--- 192.0.2.1 ping statistics ---\n"

WRITERS: dict[str, Writer] = {
    "iputils": Writer(
        lambda run: [f"PING {HOST} ({HOST}) 56(84) bytes of data."],
        _numbered(_IPUTILS, again=_IPUTILS + " (DUP!)"),
        _counts(_STATISTICS + "{sent} packets transmitted, {received} received, {again}{share}% packet loss, time 9ms", doubles="+{extra} duplicates, "),
        2, 1, words=False,
    ),
    "iputils -O": Writer(
        lambda run: [f"PING {HOST} ({HOST}) 56(84) bytes of data."],
        _numbered(_IPUTILS, lost="no answer yet for icmp_seq={seq}", again=_IPUTILS + " (DUP!)"),
        _counts(_STATISTICS + "{sent} packets transmitted, {received} received, {again}{share}% packet loss, time 9ms", doubles="+{extra} duplicates, "),
        2, 1, words=True,
    ),
    "macOS": Writer(
        lambda run: [f"PING {HOST} ({HOST}): 56 data bytes"],
        _numbered(_BSD, lost="Request timeout for icmp_seq {seq}", again=_BSD + " (DUP!)"),
        _counts(_STATISTICS + "{sent} packets transmitted, {received} packets received, {again}{share}.0% packet loss", doubles="+{extra} duplicates, "),
        3, 0, words=True,
    ),
    "BusyBox": Writer(
        lambda run: [f"PING {HOST} ({HOST}): 56 data bytes"],
        _numbered("64 bytes from 192.0.2.1: seq={seq} ttl=57 time={rtt:.3f} ms", again="64 bytes from 192.0.2.1: seq={seq} ttl=57 time={rtt:.3f} ms (DUP!)"),
        _counts(_STATISTICS + "{sent} packets transmitted, {received} packets received, {again}{share}% packet loss", doubles="{extra} duplicates, "),
        3, 0, words=False,
    ),
    "hping3": Writer(
        lambda run: [f"HPING {HOST} (eth0 {HOST}): icmp mode set, 28 headers + 0 data bytes"],
        _numbered("len=28 ip=192.0.2.1 ttl=57 id=1 icmp_seq={seq} rtt={rtt:.1f} ms", again="DUP! len=28 ip=192.0.2.1 ttl=57 id=1 icmp_seq={seq} rtt={rtt:.1f} ms"),
        _counts("\n--- 192.0.2.1 hping statistic ---\n{sent} packets transmitted, {all} packets received, {share}% packet loss\nround-trip min/avg/max = 1/2/3 ms"),
        1, 0, words=False,
    ),
    "fping -c": Writer(
        _nothing,
        _numbered("192.0.2.1 : [{seq}], 64 bytes, {rtt:.1f} ms (25.0 avg, 7% loss)", lost="192.0.2.1 : [{seq}], timed out (25.0 avg, 7% loss)", wraps=False),
        _counts("\n192.0.2.1 : xmt/rcv/%loss = {sent}/{received}/{share}%, min/avg/max = 1/2/3"),
        1, 0, words=True, doubles=False, wraps=False,
    ),
    "httping": Writer(
        lambda run: [f"PING {HOST}:80 (/):"],
        _numbered("connected to 192.0.2.1:80 (159 bytes), seq={seq} time={rtt:6.2f} ms ", lost="could not connect (Connection refused)", wraps=False),
        _counts("--- http://192.0.2.1/ ping statistics ---\n{sent} connects, {received} ok, 0.00% failed, time 9ms"),
        2, 0, words=True, doubles=False, overtaken=False, wraps=False,
    ),
    "Huawei": Writer(
        lambda run: [f"  PING {HOST}: 56  data bytes, press CTRL_C to break"],
        _numbered("    Reply from 192.0.2.1: bytes=56 Sequence={seq} ttl=255 time={rtt:.0f} ms", lost="    Request time out"),
        _counts("\n  --- 192.0.2.1 ping statistics ---\n    {sent} packet(s) transmitted\n    {received} packet(s) received\n    {share}.00% packet loss\n    round-trip min/avg/max = 1/2/3 ms"),
        0, 1, words=True, doubles=False, overtaken=False,
    ),
    "NX-OS": Writer(
        lambda run: [f"PING {HOST} ({HOST}): 56 data bytes"],
        _numbered(_BSD, lost="Request {seq} timed out"),
        _counts(_STATISTICS + "{sent} packets transmitted, {received} packets received, {share}.00% packet loss"),
        3, 0, words=True, doubles=False,
    ),
    "RouterOS": Writer(
        lambda run: ["  SEQ HOST                                     SIZE TTL TIME  STATUS"],
        _numbered("{seq:>5} 192.0.2.1                                  56  57 {rtt:.0f}ms", lost="{seq:>5} 192.0.2.1                                              timeout"),
        _counts("    sent={sent} received={received} packet-loss={share}% min-rtt=1ms avg-rtt=2ms max-rtt=3ms"),
        0, 0, words=True, doubles=False,
    ),
    "irtt": Writer(
        lambda run: ["[Connecting] connecting to 192.0.2.1"],
        _numbered("seq={seq} rtt={rtt:.2f}ms rd=1ms sd=1ms ipdv=n/a", again="DUP! seq={seq}", wraps=False),
        _counts("\n  packets sent/received: {sent}/{all} ({share}.00% loss)"),
        2, 0, words=False, wraps=False,
    ),
    "Windows": Writer(
        lambda run: [f"Pinging {HOST} with 32 bytes of data:"],
        _numbered("Reply from 192.0.2.1: bytes=32 time={rtt:.0f}ms TTL=57", lost="Request timed out."),
        _counts("\nPing statistics for 192.0.2.1:\n    Packets: Sent = {sent}, Received = {received}, Lost = {lost} ({share}% loss),"),
        0, None, words=True, doubles=False, overtaken=False,
    ),
    "PowerShell 7": Writer(
        lambda run: [f"   Destination: {HOST}", "", "Ping Source           Address                   Latency BufferSize Status", "                                                   (ms)        (B)", "---- ------           -------                   ------- ---------- ------"],
        _numbered("{seq:>4} HOST             192.0.2.1                      {rtt:.0f}         32 Success", lost="{seq:>4} HOST             *                               *         32 TimedOut", wraps=False),
        _nothing,
        0, 1, words=True, doubles=False, overtaken=False, wraps=False,
    ),
    "arping": Writer(
        lambda run: [f"ARPING {HOST}"],
        _numbered("42 bytes from aa:bb:cc:dd:ee:ff (192.0.2.1): index=0 time={rtt:.3f} msec", lost="Timeout"),
        _counts("\n--- 192.0.2.1 statistics ---\n{sent} packets transmitted, {received} packets received,   5% unanswered (0 extra)"),
        3, None, words=True, doubles=False, overtaken=False,
    ),
    "tcping": Writer(
        _nothing,
        _numbered("Probing 192.0.2.1:80/tcp - Port is open - time={rtt:.3f}ms ", lost="Probing 192.0.2.1:80/tcp - No response - time=2000.1ms "),
        _counts("Ping statistics for 192.0.2.1:80\n     {sent} probes sent.\n     {received} successful, {lost} failed.  (0.00% fail)"),
        3, None, words=True, doubles=False, overtaken=False,
    ),
    "paping": Writer(
        lambda run: [f"Connecting to {HOST} on TCP 80:", ""],
        _numbered("Connected to 192.0.2.1: time={rtt:.2f}ms protocol=TCP port=80", lost="Connection timed out"),
        _counts("\nConnection statistics:\n\tAttempted = {sent}, Connected = {received}, Failed = {lost} (1%)"),
        2, None, words=True, doubles=False, overtaken=False,
    ),
}  # fmt: skip


def atlas(run: Drawn) -> str:
    """RIPE Atlas: a result of three requests each."""
    results = []
    for begin in range(0, len(run.rtts), 3):
        part = [{"x": "*"} if math.isnan(rtt) else {"rtt": rtt} for rtt in run.rtts[begin : begin + 3]]
        results.append(
            {"type": "ping", "prb_id": 7, "dst_addr": HOST, "timestamp": 1700000000 + begin, "result": part}
        )
    return json.dumps(results)


def fping_json(run: Drawn) -> str:
    """fping --json: a value a line."""
    lines = []
    for k in run.order:
        lost = math.isnan(run.rtts[k])
        each = {"host": HOST, "seq": k} if lost else {"host": HOST, "seq": k, "size": 64, "rtt": run.rtts[k]}
        lines += [json.dumps({"timeout" if lost else "resp": each})] * (2 if k in run.doubled else 1)
    return "\n".join(lines)


def irtt_json(run: Drawn) -> str:
    """irtt -o: nanoseconds, losses with their direction."""
    trips = [
        {
            "seqno": k,
            "lost": "true_down" if math.isnan(rtt) else "false",
            "timestamps": {"client": {"send": {"wall": 1_700_000_000_000_000_000 + k * 10_000_000}}},
            "delay": {} if math.isnan(rtt) else {"rtt": round(rtt * 1e6)},
        }
        for k, rtt in enumerate(run.rtts)
    ]
    return json.dumps(
        {"version": {}, "config": {}, "stats": {}, "round_trips": [trips[k] for k in run.order]}
    )


def mtr_raw(run: Drawn) -> str:
    """mtr --raw over two hops, of which the second is the target."""
    lines = []
    for k, rtt in enumerate(run.rtts):
        lines += [f"x 0 {2 * k}", f"x 1 {2 * k + 1}", "h 0 198.51.100.7", f"p 0 900 {2 * k}"]
        if not math.isnan(rtt):
            lines += [f"h 1 {HOST}", f"p 1 {round(1000 * rtt)} {2 * k + 1}"]
    return "\n".join(lines)


def powershell_json(run: Drawn) -> str:
    """Test-Connection ... | ConvertTo-Json."""
    return json.dumps(
        [
            {
                "Ping": k + 1,
                "Destination": HOST,
                "Latency": 0 if math.isnan(rtt) else rtt,
                "Status": 11010 if math.isnan(rtt) else 0,
            }
            for k, rtt in enumerate(run.rtts)
        ]
    )


def status_table(run: Drawn) -> str:
    """A monitor's table that has lost requests as 0, with a word beside."""
    rows = (
        f"{1700000000 + k},{0 if math.isnan(rtt) else rtt},{'timeout' if math.isnan(rtt) else 'ok'}"
        for k, rtt in enumerate(run.rtts)
    )
    return "\n".join(["time,rtt_ms,status", *rows])


RECORDS: dict[str, Callable[[Drawn], str]] = {
    "RIPE Atlas": atlas,
    "fping --json": fping_json,
    "irtt -o": irtt_json,
    "mtr --raw": mtr_raw,
    "ConvertTo-Json": powershell_json,
    "table with states": status_table,
}
