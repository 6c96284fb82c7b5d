"""From scenarios and seeds to recordings: one run, many of them, and those that are kept."""
