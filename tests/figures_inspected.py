"""Inspection of Matplotlib figures: what lies outside its axes or the figure, and texts that overlap."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations

import matplotlib.figure
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import Collection, LineCollection, PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

SLACK = 1.5
"""Pixels by which something may exceed its frame."""


def faults_of(figure: Figure, *, cropped: bool = False) -> list[str]:
    """Says what is wrong with a figure, a line for each fault; none of a good one.

    Every finite point of a line or collection, and every bar, must lie inside its axes, every text inside
    the figure; no two texts, legends or tick labels overlap. ``cropped`` is for a figure of a part of the
    time, in which lines go on outside.
    """
    canvas = FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canvas.draw()
    found = [] if cropped else [fault for axes in _visible(figure) for fault in _outside(axes)]
    boxes = list(_texts(figure))
    whole = figure.bbox
    for name, box in boxes:
        if not _contains(whole, box):
            found.append(f"{name} leaves the figure: {_rounded(box)} of {_rounded(whole)}")
    for (name, box), (other, another) in combinations(boxes, 2):
        if _overlap(box, another) and {name, other} != {"legend"}:
            found.append(f"{name} and {other} overlap: {_rounded(box)}, {_rounded(another)}")
    return found


@contextmanager
def figures_drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Figure]]:
    """The figures that are made inside the block, whatever becomes of them."""
    made: list[Figure] = []

    class Noted(Figure):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)  # type: ignore[arg-type]
            made.append(self)

    with monkeypatch.context() as patched:
        patched.setattr(matplotlib.figure, "Figure", Noted)
        yield made


def _visible(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_visible()]


# --- Data ---------------------------------------------------------------------------------------------------


def _outside(axes: Axes) -> Iterator[str]:
    frame = axes.get_window_extent()
    if min(frame.width, frame.height) < 20:
        yield f"axes of {frame.width:.0f} by {frame.height:.0f} pixels"
    for line in axes.lines:
        if line.get_visible():
            points = line.get_transform().transform(line.get_xydata())
            yield from _points_outside(frame, points, f"line {line.get_label()!r}")
    for collection in axes.collections:
        if collection.get_visible():
            points = _vertices(collection)
            yield from _points_outside(frame, points, type(collection).__name__)
    for patch in axes.patches:
        if patch.get_visible() and not _contains(frame, patch.get_window_extent()):
            yield f"a bar leaves the axes: {_rounded(patch.get_window_extent())} of {_rounded(frame)}"


def _vertices(collection: Collection) -> np.ndarray:
    """Points of a collection in pixels."""
    if isinstance(collection, PathCollection):
        return collection.get_offset_transform().transform(np.ma.filled(collection.get_offsets(), np.nan))
    assert isinstance(collection, LineCollection | PolyCollection), type(collection)
    paths = [path.vertices for path in collection.get_paths() if len(path.vertices)]
    return collection.get_transform().transform(np.concatenate(paths)) if paths else np.empty((0, 2))


def _points_outside(frame: Bbox, points: np.ndarray, name: str) -> Iterator[str]:
    finite = points[np.isfinite(points).all(axis=1)]
    inside = np.array([_contains(frame, Bbox([point, point])) for point in finite], dtype=bool)
    if not inside.all():
        yield f"{(~inside).sum()} of {len(finite)} points of {name} lie outside {_rounded(frame)}"


# --- Text ---------------------------------------------------------------------------------------------------


def _texts(figure: Figure) -> Iterator[tuple[str, Bbox]]:
    """Boxes of all texts and legends by name."""
    for name in ("_suptitle", "_supxlabel", "_supylabel"):
        yield from _box(name.strip("_"), getattr(figure, name))
    for legend in figure.legends:
        yield "legend", legend.get_window_extent()
    for text in figure.texts:
        if text not in (figure._suptitle, figure._supxlabel, figure._supylabel):  # type: ignore[attr-defined]
            yield from _box("text", text)
    for number, axes in enumerate(_visible(figure)):
        for name, box in _texts_of(axes):
            yield name if name == "legend" else f"{name} of axes {number}", box


def _texts_of(axes: Axes) -> Iterator[tuple[str, Bbox]]:
    for title in (axes.title, axes._left_title, axes._right_title):  # type: ignore[attr-defined]
        yield from _box("title", title)
    for side in (axes.xaxis, axes.yaxis):
        yield from _box("label", side.label)
        yield from _box("offset", side.get_offset_text())
        for label in filter(lambda label: _is_within(axes, label), side.get_ticklabels()):
            yield from _box(f"tick {label.get_text()!r}", label)
    for text in axes.texts:
        yield from _box(f"text {text.get_text()!r}", text)
    if (legend := axes.get_legend()) is not None:
        yield "legend", legend.get_window_extent()


def _is_within(axes: Axes, text: Text) -> bool:
    """Returns whether a tick label belongs to a tick within the limits; Matplotlib draws no others."""
    place = text.get_position()
    is_x = text in axes.xaxis.get_ticklabels()
    low, high = sorted(axes.get_xlim() if is_x else axes.get_ylim())
    return low <= place[0 if is_x else 1] <= high


def _box(name: str, text: Text | None) -> Iterator[tuple[str, Bbox]]:
    if text is not None and text.get_visible() and text.get_text().strip():
        yield name, text.get_window_extent()


# --- Boxes --------------------------------------------------------------------------------------------------


def _contains(frame: Bbox, box: Bbox) -> bool:
    return (
        box.x0 >= frame.x0 - SLACK
        and box.y0 >= frame.y0 - SLACK
        and box.x1 <= frame.x1 + SLACK
        and box.y1 <= frame.y1 + SLACK
    )


def _overlap(box: Bbox, other: Bbox) -> bool:
    across = min(box.x1, other.x1) - max(box.x0, other.x0)
    down = min(box.y1, other.y1) - max(box.y0, other.y0)
    return across > SLACK and down > SLACK


def _rounded(box: Bbox) -> str:
    return f"({box.x0:.0f}, {box.y0:.0f}) to ({box.x1:.0f}, {box.y1:.0f})"
