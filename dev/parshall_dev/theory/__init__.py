"""Measurements beside the laws of :mod:`parshall.theory`, and their page (``parshall validate theory``)."""
