"""The chapter's numbers and statements, in its order, each as a claim with its rule.

What the chapter says of 'the algorithm' is asked twice: with tuned settings, which is what the dissertation
did, and with printed gains, whose start values, not printed, were tuned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from parshall.claims import Claim, Direction, Verdict, all_compared, compared, printed
from parshall.stats import Interval
from parshall.studies.nonresponsive import cases, shorter
from parshall.studies.nonresponsive import networks as net
from parshall.studies.nonresponsive.beyond import claims_beyond
from parshall.studies.nonresponsive.document import ERRORS, TABLE_2, TABLE_3
from parshall.studies.nonresponsive.phase import QUEUES
from parshall.studies.nonresponsive.results import Results
from parshall.studies.nonresponsive.traces import Reals
from parshall.study import Measures

__all__ = ["ACCURATE", "ALGORITHM", "KINDS", "WINDOWS", "all_claims"]

ACCURATE = 0.1
"""The relative error that the chapter calls small (II.C.5)."""
ALGORITHM = "zero-drops"
"""'This modified estimation algorithm will be used in the rest of the simulations' (II.C.2)."""
WINDOWS: Mapping[str, tuple[float, str]] = {
    "table": (120, "window of 64 packets"),
    "window": (1000, "unlimited window"),
}
"""Readings of Table III: the place of each in the table of queues, and its name."""
KINDS: Mapping[str, str] = {"tuned": "tuned settings", "printed": "printed gains"}
_FITTED = ("fitted", "printed gains, start values for this case")
"""How the numbers themselves are asked for once more."""
_OTHER_READINGS = (".fitted", ".window")
"""Ends of ids under which a printed number is asked for again; the document makes it once."""
_SLOW_START = 70.0
"""Seconds after which estimates of Figure 12 are said to have converged."""
_CROWD = (105.0, 150.0)
"""Seconds in which short flows are there and the filters are filled."""
_SPREAD_OF_TABLE_1 = max(error.value for error in ERRORS if error.where == "Table I") - 0.00055
"""How far the errors of Table I lie from that of TCP alone."""


def all_claims(measures: Measures) -> list[Claim]:
    """In the order of the chapter, then those beyond it."""
    results = Results(measures)
    document = [
        *_high_load(results),
        *_zero_drops(results),
        *_varying(results),
        *_short_flows(results),
        *_round_trips(results),
        *_vbr(results),
        *_table_1(results),
        *_drops(results),
        *_table_2(results),
        *_hops(results),
        *_discussion(results),
        *_table_3(results),
    ]
    readings = [claim for claim in document if claim.id.endswith(_OTHER_READINGS)]
    beyond = [
        *(replace(claim, where=f"{claim.where}, another reading") for claim in readings),
        *claims_beyond(results),
    ]
    return [
        *(claim for claim in document if claim not in readings),
        *(replace(claim, of_document=False) for claim in beyond),
    ]


def _kinds(results: Results, estimator: str) -> Iterator[tuple[str, str]]:
    """Kinds of settings that the estimator was judged with, and how a statement names them."""
    for kind, name in KINDS.items():
        if (estimator, kind) in results.entries:
            yield kind, name


# --- One hop ------------------------------------------------------------------------------------------------


def _high_load(results: Results) -> Iterator[Claim]:
    for suffix, rtt in (("", 100), ("/rtt-120", 120)):
        names = [f"load/{count}{suffix}" for count in (16, 22, 25)]
        yield from _accurate(
            results,
            f"figure-3.accurate.{rtt}-ms",
            "Figure 3, text",
            f"Under 16, 22 and 25 CBR flows the basic estimate is accurate (round trip {rtt} ms)",
            names,
            "basic",
        )


def _zero_drops(results: Results) -> Iterator[Claim]:
    low = [
        f"load/{count}"
        for count in cases.LOADS
        if float(np.mean(results.score(f"load/{count}", "basic", "tuned", "mean_share"))) < 0.6
    ]
    for kind, name in _kinds(results, "basic"):
        yield all_compared(
            f"figure-4.modified-better.{kind}",
            "Figure 4, text",
            "Below a non-responsive load of 60 % the modified algorithm has a smaller mean square error "
            f"than the basic one ({name}).",
            "less",
            [(results.score(case, ALGORITHM, kind), results.score(case, "basic", kind)) for case in low],
        )


def _varying(results: Results) -> Iterator[Claim]:
    for half in cases.PULSES:
        case = f"pulses/{half}"
        for kind, name in _kinds(results, ALGORITHM):
            yield compared(
                f"figure-5.follows-{half}-s.{kind}",
                "Figure 5, text",
                f"With {half} s on and off the estimate follows the load: its error is smaller than that of "
                f"the mean share of the run ({name}).",
                "less",
                results.score(case, ALGORITHM, kind),
                results.score(case, ALGORITHM, kind, "share_variance"),
            )
    short, long = (1e3 * count * net.SAMPLING for count in (shorter.SHORTEST, net.ESTIMATION))
    for half in shorter.HALVES:
        for kind, name in _kinds(results, ALGORITHM):
            yield compared(
                f"figure-5.shorter-interval-{half}-s.{kind}",
                "Figure 5, text",
                f"A shorter estimation interval estimates a load that varies faster: with {half} s on and "
                f"off, the error against the share in each {short:.0f} ms is smaller in intervals of "
                f"{short:.0f} ms than in those of {long:.0f} ms ({name}).",
                "less",
                results.interval_error(half, shorter.SHORTEST, ALGORITHM, kind),
                results.interval_error(half, net.ESTIMATION, ALGORITHM, kind),
            )


def _short_flows(results: Results) -> Iterator[Claim]:
    def excess(case: str, kind: str) -> Reals:
        times = results.times(case)
        chosen = (times > _CROWD[0]) & (times <= _CROWD[1])
        error = results.series(case, kind) - results.series(case, "share")
        found: Reals = error[:, chosen].mean(axis=1)
        return found

    for kind, name in _kinds(results, ALGORITHM):
        yield compared(
            f"figure-6.non-responsive.{kind}",
            "Figure 6, text",
            "Short TCP flows are taken for non-responsive: while they are there the estimate lies further "
            f"above the share of UDP than without them ({name}).",
            "greater",
            excess("short", kind),
            excess("load/16", kind),
        )


def _round_trips(results: Results) -> Iterator[Claim]:
    below, above = ([ms for ms in cases.RTTS if sign * (ms - 120) > 0] for sign in (-1, 1))
    for kind, name in _kinds(results, ALGORITHM):
        yield _relative(
            results,
            f"figure-7.over-estimates.{kind}",
            "Figure 7, text",
            f"With round trips from 24.4 to 175.5 ms the load is over-estimated ({name}).",
            ["rtt-range"],
            kind,
            "greater",
        )
    yield from _accurate(
        results,
        "figure-7.accurate",
        "Figure 7, text",
        "With round trips from 24.4 to 175.5 ms the estimate is accurate",
        ["rtt-range"],
        ALGORITHM,
    )
    for kind, name in _kinds(results, ALGORITHM):
        yield _relative(
            results,
            f"figure-8.below.{kind}",
            "Figure 8, text",
            f"Round trips below R0 = 120 ms make the algorithm over-estimate ({name}).",
            [f"rtt/{ms}" for ms in below],
            kind,
            "greater",
        )
        yield _relative(
            results,
            f"figure-8.above.{kind}",
            "Figure 8, text",
            f"Round trips above R0 = 120 ms make the algorithm under-estimate ({name}).",
            [f"rtt/{ms}" for ms in above],
            kind,
            "less",
        )
    yield from _accurate(
        results,
        "figure-8.within-10-percent",
        "Figure 8, text",
        "From 40 to 200 ms relative errors are within 10 %",
        [f"rtt/{ms}" for ms in cases.RTTS],
        ALGORITHM,
    )


def _vbr(results: Results) -> Iterator[Claim]:
    yield from _errors(results, "Figure 9, text")
    yield from _accurate(
        results,
        "figure-9.accurate",
        "Figure 9, text",
        "Under VBR flows the estimate is still accurate",
        [f"vbr/{speed}" for speed in cases.VBR_INTERVALS],
        ALGORITHM,
    )


def _table_1(results: Results) -> Iterator[Claim]:
    yield from _errors(results, "Table I")
    mixes = [f"{kind}/{percent}" for kind in cases.BINOMIALS for percent in (50, 100)]
    for kind, name in _kinds(results, ALGORITHM):
        tcp = results.score("load/22", ALGORITHM, kind)
        yield all_compared(
            f"table-1.small-differences.{kind}",
            "Table I, text",
            "With IIAD and SQRT flows the mean square error differs from that with TCP alone by no more than "
            f"{_SPREAD_OF_TABLE_1:.5f}, the most in the table ({name}).",
            "less",
            [
                (np.abs(results.score(case, ALGORITHM, kind) - tcp), np.full_like(tcp, _SPREAD_OF_TABLE_1))
                for case in mixes
            ],
        )


def _drops(results: Results) -> Iterator[Claim]:
    raised = [f"min-th/{minimum}" for minimum in cases.MIN_THRESHOLDS[1:]]
    yield all_compared(
        "figure-10.more-drops",
        "Figure 10, text",
        "Raising RED's lower threshold raises the drop rate.",
        "greater",
        [
            (
                100 * results.score(case, ALGORITHM, "tuned", "drop_rate"),
                100 * results.score("load/22", ALGORITHM, "tuned", "drop_rate"),
            )
            for case in raised
        ],
        unit="%",
    )
    for kind, name in _kinds(results, "with-drops"):
        yield all_compared(
            f"figure-10.with-drops-better.{kind}",
            "Figure 10, text",
            "With a raised lower threshold, the algorithm that accounts for l(t) has the smaller mean "
            f"square error ({name}).",
            "less",
            [
                (results.score(case, "with-drops", kind), results.score(case, ALGORITHM, kind))
                for case in raised
            ],
        )


# --- Several hops -------------------------------------------------------------------------------------------


def _table_2(results: Results) -> Iterator[Claim]:
    for count, rates in TABLE_2.items():
        for link, rate in enumerate(rates, start=1):
            claim = printed(
                f"table-2.{count}.link-{link}",
                "Table II",
                f"Drop rate at link {link} with {count} CBR flows in set B.",
                rate,
                results.link_drop_rate(f"hops/{count}", link),
                unit="%",
                at_least_zero=True,
            )
            yield _to_the_digit(claim, 0.1)


def _hops(results: Results) -> Iterator[Claim]:
    for count in cases.HOPS:
        yield from _accurate(
            results,
            f"figure-12.accurate.{count}",
            "Figure 12, text",
            f"With {count} CBR flows over three bottlenecks the extended estimate is accurate",
            [f"hops/{count}"],
            "several-hops",
        )
    yield all_compared(
        "figure-12.fewer-drops-here",
        "Figure 12, text",
        "With 22 and 16 CBR flows the drop rate at link 1 is below that at links 2 and 3.",
        "less",
        [
            (results.link_drop_rate(f"hops/{count}", 1), results.link_drop_rate(f"hops/{count}", link))
            for count in (22, 16)
            for link in (2, 3)
        ],
        unit="%",
    )
    for kind, name in _kinds(results, "several-hops"):
        case = "hops/16"
        error = np.abs(results.series(case, kind) - results.series(case, "share"))
        early = results.times(case) - cases.case(case).start <= _SLOW_START
        yield compared(
            f"figure-12.slow-with-16.{kind}",
            "Figure 12, text",
            f"With 16 CBR flows the estimate converges slowly: it errs less after the first 70 s ({name}).",
            "less",
            error[:, ~early].mean(axis=1),
            error[:, early].mean(axis=1),
        )
    yield from _accurate(
        results,
        "figure-13.accurate",
        "Figure 13, text",
        "With 6 CBR flows to one branch and 16 to the other the extended estimate is accurate",
        ["hops/22-uneven"],
        "several-hops",
    )


def _discussion(results: Results) -> Iterator[Claim]:
    high = [f"load/{count}" for count in cases.LOADS if count >= 20]
    low = [f"load/{count}" for count in cases.LOADS if count <= 14]
    for kind, name in _kinds(results, ALGORITHM):
        yield compared(
            f"discussion.better-at-high-load.{kind}",
            "Section E",
            "The method is more accurate under higher load: mean square error under 20 to 25 CBR flows "
            f"against that under 2 to 14 ({name}).",
            "less",
            results.mean_error(high, ALGORITHM, kind),
            results.mean_error(low, ALGORITHM, kind),
        )


def _table_3(results: Results) -> Iterator[Claim]:
    for sweep, (x, window) in WINDOWS.items():
        for queue, row in TABLE_3.items():
            share = results.point(sweep, queue, x)
            measured = {
                "tcp": ("TCP's share", share),
                "cbr": ("CBR's share", 100 - share),
                "drop-rate": ("Drop rate", results.point(sweep, queue, x, "drop_rate")),
            }
            for (what, (label, values)), value in zip(measured.items(), row, strict=True):
                yield _to_the_digit(
                    printed(
                        f"table-3.{queue}.{what}.{sweep}",
                        "Table III",
                        f"{label} with {QUEUES[queue]} ({window}).",
                        value,
                        values,
                        unit="%",
                        at_least_zero=True,
                    ),
                    0.01 if value < 10 else 0.1,
                )
    for better in ("droptail", "red-full"):
        yield compared(
            f"table-3.{better}-protects",
            "Table III, text",
            f"{QUEUES[better]} leaves TCP a greater share than RED(15, 45, 0.1), with CBR flows in phase "
            "and a round trip of 120 ms.",
            "greater",
            results.point("table", better, 120),
            results.point("table", "red", 120),
            paper=round(TABLE_3[better][0] - TABLE_3["red"][0], 6),
            unit="points",
        )


def _to_the_digit(claim: Claim, digit: float) -> Claim:
    """A printed number stands for all that round to it: half of its last digit is added to the interval."""
    if claim.run is None or claim.paper is None or claim.verdict is Verdict.OPEN:
        return claim
    half = digit / 2
    low = max(claim.run.low - half, 0.0)
    run = Interval(claim.run.mean, low, claim.run.high + half, claim.run.n)
    verdict = Verdict.HOLDS if run.contains(claim.paper) else Verdict.FAILS
    return replace(claim, run=run, verdict=verdict)


# --- Kinds of claims ----------------------------------------------------------------------------------------


def _errors(results: Results, where: str) -> Iterator[Claim]:
    """Each printed mean square error against single runs of ours."""
    for error in ERRORS:
        if error.where != where:
            continue
        for kind, name in (*_kinds(results, ALGORITHM), _FITTED):
            yield printed(
                f"mse.{error.case.replace('/', '-')}.{kind}",
                where,
                f"Mean square error: {cases.case(error.case).label} ({name}).",
                error.value,
                results.score(error.case, ALGORITHM, kind),
                at_least_zero=True,
            )


def _accurate(
    results: Results, id: str, where: str, text: str, names: Sequence[str], estimator: str
) -> Iterator[Claim]:
    """That the relative error is within 10 % in every case."""
    for kind, name in _kinds(results, estimator):
        pairs: list[tuple[Reals, Reals]] = []
        for case in names:
            size = np.abs(results.score(case, estimator, kind, "relative_error"))
            pairs.append((100 * size, np.full_like(size, 100 * ACCURATE)))
        statement = f"{text} ({name})."
        yield all_compared(f"{id}.{kind}", where, statement, "less", pairs, unit="% above 10 %")


def _relative(
    results: Results,
    id: str,
    where: str,
    text: str,
    names: Sequence[str],
    kind: str,
    direction: Direction,
) -> Claim:
    """That the relative error has one sign in every case."""
    pairs = []
    for case in names:
        error = 100 * results.score(case, ALGORITHM, kind, "relative_error")
        pairs.append((error, np.zeros_like(error)))
    return all_compared(id, where, text, direction, pairs, unit="%")
