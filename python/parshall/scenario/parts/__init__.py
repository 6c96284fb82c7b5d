"""The classes of parts of scenarios, by topic: what ``parshall-scenario`` knows, in Python."""

# Made by python -m parshall_dev.scenario_classes of the crate's parts

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
