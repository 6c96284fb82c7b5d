"""Sweeps: a scenario with named parameters over seeds, on all cores or on a cluster, restartable.

    from parshall.sweep import Parameter, Sweep

    sweep = Sweep(bell, {"rate": ["1 Mbit/s", "5 Mbit/s"], "limit": Parameter(path="queue.limit_packets",
                  values=[10, 40])}, seeds=10, metrics=["goodput", "port:bottleneck.mean_delay"])
    result = sweep.run()
    result.to_pandas()                              # a row a run: rate, limit, seed, goodput, ...
    result.write("out/sweep")                       # Parquet that DuckDB reads in place

``parameter`` is what varies, ``design`` which combinations, ``base`` what a value does to the scenario,
``points`` the outcome of these, which :mod:`parshall.engine.runs` does. ``metric``, ``measured`` and
``stopping`` say what is measured and when it is enough. ``result`` and ``dataset`` are what is left.
``file`` and ``command`` are ``parshall sweep``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parshall.engine.executors import EngineExecutor
    from parshall.engine.runs import Failure
    from parshall.sweep.design import Grid, LatinHypercube, Listed, Sobol
    from parshall.sweep.file import load_sweep
    from parshall.sweep.parameter import Parameter
    from parshall.sweep.points import Point
    from parshall.sweep.result import SweepResult
    from parshall.sweep.stopping import StopRule
    from parshall.sweep.sweep import Sweep

__all__ = [
    "EngineExecutor",
    "Failure",
    "Grid",
    "LatinHypercube",
    "Listed",
    "Parameter",
    "Point",
    "Sobol",
    "StopRule",
    "Sweep",
    "SweepResult",
    "load_sweep",
]

_HOMES = (
    *("sweep.parameter", "sweep.design", "sweep.stopping", "sweep.sweep", "sweep.points", "engine.executors"),
    *("engine.runs", "sweep.result", "sweep.file"),
)


def __getattr__(name: str) -> Any:
    """Imports the module that a name lives in."""
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"parshall.{home}")
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
