"""Code that writes a file into its place is found, and nothing else is."""

from __future__ import annotations

import pytest

from parshall_dev.checkout import ROOT
from parshall_dev.writing import writes, writes_of


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('open(file, "w")', ["open"]),
        ('file.open(mode="ab")', ["open"]),
        ('gzip.open(file, "r+b")', ["open"]),
        ('file.write_text("x")', ["write_text"]),
        ('figure.savefig("f.svg")', ["savefig"]),
        ("parquet.write_table(table, file)", ["write_table"]),
        ("frame.to_csv(file)", ["to_csv"]),
        ('open(file)\nfile.open("rb")\nfile.read_text()\nwrite_file(file, "w")\nprint("w")', []),
    ],
)
def test_calls(code: str, found: list[str]) -> None:
    assert [called for _, called in writes_of(code)] == found


def test_the_package_and_the_studies_write_through_the_door() -> None:
    for folder in ("python/parshall", "studies/parshall_studies"):
        assert list(writes(ROOT / folder)) == []
