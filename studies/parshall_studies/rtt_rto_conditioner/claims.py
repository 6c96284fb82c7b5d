"""The document's statements in terms of measures; ``claims.md`` has their words."""

from __future__ import annotations

import itertools
import operator as op
from collections.abc import Callable, Mapping
from typing import Any

from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner import document, networks
from parshall_studies.rtt_rto_conditioner.beyond import (
    KNOWING,
    KS,
    PASSIVE_FARS,
    SHAPER,
    SOLUTION_FARS,
    SOLUTION_FLOWS,
    SOLUTIONS,
    VARIATIONS,
)
from parshall_studies.rtt_rto_conditioner.conditioners import (
    EDGES,
    FAIR,
    FULL,
    MODEL,
    PAID,
    PROFILE,
    READING,
    RTT,
    RTT_RTO,
    RTT_SW,
    RTT_TWO,
    STANDARD,
    SW,
)
from parshall_studies.rtt_rto_conditioner.document import FARS, PRINTED_FAR
from parshall_studies.rtt_rto_conditioner.judging import DESIGN_FARS, DESIGN_FLOWS, KINDS
from parshall_studies.rtt_rto_conditioner.measures import CORE_RATES, NUMBERS
from parshall_studies.rtt_rto_conditioner.printed import PRINTED_TABLES
from parshall_studies.rtt_rto_conditioner.quantities import FIVE, PAIR, WIRE, apart, equation_error, of
from parshall_studies.rtt_rto_conditioner.timeouts import TIMED_NUMBERS
from parshall_studies.rtt_rto_conditioner.traffic import IDLE_EDGES, WEB_SESSIONS

_LONG = [far for far in FARS if far > 1000 * networks.NEAR]
_UNEQUAL = [far for far in FARS if far != 1000 * networks.NEAR]
"""Where there is a bias of round trips that could be mitigated."""
CAPACITY = networks.RATE / 1e6 * networks.PAYLOAD_BYTES / (networks.PAYLOAD_BYTES + networks.HEADER_BYTES)
"""Mbit/s of payload that the link can carry."""
_TARGET = PROFILE.cir / 1e6 * networks.PAYLOAD_BYTES / (networks.PAYLOAD_BYTES + networks.HEADER_BYTES)
"""Payload of a target, which counts headers."""
_SAME = 0.05
_SIMILAR = 0.2
_HALF = 0.5
_AT_TARGET = float(document.RATES_AT_100_MS[0]) / (PROFILE.cir / 1e6)
"""So many times its target is no more than that: V.B says so of the 2.3 Mbit/s that it prints."""
_NEXT_SHORTER = {longer: shorter for shorter, longer in itertools.pairwise(FARS)}


def _grid(metric: str, edge: str | list[str], far: int | list[int]) -> st.Quantity:
    return of("grid", metric, edge, far=far)


def _part(table: str, edge: str | list[str], **where: Any) -> st.Expression:
    """F1's part of what both get."""
    return of(table, "rate_F1", edge, **where) / of(table, "total", edge, **where)


def _excess(table: str, edge: str, **where: Any) -> st.Expression:
    """Payload that both get beyond their targets."""
    return of(table, "total", edge, **where) - 2 * _TARGET


def _most(name: str, table: str, edge: str, **where: Any) -> st.Relation:
    """Relation: an aggregate has more than half of what both get beyond their targets."""
    return of(table, f"rate_{name}", edge, **where) - _TARGET > _HALF * _excess(table, edge, **where)


def _timeouts(edge: str, far: int) -> st.Expression:
    """Timeouts of F1's connections for each Mbit that they deliver."""
    return _grid("timeouts_F1", edge, far) / _grid("rate_F1", edge, far)


def _times(what: str, edge: str, flows: int) -> st.Expression:
    """So many times what a connection of F2 gets, one of F1 gets: as measured, or by an equation."""
    one, other = (of("equations", f"{what}_{name}", edge, flows=flows) for name in PAIR)
    return one / other


