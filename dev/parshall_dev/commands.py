"""Commands of maintainers, which ``parshall`` finds where this package is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from parshall.cli.options import FAILED, JOBS
from parshall.engine.limits import MOST_SEEDS

__all__ = ["bench", "calibrate", "validate"]


@click.group(no_args_is_help=False)
def validate() -> None:
    """Compare with ns-2, Linux, QUIC, theory and captures."""


@validate.command()
@click.argument("folder", metavar="DIR")
@click.argument("more", nargs=-1, metavar="")
@click.option("--json", "report", metavar="FILE", help="File for the verdicts.")
@click.option("--only", multiple=True, metavar="NAME ...", help="Compare these scenarios only.")
def traces(folder: str, more: tuple[str, ...], report: str | None, only: tuple[str, ...]) -> int:
    """Compare with the packet traces of ns-2 in DIR. The status is 0 only if all are exact."""
    from parshall_dev.validate.command import validate_folder

    if more and not only:
        raise click.UsageError(f"got {more[0]!r} after DIR, expected an option such as --only {more[0]}")
    return 0 if validate_folder(folder, (*only, *more), report) else FAILED


@validate.command()
@click.argument("folder", metavar="DIR")
@click.option(
    "--seeds",
    type=click.IntRange(2, MOST_SEEDS),
    help="Runs of each scenario; the study's own number unless given.",
)
@click.option("--out", metavar="FILE.md", help="File for the tables, as Markdown.")
@click.option("--only", multiple=True, metavar="STUDY", help="Compare this study only; may be repeated.")
def statistics(folder: str, seeds: int | None, out: str | None, only: tuple[str, ...]) -> int:
    """Compare with random scenarios of ns-2 in DIR. The status is 0 only if no mean differs."""
    from parshall_dev.validate.statistics.command import validate_statistics as compare

    return 0 if compare(folder, only, seeds, out) else FAILED


@validate.command()
@click.argument("folder", metavar="[DIR]", required=False)
@click.option(
    "--only", multiple=True, metavar="CELL", help="Run these cells only, such as 'red-1M-*'; may be repeated."
)
@click.option("--quick", is_flag=True, help="Run a few cells only, in about a minute.")
@click.option("--kernel", type=click.Choice(["6.1", "6.12"]), help="Debian's kernel; 6.1 unless given.")
@click.option("--repeats", type=click.IntRange(1, 100), help="Runs of each cell in machines; 2 unless given.")
@click.option("--seeds", type=click.IntRange(2, MOST_SEEDS), help="Runs of each cell here; 10 unless given.")
@click.option("--jobs", type=JOBS, help="Threads of the simulator; all cores unless given.")
@click.option("--out", metavar="DIR", help="Folder for the page; out/linux unless given.")
def linux(folder: str | None, **options: Any) -> None:
    """Compare with a real Linux kernel. Prints tables as Markdown.

    Runs Reno, CUBIC and BBR through the queue disciplines of Debian's kernel in emulated machines, 405 cells,
    and writes a page with figures. Finished cells are kept: after Ctrl-C the same command runs the rest.

    With DIR, compares with the runs of Linux in that folder instead.
    """
    if folder is None:
        from parshall_dev.validate.machine.command import validate_machines

        validate_machines(**options)
        return
    if given := [name for name, value in options.items() if value]:
        raise click.UsageError(f"got DIR and --{given[0]}, expected one of them")
    from parshall_dev.validate import kernels
    from parshall_dev.validate.linux import compare_folder, table
    from parshall_dev.validate.regimes.judging import judge_folder
    from parshall_dev.validate.regimes.page import page
    from parshall_dev.validate.regimes.reading import is_regimes

    path = Path(folder)
    if is_regimes(path):
        lines = page(judge_folder(path))
    elif kernels.is_kernels(path):
        lines = kernels.table(kernels.compare_folder(path))
    else:
        lines = table(compare_folder(path))
    for line in lines:
        click.echo(line)


@validate.command()
@click.option(
    "--run", multiple=True, metavar="SERIES", help="Run this kernel, such as 7.3, anew; may be repeated."
)
@click.option("--out", metavar="FILE.md", help="File for the page, as Markdown.")
def linux_versions(run: tuple[str, ...], out: str | None) -> None:
    """Compare Linux's TCP with that of other versions.

    Prints what Debian's kernels did in emulated machines. With --run a kernel is run again, which takes some
    minutes; make -C linux kernels SERIES=7.3 unpacks it.
    """
    from parshall_dev.validate.linux_versions.command import compare_versions

    compare_versions(run, out)


@validate.command()
@click.option(
    "--seeds", type=click.IntRange(2, MOST_SEEDS), default=10, show_default=True, help="Number of seeds."
)
@click.option("--jobs", type=JOBS, help="Threads; all cores unless given.")
@click.option("--out", metavar="DIR", default="out/theory", show_default=True, help="Folder for the page.")
def theory(seeds: int, jobs: int | None, out: str) -> None:
    """Compare with laws in closed form.

    Writes a page with figures.
    """
    from parshall_dev.theory.command import measure_and_write

    measure_and_write(seeds, jobs, out)


@validate.command()
@click.option("--only", multiple=True, metavar="CONTROL", help="This control only; may be repeated.")
@click.option(
    "--out", metavar="DIR", default="docs/validation", show_default=True, help="Folder for the page."
)
def quic(only: tuple[str, ...], out: str) -> int:
    """Compare with QUIC in real time, in three minutes.

    Each control drives quinn over the relay, and a simulated flow. The status is 0 only if goodput and
    queueing delay of all agree.
    """
    from parshall_dev.validate.quic.command import validate_quic

    return 0 if validate_quic(only, out) else FAILED


@validate.command()
@click.option("--jobs", type=JOBS, help="Threads; all cores unless given.")
@click.option("--out", metavar="FILE.md", help="File for the tables, as Markdown.")
def utilisation(jobs: int | None, out: str | None) -> None:
    """Measure each control's share of a clean link."""
    from parshall.support.files import write_file
    from parshall_dev.validate.utilisation import EXPECTED, found, page, settings

    shares = found(settings(), jobs)
    text = "\n".join(page(shares))
    if out is None:
        click.echo(text)
    else:
        write_file(Path(out), text)
    short = sum(share < EXPECTED for share in shares.values())
    click.echo(f"{len(shares)} settings, {short} with less than {100 * EXPECTED:.0f} % of the link", err=True)


