"""Long memory: the Hurst parameter of a series with its standard error, level shifts that look like it, and
exact paths of processes that have it.

>>> noise = fgn(h=0.8, n=4096, seed=1)
>>> found = hurst(noise)
>>> low, high = found.interval(0.95)
>>> low < 0.8 < high
True
>>> found.flags
frozenset()

A level shift, a trend and a unit root raise estimates of H as long memory does: :func:`level_shifts` tells
the first two apart from it, and every estimate has a flag. :func:`hurst_all` holds all methods side by side.

Everything here is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
