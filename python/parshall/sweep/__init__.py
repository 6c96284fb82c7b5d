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

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
