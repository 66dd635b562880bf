"""Measuring the machine at hand: AMD's two-thread test, pointer chases and bandwidths by pair of nodes."""