@validate.command()
@click.argument("folder", metavar="DIR")
@click.option(
    "--out",
    metavar="FILE.md",
    default="docs/validation/captures.md",
    show_default=True,
    help="File for the tables, as Markdown; - prints them.",
)
def captures(folder: str, out: str) -> None:
    """Compare with captures of real TCP whose truth is known.

    The truth says what became of each frame. DIR has NAME.truth.json, NAME.labels.csv.gz and
    NAME.POINT.pcap.gz, and tools.csv beside it or in it.
    """
    from parshall.support.files import write_file
    from parshall_dev.validate.captures import DESIGN, JUDGE, judge, scenarios
    from parshall_dev.validate.captures_page import page
    from parshall_dev.validate.captures_share import judge_shares, lines

    place = Path(folder)
    known = scenarios(place)
    rest = [name for name in known if name not in (*DESIGN, *JUDGE)]
    parts = {
        "Designed on": [name for name in DESIGN if name in known],
        "Judged on": [name for name in JUDGE if name in known],
        "Neither": rest,
    }
    judged = {part: (names, judge(place, names)) for part, names in parts.items() if names}
    tools = next((file for file in (place / "tools.csv", place.parent / "tools.csv") if file.exists()), None)
    text = "\n".join([*page(judged, tools), *lines(judge_shares(place)), ""])
    if out == "-":
        click.echo(text)
    else:
        write_file(Path(out), text)


@validate.command()
@click.option("--write", metavar="FILE.md", help="Put the table between the marks of this document.")
def clauses(write: str | None) -> int:
    """List the clauses of RFCs that the code implements.

    Prints the table as Markdown. The status is 1 if a clause has neither tags, in the code and at a test, nor
    a reason why not; a line names each.
    """
    from parshall.support.files import write_file
    from parshall_dev.validate.clauses import faults, inserted, listed, page, tags

    every = listed()
    if write is None:
        click.echo("\n".join(page(every)))
    else:
        write_file(Path(write), inserted(Path(write).read_text(encoding="utf-8"), page(every)))
    wrong = faults(every, tags())
    for line in wrong:
        click.echo(line, err=True)
    return FAILED if wrong else 0


