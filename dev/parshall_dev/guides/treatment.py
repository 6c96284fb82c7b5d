"""Writes what experiments on demand find out and cost into docs/guide/responsiveness.md, and draws four of
them: python -m parshall_dev.guides.treatment.
"""

from pathlib import Path

from parshall.plot import INK, SERIES, drawing, legend_of, standalone, to_svg
from parshall_dev.calibration import treated
from parshall_dev.checkout import ROOT
from parshall_dev.guides.long_memory import put

PAGE = ROOT / "docs/guide/responsiveness.md"
FIGURE = ROOT / "docs/figures/responsiveness-experiments.svg"
SCENARIOS = 96
BUDGETS = (0.05, 0.2)
"""Budgets of the tables."""
SHOWN = (("cubic", "replay of cubic"), ("bbr", "cbr"))
"""Kinds that respond and that do not in the panels."""


def tables():
    """A table for each budget."""
    for place, budget in enumerate(BUDGETS):
        yield from [""] * min(place, 1)
        yield f"With a budget of {budget:g}:"
        yield ""
        yield from treated.lines(treated.JUDGING, SCENARIOS, budget=budget)


def found(responsive, deaf):
    """Outcomes over time of both groups of the first scenario with these kinds."""
    every = treated.scenarios(treated.JUDGING, SCENARIOS)
    each = next(one for one in every if (one.responsive, treated.deaf_kind(one)) == (responsive, deaf))
    rows = treated.asked(each, budget=BUDGETS[-1]).port("bottleneck").treatment
    for group, kind in enumerate((responsive, deaf)):
        own = rows.group == group
        yield (
            treated.NAMES[kind],
            *(getattr(rows, name)[own] for name in ("time", "lower", "effect", "upper")),
        )


def draw(path: Path):
    """A panel for each group."""
    with drawing(4.6, rows=2, columns=2, width=7.4, sharey=True) as (canvas, axes):
        panels = [panel for kinds in SHOWN for panel in found(*kinds)]
        for axis, (title, time, lower, effect, upper) in zip(axes, panels, strict=True):
            axis.axhline(treated.LIMIT, color=INK, linewidth=0.8, linestyle=":", label="limit")
            axis.plot(time, effect, color=SERIES[0], marker=".", label="estimate")
            axis.fill_between(time, lower, upper, color=SERIES[0], alpha=0.25, linewidth=0, label="bounds")
            axis.set(title=title, ylim=(-1.03, 1.03), xlim=(0, treated.SECONDS))
        for axis in axes[::2]:
            axis.set_ylabel("part given up")
        for axis in axes[-2:]:
            axis.set_xlabel("time (s)")
        legend_of(canvas, axes[:1], columns=3)
        title = "Experiments with groups"
        description = (
            "Part of their packets that flows of a group give up under treatment, with bounds, after each "
            "pair of blocks, until the group has a label."
        )
        path.write_text(standalone(to_svg(canvas, "experiments", title, description)))


if __name__ == "__main__":
    PAGE.write_text(put(PAGE.read_text(), "experiments", [*tables()]))
    draw(FIGURE)
