"""Numbers that Chapter II prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parshall_studies import study as st


@dataclass(frozen=True)
class PrintedError:
    """A mean square error of the modified algorithm."""

    where: str
    case: str
    text: str


ERRORS: tuple[PrintedError, ...] = (
    PrintedError("Figure 9, text", "load/16", "0.003353"),
    PrintedError("Figure 9, text", "vbr/slow", "0.003534"),
    PrintedError("Figure 9, text", "vbr/fast", "0.002445"),
    PrintedError("Table I", "load/22", "0.000550"),
    PrintedError("Table I", "iiad/50", "0.000584"),
    PrintedError("Table I", "iiad/100", "0.002199"),
    PrintedError("Table I", "sqrt/50", "0.001206"),
    PrintedError("Table I", "sqrt/100", "0.000451"),
)

TABLE_2: Mapping[tuple[int, int], str] = {
    (int(count), link): number
    for (count,), numbers in st.numbers_in(
        """
        25 | 3   2.7 1.6
        22 | 1.1 2.8 1.7
        16 | 0.3 1.8 1.4
        """
    )
    for link, number in enumerate(numbers, start=1)
}
"""Drop rate in %, by the number of CBR flows in set B and the link."""

TABLE_3: Mapping[str, tuple[str, ...]] = {
    queue: tuple(numbers)
    for (queue,), numbers in st.numbers_in(
        """
        droptail | 71.5 28.4 34.2
        red      | 24.3 75.6 5.64
        red-full | 61.3 38.6 29.3
        """
    )
}
"""TCP's and CBR's share of the link and the drop rate, in %, by queue."""
