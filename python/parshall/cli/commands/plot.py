"""The command ``plot``: a picture of a result in a folder, beside it or elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parshall.errors import InputError, shown
from parshall.support.results import MANIFESTS, manifest_in, reading
from parshall.support.terminal import echo

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SUFFIXES", "open_picture", "plot_folder", "write_picture"]

SUFFIXES = (".svg", ".png", ".pdf")


_OPTIONS = {
    "x": "--x",
    "metrics": "--metric",
    "start": "--from",
    "end": "--to",
    "flow": "--flow",
    "flows": "--flow",
    "port": "--port",
    "ports": "--port",
}
"""Options of the command by the arguments of what draws."""


def plot_folder(
    folder: str,
    *,
    flows: Sequence[str] = (),
    ports: Sequence[str] = (),
    start: str | None = None,
    end: str | None = None,
    metrics: Sequence[str] = (),
    x: str | None = None,
    out: str | None = None,
    show: bool = False,
) -> None:
    """Draws what is in a folder into ``out``, ``plot.svg`` in it unless given, and opens it if asked: a
    recording over time, runs with several seeds, or a sweep.

    Where only flows are named no port is drawn, and the other way round. Raises ParshallError for a folder
    without a result, InputError for a name that is not there and for options of another kind of folder.
    """
    from parshall.cli.commands.pictures import ensemble_picture, sweep_picture

    place = Path(folder)
    of_recording: dict[str, Any] = {"--flow": flows, "--port": ports, "--from": start, "--to": end}
    of_sweep: dict[str, Any] = {"--metric": metrics, "--x": x}
    found = manifest_in(place)
    if found == "sweep.json":
        _refuse(of_recording, f"none: {folder} is a sweep")
        drawn = partial(sweep_picture, place, metrics, x)
    elif found == "ensemble.json":
        _refuse(of_recording | of_sweep, f"none: {folder} has runs of several seeds")
        drawn = partial(ensemble_picture, place)
    else:
        _refuse(of_sweep, f"none: {folder} is no sweep")
        drawn = partial(_sheet, folder, flows, ports, start, end)
    try:
        with reading(place, MANIFESTS.get(found or "", "a recording")):
            canvas = drawn()
    except InputError as error:
        raise InputError(_OPTIONS.get(error.path, error.path), error.value, error.expected) from None
    written = write_picture(canvas, place / "plot.svg" if out is None else Path(out))
    echo(f"{written} written")
    if show:
        open_picture(written)


def open_picture(file: Path) -> None:
    """Shows a picture in the browser."""
    import webbrowser

    webbrowser.open(file.absolute().as_uri())


def _refuse(options: Mapping[str, Any], expected: str) -> None:
    for name, given in options.items():
        if given:
            raise InputError(name, shown(given if isinstance(given, str) else given[0]), expected)


def _sheet(
    folder: str, flows: Sequence[str], ports: Sequence[str], start: str | None, end: str | None
) -> Figure:
    from parshall.recording import Recording
    from parshall.recording.pictures import plot_recording

    return plot_recording(
        Recording.load(folder),
        flows or (() if ports else None),
        ports or (() if flows else None),
        start=0.0 if start is None else _seconds("--from", start),
        end=None if end is None else _seconds("--to", end),
    )


def _seconds(option: str, text: str) -> float:
    """A time with its unit, or a number of seconds."""
    from parshall.units import parse_duration

    try:
        return parse_duration(f"{text} s" if text.strip()[-1:].isdigit() else text)
    except InputError as error:
        raise InputError(option, shown(text), error.expected) from None


def write_picture(canvas: Figure, file: Path) -> Path:
    """Writes a figure in the format that the name of the file says. Raises InputError and OutputError."""
    from parshall.plot import figure_bytes
    from parshall.support.files import write_file

    if file.suffix not in SUFFIXES:
        raise InputError("--out", shown(str(file)), f"a name that ends in {', '.join(SUFFIXES)}")
    write_file(file, figure_bytes(canvas, file.suffix[1:]))
    return file
