"""Arrays whose dimensions have names and labels: what was measured, with the seed as one of the dimensions.

This is the small part of xarray that studies need. Importing xarray takes about a second, most of it for
pandas, which nothing else here wants; and it aligns arrays by what they have in common, where a study must
not lose a seed in silence. Here labels that differ are an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from parshall.stats import CONFIDENCE, Interval, mean_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals: TypeAlias = NDArray[np.float64]

__all__ = ["SEED", "Label", "Span", "Values", "chosen_labels"]

Label: TypeAlias = "str | int | float | bool"

SEED = "seed"
"""The dimension that intervals are taken over."""


@dataclass(frozen=True, slots=True)
class Span:
    """Labels above ``low`` and up to ``high``."""

    low: float
    high: float

    def __contains__(self, label: object) -> bool:
        return isinstance(label, int | float) and self.low < label <= self.high


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Numbers by the labels of their dimensions."""

    labels: Mapping[str, tuple[Label, ...]]
    """Labels of each dimension, in the order of the array's axes."""
    array: Reals

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of the dimensions."""
        return tuple(self.labels)

    def at(self, **where: Any) -> Values:
        """The part with these labels: one label takes its dimension away; a list, a tuple or a :class:`Span`
        leaves it with these labels, in the order of the list. Raises LookupError for a label that is not
        there.
        """
        labels, array = dict(self.labels), self.array
        for dim, wanted in where.items():
            if dim not in labels:
                raise LookupError(f"{dim}: expected one of the dimensions {', '.join(labels)}")
            axis = list(labels).index(dim)
            chosen = chosen_labels(dim, labels[dim], wanted)
            places = [labels[dim].index(label) for label in chosen]
            if isinstance(wanted, list | tuple | Span):
                array = array.take(places, axis)
                labels[dim] = chosen
            else:
                array = np.asarray(array.take(places[0], axis))
                del labels[dim]
        return Values(labels, array)

    def mean(self, *dims: str) -> Values:
        """Averaged over dimensions."""
        axes = tuple(self.dims.index(dim) for dim in dims)
        kept = {dim: labels for dim, labels in self.labels.items() if dim not in dims}
        return Values(kept, np.asarray(self.array.mean(axis=axes)))

    def earlier(self, dim: str) -> Values:
        """All but the last of a dimension, under the labels of the one that follows each."""
        return self._shifted(dim, slice(None, -1))

    def later(self, dim: str) -> Values:
        """All but the first of a dimension."""
        return self._shifted(dim, slice(1, None))

    def _shifted(self, dim: str, part: slice) -> Values:
        whole = tuple(part if name == dim else slice(None) for name in self.dims)
        return Values({**self.labels, dim: self.labels[dim][1:]}, self.array[whole])

    def along(self, *dims: str) -> Reals:
        """The array with its axes in this order; they must be all of them."""
        return np.asarray(self.array.transpose([self.dims.index(dim) for dim in dims]))

    def members(self) -> Iterator[tuple[dict[str, Label], Reals]]:
        """For each combination of labels besides the seed: the labels, and one number a seed."""
        others = [dim for dim in self.dims if dim != SEED]
        array = self.along(*others, SEED)
        for place, labels in zip(
            np.ndindex(array.shape[:-1]), product(*(self.labels[dim] for dim in others)), strict=True
        ):
            yield dict(zip(others, labels, strict=True)), array[place]

    @property
    def seeds(self) -> Reals:
        """One number a seed. Raises LookupError where other dimensions are left."""
        if self.dims != (SEED,):
            raise LookupError(f"dimensions {', '.join(self.dims)}: expected none but the seed")
        return self.array

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """The mean over seeds with its interval."""
        return mean_interval(self.seeds, confidence)

    def intervals(self) -> dict[tuple[Label, ...], Interval]:
        """Intervals for each combination of the other labels."""
        return {tuple(labels.values()): mean_interval(values) for labels, values in self.members()}

    def combined(self, other: Values | float, operation: Callable[..., Any]) -> Values:
        """An operation number by number, broadcast by the names of dimensions, label by label. Raises
        LookupError when a dimension has other labels on either side.
        """
        if not isinstance(other, Values):
            return Values(self.labels, np.asarray(operation(self.array, other)))
        other = other._in_order_of(self)
        labels = _united(self.labels, other.labels)
        return Values(labels, np.asarray(operation(self._spread(labels), other._spread(labels))))

    def mapped(self, operation: Callable[[Reals], Any]) -> Values:
        """A function of each number."""
        return Values(self.labels, np.asarray(operation(self.array)))

    def _in_order_of(self, first: Values) -> Values:
        """A copy with the labels of each common dimension in the order of another's."""
        own, found = self, first.labels
        for dim in own.labels.keys() & found.keys():
            if own.labels[dim] != found[dim] and set(own.labels[dim]) == set(found[dim]):
                own = own.at(**{dim: list(found[dim])})
        return own

    def _spread(self, labels: Mapping[str, tuple[Label, ...]]) -> Reals:
        """The array with an axis for each of these dimensions, of length 1 where it has none of its own."""
        own = [dim for dim in labels if dim in self.labels]
        shape = [len(labels[dim]) if dim in self.labels else 1 for dim in labels]
        return self.along(*own).reshape(shape)


def chosen_labels(dim: str, labels: tuple[Label, ...], wanted: Any) -> tuple[Label, ...]:
    """Those of a dimension's labels that are meant. Raises LookupError for one that is not there."""
    if isinstance(wanted, Span):
        return tuple(label for label in labels if label in wanted)
    chosen = tuple(wanted) if isinstance(wanted, list | tuple) else (wanted,)
    for label in chosen:
        if label not in labels:
            raise LookupError(f"{dim}: got {label!r}, expected one of {', '.join(map(repr, labels))}")
    return chosen


def _united(
    left: Mapping[str, tuple[Label, ...]], right: Mapping[str, tuple[Label, ...]]
) -> dict[str, tuple[Label, ...]]:
    """The dimensions of both, the seed last."""
    for dim in left.keys() & right.keys():
        if left[dim] != right[dim]:
            raise LookupError(f"{dim}: labels {left[dim]} on one side and {right[dim]} on the other")
    united = {**left, **right}
    return {dim: united[dim] for dim in sorted(united, key=lambda dim: dim == SEED)}
