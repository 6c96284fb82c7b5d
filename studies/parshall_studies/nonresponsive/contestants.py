"""The estimators that are compared: one registry, which everything else goes through.

A contestant turns the traces of a case into shares, one row a run and one column an estimation interval. To
add one, add an entry to :data:`CONTESTANTS`; tables, figures and claims beyond the document take it up from
there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from parshall_studies.nonresponsive.networks import ESTIMATION, PACKET_BYTES
from parshall_studies.study.tuner import Range

if TYPE_CHECKING:
    from parshall.estimators import NonresponsiveEstimator
    from parshall_studies.nonresponsive.cases import Case
    from parshall_studies.nonresponsive.traces import Reals, Traces

Settings: TypeAlias = Mapping[str, float]
"""Values of a contestant's settings by name."""

TRAINING = ("load/16", "load/22", "load/25")
"""Cases on which settings are tuned, with seeds that nothing is judged on: the loads of Figure 3."""
HOP_TRAINING = ("hops/25", "hops/22")
"""Training cases of the form with several hops, as the document has other gains there."""


@dataclass(frozen=True)
class Contestant:
    """An estimator with the settings that its user has to choose."""

    name: str
    label: str
    run: Callable[..., Reals]
    """Shares by run and estimation interval, of a case, its traces and settings. Forms of the linear model
    also take ``samples``, the sampling intervals in an estimation interval.
    """
    printed: Settings = field(default_factory=dict)
    """Printed settings; the search has them among its trials."""
    ranges: Mapping[str, Range] = field(default_factory=dict)
    """Settings that are tuned. Empty for an estimator that needs no tuning."""
    silent: tuple[str, ...] = ()
    """Settings that the document does not print: with printed settings they are tuned alone."""
    training: tuple[str, ...] = TRAINING
    of_document: bool = False
    settings_of: str = ""
    """Another contestant, whose settings it takes as they are."""
    dithered: bool = False
    """True if it is judged on runs of its own, whose port tops up its drops by a dither."""


_STARTS = {"start_share": Range(0.02, 0.98), "start_window": Range(1.0, 60.0, log=True)}
"""The start values: the share that does not respond, and the window of a flow that does, in packets."""
_GAINS = {"gamma1": Range(1e-3, 1e4, log=True), "gamma2": Range(1e-3, 1.99, log=True)}
_FILTERS = {"backlog_alpha": Range(0.0, 0.98), "signal_alpha": Range(0.0, 0.995)}
_PRINTED: Settings = {
    "gamma1": 5.0,
    "gamma2": 0.45,
    "backlog_alpha": 0.4,
    "signal_alpha": 0.6,
    # Half of the load responds, with the window of the equilibrium at a drop probability of 5 %.
    "start_share": 0.5,
    "start_window": 6.3,
}

_LAST: Mapping[str, Any] = {"zero_drops_after": 1, "count_drops": True}
"""Both modifications of II.C."""


def _linear(method: str, **options: Any) -> Callable[..., Reals]:
    """The document's linear model in one of its forms, followed by one of the methods."""

    def run(case: Case, traces: Traces, settings: Settings, *, samples: int = ESTIMATION) -> Reals:
        from parshall import estimators

        given = dict(settings)
        if method == "FixedPoint":
            given |= {"tick_ms": round(1e3 * traces.sampling), "mean_packet_bytes": PACKET_BYTES}
        share, window = given.pop("start_share"), given.pop("start_window")
        load = case.capacity * (case.delay if case.r0 is None else case.r0)
        if options.get("form") == "cbr":
            given["start_cbr"] = share * case.capacity
        estimator = getattr(estimators, f"Nonresponsive{method}")(
            case.capacity,
            case.delay,
            traces.sampling,
            rtt=case.r0,
            estimation_samples=samples,
            start_z0=(1 - share) * load,
            start_n_s=(1 - share) * load / window,
            **options,
            **given,
        )
        return _each_run(traces, estimator)

    return run


