"""The figure of ``parshall validate quic``: queueing delay over time, a panel a control."""

from __future__ import annotations

from collections.abc import Sequence

from parshall.plot import SERIES, drawing, legend_of, standalone, to_svg
from parshall_dev.validate.quic.transfers import Compared

__all__ = ["figure"]

_TITLE = "Queueing delay by control, simulated and by QUIC"


def figure(results: Sequence[Compared]) -> str:
    """The figure as SVG."""
    rows = (len(results) + 1) // 2
    with drawing(0.5 + 1.2 * rows, rows=rows, columns=2, sharex=True) as (canvas, axes):
        for axis, result in zip(axes, results, strict=False):
            for measured, colour, label in (
                (result.simulated, SERIES[0], "simulated"),
                (result.real, SERIES[1], "by QUIC"),
            ):
                axis.plot(measured.times, 1e3 * measured.delays, color=colour, linewidth=0.6, label=label)
            axis.set_title(result.candidate.name, fontsize="small")
            axis.set_ylim(bottom=0)
        for axis in axes[len(results) :]:
            axis.set_visible(False)
        canvas.supxlabel("time (s)", fontsize="small")
        canvas.supylabel("queueing delay (ms)", fontsize="small")
        legend_of(canvas, axes[: len(results)], columns=2)
        names = ", ".join(result.candidate.name for result in results)
        return standalone(to_svg(canvas, "quic", _TITLE, f"A panel each for {names}."))
