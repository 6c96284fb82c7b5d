"""BBR and DCTCP beside ns-3's on the same dumbbells.

``python -m parshall_dev.bench.controls_ns3.run`` prints the tables and writes them into
docs/validation.md.
"""
