"""The reference engine on simpy."""

from simulator.engine.simpy_engine.engine import SimpyEngine
from simulator.engine.simpy_engine.observed import ObservedEngine
from simulator.engine.simpy_engine.observer import Observer

__all__ = ["ObservedEngine", "Observer", "SimpyEngine"]
