"""The fast engine on numba."""

from simulator.engine.compiled.engine import CompiledEngine, prepare

__all__ = ["CompiledEngine", "prepare"]
