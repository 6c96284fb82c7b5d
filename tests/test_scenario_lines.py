"""Faults name the line of a file that they stand in."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.scenarios_drawn import scenarios, unhurried
from tests.scenarios_written import places

from parshall import Scenario, ScenarioError, _core
from parshall.scenario.files import parsed

TRICKY = '''
# comment [not.a.table]
a = 1
"quoted.key" = "x = 1 # no comment"
b.c = [ # list
  1,
  [2, "]"],
  { d = "}" , e = [3] },
]
text = """
f = 1
""" # after
raw = \'\'\'
[g]
\'\'\'
[[h]]
i = 1979-05-27T07:32:00Z
[[h]]
i = 'its'

[h.j]
k = inf
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a", 3),
        ('"quoted.key"', 4),
        ("b.c", 5),
        ("b.c[0]", 6),
        ("b.c[1][1]", 7),
        ("b.c[2].e[0]", 8),
        ("text", 10),
        ("raw", 13),
        ("h[0].i", 17),
        ("h[1]", 18),
        ("h[1].i", 19),
        ("h[1].j.k", 22),
        ("h[1].nothing", 18),
        ("g", None),
        ("f", None),
    ],
)
def test_lines_are_found_whatever_the_toml(path: str, line: int | None) -> None:
    assert _core.toml_lines(TRICKY, [path]) == [line]


@unhurried
@given(scenarios)
def test_every_key_of_a_written_file_has_a_line(scenario: Scenario) -> None:
    text = scenario.to_toml()
    rows = text.splitlines()
    for place in places(parsed(text, "")):
        (line,) = _core.toml_lines(
            text, ["".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)]
        )
        assert line is not None
        if isinstance(place[-1], str):
            assert place[-1] in rows[line - 1]


def test_dates_and_times_are_no_text() -> None:
    tables = parsed("a = 1979-05-27T07:32:00Z\nb = 1979-05-27\nc = 07:32:00\n", "")
    assert [type(value).__name__ for value in tables.values()] == ["datetime", "date", "time"]


def test_what_is_no_toml_has_a_line() -> None:
    with pytest.raises(ScenarioError, match="text that is not TOML") as raised:
        parsed("a = 1\nb = = 2\n", "a scenario file")
    assert raised.value.line == 2
