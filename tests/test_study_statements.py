"""Claims whose words stand in a list of their own, and the numbers of a document's table, which are claims
and rows at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.test_study_claims import X, centred, grouped

from parshall.stats import mean_interval
from parshall_studies import study as st
from parshall_studies.study.claims import judge
from parshall_studies.study.tables import cells_of


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


# --- Words in a list of their own ---------------------------------------------------------------------------

LIST = """About.

## Loads
- more.{queue} | Figure 1 | The {queue} sends more.
- plain | Figure 2 | Always.

## Beyond: Others
- other | here | Another.
"""


def _says() -> dict[str, Any]:
    return {
        "more.{queue}": lambda queue: (X.at(queue=queue) > 0.0, st.Printed("5")),
        "plain": X > 0.0,
        "other": st.Never(X),
    }


def test_a_line_of_the_list_is_a_claim_for_each_name() -> None:
    names = {"queue": {"red": "RED queue", "tail": "DropTail queue"}}
    first, second = st.topics_of(LIST, _says(), names)
    assert (first.title, first.of_document) == ("Loads", True)
    assert (second.title, second.of_document) == ("Others", False)
    assert [claim.id for claim in first.claims] == ["more.red", "more.tail", "plain"]
    assert first.claims[1].text == "The DropTail queue sends more."
    assert first.claims[1].printed == st.Printed("5")
    assert first.claims[2].printed is None


def test_lines_and_rules_must_fit() -> None:
    names = {"queue": {"red": "RED"}}
    with pytest.raises(ValueError, match="plain: expected a rule for it"):
        st.topics_of(LIST, {name: rule for name, rule in _says().items() if name != "plain"}, names)
    with pytest.raises(ValueError, match="more: expected a line for it"):
        st.topics_of(LIST, {**_says(), "more": X > 0.0}, names)
    with pytest.raises(ValueError, match=r"expected id \| place \| words"):
        st.topics_of("## A\n- plain | somewhere\n", {"plain": X > 0.0})


# --- Tables of printed numbers ------------------------------------------------------------------------------


def _table(printed: Sequence[str]) -> st.PrintedTable:
    return st.printed_table(
        "table-1",
        "Table 1",
        "Loss",
        "In percent.",
        ("Queue",),
        (
            (f"table-1.{place}", (f"queue {place}",), "Loss.", st.Printed(text, "%"), X.at(group=str(place)))
            for place, text in enumerate(printed)
        ),
    )


def test_the_numbers_of_a_table_are_claims_and_its_rows(rng: np.random.Generator) -> None:
    table = _table(["10.0", "12.0"])
    found = grouped([rng.normal(10.0, 1.0, 30), rng.normal(20.0, 1.0, 30)])
    judged = judge([table.topic], found)
    assert [each.verdict for each in judged] == [st.Verdict.HOLDS, st.Verdict.FAILS]
    shown = table.made(found, judged)
    assert [head.label for head in shown.heads] == [
        "Queue",
        "Printed",
        "Ours",
        "95 % of single runs",
        "Verdict",
    ]
    rows = list(cells_of(shown))
    assert [row[:2] for row in rows] == [("queue 0", "10.0"), ("queue 1", "12.0")]
    assert [row[-1] for row in rows] == [st.Grade.AGREES, st.Verdict.FAILS]
    assert "do not hold; 1 lies outside even so" in shown.caption


def test_all_numbers_of_a_table_are_also_judged_together(rng: np.random.Generator) -> None:
    """A number just outside its own interval lies inside one that has to hold twenty."""
    values = [10.0 + centred(rng, 40) for _ in range(20)]
    found = grouped(values)
    deviation = float(np.std(values[0], ddof=1))
    table = _table([f"{10 + 2.2 * deviation:.3f}", *["10.000"] * 19])
    alone = judge([table.topic], found)
    assert alone["table-1.0"].verdict is st.Verdict.FAILS
    assert table.together(found) == (st.Verdict.HOLDS, 0)
    assert "All 20 together (95 % for the whole table): hold." in table.made(found, alone).caption
    few = grouped([each[:4] for each in values])
    assert table.together(few)[0] is st.Verdict.OPEN
    assert "together" not in table.made(few, judge([table.topic], few)).caption


def test_cells_are_written_in_one_way() -> None:
    interval = mean_interval([1.0, 2.0, 3.0] * 5)
    rows = (
        ("a", 0.12345, interval, st.Number(3.14159, decimals=1), None, st.Verdict.OPEN),
        ("b", math.nan, interval, st.Number(1234.5), None, st.Verdict.HOLDS),
    )
    first, second = cells_of(st.Table("t", [""] * 6, rows))
    assert first[:4] == ("a", "0.123", "2.00 ± 0.47", "3.1")
    assert first[4:] == ("\N{EN DASH}", st.Verdict.OPEN)
    assert second[1:4] == ("\N{EN DASH}", "2.00 ± 0.47", "1,234")
