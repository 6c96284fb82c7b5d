"""The chapter's numbers and statements, in its order, each as a claim with its rule.

A statement in words ('similar', 'marginal', 'much') is tested against the bound that the assumptions give it,
which stands in the claim's wording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from parshall.claims import Claim, Verdict, printed
from parshall.stats import Interval
from parshall.studies.aqm.document import (
    LTNRF_LOADS,
    RELATIVE_DELAYS,
    TABLE_5,
    TABLE_6,
    Printed,
    printed_numbers,
)
from parshall.studies.aqm.grid import BUFFERS, CAPACITIES, LOADS, QUEUES
from parshall.studies.aqm.networks import BUFFER_PACKETS, PACKET_BYTES, product_packets
from parshall.studies.aqm.results import Results
from parshall.studies.aqm.rules import SHARE, alike, all_greater, within

if TYPE_CHECKING:
    from parshall.studies.aqm.results import Reals
    from parshall.study import Measures

    Pairs = Sequence[tuple[Reals, Reals]]

__all__ = ["AQMS", "all_claims"]

AQMS = ("red", "red-ecn")
"""What the chapter calls AQM schemes."""
_SIMILAR, _MARGINAL, _COMPARABLE, _MUCH, _CLOSE = 0.1, 0.05, 1.5, 2.0, 0.05
"""Bounds of the chapter's words; see the assumptions."""
_HIGH = 30
"""Load of short flows of most figures, in %."""


def all_claims(measures: Measures) -> list[Claim]:
    """In the order of the chapter, then those beyond it."""
    from parshall.studies.aqm.beyond import claims_beyond

    results = Results(measures["runs"])
    numbers = [_printed(results, number) for number in printed_numbers()]
    by_table = {
        table: [claim for claim in numbers if claim.where == f"Table {table}"]
        for table in ("VIII", "IX", "X")
    }
    document = [
        *_settings(results),
        *_delay_over_buffer(results),
        *_throughput(results),
        *by_table["VIII"],
        *_utilization(results),
        *_jitter(results),
        *_capacity(results),
        *_relative_delay(results),
        *by_table["IX"],
        *_drop_rates(results),
        *_short_flow_load(results),
        *by_table["X"],
        *_short_flows(results),
        *_delay_over_load(results),
        *_discussion(results),
    ]
    return [*document, *(replace(claim, of_document=False) for claim in claims_beyond(results))]


def _printed(results: Results, number: Printed) -> Claim:
    """A number of a table of results."""
    values = results.at(number.metric, number.queue, number.capacity, number.buffer, number.load)
    names = {
        "utilization": "utilisation",
        "mark": "marking rate of LTRF",
        "ltrf_drop": "drop rate of LTRF",
        "ltnrf_drop": "drop rate of LTNRF",
        "ltrf": "throughput of LTRF",
        "ltnrf": "throughput of LTNRF",
    }
    statement = (
        f"{QUEUES[number.queue]}, {number.capacity} Mbit/s, {number.buffer} BWDP, {number.load} % STF: "
        f"{names[number.metric]}"
    )
    return _rounded(
        printed(number.id, f"Table {number.table}", statement, number.value, values), number.digits
    )


def _rounded(claim: Claim, digits: int) -> Claim:
    """A printed number stands for all that round to it: the interval is wider by half of its last digit."""
    run = claim.run
    if run is None or claim.paper is None or claim.verdict is Verdict.OPEN:
        return claim
    half = 0.5 * 10.0**-digits
    # What the chapter prints is never negative.
    wider = Interval(run.mean, max(run.low - half, 0.0), run.high + half, run.n)
    verdict = Verdict.HOLDS if wider.contains(claim.paper) else Verdict.FAILS
    return replace(claim, run=wider, verdict=verdict)


def _grid(
    results: Results, metric: str, queue: str, *, buffers: Iterable[str] = BUFFERS, load: int = _HIGH
) -> list[Reals]:
    """A metric of a queue over capacities and buffers, in this order."""
    return [
        results.at(metric, queue, capacity, buffer, load) for capacity in CAPACITIES for buffer in buffers
    ]