def _bounds(aggregate: str, number: int) -> st.Relation:
    """Relation: the right side of (3) is at least that of (2), both with b = 3/2. It is where the factor of
    To p in (2), which (3) has as 1, is above 1; the minimum in it may be left out, as what it is of is then
    above 1 too.
    """
    p = of("equations", f"loss_{aggregate}", RTT_RTO, flows=number) / 100
    return 9 / 4 * p**0.5 * (1 + 32 * p**2) > 1.0


def _evener(edge: str, other: str, far: int) -> st.Relation:
    return apart("grid", edge, far=far) < apart("grid", other, far=far)


_FIGURE_1 = {"the nearest goes by its own timeout": RTT_RTO, "(9) throughout": READING}
"""Readings of the lost Figure 1."""
_UNPROTECTED = {SW: STANDARD, RTT_SW: RTT}
"""Conditioner that each protection is put beside."""
_PROTECTIONS = {"protection is free": RTT_SW, "later packets pay": PAID}
"""V does not say that they pay, and VI demands it."""


_TARGETS = {"targets of V.A": "printed", "targets of a tenth": "scaled"}
"""V.D prints none for links of a tenth."""


def _by_reading(readings: Mapping[str, str], says: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    """With the conditioner of each reading."""
    return st.ByReading({label: says(edge) for label, edge in readings.items()})


def _by_protection(says: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    return _by_reading(_PROTECTIONS, says)


def _by_figure_1(says: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    return _by_reading(_FIGURE_1, says)


def _close(one: st.Expression, other: st.Expression, most: float) -> st.Holds:
    return st.within(one - other, -most, most)


def _fewer(metric: str, protecting: str, number: int) -> st.Relation:
    """Relation: there are fewer timeouts with a protection than without."""
    return of("timeouts", metric, protecting, flows=number) < of(
        "timeouts", metric, _UNPROTECTED[protecting], flows=number
    )


def _many(metric: str, edge: str) -> tuple[st.Quantity, st.Quantity]:
    """A metric with many connections, and with the fewest."""
    many, few = TIMED_NUMBERS[-1], TIMED_NUMBERS[0]
    return of("timeouts", metric, edge, flows=many), of("timeouts", metric, edge, flows=few)


def _rate_changes(table: str, edge: str, flows: int, **where: Any) -> st.Expression:
    """By which part the rate of F2 changes from its least round trip to its longest."""
    near, *_, far = SOLUTION_FARS
    rates = (of(table, "rate_F2", edge, flows=flows, far=each, **where) for each in (far, near))
    last, first = rates
    return abs(last / first - 1)


def _at_most(one: str, other: str, edge: str, most: float) -> st.Relation:
    """Relation: over several domains, one gets at most so many times what another gets."""
    return _ratio(one, other, edge, "over") < most


def _uneven(edge: str, core: str) -> st.Expression:
    """How far from 1 F3 over F1 is."""
    return abs(_ratio("F3", "F1", edge, core) - 1)


def _between(edge: str, core: str) -> st.Expression:
    """By how much F3 over F1 differs between the standard conditioner and another."""
    return abs(_ratio("F3", "F1", STANDARD, core) - _ratio("F3", "F1", edge, core))


def _core(metric: str, edge: str, core: str) -> st.Quantity:
    return of("domains", metric, edge, core=core)


def _ratio(one: str, other: str, edge: str, core: str) -> st.Expression:
    return _core(f"rate_{one}", edge, core) / _core(f"rate_{other}", edge, core)


def _alike(edge: str, core: str, names: tuple[str, ...], factor: float) -> st.Holds:
    """Claim: all of some aggregates get as much as the first of them, within a factor."""
    first, *others = names
    ratios = [_ratio(name, first, edge, core) for name in others]
    return st.Holds(
        tuple(bound for ratio in ratios for bound in (ratio > 1 / factor, factor - ratio > 0.0)), bounds=True
    )


def _by_targets(says: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    return _by_reading(_TARGETS, says)


def _telnet(metric: str, edge: str, profile: str) -> st.Quantity:
    return of("telnet", metric, edge, profile=profile)


def _less_delay(metric: str, edge: str, other: str) -> st.ByReading:
    """Claim: Telnet waits less with one conditioner than with another."""
    return _by_targets(lambda profile: _telnet(metric, edge, profile) < _telnet(metric, other, profile))


def _less_response(metric: str, edge: str, other: str, sessions: int = WEB_SESSIONS[0]) -> st.ByReading:
    """Claim: the Web waits less with one conditioner than with another."""
    return _by_targets(
        lambda profile: (
            of("web", metric, edge, profile=profile, sessions=sessions)
            < of("web", metric, other, profile=profile, sessions=sessions)
        )
    )


def _known(what: str, edge: str, flows: int) -> st.Quantity:
    """By how many per cent what an edge finds out is off."""
    return of("passive", f"error_{what}", edge, source="packets", far=list(PASSIVE_FARS), flows=flows)


def _as_told(aware: str, flows: int) -> st.Holds:
    """Claim: an edge that listens divides as one that is told."""
    found, told = (
        _part("passive", aware, source=source, far=list(PASSIVE_FARS), flows=flows)
        for source in ("packets", "senders")
    )
    return _close(found, told, 0.05)


def _todays(edge: str, flows: int, far: list[int] | int) -> st.Expression:
    return apart("today", edge, far=far, flows=flows)


_SAYS: dict[str, Any] = {
    "sw.total.{far}": lambda far: _grid("total", SW, far) > _grid("total", STANDARD, far),
    "sw.capacity.{far}": lambda far: _grid("total", SW, far) > 0.98 * CAPACITY,
    "sw.favours-short.{long}": lambda long: _part("grid", SW, far=long) > _part("grid", STANDARD, far=long),
    "sw.long-loses.{long}": lambda long: _grid("rate_F2", SW, long) < _grid("rate_F2", STANDARD, long),
    "sw.protected.{long}": lambda long: _grid("protected_F1", SW, long) > _grid("protected_F2", SW, long),
    "sw.timeouts.{protecting}.{timed}": lambda protecting, timed: _fewer("timeouts", protecting, timed),
    "sw.repeated.{protecting}.{timed}": lambda protecting, timed: _fewer("repeated", protecting, timed),
    "standard.excess.{long}": lambda long: _most("F1", "grid", STANDARD, far=long),
    "standard.excess-few.{number}": lambda number: _most("F1", "numbers", STANDARD, flows=number),
    "conditioner.long.{aware}.{long}": lambda aware, long: (
        _grid("rate_F2", aware, long) > _grid("rate_F2", STANDARD, long)
    ),
    "sw.drops.{edge}.{longer}": lambda edge, longer: (
        _grid("lost", edge, longer) < _grid("lost", edge, _NEXT_SHORTER[longer])
    ),
    "rtt.f1": st.PrintedNumber(
        st.Printed(document.RATES_AT_100_MS[0], "Mbit/s"), WIRE * _grid("rate_F1", RTT, PRINTED_FAR)
    ),
    "rtt.f2": st.PrintedNumber(
        st.Printed(document.RATES_AT_100_MS[1], "Mbit/s"), WIRE * _grid("rate_F2", RTT, PRINTED_FAR)
    ),
    "rtt.most.{rtt}.{long}": lambda rtt, long: _most("F2", "grid", rtt, far=long),
    "rtt.target.{long}": lambda long: _grid("rate_F1", RTT, long) < _AT_TARGET * _TARGET,
    "rtt.timeouts": _timeouts(RTT, PRINTED_FAR) > _timeouts(STANDARD, PRINTED_FAR),
    "rtt.window": of("knowledge", "window_F1", RTT, far=PRINTED_FAR) < 3.0,
    "rtt.window-sw": (
        of("knowledge", "window_F1", RTT_SW, far=PRINTED_FAR)
        > of("knowledge", "window_F1", RTT, far=PRINTED_FAR)
    ),
    "rtt.window-overcome": _by_protection(
        lambda edge: of("knowledge", "window_F1", edge, far=PRINTED_FAR) > 3.0
    ),
    "rtt.less-sensitive.{flows}": lambda flows: (
        _rate_changes("passive", RTT, flows, source="senders") < _rate_changes("today", STANDARD, flows)
    ),
    "rtt-rto.fair.{unequal}": lambda unequal: _by_figure_1(lambda edge: _evener(edge, RTT, unequal)),
    "rtt-sw.fair.{unequal}": lambda unequal: _by_protection(lambda edge: _evener(edge, RTT, unequal)),
    "rtt-rto.standard.{unequal}": lambda unequal: _by_figure_1(lambda edge: _evener(edge, STANDARD, unequal)),
    "rtt-rto.well.{far}": lambda far: _by_figure_1(lambda edge: apart("grid", edge, far=far) < _SIMILAR),
    "rtt-sw.well.{far}": lambda far: _by_protection(lambda edge: apart("grid", edge, far=far) < _SIMILAR),
    "rtt-sw.short.{long}": lambda long: _by_protection(
        lambda edge: _grid("rate_F1", edge, long) > _grid("rate_F1", RTT, long)
    ),
    "rtt-rto.short.{long}": lambda long: _by_figure_1(lambda edge: _grid("rate_F1", edge, long) > _TARGET),
    "rtt-rto.targets.{unequal}": lambda unequal: _by_figure_1(
        lambda edge: st.Holds(tuple(_grid(f"rate_{name}", edge, unequal) > _TARGET for name in PAIR))
    ),
    "rtt-rto.timeouts.{long}": lambda long: _by_figure_1(
        lambda edge: _timeouts(edge, long) < _timeouts(RTT, long)
    ),
    "rtt-rto.total.{far}": lambda far: _by_figure_1(
        lambda edge: _grid("total", edge, far) > _grid("total", STANDARD, far)
    ),
    "rtt-rto.core.{long}": lambda long: _by_figure_1(
        lambda edge: _grid("drops_red", edge, long) > _grid("drops_yellow", edge, long)
    ),
    "rtt-rto.exception-red.{long}": lambda long: (
        _grid("red_F1", READING, long) > _grid("red_F1", RTT_RTO, long)
    ),
    "rtt-rto.exception-all.{long}": lambda long: _grid("yellow_F1", READING, long) < 1.0,
    "rtt-rto.exception-rate.{long}": lambda long: (
        _grid("rate_F1", READING, long) < _grid("rate_F1", RTT_RTO, long)
    ),
    "few.rtt.{few}": lambda few: apart("numbers", RTT, flows=few) < _SIMILAR,
    "few.many.rtt": apart("numbers", RTT, flows=networks.FLOWS) > _SIMILAR,
    "few.both.{proposed}.{number}": lambda proposed, number: (
        apart("numbers", proposed, flows=number) < _SIMILAR
    ),
    "few.mitigates.{number}": lambda number: (
        apart("numbers", RTT_RTO, flows=number) < apart("numbers", STANDARD, flows=number)
    ),
    "many.timeouts.{unaware}": lambda unaware: op.gt(*_many("each", unaware)),
    "many.window.{unaware}": lambda unaware: op.lt(*_many("window", unaware)),
    "many.per-loss.{unaware}": lambda unaware: op.gt(*_many("per_loss", unaware)),
    "equations.better.{aggregate}.{number}": lambda aggregate, number: (
        equation_error(3, aggregate, RTT_RTO, number) < equation_error(1, aggregate, RTT_RTO, number)
    ),
    "equations.small.{few}": lambda few: st.alike(
        _times("measured", RTT, few), _times("eq1", RTT, few), 1 + _SIMILAR
    ),
    "equations.cubed.{aggregate}.{number}": lambda aggregate, number: (
        of("equations", f"left_out_{aggregate}", RTT_RTO, flows=number) < 0.1
    ),
    "equations.bound.{aggregate}.{number}": _bounds,
    "equations.product.{number}": lambda number: st.alike(
        of("equations", "ratio_9", RTT_RTO, flows=number),
        of("equations", "ratio_6", RTT_RTO, flows=number),
        1 + _SIMILAR,
    ),
    "equations.full.{aggregate}.{number}": lambda aggregate, number: (
        equation_error(2, aggregate, RTT_RTO, number) < _SIMILAR
    ),
    "single.{aggregate}": lambda aggregate: (
        of("equations", f"single_{aggregate}", RTT_RTO, flows=networks.FLOWS) < 10.0
    ),
    "reading.fair.{reading}.{far}": lambda reading, far: _evener(reading, RTT, far),
    "reading.standard.{reading}.{far}": lambda reading, far: _evener(reading, STANDARD, far),
    "reading.sw.{protection}.{far}": lambda protection, far: _evener(protection, RTT, far),
    "domains.rtt.{short}": lambda short: st.Holds(
        tuple(_ratio(name, short, RTT, "over") > 1.2 for name in PAIR)
    ),
    "domains.order": st.Holds(
        tuple(
            _ratio(longer, shorter, RTT, "over") > 1.0
            for longer, shorter in (("F1", "F4"), ("F2", "F4"), ("F4", "F5"), ("F5", "F3"))
        )
    ),
    "domains.rtt-sw": _by_protection(lambda edge: _ratio("F3", "F1", edge, "over") > 1.2),
    "domains.cured.rtt-rto": _by_figure_1(lambda edge: _at_most("F1", "F3", edge, 1.2)),
    "domains.cured.rtt-sw": _by_protection(lambda edge: _at_most("F1", "F3", edge, 1.2)),
    "domains.no-stealing": _by_figure_1(
        lambda edge: _by_protection(
            lambda protected: _ratio("F3", "F1", edge, "over") < _ratio("F3", "F1", protected, "over")
        )
    ),
    "domains.mitigates.{loaded}": lambda loaded: _by_figure_1(
        lambda edge: _uneven(edge, loaded) < _uneven(STANDARD, loaded)
    ),
    "domains.same": _by_figure_1(lambda edge: _alike(edge, "over", networks.LONG, 1.1)),
    "domains.little": _by_figure_1(lambda edge: st.within(_ratio("F3", "F1", edge, "over"), 1.0, 1.5)),
    "domains.pronounced": _uneven(STANDARD, "extreme") > _uneven(STANDARD, "over"),
    "domains.between": _by_figure_1(lambda edge: _between(edge, "extreme") > _between(edge, "over")),
    "domains.67": st.PrintedNumber(st.Printed(document.TIMES), _ratio("F3", "F1", STANDARD, "extreme")),
    "domains.similar": _by_figure_1(lambda edge: _alike(edge, "extreme", FIVE, 1.2)),
    "domains.under": st.Holds(
        tuple(
            bound
            for name in ("F1", "F3")
            for ratio in (_core(f"rate_{name}", RTT, "under") / _core(f"rate_{name}", STANDARD, "under"),)
            for bound in (ratio > 1 / 1.1, 1.1 - ratio > 0.0)
        ),
        bounds=True,
    ),
    "telnet.standard.{aware}": lambda aware: _by_targets(
        lambda profile: _telnet("long", STANDARD, profile) > _telnet("long", aware, profile)
    ),
    "telnet.congested.{tabled}": lambda tabled: (
        of("telnet_idle", "all", tabled) < 0.1 * of("telnet", "all", tabled, profile="printed")
    ),
    "telnet.short-higher.{but_rtt_rto}": lambda but_rtt_rto: _by_targets(
        lambda profile: _telnet("short", RTT_RTO, profile) > _telnet("short", but_rtt_rto, profile)
    ),
    "telnet.sw-short.{others}": lambda others: _less_delay("short", RTT_SW, others),
    "telnet.sw-better": _by_targets(
        lambda profile: _telnet("long", RTT_SW, profile) > 1.2 * _telnet("short", RTT_SW, profile)
    ),
    "telnet.rtt-rto-long.{unaware}": lambda unaware: _less_delay("long", RTT_RTO, unaware),
    "telnet.overall.{but_rtt_rto}": lambda but_rtt_rto: _less_delay("all", RTT_RTO, but_rtt_rto),
    "telnet.session": _less_delay("session", RTT_RTO, STANDARD),
    "web.last.{but_rtt_rto}": lambda but_rtt_rto: _less_response("last", RTT_RTO, but_rtt_rto),
    "web.first.{others}": lambda others: _less_response("first", RTT_SW, others),
    "web.hundred.{but_rtt_rto}": lambda but_rtt_rto: _less_response(
        "first", RTT_RTO, but_rtt_rto, WEB_SESSIONS[1]
    ),
    "web.idle": st.alike(
        of("web_idle", "last", [RTT, RTT_RTO, RTT_SW]), of("web_idle", "last", STANDARD), 1.1
    ),
    "repaid.basic.{far}": lambda far: _grid("lost", PAID, far) < _grid("lost", RTT, far) + 1.0,
    "repaid.free.{far}": lambda far: _grid("lost", PAID, far) < _grid("lost", RTT_SW, far),
    "why.printed.{aware}": lambda aware: _close(
        of("telnet", "all", aware, profile="printed"), of("telnet", "all", STANDARD, profile="printed"), 1e-9
    ),
    "why.timeouts.rtt": (
        _grid("timeouts_F1", RTT, PRINTED_FAR) > _grid("timeouts_F1", STANDARD, PRINTED_FAR)
    ),
    "why.timeouts.rtt-rto.{long}": lambda long: _by_figure_1(
        lambda edge: _grid("timeouts_F1", edge, long) < _grid("timeouts_F1", RTT, long)
    ),
    "why.red.{long}": lambda long: _grid("red_F1", RTT, long) > _grid("red_F2", RTT, long),
    "why.sw-not-rtt.{far}": lambda far: _close(
        _part("grid", RTT_SW, far=far), _part("grid", SW, far=far), 0.03
    ),
    "why.sw-loses.{far}": lambda far: _grid("lost", SW, far) > _grid("lost", STANDARD, far),
    "sensitivity.rto": apart("sensitivity", STANDARD, variation="rto-1s") < _SAME,
    "sensitivity.rtt.{variation}": lambda variation: _most("F2", "sensitivity", RTT, variation=variation),
    "sensitivity.rtt-rto.{variation}": lambda variation: (
        apart("sensitivity", RTT_RTO, variation=variation) < _SIMILAR
    ),
    "sensitivity.mitigates.{variation}": lambda variation: (
        apart("sensitivity", RTT_RTO, variation=variation)
        < apart("sensitivity", STANDARD, variation=variation)
    ),
    "small.k.{k}": lambda k: apart("small", RTT_SW, k=k, paid="paid") < _SIMILAR,
    "small.profile.{aggregate}": lambda aggregate: (
        of("small", f"sent_green_{aggregate}", RTT_SW, k=3, paid="paid") < 1.04 * PROFILE.cir / 1e6
    ),
    "small.free": _close(
        of("small", "lost", RTT_SW, k=3, paid="paid"), of("small", "lost", RTT_SW, k=3, paid="free"), 2.0
    ),
    "model.better.{far}": lambda far: _evener(MODEL, RTT_RTO, far),
    "model.than-rtt.{far}": lambda far: _evener(MODEL, RTT, far),
    "full.better.{far}": lambda far: _evener(FULL, RTT_RTO, far),
    "full.than-model.{far}": lambda far: _evener(FULL, MODEL, far),
    "passive.rtt.{aware}.{flows}": lambda aware, flows: _known("rtt", aware, flows) < 10.0,
    "passive.rto.{aware}.{flows}": lambda aware, flows: _known("rto", aware, flows) < 20.0,
    "passive.window.{knowing}.{flows}": lambda knowing, flows: _known("window", knowing, flows) < 50.0,
    "passive.same.{aware}": lambda aware: _as_told(aware, networks.FLOWS),
    "passive.same-few.{aware}": lambda aware: _as_told(aware, SOLUTION_FLOWS[0]),
    "passive.feedback-rtt.{flows}": lambda flows: _known("rtt", FAIR, flows) < 10.0,
    "passive.feedback-same": _as_told(FAIR, networks.FLOWS),
    "today.fq.{solution}.{flows}": lambda solution, flows: (
        _todays(solution, flows, list(SOLUTION_FARS)) < _SAME
    ),
    "today.shaper.even.{flows}": lambda flows: _todays(SHAPER, flows, list(SOLUTION_FARS)) < _SAME,
    "today.shaper.full.{flows}": lambda flows: (
        of("today", "total", SHAPER, far=list(SOLUTION_FARS), flows=flows) > _HALF * CAPACITY
    ),
    "today.cubic.{flows}": lambda flows: _todays("cubic", flows, 200) < _todays("droptail", flows, 200),
    "fair.design.{design}": lambda design: apart("design", FAIR, far=list(DESIGN_FARS), flows=design) < _SAME,
    "fair.kinds.{kind}": lambda kind: apart("judging", FAIR, kind=kind) < _SAME,
    "fair.better.{kind}": lambda kind: (
        apart("judging", FAIR, kind=kind) < apart("judging", RTT_RTO, kind=kind)
    ),
    "fair.total.{far}": lambda far: _grid("total", FAIR, far) > 0.98 * _grid("total", STANDARD, far),
}


def _ms(fars: Any) -> dict[int, str]:
    return {far: f"{far} ms" for far in fars}


_NAMES: dict[str, Mapping[Any, str]] = {
    "far": _ms(FARS),
    "long": _ms(_LONG),
    "unequal": _ms(_UNEQUAL),
    "edge": {name: EDGES[name].label for name in (STANDARD, SW)},
    "rtt": {name: EDGES[name].label for name in (RTT, RTT_TWO)},
    "aware": {name: EDGES[name].label for name in (RTT, RTT_RTO, RTT_SW)},
    "longer": {longer: f"{shorter} to {longer} ms" for longer, shorter in _NEXT_SHORTER.items()},
    "short": {name: name for name in ("F3", "F4", "F5")},
    "others": {name: EDGES[name].label for name in (STANDARD, RTT, RTT_RTO)},
    "protecting": {name: EDGES[name].label for name in _UNPROTECTED},
    "timed": {number: f"{number} connections each" for number in TIMED_NUMBERS},
    "tabled": {name: EDGES[name].label for name in IDLE_EDGES},
    "loaded": {name: f"{CORE_RATES[name] / 1e6:g} Mbit/s" for name in ("over", "extreme")},
    "unaware": {name: EDGES[name].label for name in (STANDARD, RTT)},
    "but_rtt_rto": {name: EDGES[name].label for name in (STANDARD, RTT, RTT_SW)},
    "variation": {name: each.label for name, each in VARIATIONS.items() if name not in ("base", "under")},
    "few": {number: f"{number} connections each" for number in NUMBERS[:2]},
    "number": {number: f"{number} connections each" for number in (2, 4, 20, 200)},
    "proposed": {name: EDGES[name].label for name in (RTT_RTO, RTT_SW)},
    "reading": {edge: label for label, edge in _FIGURE_1.items()},
    "protection": {edge: label for label, edge in _PROTECTIONS.items()},
    "aggregate": {name: name for name in PAIR},
    "k": {k: f"{k} packets" for k in KS},
    "knowing": {name: EDGES[name].label for name in KNOWING},
    "flows": {flows: f"{flows} connections each" for flows in SOLUTION_FLOWS},
    "solution": {name: SOLUTIONS[name].label for name in ("fq", "cubic-fq", "drr")},
    "design": {f"{one} and {other}": f"{one} and {other}" for one, other in DESIGN_FLOWS},
    "kind": {name: kind.label for name, kind in KINDS.items()},
}
TOPICS: tuple[st.Topic, ...] = (
    *st.topics_of(
        st.page_of(__package__, "claims.md"),
        _SAYS,
        _NAMES,
        ident=lambda label: str(label).replace(" and ", "-"),
    ),
    *(table.topic for table in PRINTED_TABLES),
)
