"""The fluid model of traffic at a congested router: flows that back off, flows that do not, and a queue.

    from parshall.fluid import ConstantRate, FluidModel, RedLoss, equilibria, simulate, stability

    model = FluidModel(
        capacity=3500,
        propagation_delay=0.1,
        flows=35,
        unresponsive=ConstantRate(flows=22, rate=125),
        loss=RedLoss(low=15, high=45, most=0.1),
        limit=60,
        weight=0.002,
    )
    rest = equilibria(model).found[0]
    print(rest.queue, rest.share, stability(model, rest).roots)
    samples = simulate(model, 100).every(0.1)

The equations are those of Zhao 2004 (2.1 to 2.4, 2.18, 2.20, A.1 to A.3); docs/fluid.md has them beside
simulations of packets.
"""

from __future__ import annotations

from parshall.fluid.characteristic import delay_margin, rightmost_roots
from parshall.fluid.delay_equation import Equation, Smooth, Solution, SolverError, solve
from parshall.fluid.equilibrium import Equilibria, Equilibrium, equilibria
from parshall.fluid.loss import FixedLoss, LossLaw, RedLoss
from parshall.fluid.model import FluidModel
from parshall.fluid.response import (
    DOCUMENT,
    PERIODIC,
    Response,
    SquareRoot,
    WithTimeouts,
    random_losses,
    whole_packets,
)
from parshall.fluid.stability import Linear, Stability, critical, linearise, stability
from parshall.fluid.trajectory import Samples, Trajectory, simulate
from parshall.fluid.unresponsive import ConstantRate, ConstantWindow, Unresponsive

__all__ = [
    "DOCUMENT",
    "PERIODIC",
    "ConstantRate",
    "ConstantWindow",
    "Equation",
    "Equilibria",
    "Equilibrium",
    "FixedLoss",
    "FluidModel",
    "Linear",
    "LossLaw",
    "RedLoss",
    "Response",
    "Samples",
    "Smooth",
    "Solution",
    "SolverError",
    "SquareRoot",
    "Stability",
    "Trajectory",
    "Unresponsive",
    "WithTimeouts",
    "critical",
    "delay_margin",
    "equilibria",
    "linearise",
    "random_losses",
    "rightmost_roots",
    "simulate",
    "solve",
    "stability",
    "whole_packets",
]