# --- IV.A.1: settings ---------------------------------------------------------------------------------------


def _settings(results: Results) -> Iterator[Claim]:
    """Tables V and VI against the definitions that they follow from, which every run shares, and loads."""

    def packets(capacity: int, multiple: float) -> Reals:
        return np.full(results.seeds, float(product_packets(capacity, multiple)))

    for capacity, count in TABLE_5.items():
        statement = f"One bandwidth-delay product at {capacity} Mbit/s."
        values = packets(capacity, 1.0)
        yield _rounded(printed(f"table-v.{capacity}", "Table V", statement, count, values, unit="packets"), 0)
    for buffer, row in TABLE_6.items():
        for capacity, count in row.items():
            ident = f"table-vi.{capacity}.{'third' if buffer == '1/3' else buffer}"
            statement = f"A buffer of {buffer} BWDP at {capacity} Mbit/s."
            values = packets(capacity, BUFFERS[buffer])
            yield _rounded(printed(ident, "Table VI", statement, count, values, unit="packets"), 0)
    for load, share in LTNRF_LOADS.items():
        for capacity in CAPACITIES:
            got, lost = (results.at(name, "red", capacity, "1", load) for name in ("ltnrf", "ltnrf_drop"))
            statement = (
                f"LTNRF offer {100 * share:.0f} % of {capacity} Mbit/s beside {load} % STF (with as many "
                "flows as the tables need)."
            )
            ident = f"setup.ltnrf-load.{capacity}.{load}"
            yield _rounded(printed(ident, "IV.A.1", statement, share, got / (1 - lost), unit=SHARE), 2)


# --- IV.A.2: buffers ----------------------------------------------------------------------------------------


def _delay_over_buffer(results: Results) -> Iterator[Claim]:
    """Figure 26: 30 % short flows and 35 Mbit/s."""
    sizes = [BUFFER_PACKETS[35][buffer] for buffer in BUFFERS]
    weight = (sizes[1] - sizes[0]) / (sizes[2] - sizes[0])
    for queue in ("droptail", *AQMS):
        delays = [results.at("delay", queue, 35, buffer, _HIGH) for buffer in BUFFERS]
        yield all_greater(
            f"figure-26.increases.{queue}",
            "Figure 26, text",
            f"The mean queueing delay increases with the buffer ({QUEUES[queue]}).",
            [(delays[1], delays[0]), (delays[2], delays[1])],
            "s",
        )
        straight = (1 - weight) * delays[0] + weight * delays[2]
        yield alike(
            f"figure-26.linear.{queue}",
            "Figure 26, text",
            f"It does so linearly: at 1 BWDP it is within 10 % of the straight line between the others "
            f"({QUEUES[queue]}).",
            [(delays[1], straight)],
            1 + _SIMILAR,
        )


