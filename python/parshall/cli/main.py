"""The command ``parshall``. Whatever goes wrong is one line on standard error and an exit status:

1 for a fault in a scenario or the system, 2 for a fault in the command line, 130 for Ctrl-C.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parshall.cli import documents, measured
from parshall.cli.completing import completing, prepare
from parshall.cli.options import FAILED, FILES, FOLDERS, JOBS, SEEDS, form
from parshall.cli.surroundings import open_closed_streams, take_warnings
from parshall.engine.limits import MAX_SEED
from parshall.errors import ParshallError, ScenarioError
from parshall.support.terminal import echo

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


__all__ = ["cli", "main"]

MISUSED, INTERRUPTED = 2, 130

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status. No fault of input or system leaves it as an exception."""
    open_closed_streams()
    take_warnings()
    prepare()
    logging.getLogger("parshall").addHandler(_LINES)
    try:
        status = cli.main(arguments, prog_name="parshall", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "parshall"
        return _fail(f"{_plain(error.format_message())} (see {command} --help)", MISUSED)
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted", INTERRUPTED)
    except ScenarioError as error:
        return max(_fail(str(each)) for each in error.all())
    except (ParshallError, MemoryError) as error:
        return _fail(str(error) or "memory runs low")
    except BrokenPipeError:
        _silence_output()
        return FAILED
    except OSError as error:
        return _fail_for_system(error)
    except ModuleNotFoundError as error:
        if error.name != "parshall._core":
            raise
        return _fail("the compiled engine is missing; build it with make setup")
    finally:
        logging.getLogger("parshall").removeHandler(_LINES)


def _plain(message: str) -> str:
    """Replaces click's names of types."""
    for name, plain in (("integer", "whole number"), ("float", "number")):
        message = re.sub(f"is not a valid {name}( range)?", f"is not a {plain}", message)
    return message


class _Commands(click.Group):
    """The commands below, and those that installed packages offer as entry points ``parshall.commands``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_offered()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _load(cmd_name)


@click.group(cls=_Commands, context_settings=SETTINGS, invoke_without_command=True)
@click.option("--version", is_flag=True, help="Show the versions of the package and of the engine.")
@click.pass_context
def cli(context: click.Context, version: bool) -> None:
    """Simulate, estimate and study the traffic at a congested link."""
    if version:
        from parshall import __version__
        from parshall._core import ENGINE_VERSION

        echo(f"parshall {__version__} (engine {ENGINE_VERSION})")
    elif context.invoked_subcommand is None:
        echo(context.get_help())


CHANGES = click.option(
    "--set",
    "changes",
    metavar="PATH=VALUE",
    shell_complete=completing("changes"),
    multiple=True,
    help='Replace a value, such as links[bottleneck].rate="5 Mbit/s" or control=cubic; may be repeated.',
)


@cli.command()
@click.argument("file", shell_complete=FILES)
@click.option("--seed", type=click.IntRange(0, MAX_SEED), help="Seed of the random numbers; 1 unless given.")
@click.option(
    "--seeds",
    metavar="N|LIST",
    help="Run several seeds: a number of them, or a list such as 7-20 or 1,5,8-10.",
)
@CHANGES
@click.option(
    "--out",
    metavar="DIR",
    shell_complete=FOLDERS,
    help="Folder for the recording: Parquet, captures, scenario.",
)
@form(
    "table",
    "json",
    "parquet",
    help="Output; parquet prints nothing and writes to out/NAME unless --out is given.",
)
@click.option("--max-events", type=click.IntRange(1), help="Stop a run with an error after this many events.")
@click.option("--jobs", type=JOBS, help="Threads for --seeds; all cores unless given.")
@click.option("--open", "show", is_flag=True, help="Open a plot of the recording.")
def run(file: str, **options: Any) -> int:
    """Simulate the scenario in FILE; - is the standard input."""
    from parshall.cli.commands.run import run_file

    return 0 if run_file(file, **options) else FAILED


@cli.command()
@click.argument("file", shell_complete=FILES)
@click.option(
    "--listen", metavar="ADDRESS", required=True, help="Address for clients, such as 127.0.0.1:5000."
)
@click.option("--to", metavar="ADDRESS", required=True, help="Address of the server, such as 127.0.0.1:6000.")
@click.option(
    "--duration",
    metavar="TIME",
    help='Time from the first datagram to the end, such as "30 s"; FILE\'s unless given.',
)
@click.option(
    "--realtime/--no-realtime",
    default=None,
    help="Require real-time priority, or do without; by default it is used where allowed.",
)
@click.option(
    "--seed", type=click.IntRange(0, MAX_SEED), default=1, help="Seed of the random numbers; 1 unless given."
)
@CHANGES
@click.option(
    "--out", metavar="DIR", shell_complete=FOLDERS, help="Folder for the recording: Parquet and scenario."
)
@form("table", "json", help="Output.")
def link(file: str, **options: Any) -> None:
    """Relay UDP over the network in FILE, in real time.

    Clients and server talk over it, without root: links, queues, losses, conditioners and recorded capacity
    are those of the scenario in FILE, by the simulator's own code, both ways. Clients take the places of its
    flows. The clock starts with the first datagram. It ends after the duration or with Ctrl-C, and prints the
    counters of the ports and how late datagrams left.
    """
    from parshall.cli.commands.link import link_file

    link_file(file, **options)


@cli.command()
@click.argument("file", shell_complete=FILES)
@CHANGES
@click.option("--routes", is_flag=True, help="Print the nodes that each flow passes.")
def check(file: str, changes: tuple[str, ...], routes: bool) -> None:
    """Check the scenario in FILE without running it.

    - is the standard input. FILE may also be the folder of a recording or of a sweep: its files are checked
    against their checksums.
    """
    from parshall.cli.commands.given import described, in_a_line, scenario_of

    if (folder := Path(file)).is_dir():
        from parshall.support.results import check_folder

        echo(f"{file}: {check_folder(folder)}")
        return
    if not (changes or routes):
        echo(f"{file}: {described(file)}")
        return
    scenario = scenario_of(file, changes)
    echo(f"{file}: {in_a_line(scenario)}")
    for name, route in scenario.routes.items() if routes else ():
        echo(f"{name}: {route}")


@cli.command()
@click.argument("folder", metavar="DIR", shell_complete=FOLDERS)
@click.option(
    "--flow",
    "flows",
    metavar="NAME",
    shell_complete=completing("flows"),
    multiple=True,
    help="Draw this flow only; may be repeated.",
)
@click.option(
    "--port",
    "ports",
    metavar="NAME",
    shell_complete=completing("ports"),
    multiple=True,
    help="Draw this port only; may be repeated.",
)
@click.option("--from", "start", metavar="TIME", help='Draw from this instant on, such as "2.5 s".')
@click.option("--to", "end", metavar="TIME", help="Draw up to this instant.")
@click.option(
    "--metric",
    "metrics",
    metavar="NAME",
    multiple=True,
    help="Of a sweep, draw this metric only; may be repeated.",
)
@click.option("--x", metavar="NAME", help="Of a sweep, the parameter along the axis.")
@click.option(
    "--out",
    metavar="FILE",
    shell_complete=FILES,
    help="File for the figure: SVG, PNG or PDF; plot.svg in DIR unless given.",
)
@click.option("--open", "show", is_flag=True, help="Open the figure.")
def plot(folder: str, **options: Any) -> None:
    """Plot the result in DIR.

    DIR was written by parshall run --out or parshall sweep. One run is drawn as a sheet of cwnd, srtt,
    throughput, queue, delay and drops over time; a panel without data names the field of record that it
    needs. Several seeds are drawn as means and distributions, a sweep as each metric over a parameter.
    """
    from parshall.cli.commands.plot import plot_folder

    plot_folder(folder, **options)


@cli.command()
@click.argument("sides", metavar="A [B [C]]", nargs=-1, required=True, shell_complete=FILES)
@click.option("--seeds", metavar="N|LIST", help="Seeds for scenario files: a number of them (10), or a list.")
@CHANGES
@click.option("--jobs", type=JOBS, help="Threads for scenario files; all cores unless given.")
@form("table", "json", "csv", help="Output.")
@click.option(
    "--out",
    metavar="FILE",
    shell_complete=FILES,
    help="File for a figure of the differences: SVG, PNG or PDF.",
)
def compare(sides: tuple[str, ...], **options: Any) -> None:
    """Compare B, and C, with A by paired differences.

    All are scenario files, which are run with the same seeds, or folders that parshall run or parshall
    sweep wrote. --set changes all scenario files alike; of a single file it makes B.
    """
    from parshall.cli.commands.compare import compare_and_print

    compare_and_print(sides, **options)


@cli.command()
@click.argument("file", metavar="FILE.toml", shell_complete=FILES)
@click.option(
    "--kind",
    type=click.Choice(["dumbbell", "parking-lot", "red"]),
    default="dumbbell",
    show_default=True,
    help="The network to start from.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def new(file: str, kind: str, force: bool) -> None:
    """Write a commented scenario to start from."""
    from parshall.cli.commands.new import write_new

    write_new(file, kind, force)


@cli.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8425, show_default=True, help="Port; 0 takes any."
)
@click.option("--no-open", is_flag=True, help="Print the address, and open no browser.")
@click.option(
    "--out", metavar="DIR", shell_complete=FOLDERS, help="Write the page there, for any web server, and end."
)
def play(port: int, no_open: bool, out: str | None) -> None:
    """Open the playground: the engine itself, in the browser.

    Bufferbloat with one slider, eight more lessons, and any scenario by controls and TOML. Serves on this
    computer alone, until Ctrl-C; nothing is sent anywhere. In a checkout run make wasm once before.
    """
    from parshall.cli.commands.play import play as serve

    serve(port, not no_open, out)


@cli.group(invoke_without_command=True)
@click.pass_context
def cache(context: click.Context) -> None:
    """Show how many results of finished runs are kept, and where."""
    from parshall.cli.commands.cache import show

    if context.invoked_subcommand is None:
        show()


@cache.command()
@click.option(
    "--older-than", metavar="DAYS", type=click.FloatRange(0), help="Remove only results older than DAYS."
)
def clear(older_than: float | None) -> None:
    """Remove results of finished runs; they can be made again."""
    from parshall.cli.commands.cache import clear as remove

    remove(older_than)


@cli.command()
@click.option("--sweep", is_flag=True, help="Print the schema of sweep files instead.")
def schema(sweep: bool) -> None:
    """Print the JSON Schema of scenario files."""
    import json

    from parshall.scenario import json_schema

    if sweep:
        from parshall.sweep.schema import json_schema

    echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))


@cli.command()
@click.argument("file", shell_complete=FILES)
@click.option("--seeds", type=SEEDS, help="Replicates of each point; the file's unless given.")
@click.option("--jobs", type=JOBS, help="Threads; all cores unless given.")
@click.option(
    "--executor",
    metavar="WHERE",
    help="dask, or a Dask scheduler such as tcp://host:8786; this machine's cores unless given.",
)
@click.option(
    "--out",
    metavar="DIR",
    shell_complete=FOLDERS,
    help="Folder for the tables; out/NAME of the file unless given.",
)
@click.option(
    "--partition", metavar="NAME", multiple=True, help="Split the tables by this parameter; may be repeated."
)
@click.option("--no-cache", is_flag=True, help="Neither use nor keep results in the cache.")
@click.option("--dry-run", is_flag=True, help="Only list the points, and how many runs are missing.")
def sweep(file: str, dry_run: bool, **options: Any) -> int:
    """Run a scenario over parameters and seeds.

    FILE names both. Results are written as tidy tables.

    Finished runs are kept: after Ctrl-C, or when parameters are added to FILE, the same command runs
    the missing ones. A run that fails is named and does not stop the rest; the status is then 1.

    The tables runs, flows and ports are Parquet data sets in DIR, with a column for each parameter.
    """
    from parshall.sweep.command import list_points, run_and_write

    if dry_run:
        list_points(file, options["seeds"], not options["no_cache"])
        return 0
    return 0 if run_and_write(file, **options) else FAILED


@cli.group(no_args_is_help=False)
def qdisc() -> None:
    """Read the queue disciplines of this machine."""


@qdisc.command()
@click.option("--device", metavar="NAME", help="Read this network device only.")
@click.option(
    "--out",
    metavar="FILE",
    shell_complete=FILES,
    help="File to write at once, instead of standard output.",
)
def export(device: str | None, out: str | None) -> None:
    """Print backlog, drops, marks and estimates for Prometheus.

    Reads once, by netlink, without privileges: for the textfile collector of node_exporter, or for a
    web server that runs a command.
    """
    from parshall.qdisc.command import export_qdiscs

    export_qdiscs(device, out)


for _command in (*measured.COMMANDS, *documents.COMMANDS):
    cli.add_command(_command)


def _offered() -> dict[str, EntryPoint]:
    """Commands of other packages, by name."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group="parshall.commands")}


def _load(name: str) -> click.Command | None:
    """A command of another package, if one offers it. Raises ParshallError for one that cannot be loaded."""
    if (point := _offered().get(name)) is None:
        return None
    try:
        command: click.Command = point.load()
        return command
    except Exception as error:
        raise ParshallError(f"command {name} ({point.value}): {type(error).__name__}: {error}") from error


class _Lines(logging.Handler):
    """Log messages, as lines on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        echo(f"parshall: {record.getMessage()}", err=True)


_LINES = _Lines()


def _fail(message: str, status: int = FAILED) -> int:
    echo(f"parshall: {' '.join(message.split())}", err=True)
    return status


def _fail_for_system(error: OSError) -> int:
    """An error that no part claimed as its own: writing to standard output, most likely."""
    from parshall.support.causes import reason

    if error.filename is None:
        _silence_output()
    return _fail(f"{error.filename or 'standard output'}: {reason(error)}")


def _silence_output() -> None:
    """Lets the interpreter end without a second complaint about an output that takes nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
