"""Output of ``ping`` on Windows, in any language: a line for each request, in their order, without numbers.

A reply is told by its time and by ``TTL=``, which no language translates. Any other line among the requests
is one that got no reply: as it is known, or as the statistics at the end say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from parshall.errors import InputError, shown
from parshall.forecast.files.events import End, Event, Lost, Reply, Start
from parshall.forecast.files.stamps import leading

__all__ = ["is_windows_ping", "windows_events"]

_ADDRESS = r"(?:\d+\.\d+\.\d+\.\d+|[0-9a-fA-F]*:[0-9a-fA-F:.]+(?:%\w+)?)"
_REPLY = re.compile(
    r"(?P<sign>[=<]) ?(?P<time>\d+) ?(?:ms|мс|мсек|[^\s\d=]{1,6})?[ \t]+TTL ?=|"
    rf"{_ADDRESS}.*(?P<sign6>[=<]) ?(?P<time6>\d+) ?(?:ms|мс|мсек)\s*$"
)
_START = re.compile(
    rf"^(?=.*(?<![\d.:\w\[])\d+(?![\d.:])).*?(?:(?P<name>\S+) \[|(?P<address>{_ADDRESS})).*[:：]\s*$"
)
"""A line that ends in a colon, with a target and the number of bytes that are sent to it."""
_END = re.compile(
    r"= ?(?P<sent>\d+)(?!\d| ?ms| ?мс)[^=\d]*= ?(?P<received>\d+)(?!\d| ?ms| ?мс)"
    r"[^=\d]*= ?(?P<lost>\d+)(?!\d| ?ms| ?мс)"
)
_LOST = re.compile(
    "|".join(
        (
            r"request timed out", r"unreachable", r"general failure", r"TTL expired", r"transmit failed",
            r"zeit.{1,2}berschreitung", r"nicht erreichbar", r"allgemeiner fehler", r"G.{1,2}ltigkeitsdauer",
            r"d.{1,2}lai d.{1,3}attente", r"impossible de joindre", r"d.{1,2}faillance", r"inaccessible",
            r"tiempo de espera agotado", r"inaccesible", r"error general",
            r"richiesta scaduta", r"non raggiungibile", r"errore generale",
            r"esgotado o tempo", r"inacess.{1,2}vel", r"falha geral",
            r"time-out bij", r"onbereikbaar", r"algemene fout",
            r"limit czasu", r"nieosi.{1,2}galny", r"b.{1,2}d og.{1,2}lny",
            r"превышен интервал", r"недоступ", r"общий сбой",
            r"请求超时", r"无法访问", r"一般故障", r"要求等候逾時", r"無法連線", r"一般失敗",
            r"要求がタイムアウト", r"到達できません", r"一般エラー", r"요청 시간이 만료", r"연결할 수 없",
            r"gjorde timeout", r"fik timeout", r"tidsavbrutt", r"aikakatkaistiin", r"zaman a.{1,2}m",
            r"asov.{1,2} limit", r"nedostupn", r"nem .{1,2}rkezett v.{1,2}lasz",
        )
    ),
    re.IGNORECASE,
)  # fmt: skip
"""Words of lines that tell of a request without a reply; dots stand for letters that code pages garble."""
_HEADING = re.compile(r"\bpinging\b.*\bbytes of data:", re.IGNORECASE)


def is_windows_ping(lines: Sequence[str]) -> bool:
    """Returns true for output of ping on Windows."""
    return any(_HEADING.search(line) for line in lines) or (
        any(_REPLY.search(line) for line in lines)
        or (any(_START.search(line) for line in lines) and any(_END.search(line) for line in lines))
    )


@dataclass
class _Block:
    """The requests of one run, and lines among them that are not understood."""

    start: Start | None
    requests: list[Reply | Lost] = field(default_factory=list)
    strange: list[int] = field(default_factory=list)
    """Places of such lines in ``requests``, where they stand as lost ones."""
    end: End | None = None


def windows_events(file: str, lines: Sequence[str]) -> Iterator[Event]:
    """Reads each line. Raises InputError for a line among the requests that is neither a reply nor known
    to tell of a loss, unless the statistics say that it is one.
    """
    for block in _blocks(lines):
        if block.start is not None:
            yield block.start
        _check(file, lines, block)
        yield from block.requests
        if block.end is not None:
            yield block.end


def _blocks(lines: Sequence[str]) -> Iterator[_Block]:
    block, among = _Block(None), False
    for number, line in enumerate(lines, 1):
        stamp, rest = leading(line)
        if reply := _REPLY.search(rest):
            among = True
            rtt = float(reply["time"] or reply["time6"]) / 1e3
            below = "<" in (reply["sign"], reply["sign6"])
            block.requests.append(Reply(number, None, rtt / 2 if below else rtt, stamp, step=1e-3))
        elif (end := _END.search(rest)) and int(end["sent"]) == int(end["received"]) + int(end["lost"]):
            block.end = End(number, int(end["sent"]), int(end["received"]))
            among = False
            if block.start is None:
                # Runs without their first lines are told apart by their last ones.
                yield block
                block = _Block(None)
        elif start := _START.search(rest):
            if block.requests or block.start:
                yield block
            block, among = _Block(Start(number, start["name"] or start["address"], None)), True
        elif not rest.strip():
            among = False
        elif _LOST.search(rest):
            block.requests.append(Lost(number, None, stamp))
        elif among:
            block.strange.append(len(block.requests))
            block.requests.append(Lost(number, None, stamp))
    if block.requests or block.start:
        yield block


def _check(file: str, lines: Sequence[str], block: _Block) -> None:
    """Refuses lines that are not understood, unless there are as many requests as the statistics say."""
    sent = None if block.end is None else block.end.sent
    if block.strange and len(block.requests) != sent:
        line = block.requests[block.strange[0]].line
        raise InputError(
            f"{file}:{line}", shown(lines[line - 1]), "a reply, or a line that tells of its loss"
        )
