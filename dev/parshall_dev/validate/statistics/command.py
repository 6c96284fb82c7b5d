"""The work of ``parshall validate statistics``: studies compared one by one, a summary, and a document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from parshall.support.files import write_file
from parshall_dev.validate.statistics.study import STUDIES, Agreement, compare_study
from parshall_dev.validate.statistics.table import markdown, summary
from parshall_studies.study.rules import Verdict

__all__ = ["validate_statistics"]


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
        write_file(Path(out), markdown(agreements))
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
