"""Maintainers' tools: comparisons with ns-2, ns-3, Linux and closed forms, benchmarks, writers of guides.

Not published: they need the checkout that they lie in.
"""
