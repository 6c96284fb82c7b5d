"""Maintainers' tools: comparisons with ns-2, ns-3, Linux and closed forms, benchmarks, and what writes guides.

Not published: they need the checkout that they lie in.
"""
