"""Expressions over what a study measured, as values: ``goodput.at(filter="median-5") >
goodput.at(filter="mean")``.

An expression is written before anything has run, says itself what it is made of, and is evaluated on results
later. A comparison of two of them is a :class:`Relation`, which is what statements are made of.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from parshall_studies.study.results import Results
    from parshall_studies.study.values import Values

__all__ = ["Direction", "Expression", "Fixed", "Given", "Quantity", "Relation", "falls", "quantity", "rises"]

Direction: TypeAlias = Literal["greater", "less"]
"""Which side of the right one a relation puts the left one on."""

_MINUS = "\N{MINUS SIGN}"


class Expression:
    """Something that results give numbers for, by labels of dimensions and by seed."""

    unit: str = ""
    """As a reader is told; that of a difference of percentages is points."""

    def values(self, results: Results) -> Values:
        """The numbers. Raises LookupError for what the results do not have."""
        raise NotImplementedError

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it needs."""
        return frozenset()

    def at(self, **where: Any) -> Expression:
        """A copy for some labels only: one of a dimension, or a list of them, or a :class:`Span`."""
        raise NotImplementedError

    def measuring(self, column: str) -> Expression:
        """A copy of another column of its tables."""
        raise NotImplementedError

    def mean(self, *dims: str) -> Expression:
        """Averaged over dimensions."""
        over = ", ".join(dims)
        return _Applied((self,), lambda one: one.mean(*dims), f"mean over {over} of {{}}", self.unit)

    def __add__(self, other: Expression | float) -> Expression:
        return _binary(operator.add, "+", self, other, self.unit)

    def __radd__(self, other: float) -> Expression:
        return _binary(operator.add, "+", other, self, self.unit)

    def __sub__(self, other: Expression | float) -> Expression:
        return _binary(operator.sub, _MINUS, self, other, _difference_unit(self))

    def __rsub__(self, other: float) -> Expression:
        return _binary(operator.sub, _MINUS, other, self, _difference_unit(self))

    def __mul__(self, other: Expression | float) -> Expression:
        return _binary(operator.mul, "*", self, other, self.unit)

    def __rmul__(self, other: float) -> Expression:
        return _binary(operator.mul, "*", other, self, self.unit)

    def __truediv__(self, other: Expression | float) -> Expression:
        return _binary(operator.truediv, "/", self, other, "" if isinstance(other, Expression) else self.unit)

    def __pow__(self, power: float) -> Expression:
        return _binary(operator.pow, "^", self, power, "")

    def __abs__(self) -> Expression:
        return _Applied((self,), lambda one: one.mapped(abs), "|{}|", self.unit)

    def __gt__(self, other: Expression | float) -> Relation:
        return Relation(self, _expression(other), "greater")

    def __lt__(self, other: Expression | float) -> Relation:
        return Relation(self, _expression(other), "less")


@dataclass(frozen=True, eq=False)
class Quantity(Expression):
    """A column of a table."""

    table: str
    column: str
    unit: str = ""
    label: str = ""
    """For a reader; the column's name unless given."""
    where: Mapping[str, Any] = field(default_factory=dict)

    def values(self, results: Results) -> Values:
        return results.values(self.table, self.column, **self.where)

    @property
    def tables(self) -> frozenset[str]:
        return frozenset({self.table})

    def at(self, **where: Any) -> Quantity:
        return replace(self, where={**self.where, **where})

    def measuring(self, column: str) -> Quantity:
        return replace(self, column=column)

    def __str__(self) -> str:
        where = ", ".join(f"{dim} {_listed(wanted)}" for dim, wanted in self.where.items())
        return f"{self.label or self.column} [{where}]" if where else self.label or self.column


def quantity(of: Expression | str, **where: Any) -> Expression:
    """A column named as ``table.column``, or an expression, of some labels only."""
    if isinstance(of, str):
        table, column = of.split(".")
        of = Quantity(table, column)
    return of.at(**where)


