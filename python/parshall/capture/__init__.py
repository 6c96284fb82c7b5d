"""Packet captures: what happened on the connections in them, and what another timeout would have done.

    from parshall.capture import Capture

    capture = Capture.read("link.pcapng")
    capture.connections.to_pandas()                 # a row a connection
    capture.events.to_pandas()                      # a row a frame that is more than a first transmission
    capture.replay()                                # every RTO filter on every connection

``reading`` is the capture, whose work is done by the Rust crate ``parshall-capture``; ``tables`` its tables,
``findings`` what is wrong in one sentence, ``replay`` the timeouts, ``shown``, ``report`` and ``command`` are
``parshall capture``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
