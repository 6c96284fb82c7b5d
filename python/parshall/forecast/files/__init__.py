"""Files of one's own: what ping and fping print, and tables, as round-trip times in seconds."""
