"""Makes tables and figure of docs/guide/long-memory.md: python -m parshall_dev.guides.long_memory REFERENCE
DATA [PATHS].

REFERENCE is the folder with bias.csv, DATA the one with rtt/ and links/. PATHS is the number of seeds of
every cell, 200 if it is not given. Tables go between the marks that stand in the page.
"""

import csv
import gzip
import re
import sys
from pathlib import Path

import numpy as np

from parshall.forecast import read
from parshall.long_memory import (
    METHODS,
    aggregate,
    farima,
    fgn,
    hurst,
    level_shifts,
    theoretical_autocovariance,
)
from parshall.long_memory.plots import TITLES
from parshall.plot import MARKERS, SERIES, drawing, standalone, to_svg
from parshall_dev.checkout import ROOT

PAGE = ROOT / "docs/guide/long-memory.md"
FIGURE = ROOT / "docs/figures/long-memory-shifts.svg"
FAMILIES = {"fgn": fgn, "farima": lambda h, n, seed: farima(h - 0.5, n, seed)}
WITHOUT_MEMORY = {"AR(1), 0.5": 0.5, "AR(1), 0.9": 0.9}
IN_REFERENCE = {
    "local-whittle": "local_whittle",
    "wavelet": "abry_veitch",
    "whittle-fgn": "whittle_fgn",
    "whittle-farima": "whittle_farima_0d0",
    "aggregated-variance": "aggregated_variance",
    "rescaled-range": "rescaled_range",
    "anis-lloyd": "rescaled_range_anis_lloyd",
}
SIZES = (0.5, 1.0, 2.0, 3.0)


def autoregression(phi, n, seed):
    """An AR(1) of variance 1."""
    from scipy.signal import lfilter

    noise = np.random.default_rng([1, seed]).standard_normal(n + 500)
    return lfilter([np.sqrt(1 - phi**2)], [1, -phi], noise)[500:]


def with_a_spike(n, seed):
    """White noise in which one sample is 50 standard deviations higher."""
    rng = np.random.default_rng([3, seed])
    samples = rng.standard_normal(n)
    samples[rng.integers(n)] += 50
    return samples


INDEPENDENT = {
    "white noise with a spike": with_a_spike,
    "log-normal, sigma 1.5": lambda n, seed: np.exp(
        1.5 * np.random.default_rng([4, seed]).standard_normal(n)
    ),
    "Pareto, shape 1.5": lambda n, seed: np.random.default_rng([5, seed]).pareto(1.5, n),
}
"""Independent samples that are not Gaussian."""


def on_off(n, seed, shape=1.4, sources=50, mean=10.0):
    """Number of sources of 50 that are on, with Pareto bursts and silences: H is (3 - shape)/2."""
    rng = np.random.default_rng([2, seed])
    change = np.zeros(3 * n)
    for _ in range(sources):
        lengths = mean * (shape - 1) / shape * (1 - rng.random(2 * n)) ** (-1 / shape)
        ends = np.cumsum(lengths)
        ends = ends[ends < 3 * n - 1].astype(int)
        np.add.at(change, ends, np.where(np.arange(len(ends)) % 2 == 0, 1, -1))
    return np.cumsum(change)[-n:]


# --- Bias and coverage ------------------------------------------------------------------------------------


def judged(make, h, n, paths, method, **options):
    """Mean, deviation and share of intervals that hold H."""
    found = [hurst(make(h, n, seed), method, **options) for seed in range(paths)]
    values = np.array([each.h for each in found])
    held = np.mean([low < h < high for low, high in (each.interval(0.95) for each in found)])
    return values.mean() - h, values.std(ddof=1), np.mean([each.standard_error for each in found]), held


def bias_table(reference, paths):
    """Every method on its own and the other family at 4096 samples, beside the reference."""
    with (Path(reference) / "bias.csv").open() as file:
        rows = {(row["process"], row["H"], row["estimator"]): row for row in csv.DictReader(file)}
    yield "| process | H | method | bias | sd | stated | holds H | bias of the reference | its sd |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for family, make in FAMILIES.items():
        for h in (0.55, 0.7, 0.85, 0.95):
            for method in METHODS:
                options = {"first_octave": 2} if method == "wavelet" else {}
                row = rows[family, f"{h:g}", IN_REFERENCE[method]]
                bias, sd, stated, held = judged(make, h, 4096, paths, method, **options)
                name = TITLES[method] + (", octave 2 on" if options else "")
                yield (
                    f"| {family} | {h:g} | {name} | {bias:+.3f} | {sd:.3f} | {stated:.3f} | {held:.0%} "
                    f"| {float(row['bias']):+.3f} | {float(row['sd']):.3f} |"
                )