def _throughput(results: Results) -> Iterator[Claim]:
    """Figure 27."""
    for queue in AQMS:
        yield all_greater(
            f"figure-27.droptail-higher.{queue}",
            "Figure 27, text",
            f"LTRF throughput under DropTail is always higher than under {QUEUES[queue]} (nine cells, 30 % "
            "STF).",
            zip(_grid(results, "ltrf", "droptail"), _grid(results, "ltrf", queue), strict=True),
            SHARE,
        )
        for larger, smaller in (("1", "1/3"), ("3", "1")):
            gaps = {
                buffer: [
                    high - low
                    for high, low in zip(
                        _grid(results, "ltrf", "droptail", buffers=[buffer]),
                        _grid(results, "ltrf", queue, buffers=[buffer]),
                        strict=True,
                    )
                ]
                for buffer in (larger, smaller)
            }
            yield all_greater(
                f"figure-27.gap-shrinks.{queue}.{larger}",
                "Figure 27, text",
                f"That difference from {QUEUES[queue]} is smaller at {larger} BWDP than at {smaller} (all "
                "capacities).",
                zip(gaps[smaller], gaps[larger], strict=True),
                SHARE,
            )
    for buffer in ("1", "3"):
        delay = {queue: _grid(results, "delay", queue, buffers=[buffer]) for queue in ("droptail", "red")}
        yield all_greater(
            f"figure-27.delay-threefold.{buffer}",
            "Figure 27, text",
            "'Under higher BWDPs' DropTail's mean queueing delay is more than 3 times RED's "
            f"({buffer} BWDP, all capacities).",
            [(high, 3 * low) for high, low in zip(delay["droptail"], delay["red"], strict=True)],
            "s",
        )
    ecn, red = (_grid(results, "ltrf", queue) for queue in ("red-ecn", "red"))
    yield all_greater(
        "figure-27.ecn-gains",
        "Figure 27, text",
        "RED-ECN gives LTRF more throughput than RED (nine cells, 30 % STF).",
        zip(ecn, red, strict=True),
        SHARE,
    )
    yield all_greater(
        "figure-27.ecn-gain-marginal",
        "Figure 27, text",
        "That gain is marginal: less than 5 %.",
        [((1 + _MARGINAL) * low, high) for high, low in zip(ecn, red, strict=True)],
        SHARE,
    )


def _utilization(results: Results) -> Iterator[Claim]:
    """The text of Table VIII."""
    where = "Table VIII, text"

    def gaps(queue: str, buffer: str) -> list[Reals]:
        pair = (_grid(results, "utilization", name, buffers=[buffer]) for name in ("droptail", queue))
        return [high - low for high, low in zip(*pair, strict=True)]

    for queue in AQMS:
        yield all_greater(
            f"table-viii.droptail-higher.{queue}",
            where,
            f"At 1/3 BWDP the utilisation is higher with DropTail than with {QUEUES[queue]} (all "
            "capacities).",
            [(gap, 0.0) for gap in gaps(queue, "1/3")],
            SHARE,
        )
        low, *others = gaps(queue, "1/3")
        yield all_greater(
            f"table-viii.gap-larger-at-5.{queue}",
            where,
            f"The difference from {QUEUES[queue]} is larger at 5 Mbit/s than at 35 and 100 (1/3 BWDP).",
            [(low, other) for other in others],
            SHARE,
        )
        yield all_greater(
            f"table-viii.gap-shrinks.{queue}",
            where,
            f"The difference from {QUEUES[queue]} is smaller at 3 BWDP than at 1/3 (all capacities).",
            zip(gaps(queue, "1/3"), gaps(queue, "3"), strict=True),
            SHARE,
        )
    ecn, red = (_grid(results, "utilization", queue) for queue in ("red-ecn", "red"))
    yield all_greater(
        "table-viii.ecn-gains",
        where,
        "RED-ECN has a higher utilisation than RED (nine cells).",
        zip(ecn, red, strict=True),
        SHARE,
    )


def _jitter(results: Results) -> Iterator[Claim]:
    """Figure 28: ON/OFF flows."""
    where = "Figure 28, text"

    def deviation(queue: str, capacity: int, buffer: str) -> Reals:
        return results.at("delay_sd", queue, capacity, buffer, _HIGH, part="on-off")

    for queue in AQMS:
        yield alike(
            f"figure-28.comparable-at-5.{queue}",
            where,
            f"At 5 Mbit/s DropTail's standard deviation of delay is comparable to {QUEUES[queue]}'s (within "
            "a factor of 1.5, all buffers).",
            [(deviation("droptail", 5, buffer), deviation(queue, 5, buffer)) for buffer in BUFFERS],
            _COMPARABLE,
        )
        large = [(capacity, buffer) for capacity in (35, 100) for buffer in ("1", "3")]
        yield all_greater(
            f"figure-28.smaller.{queue}",
            where,
            f"At 35 and 100 Mbit/s and 1 and 3 BWDP {QUEUES[queue]}'s standard deviation is smaller than "
            "DropTail's.",
            [(deviation("droptail", *place), deviation(queue, *place)) for place in large],
            "s",
        )
        yield all_greater(
            f"figure-28.much-smaller.{queue}",
            where,
            f"It is much smaller: less than half ({QUEUES[queue]}, same cells).",
            [(deviation("droptail", *place), _MUCH * deviation(queue, *place)) for place in large],
            "s",
        )


