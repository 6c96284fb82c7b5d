"""The document's statements in terms of measures; ``claims.md`` has their words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from parshall_studies import study as st
from parshall_studies.tcp_tp import document, line, model, networks, series, theorem
from parshall_studies.tcp_tp.beyond import HALVES, SOME_NS, TRAFFIC
from parshall_studies.tcp_tp.document import CHAIN_NS, NS
from parshall_studies.tcp_tp.judging import DESIGN_NS, KINDS
from parshall_studies.tcp_tp.measures import (
    CHECKPOINTS,
    COMPOSITE,
    DECISION_NS,
    DYNAMIC_SOURCES,
    ROUNDINGS,
    SHOWN_N,
)
from parshall_studies.tcp_tp.networks import MAIN, SIZES, SOURCES
from parshall_studies.tcp_tp.quantities import FULL, of, reduction, risen
from parshall_studies.tcp_tp.senders import (
    DOCUMENT,
    FORECASTERS,
    NEWRENO,
    OURS,
    OURS_FORECASTERS,
    READINGS,
    RULES,
    TP,
)

_AS_MUCH, _SIMILAR = 0.98, 1.02
_CLOSE = 0.02
"""Closeness of curves in Figure 2a, in the variance of the series, and of Jain's indices."""
_AGREES = 0.1
"""Mean error of a forecast, relative to the mean, up to which it agrees extremely well."""
_MARGINAL = 0.05
"""Relative improvement of a forecast up to which it is marginal."""
_FAIR = 0.95
"""Index of fairness above which errors of prediction have little effect."""
_SOME = list(SOME_NS)
_SHORT = ("30 kB", "100 kB", "300 kB")
"""Transfers that end before the rule has its 20 samples."""
_READINGS = [name for name in READINGS if name not in DOCUMENT]


def _theory(process: str, **where: Any) -> st.Quantity:
    return st.Quantity("theory", "error").at(process=process, **where)


def _apart(process: str, predictors: Any, others: str, **where: Any) -> st.Expression:
    """By how much the error of a predictor of a process differs from that of LMMSE of another or the same."""
    return abs(_theory(process, predictor=predictors, **where) - _theory(others, predictor="lmmse", **where))


def _by_process(rule: Callable[[str, str], st.Computed]) -> st.ByReading:
    """For each process that Figure 2a may be of: one for all predictors, or each predictor's own. There LMMSE
    and FBM have fractional Gaussian noise, as in the first reading, and FARIMA decides.
    """
    return st.ByReading(
        {
            "fractional Gaussian noise for all": rule("fgn", "fgn"),
            "FARIMA for all": rule("farima", "farima"),
            "each on its own process": rule("farima", "fgn"),
        }
    )


def _near(process: str, others: str) -> st.Computed:
    """Curves of FBM and FARIMA up to the H at which they part."""
    predictors = ["fbm", "farima"] if process == others else "farima"
    return st.Computed(_apart(process, predictors, others, h=_LOW_H) < _CLOSE)


def _parted(process: str, others: str) -> st.Computed:
    """FARIMA beyond that H."""
    return st.Computed(_apart(process, "farima", others, h=0.95) > _CLOSE)


_GAINS: Mapping[float, str] = {gain: f"gain {gain:g}" for gain in series.GAINS}
_LOW_H = [h for h in model.HS if h <= document.ALIKE_BELOW]


_ROUNDED = {TP: "N rounded up, as printed"} | {name: READINGS[name].label for name in ROUNDINGS if name != TP}


def _traffic(predictor: Any, source: str) -> st.Quantity:
    return st.Quantity("traffic", "error").at(predictor=predictor, source=source)


def _excess(predictor: Any, source: str) -> st.Quantity:
    """Error beyond what a predictor has where its model is right: the model's part of (9)."""
    return st.Quantity("traffic", "excess").at(predictor=predictor, source=source)


def _theorem(column: str, way: str) -> st.Quantity:
    return st.Quantity("theorem", column).at(way=way)


def _stays(way: str) -> st.Computed:
    """On this side of the capacity line."""
    return st.Computed(_theorem("total", way) < 1 + 1e-6)


def _arrives(way: str) -> st.Computed:
    """At the fair share."""
    return st.Computed(_theorem("distance", way) < 0.01)


