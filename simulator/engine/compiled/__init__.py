"""The fast engine on numba."""

from simulator.engine.compiled.engine import CompiledEngine

__all__ = ["CompiledEngine"]
