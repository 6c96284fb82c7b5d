"""The document's statements in terms of measures; ``claims.md`` has their words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from parshall_studies import study as st
from parshall_studies.arima_vegas import controls, document, forecasts, networks
from parshall_studies.arima_vegas.document import KS, ROUND_TRIPS
from parshall_studies.arima_vegas.measures import CF, OFFSETS
from parshall_studies.arima_vegas.models import CHOSEN, KPSS_LIMIT, MODELS, SIGNIFICANCE
from parshall_studies.arima_vegas.networks import LIMIT, MAIN, START_SPREAD
from parshall_studies.arima_vegas.printed import PRINTED_TABLES
from parshall_studies.arima_vegas.quantities import UNITS, by_rate, of, percent_more, queued, queued_gain
from parshall_studies.arima_vegas.queues import PATHS, QUEUES, SHORT
from parshall_studies.arima_vegas.runs import ERRORS, PLACED
from parshall_studies.arima_vegas.senders import (
    ALWAYS,
    ARTT,
    FORECASTERS,
    LITERAL,
    PAYLOAD_BYTES,
    SMOOTHED,
    STARTED,
    VEGAS,
)
from parshall_studies.arima_vegas.timeouts import STANDARD

SIMILAR, SIGNIFICANT, INADEQUATE = 1.1, 1.1, 1.05
"""Bounds of the document's words."""
_AS_MUCH = 0.9
_KS = list(KS)
_OTHERS = [name for name in FORECASTERS if name != ALWAYS]
_PLACES = {f"errors {where}stream": where for where in ("down", "up")}
"""Readings of where packet errors are."""
_QUEUES = {queue: f"queues of {queue} packets" for queue in QUEUES}
"""Readings of the size of queues."""
_SWEPT = {LIMIT: "", SHORT: "_short"}
"""Endings of the names of those tables that only these two readings have."""
_STARTS = {"N ends slow start": ARTT, "Vegas's backlog ends it": STARTED}
"""Readings of slow start."""
_OF_SENDERS = {
    LITERAL: "One decision with each ACK",
    STARTED: "Slow start as in Vegas",
}
_RATES = {rate: f"{rate:g} kbit/s" for rate in document.UPSTREAM_RATES}


