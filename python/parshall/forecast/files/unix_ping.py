"""Output of ``ping`` on Unix: iputils of any age and language, with and without -D, macOS, the BSDs,
Solaris, BusyBox, GNU inetutils, routers that print likewise, and hping3; with or without a time in front of
each line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parshall.errors import InputError, shown
from parshall.forecast.files.events import End, Event, Lost, Reply, Start, Warned
from parshall.forecast.files.hping import is_hping, statistics_last
from parshall.forecast.files.numbers import duration
from parshall.forecast.files.stamps import leading

__all__ = ["is_unix_ping", "not_understood", "unix_events"]

_SEQUENCE = re.compile(
    r"\b(?:icmp6?_)?(?:seq|req)(?:=| )(?P<seq>\d+)\b|\bRequest (?P<request>\d+) timed out\b"
)
_HOPS = re.compile(r"\b(?:ttl|hlim)=\d+")
_FROM = re.compile(r"\bbytes from\b")
_HOST = re.compile(r"\bbytes from (?:[^\s(]+ \((?P<ip>[^)]+)\)|(?P<name>[^\s,]+?)[:,]? )|\bip=(?P<hping>\S+)")
_TIME = re.compile(
    r"(?P<sign>[=<]) *(?P<time>-?\d+(?:[.,]\d*)?) ?"
    r"(?P<unit>ms|msec|usec|us|µs|μs|ns|sec|s|мс|毫秒|ミリ秒)(?![\w])"
)
_BEFORE = re.compile(r"\s*\S.*?\s\d+ ?(?:bytes|octets|bajt|байт|バイト|字节)", re.IGNORECASE)
"""Something in front of a reply."""
_NO_TIME = re.compile(r"\b(?:ttl|hlim|ident)=\w+|\([^)]*\)|[.:,]")
"""Text that may stand behind the number of a reply that has no time."""
_AGAIN = re.compile(r"\(DUP!?\)|\bDUP!|\bduplicate\b", re.IGNORECASE)
_LOSS = re.compile(
    r"no answer|no reply|time ?out|timed out|unreachable|exceed|filter|prohibit|quench|problem|expired|"
    r"frag|lost|fail|error|source route|\bicmp6?_[sr]eq[= ]\d+\W*$",
    re.IGNORECASE,
)
"""Words of a line that tells of a request without a reply."""
_FROM_A_ROUTER = re.compile(r"\s*[^\W\d]+ \S+(?: \([^)]+\))?:? icmp6?_[sr]eq=\d+ [^=\d]+$")
"""Line that iputils prints of an error on the way, in any language."""
_ADVICE = re.compile(r"\bRedirect\b", re.IGNORECASE)
"""Lines with a number that say nothing of a loss."""
_WARNED = re.compile(r"time of day goes back|invalid tv_usec", re.IGNORECASE)
_START = re.compile(
    r"\bPING6?(?: |\([^)]*\) \S+ --> )(?P<target>[^\s(]+)(?: ?\(|.*\bbytes\b)|"
    r"\bPing (?P<toybox>\S+) \(\S+\): \d+\(\d+\) bytes|^HPING (?P<hping>\S+) \("
)
_FROM_ZERO = re.compile(r": ?\d+ (?:data )?bytes|\bPING6\(|^HPING ")
_INTERFACE = re.compile(r" from \S+ \S*: ?\d")
"""iputils with -I, whose line of IPv6 otherwise is that of others."""
_END = re.compile(
    r"(?:^|[^\w.,])(?P<sent>\d+) [^\d,=]+, (?P<received>\d+) (?P<what>[^\d,=]*[^\d,=\s])(?:,[^%]*)?, "
    r"-?\d+(?:[.,]\d+)?% "
)
_OTHER = re.compile(
    r"\s*$|\s*\^C|-{2,}.*(?:statisti|---)|.*(?:min/|mdev|stddev|std-dev)|RTT\[ms\]|pipe \d|[\[.!EWUT?\s\b]+$|"
    r"(?:ping6?: )?(?:sock|ai->)|warning:|[#$>%] ",
    re.IGNORECASE,
)
"""Lines that say nothing of a request."""


def is_unix_ping(lines: Sequence[str]) -> bool:
    """Returns true for output of ping on Unix."""
    return any(_START.search(line) or _is_reply(line) for line in lines)


def _is_reply(line: str) -> bool:
    sequence = _SEQUENCE.search(line)
    return bool(sequence and (_HOPS.search(line) or _FROM.search(line) or _TIME.search(line, sequence.end())))


def unix_events(file: str, lines: Sequence[str]) -> Iterator[Event]:
    """Reads each line. Raises InputError for a line with a request's number, or with a time, that is neither
    a reply nor tells of a loss.
    """
    hping = is_hping(lines)
    for number, line in statistics_last(lines) if hping else enumerate(lines, 1):
        sequence = _SEQUENCE.search(line)
        if sequence is None:
            yield from _frame(file, number, line, hping=hping)
        elif _is_reply(line):
            yield _as_reply(file, number, line, sequence)
        elif _tells_of_a_loss(line):
            stamp, _ = leading(line)
            yield Lost(number, int(sequence["seq"] or sequence["request"]), stamp)
        elif not _ADVICE.search(line):
            raise InputError(
                f"{file}:{number}", shown(line.strip()), "a reply, or a line that tells of its loss"
            )


def _tells_of_a_loss(line: str) -> bool:
    if _FROM.search(line) or _ADVICE.search(line):
        return False
    _, rest = leading(line)
    return bool(_LOSS.search(line) or _FROM_A_ROUTER.match(rest))


def not_understood(lines: Sequence[str]) -> int | None:
    """The number of the first line that is neither the first of a run, nor statistics, nor empty."""
    for number, line in enumerate(lines, 1):
        if not (_OTHER.match(line) or _START.search(line) or _END.search(line) or _SEQUENCE.search(line)):
            return number
    return None


def _frame(file: str, number: int, line: str, *, hping: bool) -> Iterator[Event]:
    """The first line of a run, its statistics, and warnings."""
    if found := _START.search(line):
        zero = _FROM_ZERO.search(line) and not _INTERFACE.search(line)
        target = found["target"] or found["toybox"] or found["hping"]
        yield Start(number, target.rstrip(":"), 0 if zero else 1)
    elif found := _END.search(line):
        # Whoever says "packets received" begins with 0: all but iputils.
        first = {"packets received": 0, "received": 1}.get(found["what"])
        yield End(number, int(found["sent"]), int(found["received"]), first, doubles_received=hping)
    elif _WARNED.search(line):
        yield Warned(number)
    elif _FROM.search(line) and _TIME.search(line):
        raise InputError(f"{file}:{number}", shown(line), "a reply with its number, such as icmp_seq=1")


def _as_reply(file: str, number: int, line: str, sequence: re.Match[str]) -> Reply:
    time = _TIME.search(line, sequence.end())
    rest = line[sequence.end() :]
    if time is None and _NO_TIME.sub("", rest).strip():
        raise InputError(f"{file}:{number}", shown(line), "a reply with a time such as time=12.3 ms")
    if time is None and not _HOPS.search(line):
        raise InputError(f"{file}:{number}", shown(line), "a whole line")
    stamp, _ = leading(line)
    rtt, step = None, 0.0
    if time is not None:
        if time["time"].startswith("-"):
            expected = "a round-trip time: a finite number, at least 0"
            raise InputError(f"{file}:{number}", time["time"], expected)
        read = duration(f"{time['time']} {time['unit']}")
        rtt, step = read or (0.0, 0.0)
        # A time below a bound lies anywhere between it and 0.
        rtt = rtt / 2 if time["sign"] == "<" else rtt
    host = _HOST.search(line)
    known = (
        None if host is None or "DIFFERENT ADDRESS" in line else host["ip"] or host["name"] or host["hping"]
    )
    return Reply(
        number,
        int(sequence["seq"]),
        rtt,
        stamp,
        again=bool(_AGAIN.search(line)),
        strange=stamp is None and bool(_BEFORE.match(line)),
        host=known,
        step=step,
    )
