"""Measurements beside the laws of :mod:`parshall.theory`, and the page of them: ``parshall validate theory``."""
