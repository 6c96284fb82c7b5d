"""Monte-Carlo runs of the model of prediction errors; they know its rules and none of its closed forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.theory.wrong_predictions import SharedLink

__all__ = ["Drawn", "draw_independent", "draw_rectangle"]


@dataclass(frozen=True)
class Drawn:
    """One run of the model: what was predicted, and what was lost."""

    rates: NDArray[np.float64]
    """The predicted rate of one connection, f, in bit/s."""
    lost: NDArray[np.bool_]
    """True if packets were lost then."""
    index: NDArray[np.float64]
    """Jain's index (13) of all connections at each prediction; halving all windows leaves it as it is."""

    @property
    def sequence(self) -> NDArray[np.float64]:
        """The connection's rates interval by interval: after a loss, half the rate once."""
        intervals = 1 + self.lost
        sequence = np.repeat(self.rates, intervals)
        sequence[np.cumsum(intervals)[self.lost] - 1] /= 2
        return sequence

    @property
    def loss_probability(self) -> float:
        """The share of predictions that brought a loss."""
        return float(np.mean(self.lost))

    @property
    def throughput(self) -> float:
        """T, in bit/s (equation 15)."""
        return float(np.mean(self.sequence))

    @property
    def fairness(self) -> float:
        """Jain's index over the connection's intervals."""
        sequence = self.sequence
        return float(np.mean(sequence) ** 2 / np.mean(sequence**2))

    @property
    def synchronous_fairness(self) -> float:
        """The mean over intervals of Jain's index of all connections."""
        return float(np.mean(np.repeat(self.index, 1 + self.lost)))


def draw_rectangle(link: SharedLink, predictions: int, seed: int) -> Drawn:
    """The model: one connection, and the others together one uniform variable, shared evenly among them."""
    random = np.random.default_rng(seed)
    others = link.connections - 1
    rates = link.share * (1 + random.uniform(-link.error, link.error, predictions))
    background = others * link.share * (1 + random.uniform(-link.error, link.error, predictions))
    total = rates + background
    squares = rates**2 + background**2 / others
    return Drawn(rates, total > link.capacity + link.spare, _index(total, squares, link.connections))


def draw_independent(link: SharedLink, predictions: int, seed: int) -> Drawn:
    """Without the background of one piece: each connection predicts its own share, with its own error.

    Packets are lost when the sum is beyond the line, and then every window is halved.
    """
    random = np.random.default_rng(seed)
    all_rates = link.share * (1 + random.uniform(-link.error, link.error, (predictions, link.connections)))
    total = all_rates.sum(axis=1)
    index = _index(total, (all_rates**2).sum(axis=1), link.connections)
    return Drawn(all_rates[:, 0], total > link.capacity + link.spare, index)


def _index(total: NDArray[np.float64], squares: NDArray[np.float64], connections: int) -> NDArray[np.float64]:
    return total**2 / (connections * squares)