def _each_run(traces: Traces, estimator: NonresponsiveEstimator) -> Reals:
    """Shares of every run, each from a fresh start."""
    shares = []
    for backlog, arrivals, drops in zip(traces.backlog, traces.arrivals, traces.drops, strict=True):
        shares.append(estimator.run(backlog=backlog, arrivals=arrivals, drops=drops).share)
        estimator.reset()
    return np.stack(shares)


def _count(case: Case, traces: Traces, settings: Settings) -> Reals:
    """Estimates of a router that reads headers and counts bytes."""
    from parshall.estimators import UdpCounter

    del case, settings
    rows = zip(traces.bytes, traces.udp_bytes, strict=True)
    return np.stack([UdpCounter(ESTIMATION).run(arrived=arrived, udp=udp).share for arrived, udp in rows])


def _recorded(name: str) -> Callable[[Case, Traces, Settings], Reals]:
    """Estimates of an observer inside the simulator; nothing to set."""
    return lambda case, traces, settings: traces.recorded[name]


def _constant(case: Case, traces: Traces, settings: Settings) -> Reals:
    del case
    return np.full_like(traces.true_share, settings["share"])


def _document(name: str, label: str, **options: Any) -> Contestant:
    """A form of the document: Kaczmarz's projection with the gains as settings."""
    return Contestant(
        name,
        label,
        _linear("Kaczmarz", **options),
        printed=_PRINTED,
        ranges={**_GAINS, **_FILTERS, **_STARTS},
        silent=tuple(_STARTS),
        of_document=True,
    )


def _several_hops() -> Contestant:
    """The form with a third parameter: another gain is printed, and one more start value is needed."""
    one = _document("several-hops", "Several hops", form="multi-hop", **_LAST)
    elsewhere = "start_elsewhere"
    return replace(
        one,
        printed={**one.printed, "gamma2": 0.25, elsewhere: 0.01},
        ranges={**one.ranges, elsewhere: Range(0.0, 0.2)},
        silent=(*one.silent, elsewhere),
        training=HOP_TRAINING,
    )


def _in_whole_numbers(floating: Contestant) -> Contestant:
    """The form of Chapter III: as the floating one, on the same samples and with the same settings."""
    return replace(
        floating,
        name="fixed-point",
        label="Modified, in whole numbers",
        run=_linear("FixedPoint", zero_drops_after=1),
        settings_of=floating.name,
    )


_MODIFIED = _document("zero-drops", "Modified for periods without drops", zero_drops_after=1)

CONTESTANTS: tuple[Contestant, ...] = (
    _document("basic", "Basic"),
    _MODIFIED,
    _in_whole_numbers(_MODIFIED),
    _document("with-drops", "Modified, with l(t)", **_LAST),
    _several_hops(),
    _document("cbr", "CBR form (Appendix A)", form="cbr", zero_drops_after=1),
    Contestant(
        "rls",
        "Recursive least squares",
        _linear("Rls", **_LAST),
        ranges={
            "forgetting": Range(0.98, 1.0),
            "initial": Range(1e-6, 1e3, log=True),
            **_FILTERS,
            **_STARTS,
        },
    ),
    Contestant(
        "kalman",
        "Kalman filter",
        _linear("Kalman", **_LAST),
        ranges={
            "initial": Range(1e-4, 1e2, log=True),
            "drift": Range(1e-5, 1.0, log=True),
            **_FILTERS,
            **_STARTS,
        },
    ),
    Contestant("responsiveness", "Responsiveness", _recorded("responsiveness")),
    Contestant(
        "responsiveness-dither", "Responsiveness, with a dither", _recorded("responsiveness"), dithered=True
    ),
    Contestant("constant", "One number for ever", _constant, ranges={"share": Range(0.0, 1.0)}),
    Contestant("counter", "Count of UDP bytes", _count),
)
"""Contestants in the order of the tables. The last two are what an estimator has to be held against: a
number that looks at nothing, and a count that looks into every header.
"""


REFERENCES = ("constant", "counter")
"""Contestants that estimate nothing."""


def contestant(name: str) -> Contestant:
    """The contestant of that name."""
    return next(each for each in CONTESTANTS if each.name == name)
