"""The document's statements in terms of measures; ``claims.md`` has their words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from parshall_studies import study as st
from parshall_studies.arima_vegas import document, forecasts
from parshall_studies.arima_vegas.document import KS, ROUND_TRIPS
from parshall_studies.arima_vegas.measures import CF, ERRORS, OFFSETS
from parshall_studies.arima_vegas.models import CHOSEN, KPSS_LIMIT, MODELS
from parshall_studies.arima_vegas.networks import MAIN, START_SPREAD, SYMMETRIC
from parshall_studies.arima_vegas.printed import PRINTED_TABLES
from parshall_studies.arima_vegas.quantities import UNITS, by_rate, gain, of, percent_more
from parshall_studies.arima_vegas.senders import (
    ALWAYS,
    ARTT,
    FORECASTERS,
    LITERAL,
    SMOOTHED,
    STARTED,
    VEGAS,
)
from parshall_studies.arima_vegas.timeouts import STANDARD

SIMILAR, SIGNIFICANT = 1.1, 1.1
"""Bounds of the document's words."""
_AS_MUCH = 0.9
_KS = list(KS)
_OTHERS = [name for name in FORECASTERS if name != ALWAYS]
_PLACES = {f"errors {where}stream": where for where in ("down", "up")}
"""Readings of where packet errors are."""
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


def _by_start(rule: Callable[[str], st.Rule | st.Relation]) -> st.ByReading:
    """However slow start ends."""
    return st.ByReading({label: rule(sender) for label, sender in _STARTS.items()})


def _throughput(table: str, sender: str | list[str], errors: str) -> st.Expression:
    return of(table, "throughput", sender, errors=errors, k=_KS)


def _more(errors: str, **where: Any) -> st.Relation:
    return by_rate("throughput", ARTT, errors, **where) > by_rate("throughput", VEGAS, errors, **where)


def _fewer(metric: str = "retransmitted", **where: Any) -> st.Relation:
    """On the mean less than one more."""
    return by_rate(metric, ARTT, **where) < by_rate(metric, VEGAS, **where) + 1


def _symmetric(metric: str, sender: str, errors: str = "none", backward: str = "yes") -> st.Expression:
    return of("symmetric", metric, sender, errors=errors, backward=backward)


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


def _round_trips(k: int, errors: str) -> st.Relation:
    every = {"errors": errors, "k": k, "rtt": list(ROUND_TRIPS)}
    return of("round_trips", "throughput", ARTT, **every) > SIGNIFICANT * of(
        "round_trips", "throughput", VEGAS, **every
    )


def _between(per_cent: st.Expression, printed: tuple[str, str]) -> st.Holds:
    low, high = map(float, printed)
    return st.within(per_cent, low, high, "points")


