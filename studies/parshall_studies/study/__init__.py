"""Studies: a document run again over many seeds, with an interval beside each number and a computed verdict
for each claim.

:func:`reproduce` runs one and writes its report; docs/studies.md shows how to write another.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
