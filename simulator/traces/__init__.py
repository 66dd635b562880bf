"""Recorded memory accesses of threads, read in constant memory."""

from simulator.traces.chunk import AccessChunk, access_chunk, by_thread
from simulator.traces.counts import TraceCounts
from simulator.traces.read import FORMATS, Format, Trace

__all__ = ["FORMATS", "AccessChunk", "Format", "Trace", "TraceCounts", "access_chunk", "by_thread"]