# --- IV.A.3: capacities -------------------------------------------------------------------------------------


def _capacity(results: Results) -> Iterator[Claim]:
    """Figure 27 across its panels."""
    where = "Figure 27, across capacities"
    for queue in AQMS:
        gaps = {
            capacity: [
                results.at("ltrf", "droptail", capacity, buffer, _HIGH)
                - results.at("ltrf", queue, capacity, buffer, _HIGH)
                for buffer in BUFFERS
            ]
            for capacity in CAPACITIES
        }
        yield all_greater(
            f"figure-27.capacity-minor.{queue}",
            where,
            f"The difference of throughputs between DropTail and {QUEUES[queue]} changes little with "
            "capacity: by less than 0.05 of it (all buffers).",
            [
                (np.full_like(low, _CLOSE), np.abs(high - low))
                for other in (35, 100)
                for low, high in zip(gaps[5], gaps[other], strict=True)
            ],
            SHARE,
        )
    pairs = [
        (results.at("ltrf", queue, 100, buffer, _HIGH), results.at("ltrf", queue, other, buffer, _HIGH))
        for queue in ("droptail", *AQMS)
        for buffer in BUFFERS
        for other in (5, 35)
    ]
    yield all_greater(
        "figure-27.higher-at-100",
        where,
        "LTRF get a larger share at 100 Mbit/s than at 5 and 35 (all queues and buffers).",
        pairs,
        SHARE,
    )


def _relative_delay(results: Results) -> Iterator[Claim]:
    """Figure 29."""
    where = "Figure 29, text"
    for (queue, buffer), value in RELATIVE_DELAYS.items():
        half = 0.5 if value >= 1 else 0.05
        low, high = value - half, value + half
        yield within(
            f"figure-29.{queue}.{'third' if buffer == '1/3' else buffer}",
            where,
            f"{QUEUES[queue]} at {buffer} BWDP: a relative delay of around {value:g}, from {low:g} to "
            f"{high:g} (all capacities).",
            _grid(results, "relative_delay", queue, buffers=[buffer]),
            low,
            high,
            "round trips",
            paper=value,
        )
    full = [
        8 * PACKET_BYTES * BUFFER_PACKETS[capacity][buffer] / (1e6 * capacity)
        for capacity in CAPACITIES
        for buffer in BUFFERS
    ]
    yield alike(
        "figure-29.droptail-full",
        where,
        "DropTail's delay is close to that of a full buffer: within 10 % (nine cells).",
        [
            (delay, np.full_like(delay, most))
            for delay, most in zip(_grid(results, "delay", "droptail"), full, strict=True)
        ],
        1 + _SIMILAR,
    )
    droptail, red, ecn = (_grid(results, "delay", queue) for queue in ("droptail", *AQMS))
    ratios = [high / low for high, low in zip(droptail, red, strict=True)]
    yield within(
        "figure-29.threefold",
        where,
        "The mean delay is about 3 times smaller with RED than with DropTail: 2.5 to 3.5 times (nine cells).",
        ratios,
        2.5,
        3.5,
        "ratio",
        paper=3.0,
    )
    yield alike(
        "figure-29.ecn-similar",
        where,
        "RED-ECN's mean delay is similar to RED's: within 10 % (nine cells).",
        zip(ecn, red, strict=True),
        1 + _SIMILAR,
    )
    for queue in ("droptail", *AQMS):
        yield alike(
            f"figure-29.flat.{queue}",
            where,
            f"Capacity has almost no impact on the relative delay: within 10 % of that at 35 Mbit/s "
            f"({QUEUES[queue]}, all buffers).",
            [
                (
                    results.at("relative_delay", queue, capacity, buffer, _HIGH),
                    results.at("relative_delay", queue, 35, buffer, _HIGH),
                )
                for capacity in (5, 100)
                for buffer in BUFFERS
            ],
            1 + _SIMILAR,
        )


