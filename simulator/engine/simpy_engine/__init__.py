"""The reference engine on simpy."""

from simulator.engine.simpy_engine.engine import SimpyEngine

__all__ = ["SimpyEngine"]
