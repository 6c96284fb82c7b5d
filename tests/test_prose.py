"""Claims in the prose of the tutorial and of the short answers, which their code computes."""

from __future__ import annotations

import importlib.util
import linecache
from pathlib import Path

import pytest

from parshall_dev.site.prose import cells, faults, given, prose, says, sentences

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [
    page for page in sorted(DOCS.rglob("*.md")) if "file_format: mystnb" in page.read_text(encoding="utf-8")
]
NEEDS = ("duckdb", "distributed")

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")


@each_page
def test_each_claim_of_a_page_is_computed_or_has_a_source(page: Path) -> None:
    assert faults(page.read_text(encoding="utf-8")) == []


@pytest.mark.slow
@each_page
def test_a_page_holds_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As ``make docs`` runs it, without a notebook around it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PARSHALL_CACHE", "kept")
    names: dict[str, object] = {"__name__": "__main__"}
    for number, code in enumerate(cells(page.read_text(encoding="utf-8"))):
        for module in NEEDS:
            if f" {module}" in code and importlib.util.find_spec(module) is None:
                pytest.skip(f"no {module}")
        place = f"<{page.stem} {number}>"
        linecache.cache[place] = (len(code), None, code.splitlines(keepends=True), place)
        exec(compile(code, place, "exec", dont_inherit=True), names)


PAGE = """---
file_format: mystnb
---

# Five of them

Of ten packets {lost} were lost, as [RFC 9000](https://example.org/7) and `field=3` say. It is a queue.

```{{code-cell}} ipython3
:mystnb: {{image: {{alt: "A curve that doubles"}}}}

%matplotlib inline
lost = 3
```

```{{code-cell}} ipython3
:tags: [remove-cell]

{cell}
```
"""


def test_words_of_a_page_are_its_paragraphs_and_pictures() -> None:
    page = PAGE.format(lost="three", cell="pass")
    assert "lost = 3" not in prose(page)
    assert "example.org" not in prose(page)
    assert list(sentences(page)) == [
        "Of ten packets three were lost, as RFC 9000 and `field=3` say.",
        "It is a queue.",
        "A curve that doubles.",
    ]


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        (
            "pass",
            ["neither computed nor given a source: Of ten", "neither computed nor given a source: A curve"],
        ),
        (
            'says("Of ten packets three were lost", True)\ngiven("A curve that doubles", "here")',
            [],
        ),
        ('says("three were lost", True)\nsays("A curve that doubles", True)', ["neither computed"]),
        (
            'says("Of ten packets four were lost", True)\nsays("A curve that doubles", True)',
            ["not on the page: Of ten packets four", "neither computed nor given a source: Of ten"],
        ),
    ],
)
def test_faults_are_claims_without_a_cell_and_cells_without_a_claim(cell: str, told: list[str]) -> None:
    found = faults(PAGE.format(lost="three", cell=cell))
    assert len(found) == len(told)
    assert all(fault.startswith(begin) for fault, begin in zip(found, told, strict=True))


@pytest.mark.parametrize(
    "word",
    [
        "12 ms",
        "twice as much",
        "half of it",
        "the fairest",
        "more than before",
        "nearly none",
        "the largest part",
    ],
)
def test_numbers_and_comparisons_are_claims(word: str) -> None:
    assert len(faults(f"# A page\n\nIt has {word} of that.\n")) == 1


@pytest.mark.parametrize(
    "text", ["It no longer waits.", "As RFC 8289 says.", "See `delay=5`.", "This is a test."]
)
def test_other_sentences_are_none(text: str) -> None:
    assert faults(f"# A page of 5\n\n{text}\n") == []


def test_a_claim_that_does_not_hold_ends_the_page() -> None:
    says("two and two are four", 2 + 2 == 4)
    given("2 + 2 = 4", "arithmetic")
    with pytest.raises(AssertionError, match="the page says what its code does not show: it is five"):
        says("it is five", 2 + 2 == 5)


def test_a_text_that_only_a_run_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="line 1 of a cell: says takes a text in quotes first"):
        faults('```{code-cell} ipython3\nsays(f"{x} of them", True)\n```\n')
