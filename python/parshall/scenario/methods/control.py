"""Methods of congestion controls."""

from __future__ import annotations

from typing_extensions import Self

from parshall.scenario.methods import made

__all__ = ["BbrMethods", "BinomialMethods", "CubicMethods"]


class BbrMethods:
    """Methods of ``Bbr``."""

    @classmethod
    def linux(cls) -> Self:
        """As Linux has it, under any profile."""
        return made(cls, variant="linux")


class BinomialMethods:
    """Methods of ``Binomial``."""

    @classmethod
    def iiad(cls, alpha: float = 1.0, beta: float = 0.5) -> Self:
        """Inverse increase, additive decrease: k = 1, l = 0."""
        return made(cls, k=1, l=0, alpha=alpha, beta=beta)

    @classmethod
    def sqrt(cls, alpha: float = 1.0, beta: float = 0.5) -> Self:
        """Increase and decrease by the square root of the window: k = l = 1/2."""
        return made(cls, k=0.5, l=0.5, alpha=alpha, beta=beta)


class CubicMethods:
    """Methods of ``Cubic``."""

    @classmethod
    def linux(cls) -> Self:
        """As Linux has it, with classic HyStart, under any profile."""
        return made(cls, hystart="classic", variant="linux")
