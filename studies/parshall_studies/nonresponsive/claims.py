"""The chapter's numbers, and what its statements say in terms of what is measured; ``claims.md`` has their
words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.nonresponsive import alarm, applied, cases, excitation, networks as net, shorter
from parshall_studies.nonresponsive.contestants import CONTESTANTS, REFERENCES, contestant
from parshall_studies.nonresponsive.document import ERRORS, TABLE_2, TABLE_3
from parshall_studies.nonresponsive.measures import STARTS
from parshall_studies.nonresponsive.phase import QUEUES
from parshall_studies.nonresponsive.rules import RULES, SINGLE
from parshall_studies.nonresponsive.settings import by_settings

if TYPE_CHECKING:
    from parshall_studies.study.rules import Rule

ALGORITHM = "zero-drops"
"""'This modified estimation algorithm will be used in the rest of the simulations' (II.C.2)."""
KINDS = {"tuned": "tuned settings", "printed": "printed gains"}
FITTED = {"fitted": "printed gains, start values for this case"}
WINDOWS = {"table": ("window of 64 packets", 120.0), "window": ("unlimited window", 1000.0)}
"""Readings of Table III: name, and place in the table of queues."""
SETTINGS = {**KINDS, "none": "nothing to set", **FITTED}
MEAN_GOAL, WORST_GOAL = 0.003, 0.01
"""Mean square errors that an estimator without tuning should keep to."""
_SPREAD_OF_TABLE_1 = max(float(error.text) for error in ERRORS if error.where == "Table I") - 0.00055
"""Largest distance of the errors of Table I from that of TCP alone."""
_EVERY = [each.name for each in cases.all_cases()]


def score(case: Any, estimator: str, kind: str, measure: str = "mse") -> st.Expression:
    """A measure of a contestant in a case, or in several."""
    return st.Quantity("scores", measure).at(case=case, entry=f"{estimator}/{kind}")


def mean_error(names: Sequence[str], estimator: str, kind: str) -> st.Expression:
    """The mean square error averaged over cases."""
    return score(list(names), estimator, kind).mean("case")


def point(sweep: str, queue: str, x: float, measure: str = "tcp_share") -> st.Expression:
    """A point of the table of queues."""
    return st.Quantity("table_3", measure, "%").at(sweep=sweep, queue=queue, x=x)


def link(count: int, number: Any) -> st.Expression:
    """A drop rate of Figure 11."""
    return st.Quantity("links", "drop_rate", "%").at(case=f"hops/{count}", link=number)


def area(estimator: str, rule: str, crowd: str = "large") -> st.Expression:
    """Area under the ROC curve of an alarm."""
    return st.Quantity("areas", "area").at(crowd=crowd, estimator=estimator, rule=rule)


def _transfer(home: str, away: str) -> st.Expression:
    """Error in one place of settings tuned in another."""
    return st.Quantity("transfer", "mse").at(home=home, case=away)


def _interval_error(half: int, samples: int, estimator: str, kind: str) -> st.Expression:
    return st.Quantity("shorter", "mse").at(half=half, samples=samples, entry=f"{estimator}/{kind}")


def _error_over_time(case: str, kind: str, times: st.Span | None = None) -> st.Expression:
    where: dict[str, Any] = {"case": case, **({} if times is None else {"time": times})}
    return st.Quantity("intervals", kind).at(**where) - st.Quantity("intervals", "share").at(**where)


# --- Printed numbers ----------------------------------------------------------------------------------------


def _errors(id: str, where: str, of: str, kinds: dict[str, str]) -> st.PrintedTable:
    return st.printed_table(
        id,
        where,
        "Mean square errors of the modified algorithm",
        "'Start values for this case': tuned on training runs of the very same case, which is to know "
        "the answer.",
        ("Case", "Settings"),
        (
            (
                f"mse.{error.case.replace('/', '-')}.{kind}",
                (cases.case(error.case).label, name),
                f"Mean square error: {cases.case(error.case).label} ({name}).",
                st.Printed(error.text),
                score(error.case, ALGORITHM, kind),
            )
            for error in ERRORS
            if error.where == of
            for kind, name in kinds.items()
        ),
        least=0.0,
        less_is_better=True,
        of_document=kinds is KINDS,
    )


def _table_3(id: str, where: str, sweep: str) -> st.PrintedTable:
    def numbers() -> Iterator[Any]:
        for queue, row in TABLE_3.items():
            tcp, _, drop_rate = row  # CBR has what TCP has not, and is no number of its own
            for what, label, of, text in (
                ("tcp", "TCP's share", point(sweep, queue, x), tcp),
                ("drop-rate", "Drop rate", point(sweep, queue, x, "drop_rate"), drop_rate),
            ):
                words = f"{label} with {QUEUES[queue]} ({window})."
                yield (
                    f"table-3.{queue}.{what}.{sweep}",
                    (QUEUES[queue], label),
                    words,
                    st.Printed(text, "%"),
                    of,
                )

    window, x = WINDOWS[sweep]

    return st.printed_table(
        id,
        where,
        f"Performance of DropTail and RED ({window})",
        "TCP's share of delivered bytes, the rest of which CBR flows have, and the drop rate, in %: CBR "
        "flows in phase, a round trip of 120 ms, 100 to 320 s. The document does not give TCP's window.",
        ("Queue", "Measure"),
        numbers(),
        least=0.0,
        of_document=sweep == "table",
    )


PRINTED_TABLES = (
    _errors("errors-9", "Figure 9, text", "Figure 9, text", KINDS),
    _errors("table-1", "Table I", "Table I", KINDS),
    st.printed_table(
        "table-2",
        "Table II",
        "Drop rates in %",
        "Whole runs of 320 s. The document prints one or two digits.",
        ("CBR flows in set B", "Where"),
        (
            (
                f"table-2.{count}.link-{number}",
                (str(count), f"Link {number}"),
                f"Drop rate at link {number} with {count} CBR flows in set B.",
                st.Printed(text, "%"),
                link(count, number),
            )
            for (count, number), text in TABLE_2.items()
        ),
        least=0.0,
    ),
    _table_3("table-3", "Table III", "table"),
    _errors("errors-9-fitted", "Figure 9, another reading", "Figure 9, text", FITTED),
    _errors("table-1-fitted", "Table I, another reading", "Table I", FITTED),
    _table_3("table-3-window", "Table III, another reading", "window"),
)
"""Another reading asks for printed numbers once more; the document makes them once."""

# --- Statements ---------------------------------------------------------------------------------------------


def _accurate(names: Sequence[str], estimator: str, kind: str) -> st.Holds:
    """Claim: the relative error is within 10 % in every case: the bound that the chapter names (II.C.5)."""
    error = 100 * abs(score(list(names), estimator, kind, "relative_error"))
    return st.Holds((error < 10.0,), "% above 10 %")


def _by_start(names: Sequence[str], estimator: str, kind: str) -> Rule:
    """Rule of accuracy; of printed gains, whose start values are not printed, with start values for all
    loads and with those for each case, which is to know the answer.
    """
    if kind == "tuned":
        return _accurate(names, estimator, kind)
    return st.ByReading(
        {
            "one start value": _accurate(names, estimator, kind),
            "start values by case": _accurate(names, estimator, "fitted"),
        }
    )


def _found(high: int) -> st.Holds:
    """Flows that least squares find over a whole run."""
    found = st.Quantity("excitation", "n_s").at(case=f"load/{high}")
    return st.within(found, excitation.FLOWS / 2, 2 * excitation.FLOWS, "flows")


def _explained(names: Sequence[str]) -> st.Expression:
    return st.Quantity("excitation", "explained", "%").at(case=list(names)).mean("case")


def _moved(kind: str) -> st.Expression:
    """Part of a move of the start value that is left in the mean estimate of a run."""
    estimate = st.Quantity("starts", "mean_estimate").at(settings=kind)
    low, high = STARTS[0], STARTS[-1]
    return (estimate.at(start_share=high) - estimate.at(start_share=low)) / (high - low)


_UNSEEN = st.Quantity("drawn", "mse_of_all").at(dither="none")


@dataclass(frozen=True, eq=False)
class _MeanOfKnown(st.Expression):
    """Mean over cases, without those that have no number: links that are never full."""

    of: st.Expression

    def values(self, results: st.Results) -> st.Values:
        found = self.of.values(results)
        labels = {dim: own for dim, own in found.labels.items() if dim != "case"}
        return st.Values(labels, np.nanmean(found.array, axis=[*found.labels].index("case")))

    @property
    def tables(self) -> frozenset[str]:
        return self.of.tables

    def __str__(self) -> str:
        return f"mean over known cases of {self.of}"


def _relative(names: Sequence[str], kind: str) -> st.Expression:
    return 100 * score(list(names), ALGORITHM, kind, "relative_error")


def _unevenness(kind: str) -> st.Expression:
    """Points between the relative errors with CBR flows spread unevenly and evenly over the branches."""
    uneven, even = (
        score(case, "several-hops", kind, "relative_error") for case in ("hops/22-uneven", "hops/22")
    )
    return 100 * abs(uneven - even)


def _shorter_better(half: int, estimator: str, kind: str) -> st.Relation:
    return _interval_error(half, shorter.SHORTEST, estimator, kind) < _interval_error(
        half, net.ESTIMATION, estimator, kind
    )


def _excess(case: str, kind: str) -> st.Expression:
    """Excess of the estimate over the share of UDP while short flows are there and the filters are
    filled.
    """
    return _error_over_time(case, kind, st.Span(105.0, 150.0)).mean("time")


def _slow(kind: str) -> st.Relation:
    """Against the time after which estimates of Figure 12 are said to have converged."""
    early, late = (
        abs(_error_over_time("hops/16", kind, span)).mean("time")
        for span in (st.Span(0.0, _CONVERGED), st.Span(_CONVERGED, 1e9))
    )
    return late < early


_CONVERGED = cases.case("hops/16").start + 70.0


def _loads(low: int, high: int) -> list[str]:
    return [f"load/{count}" for count in cases.LOADS if low <= count <= high]


def _rtts(low: int, high: int) -> list[str]:
    return [f"rtt/{ms}" for ms in cases.RTTS if low < ms < high]


def _worth(estimator: str, kind: str) -> st.Relation:
    return mean_error(_EVERY, estimator, kind) < mean_error(_EVERY, "constant", "tuned")


def _carried(*away: str) -> st.Holds:
    return st.Holds(tuple(_transfer("load/22", each) > _transfer(each, each) for each in away))


def _cost(measure: str) -> st.Expression:
    """Change by the dither of something at the port, in %."""
    return 100 * (st.Quantity("port_dithered", measure) / st.Quantity("port", measure) - 1)


_AS_EVEN = 5.0
"""Points of relative error, half of what is accurate, below which a distribution makes no difference."""
_HIGH = ["load/16", "load/22", "load/25"]
"""Loads of Figure 3."""
_MIXES = [f"{kind}/{percent}" for kind in cases.BINOMIALS for percent in (50, 100)]
_RAISED = [f"min-th/{minimum}" for minimum in cases.MIN_THRESHOLDS[1:]]
_DROPS = st.Quantity("traffic", "drop_rate", "%")
_ERRORS = {error.case.replace("/", "-"): error for error in ERRORS}


def _printed_error(error: str) -> st.ByReading:
    """A printed error, however the algorithm is set."""
    printed = _ERRORS[error]

    def of(kind: str) -> st.PrintedNumber:
        found = score(printed.case, ALGORITHM, kind)
        return st.PrintedNumber(st.Printed(printed.text), found, least=0.0, less_is_better=True)

    return st.ByReading({name: of(kind) for kind, name in (KINDS | FITTED).items()})


def _table_3_read(queue: str, measure: str) -> st.ByReading:
    """A number of Table III, by TCP's window, which the document does not give."""
    place, column = {"tcp": (0, "tcp_share"), "drop-rate": (2, "drop_rate")}[measure]
    printed = st.Printed(TABLE_3[queue][place], "%")
    return st.ByReading(
        {
            name: st.PrintedNumber(printed, point(sweep, queue, x, column), least=0.0)
            for sweep, (name, x) in WINDOWS.items()
        }
    )


