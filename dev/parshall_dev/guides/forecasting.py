"""Makes the tables and the figure of docs/guide/forecasting.md from measured series: python -m
parshall_dev.guides.forecasting FOLDER.

FOLDER holds the files NAME.csv.gz. Tables go between the marks that stand in the page.
"""

import re
import sys
from pathlib import Path

from parshall.forecast import DEFAULT_MODELS, Mixture, evaluate, label, read
from parshall.forecast.shown import svg_of
from parshall_dev.checkout import ROOT

PAGE = ROOT / "docs/guide/forecasting.md"
NAMES = ("4g-fiber-1k", "wifi-repeater-fiber-1k", "wifi-fiber-64k", "ros-wifi-static")
SHOWN = "4g-fiber-1k"
SAMPLES, WARM_UP = 20_000, 2000


def scores_table(found):
    """One series, all forecasters."""
    yield "| one ahead | MAE, ms | vs EWMA | p-value | RMSE, ms | vs EWMA | coverage | width, ms |"
    yield "|---|---|---|---|---|---|---|---|"
    chances = found.compare_all("EWMA 1/8")
    for name in found.names:
        s = found.score(name)
        p = chances[name].p_value if name in chances else None
        chance = "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
        yield (
            f"| {name} | {1e3 * s.mae:.3f} | {s.mae_vs_ewma:+.1f} % | {chance} "
            f"| {1e3 * s.rmse:.3f} | {s.rmse_vs_ewma:+.1f} % | {s.coverage:.1%} | {1e3 * s.width:.1f} |"
        )


def mixture_table(series):
    """Loss of the mixture beside the best of the others, on every series."""
    yield "| series | best by MAE | mixture | best by RMSE | mixture |"
    yield "|---|---|---|---|---|"
    others = [label(model) for model in DEFAULT_MODELS if not isinstance(model, Mixture)]
    for name, found in series.items():
        cells = []
        for what, loss in (("mae", "absolute"), ("rmse", "squared")):
            best = min(others, key=lambda each, what=what: getattr(found.score(each), what))
            ours, least = (getattr(found.score(each), what) for each in (f"mixture, {loss}", best))
            cells += [best, f"{100 * (ours / least - 1):+.2f} %"]
        yield f"| {name} | {' | '.join(cells)} |"


def put(page, mark, lines):
    """The page with other lines between two marks."""
    body = f"<!-- {mark} -->\n\n" + "\n".join(lines) + f"\n\n<!-- end of {mark} -->"
    return re.sub(rf"<!-- {mark} -->.*?<!-- end of {mark} -->", lambda _: body, page, flags=re.DOTALL)


def main(folder):
    """Writes page and figure."""
    found = {}
    for name in NAMES:
        rtts = read(Path(folder) / f"{name}.csv.gz").rtts[:SAMPLES]
        horizons = (1, 2, 5, 10, 20, 50) if name == SHOWN else (1,)
        found[name] = evaluate(rtts, horizons=horizons, warm_up=WARM_UP, unit="ms")
    page = put(PAGE.read_text(), "measured", scores_table(found[SHOWN]))
    PAGE.write_text(put(page, "mixture", mixture_table(found)))
    figure = ROOT / f"docs/figures/forecast-{SHOWN}.svg"
    figure.write_text(svg_of(found[SHOWN], f"Forecasts of {SHOWN}"))


if __name__ == "__main__":
    main(sys.argv[1])
