"""Where findings and contents stand on a wide page."""

from __future__ import annotations

import pytest

from parshall_studies import study as st
from parshall_studies.study.html import _finding
from parshall_studies.study.layout import beside, halves
from parshall_studies.study.page import Part

TALL, FLAT = (
    st.Figure(id, f'<svg viewBox="0 0 400 {height}">') for id, height in (("tall", 600), ("flat", 40))
)
NARROW = st.Table("narrow", ("a", "b"), [("1", "2")] * 12)
WIDE = st.Table("wide", tuple("abcdefgh"), [tuple("12345678")])
ITEMS = {item.id: item for item in (TALL, FLAT, NARROW, WIDE)}
SHORT, LONG = "A word.", "Many words. " * 400


def _part(text: str, *ids: str) -> Part:
    return Part("A finding", "\n\n".join((text, *(f"[[show {id}]]" for id in ids))))


@pytest.mark.parametrize(
    ("parts", "half"),
    [
        ([(SHORT, "tall"), (SHORT, "tall")], [True, True]),
        ([(SHORT, "tall"), (SHORT, "narrow")], [True, True]),
        ([(SHORT, "tall"), (SHORT, "wide")], [False, False]),
        ([(SHORT, "tall"), (SHORT, "tall", "flat")], [False, False]),
        ([(LONG, "flat"), (SHORT, "tall"), (SHORT, "tall")], [False, True, True]),
        ([(SHORT, "tall"), (SHORT, "tall"), (SHORT, "flat")], [True, True, False]),
        ([], []),
    ],
)
def test_what_is_said_in_few_words_stands_side_by_side(
    parts: list[tuple[str, ...]], half: list[bool]
) -> None:
    assert halves([_part(*each) for each in parts], ITEMS) == half


def test_contents_stand_under_the_answer_where_its_figure_leaves_room() -> None:
    assert beside(_part(SHORT, "tall"), ITEMS, tallies=2, entries=8) == (True, True)
    assert beside(_part(SHORT, "tall"), ITEMS, tallies=2, entries=30) == (True, False)
    assert beside(_part(SHORT, "flat"), ITEMS, tallies=2, entries=8) == (False, False)
    assert beside(None, ITEMS, tallies=2, entries=8) == (True, True)


def test_bands_of_a_finding_stand_side_by_side_where_no_table_is_among_them() -> None:
    drawn, table = '<p>x</p><div class="figures">', '<div class="figures"><div class="block">'
    part = _part(SHORT)
    assert _finding(part, [drawn, drawn], half=False)[2] == " pairs"
    assert _finding(part, [drawn, table], half=False)[2] == ""
    assert _finding(part, [drawn, drawn, drawn], half=False)[2] == ""
    assert _finding(part, [drawn], half=True)[2] == " half"


def test_two_figures_stand_side_by_side_below_their_text() -> None:
    (one, two) = _finding(_part(SHORT), ["<figure>", "<figure><figure>"], half=False)[1]
    assert (one[1], two[1]) == ("", " row")
