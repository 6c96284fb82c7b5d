"""Which RTO filter delivers more? The same seeds for each, so that differences can be paired."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import parshall
from parshall import JacobsonRtoConfig, MedianRtoConfig
from parshall.stats import difference_interval

scenario = parshall.load(Path(__file__).parent / "on_off_dumbbell.toml").replace("duration", "20 s")
variants = {
    "mean": scenario.replace("flows[*].transport.rto", JacobsonRtoConfig()),
    "median of 5": scenario.replace("flows[*].transport.rto", MedianRtoConfig(window=5)),
    "median of 9": scenario.replace("flows[*].transport.rto", MedianRtoConfig(window=9)),
}
seeds = range(1, 21)
ensemble = parshall.run_many(variants, seeds)  # a second call reads the cache

flows = ensemble.table("flows").select(["variant", "seed", "bytes_delivered"])
totals = flows.group_by(["variant", "seed"], use_threads=False).aggregate([("bytes_delivered", "sum")])
goodput = np.array(totals["bytes_delivered_sum"]).reshape(len(variants), len(seeds)) * 8 / scenario.duration
for name, own in zip(variants, goodput, strict=True):
    difference = difference_interval(own, goodput[0])
    error = difference.half_width / 1e3
    print(f"{name:12} {difference.mean / 1e3:+8.2f} kbit/s against the mean filter, +/- {error:.2f}")
