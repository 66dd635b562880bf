"""From a thread's accesses to the lines its core fetches and writes back."""

from simulator.cache.caches import CoreCaches, NodeCaches, core_caches
from simulator.cache.lines import CacheCounts, Leftover, LineChunk

__all__ = ["CacheCounts", "CoreCaches", "Leftover", "LineChunk", "NodeCaches", "core_caches"]
