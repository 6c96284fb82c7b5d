"""Scenarios: what is simulated, as a plain value with units, from Python or from TOML."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
