"""The library's estimators on the series of a capture: forecasts of round trips, the Hurst parameter of the
traffic, the capacity of the path by packet pairs, and the rate of delivery.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.errors import InputError, shown
from parshall.estimators import CapacityQuality, PacketPair
from parshall.forecast import evaluate
from parshall.long_memory import hurst

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.capture.reading import Capture
    from parshall.forecast import Evaluation
    from parshall.long_memory import HurstEstimate
    from parshall.long_memory.estimates import Method

__all__ = ["Delivery", "deliveries", "forecasts", "traffic_hurst"]

_FEWEST_RTTS = 100
"""Fewer are no series: a tenth of them is not scored."""

_FEWEST_PAIRS = 20
_DOUBT = CapacityQuality.CLOSE_MODES | CapacityQuality.BELOW_THROUGHPUT | CapacityQuality.THIN_REVERSE_PATH
"""Reasons for which no capacity is given."""

_FEWEST_INTERVALS = 512


@dataclass(frozen=True)
class Delivery:
    """Rate at which the data of a direction of a connection arrived, by the ACKs that passed."""

    connection: int
    direction: str
    rate: float
    """Median over the ACKs of the bytes that were acknowledged within a round trip, in bit/s."""
    rate_p95: float
    """95th percentile of the same."""
    window: float
    """Median of the bytes in flight before an ACK: near the sender and where nothing else limits it, its
    congestion window."""
    idle: float
    """Time between two sends with nothing in flight, in seconds: the application had nothing to send."""
    seconds: float
    """Time from the first of these ACKs to the last."""
    capacity: float | None
    """Capacity of the path in bit/s of payload, by packet pairs; none where too few ACKs tell it."""
    pairs: int
    """Pairs that it rests on."""


@dataclass(frozen=True)
class _Acks:
    """The ACKs of a direction that made samples by data and ACK."""

    time: NDArray[Any]
    """Seconds since the first of them."""
    rtt: NDArray[Any]
    acked: NDArray[Any]
    until: NDArray[Any]
    flight: NDArray[Any]


def _directions(capture: Capture, least: int) -> Iterator[tuple[Mapping[str, Any], str, _Acks]]:
    """Directions with so many samples by data and ACK."""
    import pyarrow.compute as pc

    rows = capture.samples.filter(pc.equal(capture.samples["method"], "seq"))
    rows = rows.sort_by([(name, "ascending") for name in ("connection", "direction", "time_ns", "frame")])
    forward = np.asarray(pc.equal(rows["direction"], "f"))
    keys = 2 * np.asarray(rows["connection"], np.int64) + forward
    times = np.asarray(rows["time_ns"])
    columns = [np.asarray(rows[name]) for name in ("rtt", "acked", "until", "in_flight")]
    for row in capture.connections.to_pylist():
        for way in ("f", "b"):
            if row[f"rtt_seq_samples_{way}"] >= least:
                key = 2 * row["connection"] + (way == "f")
                start, stop = np.searchsorted(keys, [key, key + 1])
                # There may be more samples than are kept.
                if stop - start >= least:
                    # Seconds since 1970 would be too coarse for pairs of packets.
                    since = (times[start:stop] - times[start]) / 1e9
                    yield row, way, _Acks(since, *(column[start:stop] for column in columns))


def forecasts(capture: Capture) -> dict[tuple[int, str], Evaluation]:
    """Every forecaster of :data:`parshall.forecast.DEFAULT_MODELS` on the round trips of each direction with
    at least 100 of them, by connection and direction.
    """
    return {
        (row["connection"], way): evaluate(acks.rtt, times=acks.time)
        for row, way, acks in _directions(capture, _FEWEST_RTTS)
    }


def traffic_hurst(capture: Capture, method: Method = "local-whittle") -> HurstEstimate:
    """Hurst parameter of the bytes per interval of the capture. Raises InputError if that is too short."""
    counts = np.asarray(capture.traffic["bytes"], float)
    if len(counts) < _FEWEST_INTERVALS:
        raise InputError(
            "capture",
            f"{shown(capture.name)} of {len(counts)} ms",
            f"{_FEWEST_INTERVALS} ms of traffic or more",
        )
    return hurst(counts, method)


def deliveries(capture: Capture) -> list[Delivery]:
    """Rates of delivery of every direction with at least 20 samples by data and ACK."""
    return [_delivery(row, way, acks) for row, way, acks in _directions(capture, _FEWEST_PAIRS)]


def _delivery(row: Mapping[str, Any], way: str, acks: _Acks) -> Delivery:
    rates = _rates(acks)
    fastest = float(np.quantile(rates, 0.95)) if len(rates) else 0.0
    capacity, pairs = _capacity(acks, row[f"data_bytes_{way}"] / max(1, row[f"data_packets_{way}"]))
    # Packets cut after they were captured are counted wrongly, and no path is slower than what it delivers.
    if row[f"super_packets_{way}"] or (capacity is not None and fastest > 1.1 * capacity):
        capacity = None
    return Delivery(
        connection=row["connection"],
        direction=way,
        rate=float(np.median(rates)) if len(rates) else 0.0,
        rate_p95=fastest,
        window=float(np.median(acks.flight)),
        idle=_idle(acks),
        seconds=float(acks.time[-1] - acks.time[0]),
        capacity=capacity,
        pairs=pairs,
    )


def _rates(acks: _Acks) -> NDArray[Any]:
    """Bits a second between each ACK and the last that came a round trip before."""
    before = np.searchsorted(acks.time, acks.time - acks.rtt, side="right") - 1
    known = before >= 0
    took = acks.time[known] - acks.time[before[known]]
    moved = (acks.until[known] - acks.until[before[known]]) % 2**32
    return np.asarray(8 * moved[took > 0] / took[took > 0])


def _idle(acks: _Acks) -> float:
    """Time from an ACK of all that was in flight to the data that the next ACK answers."""
    emptied = acks.flight[:-1] <= acks.acked[:-1]
    gaps = (acks.time[1:] - acks.rtt[1:]) - acks.time[:-1]
    return float(np.sum(gaps[emptied & (gaps > 0)]))


def _capacity(acks: _Acks, bytes_each: float) -> tuple[float | None, int]:
    """By pairs of ACKs that follow one another without one between them that made no sample."""
    packets = np.maximum(1, np.round(acks.acked / max(1.0, bytes_each)))
    follows = (acks.until[1:] - acks.acked[1:]) % 2**32 == acks.until[:-1]
    sent = acks.time - acks.rtt
    gaps = 1 + np.flatnonzero(~follows)
    # An ACK of nothing parts what follows an ACK without a sample from what came before.
    estimator = PacketPair()
    estimator.run(
        np.insert(acks.time, gaps, acks.time[gaps]),
        np.insert(sent, gaps, np.nan),
        np.insert(packets, gaps, 0),
    )
    found = estimator.capacity()
    if found is None or found.pairs < _FEWEST_PAIRS or found.quality & _DOUBT:
        return None, 0 if found is None else found.pairs
    return 8 * bytes_each * found.packets_per_second, found.pairs
