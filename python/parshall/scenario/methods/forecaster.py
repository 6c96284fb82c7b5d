"""Methods of forecasters."""

from __future__ import annotations

from typing import Any, cast

from typing_extensions import Self

__all__ = ["ArimaMethods"]


class ArimaMethods:
    """Methods of ``Arima``."""

    @classmethod
    def jeyasekar_2014(cls) -> Self:
        """The ARIMA(2,1,1) that Jeyasekar et al. 2014 fit to round-trip times (below eq. 24)."""
        return cast(Self, cast(Any, cls).known(ar=(-0.36251, 0.17573), d=1, ma=(-0.95108,)))
