"""The retransmission timeout of one's own link: what each filter costs on measured round-trip times.

>>> found = compare([0.1, 0.11, 0.1, 0.12, 0.1] * 200)
>>> found.rows["jacobson"].spurious
0

:func:`compare` has the numbers, a figure and an advice; ``parshall rto FILE`` prints them. Round trips are in
seconds; :func:`parshall.forecast.read` reads them from what ``ping`` printed and from CSV files.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
