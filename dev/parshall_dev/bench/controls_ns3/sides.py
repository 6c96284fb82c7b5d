"""A run of either side, as the same few outcomes."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import parshall
from parshall.stats import jain
from parshall.support.files import write_file
from parshall_dev.bench.compiled import BUILT
from parshall_dev.bench.controls_ns3.settings import Setting
from parshall_dev.bench.ns3_builds import Ns3Build
from parshall_dev.bench.process import ProcessError, run

__all__ = ["OUTCOMES", "Ns3Controls", "Outcome", "Pair", "compare", "ours", "parse"]


OUTCOMES = {
    "goodput": "goodput, Mbit/s",
    "wait": "mean queueing delay, ms",
    "dropped": "dropped, %",
    "marked": "marked, %",
    "fairness": "Jain's index",
}

Outcome = dict[str, float]
"""A value for each key of OUTCOMES."""


def _outcome(rates: Sequence[float], wait: float, dropped: int, marked: int, departed: int) -> Outcome:
    """From each flow's goodput in bit/s, the mean wait in seconds, and counts of packets."""
    return {
        "goodput": 1e-6 * sum(rates),
        "wait": 1e3 * wait,
        "dropped": 100 * dropped / (dropped + departed),
        "marked": 100 * marked / departed,
        "fairness": jain(rates),
    }


def ours(setting: Setting, seed: int) -> Outcome:
    """One run of ours."""
    recording = parshall.run(setting.scenario(seed), seed=seed)
    port = recording.port("bottleneck")
    counted = setting.seconds - setting.warm_up
    # Ours is measured to the end of the transmission.
    transmission = 8 * port.bytes_departed / port.packets_departed / setting.rate
    return _outcome(
        [8 * recording.flow(name).bytes_delivered / counted for name in recording.flows],
        port.mean_delay - transmission,
        port.packets_dropped,
        port.packets_marked,
        port.packets_departed,
    )


def parse(output: str, setting: Setting) -> Outcome:
    """The line that ns-3's program prints. Raises ProcessError when it is not there or not whole."""
    for line in output.splitlines():
        if line.startswith("RESULT "):
            words = line.split()[1:]
            at = words.index("bytes") if "bytes" in words else len(words)
            try:
                found = dict(zip(words[:at:2], map(float, words[1:at:2]), strict=True))
                counts = [int(found[name]) for name in ("dropped", "marked", "started")]
                counted = setting.seconds - setting.warm_up
                rates = [8 * int(word) / counted for word in words[at + 1 :]]
                if len(rates) == setting.flows:
                    return _outcome(rates, found["wait"], *counts)
            except (KeyError, ValueError):
                pass
    raise ProcessError(f"no whole line RESULT for {setting.title} in {output.strip()[-200:]!r}")


class Ns3Controls:
    """The side of one build of ns-3."""

    def __init__(self, build: Ns3Build) -> None:
        """Compiles the program. Raises Missing."""
        self.name = build.name
        source = Path(__file__).with_name("dumbbell.cc")
        self._program = build.program(source, "ns3-controls")
        self._source = source.read_bytes() + (source.parents[1] / "ns3" / "bottleneck.h").read_bytes()

    def outcome(self, setting: Setting, seed: int) -> Outcome:
        """One run, whose output is kept: a build says the same again. Raises ProcessError."""
        words = [f"--{name}={value}" for name, value in setting.options(seed).items()]
        key = hashlib.sha256("\0".join([self.name, *words]).encode() + self._source).hexdigest()[:24]
        kept = BUILT / "runs" / f"{key}.txt"
        if kept.is_file():
            return parse(kept.read_text(encoding="utf-8"), setting)
        output = run([str(self._program), *words]).output
        found = parse(output, setting)
        write_file(kept, output)
        return found


@dataclass(frozen=True)
class Pair:
    """Outcomes of a setting, ours and a peer's for each seed, which have only the start times in common."""

    setting: Setting
    ours: list[Outcome]
    theirs: list[Outcome]
    peer: str
    """Name of the peer with its version."""

    def means(self, key: str) -> tuple[float, float]:
        """Means of ours and of the peer's."""
        mine, theirs = (np.mean([outcome[key] for outcome in side]) for side in (self.ours, self.theirs))
        return float(mine), float(theirs)

    def difference(self, key: str) -> tuple[float, float]:
        """Ours less the peer's in percent of the peer's mean, and half of its 95 % interval (Welch)."""
        mine, theirs = (np.array([outcome[key] for outcome in side]) for side in (self.ours, self.theirs))
        scale = 100 / float(theirs.mean())
        return scale * float(mine.mean() - theirs.mean()), scale * _half_width(mine, theirs)


def _half_width(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Half of the 95 % interval of the difference of two means (Welch). By hand, because SciPy warns where
    all seeds of a side come to the same.
    """
    parts = [float(values.var(ddof=1)) / len(values) for values in (first, second)]
    if sum(parts) == 0:
        return 0.0
    squares = sum(part**2 / (len(values) - 1) for part, values in zip(parts, (first, second), strict=True))
    return float(stats.t.ppf(0.975, sum(parts) ** 2 / squares)) * math.sqrt(sum(parts))


def compare(
    setting: Setting, seeds: Sequence[int], peers: Sequence[Ns3Controls], say: Callable[[str], None]
) -> list[Pair]:
    """Runs a setting here and with each peer. Raises ProcessError."""
    say(f"{setting.control}, {setting.title}, ours")
    mine = [ours(setting, seed) for seed in seeds]
    pairs = []
    for peer in peers:
        say(f"{setting.control}, {setting.title}, {peer.name}")
        pairs.append(Pair(setting, mine, [peer.outcome(setting, seed) for seed in seeds], peer.name))
    return pairs
