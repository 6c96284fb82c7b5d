"""Forecasts of a series, one sample at a time or for a whole array, with prediction intervals; and how good
they are.

>>> forecaster = Forecaster(Ewma(gain=0.5))
>>> forecaster.run([1.0, 3.0, 2.0])
array([1., 2., 2.])
>>> forecaster.forecast()
2.0

:func:`evaluate` compares any of them on a series; :func:`read` reads one from a CSV file or from what
``ping`` prints. :class:`Mixture` needs no choice. Units are those of the series.

:func:`fit` and :func:`identify` find ARIMA models of a series, :func:`correlations` its correlations.

Everything here is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
