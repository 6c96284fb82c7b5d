"""Laws that a simulator must obey, in closed form.

    from parshall.theory import padhye_send_rate
    padhye_send_rate(0.01, rtt=0.1, timeout=0.4, acked=2)

docs/theory.md has measurements of this one beside them.
"""

from __future__ import annotations

from parshall.theory.prediction import farima_autocorrelation, fgn_autocorrelation, prediction_error
from parshall.theory.queue_laws import (
    little_backlog,
    md1_wait,
    mm1_wait,
    pollaczek_khinchine_wait,
)
from parshall.theory.red_law import red_drop_rate, red_mean_gap, red_probability, replayed_drop_rate
from parshall.theory.tcp_laws import (
    padhye_send_rate,
    periodic_loss_window,
    random_loss_constant,
    random_loss_window,
)
from parshall.theory.wrong_predictions import PredictionErrorLaw, prediction_error_model

__all__ = [
    "PredictionErrorLaw",
    "farima_autocorrelation",
    "fgn_autocorrelation",
    "little_backlog",
    "md1_wait",
    "mm1_wait",
    "padhye_send_rate",
    "periodic_loss_window",
    "pollaczek_khinchine_wait",
    "prediction_error",
    "prediction_error_model",
    "random_loss_constant",
    "random_loss_window",
    "red_drop_rate",
    "red_mean_gap",
    "red_probability",
    "replayed_drop_rate",
]
