"""The estimate as an alarm: has the non-responsive share passed a limit, or is it a flash crowd of short TCP
flows? An alarm rests on one estimation interval or on several (:mod:`.rules`).

The document proposes the alarm (II.E) and names the hard case itself: short flows look non-responsive
(II.C.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from parshall.studies.nonresponsive import networks as net
from parshall.studies.nonresponsive.cases import Case
from parshall.studies.nonresponsive.rules import LEVELS

if TYPE_CHECKING:
    from parshall.studies.nonresponsive.contestants import Contestant, Settings
    from parshall.studies.nonresponsive.rules import Rule
    from parshall.studies.nonresponsive.traces import Reals, Traces

__all__ = ["ATTACK", "CROWD", "LEFT_OUT", "LIMIT", "alarm_cases", "areas", "detection", "is_attack", "roc"]

LIMIT = 0.6
"""Share of UDP packets above which it is an attack."""
LEFT_OUT = ("basic", "fixed-point", "several-hops", "responsiveness-dither", "constant")
"""Contestants that a curve of their own would say nothing new about."""
ATTACK, CROWD = (150.0, 210.0), (250.0, 280.0)
"""Seconds from and to."""
_DURATION = 320.0
_QUIET_CBRS, _ATTACKERS = 8, 14
_CROWDS: Mapping[str, int] = {"none": 0, "small": 900, "large": 3600}
"""Transfers of 20 packets in a flash crowd: a fifth and four fifths of the link for half a minute."""


def alarm_cases() -> list[Case]:
    """An attack, then a flash crowd, over 35 TCP and 8 CBR flows; by the size of the crowd."""
    return [_case(name, transfers) for name, transfers in _CROWDS.items()]


def _case(name: str, transfers: int) -> Case:
    start, stop = ATTACK
    flows = [
        net.responsive(),
        net.cbr(_QUIET_CBRS),
        net.cbr(_ATTACKERS, name="a", start=start, spread=net.CBR_PERIOD, stop=stop),
    ]
    if transfers:
        begin, end = CROWD
        flows.append(net.short_flows(transfers, repeats=1, start=begin, spread=end - begin))
    network = net.single(flows, duration=_DURATION)
    return Case(f"alarm/{name}", f"attack, and a flash crowd: {name}", network, delay=net.RTT)


def is_attack(truth: Reals) -> np.ndarray:
    """By interval: whether the true share is above the limit."""
    return truth > LIMIT


def roc(traces: Mapping[Case, Traces], contestant: Contestant, settings: Settings, rule: Rule) -> pa.Table:
    """For each case and level: the share of attack intervals with a score above the level, and the share of
    the others.
    """
    parts = []
    for case, runs in traces.items():
        attack, scores = is_attack(runs.true_share), rule.score(contestant.run(case, runs, settings))
        above = scores[None] > LEVELS[:, None, None]
        parts.append(
            pa.table(
                {
                    **_names(case, contestant, rule, len(LEVELS)),
                    "level": LEVELS,
                    "hit_rate": _share(above, attack),
                    "false_rate": _share(above, ~attack),
                }
            )
        )
    return pa.concat_tables(parts)


def areas(traces: Mapping[Case, Traces], contestant: Contestant, settings: Settings, rule: Rule) -> pa.Table:
    """For each case and run: the area under the ROC curve, which is the probability that an interval of the
    attack has a greater score than another one (Mann and Whitney 1947); 0.5 is chance.
    """
    parts = []
    for case, runs in traces.items():
        attack, scores = is_attack(runs.true_share), rule.score(contestant.run(case, runs, settings))
        parts.append(
            pa.table(
                {
                    **_names(case, contestant, rule, len(scores)),
                    "seed": np.array(runs.seeds),
                    "area": [_area(*each) for each in zip(scores, attack, strict=True)],
                }
            )
        )
    return pa.concat_tables(parts)


def detection(
    traces: Mapping[Case, Traces], contestant: Contestant, settings: Settings, rule: Rule
) -> pa.Table:
    """For each case, level and run: seconds from the attack's start to the first score above the level (the
    attack's length if there is none), and false alarms in an hour without attack. An alarm that stays on
    counts again each minute, or one that never ends would hardly count; what is left of an alarm when the
    attack ends counts from its first full minute on.
    """
    parts = []
    for case, runs in traces.items():
        attack, times = is_attack(runs.true_share), runs.times
        scores = rule.score(contestant.run(case, runs, settings))
        hours = (~attack).sum(axis=1) * (times[1] - times[0]) / 3600
        for level in LEVELS[::2]:
            above = scores > level
            parts.append(
                pa.table(
                    {
                        **_names(case, contestant, rule, len(scores)),
                        "level": [float(level)] * len(scores),
                        "seed": np.array(runs.seeds),
                        "delay": _delays(above & attack, times),
                        "false_alarms_per_hour": _false_alarms(above, attack, times) / hours,
                    }
                )
            )
    return pa.concat_tables(parts)


def _names(case: Case, contestant: Contestant, rule: Rule, count: int) -> dict[str, list[str]]:
    return {
        "case": [case.name] * count,
        "estimator": [contestant.name] * count,
        "rule": [rule.name] * count,
    }


def _area(scores: Reals, attack: np.ndarray) -> float:
    from scipy.stats import rankdata

    inside, outside = int(attack.sum()), int((~attack).sum())
    if not inside or not outside:
        return float("nan")
    ranks = float(rankdata(scores)[attack].sum())
    return (ranks - inside * (inside + 1) / 2) / (inside * outside)


def _share(above: np.ndarray, chosen: np.ndarray) -> Reals:
    found: Reals = (above & chosen).sum(axis=(1, 2)) / max(int(chosen.sum()), 1)
    return found


def _false_alarms(above: np.ndarray, attack: np.ndarray, times: Reals) -> Reals:
    """By run: episodes of alarm without attack, each counted once a minute."""
    false = above & ~attack
    edges = np.diff(np.pad(false, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (runs, begins), (_, ends) = np.nonzero(edges == 1), np.nonzero(edges == -1)
    minutes = (ends - begins) * (times[1] - times[0]) / 60
    left_over = (begins > 0) & (above & attack)[runs, np.maximum(begins - 1, 0)]
    counts = np.where(left_over, np.floor(minutes), np.ceil(minutes))
    found: Reals = np.bincount(runs, weights=counts, minlength=len(above)).astype(np.float64)
    return found


def _delays(alarms: np.ndarray, times: Reals) -> Reals:
    start, stop = ATTACK
    first = times[np.argmax(alarms, axis=1)] - start
    found: Reals = np.where(alarms.any(axis=1), first, stop - start)
    return found
