"""Output of a study in a terminal: the answer, what was found, how many claims hold, where the rest is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from parshall_studies.study.grades import Grade
from parshall_studies.study.words import interval, number, reach

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from parshall_studies.study.claims import Judged, Judgements
    from parshall_studies.study.reproduction import Reproduction
    from parshall_studies.study.study import Study

__all__ = ["announce", "show"]

_STYLES: Mapping[Grade, str] = {Grade.HOLDS: "green", Grade.BETTER: "green", Grade.FAILS: "red"}
"""Colours of badges; those of others are yellow."""


def announce(console: Console, study: Study, seeds: int, *, quick: bool) -> None:
    """Says before anything runs how long it takes, and if the seeds are too few for verdicts."""
    needed = study.needed
    if seeds < needed:
        wait = "" if quick else _wait(study, needed)
        few = "1 seed is" if seeds == 1 else f"{seeds} seeds are"
        console.print(f"{few} too few for verdicts: {needed} are needed{wait}.", soft_wrap=True)
    elif not quick and study.minutes:
        console.print(f"All runs take {_about(study.minutes * seeds / study.seeds)} on two cores.")


def _wait(study: Study, seeds: int) -> str:
    return f", which take {_about(study.minutes * seeds / study.seeds)} on two cores" if study.minutes else ""


def _about(minutes: float) -> str:
    return f"about {number(max(1.0, minutes), 2)} minute{'s' if minutes >= 1.5 else ''}"


def show(console: Console, done: Reproduction, *, verbose: bool) -> None:
    """With ``verbose`` every claim stands there, with the interval that decided it."""
    from rich.markdown import Markdown
    from rich.text import Text

    console.print(Text(done.study.title, style="bold"))
    page = done.page
    if done.provenance.quick:
        console.print(done.provenance.preliminary(), soft_wrap=True)
    if page.too_few:
        console.print(f"{page.too_few[0].upper()}{page.too_few[1:]}.")
    if page.answer is not None:
        console.print(Markdown(page.answer.text))
    for part in page.findings:
        console.print(Markdown(f"**{part.title}.** {part.text}"))
    if verbose:
        console.print(_claims(done.judged))
    for of_document, whose in ((True, "Claims of the document"), (False, "Questions beyond it")):
        chosen = done.judged.where(of_document=of_document)
        if len(chosen):
            counts = ", ".join(f"{grade} {count}" for grade, count in chosen.grades.items() if count)
            expected = chosen.expected_failures
            some = f"even if all {len(chosen.by_chance)} claims tested on random runs were true"
            chance = f" ({some}, up to {number(expected, 2)} would fail by chance)" if expected else ""
            console.print(f"{whose}: {counts}{chance}.", soft_wrap=True)
    for message in done.provenance.lacking:
        console.print(f"Left out: {message}", soft_wrap=True)
    took = f"{done.runs:,} runs in {done.seconds:.1f} s. " if done.runs else ""
    console.print(f"{took}Report: {done.out / 'report.html'}", soft_wrap=True)


def _claims(judged: Judgements) -> Table:
    """Topic by topic, the document's first."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(pad_edge=False, box=SIMPLE_HEAD)
    table.add_column("claim", ratio=1, overflow="fold")
    table.add_column("printed", justify="right", no_wrap=True)
    table.add_column("what decided", justify="right")
    table.add_column("verdict", no_wrap=True)
    for topic, own in judged.topics():
        table.add_row(Text(topic.title, style="bold"), "", "", "")
        for each in own:
            printed = "" if each.claim.printed is None else str(each.claim.printed)
            verdict = Text(each.label, style=_STYLES.get(each.grade, "yellow"))
            table.add_row(Text(each.claim.text), printed, _deciding(each), verdict)
    return table


def _deciding(judged: Judged) -> str:
    """The interval that decided, and what it is of."""
    outcome = judged.outcome
    if outcome.run is not None:
        return f"single runs {reach(outcome.run, judged.decimals)} {judged.unit}".rstrip()
    text = interval(judged.ours, judged.unit)
    return f"{text}; {outcome.tally}" if outcome.tally.all > 1 else text
