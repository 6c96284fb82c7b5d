"""Recordings of runs: their tables, views of flows and ports, summaries and pictures."""

from parshall.recording.qlog import merge_qlogs
from parshall.recording.recording import Recording

__all__ = ["Recording", "merge_qlogs"]
