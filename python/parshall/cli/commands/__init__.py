"""What the commands of every day do; ``parshall.cli.main`` is their face."""
