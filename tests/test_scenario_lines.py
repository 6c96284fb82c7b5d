"""Faults name the line of a file that they stand in."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from hypothesis import given
from tests.scenarios_drawn import scenarios, unhurried
from tests.scenarios_written import places

from parshall import Scenario
from parshall.scenario.lines import lines_of

TRICKY = '''
# comment [not.a.table]
a = 1
"quoted key" = "x = 1 # no comment"
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
i = 'it''s'

[h.j]
k = inf
'''


def test_lines_are_found_whatever_the_toml() -> None:
    text = TRICKY.replace("'it''s'", "'its'")
    lines = lines_of(text)
    assert tomllib.loads(text)
    expected = {
        ("a",): 3,
        ("quoted key",): 4,
        ("b", "c"): 5,
        ("b", "c", 0): 6,
        ("b", "c", 1, 1): 7,
        ("b", "c", 2, "e", 0): 8,
        ("text",): 10,
        ("raw",): 13,
        ("h", 0, "i"): 17,
        ("h", 1): 18,
        ("h", 1, "i"): 19,
        ("h", 1, "j", "k"): 22,
    }
    assert {place: lines.get(place) for place in expected} == expected
    assert ("g",) not in lines
    assert ("f",) not in lines


@unhurried
@given(scenarios)
def test_every_key_of_a_written_file_has_a_line(scenario: Scenario) -> None:
    text = scenario.to_toml()
    lines = lines_of(text)
    rows = text.splitlines()
    for place in places(tomllib.loads(text)):
        assert place in lines
        if isinstance(place[-1], str):
            assert place[-1] in rows[lines[place] - 1]
