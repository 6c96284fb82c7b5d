"""Tables as Markdown, for pages that stand in a repository."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parshall_studies.study.tables import Table, cells_of

__all__ = ["markdown"]


def markdown(table: Table) -> Iterator[str]:
    """The lines of a table, without title and caption. Numbers stand to the right."""
    yield _line(head.label for head in table.heads)
    yield f"|{''.join('---|' if head.kind == 'text' else '--:|' for head in table.heads)}"
    for cells in cells_of(table):
        yield _line(map(str, cells))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