def _drop_rates(results: Results) -> Iterator[Claim]:
    """The text of Table IX: 30 % short flows, 1 BWDP."""
    where = "Table IX, text"

    def rates(queue: str, metric: str) -> list[Reals]:
        return _grid(results, metric, queue, buffers=["1"])

    for other, name in (("ltrf_drop", "LTRF"), ("stf_drop", "STF")):
        yield all_greater(
            f"table-ix.droptail-ltnrf.{other}",
            where,
            f"DropTail drops much more of LTNRF than of {name}: more than twice (all capacities).",
            [
                (high, _MUCH * low)
                for high, low in zip(rates("droptail", "ltnrf_drop"), rates("droptail", other), strict=True)
            ],
            "rate",
        )
    for queue, metric in (("red", "ltrf_drop"), ("red-ecn", "mark")):
        what = "drop rates" if queue == "red" else "marking rate of LTRF and drop rate of LTNRF"
        yield alike(
            f"table-ix.no-difference.{queue}",
            where,
            f"With {QUEUES[queue]} the {what} do not differ much: within 10 % (all capacities).",
            zip(rates(queue, metric), rates(queue, "ltnrf_drop"), strict=True),
            1 + _SIMILAR,
        )
    yield all_greater(
        "table-ix.marks-above-drops",
        where,
        "RED-ECN marks more of LTRF than RED drops (all capacities).",
        zip(rates("red-ecn", "mark"), rates("red", "ltrf_drop"), strict=True),
        "rate",
    )
    yield all_greater(
        "table-ix.ecn-drops-less",
        where,
        "RED-ECN drops much less of LTRF than RED: less than half (all capacities).",
        [
            (high, _MUCH * low)
            for high, low in zip(rates("red", "ltrf_drop"), rates("red-ecn", "ltrf_drop"), strict=True)
        ],
        "rate",
    )
    yield all_greater(
        "table-ix.ecn-ltnrf",
        where,
        "RED-ECN drops more of LTNRF than RED (all capacities).",
        zip(rates("red-ecn", "ltnrf_drop"), rates("red", "ltnrf_drop"), strict=True),
        "rate",
    )


# --- IV.A.4: short flows ------------------------------------------------------------------------------------


def _short_flow_load(results: Results) -> Iterator[Claim]:
    """Figure 30."""
    for queue in AQMS:
        gaps = {
            load: [
                high - low
                for high, low in zip(
                    _grid(results, "normalized", "droptail", buffers=["1"], load=load),
                    _grid(results, "normalized", queue, buffers=["1"], load=load),
                    strict=True,
                )
            ]
            for load in LOADS
        }
        for less, more in ((0, 5), (5, 30)):
            yield all_greater(
                f"figure-30.gap-shrinks.{queue}.{more}",
                "Figure 30, text",
                f"From {less} to {more} % STF the difference of normalised throughputs between DropTail and "
                f"{QUEUES[queue]} decreases or stays the same: it grows by less than 0.01 (all capacities).",
                [(before + 0.01, after) for before, after in zip(gaps[less], gaps[more], strict=True)],
                "share",
            )


