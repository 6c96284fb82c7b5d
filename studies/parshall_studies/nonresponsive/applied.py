"""Rules for what chapter I and section II.E say of counting UDP bytes and of control by the estimate."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from parshall_studies import study as st
from parshall_studies.nonresponsive import networks as net
from parshall_studies.nonresponsive.counting import COUNTER
from parshall_studies.nonresponsive.mixes import MIXES, OTHERS
from parshall_studies.nonresponsive.treatments import TREATED
from parshall_studies.responsiveness.held_out import WRONG
from parshall_studies.responsiveness.response import DEAF_BELOW

CLOSE = 0.02
"""Error of a share that a reader of headers would call none: TCP has 40 bytes of them more."""
NOTHING = 0.01
"""Part of a link, or of a count, that is as good as none."""
BESIDE = {
    "document-tuned": "zero-drops/tuned",
    "document-printed": "zero-drops/printed",
    "responsiveness": "responsiveness/none",
}
"""Entries that are held against the count."""


def told(mix: Any, entry: str, measure: str = "off") -> st.Expression:
    """A measure of an entry in a mix, or in several."""
    return st.Quantity("counting", measure).at(mix=mix, entry=entry)


def elasticity(mix: Any, group: str) -> st.Expression:
    """Fall of what a group sends, over the rise of its losses, both in logarithms."""
    return st.Quantity("groups", "elasticity").at(mix=mix, group=group)


def goodput(mix: Any, treatment: str) -> st.Expression:
    """Goodput of flows that respond, in Mbit/s."""
    return st.Quantity("treated", "responsive", "Mbit/s").at(mix=mix, treatment=treatment)


def fair_part(mix: str) -> float:
    """Goodput of flows that respond if all had equal parts of the link, in Mbit/s."""
    flows = {group.name: group.count for group in TREATED[mix].flows}
    part = sum(flows[name] for name in TREATED[mix].responsive) / sum(flows.values())
    return 1e-6 * net.RATE * part


def _every(kind: str) -> list[st.Expression]:
    """Elasticities of all groups of a kind."""
    return [elasticity(name, group) for name, mix in MIXES.items() for group in sorted(getattr(mix, kind))]


def _responsive_arrivals(count: int) -> st.Expression:
    return st.Quantity("port", "responsive", "packets/s").at(case=f"load/{count}")


_LOADS = (2, 16, 22, 25)
SAYS: Mapping[str, Any] = {
    "unfair.less-for-tcp": st.Holds(
        tuple(_responsive_arrivals(more) < _responsive_arrivals(less) for less, more in pairwise(_LOADS))
    ),
    "unfair.stops": goodput("cbr/40", "red") < NOTHING * 1e-6 * net.RATE,
    "counting.assumed": told("udp-deaf", COUNTER) < CLOSE,
    "counting.falls-short.{mix}": lambda mix: told(mix, COUNTER) > WRONG,
    "counting.zero.{without}": lambda without: told(without, COUNTER, "estimate") < NOTHING,
    "counting.mice-do-not-respond": elasticity("mice", "m") < DEAF_BELOW,
    "counting.regardless.{kind}": lambda kind: told(list(MIXES), f"zero-drops/{kind}") < WRONG,
    "counting.as-with-udp.{disguised}.{kind}": lambda disguised, kind: (
        abs(told(disguised, f"zero-drops/{kind}") - told("udp-deaf", f"zero-drops/{kind}")) < CLOSE
    ),
    "counting.less-off.{beside}.{among}": lambda beside, among: (
        told(among, BESIDE[beside]) < told(among, COUNTER)
    ),
    "counting.deaf": st.Holds(tuple(each < DEAF_BELOW for each in _every("deaf"))),
    "counting.responsive": st.Holds(tuple(each > DEAF_BELOW for each in _every("responsive"))),
    "control.in-router.{treated}": lambda treated: goodput(treated, "demoted") > goodput(treated, "red"),
    "control.pushed-back.{treated}": lambda treated: (
        goodput(treated, "pushed-back") > goodput(treated, "red")
    ),
    "control.disrupts.{treated}": lambda treated: goodput(treated, "marked") < fair_part(treated),
    "control.differentiates.{treated}": lambda treated: (
        goodput(treated, "demoted") > goodput(treated, "marked")
    ),
    "control.tuned.{by}.{treated}": lambda by, treated: (
        goodput(treated, f"tuned-{by}") > goodput(treated, "red")
    ),
    "control.over-headers.{treated}": lambda treated: (
        goodput(treated, "demoted") > goodput(treated, "by-header")
    ),
    "control.over-fq-codel.{treated}": lambda treated: (
        goodput(treated, "demoted") > goodput(treated, "fq-codel")
    ),
}
NAMES: Mapping[str, Mapping[Any, str]] = {
    "mix": {name: MIXES[name].label for name in OTHERS},
    "among": {name: mix.label for name, mix in MIXES.items()},
    "without": {name: MIXES[name].label for name in ("mice", "faked", "tcp-deaf")},
    "disguised": {name: MIXES[name].label for name in ("faked", "tcp-deaf")},
    "beside": {
        "document-tuned": "the modified algorithm (tuned settings)",
        "document-printed": "the modified algorithm (printed gains)",
        "responsiveness": "Responsiveness",
    },
    "treated": {name: mix.label for name, mix in TREATED.items()},
    "by": {"document": "the dissertation's algorithm", "responsiveness": "Responsiveness"},
}
