"""`parshall validate clauses`: each clause of an RFC has a tag in the code and one at a test, or a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from parshall.cli.main import main
from parshall_dev.validate.clauses import Clause, Tags, faults, inserted, listed, page, tags

DOCS = Path(__file__).parents[1] / "docs" / "reliability.md"
KEPT = Clause(793, "3-a", "MUST", "numbers go up")


def tag(name: str) -> str:
    """A tag that is none of this file."""
    return f"[{name}]"


def test_nothing_has_neither(capsys: pytest.CaptureFixture[str]) -> None:
    assert faults(listed(), tags()) == []
    assert main(["validate", "clauses"]) == 0
    assert "| all |" in capsys.readouterr().out


def test_the_document_has_the_table() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert inserted(text, page(listed())) == text, "run parshall validate clauses --write docs/reliability.md"


@pytest.mark.parametrize(
    ("code", "tests", "missing"),
    [
        (False, False, "code and none in a test"),
        (True, False, "a test"),
        (False, True, "code"),
        (True, True, ""),
    ],
)
def test_a_clause_needs_both_tags(code: bool, tests: bool, missing: str) -> None:
    place = {"RFC 793 3-a": "a.rs:1"}
    lines = faults([KEPT], Tags(place if code else {}, place if tests else {}))
    assert lines == ([f"RFC 793 3-a: has no tag in {missing} (numbers go up)"] if missing else [])


def test_a_reason_stands_in_place_of_tags_and_not_beside_them() -> None:
    given = Clause(793, "3-a", "MUST", "numbers go up", "They need not.")
    assert faults([given], Tags({}, {})) == []
    assert faults([given], Tags({"RFC 793 3-a": "a.rs:7"}, {})) == [
        "RFC 793 3-a: is said not to be kept, and is tagged in code (a.rs:7)"
    ]


def test_a_tag_of_no_clause_is_a_fault() -> None:
    assert faults([], Tags({}, {"RFC 793 9-z": "b.rs:2"})) == [
        f"b.rs:2: got {tag('RFC 793 9-z')}, which is no clause of the list"
    ]


def test_the_command_fails_on_a_clause_that_nothing_keeps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("parshall_dev.validate.clauses.listed", lambda: [*listed(), KEPT])
    assert main(["validate", "clauses"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "RFC 793 3-a: has no tag in code and none in a test (numbers go up)"
    ]


def test_tags_of_code_and_of_tests_are_told_apart(tmp_path: Path) -> None:
    source = tmp_path / "crates" / "a" / "src" / "lib.rs"
    source.parent.mkdir(parents=True)
    first, second = tag("RFC 1 2-a"), tag("RFC 1 2-b")
    lines = ["#[cfg(test)]", "fn f() {}", f"// {first} {second}", "fn g() {}"]
    lines += ["#[cfg(test)]", "mod tests {", f"    // {first}", "}"]
    source.write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(f"# {second}\n", encoding="utf-8")
    found = tags(tmp_path)
    assert dict(found.code) == {"RFC 1 2-a": "crates/a/src/lib.rs:3", "RFC 1 2-b": "crates/a/src/lib.rs:3"}
    assert dict(found.tests) == {"RFC 1 2-a": "crates/a/src/lib.rs:7", "RFC 1 2-b": "tests/test_a.py:1"}


@pytest.mark.parametrize(
    ("entries", "expected"),
    [('"1-a" = { level = "MAY", gist = "g" }', "RFC 9 1-a: got the level 'MAY'")],
)
def test_an_entry_that_is_none_is_named(tmp_path: Path, entries: str, expected: str) -> None:
    (tmp_path / "rfc9.toml").write_text(f"rfc = 9\n[clauses]\n{entries}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=expected.replace("(", r"\(")):
        listed(tmp_path)
