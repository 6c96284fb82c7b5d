"""The estimate as an alarm: has the non-responsive share passed a limit, or is it a flash crowd of short TCP
flows? An alarm rests on one estimation interval or on several (:mod:`.rules`).

The document proposes the alarm (II.E) and names the hard case itself: short flows look non-responsive
(II.C.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.nonresponsive import networks as net
from parshall_studies.nonresponsive.cases import Case
from parshall_studies.nonresponsive.contestants import CONTESTANTS
from parshall_studies.nonresponsive.rules import LEVELS, RULES
from parshall_studies.nonresponsive.traces import RECORDED, traces_of

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall_studies.nonresponsive.traces import Reals
    from parshall_studies.nonresponsive.tuned import Entry

LIMIT = 0.6
"""Share of UDP packets above which it is an attack."""
_LEFT_OUT = ("basic", "fixed-point", "several-hops", "responsiveness-dither", "constant")
"""Contestants that a curve of their own would say nothing new about."""
ALARMED = tuple(each.name for each in CONTESTANTS if each.name not in _LEFT_OUT)
ATTACK, CROWD = (150.0, 210.0), (250.0, 280.0)
"""Seconds from and to."""
_DURATION = 320.0
_QUIET_CBRS, _ATTACKERS = 8, 14
CROWDS: Mapping[str, int] = {"none": 0, "small": 900, "large": 3600}
"""Transfers of 20 packets in a flash crowd: a fifth and four fifths of the link for half a minute."""


@cache
def alarm_case(crowd: str) -> Case:
    """An attack, then a flash crowd, over 35 TCP and 8 CBR flows; by the size of the crowd."""
    start, stop = ATTACK
    flows = [
        net.responsive(),
        net.cbr(_QUIET_CBRS),
        net.cbr(_ATTACKERS, name="a", start=start, spread=net.CBR_PERIOD, stop=stop),
    ]
    if CROWDS[crowd]:
        begin, end = CROWD
        flows.append(net.short_flows(CROWDS[crowd], repeats=1, start=begin, spread=end - begin))
    network = net.single(flows, duration=_DURATION)
    return Case(f"alarm/{crowd}", f"attack, and a flash crowd: {crowd}", network, delay=net.RTT)


def measure(bench: st.Workbench, entries: Sequence[Entry]) -> st.Measures:
    """Each run, contestant and rule: the area under its ROC curve; by level of alarm also the hits and
    false alarms by interval, seconds to detect, and false alarms an hour.
    """
    judged = [each for each in entries if each.kind != "printed" and each.contestant.name in ALARMED]

    def alarms(crowd: str, run: Recording) -> st.Rows:
        case = alarm_case(crowd)
        traces = traces_of(case, run)
        attack = traces.true_share[0] > LIMIT
        parts = []
        for entry in judged:
            estimates = entry.contestant.run(case, traces, entry.settings)
            for rule in RULES:
                score = rule.score(estimates)[0]
                parts.append(
                    (
                        entry.contestant.name,
                        rule.name,
                        area(score, attack),
                        *by_level(score, attack, traces.times),
                    )
                )
        names, rules, areas, *columns = zip(*parts, strict=True)
        levels = len(LEVELS)
        dims = {
            "estimator": np.repeat(names, levels),
            "rule": np.repeat(rules, levels),
            "level": np.tile(LEVELS, len(parts)),
        }
        numbers = dict(zip(_BY_LEVEL, (np.concatenate(column) for column in columns), strict=True))
        return {
            "areas": st.RunSeries({"estimator": list(names), "rule": list(rules)}, {"area": areas}),
            "alarms": st.RunSeries(dims, numbers),
        }

    variants = {crowd: alarm_case(crowd).network for crowd in CROWDS}
    return bench.measure("Runs, alarm", variants, alarms, dims=("crowd",), tables=RECORDED)


_BY_LEVEL = ("hits", "attacks", "falses", "others", "delay", "false_alarms_per_hour")


def by_level(score: Reals, attack: np.ndarray, times: Reals) -> tuple[Reals, ...]:
    """For each level: intervals of the attack with a score above it and all of them, the same for other
    intervals, seconds from the attack's start to the first score above the level (the attack's length if
    there is none), and false alarms in an hour without attack. An alarm that stays on counts again each
    minute, or one that never ends would hardly count; what is left of an alarm when the attack ends counts
    from its first full minute on.
    """
    above = score[None] > LEVELS[:, None]
    hours = (~attack).sum() * (times[1] - times[0]) / 3600
    return (
        (above & attack).sum(axis=1).astype(float),
        np.full(len(LEVELS), float(attack.sum())),
        (above & ~attack).sum(axis=1).astype(float),
        np.full(len(LEVELS), float((~attack).sum())),
        _delays(above & attack, times),
        _false_alarms(above, attack, times) / hours,
    )


def area(scores: Reals, attack: np.ndarray) -> float:
    """The area under the ROC curve, which is the probability that an interval of the attack has a greater
    score than another one (Mann and Whitney 1947); 0.5 is chance.
    """
    from scipy.stats import rankdata

    inside, outside = int(attack.sum()), int((~attack).sum())
    if not inside or not outside:
        return float("nan")
    ranks = float(rankdata(scores)[attack].sum())
    return (ranks - inside * (inside + 1) / 2) / (inside * outside)


def _false_alarms(above: np.ndarray, attack: np.ndarray, times: Reals) -> Reals:
    """By row: episodes of alarm without attack, each counted once a minute."""
    false = above & ~attack
    edges = np.diff(np.pad(false, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (rows, begins), (_, ends) = np.nonzero(edges == 1), np.nonzero(edges == -1)
    minutes = (ends - begins) * (times[1] - times[0]) / 60
    left_over = (begins > 0) & (above & attack)[rows, np.maximum(begins - 1, 0)]
    counts = np.where(left_over, np.floor(minutes), np.ceil(minutes))
    found: Any = np.bincount(rows, weights=counts, minlength=len(above)).astype(np.float64)
    return np.asarray(found)


def _delays(alarms: np.ndarray, times: Reals) -> Reals:
    start, stop = ATTACK
    first = times[np.argmax(alarms, axis=1)] - start
    return np.where(alarms.any(axis=1), first, stop - start)
