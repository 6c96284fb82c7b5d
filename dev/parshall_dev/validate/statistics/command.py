"""What ``parshall validate statistics`` does: studies compared one by one, a summary, and a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from parshall.support.files import failing_as, staged
from parshall_dev.validate.statistics.study import STUDIES, Agreement, compare_study
from parshall_dev.validate.statistics.table import markdown, summary
from parshall_studies.study.rules import Verdict

__all__ = ["MARK", "validate_statistics"]

MARK = "<!-- what follows is made by parshall validate statistics -->\n"
"""In a document that has this line only what follows it is written anew."""


def validate_statistics(folder: str, studies: Sequence[str], seeds: int | None, out: str | None) -> bool:
    """Compares the studies named, or all, and prints a line about each.

    Returns whether no mean differs. Raises ParshallError for a folder that cannot be read, a run that fails
    and a document that cannot be written.
    """
    agreements = []
    for study in studies or tuple(STUDIES):
        agreement = _compared(folder, study, seeds)
        click.echo(summary(agreement))
        for each in agreement:
            if each.verdict is Verdict.FAILS:
                click.echo(
                    f"    {each.label}: {each.outcome.key}: ours {each.ours.mean:.6g}, "
                    f"ns-2 {each.theirs.mean:.6g}, {each.percent:+.2f} %"
                )
        agreements.append(agreement)
    if out is not None:
        _write(markdown(agreements), Path(out))
    return all(agreement.count(Verdict.FAILS) == 0 for agreement in agreements)


def _compared(folder: str, study: str, seeds: int | None) -> Agreement:
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"study {study}", total=None)
        return compare_study(
            folder,
            study,
            seeds=seeds,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )


def _write(text: str, file: Path) -> None:
    with failing_as(file), staged(file.parent) as stage:
        kept, mark, _ = (file.read_text(encoding="utf-8") if file.exists() else "").partition(MARK)
        part = stage / file.name
        part.write_text(kept + mark + _lowered(text) if mark else text, encoding="utf-8")
        part.replace(file)


def _lowered(text: str) -> str:
    """The same with its headings one level lower, to stand within another document."""
    return re.sub(r"^#", "##", text, flags=re.MULTILINE)
