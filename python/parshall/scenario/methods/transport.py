"""Methods of transports."""

from __future__ import annotations

import json
import warnings
from typing import Any, cast

from typing_extensions import Self

from parshall.scenario.canonical import canonical_json
from parshall.scenario.gone import gone_option

__all__ = ["TcpMethods"]


class TcpMethods:
    """Methods of ``Tcp``."""

    def __init__(self, /, **values: Any) -> None:
        super().__init__(**values)
        own = cast(Any, self)
        if (remark := gone_option(own.profile, own.rack)) is not None:
            warnings.warn(remark, stacklevel=2)

    def resolved(self) -> Self:
        """This sender and receiver, with every field that was left out at the value that its profile
        gives it. Still None are a ``clock_phase`` that is drawn at random, an ``initial_ssthresh_packets`` at
        the receiver's window, and settings of the control that are those of its RFC or draft.
        """
        from parshall import _core

        own = cast(Any, self)
        filled = json.loads(_core.filled_transport(canonical_json(own)))
        return cast(Self, own.from_dict(filled))
