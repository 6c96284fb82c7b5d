"""Makes crates/estimators/src/long_memory/tables.rs by simulation: python -m
parshall_dev.guides.long_memory_tables [PATHS].

Two kinds of tables over the length of a series and its H, both from exact paths of fractional Gaussian noise:
roots of mean square errors of R/S, Anis-Lloyd and aggregated variance, which have no standard error in closed
form; and what the likelihood ratio of 1, 2 and 3 level shifts does not exceed but for the share ALPHA of
series that have none. A table is entered with the estimate, so each value stands beside the mean estimate of
its H. PATHS is the number of paths of each length and H, 1500 if it is not given; the longest series get a
quarter of that. A fifth of them is enough for the errors.
"""

import sys

import numpy as np

from parshall import _core
from parshall.long_memory import hurst, level_shifts
from parshall_dev.checkout import ROOT

PLACE = ROOT / "crates/estimators/src/long_memory/tables.rs"
SEED = 1951
LENGTHS = (256, 1024, 4096, 16384)
PARAMETERS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
METHODS = {
    "RESCALED_RANGE": "rescaled-range",
    "ANIS_LLOYD": "anis-lloyd",
    "AGGREGATED_VARIANCE": "aggregated-variance",
}
ALPHA = 0.017
"""Three ratios at this level are exceeded by chance in about 4 % of series together, as their maxima hang
together."""


def simulate(n, h, paths, rng):
    """Estimates of each method, and ratios and H of shifts, of all paths."""
    generator = _core.PathGenerator("fgn", h, n)
    few = paths // 5
    estimates = {name: np.empty(few) for name in METHODS}
    ratios, without = np.empty((paths, 3)), np.empty((paths, 3))
    for i in range(paths):
        path = generator.path(rng.standard_normal(generator.normals))
        for name, method in METHODS.items() if i < few else ():
            estimates[name][i] = hurst(path, method).h
        shifts = level_shifts(path)
        ratios[i], without[i] = shifts.ratios, shifts.h[1:]
    return estimates, ratios, without


def tables(paths):
    """Rows of every table: for each length, pairs of mean estimate and value in the order of H."""
    rows = {name: [] for name in METHODS} | {k: [] for k in range(3)}
    for n in LENGTHS:
        for each in rows.values():
            each.append([])
        for h in PARAMETERS:
            rng = np.random.default_rng([SEED, n, round(100 * h)])
            estimates, ratios, without = simulate(n, h, paths if n < LENGTHS[-1] else paths // 4, rng)
            for name, found in estimates.items():
                rows[name][-1].append((found.mean(), np.sqrt(np.mean((found - h) ** 2))))
            # The greater a ratio is by chance, the lower is H without its shifts: critical values must not
            # fall with it below those of white noise.
            for k in range(3) if h >= 0.5 else ():
                rows[k][-1].append((without[:, k].mean(), np.quantile(ratios[:, k], 1 - ALPHA)))
            print(n, h, flush=True)
    return rows


def literal(rows):
    """A table as Rust."""
    lengths = ", ".join(map(str, LENGTHS))
    body = "".join("[" + ", ".join(f"({x:.4f}, {value:.4f})" for x, value in row) + "],\n" for row in rows)
    return f"Table {{ lengths: [{lengths}], rows: [{body}] }}"


def main(paths):
    """Writes the file; cargo fmt gives it its form."""
    rows = tables(paths)
    kind, shift_kind = (f"Table<{len(rows[key][0])}, {len(LENGTHS)}>" for key in ("ANIS_LLOYD", 0))
    text = [
        "//! Made by dev/parshall_dev/guides/long_memory_tables.py, which says how; not to be edited.",
        "",
        "use super::table::Table;",
        "",
    ]
    for name, method in METHODS.items():
        text += [
            f"/// Root of the mean square error of {method} in fGn, bias included.",
            f"pub(super) static {name}: {kind} = {literal(rows[name])};",
            "",
        ]
    critical = ", ".join(literal(rows[k]) for k in range(3))
    text += [
        f"/// What the ratios of 1, 2 and 3 shifts exceed in {ALPHA:.1%} of paths of fGn, by H without them.",
        f"pub(super) static SHIFT_CRITICAL: [{shift_kind}; 3] = [{critical}];",
    ]
    PLACE.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1500)
