"""Parshall: estimators of network traffic, and a packet-level network simulator.

    import parshall

    recording = parshall.run(parshall.load("bottleneck.toml"), seed=1)
    print(recording.flow("f1").goodput)

Everything here is imported when it is first used, so that the command starts at once.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