def _by_way(rule: Callable[[str], st.Rule]) -> st.ByReading:
    """In each reading of (10) that can be computed."""
    return st.ByReading({label: rule(way) for way, label in theorem.WAYS.items()})


def _by_source(rule: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    """For both kinds of traffic, of which none is printed: one that fills the link, and one that does not."""
    return st.ByReading({SOURCES[source].label: rule(source) for source in COMPOSITE})


def _by_gain(rule: Callable[[float], st.Rule | st.Relation]) -> st.ByReading:
    """With each gain of the filter of a sender, which is not printed."""
    return st.ByReading({_GAINS[gain]: rule(gain) for gain in series.GAINS})


def _by_rounding(rule: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    """In each reading of (10) that can be run."""
    return st.ByReading({label: rule(sender) for sender, label in _ROUNDED.items()})


def _much_less(rounding: str) -> st.Holds:
    """Loss than NewReno's, as printed, to within ten."""
    part = of("readings", "loss", rounding, n=_SOME) / of("readings", "loss", NEWRENO, n=_SOME)
    printed = float(document.LEAST_LOSS_REDUCTION)
    return st.within(100 - 100 * part, printed - 10, printed + 10, "%")


def _sooner(rounding: str) -> st.Relation:
    """At the new share where 40 of 60 leave."""
    found = (of("dynamic", "left", sender, source="bulk") for sender in (rounding, NEWRENO))
    return next(found) < next(found)


def _steeper(sender: str, dynamic: str) -> st.Relation:
    """Than NewReno's sequence at 160 s."""
    return risen(sender, dynamic, 150, 200) > risen(NEWRENO, dynamic, 150, 200)


def _best(source: str) -> st.Relation:
    """LMMSE of the document's three."""
    return _traffic(["fbm", "farima"], source) > _traffic("lmmse", source)


def _marginal(source: str) -> st.Relation:
    """Gain of more than 20 samples."""
    return _traffic(["lmmse-40", "lmmse-80"], source) > _traffic("lmmse", source) * (1 - _MARGINAL)


def _same_by_interval(source: str) -> st.Holds:
    """Error with intervals of other lengths."""
    first, *others = series.INTERVALS
    error = _traffic("lmmse", source)
    return st.alike(error.at(interval=others), error.at(interval=first), 1.25)


def _aggregated(source: str) -> st.Relation:
    """Error with longer intervals."""
    return st.falls(_traffic("lmmse", source), "interval")


def _without_model(source: str) -> st.Relation:
    """Error that theory does not have."""
    return _excess(["fbm", "farima"], source) > _excess("lmmse", source)


def _example(gain: float) -> st.PrintedNumber:
    """Error of Figure 3a."""
    return st.PrintedNumber(st.Printed(document.ERROR_OF_THE_EXAMPLE), _own(gain, n=SHOWN_N), 0.0)


def _greatest(gain: float) -> st.Relation:
    """Error of Figure 3b."""
    return _own(gain, n=list(NS)) < float(document.GREATEST_ERROR)


def _own_falls(gain: float) -> st.Relation:
    """Error over the number of connections."""
    return st.falls(_own(gain, n=list(NS)), "n")


def _own(gain: float, **where: Any) -> st.Quantity:
    """The document's forecaster at a sender of TCP-TP."""
    return of("own", "error", TP, gain=gain, predictor="lmmse", **where)


def _figure_8(metric: str, constants: str, printed: str, gamma: float) -> st.Exactly:
    found = {
        (name, at): value
        for name, at, value in zip(
            *(_FIGURE_8[column].to_pylist() for column in ("constants", "gamma", metric)), strict=True
        )
    }
    return st.Exactly(st.Printed(printed), found[constants, gamma])


_FIGURE_8 = model.tables()["figure_8"]
_INDICES: Mapping[str, str] = {"fairness": "index (13)", "shortfall_fairness": "index of two connections"}
"""Readings of F under Figure 8, which does not say whose index it is."""
_DIVIDED: Mapping[str, str] = {"printed": "L / RTT as printed", "undivided": "L not divided by RTT"}
"""Readings of l there."""


def _by_index(relation: Callable[[st.Quantity], st.Relation]) -> st.ByReading:
    """With each index that F may be, on other links."""
    return st.ByReading(
        {
            label: st.Computed(relation(st.Quantity("figure_8_others", column)))
            for column, label in _INDICES.items()
        }
    )


def _figure_8_falls_to(constants: str) -> st.Exactly:
    """T at the right end."""
    return _figure_8("throughput", constants, document.FIGURE_8["throughput"][1], 1.0)


def _figure_8_fairness() -> st.ByReading:
    """F at the right end."""
    readings = {
        f"{index}, {divided}": _figure_8(column, constants, document.FIGURE_8["fairness"][1], 1.0)
        for column, index in _INDICES.items()
        for constants, divided in _DIVIDED.items()
    }
    return st.ByReading(readings)


def _more(table: str, metric: str, **where: Any) -> st.Relation:
    return of(table, metric, TP, **where) > of(table, metric, NEWRENO, **where)


def _less(table: str, metric: str, **where: Any) -> st.Relation:
    return of(table, metric, TP, **where) < of(table, metric, NEWRENO, **where)


def _much(table: str, printed: str, **where: Any) -> st.Holds:
    """As many per cent less loss as printed, to within ten."""
    return st.within(reduction(table, **where), float(printed) - 10, float(printed) + 10, "%")


def _gain_in_throughput(n: int | list[int], table: str = "grid") -> st.Expression:
    """By how many per cent TCP-TP delivers more than NewReno."""
    return 100 * (of(table, "throughput", TP, n=n) / of(table, "throughput", NEWRENO, n=n) - 1)


def _similar_loss(table: str, n: int) -> st.Holds:
    """Reduction of loss beside that with equal round trips and one queue."""
    return st.within(reduction(table, n=n) - reduction("grid", n=n), -10, 10, "points")


def _similar_throughput(table: str, n: int) -> st.Holds:
    """Gain in throughput beside that."""
    return st.within(_gain_in_throughput(n, table) - _gain_in_throughput(n), -2, 2, "points")


def _sequence(dynamic: str) -> st.Holds:
    return st.Holds(tuple(_more("dynamic", f"delivered_{at:g}", source=dynamic) for at in CHECKPOINTS))


def _by_dynamic(rule: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    """For both kinds of traffic that may come and go, of which none is printed."""
    return st.ByReading({SOURCES[source].label: rule(source) for source in DYNAMIC_SOURCES})


def _arrival(metric: str, sender: str, half: int) -> st.Quantity:
    return of("arrivals", metric, sender, half=half)


def _as_even(sender: str, half: int) -> st.Relation:
    return _arrival("last_jain", sender, half) > _arrival("last_jain", NEWRENO, half) - _CLOSE


def _ablation(metric: str, sender: str) -> st.Quantity:
    return of("ablation", metric, sender, n=_SOME)


def _share(first: str, other: str, source: str) -> st.Quantity:
    return st.Quantity("mixed", "share").at(first=first, second=other, source=source)


def _judged(metric: str, sender: str, kind: str) -> st.Quantity:
    return of("judging", metric, sender, kind=kind)


def _designed(sender: str) -> st.Expression:
    """Mean loss on the networks of the design."""
    return of("design", "loss", sender, source=MAIN, n=list(DESIGN_NS[1:])).mean("n")


_SAYS: dict[str, Any] = {
    "theory.vanishes.{process}": lambda process: st.Computed(
        _theory(process, predictor=list(model.PREDICTORS), h=model.HS[-1]) < 0.2
    ),
    "theory.close": _by_process(_near),
    "theory.close.{process}": lambda process: _near(process, process),
    "theory.parts": _by_process(_parted),
    "theory.parts.{process}": lambda process: _parted(process, process),
    "traffic.best": _by_source(_best),
    "traffic.best.{source}": _best,
    "traffic.hurst": st.Quantity("traffic_memory", "hurst").at(source=COMPOSITE[1]) > 0.6,
    "traffic.hurst-full": st.Quantity("traffic_memory", "hurst").at(source=COMPOSITE[0]) > 0.6,
    "traffic.predicted": st.Quantity("traffic", "rmse").at(predictor="lmmse", source=COMPOSITE[1]) < 1.0,
    "traffic.marginal": _by_source(_marginal),
    "traffic.marginal.{source}": _marginal,
    "traffic.tau": _by_source(_same_by_interval),
    "traffic.tau.{source}": _same_by_interval,
    "traffic.aggregate": _by_source(_aggregated),
    "traffic.aggregate.{source}": _aggregated,
    "traffic.lms.{source}": lambda source: _traffic("lms", source) < _traffic("lmmse-500", source) * 1.1,
    "traffic.model": _by_source(_without_model),
    "traffic.model.{source}": _without_model,
    "capacity.measured": st.alike(st.Quantity("capacity", "measured"), networks.RATE / 1e6, 1.05),
    "excursions.none": st.Never(st.Quantity("excursions", "over").at(n=NS[-1])),
    "excursions.back": st.Never(st.Quantity("excursions", "longest").at(n=NS[-1]) - line.SOON),
    "theorem.capacity": _by_way(_stays),
    "theorem.optimal": _by_way(_arrives),
    "theorem.stays.{way}": _stays,
    "theorem.arrives.{way}": _arrives,
    "theorem.run.{half}": lambda half: _arrival("last_jain", TP, half) > 0.98,
    "own.agrees": _by_gain(lambda gain: _own(gain, n=SHOWN_N) < _AGREES),
    "own.example": _by_gain(_example),
    "own.greatest": _by_gain(_greatest),
    "own.greatest.{gain}": _greatest,
    "own.falls": _by_gain(_own_falls),
    "own.falls.{gain}": _own_falls,
    "own.hurst": st.PrintedNumber(
        st.Printed(document.MEMORY), of("own_memory", "hurst", TP, n=SHOWN_N) - 0.5
    ),
    "figure-8.start": _figure_8("throughput", "printed", document.FIGURE_8["throughput"][0], 0.0),
    "figure-8.throughput": st.ByReading(
        {label: _figure_8_falls_to(name) for name, (label, _) in model.CONSTANTS.items()}
    ),
    "figure-8.throughput.{constants}": _figure_8_falls_to,
    "figure-8.fairness": _figure_8_fairness(),
    "figure-8.fairness.{constants}": lambda constants: _figure_8(
        "shortfall_fairness", constants, document.FIGURE_8["fairness"][1], 1.0
    ),
    "figure-8.others": _by_index(lambda index: abs(index - float(document.FIGURE_8["fairness"][1])) < 0.005),
    "figure-8.minimal": _by_index(lambda index: index > _FAIR),
    "figure-8.impaired": st.Computed(st.Quantity("figure_8_others", "fairness") < _FAIR),
    "model.printed.{sub_case}": lambda sub_case: st.Exactly(
        st.Printed(f"{model.printed_throughput(sub_case):.2f}"), model.throughput(sub_case)
    ),
    "loss.less.{n}": lambda n: _less("grid", "loss", n=n),
    "loss.much.{n}": lambda n: _much("grid", document.LEAST_LOSS_REDUCTION, n=n),
    "loss.reaches.{n}": lambda n: st.Holds(
        (reduction("grid", n=n) > float(document.LEAST_LOSS_REDUCTION),), "points above the printed reduction"
    ),
    "throughput.more.{n}": lambda n: _more("grid", "throughput", n=n),
    "throughput.free.{free}": lambda free: _more("grid", "throughput", n=free),
    "throughput.less-than-loss": st.Holds(
        (_gain_in_throughput(FULL) > 0.0, reduction("grid", n=FULL) > _gain_in_throughput(FULL))
    ),
    "throughput.gap": st.falls(
        of("grid", "throughput", TP, n=list(NS)) - of("grid", "throughput", NEWRENO, n=list(NS)), "n"
    ),
    "cuts.fewer": of("grid", "cuts", TP, n=FULL) < of("grid", "cuts", NEWRENO, n=FULL) * 0.5,
    "fairness.{sender}": lambda sender: st.within(of("grid", "jain", sender, n=FULL), 0.975, 0.995),
    "fairness.kept": of("grid", "jain", TP, n=FULL) > of("grid", "jain", NEWRENO, n=FULL) - _CLOSE,
    "fairness.close": st.within(
        of("grid", "jain", TP, n=FULL) - of("grid", "jain", NEWRENO, n=FULL), -0.01, 0.01
    ),
    "dynamic.joined": _by_dynamic(lambda dynamic: _less("dynamic", "joined", source=dynamic)),
    "dynamic.joined.{dynamic}": lambda dynamic: _less("dynamic", "joined", source=dynamic),
    "dynamic.left": _by_dynamic(lambda dynamic: _less("dynamic", "left", source=dynamic)),
    "dynamic.left.{dynamic}": lambda dynamic: _less("dynamic", "left", source=dynamic),
    "dynamic.sequence": _by_dynamic(_sequence),
    "dynamic.sequence.{dynamic}": _sequence,
    "unequal.less.{n}": lambda n: _less("unequal", "loss", n=n),
    "unequal.much": st.ByReading(
        {f"{n} connections": _much("unequal", document.OTHER_LOSS_REDUCTION, n=n) for n in FULL}
    ),
    "unequal.similar-loss.{n}": lambda n: _similar_loss("unequal", n),
    "unequal.similar-throughput.{n}": lambda n: _similar_throughput("unequal", n),
    "unequal.throughput.{n}": lambda n: _more("unequal", "throughput", n=n),
    "unequal.unfair": of("unequal", "jain", list(DOCUMENT), n=FULL) < 0.95,
    "chain.less.{chain}": lambda chain: _less("chain", "loss", n=chain),
    "chain.throughput.{chain}": lambda chain: _more("chain", "throughput", n=chain),
    "chain.similar-loss.{chain}": lambda chain: _similar_loss("chain", chain),
    "chain.similar-throughput.{chain}": lambda chain: _similar_throughput("chain", chain),
    "chain.cuts.{chain}": lambda chain: (
        of("chain", "cuts", TP, n=chain) < of("chain", "cuts", NEWRENO, n=chain) * 0.5
    ),
    "transfers.throughput.{size}": lambda size: _more("transfers", "throughput", size=size),
    "transfers.fewer-timeouts": (
        of("transfers", "timeouts", TP).mean("size") < of("transfers", "timeouts", NEWRENO).mean("size")
    ),
    "transfers.timeouts.{size}": lambda size: _less("transfers", "timeouts", size=size),
    "transfers.same.{short}": lambda short: st.alike(
        of("transfers", "throughput", TP, size=short),
        of("transfers", "throughput", NEWRENO, size=short),
        1.01,
    ),
    "decisions.no-rise.{n_of}": lambda n_of: st.Never(of("decisions", "rises", TP, n=n_of)),
    "decisions.no-fall.{n_of}": lambda n_of: st.Never(of("decisions", "falls", TP, n=n_of)),
    "decisions.down.{n_of}": lambda n_of: of("decisions", "share", TP, n=n_of) < 0.01,
    "loss.75": _by_rounding(_much_less),
    "dynamic.faster": _by_rounding(_sooner),
    "dynamic.flatter": _by_dynamic(
        lambda dynamic: risen(TP, dynamic, 99, 150) < risen(NEWRENO, dynamic, 99, 150)
    ),
    "dynamic.steeper": _by_dynamic(lambda dynamic: _steeper(TP, dynamic)),
    "roundings.much.{rounding}": _much_less,
    "roundings.left.{rounding}": _sooner,
    "roundings.steeper.{rounding}": lambda rounding: _steeper(rounding, "bulk"),
    "readings.tau": st.alike(
        of("readings", "throughput", "long", n=_SOME), of("readings", "throughput", TP, n=_SOME), _SIMILAR
    ),
    "readings.tau-loss": st.within(
        of("readings", "loss", "long", n=_SOME) - of("readings", "loss", TP, n=_SOME), -0.1, 0.1, "points"
    ),
    "sources.loss.{traffic}": lambda traffic: _less("sources", "loss", source=traffic),
    "sources.throughput.{traffic}": lambda traffic: (
        of("sources", "throughput", TP, source=traffic)
        > of("sources", "throughput", NEWRENO, source=traffic) * _AS_MUCH
    ),
    "readings.loss.{reading}": lambda reading: (
        of("readings", "loss", reading, n=_SOME) < of("readings", "loss", NEWRENO, n=_SOME) * 0.5
    ),
    "readings.throughput.{reading}": lambda reading: (
        of("readings", "throughput", reading, n=_SOME)
        > of("readings", "throughput", NEWRENO, n=_SOME) * _AS_MUCH
    ),
    "jump.never-up": st.Computed(st.Quantity("jump", "after") < st.Quantity("jump", "before") + 1e-9),
    "arrival.sooner.{half}": lambda half: (
        _arrival("convergence", TP, half) < _arrival("convergence", NEWRENO, half)
    ),
    "arrival.fuller.{half}": lambda half: (
        _arrival("last_throughput", TP, half) > _arrival("last_throughput", NEWRENO, half)
    ),
    "arrival.slower.{half}": lambda half: (
        _arrival("convergence", TP, half) > _arrival("convergence", NEWRENO, half)
    ),
    "arrival.unfair.{half}": lambda half: (
        _arrival("last_jain", TP, half) < _arrival("last_jain", NEWRENO, half)
    ),
    "arrival.idle.{half}": lambda half: (
        _arrival("last_throughput", TP, half) < _arrival("last_throughput", NEWRENO, half) * _AS_MUCH
    ),
    "arrival.held.{half}": lambda half: (
        _arrival("last_throughput", "held", half) < _arrival("last_throughput", NEWRENO, half) * 0.5
    ),
    "arrival.oracle.{half}": lambda half: _as_even("oracle", half),
    "forecast.loss.{forecaster}": lambda forecaster: (
        _ablation("loss", forecaster) < _ablation("loss", TP) + 0.1
    ),
    "forecast.throughput.{forecaster}": lambda forecaster: st.alike(
        _ablation("throughput", forecaster), _ablation("throughput", TP), _SIMILAR
    ),
    "mixed.tp.{other}.{dynamic}": lambda other, dynamic: _share(TP, other, dynamic) < 0.4,
    "mixed.ours.{other}.{dynamic}": lambda other, dynamic: _share(OURS, other, dynamic) < 0.4,
    "ours.loss.{kind}": lambda kind: _judged("loss", OURS, kind) < _judged("loss", NEWRENO, kind),
    "ours.throughput.{kind}": lambda kind: (
        _judged("throughput", OURS, kind) > _judged("throughput", NEWRENO, kind) * _AS_MUCH
    ),
    "ours.fair.{kind}": lambda kind: _judged("jain", OURS, kind) > _judged("jain", NEWRENO, kind) - _CLOSE,
    "ours.converges.{half}": lambda half: (
        _arrival("convergence", OURS, half) < _arrival("convergence", NEWRENO, half) + 2.0
    ),
    "ours.even.{half}": lambda half: _as_even(OURS, half),
    "ours.forecast.{ours}": lambda ours: _designed(ours) < _designed(OURS),
}
_NAMES: dict[str, Mapping[Any, str]] = {
    "process": model.PROCESSES,
    "source": {name: SOURCES[name].label for name in COMPOSITE},
    "gain": _GAINS,
    "sub_case": {case: f"sub-case {case}" for case in model.SUB_CASES},
    "constants": {name: label for name, (label, _) in model.CONSTANTS.items()},
    "n": {n: f"{n} connections" for n in FULL},
    "free": {n: f"{n} connections" for n in NS if n not in FULL},
    "sender": {name: sender.label for name, sender in DOCUMENT.items()},
    "dynamic": {name: SOURCES[name].label for name in DYNAMIC_SOURCES},
    "chain": {n: f"{n} connections" for n in CHAIN_NS[1:]},
    "size": {size: size for size in SIZES},
    "traffic": {name: label for name, label in TRAFFIC.items() if name != "pareto-0.5"},
    "way": theorem.WAYS,
    "short": {size: size for size in _SHORT},
    "n_of": {n: f"{n} connections without end" for n in DECISION_NS},
    "rounding": _ROUNDED,
    "reading": {name: READINGS[name].label for name in _READINGS},
    "half": {half: f"{half} and {half} connections" for half in HALVES},
    "forecaster": {name: sender.label for name, sender in FORECASTERS.items()},
    "other": {name: RULES[name].label for name in (NEWRENO, "cubic", "vegas")},
    "kind": {name: kind.label for name, kind in KINDS.items()},
    "ours": {name: sender.label for name, sender in OURS_FORECASTERS.items() if name != OURS},
}
TOPICS: tuple[st.Topic, ...] = st.topics_of(st.page_of(__package__, "claims.md"), _SAYS, _NAMES)
