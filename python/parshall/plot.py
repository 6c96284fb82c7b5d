"""The look of every figure, and the way from a Matplotlib figure to an SVG that stands inside a page.

Figures are drawn about 4.2 inches wide, so that their text is readable on a phone. Colours are roles ("ink",
"series 1"), which the page turns into light or dark ones; the same input gives the same bytes.
"""

from __future__ import annotations

import io
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis
    from matplotlib.figure import Figure as Canvas
    from matplotlib.patches import Rectangle
    from numpy.typing import NDArray


__all__ = [
    "DARK",
    "FAINT",
    "GRID",
    "INK",
    "LIGHT",
    "MARKERS",
    "PAPER",
    "SERIES",
    "WIDTH",
    "drawing",
    "figure_bytes",
    "heat_map",
    "legend_of",
    "log_axis",
    "shortened",
    "standalone",
    "themed",
    "to_svg",
]

WIDTH = 4.2
"""Inches; at 96 px an inch a little more than a phone's screen."""

INK = "#1a1c1e"
"""Text, axes, and the document's own values."""
PAPER = "#fdfdfe"
"""Text on a filled shape."""
FAINT = "#62676d"
"""Secondary text and reference lines."""
GRID = "#d9dce0"
"""Grid lines and bands."""
SERIES = ("#0068a8", "#c44e00", "#007d5c", "#a1458f", "#8a6d00", "#3f8fbd", "#5b5fc7", "#8c4a3a")
"""Data. Distinct in luminance or hue for the common forms of colour blindness (after Okabe and Ito, 2008)."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
"""One per series, so that no series is told by colour alone."""

LIGHT: Mapping[str, str] = {
    "ink": INK,
    "faint": FAINT,
    "grid": GRID,
    "paper": PAPER,
    **{f"series-{i}": colour for i, colour in enumerate(SERIES, start=1)},
}
"""The roles on a light page, which are also what Matplotlib draws with."""

DARK: Mapping[str, str] = {
    "ink": "#e6e8ea",
    "faint": "#a2a8ae",
    "grid": "#3a3f45",
    "paper": "#101214",
    "series-1": "#5cb3ea",
    "series-2": "#f58f4e",
    "series-3": "#3fc79b",
    "series-4": "#dd8fcf",
    "series-5": "#d9bd4a",
    "series-6": "#8ccdf2",
    "series-7": "#a5a8f5",
    "series-8": "#d99a8b",
}
"""Colours of the roles on a dark page."""

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "parshall",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.edgecolor": FAINT,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
}

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_FAMILY_STYLE = "font-family: 'DejaVu Sans', sans-serif"
_FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


@contextmanager
def drawing(
    height: float = 2.9,
    *,
    rows: int = 1,
    columns: int = 1,
    width: float = WIDTH,
    paper: bool = False,
    **options: Any,
) -> Iterator[tuple[Canvas, list[Axes]]]:
    """A canvas and its axes, row by row, in the common style. Inches; ``options`` go to ``Figure.subplots``.

    ``paper`` fills the background, for pictures that do not become part of a page: on a dark one their text
    could not be read. No global figure is made, so several threads may draw at once.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure as Canvas

    with mpl.rc_context(_STYLE | {"savefig.facecolor": "auto"} if paper else _STYLE):
        canvas = Canvas(figsize=(width, height), layout="constrained")
        if paper:
            canvas.set_facecolor(PAPER)
        axes = canvas.subplots(rows, columns, squeeze=False, **options)
        yield canvas, [axis for row in axes for axis in row]


