"""The page on the fluid model: ``fluid.md`` and its figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.fluid.equilibrium import equilibria
from parshall.fluid.figure import NAMES, draw_loads, draw_region, draw_swings, draw_traces
from parshall.fluid.loss import FixedLoss
from parshall.fluid.measured import Measured, busiest_frequency, queues
from parshall.fluid.response import whole_packets
from parshall.fluid.setting import CALM, CHAPTER, LADDER, Setting
from parshall.fluid.stability import critical, stability
from parshall.fluid.study import (
    CYCLE_CBR,
    LOADS,
    RATES,
    SHOWN,
    STEP,
    STEP_CBR,
    Rest,
    cycle,
    load_step,
    region,
    rests,
    swings,
)
from parshall.fluid.trajectory import simulate

if TYPE_CHECKING:
    from parshall.stats import Interval

__all__ = ["SEEDS", "make"]

SEEDS = 10
"""Seeds unless asked otherwise."""
TABLES = (16, 22, 25)
ELSEWHERE, ELSEWHERE_CBR = (0.0, 0.01, 0.02, 0.03), 20
CYCLE_SPAN = (20.0, 100.0)

Found = list[tuple[Setting, Measured, dict[str, Rest | None]]]


def make(
    folder: Path, seeds: int = SEEDS, threads: int | None = None, progress: Callable[[str], object] = print
) -> Path:
    """Measures everything and writes ``fluid.md`` and ``figures/fluid-*.svg``; returns the page.

    ``progress`` is told what comes next. Raises OutputError.
    """
    from parshall.files import failing_as

    with failing_as(folder):
        (folder / "figures").mkdir(parents=True, exist_ok=True)
    files, facts = {}, {}
    for name, what, part in (
        ("equilibrium", "rest", _rest),
        ("trajectory", "trajectories", _trajectories),
        ("swing", "swings", _swings),
        ("stability", "stability", _stability),
    ):
        progress(f"computing {what}")
        files[folder / "figures" / f"fluid-{name}.svg"], more = part(seeds, threads)
        facts.update(more)
    page = folder / "fluid.md"
    files[page] = _text(seeds=seeds, chapter=CHAPTER, calm=CALM, **facts)
    with failing_as(folder):
        for file, content in files.items():
            file.write_text(content, encoding="utf-8")
    return page


def _text(**facts: Any) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("parshall.fluid", "."), undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.get_template("page.md.j2").render(**facts)


# --- Rest ---------------------------------------------------------------------------------------------------


def _rest(seeds: int, threads: int | None) -> tuple[str, dict[str, Any]]:
    loads = [CHAPTER.with_(cbr=cbr) for cbr in LOADS]
    calm = [CALM, CALM.with_(cbr=STEP_CBR)]
    hops = [CALM.with_(cbr=ELSEWHERE_CBR, elsewhere=loss) for loss in ELSEWHERE]
    found = rests([*loads, *calm, *hops], seeds, threads)
    of_chapter, of_hops = found[: len(loads)], found[-len(hops) :]
    timeouts = [measured.timeouts.mean for _, measured, _ in of_chapter]
    shown = [each for each in of_chapter if each[0].cbr in TABLES] + found[len(loads) : -len(hops)]
    return draw_loads(of_chapter), {
        "errors": [_errors(of_chapter, name) for name in LADDER],
        "hops": [_hop(*each) for each in of_hops],
        "hops_cbr": f"{ELSEWHERE_CBR}",
        "blocks": [_block(*each) for each in shown],
        "pause": f"{whole_packets().pause:.2f}",
        "timeouts_least": f"{min(timeouts):.2f}",
        "timeouts_most": f"{max(timeouts):.2f}",
    }


def _errors(found: Found, name: str) -> dict[str, str]:
    pairs = [(models[name], measured) for _, measured, models in found]
    off = {
        field: [
            getattr(rest.equilibrium, field) - getattr(measured, field).mean
            for rest, measured in pairs
            if rest is not None
        ]
        for field in ("share", "queue", "loss")
    }
    relative = [error / measured.loss.mean for error, (_, measured) in zip(off["loss"], pairs, strict=True)]
    return {
        "name": NAMES[name],
        "share": f"{max(off['share'], key=abs):+.3f}".replace("-", "−"),
        "queue": f"{np.mean(np.abs(off['queue'])):.1f}",
        "loss": f"{100 * float(np.mean(np.abs(relative))):.0f} %",
    }


def _block(setting: Setting, measured: Measured, models: dict[str, Rest | None]) -> dict[str, Any]:
    packets = [
        "packets",
        _pm(measured.share, 3),
        _pm(measured.loss.scaled(100), 2),
        _pm(measured.queue, 1),
        _pm(measured.window, 2),
        "",
        "",
    ]
    title = f"{setting.tcp} TCP and {setting.cbr} CBR flows, {setting.rate / 1e6:g} Mbit/s"
    return {"title": title, "rows": [packets, *(_row(NAMES[name], models[name]) for name in LADDER)]}


def _hop(setting: Setting, measured: Measured, models: dict[str, Rest | None]) -> list[str]:
    row = [f"{100 * setting.elsewhere:g}", _pm(measured.queue, 1), _pm(measured.loss.scaled(100), 2)]
    for name in SHOWN:
        rest = models[name]
        row += (
            ["–"] * 2
            if rest is None
            else [
                f"{rest.equilibrium.queue:.1f}",
                f"{100 * rest.equilibrium.loss:.2f}",
            ]
        )
    return row


def _row(name: str, rest: Rest | None) -> list[str]:
    if rest is None:
        return [name, *["no rest"] * 6]
    at, near = rest.equilibrium, rest.stability
    margin = "–" if math.isnan(near.delay_margin) else f"{1000 * near.delay_margin:.0f}"
    queue = f"{at.queue:.1f}" + ("" if at.regime == "free" else f" ({at.regime})")
    return [
        name,
        f"{at.share:.3f}",
        f"{100 * at.loss:.2f}",
        queue,
        f"{at.window:.2f}",
        _root(near.roots[0]),
        f"{margin} (R = {1000 * at.round_trip:.0f})",
    ]


def _pm(interval: Interval, digits: int) -> str:
    return f"{interval.mean:.{digits}f} ± {interval.half_width:.{digits}f}"


def _root(root: complex) -> str:
    swing = f" ± {abs(root.imag):.2f}i" if abs(root.imag) > 1e-9 else ""
    return f"{root.real:+.2f}".replace("-", "−") + swing


# --- In time ------------------------------------------------------------------------------------------------


def _trajectories(seeds: int, threads: int | None) -> tuple[str, dict[str, Any]]:
    step = load_step(2 * seeds, threads)
    mean, _, models = step
    busy = (mean.time >= STEP[0]) & (mean.time < STEP[1])
    peaks = {name: f"{trace.queue[trace.time < STEP[1]].max():.0f}" for name, trace in models.items()}
    begin, end = CYCLE_SPAN
    setting = CHAPTER.with_(cbr=CYCLE_CBR)
    time, backlogs = queues(setting, seeds, threads, end)
    cycles = {"packets": f"{1 / busiest_frequency(backlogs[:, time >= begin]):.2f}"}
    for name in SHOWN:
        queue = simulate(setting.model(name), end).at(np.arange(begin, end, 0.01)).queue
        cycles[name] = f"{1 / busiest_frequency(queue):.2f}"
    return draw_traces(step, cycle(threads)), {
        "peaks": {"packets": f"{mean.queue[busy].max():.0f}", **peaks},
        "cycles": {**cycles, "span": f"{end - begin:g}"},
    }


# --- Swings and stability -----------------------------------------------------------------------------------


def _swings(seeds: int, threads: int | None) -> tuple[str, dict[str, Any]]:
    found = swings(seeds, threads)
    borders = {
        name: f"{critical(lambda n, m=name: CALM.model(m).with_(flows=n), 20, 100):.1f}"  # type: ignore[misc]
        for name in SHOWN
    }
    ratios = [packets.frequency / models["whole"].frequency for _, packets, models in found]
    return draw_swings(found), {
        "critical": borders,
        "frequency": {"least": f"{min(ratios):.2f}", "most": f"{max(ratios):.2f}"},
    }


def _stability(_: int, __: int | None) -> tuple[str, dict[str, Any]]:
    growth = {
        (rate, name, share): region(rate, name, share)
        for rate in RATES
        for name, share in (("document", 0.0), ("whole", 0.0), ("whole", 0.5))
    }
    gentle = (1 - CALM.most) / CALM.high / (CALM.most / (CALM.high - CALM.low))
    return draw_region(growth), {"gentle": f"{gentle:.0f}", "fixed": _fixed_loss()}


def _fixed_loss() -> dict[str, str]:
    """The rightmost roots at a fixed loss, found and in closed form."""
    from scipy.special import lambertw

    loss, cbr = 0.005, 10
    model = CHAPTER.with_(cbr=cbr).model("document")
    model = model.with_(loss=FixedLoss(loss), limit=math.inf, weight=None)
    rest = equilibria(model).found[0]
    roots = stability(model, rest, 2).roots
    a = 1 / rest.window
    windows = (float(lambertw(-a * math.exp(a)).real) - a) / rest.round_trip
    queue = -(1 - rest.share) / rest.round_trip
    law = sorted((windows, queue), reverse=True)
    return {
        "loss": f"{loss:g}",
        "cbr": f"{cbr}",
        "found": " and ".join(f"{root.real:.4f}" for root in roots).replace("-", "−"),
        "law": " and ".join(f"{root:.4f}" for root in law).replace("-", "−"),
    }
