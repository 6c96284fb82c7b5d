"""Congestion controls that decide on a forecast: of the next round trip, or of the next throughput."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator
from typing_extensions import Self

from parshall.errors import InputError, shown
from parshall.scenario.base import Model
from parshall.scenario.forecaster import HE_2002, JEYASEKAR_2014, LAST_VALUE, AnyForecaster
from parshall.scenario.quantities import (
    ABSENT,
    Flag,
    MaybeRate,
    NotNegative,
    Part,
    PartOrZero,
    Positive,
    Share,
    Window,
)

__all__ = ["ArimaVegas", "Dual", "TcpTp", "check_order"]


def check_order(alpha: float, beta: float) -> None:
    """Refuses bounds of a backlog that are in the wrong order."""
    if beta < alpha:
        raise InputError("beta", shown(beta), f"at least alpha, {alpha:g}")


class ArimaVegas(Model):
    """CA-ARTT: Vegas that decides on a forecast of its next round trip. With ``ARTT`` for the forecast,
    ``RTT`` for the mean of the last round and ``baseRTT`` for the least, the backlog is ``N = (cwnd / ARTT -
    cwnd / RTT) (ARTT - baseRTT)`` packets (Jeyasekar et al. 2014, eq. 33). The last sample stands for a
    forecast that is not above 0. Slow start, of which they say nothing, is Vegas's, with N for the backlog
    or its own.
    """

    kind: Literal["arima-vegas"] = "arima-vegas"
    """Names this control."""
    alpha: NotNegative = 1.0
    """Backlog below which the window grows by a packet a round trip."""
    beta: NotNegative = 3.0
    """Backlog above which it shrinks by one; at least alpha."""
    gamma: NotNegative = 1.0
    """Backlog above which slow start ends."""
    forecaster: AnyForecaster = JEYASEKAR_2014
    """What forecasts the next round trip, in seconds, from that of each ACK of new data."""
    decide: Literal["round", "ack"] = "round"
    """When it decides: once a round trip, as Vegas does, or with each ACK of new data, as the document's
    algorithm reads."""
    slow_start: Literal["forecast", "stock"] = "forecast"
    """Which backlog ends slow start: N, or that of stock Vegas."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        check_order(self.alpha, self.beta)
        return self


class Dual(Model):
    """DUAL: AIMD that also backs off where it expects a round trip in the upper part of those it has seen
    (Wang and Crowcroft 1992), with any forecaster of the next one. Between ``least`` and ``greatest``, the
    limit is ``least + threshold (greatest - least)``. Slow start is that of AIMD: its overshoot is what shows
    how long round trips can be.
    """

    kind: Literal["dual"] = "dual"
    """Names this control."""
    threshold: PartOrZero = 0.5
    """Where the limit lies between the least and the greatest round trip, from 0 to below 1."""
    beta: Part = 0.875
    """What is left of the window above it, or, in proportion, where the greatest round trip is expected."""
    backoff: Literal["constant", "proportional"] = "constant"
    """By how much the window shrinks: always by the same part, or by more the higher the expected round trip
    is above the limit."""
    rounds: Window = 2
    """It looks once in so many round trips."""
    forecaster: AnyForecaster = LAST_VALUE
    """What forecasts the mean of the next round trip, in seconds, from those of the last ones."""


class TcpTp(Model):
    """TCP-TP: jumps to the share of the link that a forecast of its own throughput ``f`` implies, for
    ``N = ceil(C / f)`` connections: ``cwnd = C RTT / N`` (He et al. 2002, eq. 10 and 11). Slow start and what
    a loss leaves are those of AIMD, and so is the increase while there is no forecast.
    """

    kind: Literal["tcp-tp"] = "tcp-tp"
    """Names this control."""
    capacity: MaybeRate = ABSENT
    """C, the rate of the bottleneck with all headers; packet pairs measure it if it is not given."""
    interval: Positive = 1.0
    """Measurement interval, in smoothed round-trip times."""
    gain: Share = 0.5
    """alpha, the weight of the newest interval in the sampled throughput."""
    samples: Window = 20
    """How many intervals are measured before the rule applies."""
    forecaster: AnyForecaster = HE_2002
    """What forecasts the throughput of the next interval, in packets a second."""
    rounding: Literal["up", "nearest", "down"] = "up"
    """What makes N whole: up as printed, to the nearest, or down to one at least."""
    rtt: Literal["smoothed", "least"] = "smoothed"
    """Which round trip the window is for: the smoothed one, or the least so far."""
    decide: Literal["interval", "ack"] = "interval"
    """How often the window is set: with each new forecast, or with each ACK by the last one."""
    slow_start_again: Flag = True
    """Whether a window that is set below ssthresh opens by slow start again, as in a TCP whose increase alone
    is changed. If not, ssthresh comes down with it."""
