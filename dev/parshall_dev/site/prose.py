"""Claims in the prose of the site's notebooks, held against what their code computes.

A page ends with a hidden cell in which each claim of its prose stands once more, beside the expression that
decides it::

    says("The link is used to the full", port.utilization > 0.95)
    given("packets that waited for more than 5 ms", "RFC 8289, section 4.2")

``make docs`` runs that cell, and a claim that does not hold ends the build. :func:`faults` needs no run: it
names the texts that do not stand on the page, and the sentences with a number or a comparison that no cell
vouches for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

__all__ = ["cells", "faults", "given", "prose", "says", "sentences"]

_FENCE = re.compile(r"^```(\{code-cell\})?[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ALT = re.compile(r'alt: "([^"]*)"')
_CODE = re.compile(r"`[^`\n]*`")
_TARGET = re.compile(r"\]\([^)]*\)")
_SOURCE = re.compile(r"\b(?:RFC|ns-|version|L)\s?\d+")
_CLAIM = re.compile(
    r"""\d
    | \b(?: two | three | four | five | six | seven | eight | nine | ten | twenty | hundred | thousand s?
      | half | halves | quarter | third | fifth | tenth | twice | double[sd]? | treble[sd]? | triple[sd]?
      | more | less | fewer | (?<!no\ )longer | shorter | faster | slower | higher | lower | larger | smaller
      | most | least | fewest | longest | shortest | fastest | slowest | highest | lowest | largest | smallest
      | fairest | better | best | worse | worst | nearly | always | never | wins? | alike
      ) \b""",
    re.VERBOSE | re.IGNORECASE,
)


def says(text: str, holds: object) -> None:
    """Raises AssertionError where something that the page says in these words does not hold."""
    assert holds, f"the page says what its code does not show: {text}"


def given(text: str, source: str) -> None:
    """Names the source of something that the page says in these words and that no run decides."""
    assert text
    assert source


def cells(page: str) -> list[str]:
    """The code of a page, cell by cell, without options and magics."""
    found = (code for kind, code in _FENCE.findall(page) if kind)
    return [re.sub(r"^[:%].*$", "", code, flags=re.MULTILINE) for code in found]


def prose(page: str) -> str:
    """The words of a page: paragraphs and alternative texts of pictures, without code and link targets."""
    body = re.sub(r"\A---\n.*?^---$", "", page, count=1, flags=re.MULTILINE | re.DOTALL)
    alts = [f"\n\n{alt}.\n\n" for alt in _ALT.findall(body)]
    words = _TARGET.sub("]", _FENCE.sub("\n\n", body)).replace("[", "").replace("]", "")
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", words + "".join(alts)))


def sentences(page: str) -> Iterator[str]:
    """The sentences of a page's prose, without headings."""
    for paragraph in prose(page).split("\n\n"):
        if paragraph and not paragraph.startswith("#"):
            yield from re.split(r"(?<=[.?!:])\s+(?=[A-Z`(*\[])", paragraph)


def faults(page: str) -> list[str]:
    """A line for each text of ``says`` or ``given`` that the page lacks, and for each claim without one."""
    vouched = [_plain(text) for text in _vouched(page)]
    words = _plain(prose(page))
    found = [f"not on the page: {text}" for text in vouched if text not in words]
    for sentence in sentences(page):
        bare = _plain(sentence)
        rest = bare
        for text in sorted(vouched, key=len, reverse=True):
            rest = rest.replace(text, "")
        if _CLAIM.search(_SOURCE.sub("", _CODE.sub("", rest))):
            found.append(f"neither computed nor given a source: {sentence}")
    return found


def _plain(text: str) -> str:
    """A text without the marks of emphasis, its spaces single."""
    return " ".join(text.replace("*", "").split())


def _vouched(page: str) -> Iterator[str]:
    for code in cells(page):
        for node in ast.walk(ast.parse(code)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("says", "given")
            ):
                text = node.args[0]
                if not (isinstance(text, ast.Constant) and isinstance(text.value, str)):
                    raise ValueError(
                        f"line {node.lineno} of a cell: {node.func.id} takes a text in quotes first"
                    )
                yield text.value
