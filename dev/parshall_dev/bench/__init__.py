"""The benchmark suite: Parshall beside ns-2 and ns-3 on one machine, in one run. ``python bench/run.py``."""
