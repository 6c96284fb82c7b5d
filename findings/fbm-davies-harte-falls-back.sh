#!/usr/bin/env bash
# fbm 0.3.0 (PyPI): fractional Gaussian noise by the method of Davies and Harte.
#
# Guess:  the method works for every Hurst parameter and every length. The circulant matrix that extends the
#         autocovariances r(0), ..., r(n), r(n-1), ..., r(1) of fractional Gaussian noise has no negative eigenvalue
#         (Dietrich and Newsam 1997 for H >= 1/2; Craigmile 2003 for H < 1/2).
# Seen:   fbm has 0 where r(n) belongs. For H of 0.9 and above the matrix then has negative eigenvalues, also at n = 1024;
#         fbm warns that n is small, and goes over to Hosking's method, which takes n^2 steps in place of n log n.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check fbm==0.3.0 numpy==2.2.6
"$work/venv/bin/python" - <<'PY'
import sys
import warnings

import numpy as np
from fbm import FBM


def least_eigenvalue(n, hurst):
    k = np.arange(n + 1.0)
    r = (abs(k - 1) ** (2 * hurst) - 2 * k ** (2 * hurst) + (k + 1) ** (2 * hurst)) / 2
    return np.fft.fft(np.concatenate([r, r[-2:0:-1]])).real.min()


fell_back = []
for hurst in (0.7, 0.9, 0.95, 0.99):
    noise = FBM(n=1024, hurst=hurst, method="daviesharte")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        noise.fgn()
    fell_back.append(noise.method == "hosking")
    print(f"n = 1024, H = {hurst}: fbm 0.3.0 ends with {noise.method}; least eigenvalue with r(n) in place: {least_eigenvalue(1024, hurst):.3f}")
if fell_back != [False, True, True, True] or least_eigenvalue(1024, 0.99) <= 0:
    sys.exit("fbm no longer gives Davies and Harte's method up at H = 0.9")
PY
