"""Methods of what is recorded."""

from __future__ import annotations

from typing import Any, cast

__all__ = ["RecordMethods"]

_HOW = ("pcap_format", "pcap_both_directions", "pcap_handshakes")


class RecordMethods:
    """Methods of ``Record``."""

    def tables(self) -> set[str]:
        """The tables that a recording has besides the counters; ``pcap`` stands for captures."""
        own = cast(Any, self)
        asked = {name for name in own.model_fields if getattr(self, name) and name not in _HOW}
        besides = {"deliveries": "packets", "class_state": "averages"}
        tables = (asked - {"deliveries"}) | {besides[name] for name in asked & set(besides)}
        share = own.responsiveness
        return tables | {"evidence"} if share is not None and share.evidence_every is not None else tables
