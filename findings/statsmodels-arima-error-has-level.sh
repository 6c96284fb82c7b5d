#!/usr/bin/env bash
# statsmodels 0.15.0 (PyPI): the mean squared error of an ARIMA model that differences the series.
#
# Guess:  `mse` and `mae` are those of one-step forecasts. The first value of a series has no forecast when d = 1, so its
#         residual is missing or 0.
# Seen:   the first forecast is 0 and the first residual is the first value itself. A random walk of steps of variance 1
#         that starts near 1000 has an mse of about 5000 after 200 values; without the first residual it is about 0.9.
# So:     models with and without differencing must not be compared by `mse`, nor a histogram drawn of all of `resid`.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1
"$work/venv/bin/python" - <<'PY'
import sys

import numpy as np
from statsmodels.tsa.arima.model import ARIMA

walk = 1000 + np.cumsum(np.random.default_rng(1).normal(size=200))
fit = ARIMA(walk, order=(1, 1, 0)).fit()
rest = np.mean(fit.resid[1:] ** 2)
print(f"statsmodels 0.15.0: the first value is {walk[0]:.2f}, its forecast {fit.fittedvalues[0]:.2f}, its residual {fit.resid[0]:.2f}")
print(f"mse {fit.mse:.1f}; of the residuals but the first {rest:.3f}; the model's variance {fit.params[-1]:.3f}; mae {fit.mae:.2f}")
if fit.resid[0] != walk[0] or fit.mse < 1000 * rest:
    sys.exit("statsmodels no longer counts the first value of a differenced series as an error")
PY
