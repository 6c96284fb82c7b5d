"""What the commands of every day do; ``parshall.cli`` is their face."""
