"""The command ``plot``: the sheet of a recording that was written, as a picture beside it or elsewhere."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parshall.errors import InputError, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SUFFIXES", "open_picture", "plot_folder", "write_picture"]

SUFFIXES = (".svg", ".png", ".pdf")


def plot_folder(
    folder: str,
    *,
    flows: Sequence[str],
    ports: Sequence[str],
    out: str | None,
    start: str | None = None,
    end: str | None = None,
    show: bool = False,
) -> None:
    """Draws the recording in a folder into ``out``, ``plot.svg`` in it unless given, and opens it if asked.

    Of named flows alone no port is drawn, and the other way round. Raises ParshallError for a folder that
    holds no recording, InputError for a name that is not there.
    """
    from parshall.recording import Recording
    from parshall.recording.pictures import plot_recording

    recording = Recording.load(folder)
    canvas = plot_recording(
        recording,
        flows or (() if ports else None),
        ports or (() if flows else None),
        start=0.0 if start is None else start,
        end=end,
    )
    written = write_picture(canvas, Path(folder) / "plot.svg" if out is None else Path(out))
    click.echo(f"{written} written")
    if show:
        open_picture(written)


def open_picture(file: Path) -> None:
    """Shows a picture in the browser."""
    import webbrowser

    webbrowser.open(file.absolute().as_uri())


def write_picture(canvas: Figure, file: Path) -> Path:
    """Writes a figure in the format that the name of the file says. Raises InputError and OutputError."""
    import matplotlib as mpl

    from parshall.plot import themed
    from parshall.support.files import failing_as

    if file.suffix not in SUFFIXES:
        raise InputError("--out", shown(str(file)), f"a name that ends in {', '.join(SUFFIXES)}")
    with failing_as(file), mpl.rc_context({"svg.hashsalt": "parshall", "svg.fonttype": "path"}):
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".svg":
            text = io.StringIO()
            canvas.savefig(text, format="svg", metadata={"Date": None})
            file.write_text(themed(text.getvalue()), encoding="utf-8")
        else:
            metadata = {".pdf": {"CreationDate": None}}.get(file.suffix)
            canvas.savefig(file, dpi=160, metadata=metadata)
    return file