@dataclass(frozen=True, eq=False)
class Given(Expression):
    """Numbers that are not measured: settings, or bounds, by labels of dimensions."""

    dims: tuple[str, ...]
    numbers: Mapping[Any, float]
    """By label, or by a tuple of labels where there are several dimensions."""
    unit: str = ""
    label: str = "given"

    def values(self, results: Results) -> Values:
        import numpy as np

        from parshall_studies.study.values import Values

        del results
        keys = [key if isinstance(key, tuple) else (key,) for key in self.numbers]
        labels = {dim: tuple(dict.fromkeys(key[i] for key in keys)) for i, dim in enumerate(self.dims)}
        numbers = dict(zip(keys, self.numbers.values(), strict=True))
        array = np.empty(tuple(map(len, labels.values())))
        for place in np.ndindex(array.shape):
            array[place] = numbers[tuple(labels[dim][i] for dim, i in zip(self.dims, place, strict=True))]
        return Values(labels, array)

    def at(self, **where: Any) -> Expression:
        def part(whole: Values) -> Values:
            return whole.at(**{dim: wanted for dim, wanted in where.items() if dim in whole.dims})

        return _Applied((self,), part, "{}", self.unit)

    def measuring(self, column: str) -> Expression:
        return self

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, eq=False)
class Fixed(Expression):
    """One number, such as a bound."""

    number: float
    unit: str = ""

    def values(self, results: Results) -> Values:
        import numpy as np

        from parshall_studies.study.values import Values

        del results
        return Values({}, np.asarray(float(self.number)))

    def at(self, **where: Any) -> Expression:
        del where
        return self

    def measuring(self, column: str) -> Expression:
        return self

    def __str__(self) -> str:
        return f"{self.number:g}"


@dataclass(frozen=True, eq=False)
class _Applied(Expression):
    """A function of other expressions."""

    parts: tuple[Expression, ...]
    function: Callable[..., Values]
    text: str
    unit: str = ""

    def values(self, results: Results) -> Values:
        return self.function(*(part.values(results) for part in self.parts))

    @property
    def tables(self) -> frozenset[str]:
        return frozenset().union(*(part.tables for part in self.parts))

    def at(self, **where: Any) -> Expression:
        return replace(self, parts=tuple(part.at(**where) for part in self.parts))

    def measuring(self, column: str) -> Expression:
        return replace(self, parts=tuple(part.measuring(column) for part in self.parts))

    def __str__(self) -> str:
        return self.text.format(*self.parts)


@dataclass(frozen=True, eq=False)
class Relation:
    """Relation: one expression is greater, or less, than another, seed by seed."""

    left: Expression
    right: Expression
    direction: Direction

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it needs."""
        return self.left.tables | self.right.tables

    @property
    def unit(self) -> str:
        """Unit of the difference."""
        return _difference_unit(self.left)

    def differences(self, results: Results) -> Values:
        """Left less right."""
        return self.left.values(results).combined(self.right.values(results), operator.sub)

    def __bool__(self) -> bool:
        raise TypeError("a relation is true of results only: hand it to a rule")

    def __str__(self) -> str:
        return f"{self.left} {'>' if self.direction == 'greater' else '<'} {self.right}"


def rises(expression: Expression, dim: str) -> Relation:
    """Relation: it grows from each label of a dimension to the next."""
    earlier, later = _neighbours(expression, dim)
    return later > earlier


def falls(expression: Expression, dim: str) -> Relation:
    """Relation: it is greater at each label of a dimension than at the next."""
    earlier, later = _neighbours(expression, dim)
    return earlier > later


def _neighbours(expression: Expression, dim: str) -> tuple[Expression, Expression]:
    earlier = _Applied((expression,), lambda one: one.earlier(dim), f"{{}} at a {dim}", expression.unit)
    later = _Applied((expression,), lambda one: one.later(dim), f"{{}} at the next {dim}", expression.unit)
    return earlier, later


def _binary(
    operation: Callable[[Any, Any], Any],
    sign: str,
    left: Expression | float,
    right: Expression | float,
    unit: str,
) -> Expression:
    parts = (_expression(left), _expression(right))
    return _Applied(parts, lambda a, b: a.combined(b, operation), f"({{}} {sign} {{}})", unit)


def _expression(value: Expression | float) -> Expression:
    return value if isinstance(value, Expression) else Fixed(value)


def _difference_unit(left: Expression) -> str:
    """A difference of two percentages is in points."""
    return "points" if left.unit == "%" else left.unit


def _listed(wanted: Any) -> str:
    return ", ".join(map(str, wanted)) if isinstance(wanted, list | tuple) else str(wanted)
