"""The benchmark suite, ``python -m parshall_dev.bench.run``: Parshall beside ns-2 and ns-3 on one machine."""
