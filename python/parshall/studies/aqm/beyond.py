"""Questions that the chapter does not ask: phases of CBR flows, other thresholds, today's queues and senders,
and RED that is tuned from the estimate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from parshall.studies.aqm.grid import BUFFERS, CAPACITIES, LOADS, QUEUES
from parshall.studies.aqm.rules import SHARE, alike, all_greater

if TYPE_CHECKING:
    from parshall.claims import Claim
    from parshall.studies.aqm.results import Reals, Results

    Cells = Sequence[tuple[int, str, int]]
    """Capacity, buffer and load of each."""

__all__ = ["NEW_QUEUES", "claims_beyond"]

NEW_QUEUES = ("codel", "pie", "fq-codel")
_CELLS = tuple(product(CAPACITIES, BUFFERS, LOADS))
_WITH_SHORT_FLOWS = tuple(cell for cell in _CELLS if cell[2])


def claims_beyond(results: Results) -> list[Claim]:
    """Those whose parts were run."""
    questions = {
        "spread": _phases,
        "thresholds": _thresholds,
        "tuned": _tuned,
        "tuned-spread": _tuned_spread,
        "modern": _modern,
    }
    parts = {cell.part for cell in results.cells}
    return [claim for part, ask in questions.items() if part in parts for claim in ask(results)]


def _of(
    results: Results,
    metric: str,
    queue: str,
    part: str,
    cells: Cells = _CELLS,
    senders: str = "sack",
) -> list[Reals]:
    return [results.at(metric, queue, *cell, part=part, senders=senders) for cell in cells]


# --- Readings of the chapter --------------------------------------------------------------------------------


def _phases(results: Results) -> Iterator[Claim]:
    """What is left of DropTail's advantage when CBR flows start at random."""
    where = "CBR flows that start at random"
    locked, spread, red = (
        _of(results, "ltrf", queue, part)
        for queue, part in (("droptail", "grid"), ("droptail", "spread"), ("red", "grid"))
    )
    yield all_greater(
        "phases.red-is-close",
        where,
        "DropTail's LTRF throughput exceeds RED's by less than 0.05 when CBR flows start at random (27 "
        "cells).",
        [(low + 0.05, high) for high, low in zip(spread, red, strict=True)],
        SHARE,
    )
    for capacity in CAPACITIES:
        here = _CELLS.index((capacity, "1", 0))
        yield all_greater(
            f"phases.long-term.{capacity}",
            where,
            "In the long-term mix at 1 BWDP, where the chapter finds DropTail's bias against LTNRF, more "
            f"than half of its advantage over RED is the phase effect ({capacity} Mbit/s).",
            [(locked[here] - red[here], 2 * (spread[here] - red[here])), (locked[here], spread[here])],
            SHARE,
            bounds=2,
        )


def _thresholds(results: Results) -> Iterator[Claim]:
    """RED with min_th a twelfth of the buffer: the reading that suits the delays in the text."""
    where = "RED with lower thresholds"
    cells = [cell for cell in _CELLS if cell[2] == 30]
    low, red = (_of(results, "delay", queue, part, cells) for queue, part in _LOW_AND_RED)
    droptail = _of(results, "delay", "droptail", "grid", cells)
    yield all_greater(
        "thresholds.delay-threefold",
        where,
        "With thresholds of a twelfth and a quarter of the buffer RED's delay is less than a third of "
        "DropTail's (nine cells, 30 % STF).",
        [(high, 3 * each) for high, each in zip(droptail, low, strict=True)],
        "s",
    )
    yield all_greater(
        "thresholds.delay-lower",
        where,
        "It is lower than with a quarter and three quarters (same cells).",
        zip(red, low, strict=True),
        "s",
    )
    for metric, name in (("utilization", "utilisation"), ("ltrf", "LTRF throughput")):
        more, less = (_of(results, metric, queue, part, cells) for queue, part in reversed(_LOW_AND_RED))
        yield all_greater(
            f"thresholds.{metric}-lower",
            where,
            f"Its price is {name}: lower than with the higher thresholds (same cells).",
            zip(more, less, strict=True),
            SHARE,
        )


_LOW_AND_RED = (("red-low", "thresholds"), ("red", "grid"))


# --- RED that is tuned from the estimate --------------------------------------------------------------------


def _tuned(results: Results) -> Iterator[Claim]:
    """The idea that motivated the chapter, in the chapter's own setting: CBR flows in phase, 1 BWDP."""
    where = "RED tuned from the estimate, CBR flows in phase"
    for capacity in CAPACITIES:
        gains = {
            load: results.at("ltrf", "red-tuned", capacity, "1", load, part="tuned")
            - results.at("ltrf", "red", capacity, "1", load)
            for load in LOADS
        }
        yield all_greater(
            f"tuned.works.{capacity}",
            where,
            "In the long-term mix it gives LTRF more than RED does, by more than 0.05 of the capacity "
            f"({capacity} Mbit/s, 1 BWDP).",
            [(gains[0], 0.05)],
            SHARE,
        )
        yield all_greater(
            f"tuned.fails.{capacity}",
            where,
            f"With 30 % short flows it gives them less than 0.05 more ({capacity} Mbit/s, 1 BWDP).",
            [(0.05 - gains[30], 0.0)],
            SHARE,
        )
    every = _of(results, "ltrf", "red-tuned", "tuned")
    yield all_greater(
        "tuned.like-droptail",
        where,
        "Its LTRF throughput is within 0.05 of DropTail's (27 cells).",
        [
            pair
            for own, other in zip(every, _of(results, "ltrf", "droptail", "grid"), strict=True)
            for pair in ((own + 0.05, other), (other + 0.05, own))
        ],
        SHARE,
        bounds=2,
    )
    yield all_greater(
        "tuned.delay",
        where,
        "Its price is DropTail's delay: more than 1.5 times RED's (27 cells).",
        [
            (own, 1.5 * other)
            for own, other in zip(
                _of(results, "delay", "red-tuned", "tuned"), _of(results, "delay", "red", "grid"), strict=True
            )
        ],
        "s",
    )


