"""A router's view of each sampling interval of a run, the true share in each estimation interval, and how
far estimates are from it (II.C).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from parshall.estimators.responsiveness import share_or_middle
from parshall_studies.nonresponsive.networks import ESTIMATION, PACKET_BYTES

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall_studies.nonresponsive.cases import Case

Reals: TypeAlias = NDArray[np.float64]

RECORDED = ("flows", "ports", "port_series", "responsiveness")
"""Tables of a run that are looked at."""


@dataclass(frozen=True)
class Traces:
    """Runs of a case, from the estimator's start on: one row a run, one column a sampling interval."""

    sampling: float
    """Seconds."""
    start: float
    """When the first interval begins, in seconds."""
    backlog: Reals
    """Packets held at the end of the interval."""
    arrivals: Reals
    """Packets that arrived in the interval, dropped ones included."""
    drops: Reals
    """Packets dropped."""
    udp: Reals
    """Packets of UDP flows that arrived: the non-responsive traffic."""
    bytes: Reals
    """Bytes that arrived."""
    recorded: Mapping[str, Reals] = field(default_factory=dict)
    """Shares by run and estimation interval that observers inside the simulator made, by contestant."""
    signals: Reals = field(default_factory=lambda: np.zeros((0, 0)))
    """Packets dropped or marked, by run and estimation interval, as the observer of packets saw it."""

    @property
    def true_share(self) -> Reals:
        """UDP packets of all packets that arrived, by estimation interval; NaN where nothing arrived."""
        return _ratio(by_interval(self.udp), by_interval(self.arrivals))

    @property
    def udp_bytes(self) -> Reals:
        """Bytes of UDP flows that arrived."""
        return PACKET_BYTES * self.udp

    @property
    def drop_rate(self) -> Reals:
        """Packets dropped of all packets that arrived, one value a run."""
        return _ratio(self.drops.sum(axis=1), self.arrivals.sum(axis=1))

    @property
    def times(self) -> Reals:
        """Seconds at the end of each estimation interval."""
        count = self.arrivals.shape[1] // ESTIMATION
        return self.start + self.sampling * ESTIMATION * np.arange(1, count + 1)


def traces_of(case: Case, run: Recording) -> Traces:
    """The traces of one run."""
    series, observed = run.columns("port_series"), run.columns("responsiveness")
    first = first_sample(case)

    def column(name: str) -> Reals:
        found: Reals = series[name].astype(np.float64)[None, first:]
        return found

    def estimates(name: str) -> Reals:
        found: Reals = observed[name].astype(np.float64)[None]
        return found[:, round(first * case.sampling / _interval(case)) :]

    return Traces(
        sampling=case.sampling,
        start=first * case.sampling,
        backlog=column("backlog_packets")[:, 1:],
        arrivals=np.diff(column("packets_arrived")),
        drops=np.diff(column("packets_dropped")),
        udp=np.diff(column("packets_arrived_udp")),
        bytes=np.diff(column("bytes_arrived")),
        recorded={
            "responsiveness": share_or_middle(*map(estimates, ("share", "share_lower", "share_upper")))
        },
        signals=estimates("signals"),
    )


def stacked(runs: Sequence[Traces]) -> Traces:
    """Runs of one case together."""

    def rows(name: str) -> Reals:
        return np.concatenate([getattr(each, name) for each in runs])

    recorded = np.concatenate([each.recorded["responsiveness"] for each in runs])
    counts = ("backlog", "arrivals", "drops", "udp", "bytes", "signals")
    one = runs[0]
    return Traces(
        one.sampling,
        one.start,
        recorded={"responsiveness": recorded},
        **{name: rows(name) for name in counts},
    )


def _interval(case: Case) -> float:
    """Seconds between the observer's estimates."""
    asked = case.network.record.responsiveness
    return ESTIMATION * case.sampling if asked is None else float(asked.interval)


def first_sample(case: Case) -> int:
    """Number of the sample with which the estimator starts: the first at a whole estimation interval from
    0.
    """
    return ESTIMATION * math.ceil(round(case.start / case.sampling) / ESTIMATION)


def by_interval(counts: Reals, length: int = ESTIMATION) -> Reals:
    """Sums over estimation intervals of so many samples; a last one that is not whole is left out."""
    runs, samples = counts.shape
    whole = samples // length
    found: Reals = counts[:, : whole * length].reshape(runs, whole, length).sum(axis=2)
    return found


def mean_square_error(estimates: Reals, truth: Reals) -> Reals:
    """One value a run: ``sum (estimate - actual)^2 / n``. An estimate that is missing counts as no estimate
    of the share at all, which is an error of 1.
    """
    errors = np.where(np.isnan(estimates), 1.0, estimates - truth)
    found: Reals = np.nanmean(errors**2, axis=1)
    return found


def relative_error(estimates: Reals, truth: Reals) -> Reals:
    """One value a run: ``sum (estimate - actual) / sum actual``, over intervals that have an estimate."""
    error = np.where(np.isnan(estimates - truth), 0.0, estimates - truth)
    actual = np.where(np.isnan(estimates - truth), 0.0, truth)
    found: Reals = error.sum(axis=1) / actual.sum(axis=1)
    return found


def _ratio(part: Reals, whole: Reals) -> Reals:
    return np.divide(part, whole, out=np.full_like(whole, np.nan), where=whole > 0)
