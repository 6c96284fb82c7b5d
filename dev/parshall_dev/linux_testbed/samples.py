"""Samples of a bottleneck, of the kernel or of the simulator, and the shares of
non-responsive traffic that follow: measured, and estimated by the module's arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from parshall_dev.linux_testbed import settings as testbed

if TYPE_CHECKING:
    from parshall.estimators import NonresponsiveSeries

Reals: TypeAlias = NDArray[np.float64]

_WARM_UP = 1
"""Estimation intervals that are left out at the start: the module's first one begins when it is told to."""


@dataclass(frozen=True)
class Samples:
    """One entry a sampling interval."""

    rate: float
    """Bit/s of the bottleneck."""
    time: Reals
    """Seconds at its end."""
    backlog: Reals
    """Bytes held at its end."""
    arrived: Reals
    """Bytes that arrived, dropped ones included."""
    deaf: Reals
    """Those of UDP and of the Web: what counts as non-responsive (III.C)."""
    packets: Reals
    """Packets that arrived."""
    drops: Reals
    """Packets dropped."""
    delays: float = 1.0
    """Scale of the round trip, and of the intervals that are a part of it."""

    def since(self, start: float) -> Samples:
        """From an instant on, in seconds."""
        kept = self.time > start + 1e-6
        columns = ("time", "backlog", "arrived", "deaf", "packets", "drops")
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})

    @property
    def drop_rate(self) -> float:
        """Share of dropped packets, in %."""
        return 100 * float(self.drops.sum() / self.packets.sum())

    @property
    def share(self) -> float:
        """Share of non-responsive bytes, over all of the time."""
        return float(self.deaf.sum() / self.arrived.sum())

    @property
    def mean_backlog(self) -> float:
        """In kB of 1000 bytes."""
        return float(self.backlog.mean()) / 1000

    @property
    def load(self) -> float:
        """Bytes that were not dropped, as a part of what the link carries."""
        seconds = testbed.SAMPLING * self.delays * len(self.time)
        accepted = self.arrived.sum() * (1 - self.drop_rate / 100)
        return float(8 * accepted / (self.rate * seconds))

    def shares(self, gains: Gains, alpha: float) -> Shares:
        """Measured and estimated by interval, filtered alike."""
        found = self._estimates(gains, testbed.MEAN_PACKET)
        count = len(found.share)
        ends = testbed.ESTIMATION * np.arange(1, count + 1) - 1
        deaf, arrived = (_sums(of, count) for of in (self.deaf, self.arrived))
        # What is not a share is no estimate; the module's average then stays where it was.
        told = np.isfinite(found.share)
        estimated = filtered(np.where(told, found.share * arrived, 0.0), np.where(told, arrived, 0.0), alpha)
        kept = slice(_WARM_UP, None)
        return Shares(self.time[ends][kept], filtered(deaf, arrived, alpha)[kept], estimated[kept])

    def saturated(self, gains: Gains, unit: float) -> int:
        """Number of estimates in whose arithmetic a number did not fit, with so many bytes as the unit."""
        from parshall.estimators import Quality

        return int(np.count_nonzero(self._estimates(gains, unit).flags & Quality.SATURATED))

    def _estimates(self, gains: Gains, unit: float) -> NonresponsiveSeries:
        """By the module's arithmetic, which counts in units of so many bytes."""
        from parshall.estimators import NonresponsiveFixedPoint

        sampling = testbed.SAMPLING * self.delays
        scale = self.delays * testbed.MEAN_PACKET / unit
        estimator = NonresponsiveFixedPoint(
            self.rate / (8 * unit),
            2 * testbed.ONE_WAY * self.delays,
            sampling,
            tick_ms=round(1000 * sampling),
            mean_packet_bytes=round(unit),
            zero_drops_after=testbed.PZTHD,
            estimation_samples=testbed.ESTIMATION,
            backlog_alpha=testbed.BACKLOG_ALPHA,
            signal_alpha=testbed.SIGNAL_ALPHA,
            gamma1=gains.gamma1,
            gamma2=gains.gamma2,
            start_z0=scale * gains.start_load(self.rate),
            start_n_s=scale * gains.start_flows(self.rate),
        )
        mean_size = self.arrived.sum() / self.packets.sum()
        return estimator.run(
            backlog=self.backlog / unit,
            arrivals=self.arrived / unit,
            drops=self.drops * mean_size / unit,
        )


@dataclass(frozen=True)
class Gains:
    """Result of tuning."""

    gamma1: float
    gamma2: float
    share: float
    """Start value of the share that does not respond."""
    window: float
    """Start value of the window of a flow that does, in packets."""

    def start_load(self, rate: float) -> float:
        """Packets of responsive flows in a round trip at a link of so many bit/s."""
        return (1 - self.share) * rate / (8 * testbed.MEAN_PACKET) * 2 * testbed.ONE_WAY

    def start_flows(self, rate: float) -> float:
        """Number of responsive flows."""
        return self.start_load(rate) / self.window

    def options(self, rate: float) -> Mapping[str, float]:
        """As tc wants them."""
        return {
            "gamma1": self.gamma1,
            "gamma2": self.gamma2,
            "start-load": self.start_load(rate),
            "start-flows": self.start_flows(rate),
        }


PRINTED = Gains(5.0, 0.45, 0.5, 6.3)
"""Gains of Chapter II; III prints none. Start values are not printed: half of the capacity, in windows of a
drop probability of 5 %."""


@dataclass(frozen=True)
class Shares:
    """Shares of non-responsive traffic, an entry an estimation interval."""

    time: Reals
    """Seconds at its end."""
    measured: Reals
    estimated: Reals

    @property
    def mean_square_error(self) -> float:
        """Chapter II's ``sum (estimate - actual)^2 / n``; what is missing counts as an error of 1."""
        errors = np.where(np.isnan(self.estimated), 1.0, self.estimated - self.measured)
        return float(np.mean(errors**2))


def filtered(part: Reals, whole: Reals, alpha: float) -> Reals:
    """The ratio of the two, each filtered from one interval to the next, as the module does: the mean of
    single ratios would be biased, for what stands below fluctuates.
    """
    above, below = _smooth(part, alpha), _smooth(whole, alpha)
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def _smooth(of: Reals, alpha: float) -> Reals:
    from scipy.signal import lfilter

    start = [alpha * of[0]] if len(of) else [0.0]
    found: Reals = lfilter([1 - alpha], [1.0, -alpha], of, zi=start)[0]
    return found


def _sums(of: Reals, count: int) -> Reals:
    found: Reals = of[: count * testbed.ESTIMATION].reshape(count, testbed.ESTIMATION).sum(axis=1)
    return found
