"""Implementations of the everyday commands; ``parshall.cli.main`` is their face."""