_CHAPTER = [
    each.name for each in cases.all_cases() if not each.several_hops and each.name not in cases.TRANSFER[4:]
]
"""Cases of the chapter with one bottleneck."""


_NOTICEABLE = 2.0
"""Points of the link by which one queue leaves TCP more than another."""


def _protects(better: str) -> st.ByReading:
    """Against RED(15, 45, 0.1), with CBR flows that start at once or at random: the document says neither."""
    points = {
        "in phase, 120 ms": ("table", 120.0),
        "in phase, 100 ms": ("rtt", 100.0),
        "random phases, 120 ms": ("spread", 8.0),
    }
    return st.ByReading(
        {
            name: point(sweep, better, x) - _NOTICEABLE > point(sweep, "red", x)
            for name, (sweep, x) in points.items()
        }
    )


def _windows_alike(high: int) -> st.Relation:
    windows = {name: st.Quantity("windows", name).at(cbr=high) for name in ("mean", "spread")}
    return windows["spread"] / windows["mean"] < _ALIKE


_ALIKE = 0.5
"""Standard deviation over flows, as a share of the mean window, below which windows are alike."""
_SAYS: dict[str, Any] = {
    "figure-3.accurate.100-ms.{kind}": lambda kind: _by_start(_HIGH, "basic", kind),
    "figure-3.accurate.120-ms.{kind}": lambda kind: _accurate(
        [f"{name}/rtt-120" for name in _HIGH], "basic", kind
    ),
    "excitation.high-load": _explained(_loads(20, 25)) > _explained(_loads(2, 14)),
    "excitation.enough.{high}": _found,
    "discussion.better-at-high-load.{kind}": lambda kind: (
        mean_error(_loads(20, 25), ALGORITHM, kind) < mean_error(_loads(2, 14), ALGORITHM, kind)
    ),
    "figure-4.modified-better.{kind}": lambda kind: (
        score(_loads(2, 16), ALGORITHM, kind) < score(_loads(2, 16), "basic", kind)
    ),
    "figure-10.more-drops": 100 * _DROPS.at(case=_RAISED) > 100 * _DROPS.at(case="load/22"),
    "figure-10.with-drops-better.{kind}": lambda kind: (
        score(_RAISED, "with-drops", kind) < score(_RAISED, ALGORITHM, kind)
    ),
    "figure-5.follows-{pulse}-s.{kind}": lambda pulse, kind: (
        score(f"pulses/{pulse}", ALGORITHM, kind)
        < st.Quantity("traffic", "share_variance").at(case=f"pulses/{pulse}")
    ),
    "figure-5.shorter-interval-{half}-s.{kind}": lambda half, kind: _shorter_better(half, ALGORITHM, kind),
    "figure-6.non-responsive.{kind}": lambda kind: _excess("short", kind) > _excess("load/16", kind),
    "figure-9.accurate.{kind}": lambda kind: _by_start(["vbr/slow", "vbr/fast"], ALGORITHM, kind),
    "figure-7.over-estimates.{kind}": lambda kind: _relative(["rtt-range"], kind) > 0.0,
    "figure-7.accurate.{kind}": lambda kind: _accurate(["rtt-range"], ALGORITHM, kind),
    "figure-7.like-one-rtt.{kind}": lambda kind: (
        score("rtt-range", ALGORITHM, kind) < 2.0 * score("load/22", ALGORITHM, kind)
    ),
    "figure-8.below.{kind}": lambda kind: _relative(_rtts(0, 120), kind) > 0.0,
    "figure-8.above.{kind}": lambda kind: _relative(_rtts(120, 999), kind) < 0.0,
    "figure-8.within-10-percent.{kind}": lambda kind: _accurate(_rtts(0, 999), ALGORITHM, kind),
    "table-1.small-differences.{kind}": lambda kind: (
        abs(score(_MIXES, ALGORITHM, kind) - score("load/22", ALGORITHM, kind)) < _SPREAD_OF_TABLE_1
    ),
    "table-1.accurate.{kind}": lambda kind: _by_start(_MIXES, ALGORITHM, kind),
    "figure-12.accurate.{hops}.{kind}": lambda hops, kind: _accurate([f"hops/{hops}"], "several-hops", kind),
    "figure-12.fewer-drops-here": st.Holds(tuple(link(count, 1) < link(count, [2, 3]) for count in (22, 16))),
    "figure-12.fewer-drops-with-25": link(25, 1) < link(25, [2, 3]),
    "figure-12.slow-with-16.{kind}": _slow,
    "figure-12.elsewhere-constant": st.Quantity("elsewhere", "sampling") < 0.1,
    "figure-13.accurate.{kind}": lambda kind: _accurate(["hops/22-uneven"], "several-hops", kind),
    "figure-13.as-even.{kind}": lambda kind: st.Holds((_unevenness(kind) < _AS_EVEN,), "points"),
    "table-3.{better}-protects": lambda better: (
        point("table", better, 120.0) > point("table", "red", 120.0),
        st.Printed(TABLE_3[better][0], "%").less(st.Printed(TABLE_3["red"][0], "%")),
    ),
    "phase.{better}.rtt": lambda better: point("rtt", better, 100.0) < point("table", better, 120.0),
    "phase.{better}.spread": lambda better: point("spread", better, 8.0) < point("table", better, 120.0),
    "phase.random-no-better": point("spread", "droptail", 8.0) - _NOTICEABLE > point("spread", "red", 8.0),
    "carried.load": _carried("load/8", "load/16", "load/25"),
    "carried.capacity": _carried("capacity/10", "capacity/100"),
    "carried.rtt": _carried("told-rtt/40", "told-rtt/200"),
    "tuning.freezes.{kind}": lambda kind: _moved(kind) > 0.75,
    "unseen.mean": st.Observed(_MeanOfKnown(_UNSEEN) < MEAN_GOAL),
    "unseen.each": st.Observed(_UNSEEN < WORST_GOAL),
    "worth.{fixed}.printed": lambda fixed: _worth(fixed, "printed"),
    "worth.{tuned}.tuned": lambda tuned: _worth(tuned, "tuned"),
    "worth.{free}.none": lambda free: _worth(free, "none"),
    "goal.{free}.mean": lambda free: mean_error(_EVERY, free, "none") < MEAN_GOAL,
    "goal.{free}.worst": lambda free: score(_EVERY, free, "none") < WORST_GOAL,
    "shorter.{half}-s.responsiveness": lambda half: _shorter_better(half, "responsiveness", "none"),
    "dither.better": score("hops/16", "responsiveness-dither", "none")
    < score("hops/16", "responsiveness", "none"),
    "dither.flagged": st.Holds((st.Quantity("port", "quiet", "%").at(case="hops/16") > 90.0,), "points"),
    "dither.cost.throughput": st.Holds((_cost("throughput") > -1.0,), "points"),
    "dither.cost.responsive": st.Holds((_cost("responsive") > -5.0,), "points"),
    "dither.cost.delay": st.Holds((_cost("delay") < 1.0,), "points"),
    "whole-numbers.{kind}": lambda kind: st.Holds(
        (100 * st.Quantity("whole_numbers", "relative").at(settings=kind) < 1.0,), "% above 1 %"
    ),
    "alarm.{rule}.{alarmed}": lambda rule, alarmed: area(alarmed, rule) > area(alarmed, SINGLE.name),
    "alarm.declares.{estimating}": lambda estimating: area(estimating, SINGLE.name, "none") > _TELLS,
    "idea.explains": st.Quantity("excitation", "explained", "%").at(case="load/2") > 50.0,
    "effective.{kind}": lambda kind: _accurate(_CHAPTER, ALGORITHM, kind),
    "figure-9.like-cbr-{speed}.{kind}": lambda speed, kind: st.alike(
        score(f"vbr/{speed}", ALGORITHM, kind), score("load/16", ALGORITHM, kind), 2.0
    ),
    "converges.{kind}": lambda kind: _moved(kind) < 0.25,
    "windows.alike.{high}": _windows_alike,
    "protects.{better}": _protects,
    **applied.SAYS,
}
_TELLS = 0.9
"""Area under a ROC curve of an alarm that tells an attack."""
_OF_SETTINGS = (
    "figure-4.modified-better.{kind}",
    "figure-10.with-drops-better.{kind}",
    "figure-5.follows-{pulse}-s.{kind}",
    "figure-5.shorter-interval-{half}-s.{kind}",
    "figure-6.non-responsive.{kind}",
    "figure-7.over-estimates.{kind}",
    "figure-7.accurate.{kind}",
    "figure-7.like-one-rtt.{kind}",
    "figure-8.below.{kind}",
    "figure-8.above.{kind}",
    "figure-8.within-10-percent.{kind}",
    "figure-9.accurate.{kind}",
    "figure-9.like-cbr-{speed}.{kind}",
    "table-1.small-differences.{kind}",
    "table-1.accurate.{kind}",
    "figure-12.accurate.{hops}.{kind}",
    "figure-12.slow-with-16.{kind}",
    "figure-13.accurate.{kind}",
    "figure-13.as-even.{kind}",
    "discussion.better-at-high-load.{kind}",
    "effective.{kind}",
    "converges.{kind}",
    "counting.regardless.{kind}",
    "counting.as-with-udp.{disguised}.{kind}",
)
_SAYS |= {
    f"settings.{template.removesuffix('.{kind}')}": by_settings(_SAYS[template], KINDS)
    for template in _OF_SETTINGS
}
_SAYS |= {
    "settings.figure-3.accurate": by_settings(lambda kind: _by_start(_HIGH, "basic", kind), KINDS),
    "settings.worth": by_settings(lambda kind: _worth(ALGORITHM, kind), KINDS),
    "settings.mse.{error}": _printed_error,
    "reading.table-3.{queue}.{measure}": _table_3_read,
}

