"""The page docs/validation/linux-versions.md: a row for each rule, a column for each kernel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose

from parshall_dev.validate.linux_versions.reading import Facts
from parshall_studies import study as st

__all__ = ["HEAD", "RULES", "Rule", "page", "standing_delay_ms"]

HEAD = """\
# Linux's TCP from version to version

Made by `parshall validate linux-versions --out docs/validation/linux-versions.md`; [what it
means](../validation.md).
"""

_PACKET_BITS = 8 * 1514
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_BY_MEMORY = "sysctl.tcp_mem"
"""A setting that follows the machine's memory."""
_SHOWN = 10
"""Packets of a row."""
_LACKING = "not there"
"""Value of a setting that a kernel does not have."""


@dataclass(frozen=True)
class Rule:
    """A row: what is asked, how the facts answer, and how a scenario asks for it."""

    title: str
    value: Callable[[Facts], str]
    option: str
    """The option of ``Tcp`` or of a control that has the rule, or the profiles that do."""


def standing_delay_ms(facts: Facts, rate_mbit: int, rtt_ms: int) -> float:
    """Mean queueing delay of a BBR flow alone, in milliseconds."""
    waiting = float(facts[f"bbr_{rate_mbit}_{rtt_ms}.waiting_packets"])
    return waiting * _PACKET_BITS / (1e3 * rate_mbit)


def _fact(name: str) -> Callable[[Facts], str]:
    return lambda facts: facts[name]


def _setting(name: str) -> Callable[[Facts], str]:
    return lambda facts: facts.get(f"sysctl.{name}", _LACKING)


def _rounded(name: str) -> Callable[[Facts], str]:
    """Times of the first packets, to a tenth of a second from one second on: a timer is late by up to 6 %."""
    return lambda facts: ", ".join(
        f"{float(time):.1f}" if float(time) >= 1 else f"{float(time):.2f}"
        for time in facts[name].split()[:_SHOWN]
    )


def _with_max(facts: Facts) -> str:
    return _rounded("timeouts_max.times")(facts) if "sysctl.tcp_rto_max_ms" in facts else _LACKING


def _repaired(value: int) -> Callable[[Facts], str]:
    return lambda facts: f"{1e3 * float(facts[f'recovery{value}.repaired_after']):.0f} ms"


def _ecn(name: str) -> Callable[[Facts], str]:
    def value(facts: Facts) -> str:
        if facts[f"ecn_{name}.refused"] == "1":
            return "refused"
        asked, answered = facts[f"ecn_{name}.flags"].split()
        return f"{asked}, {answered}, {facts[f'ecn_{name}.data']}"

    return value


def _slow_start(name: str) -> Callable[[Facts], str]:
    return lambda facts: f"{facts[f'{name}.ends_at']}; {facts[f'{name}.cwnd'].replace(' ', ', ')}"


def _bbr(rate_mbit: int, rtt_ms: int) -> Callable[[Facts], str]:
    def value(facts: Facts) -> str:
        return (
            f"{facts[f'bbr_{rate_mbit}_{rtt_ms}.goodput']}; {standing_delay_ms(facts, rate_mbit, rtt_ms):.2f}"
        )

    return value


