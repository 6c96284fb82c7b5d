"""The command `parshall`."""
