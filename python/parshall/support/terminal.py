"""The one door to the terminal: text from files is printed as it is, and never obeyed."""

from __future__ import annotations

import unicodedata

import click

__all__ = ["echo", "escaped"]

_JOINERS = "\u200c\u200d"
"""Format characters that words of some languages need."""


def escaped(text: str) -> str:
    r"""A text with its control and format characters as ``\x1b`` or ``\u202e``: a terminal would obey them.
    Strings in JSON have the same value afterwards.
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_escaped, text))


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Prints lines on standard output, or on standard error."""
    lines = text.split("\n")
    click.echo("\n".join(map(escaped, lines)), err=err, nl=nl)


def _escaped(char: str) -> str:
    if char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs":
        return char
    if char < "\x7f":
        return ascii(char)[1:-1]
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