_LADDER = "`min_rto`, `max_rto`, `timer_wheel`"
_HYSTART = "`Cubic(hystart=...)`"
RULES: tuple[Rule, ...] = (
    Rule("SYNs to a silent peer, s", _rounded("syn.times"), 'profile `"linux-6.1"`'),
    Rule("first window after one lost SYN, packets", _fact("syn_lost_1.initial_window"), "profiles of Linux"),
    Rule("first window after two lost SYNs", _fact("syn_lost_2.initial_window"), "profiles of Linux"),
    Rule(
        "after a lost lone packet, RTT 20 ms: probe and timeouts, s",
        _rounded("probe_20.times"),
        "`rack`",
    ),
    Rule("the same, RTT 400 ms", _rounded("probe_400.times"), "`rack`"),
    Rule("after a dead link, RTT 20 ms: probe and timeouts, s", _rounded("timeouts.times"), _LADDER),
    Rule("the same with `tcp_rto_max_ms` 1000", _with_max, "`max_rto`"),
    Rule("two packets behind a loss: repaired after", _repaired(1), "`rack`"),
    Rule("the same with `tcp_recovery` 0", _repaired(0), "`rack=False`"),
    Rule("`tcp_ecn` at first", _setting("tcp_ecn"), "`ecn`"),
    Rule("ECN's flags of SYN and SYN-ACK, and the data's field", _ecn("default"), "`ecn`"),
    Rule("the same with `tcp_ecn` 1", _ecn("1"), "`ecn=True`"),
    Rule("the same with `tcp_ecn` 3", _ecn("3"), "none"),
    Rule("`tcp_rmem`", _setting("tcp_rmem"), "`receive_buffer`"),
    Rule("ACKs of one packet among the first 100", _fact("receiver_20_40.single_of_100"), "`receive_buffer`"),
    Rule("CUBIC, 20 Mbit/s, 40 ms, own buffers", _slow_start("receiver_20_40"), "`receive_buffer`"),
    Rule("CUBIC, 10 Mbit/s, 20 ms, large buffers", _slow_start("hystart_10_20"), _HYSTART),
    Rule("CUBIC, 20 Mbit/s, 40 ms, large buffers", _slow_start("hystart_20_40"), _HYSTART),
    Rule("CUBIC, 50 Mbit/s, 80 ms, large buffers", _slow_start("hystart_50_80"), _HYSTART),
    Rule("BBR, 10 Mbit/s, 20 ms", _bbr(10, 20), "`Bbr()`"),
    Rule("BBR, 10 Mbit/s, 80 ms", _bbr(10, 80), "`Bbr()`"),
)

_NOTES = """\
A value in **bold** differs from the one on its left by more than 8 %. Times count from the first packet of
their row: the SYN, the lone packet, the last ACK. Rows of CUBIC have the window in packets at which slow
start ends, and the windows at 0.5, 1 and 2 s. The queue holds 50, 67 and 333 packets, and 1000 with the
kernel's own buffers. Rows of BBR have the goodput in Mbit/s and the mean queueing delay in ms from 4 to 10
s, with a queue of four bandwidth-delay products.
"""


def page(kernels: Mapping[str, Facts]) -> str:
    """The page, of facts by series."""
    named = ", ".join(f"{facts['version']} (`{facts['release']}`)" for facts in kernels.values())
    rules = [
        (rule.title, *_marked([rule.value(f) for f in kernels.values()], _alike), rule.option)
        for rule in RULES
    ]
    settings = [(f"`{name}`", *_marked(values, str.__eq__)) for name, values in _differing(kernels)]
    heads = ["", *(facts["version"] for facts in kernels.values())]
    lines = [HEAD, f"Debian's kernels {named}, in emulated machines with seed 42.", "", "## Rules", ""]
    lines += [*_table([*heads, "in a scenario"], rules), "", _NOTES]
    if settings:
        lines += [
            "## Settings",
            "",
            "Those of `/proc/sys/net/ipv4` that differ, as each kernel has them:",
            "",
        ]
        lines += _table(heads, settings)
    return "\n".join([*lines, ""])


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from st.markdown(st.Table("versions", [st.Column(head, "text") for head in heads], rows))


def _marked(values: Sequence[str], near: Callable[[str, str], bool]) -> list[str]:
    """Values, in bold where they are not near the one before."""
    before = (values[0], *values[:-1])
    return [
        value if near(value, other) else f"**{value}**" for value, other in zip(values, before, strict=True)
    ]


def _alike(first: str, second: str) -> bool:
    """True if two values are the same words, and numbers that differ by 8 % or 0.02 at most."""
    if _NUMBER.sub("", first) != _NUMBER.sub("", second):
        return False
    pairs = zip(_NUMBER.findall(first), _NUMBER.findall(second), strict=True)
    return all(isclose(float(a), float(b), rel_tol=0.08, abs_tol=0.02) for a, b in pairs)


def _differing(kernels: Mapping[str, Facts]) -> list[tuple[str, list[str]]]:
    """Settings that are not the same in all kernels."""
    settings = {name for facts in kernels.values() for name in facts if name.startswith("sysctl.")}
    rows = {
        name: [f.get(name, _LACKING) for f in kernels.values()] for name in sorted(settings - {_BY_MEMORY})
    }
    return [(name.removeprefix("sysctl."), values) for name, values in rows.items() if len(set(values)) > 1]
