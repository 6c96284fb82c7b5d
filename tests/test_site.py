"""The site's pages, as far as can be judged without building it; ``make docs`` executes and checks them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import parshall
from parshall_dev.site import examples, extension, fields, names, reference, sources, tables
from parshall_dev.site.check import faults

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(
    page for page in DOCS.rglob("*.md") if page.relative_to(DOCS).parts[:2] != ("reference", "api")
)
NAMES = names.public_names()


def test_every_public_name_has_a_text() -> None:
    assert reference.missing_texts(NAMES) == []
    assert len(NAMES) > 300
    assert len({name.path for name in NAMES}) == len(NAMES)


def test_a_name_without_a_text_is_told() -> None:
    def silent() -> None: ...

    assert reference.missing_texts([names.Name("", "parshall.silent", silent)]) == ["parshall.silent"]


def test_every_public_name_has_an_example() -> None:
    assert reference.missing_examples(NAMES) == []


def test_examples_of_the_reference_run() -> None:
    assert set(examples.examples()) <= {name.path for name in NAMES}
    assert examples.broken() == []


def test_a_name_without_an_example_is_told() -> None:
    def unheard_of() -> None:
        """Does nothing."""

    told = reference.missing_examples([names.Name("", "parshall.unheard_of", unheard_of)])
    assert told == ["parshall.unheard_of"]


def test_fields_are_read_from_the_text_of_a_class() -> None:
    found = {field.name: field for field in fields.fields(parshall.CoDel)}
    assert list(found) == [name for name in parshall.CoDel.model_fields if name != "kind"]
    assert found["target"].takes == "duration; 0.005 unless given"
    assert found["target"].text == "Acceptable time in the queue."


def test_words_of_signatures_are_no_links() -> None:
    """The text for a link that leads nowhere stays, where it has two; a link without any goes."""
    nodes, addnodes = pytest.importorskip("docutils.nodes"), pytest.importorskip("sphinx.addnodes")
    condition = addnodes.pending_xref_condition
    pairs = [condition("", "short", condition="resolved"), condition("", "size", condition="*")]
    contents = [pairs, [nodes.Text("one "), nodes.emphasis("", "word")], []]
    links = [
        addnodes.pending_xref("", *each, refdomain="py", reftype="class", reftarget="size")
        for each in contents
    ]
    kept = addnodes.pending_xref("", nodes.Text("CoDel"), refdomain="py", reftype="class", reftarget="CoDel")
    signature = nodes.paragraph("", "", *links, kept)
    extension.leave_words(None, signature)
    assert [child.astext() for child in signature.children] == ["size", "one ", "word", "CoDel"]
    assert signature.children[-1] is kept


def test_links_of_pages_lead_somewhere() -> None:
    """Also where the site is not built: none to a page that only it has."""
    dead = []
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)", text):
            target = (page.parent / link).resolve()
            if not target.exists() or target.is_relative_to(DOCS.resolve() / "reference" / "api"):
                dead.append(f"{page.relative_to(DOCS)}: {link}")
    assert dead == []


def test_links_to_sources_lead_to_the_reference_on_the_site() -> None:
    pages = {f"reference/api/{name.path}.md" for name in NAMES}
    pages |= {f"reference/api/{name}.md" for name in tables.PAGES}
    pages |= {f"reference/api/index-{package or 'parshall'}.md" for package in names.PACKAGES}
    found = {}
    for page in (DOCS / "explanation" / "estimators.md", DOCS / "reference" / "index.md"):
        for text, link in re.findall(r"\[([^\]]+)\]\((\S+/python/\S+)\)", page.read_text(encoding="utf-8")):
            found[text] = sources.page_of(text, (page.parent / link).resolve())
    assert len(found) > 30
    assert set(found.values()) <= pages
    assert found["`Forecaster`"] == "reference/api/parshall.forecast.Forecaster.md", (
        "own.Forecaster is another"
    )
    assert found["Running and reading"] == "reference/api/index-parshall.md"
    assert sources.page_of("any", DOCS / "index.md") is None


NOTEBOOKS = [page for page in PAGES if "file_format: mystnb" in page.read_text(encoding="utf-8")]


def test_there_are_five_chapters_and_25_answers() -> None:
    parts = [page.parent.name for page in NOTEBOOKS]
    assert (parts.count("tutorial"), parts.count("how-to") >= 25) == (5, True)


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_notebooks_are_listed_and_their_code_is_python(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    cells = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert cells
    for cell in cells:
        ast.parse(re.sub(r"^[:%].*$", "", cell, flags=re.MULTILINE))
        assert ".plot(" not in cell or "savefig" in cell or re.search(r"^:mystnb: .*alt: ", cell), (
            "no alt text"
        )
    assert re.search(rf"^{page.stem}$", (page.parent / "index.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ('<a href="gone.html">x</a>', "dead link gone.html"),
        ('<a href="#nowhere">x</a>', "no such place: #nowhere"),
        ('<script src="https://example.org/x.js"></script>', "loads https://example.org/x.js"),
        ('<img src="index.html">', "picture without alt text"),
        ('<a href="https://example.org">x</a><h1 id="here"></h1><a href="#here">y</a>', ""),
    ],
)
def test_what_is_wrong_with_a_page_is_told(html: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(f"<!doctype html>{html}")
    told = faults(tmp_path)
    assert len(told) == bool(fault)
    assert all(fault in line for line in told)