def _tuned_spread(results: Results) -> Iterator[Claim]:
    """The same when the phases of CBR flows are random."""
    pairs = [
        (results.at("ltrf", "red", *cell) + 0.05, results.at("ltrf", "red-tuned", *cell, part="tuned-spread"))
        for cell in _CELLS
    ]
    yield all_greater(
        "tuned.nothing-to-gain",
        "RED tuned from the estimate, CBR flows that start at random",
        "It gives LTRF less than 0.05 more than RED with CBR flows in phase, whatever the mix (27 cells).",
        pairs,
        SHARE,
    )


# --- Today --------------------------------------------------------------------------------------------------


def _modern(results: Results) -> Iterator[Claim]:
    for queue in NEW_QUEUES:
        yield from _new_queue(results, queue)
    yield from _fair_queueing(results)
    yield from _cubic(results)


def _new_queue(results: Results, queue: str) -> Iterator[Claim]:
    """What a queue of an RFC does for delay, at which price."""
    where = f"{QUEUES[queue]}, the chapter's senders"

    def of(metric: str, name: str, cells: Cells = _CELLS) -> list[Reals]:
        return _of(results, metric, name, "modern", cells)

    yield all_greater(
        f"modern.delay.{queue}",
        where,
        "Its mean queueing delay is lower than RED's (27 cells).",
        zip(of("delay", "red"), of("delay", queue), strict=True),
        "s",
    )
    yield alike(
        f"modern.buffer-does-not-matter.{queue}",
        where,
        "Its delay at 3 BWDP of buffer is within 10 % of that at 1 BWDP (all capacities and loads).",
        zip(*(of("delay", queue, _with_buffer(buffer)) for buffer in ("3", "1")), strict=True),
        1.1,
    )
    yield all_greater(
        f"modern.utilization.{queue}",
        where,
        "The link stays used: at least 98 % of DropTail's utilisation (27 cells).",
        [
            (own, 0.98 * most)
            for own, most in zip(of("utilization", queue), of("utilization", "droptail"), strict=True)
        ],
        SHARE,
    )
    for other in ("droptail", "red"):
        yield all_greater(
            f"modern.response.{queue}.{other}",
            where,
            f"A short transfer takes less time, on the average, than with {QUEUES[other]} (18 cells).",
            zip(
                of("response_mean", other, _WITH_SHORT_FLOWS),
                of("response_mean", queue, _WITH_SHORT_FLOWS),
                strict=True,
            ),
            "s",
        )


def _with_buffer(buffer: str) -> list[tuple[int, str, int]]:
    return [cell for cell in _CELLS if cell[1] == buffer]


def _fair_queueing(results: Results) -> Iterator[Claim]:
    """Fair queueing does what the chapter wanted of DropTail: it holds back flows that do not respond."""
    where = "FQ-CoDel, the chapter's senders"
    fair = _of(results, "ltrf", "fq-codel", "modern")
    for other in ("droptail", "red"):
        yield all_greater(
            f"modern.protects.{other}",
            where,
            f"It gives LTRF more throughput than {QUEUES[other]}, short flows or not (27 cells).",
            zip(fair, _of(results, "ltrf", other, "modern"), strict=True),
            SHARE,
        )


def _cubic(results: Results) -> Iterator[Claim]:
    where = "CUBIC senders"

    def of(metric: str, queue: str, senders: str, cells: Cells = _CELLS) -> list[Reals]:
        return _of(results, metric, queue, "modern", cells, senders)

    for queue in ("droptail", "red", *NEW_QUEUES):
        yield all_greater(
            f"modern.cubic-takes-more.{queue}",
            where,
            f"They take a larger share from LTNRF than the chapter's ({QUEUES[queue]}, 27 cells).",
            zip(of("ltrf", queue, "cubic"), of("ltrf", queue, "sack"), strict=True),
            SHARE,
        )
        yield all_greater(
            f"modern.cubic-responds-sooner.{queue}",
            where,
            f"A short transfer takes less time than with the chapter's senders ({QUEUES[queue]}, 18 cells).",
            zip(
                of("response_mean", queue, "sack", _WITH_SHORT_FLOWS),
                of("response_mean", queue, "cubic", _WITH_SHORT_FLOWS),
                strict=True,
            ),
            "s",
        )
    for queue in NEW_QUEUES:
        yield all_greater(
            f"modern.cubic-delay.{queue}",
            where,
            f"With them too {QUEUES[queue]}'s mean queueing delay is lower than RED's (27 cells).",
            zip(of("delay", "red", "cubic"), of("delay", queue, "cubic"), strict=True),
            "s",
        )
