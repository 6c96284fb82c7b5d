"""Drawings that stand inside a page: the same bytes each time, text as text, colours as roles."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from parshall import plot


def _svg(ident: str = "fig-1") -> str:
    with plot.drawing(columns=2) as (canvas, axes):
        for axis, colour in zip(axes, plot.SERIES, strict=False):
            axis.fill_between([0, 1, 2], [0, 1, 0], [1, 2, 1], color=colour, alpha=0.3)
            axis.plot([0, 1, 2], [1.0, 3.0, 2.0], marker="o", color=colour, label="a & b <c>")
        plot.legend_of(canvas, axes, columns=1)
        return plot.to_svg(canvas, ident, "A title", "What is to be seen & more.")


# --- Heat maps ----------------------------------------------------------------------------------------------


def _heat_map(values: np.ndarray, **labels: list[str]) -> str:
    with plot.drawing() as (canvas, (axis,)):
        plot.heat_map(axis, values, low=0.0, high=1.0, text=lambda v: f"{v:.2f}", **labels)
        return plot.to_svg(canvas, "map", "A map", "Four cells.")


def test_a_heat_map_shows_each_number_on_its_colour() -> None:
    svg = _heat_map(np.array([[0.0, 0.25], [1.0, np.nan]]), rows=["a", "b"], columns=["c", "d"])
    texts = re.findall(r">([^<>]+)</text>", svg)
    assert {"0.00", "0.25", "1.00", "a", "b", "c", "d"} <= set(texts)
    assert not any("nan" in text for text in texts)
    # Fixed colours: a number must stay readable on its cell on a dark page too.
    fills = re.findall(r"fill: (#[0-9a-f]{6})", svg)
    assert len(set(fills)) >= 5  # three cells, and both inks
    assert {"#ffffff", "#101010"} <= set(fills)


def test_the_colours_of_a_heat_map_grow_darker() -> None:
    fills = []
    for value in (0.0, 0.5, 1.0):
        svg = _heat_map(np.array([[value]]))
        (fill,) = re.findall(r'<path d="[^"]*" clip-path="[^"]*" style="fill: (#[0-9a-f]{6})', svg)
        fills.append(sum(int(fill[i : i + 2], 16) for i in (1, 3, 5)))
    assert fills == sorted(fills, reverse=True)
    assert fills[0] > 1.5 * fills[-1]


# --- Figures ------------------------------------------------------------------------------------------------


def test_the_same_drawing_gives_the_same_bytes() -> None:
    assert _svg() == _svg()


def test_text_stays_text_and_colours_are_roles() -> None:
    svg = _svg()
    assert "a &amp; b &lt;c&gt;</text>" in svg
    assert "sans-serif" in svg
    assert "DejaVu Sans', sans-serif" in svg  # last of the family, after the reader's own
    # What is left of fixed colours are the fallbacks of roles.
    assert not re.search(r"(?<!, )#[0-9a-fA-F]{6}", svg)
    assert "var(--fig-series-1, #0068a8)" in svg


def test_nothing_of_a_figure_reaches_the_rest_of_the_page() -> None:
    svg = _svg()
    assert "<style" not in svg
    assert "<metadata" not in svg
    assert "xmlns" not in svg
    assert not re.search(r"<svg[^>]* (width|height)=", svg)


def test_a_drawing_has_no_more_than_it_shows() -> None:
    svg = _svg()
    referred = {*re.findall(r"#([\w.:-]+)[\"')]", svg), "fig-1-title", "fig-1-desc"}
    assert set(re.findall(r' id="([^"]*)"', svg)) <= referred
    assert not re.search(r"\d\.\d{3}|>\s+<|rotate\(-?0 |<g>", svg)
    assert svg.count("sans-serif") == 1  # once for all text


def test_a_figure_can_stand_alone() -> None:
    root = ET.fromstring(plot.standalone(_svg()))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    text = ET.tostring(root, encoding="unicode")
    assert "var(" not in text
    assert "#0068a8" in text


def test_drawing_leaves_matplotlib_as_it_was() -> None:
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    before = dict(mpl.rcParams)
    _svg()
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([0.5, 3.0, 40.0], [1.0, 1.4, 1.6]),
        ([0.0, 3.0, 40.0], [1.0, 10.0, 1e4]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([2.0], [2.0]),
    ],
)
def test_logarithmic_axes_have_ticks_in_range_and_a_place_for_zero(x: list[float], y: list[float]) -> None:
    with plot.drawing() as (canvas, (axis,)):
        axis.plot(x, y, "o")
        plot.log_axis(axis.xaxis, x)
        plot.log_axis(axis.yaxis, y)
        plot.to_svg(canvas, "f", "t", "d")
        for values, ticks, limits in (
            (x, axis.get_xticks(), axis.get_xlim()),
            (y, axis.get_yticks(), axis.get_ylim()),
        ):
            assert (0.0 in ticks) is (min(values) <= 0)
            assert limits[0] <= min(values)
            assert max(values) <= limits[1]
            if max(values) > 1.3 * min(v for v in (*values, 1e9) if v > 0):
                assert len([tick for tick in ticks if limits[0] <= tick <= limits[1]]) >= 3


def test_each_thing_stands_once_in_the_legend_of_several_panels() -> None:
    assert _svg().count("a &amp; b &lt;c&gt;</text>") == 1


def test_a_title_and_a_description_are_read_out() -> None:
    root = ET.fromstring(_svg("plan"))
    title, description = root[0], root[1]
    assert (title.tag, title.text) == ("title", "A title")
    assert (description.tag, description.text) == ("desc", "What is to be seen & more.")
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.get("id") == "plan-title"


def test_every_role_has_a_light_and_a_dark_colour_and_every_series_its_own_marker() -> None:
    assert set(plot.LIGHT) == set(plot.DARK)
    assert len(set(plot.SERIES)) == len(set(plot.MARKERS)) == len(plot.SERIES) == len(plot.MARKERS)
