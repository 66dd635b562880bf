"""Programs and recorded traces on a machine: through caches and page tables into an engine."""

from simulator.replay.look import TraceLook, look_through
from simulator.replay.result import ReplayResult
from simulator.replay.run import run_program, run_traces
from simulator.replay.trace_file import TraceFile

__all__ = ["ReplayResult", "TraceFile", "TraceLook", "look_through", "run_program", "run_traces"]