def _short_flows(results: Results) -> Iterator[Claim]:
    """The text of Table X: 100 Mbit/s, 1 BWDP."""
    where = "Table X, text"

    def share(metric: str, queue: str, load: int) -> Reals:
        return results.at(metric, queue, 100, "1", load)

    for load in (0, 5):
        yield all_greater(
            f"table-x.droptail-higher.{load}",
            where,
            f"At {load} % STF LTRF throughput is noticeably higher with DropTail: by more than 10 %.",
            [
                (share("ltrf", "droptail", load), (1 + _SIMILAR) * share("ltrf", queue, load))
                for queue in AQMS
            ],
            SHARE,
        )
    queues = ("droptail", *AQMS)
    for load, low, high in ((5, 0.045, 0.055), (30, 0.25, 0.35)):
        yield within(
            f"table-x.short-flows.{load}",
            where,
            f"Short flows claim {load} % of the link, from {low:g} to {high:g} (all queues).",
            [share("stf", queue, load) for queue in queues],
            low,
            high,
            SHARE,
            paper=load / 100,
        )
    yield all_greater(
        "table-x.ecn-gains",
        where,
        "RED-ECN improves LTRF throughput over RED (all loads).",
        [(share("ltrf", "red-ecn", load), share("ltrf", "red", load)) for load in LOADS],
        SHARE,
    )
    yield all_greater(
        "table-x.close-at-30",
        where,
        "At 30 % STF LTRF throughputs of RED and RED-ECN are very close to DropTail's: by less than 0.05.",
        [(share("ltrf", queue, _HIGH) + _CLOSE, share("ltrf", "droptail", _HIGH)) for queue in AQMS],
        SHARE,
    )


def _delay_over_load(results: Results) -> Iterator[Claim]:
    """Figure 31: 1 BWDP."""
    where = "Figure 31, text"

    def delays(queue: str, load: int) -> list[Reals]:
        return _grid(results, "relative_delay", queue, buffers=["1"], load=load)

    every = [delay for load in LOADS for delay in delays("droptail", load)]
    yield alike(
        "figure-31.droptail-one",
        where,
        "DropTail's relative delay is close to 1: within 10 % (all capacities and loads).",
        [(delay, np.ones_like(delay)) for delay in every],
        1 + _SIMILAR,
    )
    red = [delay for load in LOADS for delay in delays("red", load)]
    ratios = [high / low for high, low in zip(every, red, strict=True)]
    yield within(
        "figure-31.two-to-three",
        where,
        "It is about 2 to 3 times RED's: 1.5 to 3.5 times (all capacities and loads).",
        ratios,
        1.5,
        3.5,
        "ratio",
    )
    for queue in ("droptail", *AQMS):
        yield alike(
            f"figure-31.load-no-impact.{queue}",
            where,
            f"The load of short flows has almost no impact on the delay: within 10 % of that without them "
            f"({QUEUES[queue]}, all capacities).",
            [
                (with_them, without)
                for load in (5, 30)
                for with_them, without in zip(delays(queue, load), delays(queue, 0), strict=True)
            ],
            1 + _SIMILAR,
        )
    yield alike(
        "figure-31.ecn-similar",
        where,
        "RED-ECN's delay is similar to RED's under each load: within 10 % (all capacities).",
        [pair for load in LOADS for pair in zip(delays("red-ecn", load), delays("red", load), strict=True)],
        1 + _SIMILAR,
    )


# --- IV.B ---------------------------------------------------------------------------------------------------


