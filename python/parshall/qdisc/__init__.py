"""Counters of this computer's queue disciplines, read by netlink, as text for Prometheus.

    from parshall.qdisc import prometheus_text, read

    print(prometheus_text(read()))

It knows every queue discipline's backlog, drops and requeues, the marks of those that mark, and the estimates
of ``estmred`` (``docs/guide/linux.md``). Reading needs no privilege.
"""

from __future__ import annotations

from parshall.qdisc.message import Qdisc, parse
from parshall.qdisc.prometheus import prometheus_text
from parshall.qdisc.socket import read

__all__ = ["Qdisc", "parse", "prometheus_text", "read"]