def to_svg(canvas: Canvas, ident: str, title: str, description: str) -> str:
    """The canvas as an SVG element to be put into a page: unique ids, a title and a description, no fixed
    size.

    ``ident`` is the figure's id in the page; call it inside the :func:`drawing` block.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.BytesIO()
    # Not savefig, which draws everything twice; constrained layout needs no rehearsal.
    absent = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    FigureCanvasSVG(canvas).print_svg(buffer, metadata=absent)  # type: ignore[no-untyped-call]
    root = ET.fromstring(buffer.getvalue())
    _drop_foreign(root)
    _rename_ids(root, ident)
    _describe(root, ident, title, description)
    _slim(root)
    # What Matplotlib's style sheet says; a style element inside a page would reach the whole page.
    root.set("style", f"stroke-linejoin: round; stroke-linecap: butt; {_FAMILY_STYLE}")
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    return _by_role(ET.tostring(root, encoding="unicode"))


def figure_bytes(canvas: Canvas, form: str) -> bytes:
    """The content of a file of its own with a figure; ``form`` is ``svg``, ``png`` or ``pdf``. Equal figures
    give equal bytes.
    """
    import matplotlib as mpl

    content = io.BytesIO()
    date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    with mpl.rc_context({"svg.hashsalt": "parshall", "svg.fonttype": "path"}):
        canvas.savefig(content, format=form, dpi=160, metadata=date)
    return themed(content.getvalue().decode()).encode() if form == "svg" else content.getvalue()


def standalone(svg: str) -> str:
    """An element made by :func:`to_svg` as a file of its own: with a ground, a namespace, and the colours of
    a dark page for readers who prefer that.
    """
    svg = re.sub(r"var\(--fig-[a-z0-9-]+, (#[0-9a-f]{6})\)", r"\1", svg)
    svg = svg.replace("<svg ", f'<svg xmlns="{_SVG}" ', 1)
    ground = rf'\1<rect width="100%" height="100%" style="fill: {PAPER}" />'
    return themed(re.sub(r"(</desc>)", ground, svg, count=1)) + "\n"


def themed(svg: str) -> str:
    """An SVG file with the colours of a light page, as one that takes those of a dark page where the reader
    prefers dark ones. Programs that know nothing of that show the light ones.
    """
    rules = [
        f'[style*="{what}: {colour}"] {{ {what}: {DARK[role]} !important }}'
        for role, colour in LIGHT.items()
        for what in ("fill", "stroke")
        if f"{what}: {colour}" in svg
    ]
    style = f"<style>@media (prefers-color-scheme: dark) {{ {' '.join(rules)} }}</style>"
    return re.sub(r"(<svg [^>]*>)", lambda found: f"{found[1]}{style}", svg, count=1)


# --- Pieces that figures share ------------------------------------------------------------------------------


def legend_of(canvas: Canvas, axes: Sequence[Axes], *, columns: int) -> None:
    """One legend of all panels above them, each thing once, in so many columns, or in fewer where it would be
    wider than the canvas.
    """
    found: dict[str, Any] = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    for wide in range(columns if found else 0, 0, -1):
        legend = canvas.legend(list(found.values()), list(found), loc="outside upper center", ncols=wide)
        canvas.draw_without_rendering()
        if wide == 1 or legend.get_window_extent().width <= canvas.bbox.width:
            return
        legend.remove()


def heat_map(
    axis: Axes,
    values: NDArray[np.float64],
    *,
    low: float,
    high: float,
    text: Callable[[float], str],
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> None:
    """A grid of coloured cells with a number in each; the first row is at the top, NaN leaves a cell empty.

    The colour goes from light to dark between ``low`` and ``high``, which panels that are compared share. The
    colours stay the same on a dark page, and so does the ink on them.
    """
    import numpy as np
    from matplotlib.colors import to_hex

    height, width = values.shape
    span = high - low
    for (row, column), value in np.ndenumerate(values):
        if not np.isfinite(value):
            continue
        shade = _shade((value - low) / span if span > 0 else 0.5)
        corner = (column - 0.5, row - 0.5)
        ink = "#ffffff" if _luminance(shade) < 0.4 else "#101010"
        cell = axis.add_patch(_cell(corner, to_hex(shade)))
        label = axis.text(
            column, row, text(value), color=ink, fontsize=6.8, ha="center", va="center_baseline"
        )
        for part in (cell, label):  # both inside the axes: measuring them takes time and changes nothing
            part.set_in_layout(False)
    axis.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    axis.set_xticks(range(width), list(columns) or [""] * width)
    axis.set_yticks(range(height), list(rows) or [""] * height)
    axis.tick_params(length=0, pad=2)
    axis.grid(visible=False)
    for spine in axis.spines.values():
        spine.set_visible(False)


def _cell(corner: tuple[float, float], colour: str) -> Rectangle:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, 1, 1, facecolor=colour, edgecolor="#ffffff", linewidth=0.8)


def _shade(place: float) -> tuple[float, float, float]:
    """A colour of the scale from light (0) to dark (1), which rises evenly for the colour blind too."""
    import matplotlib as mpl

    red, green, blue, _ = mpl.colormaps["YlGnBu"](0.03 + 0.87 * min(max(place, 0.0), 1.0))
    return red, green, blue


def _luminance(colour: tuple[float, float, float]) -> float:
    """Between 0 (black) and 1, roughly as the eye sees it."""
    red, green, blue = colour
    return 0.299 * red + 0.587 * green + 0.114 * blue


def log_axis(side: XAxis | YAxis, values: Sequence[float]) -> None:
    """A logarithmic axis with plain numbers, and a place for zero if it occurs.

    ``values`` are what is drawn along it, before or after. The limits follow from what is drawn.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    known = [float(value) for value in values if math.isfinite(value)]
    above = [value for value in known if value > 0]
    least, most = (min(above), max(above)) if above else (0.1, 10.0)
    ticks = _log_ticks(least, most)
    set_scale = getattr(side.axes, f"set_{side.axis_name}scale")
    if len(above) < len(known):
        set_scale("symlog", linthresh=least, linscale=0.3)
        ticks = [0.0, *ticks]
    else:
        set_scale("log")
    side.set_major_locator(FixedLocator(ticks))
    side.set_minor_locator(NullLocator())
    side.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    side.set_minor_formatter(NullFormatter())


