"""Scripts that write tables and figures of docs/guide, one a page."""
