"""Queue disciplines beside ns-3's models of them: the same packets through both.

``python -m parshall_dev.bench.queues.run`` prints the table and can write it into docs/validation.md.
"""
