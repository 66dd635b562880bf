"""The trace that belongs to a run: the start of its measured window."""

from __future__ import annotations

from dataclasses import replace

from simulator.machine.spec import Machine
from simulator.machine.variants import without_jitter
from simulator.measure.result import RunResult
from simulator.observe.record import Window, record
from simulator.observe.write import trace_text
from simulator.workload import Workload


def trace_text_of(machine: Machine, workload: Workload, window: Window, result: RunResult) -> str:
    """Return the document of a run's first moments.

    Whatever engine the run was on, the reference engine goes through the same states. A run that never warmed up is recorded from
    its start; one whose answer is exact has no jitter, so its trace has none.

    Parameters
    ----------
    machine : Machine
    workload : Workload
    window : Window
        With the run's warm-up.
    result : RunResult

    Raises
    ------
    InputError
        The window holds too much.
    """
    if result.provenance.accuracy.get("given") == "exact":
        machine = without_jitter(machine)
    if result.window_ns == 0:
        window = replace(window, start_ns=0.0)
    return trace_text(record(machine, workload, window, seed=result.provenance.seed))
