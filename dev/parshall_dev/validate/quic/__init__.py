"""A real QUIC stack over the relay beside the simulator: the same scenario, the same controls."""