def _low_loss(errors: str) -> st.Holds:
    low = {"errors": errors, "rate": list(document.ERROR_RATES[:-1]), "k": _KS}
    more = percent_more(
        of("error_rates", "throughput", ARTT, **low), of("error_rates", "throughput", VEGAS, **low)
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


def _of_link() -> st.Relation:
    """The part of its link that Vegas has: 2 Mbit/s where it is symmetric."""
    asymmetric = _throughput("readings", VEGAS, "none") / (1e3 * CF)
    return _symmetric("throughput", VEGAS) / (1e3 * SYMMETRIC.cf) > asymmetric


_SYMMETRIC_PRINTED = [st.Printed(each, "kbit/s") for each in document.TABLE_5["none"].throughput]
_TOGETHER = [offset for offset in OFFSETS if abs(offset) <= 2 * START_SPREAD]
_SAYS: dict[str, Any] = {
    "problem.symmetric": _of_link(),
    "problem.round-trip": _backlog("rtt") > 2.0,
    "problem.ack-loss": of("readings", "acks_dropped", VEGAS, errors="none", k=_KS) > 1.0,
    "problem.window": of("readings", "window", VEGAS, errors="none", k=_KS)
    < of("alone", "window", VEGAS, k=_KS) / 2,
    "problem.throughput": _throughput("readings", VEGAS, "none")
    < of("alone", "throughput", VEGAS, k=_KS) / 2,
    "problem.delay-based": _throughput("today", VEGAS, "none") > _throughput("today", "cubic", "none"),
    "ewma.inadequate": _error(forecasts.EWMA) > _error(forecasts.ARIMA),
    "ewma.history": _error(forecasts.EWMA) > _error(forecasts.LAST),
    "arima.suitable": _best_forecast(),
    "arima.suitable-lossy": _best_forecast(errors=MAIN),
    "arima.own": _best_forecast(ARTT),
    "eq-24.printed": st.Computed(st.Fixed(document.printed_growth()) < 1.0),
    "eq-25": st.alike(_backlog("explained"), 1.0, 1.2),
    "eq-27": _backlog("downstream") < 0.01,
    "eq-27.acks": _backlog("own_acks") > 0.5,
    "eq-27.base": st.alike(_backlog("base"), 1.0, SIMILAR),
    "gain.between": _between(gain(), document.GAINS),
    "gain.conclusion": _between(gain(), document.CONCLUDED_GAINS),
    "gain.greater.{cr}": lambda cr: _more("none", cr=cr),
    "gain.mean": gain().mean("cr") > 0.0,
    "gain.lossy.{cr}": lambda cr: _by_place(lambda where: _more(where, cr=cr)),
    "gain.low-loss": _by_place(_low_loss),
    "gain.round-trips.{k}": lambda k: _round_trips(k, "none"),
    "gain.round-trips-lossy.{k}": lambda k: _by_place(lambda where: _round_trips(k, where)),
    "retransmissions.same-or-fewer": _fewer(),
    "retransmissions.same-or-fewer.{cr}": lambda cr: _fewer(cr=cr),
    "acks.no-more": _fewer("acks_dropped"),
    "alone.similar": st.alike(
        of("alone", "throughput", ARTT, k=_KS), of("alone", "throughput", VEGAS, k=_KS), SIMILAR
    ),
    "alone.none": st.Never(of("alone", "retransmitted", ARTT, k=_KS).mean("k")),
    "alone.symmetric": st.alike(
        _symmetric("throughput", ARTT, backward="no"), _symmetric("throughput", VEGAS, backward="no"), SIMILAR
    ),
    "slow-start.longer": _above_vegas_lossy("first_slow_start"),
    "slow-start.longer-no-errors": _above_vegas("first_slow_start"),
    "slow-start.window": _above_vegas_lossy("window"),
    "slow-start.throughput": _above_vegas_lossy("throughput"),
    "symmetric.better": (
        _symmetric("throughput", ARTT) > _symmetric("throughput", VEGAS),
        _SYMMETRIC_PRINTED[1].less(_SYMMETRIC_PRINTED[0]),
    ),
    "symmetric.gain": st.within(
        percent_more(_symmetric("throughput", ARTT), _symmetric("throughput", VEGAS)), 10.0, 30.0, "points"
    ),
    "symmetric.lossy-less": _by_place(
        lambda where: _symmetric("throughput", ARTT, where) < _symmetric("throughput", VEGAS, where)
    ),
    "symmetric.lossy-fewer": _by_place(
        lambda where: _symmetric("retransmitted", ARTT, where) < _symmetric("retransmitted", VEGAS, where)
    ),
    "veno.srtt": _throughput("veno", SMOOTHED, "none") < _throughput("veno", ARTT, "none"),
    "veno.srtt-lossy": _throughput("veno", SMOOTHED, MAIN) < _throughput("veno", ARTT, MAIN),
    "models.not-stationary": st.Computed(st.Quantity("chosen", "kpss") > KPSS_LIMIT),
    "models.arma": st.Computed(st.Quantity("chosen", "over_arma") < 1.0),
    "models.aic": st.Computed(_others("aic") > _model("aic")),
    "models.fpe": st.Computed(_others("fpe") > _model("fpe")),
    "models.stationary": st.Computed(st.Quantity("chosen", "kpss_once") < KPSS_LIMIT),
    "models.lag-3": st.Computed(
        abs(st.Quantity("correlations", "pacf_once").at(lag=3))
        > st.Quantity("correlations", "band").at(lag=3)
    ),
    "models.normal": st.Computed(st.Quantity("chosen", "straightness") > 0.99),
    "models.white": st.Computed(st.Quantity("chosen", "ljung_box") > 0.05),
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