@validate.command()
@click.argument("folder", metavar="DIR", default="out")
@click.option("--write", metavar="FILE.md", help="File for the page, as Markdown.")
@click.option("--words", "only_words", is_flag=True, help="Print sentences beside the words of their claims.")
def documents(folder: str, write: str | None, only_words: bool) -> None:
    """List which sentences of the five documents hold.

    Reads DIR/STUDY/claims.json, which `parshall reproduce STUDY` writes; DIR is out unless given. With
    --words no result is read.
    """
    from parshall.support.files import write_file
    from parshall_dev.validate.documents import page, words

    text = "\n".join(words() if only_words else page(Path(folder))) + "\n"
    if write is None:
        click.echo(text, nl=False)
    else:
        write_file(Path(write), text)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print all measurements as JSON.")
def bench(as_json: bool) -> None:
    """Measure how fast the simulator is on this machine.

    Prints one line, after a few seconds.
    """
    import json

    from parshall_dev import benchmark

    figures = benchmark.measure()
    click.echo(json.dumps(benchmark.as_json(figures), indent=2) if as_json else benchmark.one_line(figures))


@click.group(no_args_is_help=False)
def calibrate() -> None:
    """Calibrate the table by which `Responsiveness` classifies flows."""


@calibrate.command()
@click.argument("folder", metavar="DIR")
@click.option(
    "--first", type=click.IntRange(0), default=0, help="Number of the first scenario; 0 unless given."
)
@click.option(
    "--last",
    type=click.IntRange(1),
    default=4000,
    help="One more than the number of the last scenario; 4000 unless given.",
)
@click.option(
    "--minutes", type=click.FloatRange(0), help="Stop after this many minutes; finished scenarios are kept."
)
def draw(folder: str, first: int, last: int, minutes: float | None) -> None:
    """Run random scenarios, and save their flows' features in DIR.

    Scenarios that DIR already has are not run again.
    """
    from parshall_dev.calibration.command import collect

    collect(Path(folder), first, last, float("inf") if minutes is None else 60 * minutes)


@calibrate.command()
@click.argument("folder", metavar="DIR")
@click.option(
    "--scenarios",
    type=click.IntRange(10),
    help="Learn from this many scenarios only, the first ones, and write nothing.",
)
def learn(folder: str, scenarios: int | None) -> None:
    """Learn from DIR, and write the table into the sources.

    Prints how well bounds hold for kinds that were left out.
    """
    from parshall_dev.calibration.command import learn as learn_from

    for line in learn_from(Path(folder), scenarios):
        click.echo(line)


@calibrate.command()
@click.option(
    "--scenarios", type=click.IntRange(1), help="Judge on this many scenarios only, the first ones."
)
@click.option(
    "--drawn", is_flag=True, help="Judge on the study's scenarios instead, the 104 with the fewest packets."
)
def judge(scenarios: int | None, drawn: bool) -> None:
    """Judge the estimator on kinds that it was not calibrated with.

    Prints a table in Markdown, from which the guide has a part.
    """
    from parshall_dev.calibration.judging import lines, lines_of_drawn

    for line in lines_of_drawn(scenarios or 104) if drawn else lines(scenarios):
        click.echo(line)


@calibrate.command()
@click.option("--scenarios", type=click.IntRange(1), default=96, help="Number of scenarios; 96 unless given.")
@click.option(
    "--budget", type=click.FloatRange(0, 1), default=0.05, help="Budget of a group; 0.05 unless given."
)
@click.option("--design", is_flag=True, help="Take the kinds to design on, not those to judge on.")
def experiments(scenarios: int, budget: float, design: bool) -> None:
    """Judge experiments on demand on drawn scenarios.

    Prints a table in Markdown.
    """
    from parshall_dev.calibration import treated

    kinds = treated.DESIGN if design else treated.JUDGING
    for line in treated.lines(kinds, scenarios, budget=budget):
        click.echo(line)
