"""Every control alone on a clean link: nearly all of it, as the page says, or a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parshall_dev.validate.utilisation import CONTROLS, EXPECTED, Setting, found, page, settings

DOCS = Path(__file__).parents[1] / "docs"
SECTION = "## Every control alone on a clean link"


def default(setting: Setting) -> bool:
    return setting.recovery == "default"


@pytest.fixture(scope="module")
def shares() -> dict[Setting, float]:
    """With each profile's own recovery."""
    return found(each for each in settings() if default(each))


def reasons() -> str:
    """Reasons that the section gives for controls that have less."""
    text = (DOCS / "validation.md").read_text(encoding="utf-8")
    return text.split(SECTION)[1].split("\n## ")[0]


def test_every_control_has_the_link_or_a_reason(shares: dict[Setting, float]) -> None:
    explained = set(re.findall(r"\*\*([^*]+)\*\*", reasons()))
    short = {setting for setting, share in shares.items() if share < EXPECTED}
    assert {setting.control for setting in short} <= explained
    # Nothing has more than there is.
    assert max(shares.values()) < 1.001


def test_the_page_is_what_the_command_finds(shares: dict[Setting, float]) -> None:
    """The default recovery's column; the others are as old as the last time that the command ran."""
    text = (DOCS / "validation" / "utilisation.md").read_text(encoding="utf-8")
    tables = [part.strip().splitlines() for part in text.split("## ")[1:]]
    fresh = [part.strip().splitlines() for part in "\n".join(page(shares)).split("## ")[1:]]
    assert [table[0] for table in tables] == [table[0] for table in fresh]
    for table, now in zip(tables, fresh, strict=True):
        column = [line.split("|")[1:3] for line in table[4:]]
        assert [name.strip() for name, _ in column] == list(CONTROLS)
        for (name, shown), line in zip(column, now[4:], strict=True):
            percent = [int(cell.strip(" *")) for cell in (shown, line.split("|")[2])]
            assert abs(percent[0] - percent[1]) <= 2, (table[0], name)
