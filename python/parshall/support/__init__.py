"""Files, checksums and progress, for all that is above."""
