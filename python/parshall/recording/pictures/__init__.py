"""Pictures of what was recorded: a sheet of a run over time, and means of many runs with their intervals."""

from parshall.recording.pictures.means import plot_metric
from parshall.recording.pictures.sheet import plot_recording

__all__ = ["plot_metric", "plot_recording"]