def _by_place(rule: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    """Wherever packet errors are."""
    return st.ByReading({label: rule(where) for label, where in _PLACES.items()})


def _by_queue(rule: Callable[[int], st.Rule | st.Relation]) -> st.ByReading:
    """However many packets queues hold."""
    return st.ByReading({label: rule(queue) for queue, label in _QUEUES.items()})


def _by_place_and_queue(
    rule: Callable[[str, int], st.Rule | st.Relation], sizes: Iterable[int] = QUEUES
) -> st.ByReading:
    """Wherever packet errors are, and however many packets queues hold."""
    return st.ByReading(
        {
            f"{place}, {_QUEUES[queue]}": rule(where, queue)
            for place, where in _PLACES.items()
            for queue in sizes
        }
    )


def _by_sweep(rule: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    """With queues of two sizes, of which each has tables of its own."""
    return st.ByReading({_QUEUES[queue]: rule(ending) for queue, ending in _SWEPT.items()})


def _by_start(rule: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    """However slow start ends."""
    return st.ByReading({label: rule(sender) for label, sender in _STARTS.items()})


def _throughput(table: str, sender: str | list[str], errors: str) -> st.Expression:
    return of(table, "throughput", sender, errors=errors, k=_KS)


def _more(errors: str, cr: float) -> st.Relation:
    return by_rate("throughput", ARTT, errors, cr=cr) > by_rate("throughput", VEGAS, errors, cr=cr)


def _more_queued(queue: int, cr: float) -> st.Relation:
    return queued("throughput", ARTT, queue, cr=cr) > queued("throughput", VEGAS, queue, cr=cr)


def _fewer(queue: int, **where: Any) -> st.Relation:
    """On the mean less than one more."""
    ours, theirs = (queued("retransmitted", sender, queue, **where) for sender in (ARTT, VEGAS))
    return ours < theirs + 1


def _without(metric: str, part: float, queue: int) -> st.Relation:
    """Vegas has less than a part of what it has without backward traffic."""
    alone = of("alone_by_rate", metric, VEGAS, cr=_RATES_OF_KS)
    return queued(metric, VEGAS, queue, cr=_RATES_OF_KS) < part * alone


def _longer(queue: int) -> st.Relation:
    """The round trip of Vegas beside that without queues."""
    shortest = st.Given(
        ("cr",), {cr: 1e3 * PATHS[cr].without_queues for cr in _RATES}, "ms", "round trip without queues"
    )
    return queued("round_trip", VEGAS, queue, cr=list(_RATES)) > SIGNIFICANT * shortest


def _by_buffer(metric: str, other: str) -> st.ByReading:
    """Vegas has more than another sender, however large the buffer is."""

    def more(buffer: str) -> st.Relation:
        return _controls(metric, VEGAS, buffer=buffer) > _controls(metric, other, buffer=buffer)

    return _by_buffers(more)


def _by_buffers(rule: Callable[[str], st.Relation]) -> st.ByReading:
    return st.ByReading(
        {f"a buffer of {buffer} bandwidth-delay products": rule(buffer) for buffer in controls.BUFFERS}
    )


def _dropped(buffer: str) -> st.Relation:
    """On the mean over round trips and flows: where no sender drops, none can drop less."""
    ours, theirs = (
        _controls("drop", sender, buffer=buffer).mean("rtt").mean("flows")
        for sender in (VEGAS, controls.RENO)
    )
    return ours < theirs


def _controls(metric: str, sender: str, **where: Any) -> st.Quantity:
    units = {"throughput": "Mbit/s", "delay": "ms"}
    return st.Quantity("controls", metric, units.get(metric, "")).at(sender=sender, **where)


def _symmetric(metric: str, sender: str, errors: str = "none", backward: str = "yes") -> st.Expression:
    return of("symmetric", metric, sender, errors=errors, backward=backward)


def _symmetric_queued(metric: str, sender: str, queue: int, errors: str = "none") -> st.Expression:
    return of("symmetric_queues", metric, sender, errors=errors, queue=queue)


def _symmetric_relation(metric: str, errors: str, queue: int) -> st.Relation:
    """CA-ARTT has less."""
    ours, theirs = (_symmetric_queued(metric, sender, queue, errors) for sender in (ARTT, VEGAS))
    return ours < theirs


def _effective(errors: str, queue: int) -> st.Relation:
    """CA-ARTT retransmits less for what it delivers."""
    ours, theirs = (
        _symmetric_queued("retransmitted", sender, queue, errors)
        / _symmetric_queued("throughput", sender, queue, errors)
        for sender in (ARTT, VEGAS)
    )
    return ours < theirs


def _reduction(errors: str, queue: int) -> st.Holds:
    """By 65 to 85 per cent."""
    ours, theirs = (_symmetric_queued("retransmitted", sender, queue, errors) for sender in (ARTT, VEGAS))
    return st.Holds((0.35 * theirs - ours > 0.0, ours - 0.15 * theirs > 0.0))


def _figure_5(metric: str, sender: str, errors: str) -> st.Expression:
    return of("readings", metric, sender, errors=errors, k=2)


def _above_vegas(metric: str, errors: str = "none") -> st.ByReading:
    """Rule by which CA-ARTT has more of something in the run of Figure 5, however slow start ends."""
    return _by_start(lambda sender: _figure_5(metric, sender, errors) > _figure_5(metric, VEGAS, errors))


def _above_vegas_lossy(metric: str) -> st.ByReading:
    """Rule by which CA-ARTT has more of something, however slow start ends and wherever errors are."""
    return st.ByReading(
        {
            f"{start}, {place}": _figure_5(metric, sender, where) > _figure_5(metric, VEGAS, where)
            for start, sender in _STARTS.items()
            for place, where in _PLACES.items()
        }
    )


def _round_trips(k: int, errors: str, ending: str) -> st.Relation:
    every = {"errors": errors, "k": k, "rtt": list(ROUND_TRIPS)}
    ours, theirs = (of(f"round_trips{ending}", "throughput", sender, **every) for sender in (ARTT, VEGAS))
    return ours > SIGNIFICANT * theirs


def _expected(k: int) -> st.Expression:
    """Throughput that Vegas's mean window over its baseRTT promises, in kbit/s."""
    shortest = 1e3 * networks.Path(CF, k).without_queues * _backlog("base").at(k=k)
    return 8 * PAYLOAD_BYTES * of("readings", "window", VEGAS, errors="none", k=k) / shortest


def _between(per_cent: st.Expression, printed: tuple[str, str]) -> st.Holds:
    low, high = map(float, printed)
    return st.within(per_cent, low, high, "points")


def _low_loss(errors: str, ending: str) -> st.Holds:
    low = {"errors": errors, "rate": list(document.ERROR_RATES[:-1]), "k": _KS}
    more = percent_more(
        *(of(f"error_rates{ending}", "throughput", sender, **low) for sender in (ARTT, VEGAS))
    )
    return _between(more, document.LOW_LOSS_GAINS)


def _offset(sender: str, offset: float | list[float]) -> st.Expression:
    return of("offsets", "throughput", sender, offset=offset)


def _meeting(metric: str, first: str, second: str) -> st.Quantity:
    return st.Quantity("meetings", metric, UNITS.get(metric, "")).at(first=first, second=second)


def _standard(cost: str, family: str) -> st.Quantity:
    return st.Quantity("timeouts", cost).at(family=family, knob=STANDARD)


def _model(criterion: str) -> st.Quantity:
    """Criterion of the document's choice, beside the least of all models."""
    return st.Quantity("models", criterion).at(model=CHOSEN)


def _others(criterion: str) -> st.Quantity:
    return st.Quantity("models", criterion).at(model=[model for model in MODELS if model != CHOSEN])


def _matched(family: str) -> st.Quantity:
    return st.Quantity("matched", "wait_ratio").at(family=family)


def _risk(what: str) -> st.Quantity:
    """Risk of each series, and of each share of early timeouts that is asked for."""
    return st.Quantity("risks", what)


def _error(forecaster: str | list[str], sender: str = VEGAS, errors: str = "none") -> st.Quantity:
    """Error of forecasts of the round trips that a sender sees."""
    where = {"sender": sender, "errors": errors, "k": _KS, "forecaster": forecaster}
    return st.Quantity("forecasts", "error").at(**where)


def _best_forecast(sender: str = VEGAS, errors: str = "none") -> st.Relation:
    return _error(forecasts.ARIMA, sender, errors) < _error([forecasts.EWMA, forecasts.LAST], sender, errors)


def _backlog(part: str) -> st.Quantity:
    return st.Quantity("backlog", part).at(sender=VEGAS, errors="none", k=_KS)


_RATES_OF_KS = [networks.Path(CF, k).cr for k in KS]
_SYMMETRIC_PRINTED = [st.Printed(each, "kbit/s") for each in document.TABLE_5["none"].throughput]
_TOGETHER = [offset for offset in OFFSETS if abs(offset) <= 2 * START_SPREAD]
_SAYS: dict[str, Any] = {
    "problem.symmetric": _symmetric("throughput", VEGAS)
    > of("grid", "throughput", VEGAS, errors="none", cf=networks.SYMMETRIC.cf, k=_KS),
    "problem.bottleneck": _backlog("downstream") < 0.5,
    "problem.acks": st.Holds((_backlog("ack_wait") > 100.0, 10.0 - _backlog("data_wait") > 0.0)),
    "problem.round-trip": _by_queue(_longer),
    "problem.ack-loss": _by_queue(lambda queue: queued("acks_dropped", VEGAS, queue) > 0.0),
    "problem.window": _by_queue(partial(_without, "window", 1.0)),
    "problem.window-costs": _by_queue(
        lambda queue: queued("throughput", ALWAYS, queue) > queued("throughput", VEGAS, queue)
    ),
    "problem.room": _throughput("today", "vegas-fq", "none") > 2 * _throughput("today", VEGAS, "none"),
    "problem.backward": of("readings", "round_trip", VEGAS, errors="none", k=_KS)
    > of("alone", "round_trip", VEGAS, k=_KS),
    "problem.throughput": _by_queue(partial(_without, "throughput", 0.5)),
    "problem.delay-based": _throughput("today", VEGAS, "none") > _throughput("today", "cubic", "none"),
    "controls.throughput": _by_buffer("throughput", controls.RENO),
    "controls.utilization": _by_buffer("utilization", controls.RENO),
    "controls.over-cubic": _by_buffer("throughput", "cubic"),
    "controls.before-loss": _by_buffers(_dropped),
    "controls.cubic": st.alike(_controls("throughput", "cubic"), _controls("throughput", VEGAS), 1.05),
    "controls.delay": _controls("delay", VEGAS) < 0.5 * _controls("delay", controls.RENO),
    "ewma.inadequate": _error(forecasts.EWMA) > _error(forecasts.ARIMA),
    "ewma.history": _error(forecasts.EWMA) > _error(forecasts.LAST),
    "ewma.low-pass": st.Computed(st.Fixed(document.EWMA_HISTORY) > 0.5),
    "estimate.possible": _error(forecasts.ARIMA) < 0.1,
    "arima.suitable": _best_forecast(),
    "arima.suitable-lossy": _best_forecast(errors=MAIN),
    "arima.own": _best_forecast(ARTT),
    "eq-24.printed": st.Computed(st.Fixed(document.printed_growth()) < 1.0),
    "eq-25": st.alike(_backlog("explained"), 1.0, 1.2),
    "eq-27": _backlog("downstream") < 0.01,
    "eq-27.acks": _backlog("own_acks") > 0.5,
    "eq-27.base": st.alike(_backlog("base"), 1.0, SIMILAR),
    "base.expected.{k}": lambda k: _expected(k) > 2 * of("readings", "throughput", VEGAS, errors="none", k=k),
    "base.holds-back.{k}": lambda k: st.Holds(
        (of("decisions", "grows", VEGAS, k=k) < 0.5, _backlog("downstream").at(k=k) < 0.01)
    ),
    "expected.recent": st.alike(_backlog("rtt").at(sender=ARTT), 1.0, SIMILAR),
    "backlog.estimate.{k}": lambda k: st.alike(
        of("decisions", "backlog", ARTT, k=k), of("decisions", "waiting", ARTT, k=k), 2.0
    ),
    "saturation.upstream-first": st.Quantity("saturation", "upstream_full", "s")
    < st.Quantity("saturation", "downstream_full", "s"),
    "saturation.limits": st.Quantity("saturation", "downstream") < 0.9,
    "gain.between": _by_queue(lambda queue: _between(queued_gain(queue), document.GAINS)),
    "gain.conclusion": _by_queue(lambda queue: _between(queued_gain(queue), document.CONCLUDED_GAINS)),
    "gain.greater.{cr}": lambda cr: _by_queue(partial(_more_queued, cr=cr)),
    "gain.mean": _by_queue(lambda queue: queued_gain(queue).mean("cr") > 0.0),
    "gain.most": _by_queue(
        lambda queue: st.Quantity("majority", "better").at(errors="none", queue=queue) > 0.5
    ),
    "gain.lossy.{cr}": lambda cr: _by_place(lambda where: _more(where, cr)),
    "gain.low-loss": _by_place_and_queue(lambda where, queue: _low_loss(where, _SWEPT[queue]), _SWEPT),
    "gain.round-trips.{k}": lambda k: _by_sweep(lambda ending: _round_trips(k, "none", ending)),
    "gain.round-trips-lossy.{k}": lambda k: _by_sweep(lambda ending: _round_trips(k, "up", ending)),
    "retransmissions.same-or-fewer": _by_queue(_fewer),
    "retransmissions.same-or-fewer.{cr}": lambda cr: _by_queue(partial(_fewer, cr=cr)),
    "acks.no-more": by_rate("acks_dropped", ARTT) < by_rate("acks_dropped", VEGAS) + 1,
    "alone.similar": st.alike(
        of("alone", "throughput", ARTT, k=_KS), of("alone", "throughput", VEGAS, k=_KS), SIMILAR
    ),
    "alone.none": st.Never(of("alone", "retransmitted", ARTT, k=_KS).mean("k")),
    "alone.symmetric": st.alike(
        _symmetric("throughput", ARTT, backward="no"), _symmetric("throughput", VEGAS, backward="no"), SIMILAR
    ),
    "slow-start.quickly": _by_place(
        lambda where: _figure_5("first_slow_start", VEGAS, where) < networks.DURATION / 10
    ),
    "slow-start.longer": _above_vegas_lossy("first_slow_start"),
    "slow-start.longer-no-errors": _above_vegas("first_slow_start"),
    "slow-start.window": _above_vegas_lossy("window"),
    "slow-start.throughput": _above_vegas_lossy("throughput"),
    "symmetric.better": (
        _by_queue(
            lambda queue: (
                _symmetric_queued("throughput", ARTT, queue) > _symmetric_queued("throughput", VEGAS, queue)
            )
        ),
        _SYMMETRIC_PRINTED[1].less(_SYMMETRIC_PRINTED[0]),
    ),
    "symmetric.gain": _by_queue(
        lambda queue: st.within(
            percent_more(*(_symmetric_queued("throughput", sender, queue) for sender in (ARTT, VEGAS))),
            10.0,
            30.0,
            "points",
        )
    ),
    "symmetric.lossy-less": _by_place_and_queue(partial(_symmetric_relation, "throughput")),
    "symmetric.lossy-fewer": _by_place_and_queue(partial(_symmetric_relation, "retransmitted")),
    "symmetric.reduction": _by_place_and_queue(_reduction),
    "symmetric.effective": _by_place_and_queue(_effective),
    "timers.more.{place}": lambda place: (
        _throughput("timers", "artt-rto", place) > _throughput("timers", ARTT, place)
    ),
    "veno.srtt": _throughput("veno", SMOOTHED, "none") < _throughput("veno", ARTT, "none"),
    "veno.srtt-lossy": _throughput("veno", SMOOTHED, MAIN) < _throughput("veno", ARTT, MAIN),
    "models.not-stationary": st.Computed(st.Quantity("chosen", "kpss") > KPSS_LIMIT),
    "models.arma": st.Computed(st.Quantity("chosen", "over_arma") * INADEQUATE < 1.0),
    "models.ar": st.Computed(st.Quantity("chosen", "over_ar") * INADEQUATE < 1.0),
    "models.not-linear": st.Computed(st.Quantity("chosen", "not_linear").mean("series") > 0.5),
    "models.varies": st.Computed(st.Quantity("chosen", "varies").mean("series") > 0.5),
    "models.aic": st.Computed(_others("aic") > _model("aic")),
    "models.fpe": st.Computed(_others("fpe") > _model("fpe")),
    "models.stationary": st.Computed(st.Quantity("chosen", "kpss_once") < KPSS_LIMIT),
    "models.lag-3": st.Computed(
        abs(st.Quantity("correlations", "pacf_once").at(lag=3))
        > st.Quantity("correlations", "band").at(lag=3)
    ),
    "models.one-law": st.Computed(st.Quantity("chosen", "one_law") > SIGNIFICANCE),
    "models.normal": st.Computed(st.Quantity("chosen", "straightness") > 0.99),
    "models.white": st.Computed(st.Quantity("chosen", "ljung_box") > SIGNIFICANCE),
    "reading.alike.{reading}": lambda reading: st.alike(
        _throughput("readings", reading, "none"), _throughput("readings", ARTT, "none"), SIMILAR
    ),
    "reading.more.{reading}": lambda reading: (
        _throughput("readings", reading, "none") > _throughput("readings", VEGAS, "none")
    ),
    "forecast.fitted": _error(forecasts.FITTED) > 0.9 * _error(forecasts.LAST),
    "forecast.{forecaster}.{errors}": lambda forecaster, errors: (
        _throughput("ablation", forecaster, errors) > _throughput("ablation", ARTT, errors) * _AS_MUCH
    ),
    "forecast.best.{errors}": lambda errors: (
        _throughput("ablation", ARTT, errors) > _throughput("ablation", _OTHERS, errors)
    ),
    "forecast.decides.{k}": lambda k: of("decisions", "grows", ARTT, k=k) > 0.5,
    "forecast.window.{errors}": lambda errors: (
        _throughput("ablation", [ARTT, *_OTHERS], errors) < SIMILAR * _throughput("ablation", ALWAYS, errors)
    ),
    "starts.vegas": _offset(VEGAS, 1.0) > 2 * _offset(VEGAS, 0.0),
    "starts.artt": _offset(ARTT, _TOGETHER) > _offset(VEGAS, _TOGETHER),
    "meeting.artt-artt": _meeting("jain", "artt", "artt") > 0.95,
    "meeting.artt-vegas": _meeting("share", "artt", "vegas") < 0.6,
    "meeting.artt-cubic": _meeting("share", "artt", "cubic") > 0.4,
    "meeting.delay": _meeting("delay", "artt", "artt") < 2 * _meeting("delay", "vegas", "vegas"),
    "meeting.starves": 1 - _meeting("share", "artt", "vegas") > 0.2,
    "meeting.like-cubic": _meeting("delay", "artt", "artt") > 0.8 * _meeting("delay", "cubic", "cubic"),
    "timeouts.earlier": st.Computed(_standard("early", "artt") > _standard("early", "jacobson")),
    "timeouts.shorter": st.Computed(_standard("wait", "artt") < _standard("wait", "jacobson")),
    "timeouts.frontier": st.Computed(_matched("artt") < _matched("jacobson")),
    "timeouts.risk-kept": st.Computed(abs(_risk("kept") - 1.0) < 0.25),
    "timeouts.risk-wait": st.Computed(_risk("wait_ratio") < 1.0),
    "queues.always.{queue}": lambda queue: (
        queued("throughput", ALWAYS, queue) > queued("throughput", ARTT, queue) * _AS_MUCH
    ),
    "today.cubic.{errors}": lambda errors: (
        _throughput("today", "cubic", errors) > _throughput("today", ARTT, errors)
    ),
    "today.delayed.{errors}": lambda errors: (
        _throughput("today", "cubic-delayed", errors) > _throughput("today", ARTT, errors)
    ),
    "today.fair-queue.{errors}": lambda errors: (
        _throughput("today", "vegas-fq", errors) > 2 * _throughput("today", ARTT, errors)
    ),
    "today.needless.{errors}": lambda errors: (
        _throughput("today", "artt-fq", errors) < SIMILAR * _throughput("today", "vegas-fq", errors)
    ),
}
_NAMES: dict[str, Mapping[Any, str]] = {
    "k": {k: f"K = {k}" for k in KS},
    "cr": _RATES,
    "errors": {name: ERRORS[name] for name in ("none", MAIN)},
    "place": {name: ERRORS[name] for name in PLACED},
    "queue": _QUEUES,
    "reading": _OF_SENDERS,
    "forecaster": {name: sender.label for name, sender in FORECASTERS.items()},
}


def _ident(label: Any) -> str:
    """A label in an id; rates without a needless point."""
    return f"{label:g}" if isinstance(label, float) else str(label)


TOPICS: tuple[st.Topic, ...] = (
    *st.topics_of(st.page_of(__package__, "claims.md"), _SAYS, _NAMES, ident=_ident),
    *(table.topic for table in PRINTED_TABLES),
)
