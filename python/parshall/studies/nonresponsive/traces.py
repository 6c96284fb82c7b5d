"""What a router saw in each sampling interval of a run, and the true share in each estimation interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from parshall.columns import values
from parshall.studies.nonresponsive.networks import ESTIMATION, PACKET_BYTES

if TYPE_CHECKING:
    from parshall.ensemble import Ensemble
    from parshall.studies.nonresponsive.cases import Case

__all__ = ["RECORDED", "Reals", "Traces", "by_interval", "first_sample", "read_traces"]

Reals: TypeAlias = NDArray[np.float64]

RECORDED = ("port_series", "responsiveness")
"""Tables of a run that traces are made of."""


@dataclass(frozen=True)
class Traces:
    """Runs of a case, from the estimator's start on: one row a seed, one column a sampling interval."""

    seeds: tuple[int, ...]
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


def read_traces(ensemble: Ensemble, case: Case, seeds: Sequence[int]) -> Traces:
    """The traces of one case; the ensemble has the tables :data:`RECORDED`."""
    series = ensemble.table("port_series")
    rows = series.filter(pc.field("variant") == case.name)
    shape = (len(seeds), rows.num_rows // len(seeds))
    first = first_sample(case)

    def column(name: str) -> Reals:
        return values(rows[name]).astype(np.float64).reshape(shape)[:, first:]

    def counts(name: str) -> Reals:
        return np.diff(column(name), axis=1)

    return Traces(
        seeds=tuple(seeds),
        sampling=case.sampling,
        start=first * case.sampling,
        backlog=column("backlog_packets")[:, 1:],
        arrivals=counts("packets_arrived"),
        drops=counts("packets_dropped"),
        udp=counts("packets_arrived_udp"),
        bytes=counts("bytes_arrived"),
        recorded={"responsiveness": _responsiveness(ensemble, case, seeds, "share")},
        signals=_responsiveness(ensemble, case, seeds, "signals"),
    )


def _responsiveness(ensemble: Ensemble, case: Case, seeds: Sequence[int], column: str) -> Reals:
    """A column of the observer of packets, from the estimator's start on."""
    rows = ensemble.table("responsiveness").filter(pc.field("variant") == case.name)
    found: Reals = values(rows[column]).astype(np.float64).reshape(len(seeds), -1)
    return found[:, round(first_sample(case) * case.sampling / _interval(case)) :]


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


def _ratio(part: Reals, whole: Reals) -> Reals:
    return np.divide(part, whole, out=np.full_like(whole, np.nan), where=whole > 0)
