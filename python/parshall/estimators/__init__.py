"""Estimators of retransmission timeouts, medians, means and the share of traffic that does not respond to
congestion, on one sample or on a whole array.

Every estimator has ``update(sample)``, which takes in one sample and returns the value after it, and
``run(samples)``, which does the same for an array and returns an array; both go on where the last call
ended, and ``reset()`` forgets everything. Copies and pickles go on by themselves, and the arguments that an
estimator was made with are its attributes (:class:`Estimator`). Estimators of non-responsive traffic take
their samples by name and have a value after every so many (:class:`NonresponsiveEstimator`). Times are
seconds. A value that does not exist yet is ``None``, and NaN in an array.

The work is done by the Rust crate ``parshall-estimators``, on which the simulator stands, too. ``run`` works
without the GIL, so several threads can each run an estimator of their own; an estimator that is shared
between threads refuses a second call while one is under way.

>>> rto = MedianRto(window=5, min_rto=0.2)
>>> rto.update(0.5)
1.5
>>> rto.run([0.5, 0.5, 3.0])
array([1.25    , 1.0625  , 3.421875])
"""

from __future__ import annotations

from parshall.estimators.alarm import Alarm
from parshall.estimators.base import Estimator
from parshall.estimators.filters import EwmaFilter, SlidingMad, SlidingMedian
from parshall.estimators.nonresponsive import (
    NonresponsiveEstimate,
    NonresponsiveEstimator,
    NonresponsiveFixedPoint,
    NonresponsiveKaczmarz,
    NonresponsiveKalman,
    NonresponsiveRls,
    NonresponsiveSeries,
    NonresponsiveSettings,
    Quality,
)
from parshall.estimators.responsiveness import (
    FlowLabel,
    Responsiveness,
    ResponsivenessEstimate,
    ResponsivenessQuality,
    ResponsivenessSeries,
)
from parshall.estimators.rto import RtoEstimator, RtoRules, RtoSeries
from parshall.estimators.rto_costs import RtoCosts, evaluate_rto
from parshall.estimators.rto_filters import (
    ArimaRto,
    JacobsonRto,
    JacobsonTicksRto,
    LinuxRto,
    MedianRto,
    QuantileRto,
    WeightedMedianRto,
)
from parshall.estimators.sender import (
    CapacityQuality,
    CapacitySeries,
    PacketPair,
    PathCapacity,
    ThroughputSampler,
    ThroughputSeries,
)
from parshall.estimators.treatment import Treatment, TreatmentOutcome
from parshall.estimators.udp_counter import UdpCounter, UdpSeries, UdpShare, counter_differences

__all__ = [
    "Alarm",
    "ArimaRto",
    "CapacityQuality",
    "CapacitySeries",
    "Estimator",
    "EwmaFilter",
    "FlowLabel",
    "JacobsonRto",
    "JacobsonTicksRto",
    "LinuxRto",
    "MedianRto",
    "NonresponsiveEstimate",
    "NonresponsiveEstimator",
    "NonresponsiveFixedPoint",
    "NonresponsiveKaczmarz",
    "NonresponsiveKalman",
    "NonresponsiveRls",
    "NonresponsiveSeries",
    "NonresponsiveSettings",
    "PacketPair",
    "PathCapacity",
    "Quality",
    "QuantileRto",
    "Responsiveness",
    "ResponsivenessEstimate",
    "ResponsivenessQuality",
    "ResponsivenessSeries",
    "RtoCosts",
    "RtoEstimator",
    "RtoRules",
    "RtoSeries",
    "SlidingMad",
    "SlidingMedian",
    "ThroughputSampler",
    "ThroughputSeries",
    "Treatment",
    "TreatmentOutcome",
    "UdpCounter",
    "UdpSeries",
    "UdpShare",
    "WeightedMedianRto",
    "counter_differences",
    "evaluate_rto",
]
