"""numasim: a topology-aware discrete-event simulator of ccNUMA AMD Opteron systems.

Everything below is loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from simulator.errors import InputError, NumasimError
    from simulator.machine.load import list_machines, load_machine
    from simulator.machine.spec import Machine
    from simulator.machine.topology import component_graph, node_graph
    from simulator.measure.accuracy import Accuracy
    from simulator.measure.idle import idle_latency_ns
    from simulator.measure.result import RunResult
    from simulator.measure.run import run
    from simulator.sweep.run import run_sweep
    from simulator.sweep.spec import Sweep
    from simulator.sweep.store import open_store
    from simulator.validation.reference_file import list_references, load_reference
    from simulator.validation.reproduce import reproduce
    from simulator.workload import ThreadSpec, Workload, parse_label

__all__ = [
    "Accuracy",
    "InputError",
    "Machine",
    "NumasimError",
    "RunResult",
    "Sweep",
    "ThreadSpec",
    "Workload",
    "component_graph",
    "idle_latency_ns",
    "list_machines",
    "list_references",
    "load_machine",
    "load_reference",
    "node_graph",
    "open_store",
    "parse_label",
    "reproduce",
    "run",
    "run_sweep",
]


def __getattr__(name: str) -> Any:
    home = _homes().get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def _homes() -> dict[str, str]:
    """Return the module of each public name; a test compares it with the imports above."""
    return {
        "Accuracy": "measure.accuracy",
        "InputError": "errors",
        "Machine": "machine.spec",
        "NumasimError": "errors",
        "RunResult": "measure.result",
        "Sweep": "sweep.spec",
        "ThreadSpec": "workload",
        "Workload": "workload",
        "component_graph": "machine.topology",
        "idle_latency_ns": "measure.idle",
        "list_machines": "machine.load",
        "list_references": "validation.reference_file",
        "load_machine": "machine.load",
        "load_reference": "validation.reference_file",
        "node_graph": "machine.topology",
        "open_store": "sweep.store",
        "parse_label": "workload",
        "reproduce": "validation.reproduce",
        "run": "measure.run",
        "run_sweep": "sweep.run",
    }
