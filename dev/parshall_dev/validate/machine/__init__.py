"""TCP and queue disciplines of a real Linux kernel, in emulated machines, beside the simulator.

Arrows run one way: cells -> script, reading -> runs (Linux's), ours -> measures -> judge -> page, figures
-> command. Docs: ``docs/validation.md``.
"""
