"""Figures and tables of expressions: what most studies show of their results, without a word of drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from parshall_studies.study.figures import Axis, Figure, Look, Mark, Panel, drawn, means
from parshall_studies.study.quantity import Expression
from parshall_studies.study.tables import Column, Table

if TYPE_CHECKING:
    from parshall_studies.study.results import Results
    from parshall_studies.study.values import Label

__all__ = ["means_table", "over"]


def over(
    results: Results,
    id: str,
    lines: Sequence[tuple[Look, Expression]],
    dim: str,
    x: Axis,
    y: Axis,
    *,
    panels: tuple[str, Mapping[Any, str]] | None = None,
    places: Mapping[Any, float] | None = None,
    scale: float = 1.0,
    marks: Sequence[Mark] = (),
    **options: Any,
) -> Figure:
    """Means over seeds with their intervals over the labels of a dimension, a line for each expression.
    ``panels`` is a dimension whose labels have a panel each, with their titles, and ``places`` where labels
    of ``dim`` stand. Other options are those of :func:`drawn`.
    """
    cuts: list[tuple[str, dict[str, Label]]] = [("", {})]
    if panels is not None:
        cuts = [(title, {panels[0]: label}) for label, title in panels[1].items()]
    every = [
        Panel(
            tuple(
                means(look, expression.at(**where).values(results), dim, x=places, scale=scale)
                for look, expression in lines
            ),
            title,
            marks=tuple(marks),
        )
        for title, where in cuts
    ]
    return drawn(id, every, x, y, **options)


def means_table(
    results: Results,
    id: str,
    head: str,
    rows: Sequence[tuple[str, Mapping[str, Any]]],
    columns: Sequence[tuple[str, Expression, float]],
    kind: Literal["records", "matrix"] = "records",
) -> Table:
    """Means over seeds with their intervals: a row has a label and says where it is, a column has a label,
    an expression and the factor to its unit.
    """
    cells = tuple(
        (label, *(of.at(**where).values(results).interval().scaled(factor) for _, of, factor in columns))
        for label, where in rows
    )
    heads = (Column(head, "text", key=True), *(Column(label) for label, _, _ in columns))
    return Table(id, heads, cells, kind)
