"""Pictures of what was recorded: a sheet of a run over time, and means of many runs with their intervals."""

from parshall.recording.pictures.means import plot_metric
from parshall.recording.pictures.notebook import ensemble_html, intervals_html, recording_html
from parshall.recording.pictures.points import Measured, plot_points
from parshall.recording.pictures.sheet import plot_recording
from parshall.recording.pictures.strips import Distribution, Row, Strip, draw_strips

__all__ = [
    "Distribution",
    "Measured",
    "Row",
    "Strip",
    "draw_strips",
    "ensemble_html",
    "intervals_html",
    "plot_metric",
    "plot_points",
    "plot_recording",
    "recording_html",
]
