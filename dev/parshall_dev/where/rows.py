"""The rows of the table: every estimator, filter, forecaster, meter, marker and control that the crates have.

Registries of the crates name most of them. The others are public types of ``crates/estimators``, each with
its name in Python; :func:`left_out` tells which streaming type has no row, so that none is forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from parshall_dev.where import rust

__all__ = ["CONTROLS", "TIMEOUTS", "Row", "kebab", "left_out", "rows"]

TIMEOUTS = "Retransmission timeouts"
FORECASTERS = "Forecasters"
AROUND = "Around forecasters"
FILTERS = "Means and medians"
SHARE = "Traffic that does not respond"
METERS = "Meters and markers"
SENDER = "What a sender or a router sees"
SERIES = "A whole series"
CONTROLS = "Congestion controls"


@dataclass(frozen=True)
class Row:
    """Something that runs somewhere."""

    group: str
    rust: str
    """Path in its crate."""
    types: tuple[str, ...]
    """Names by which other crates take it: itself, or the choice that it is one of."""
    python: str = ""
    """Name in Python, or a call; empty where there is none."""
    kind: str = ""
    """Name in a scenario, as TOML; empty where there is none."""

    @property
    def name(self) -> str:
        """Name in the table's first column: the class in Python, or the type in Rust."""
        called, own = self.python.rpartition(".")[2], self.rust.rpartition("::")[2]
        return called if called[:1].isupper() and called != "Forecaster" else own


_SINGLE = (
    (TIMEOUTS, "QuicPto", ""),
    (AROUND, "PredictionInterval", "forecast.Forecaster"),
    (AROUND, "Blend", ""),
    (FILTERS, "Ewma", "EwmaFilter"),
    (FILTERS, "SlidingMedian", "SlidingMedian"),
    (FILTERS, "SlidingMad", "SlidingMad"),
    (FILTERS, "RecursiveWeightedMedian", ""),
    (SHARE, "Estmred", ""),
    (SHARE, "Responsiveness", "Responsiveness"),
    (SHARE, "Treatment", "Treatment"),
    (SHARE, "UdpCounter", "UdpCounter"),
    (SHARE, "Alarm", "Alarm"),
    (SENDER, "ThroughputSampler", "ThroughputSampler"),
    (SENDER, "PacketPair", "PacketPair"),
    (SENDER, "Midpath", ""),
    (SERIES, "HurstEstimator", "long_memory.hurst"),
    (SERIES, "LocalWhittle", ""),
    (SERIES, "LevelShifts", "long_memory.level_shifts"),
    (SERIES, "Fitter", "forecast.fit"),
)
"""Types that no registry names: group, type, and what Python calls it."""

_NO_ROW = {
    "Aggregate": "sums samples of a series, for others",
    "AnyMeter": "any of the meters",
    "Counters": "turns readings of counters into samples",
    "Estimator": "runs the methods of a queue's model",
    "ForecastRto": "another name of ArimaRto",
    "Generator": "makes paths",
    "Lmmse": "the prediction inside of the forecaster of that name",
    "RtoTimer": "the rules around any filter",
    "ShiftDetector": "a part of Mixture",
}
"""Streaming types without a row of their own, and what they are."""


def kebab(name: str) -> str:
    """Name of a variant or module as a scenario has it."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower().replace("_", "-")


@cache
def rows() -> tuple[Row, ...]:
    """All rows, group by group."""
    order = (TIMEOUTS, FORECASTERS, AROUND, FILTERS, SHARE, METERS, SENDER, SERIES, CONTROLS)
    found = [*_timeouts(), *_forecasters(), *_methods(), *_meters(), *_single(), *_controls()]
    return tuple(sorted(found, key=lambda row: order.index(row.group)))


def left_out() -> set[str]:
    """Streaming types of the crate that are in no row."""
    there = {row.rust.rpartition("::")[2] for row in rows()} | set(_NO_ROW)
    for macro in ("any_rto", "any_forecaster"):
        there |= {of for _, of in rust.macro_entries("estimators", macro)}
    return rust.streaming_types() - there - set(_meter_types())


def _timeouts() -> Iterator[Row]:
    from parshall import estimators

    kinds = rust.variants("estimators", "RtoConfig")
    for variant, of in rust.macro_entries("estimators", "any_rto"):
        plain = variant.removesuffix("Mad")
        python = f"{plain}Rto" if hasattr(estimators, f"{plain}Rto") else ""
        kind = f'kind = "{kebab(plain)}"' if plain in kinds else ""
        if plain != variant:  # the same name with an option
            python, kind = python and f'{python}(deviation="mad")', kind and f'{kind}, deviation = "mad"'
        yield Row(TIMEOUTS, f"rto::{of}", ("AnyRto", "RtoConfig"), python, kind)


def _forecasters() -> Iterator[Row]:
    from parshall import forecast

    for variant in rust.variants("estimators", "ForecasterConfig"):
        python = f"forecast.{variant}" if hasattr(forecast, variant) else ""
        named = f"forecast::ForecasterConfig::{variant}"
        yield Row(
            FORECASTERS, named, ("AnyForecaster", "ForecasterConfig"), python, f'kind = "{kebab(variant)}"'
        )


def _methods() -> Iterator[Row]:
    from parshall import estimators

    for variant in rust.variants("scenario", "ShareMethod"):
        python = f"Nonresponsive{variant}" if hasattr(estimators, f"Nonresponsive{variant}") else ""
        known = variant in rust.methods()
        of = "Estimator" if known else f"{variant}Estimator"
        named = f"nonresponsive::Method::{variant}" if known else f"nonresponsive::{of}"
        yield Row(SHARE, named, (of,), python, f'kind = "{kebab(variant)}"')


def _meters() -> Iterator[Row]:
    for variant in rust.variants("estimators", "MeterConfig"):
        named = f"meter::MeterConfig::{variant}"
        yield Row(METERS, named, ("AnyMeter", "MeterConfig"), kind=f'kind = "{kebab(variant)}"')


def _meter_types() -> list[str]:
    return [of for _, of in rust.enum_entries("estimators", "AnyMeter")]


def _single() -> Iterator[Row]:
    for group, of, python in _SINGLE:
        yield Row(group, rust.public_types()[of], (of,), python)


def _controls() -> Iterator[Row]:
    for module, of in rust.macro_entries("control", "controls"):
        yield Row(CONTROLS, f"{module}::{of}", (of,), kind=f'kind = "{kebab(module)}"')
