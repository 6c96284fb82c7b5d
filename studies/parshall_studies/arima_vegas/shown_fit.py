"""Number of printed numbers that each reading of the document gives, as a table in place of sentences."""

from __future__ import annotations

from parshall_studies import study as st
from parshall_studies.arima_vegas.measures import CF
from parshall_studies.arima_vegas.networks import MAIN
from parshall_studies.arima_vegas.runs import ERRORS
from parshall_studies.study.grades import NEAR, Grade

_COLUMN = f".cf{CF}."
"""The column of Table 4 that all places of errors are held against."""


def _fit(results: st.Results, judged: st.Judgements) -> st.Table:
    del results
    return st.Table(
        "fit",
        ("Numbers and reading", "numbers", *map(str, _GRADES)),
        [
            (label, st.Number(len(own), decimals=0), *_counts(own))
            for label, own in (
                ("Table 3, rates of Table 2", judged.where("table-3.k")),
                ("Table 3, rates of its head", judged.where("table-3-halved.")),
                (f"Table 4, rates of Table 2, {ERRORS[MAIN]}", judged.where("table-4.k")),
                (f"Table 4, rates of its head, {ERRORS[MAIN]}", judged.where("table-4-halved.")),
                ("Table 5, no errors", judged.where("table-5.none.")),
                *(
                    (f"Tables 4 and 5 at {CF} Mbit/s, {ERRORS[place]}", fitting(judged, place))
                    for place in _PLACES
                ),
            )
        ],
    )


def fitting(judged: st.Judgements, place: str) -> st.Judgements:
    """The last column of Table 4, and Table 5 with errors, with errors in one place."""
    if place != MAIN:
        return judged.where(f"errors-{place}.")
    last = [each for each in judged.where("table-4.k") if _COLUMN in each.claim.id]
    return st.Judgements((*last, *judged.where("table-5.lossy.")), judged.seeds)


def fits(judged: st.Judgements, place: str) -> int:
    """Number of these that hold or are close."""
    return sum(each.grade in NEAR for each in fitting(judged, place))


_GRADES = (Grade.AGREES, Grade.CLOSE, Grade.INDISTINGUISHABLE, Grade.FAILS)
_PLACES = tuple(name for name in ERRORS if name != "none")
SHOWN: tuple[st.Shown, ...] = (st.Made(_fit),)


def _counts(own: st.Judgements) -> list[st.Number]:
    return [st.Number(sum(each.grade is grade for each in own), decimals=0) for grade in _GRADES]
