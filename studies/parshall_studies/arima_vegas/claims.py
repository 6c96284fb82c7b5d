"""What the document's statements say in terms of what is measured; ``claims.md`` has their words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parshall_studies import study as st
from parshall_studies.arima_vegas import document
from parshall_studies.arima_vegas.document import KS, ROUND_TRIPS
from parshall_studies.arima_vegas.measures import CF, ERRORS, OFFSETS
from parshall_studies.arima_vegas.models import CHOSEN, KPSS_LIMIT, MODELS
from parshall_studies.arima_vegas.networks import START_SPREAD
from parshall_studies.arima_vegas.printed import PRINTED_TABLES
from parshall_studies.arima_vegas.quantities import UNITS, gain, grid, of, percent_more
from parshall_studies.arima_vegas.senders import ALWAYS, ARTT, FORECASTERS, LITERAL, VEGAS
from parshall_studies.arima_vegas.timeouts import STANDARD

SIMILAR, SIGNIFICANT = 1.1, 1.1
"""Bounds of the document's words."""
_AS_MUCH = 0.9
_KS = list(KS)
_OTHERS = [name for name in FORECASTERS if name != ALWAYS]
_LOSSY = {name: text for name, text in ERRORS.items() if name != "none"}


def _throughput(table: str, sender: str | list[str], errors: str) -> st.Expression:
    return of(table, "throughput", sender, errors=errors, k=_KS)


def _fewer(**where: Any) -> st.Relation:
    """On the mean less than one packet more."""
    return grid("retransmitted", ARTT, **where) < grid("retransmitted", VEGAS, **where) + 1


def _symmetric(metric: str, sender: str, errors: str = "none", backward: str = "yes") -> st.Expression:
    return of("symmetric", metric, sender, errors=errors, backward=backward)


def _figure_5(metric: str, sender: str, errors: str = "up") -> st.Expression:
    return grid(metric, sender, errors, cf=CF, k=2)


def _round_trips(k: int, errors: str) -> st.Relation:
    every = {"errors": errors, "k": k, "rtt": list(ROUND_TRIPS)}
    return of("round_trips", "throughput", ARTT, **every) > SIGNIFICANT * of(
        "round_trips", "throughput", VEGAS, **every
    )


def _between(per_cent: st.Expression, printed: tuple[str, str]) -> st.Holds:
    low, high = map(float, printed)
    return st.within(per_cent, low, high, "points")


def _low_loss() -> st.Holds:
    low = {"rate": list(document.ERROR_RATES[:-1]), "k": _KS}
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
    """Of the document's choice, beside the least of all models."""
    return st.Quantity("models", criterion).at(model=CHOSEN)


def _others(criterion: str) -> st.Quantity:
    return st.Quantity("models", criterion).at(model=[model for model in MODELS if model != CHOSEN])


def _matched(family: str) -> st.Quantity:
    return st.Quantity("matched", "wait_ratio").at(family=family)


def _risk(what: str) -> st.Quantity:
    """Of each series, and of each share of early timeouts that is asked for."""
    return st.Quantity("risks", what)


_SYMMETRIC_PRINTED = [st.Printed(each, "kbit/s") for each in document.TABLE_5["none"].throughput]
_TOGETHER = [offset for offset in OFFSETS if abs(offset) <= 2 * START_SPREAD]
_SAYS: dict[str, Any] = {
    "gain.between": _between(gain(), document.GAINS),
    "gain.conclusion": _between(gain(), document.CONCLUDED_GAINS),
    "gain.greater.{k}": lambda k: grid("throughput", ARTT, k=k) > grid("throughput", VEGAS, k=k),
    "gain.mean": gain().mean("k", "cf") > 0.0,
    "gain.lossy.{k}": lambda k: grid("throughput", ARTT, "up", k=k) > grid("throughput", VEGAS, "up", k=k),
    "gain.low-loss": _low_loss(),
    "gain.round-trips.{k}": lambda k: _round_trips(k, "none"),
    "gain.round-trips-lossy.{k}": lambda k: _round_trips(k, "up"),
    "retransmissions.same-or-fewer": _fewer(),
    "retransmissions.same-or-fewer.{k}": lambda k: _fewer(k=k),
    "alone.similar": st.alike(
        of("alone", "throughput", ARTT, k=_KS), of("alone", "throughput", VEGAS, k=_KS), SIMILAR
    ),
    "alone.none": st.Never(of("alone", "retransmitted", ARTT, k=_KS).mean("k")),
    "alone.symmetric": st.alike(
        _symmetric("throughput", ARTT, backward="no"), _symmetric("throughput", VEGAS, backward="no"), SIMILAR
    ),
    "slow-start.longer": _figure_5("first_slow_start", ARTT) > _figure_5("first_slow_start", VEGAS),
    "slow-start.longer-no-errors": _figure_5("first_slow_start", ARTT, "none")
    > _figure_5("first_slow_start", VEGAS, "none"),
    "slow-start.window": _figure_5("window", ARTT) > _figure_5("window", VEGAS),
    "symmetric.better": (
        _symmetric("throughput", ARTT) > _symmetric("throughput", VEGAS),
        _SYMMETRIC_PRINTED[1].less(_SYMMETRIC_PRINTED[0]),
    ),
    "symmetric.gain": st.within(
        percent_more(_symmetric("throughput", ARTT), _symmetric("throughput", VEGAS)), 10.0, 30.0, "points"
    ),
    "symmetric.lossy-less": _symmetric("throughput", ARTT, "up") < _symmetric("throughput", VEGAS, "up"),
    "symmetric.lossy-fewer": _symmetric("retransmitted", ARTT, "up")
    < _symmetric("retransmitted", VEGAS, "up"),
    "models.aic": st.Computed(_others("aic") > _model("aic")),
    "models.fpe": st.Computed(_others("fpe") > _model("fpe")),
    "models.stationary": st.Computed(st.Quantity("chosen", "kpss_once") < KPSS_LIMIT),
    "models.lag-3": st.Computed(
        abs(st.Quantity("correlations", "pacf_once").at(lag=3))
        > st.Quantity("correlations", "band").at(lag=3)
    ),
    "models.normal": st.Computed(st.Quantity("chosen", "straightness") > 0.99),
    "models.white": st.Computed(st.Quantity("chosen", "ljung_box") > 0.05),
    "errors.throughput.{placing}": lambda placing: (
        _throughput("readings", ARTT, placing) > _throughput("readings", VEGAS, placing)
    ),
    "errors.symmetric-less.{placing}": lambda placing: (
        _symmetric("throughput", ARTT, placing) < _symmetric("throughput", VEGAS, placing)
    ),
    "errors.symmetric-fewer.{placing}": lambda placing: (
        _symmetric("retransmitted", ARTT, placing) < _symmetric("retransmitted", VEGAS, placing)
    ),
    "literal.alike": st.alike(
        _throughput("readings", LITERAL, "none"), _throughput("readings", ARTT, "none"), SIMILAR
    ),
    "literal.more": _throughput("readings", LITERAL, "none") > _throughput("readings", VEGAS, "none"),
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
    "errors": {name: ERRORS[name] for name in ("none", "up")},
    "placing": _LOSSY,
    "forecaster": {name: sender.label for name, sender in FORECASTERS.items()},
}
TOPICS: tuple[st.Topic, ...] = (
    *st.topics_of(st.page_of(__package__, "claims.md"), _SAYS, _NAMES),
    *(table.topic for table in PRINTED_TABLES),
)
