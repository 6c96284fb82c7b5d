"""Makes the table of docs/guide/rto.md on how often the accepted risk is kept: python -m
parshall_dev.guides.rto_risk DATA [SEEDS].

DATA is the folder with rtt/. SEEDS is the number of series of each kind, length and risk, 20 if it is not
given. The constants of `parshall.rto.risk` were chosen on the kinds of `design`; the table is of the kinds of
`held`, which had no part in that.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

from parshall.estimators import QuantileRto, evaluate_rto
from parshall.forecast import read
from parshall.long_memory import farima, fgn
from parshall.rto import compare
from parshall_dev.checkout import ROOT

PAGE = ROOT / "docs/guide/rto.md"
LENGTHS = (600, 1000, 3000, 10000)
RISKS = (0.001, 0.01, 0.05)
LEAST_EARLY = 6
"""Pairs of length and risk are left out in which fewer early timeouts are accepted."""


def seed_of(rng):
    """A seed for generators that take one."""
    return int(rng.integers(1 << 31))


def part_of(series):
    """A piece of a measured series."""

    def draw(rng, n):
        start = int(rng.integers(max(1, len(series) - n)))
        return series[start : start + n]

    return draw


def autoregression(phi):
    """The exponential of an AR(1)."""

    def draw(rng, n):
        noise = rng.normal(size=n + 500)
        return 0.03 * np.exp(0.3 * lfilter([np.sqrt(1 - phi * phi)], [1, -phi], noise)[500:])

    return draw


def bursts(begin, end, factor):
    """Round trips that are longer in spells, which begin and end at random."""

    def draw(rng, n):
        within = np.zeros(n, bool)
        for i in range(1, n):
            within[i] = rng.random() > end if within[i - 1] else rng.random() < begin
        return (0.02 + 0.003 * rng.gamma(1, 1, n)) * np.where(within, 1 + (factor - 1) * rng.random(n), 1)

    return draw


def shifted(rng, series):
    """One to four changes of level at any time."""
    for _ in range(rng.integers(1, 5)):
        series[rng.integers(len(series)) :] *= np.exp(0.4 * rng.normal())
    return series


def in_waves(rng, n):
    """One to four waves, as of a day, with noise."""
    waves = np.sin(np.arange(n) / n * 2 * np.pi * rng.integers(1, 5))
    return 0.03 * (1 + 0.5 * waves) + 0.004 * rng.gamma(1, 1, n)


def design(rtt):
    """Kinds by which the rule was made."""
    return {
        "4g-fiber-1k": part_of(rtt("4g-fiber-1k")),
        "wifi-fiber-64k": part_of(rtt("wifi-fiber-64k")),
        "log-normal": lambda rng, n: 0.02 + 0.004 * np.exp(rng.normal(size=n)),
        "Pareto, 2": lambda rng, n: 0.03 + 0.002 * rng.pareto(2, n),
        "AR(1), 0.5": autoregression(0.5),
        "AR(1), 0.95": autoregression(0.95),
        "fGn, H = 0.7": lambda rng, n: 0.03 * np.exp(0.3 * fgn(0.7, n, seed_of(rng))),
        "levels that shift, gamma": lambda rng, n: shifted(rng, 0.03 + 0.003 * rng.gamma(1, 1, n)),
        "bursts of 10": bursts(0.01, 0.1, 4),
    }


def held(rtt):
    """Kinds on which it is judged."""
    return {
        "ros-wifi-static": part_of(rtt("ros-wifi-static")),
        "wifi-repeater-fiber-1k": part_of(rtt("wifi-repeater-fiber-1k")),
        "gamma, 0.7": lambda rng, n: 0.01 + 0.01 * rng.gamma(0.7, 1, n),
        "exponential, some late": lambda rng, n: (
            0.045 + 0.012 * rng.standard_gamma(1, n) + 0.06 * (rng.random(n) < 0.05)
        ),
        "Weibull, 0.5": lambda rng, n: 0.02 + 0.004 * rng.weibull(0.5, n),
        "Pareto, 1.2": lambda rng, n: 0.02 + 0.001 * rng.pareto(1.2, n),
        "normal": lambda rng, n: np.abs(0.05 + 0.004 * rng.normal(size=n)),
        "moving average of Student's t": lambda rng, n: (
            0.03 + 0.004 * np.abs(lfilter(np.ones(10) / 3, [1], rng.standard_t(3, size=n)))
        ),
        "FARIMA, H = 0.85": lambda rng, n: 0.05 * np.exp(0.4 * farima(0.35, n, seed_of(rng))),
        "random walk and gamma": lambda rng, n: (
            0.05 * np.exp(0.01 * np.cumsum(rng.normal(size=n))) + 0.004 * rng.gamma(1, 1, n)
        ),
        "levels that shift, log-normal": lambda rng, n: shifted(
            rng, 0.02 + 0.004 * np.exp(0.8 * rng.normal(size=n))
        ),
        "bursts of 50": bursts(0.003, 0.02, 3),
        "waves": in_waves,
    }


def judged(draw, seeds):
    """For each series: whether the risk was kept, and the wait against that of a quantile told the risk."""
    for n in LENGTHS:
        for risk in (risk for risk in RISKS if n * risk >= LEAST_EARLY):
            for seed in range(seeds):
                series = draw(np.random.default_rng([2, seed, n, round(1000 * risk)]), n)
                series = series[series > 0]
                found = compare(series, risk=risk)
                costs = found.judged[found.chosen]
                plain = evaluate_rto(series, QuantileRto(risk), warm_up=len(series) // 2)
                yield (
                    costs.spurious_share <= risk,
                    plain.spurious_share <= risk,
                    costs.mean_wait / plain.mean_wait,
                )


def main(data, seeds):
    """Prints the figures of all kinds, and writes those of `held` into the page."""

    def rtt(name):
        return read(Path(data) / "rtt" / f"{name}.csv.gz").answered

    rows = ["| kind of series | risk kept | by a quantile told the risk itself | waits longer than that |"]
    rows.append("|---|---|---|---|")
    for title, kinds in (("design", design(rtt)), ("held", held(rtt))):
        every = []
        for name, draw in kinds.items():
            found = np.array(list(judged(draw, seeds)), dtype=float)
            every.append(found)
            row = row_of(name, found)
            print(title, row, flush=True)
            if title == "held":
                rows.append(row)
        rows_of_all = row_of("all", np.concatenate(every))
        print(title, rows_of_all, flush=True)
        if title == "held":
            rows.append(rows_of_all)
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- kept -->")
    _, _, after = rest.partition("<!-- end of kept -->")
    table = "\n".join(rows)
    PAGE.write_text(f"{before}<!-- kept -->\n\n{table}\n\n<!-- end of kept -->{after}", encoding="utf-8")


def row_of(name, found):
    """A row of the table."""
    kept, plain, wait = found[:, 0].mean(), found[:, 1].mean(), np.exp(np.log(found[:, 2]).mean()) - 1
    return f"| {name} | {kept:.0%} | {plain:.0%} | {wait:+.0%} |"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
