"""Parts of one's own that do next to nothing, for what a call of them costs."""