def _discussion(results: Results) -> Iterator[Claim]:
    where = "IV.B"
    for queue in AQMS:
        name = QUEUES[queue]
        yield all_greater(
            f"discussion.comparable.{queue}",
            where,
            f"With short flows {name}'s LTRF throughput is comparable to DropTail's or better: at least 90 "
            "% of it (nine cells each at 5 and 30 % STF).",
            [
                (low, (1 - _SIMILAR) * high)
                for load in (5, 30)
                for low, high in zip(
                    _grid(results, "ltrf", queue, load=load),
                    _grid(results, "ltrf", "droptail", load=load),
                    strict=True,
                )
            ],
            SHARE,
        )
        yield all_greater(
            f"discussion.large-buffers.throughput.{queue}",
            where,
            f"From 1 BWDP on {name} has an acceptable LTRF throughput: at least 90 % of DropTail's (all "
            "capacities and loads).",
            [
                (low, (1 - _SIMILAR) * high)
                for load in LOADS
                for low, high in zip(
                    _grid(results, "ltrf", queue, buffers=["1", "3"], load=load),
                    _grid(results, "ltrf", "droptail", buffers=["1", "3"], load=load),
                    strict=True,
                )
            ],
            SHARE,
        )
        yield all_greater(
            f"discussion.large-buffers.delay.{queue}",
            where,
            f"From 1 BWDP on {name} has a significantly lower mean delay: less than half of DropTail's (all "
            "capacities and loads).",
            [
                (high, _MUCH * low)
                for load in LOADS
                for low, high in zip(
                    _grid(results, "delay", queue, buffers=["1", "3"], load=load),
                    _grid(results, "delay", "droptail", buffers=["1", "3"], load=load),
                    strict=True,
                )
            ],
            "s",
        )
        yield all_greater(
            f"discussion.large-buffers.jitter.{queue}",
            where,
            f"From 1 BWDP on {name} has a lower standard deviation of delay than DropTail under a steady "
            "load (all capacities and loads).",
            [
                (high, low)
                for load in LOADS
                for low, high in zip(
                    _grid(results, "delay_sd", queue, buffers=["1", "3"], load=load),
                    _grid(results, "delay_sd", "droptail", buffers=["1", "3"], load=load),
                    strict=True,
                )
            ],
            "s",
        )
        small = {
            metric: [
                (high, low)
                for load in LOADS
                for high, low in zip(
                    _grid(results, metric, "droptail", buffers=["1/3"], load=load),
                    _grid(results, metric, queue, buffers=["1/3"], load=load),
                    strict=True,
                )
            ]
            for metric in ("ltrf", "delay")
        }
        yield all_greater(
            f"discussion.small-buffers.throughput.{queue}",
            where,
            f"At 1/3 BWDP DropTail gives LTRF more throughput than {name} (all capacities and loads).",
            small["ltrf"],
            SHARE,
        )
        yield all_greater(
            f"discussion.small-buffers.delay.{queue}",
            where,
            f"At 1/3 BWDP DropTail's mean delay is higher than {name}'s (all capacities and loads).",
            small["delay"],
            "s",
        )
    for capacity in CAPACITIES:
        yield _effective_only_long_term(results, capacity)
    yield alike(
        "discussion.short-flows-uncontrollable",
        where,
        "The throughput of short flows is uncontrollable: with RED and RED-ECN within 5 % of that with "
        "DropTail (nine cells each at 5 and 30 % STF).",
        [
            pair
            for queue in AQMS
            for load in (5, 30)
            for pair in zip(
                _grid(results, "stf", queue, load=load),
                _grid(results, "stf", "droptail", load=load),
                strict=True,
            )
        ],
        1 + _MARGINAL,
    )
    yield within(
        "discussion.moderate-congestion",
        where,
        "The congestion is moderate: drop rates with RED lie between 1 % and 10 % (nine cells of each load).",
        [rate for load in LOADS for rate in _grid(results, "drop", "red", load=load)],
        0.01,
        0.1,
        "rate",
    )


def _effective_only_long_term(results: Results, capacity: int) -> Claim:
    """The chapter's conclusion: what DropTail adds to LTRF throughput is there in long-term mixes only."""
    long_term, mixed = (
        results.at("ltrf", "droptail", capacity, "1", load) - results.at("ltrf", "red", capacity, "1", load)
        for load in (0, _HIGH)
    )
    return all_greater(
        f"discussion.long-term-only.{capacity}",
        "IV.B",
        "Regulating LTNRF the way DropTail does works for long-term mixes only: its LTRF throughput exceeds "
        f"RED's by more than 0.05 without short flows, and by less with 30 % (1 BWDP, {capacity} Mbit/s).",
        [(long_term, _CLOSE), (_CLOSE - mixed, 0.0)],
        SHARE,
        bounds=2,
    )
