"""Docs that open with a clause in place of a name are found, and nothing else is."""

from __future__ import annotations

import pytest

from parshall_dev.words import openings_of_python, openings_of_rust


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/// What is sent.\nfn a() {}\n", [1]),
        ("//! The same for ACKs.\n//! Of them all.\n", [1]),
        ("    /// Whose turn it is.\n    turn: u8,\n    /// Of the flow.\n    of: u8,\n", [1, 3]),
        ("/// Packets of a flow.\n/// What follows is no opening.\nstruct A;\n", []),
        ("// What a plain comment says is not counted.\n", []),
        ("/// Whatever is left.\n/// Office hours.\nstruct B;\n", []),
    ],
)
def test_rust(text: str, lines: list[int]) -> None:
    assert [line for line, _ in openings_of_rust(text)] == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('"""What this is."""\n', [1]),
        ('def a():\n    """Whether it is."""\n', [2]),
        (
            'class A:\n    """A thing."""\n    x: int\n    """Of it."""\n    y = 1\n    """That many."""\n',
            [4, 6],
        ),
        ('"""Counts what is sent."""\nX = "What"\nprint("Whether")\n', []),
        ('"""Offers.\n\nWhat follows is no opening."""\n', []),
    ],
)
def test_python(text: str, lines: list[int]) -> None:
    assert [line for line, _ in openings_of_python(text)] == lines