_LABELS = {each.name: each.label for each in CONTESTANTS if each.name not in REFERENCES}
_NAMES: dict[str, Mapping[Any, str]] = {
    "kind": KINDS,
    "pulse": {half: str(half) for half in cases.PULSES},
    "half": {half: str(half) for half in shorter.HALVES},
    "hops": {count: str(count) for count in cases.HOPS},
    "high": {count: str(count) for count in (16, 22, 25)},
    "better": {queue: QUEUES[queue] for queue in ("droptail", "red-full")},
    "fixed": {name: label for name, label in _LABELS.items() if contestant(name).of_document},
    "tuned": {name: label for name, label in _LABELS.items() if contestant(name).ranges},
    "free": {name: label for name, label in _LABELS.items() if not contestant(name).ranges},
    "rule": {rule.name: rule.label for rule in RULES if rule is not SINGLE},
    "alarmed": {name: label for name, label in _LABELS.items() if name in alarm.ALARMED},
    "estimating": {name: label for name, label in _LABELS.items() if name in alarm.ALARMED},
    "error": {id: cases.case(error.case).label for id, error in _ERRORS.items()},
    "speed": {name: name for name in cases.VBR_INTERVALS},
    "queue": QUEUES,
    "measure": {"tcp": "TCP's share", "drop-rate": "the drop rate"},
    **applied.NAMES,
}

TOPICS: tuple[st.Topic, ...] = (
    *st.topics_of(st.page_of(__package__, "claims.md"), _SAYS, _NAMES),
    *(table.topic for table in PRINTED_TABLES),
)