def length_table(paths):
    """The two methods to take, over lengths, and on what nothing was designed on."""
    four = "bias | sd | stated | holds H"
    yield f"| series | H | samples | local Whittle: {four} | wavelets: {four} |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    kinds = [(family, make, h) for family, make in FAMILIES.items() for h in (0.5, 0.7, 0.95)]
    for name, phi in WITHOUT_MEMORY.items():
        kinds.append((name, lambda _, n, seed, phi=phi: autoregression(phi, n, seed), 0.5))
    kinds.append(("on/off, Pareto 1.4", lambda _, n, seed: on_off(n, seed), 0.8))
    for name, make, h in kinds:
        for n in (512, 4096, 65536):
            count = paths if n < 65536 else paths // 5
            cells = []
            for method in ("local-whittle", "wavelet"):
                bias, sd, stated, held = judged(make, h, n, count, method)
                cells += [f"{bias:+.3f}", f"{sd:.3f}", f"{stated:.3f}", f"{held:.0%}"]
            yield f"| {name} | {h:g} | {n} | {' | '.join(cells)} |"


# --- Level shifts -----------------------------------------------------------------------------------------


def flagged(make, paths):
    """Share of paths with a flag, and mean H with and without the shifts."""
    found = [level_shifts(make(seed)) for seed in range(5000, 5000 + paths)]
    with_shifts = np.mean([each.h[0] for each in found])
    return np.mean([bool(each) for each in found]), with_shifts, np.mean([each.h_without for each in found])


def size_table(paths):
    """Share of series without a shift that are flagged."""
    yield "| without a shift | 512 samples | 2048 | 8192 |"
    yield "|---|---|---|---|"
    kinds = {}
    for family, make in FAMILIES.items():
        for h in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
            kinds[f"{family}, H = {h:g}"] = lambda n, seed, make=make, h=h: make(h, n, seed)
    for name, phi in WITHOUT_MEMORY.items():
        kinds[name] = lambda n, seed, phi=phi: autoregression(phi, n, seed)
    kinds["on/off, Pareto 1.4"] = on_off
    kinds |= INDEPENDENT
    for name, make in kinds.items():
        shares = [flagged(lambda seed, make=make, n=n: make(n, seed), paths)[0] for n in (512, 2048, 8192)]
        yield f"| {name} | {' | '.join(f'{share:.1%}' for share in shares)} |"


def shifted(base, shape, size):
    """Series to which a level of that shape was added, in standard deviations."""

    def make(n, seed):
        time = np.arange(n) / n
        levels = {
            "one shift": time > 0.4,
            "two shifts": (time > 0.3) & (time < 0.7),
            "five shifts": np.floor(6 * time) % 2,
            "ramp": time,
        }
        return base(n, seed) + size * levels[shape]

    return make


BASES = {
    "white noise": lambda n, seed: fgn(0.5, n, seed),
    "fgn, H = 0.7": lambda n, seed: fgn(0.7, n, seed),
    "fgn, H = 0.85": lambda n, seed: fgn(0.85, n, seed),
    "FARIMA, H = 0.7": lambda n, seed: farima(0.2, n, seed),
    "AR(1), 0.5": lambda n, seed: autoregression(0.5, n, seed),
}


