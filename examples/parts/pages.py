"""A client that asks a server for pages over TCP, with time to think in between, as a class and compiled.

In a scenario: ``app = "pages:Pages"``.
"""

from __future__ import annotations

import parshall
from parshall.control import log
from parshall.own import Done


class Pages(parshall.Source):
    """Pages of ``packets`` each; times to think are exponential with a mean of ``think`` seconds."""

    requests = True
    packets: int = 20
    think: float = 0.5
    renew: bool = False
    """True for a connection for each page."""

    def on_time(self, now: float) -> None:
        self.write(self.packets, self.renew)

    def on_done(self, done: Done) -> None:
        self.wake_in = -self.think * log(1.0 - self.random())


@parshall.native
class CompiledPages(Pages):
    """Compiled."""
