"""Commands that list studies and make the tables and figures of documents again."""

from __future__ import annotations

from typing import Any

import click

from parshall.cli.completing import completing
from parshall.cli.options import FAILED, FOLDERS, JOBS, SEEDS
from parshall.errors import ParshallError
from parshall.support.terminal import echo

__all__ = ["COMMANDS"]


@click.command()
def studies() -> int:
    """List the studies. The status is 0 only if all can be loaded."""
    from parshall.studies import framework

    found = list(framework().try_studies())
    known = [each for each in found if not isinstance(each, ParshallError)]
    width = max((len(study.name) for study in known), default=0)
    for study in known:
        echo(f"{study.name:<{width}}  {study.title}")
    for each in found:
        if isinstance(each, ParshallError):
            echo(f"parshall: {each}", err=True)
    return 0 if known == found else FAILED


@click.command()
@click.argument("study", shell_complete=completing("studies"))
@click.option("--seeds", type=SEEDS, help="Number of seeds; the study's own unless given.")
@click.option("--jobs", type=JOBS, help="Threads; all cores unless given.")
@click.option(
    "--out",
    metavar="DIR",
    shell_complete=FOLDERS,
    help="Folder for the report; out/STUDY, or the folder of --from, unless given.",
)
@click.option(
    "--data",
    metavar="DIR",
    shell_complete=FOLDERS,
    multiple=True,
    help="A folder of measured data; may be repeated.",
)
@click.option(
    "--from",
    "source",
    metavar="DIR",
    shell_complete=FOLDERS,
    help="Make the report again from the tables in DIR; nothing is run.",
)
@click.option("--full", is_flag=True, help="Run the whole document where a study does less by default.")
@click.option("--quick", is_flag=True, help="Run a part with few seeds: a preliminary answer in a minute.")
@click.option("--no-cache", is_flag=True, help="Neither use nor keep results in the cache.")
@click.option("--verbose", is_flag=True, help="Show every claim with the interval that decided it.")
def reproduce(study: str, no_cache: bool, **options: Any) -> None:
    """Re-run every table and figure of a document.

    STUDY is a name that parshall studies lists.

    Measured data is looked for in the folders that --data or PARSHALL_DATA name; what is absent is
    left out, and the report says so.
    """
    from parshall import studies as of
    from parshall.support.console import PlainConsole

    of.reproduce(study, cache=not no_cache, console=PlainConsole(), **options)


COMMANDS = (studies, reproduce)
