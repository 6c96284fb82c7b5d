"""BBR and DCTCP beside ns-3's on the same dumbbells.

``python bench/controls_ns3/run.py`` prints the tables and can write them into docs/validation.md.
"""