_MOST_TICKS = 8


def _log_ticks(low: float, high: float) -> list[float]:
    """One to eight round numbers between two others, for a logarithmic axis; three at least, unless they are
    nearly equal.
    """
    from matplotlib.ticker import MaxNLocator

    if high <= 1.05 * low:
        return [low]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        found = [step * 10.0**decade for decade in decades for step in steps]
        inside = [tick for tick in found if low <= tick <= high]
        if len(inside) >= 3:
            return inside[:: -(-len(inside) // _MOST_TICKS)]
    return [float(tick) for tick in MaxNLocator(5).tick_values(low, high) if low <= tick <= high]


def shortened(text: str, most: int = 40) -> str:
    """Text of at most so many characters: of a longer one the beginning and the end."""
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[:half]}\N{HORIZONTAL ELLIPSIS}{text[-half:]}"


# --- From Matplotlib's SVG to the page's --------------------------------------------------------------------


def _drop_foreign(root: ET.Element) -> None:
    """No metadata, no style sheet, no namespaces: inside a page the parser knows SVG by its element."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
        parent.tag = parent.tag.removeprefix(f"{{{_SVG}}}")
        link = parent.attrib.pop(f"{{{_XLINK}}}href", None)
        if link is not None:
            parent.set("href", link)


def _rename_ids(root: ET.Element, ident: str) -> None:
    """Put the figure's id before every id and reference: several figures share a page."""
    reference = re.compile(r"url\(#([^)]+)\)")
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if key == "id":
                element.set(key, f"{ident}-{value}")
            elif key == "href":
                element.set(key, f"#{ident}-{value.removeprefix('#')}")
            elif "url(#" in value:
                element.set(key, reference.sub(rf"url(#{ident}-\1)", value))


def _describe(root: ET.Element, ident: str, title: str, description: str) -> None:
    """A title and a description, for those who do not see the figure."""
    root.set("role", "img")
    root.set("aria-labelledby", f"{ident}-title {ident}-desc")
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(tag, {"id": f"{ident}-{tag}"})
        element.text = text
        root.insert(position, element)


def _slim(root: ET.Element) -> None:
    """Leaves out what shows nothing: names that nothing refers to, groups without attributes, blanks, turns
    by nothing, and decimals beyond a hundredth of a point. It is more than half of a figure.
    """
    used = {
        name
        for element in root.iter()
        for value in element.attrib.values()
        for name in re.findall(r"#([\w.:-]+)", value)
    }
    used.update(root.get("aria-labelledby", "").split())
    for element in root.iter():
        attributes = element.attrib
        if attributes.get("id") not in used:
            attributes.pop("id", None)
        if re.match(r"rotate\(-?0 ", attributes.get("transform", "")):
            del attributes["transform"]
        for name in attributes.keys() & {"d", "x", "y", "width", "height", "transform", "points"}:
            attributes[name] = _rounded(attributes[name])
        if "style" in attributes and element is not root:
            attributes["style"] = attributes["style"].replace(f"{_FAMILY_STYLE}; ", "")
        for part in ("text", "tail"):
            if not (getattr(element, part) or "").strip():
                setattr(element, part, None)
    _unwrap(root)


def _rounded(numbers: str) -> str:
    found = re.sub(r"-?\d+\.\d{3,}", lambda each: f"{float(each[0]):.2f}".rstrip("0").rstrip("."), numbers)
    return re.sub(r"\s+", " ", found).strip()


def _unwrap(parent: ET.Element) -> None:
    """Puts the children of groups without attributes in their place."""
    for child in list(parent):
        _unwrap(child)
        if child.tag == "g" and not child.attrib:
            place = list(parent).index(child)
            parent.remove(child)
            for offset, grandchild in enumerate(list(child)):
                parent.insert(place + offset, grandchild)


def _by_role(svg: str) -> str:
    """Colours become variables of the page, with the light one as a fallback; fonts become generic."""
    for role, colour in LIGHT.items():
        svg = re.sub(rf"(?<!, ){colour}\b", f"var(--fig-{role}, {colour})", svg, flags=re.IGNORECASE)
    return svg.replace("'DejaVu Sans', sans-serif", _FAMILY)