def power_table(paths):
    """Share of shifts that are found, and H before and after."""
    sizes = " | ".join(f"{size:g} sd" for size in SIZES)
    yield f"| level | in | samples | {sizes} | H at 1 sd | H with the shifts taken out |"
    yield "|---|---|---|" + "---|" * (len(SIZES) + 2)
    for shape in ("one shift", "two shifts", "five shifts", "ramp"):
        for name, base in BASES.items():
            for n in (512, 4096):
                cells, at_one = [], None
                for size in SIZES:
                    make = shifted(base, shape, size)
                    share, before, after = flagged(lambda seed, make=make, n=n: make(n, seed), paths // 2)
                    cells.append(f"{share:.0%}")
                    if size == 1:
                        at_one = f"{before:.2f} | {after:.2f}"
                yield f"| {shape} | {name} | {n} | {' | '.join(cells)} | {at_one} |"


def draw(paths):
    """H of 2048 samples with one shift, before and after it is taken out, and how often it is found."""
    sizes = np.array([0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3])
    with drawing(3.0, columns=2, width=7.4) as (canvas, axes):
        for index, name in enumerate(("white noise", "fgn, H = 0.7", "fgn, H = 0.85")):
            makers = [shifted(BASES[name], "one shift", size) for size in sizes]
            found = [flagged(lambda seed, make=make: make(2048, seed), paths // 2) for make in makers]
            rows = np.array(found)
            color, marker = SERIES[index], MARKERS[index]
            axes[0].plot(sizes, rows[:, 1], color=color, marker=marker, label=name)
            axes[0].plot(sizes, rows[:, 2], color=color, marker=marker, linestyle="--")
            axes[1].plot(sizes, 100 * rows[:, 0], color=color, marker=marker, label=name)
        axes[0].set(title="H, and without the shift (dashed)", xlabel="shift (sd)", ylabel="mean of H")
        axes[1].set(title="Flagged", xlabel="shift (sd)", ylabel="% of series")
        axes[0].legend(loc="best", fontsize=7.5)
        description = (
            "Mean local Whittle estimates of 2048 samples with one level shift against its size, before and "
            "after it is taken out, and the share of series that are flagged."
        )
        title = "A level shift looks like long memory"
        FIGURE.write_text(standalone(to_svg(canvas, "shifts", title, description)))


# --- Measured series --------------------------------------------------------------------------------------


def capacity(file, bin_ms=100):
    """Packets that a recorded link can send in every 100 ms."""
    times = np.array([int(line) for line in gzip.decompress(file.read_bytes()).split()])
    return np.bincount(times // bin_ms)[:-1].astype(float)


def measured_table(data):
    """H of measured series by the methods to take, over bandwidths, and with shifts taken out."""
    yield "| series | samples | local Whittle | n^0.5 | n^0.8 | wavelets | shifts | H without them |"
    yield "|---|---|---|---|---|---|---|---|"
    found = {}
    for file in sorted(Path(data).glob("rtt/*.csv.gz")):
        name = file.name.removesuffix(".csv.gz")
        rtts = read(file).rtts[:100_000]
        found[f"{name}, RTT"] = rtts
        found[f"{name}, RTT, means of 10"] = aggregate(rtts, 10)
    for file in sorted(Path(data).glob("links/*.gz")):
        found[f"{file.name.removesuffix('.gz')}, capacity per 100 ms"] = capacity(file)
    for name, x in found.items():
        main, shifts = hurst(x), level_shifts(x)
        wide, narrow = hurst(x, power=0.8), hurst(x, power=0.5)
        wavelet = hurst(x, "wavelet")
        yield (
            f"| {name} | {len(x)} | {main.h:.2f} ± {main.standard_error:.2f} | {narrow.h:.2f} | {wide.h:.2f} "
            f"| {wavelet.h:.2f} ± {wavelet.standard_error:.2f} | {len(shifts.at)} | {shifts.h_without:.2f} |"
        )


def prediction_table():
    """Root mean square error of the best linear forecast of the next sample, over the deviation."""
    yield "| H | fGn | FARIMA(0,d,0) |"
    yield "|---|---|---|"
    lags = np.abs(np.subtract.outer(np.arange(20), np.arange(20)))
    for h in (0.55, 0.6, 0.7, 0.8, 0.9, 0.95):
        cells = []
        for family in FAMILIES:
            gamma = theoretical_autocovariance(family, h, 20)
            left = 1 - gamma[1:] @ np.linalg.solve(gamma[lags], gamma[1:])
            cells.append(f"{np.sqrt(left):.1%}")
        yield f"| {h:g} | {' | '.join(cells)} |"


def put(page, mark, lines):
    """The page with other lines between two marks."""
    body = f"<!-- {mark} -->\n\n" + "\n".join(lines) + f"\n\n<!-- end of {mark} -->"
    return re.sub(rf"<!-- {mark} -->.*?<!-- end of {mark} -->", lambda _: body, page, flags=re.DOTALL)


def main(reference, data, paths):
    """Writes page and figure."""
    made = {
        "prediction": prediction_table,
        "measured": lambda: measured_table(data),
        "size": lambda: size_table(2 * paths),
        "power": lambda: power_table(paths),
        "lengths": lambda: length_table(paths),
        "bias": lambda: bias_table(reference, paths),
    }
    for mark, rows in made.items():
        PAGE.write_text(put(PAGE.read_text(), mark, rows()))
        print(mark, flush=True)
    draw(paths)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 200)
