"""The Quartet with constants that no calibration changes: whether and when its states recur hangs on each of them."""

from __future__ import annotations

from simulator import load_machine
from simulator.machine.spec import Machine

CONSTANTS = (
    "core.core_time_ns=64.0",
    "core.write_extra_ns=26.0",
    "core.jitter_ns=30.0",
    "sri.latency_ns=2.0",
    "crossbar.latency_ns=2.2",
    "controller.entry_ns=4.0",
    "controller.read_ns=13.2",
    "controller.write_ns=15.0",
    "controller.turnaround_ns=0.0",
    "controller.path_ns=34.5",
    "link.latency_ns=11.0",
    "coherence.probe_answer_ns=15.0",
)


def pinned_quartet(*overrides: str) -> Machine:
    """Return it, with more overrides as `--set` gives them."""
    return load_machine("quartet", [*CONSTANTS, *overrides])
