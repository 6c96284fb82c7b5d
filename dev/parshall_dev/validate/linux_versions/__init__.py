"""Changes in Linux's TCP from version to version, seen in emulated machines."""
