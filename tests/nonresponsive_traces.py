"""Traces of no network, and a workbench whose runs they are, for tests of the study nonresponsive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from parshall_studies.nonresponsive import networks
from parshall_studies.nonresponsive.cases import Case
from parshall_studies.nonresponsive.contestants import contestant
from parshall_studies.nonresponsive.networks import ESTIMATION
from parshall_studies.nonresponsive.traces import Traces
from parshall_studies.nonresponsive.tuned import Entry
from parshall_studies.study.bench import tables_of


def made_traces(*, share: float = 0.7, runs: int = 3, samples: int = 200, seed: int = 5) -> Traces:
    """Traces of no network: 120 packets an interval, of which ``share`` are UDP."""
    rng = np.random.default_rng(seed)
    shape = (runs, samples)
    arrivals = np.full(shape, 120.0)
    return Traces(
        sampling=0.033,
        start=100.0,
        backlog=rng.uniform(5, 55, shape),
        arrivals=arrivals,
        drops=rng.poisson(7.0, shape).astype(float),
        udp=share * arrivals,
        bytes=1000 * arrivals,
        recorded={"responsiveness": rng.uniform(0, 1, (runs, samples // ESTIMATION))},
        signals=rng.poisson(2.0, (runs, samples // ESTIMATION)).astype(float),
    )


def entry_of(name: str, kind: str = "none", settings: Mapping[str, float] | None = None) -> Entry:
    return Entry(contestant(name), settings or {}, kind, "", float("nan"))


@dataclass
class Seen:
    """A workbench whose runs are traces: one of each seed, in every variant."""

    runs: Sequence[Traces]

    def measure(
        self, what: str, variants: Iterable[Any], function: Any, *, dims: Sequence[str], tables: Sequence[str]
    ) -> dict[str, pa.Table]:
        found = {variant: [function(variant, each) for each in self.runs] for variant in variants}
        return tables_of(found, dims, range(1, len(self.runs) + 1))


def short_case(**options: Any) -> Case:
    """8 s of 5 TCP and 3 CBR flows at 4 Mbit/s; the estimator starts at 2 s."""
    network = networks.single(
        [networks.responsive(5), networks.cbr(3)], rate=4e6, duration=8.0, sampling=0.033, **options
    )
    return Case("small", "small", network, delay=0.1, rate=4e6, start=2.0)
