"""Machines with round numbers, made in the test: every time below is a whole number of ns, every size a whole number of ns too.

On a link of 4 GB/s: request or probe 2 ns, answer or note 1 ns, a line with its header 17 ns (from DRAM) or 18 ns (evicted),
NOP 1 ns, CRC 1 ns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simulator.machine.load import machine_from_dict
from simulator.machine.spec import Machine

SRI, XBAR, ENTRY, READ, WRITE, TURN, PATH, ANSWER, WIRE = 2, 8, 7, 12, 14, 3, 30, 20, 10  # ns
CORE = 5

_BLOCKS: dict[str, Any] = {
    "processor": {"name": "round numbers", "clock_ghz": 1.0},
    "core": {
        "window": 1,
        "core_time_ns": float(CORE),
        "write_extra_ns": 0.0,
        "jitter_ns": 0.0,
        "background_window": 1,
        "background_core_time_ns": 0.0,
        "max_outstanding": 8,
    },
    "sri": {
        "latency_ns": float(SRI),
        "to_crossbar": {"request": 2, "posted": 1, "response": 3, "request_data": 2, "response_data": 3},
    },
    "crossbar": {"latency_ns": float(XBAR), "arbitration": "round-robin", "to_sri": {"probe": 8}},
    "controller": {
        "entry_ns": float(ENTRY),
        "queue": 20,
        "read_ns": float(READ),
        "write_ns": float(WRITE),
        "turnaround_ns": float(TURN),
        "path_ns": float(PATH),
        "peak_gb_per_s": 6.4,
        "to_crossbar": {"response": 8, "probe": 3, "response_data": 8},
    },
    "link": {
        "width_bits": 16,
        "rate_gt_per_s": 2.0,
        "latency_ns": float(WIRE),
        "credits": {
            "request": 3,
            "posted": 1,
            "response": 6,
            "probe": 5,
            "request_data": 3,
            "posted_data": 1,
            "response_data": 4,
        },
        "crc": {"bytes": 4, "every_bytes": 512},
        "nop": {"bytes": 4, "releases_per_class": 3},
    },
    "coherence": {"protocol": "snooped", "probe_answer_ns": float(ANSWER)},
    "routing": {"request": "shortest", "response": "shortest", "broadcast": "shortest"},
}


def round_machine(
    nodes: Iterable[int | Mapping[str, Any]],
    links: Iterable[Sequence[int] | Mapping[str, Any]] = (),
    overrides: Sequence[str] = (),
    **blocks: Mapping[str, Any],
) -> Machine:
    """Build a machine of round numbers.

    Parameters
    ----------
    nodes : iterable of int or mapping
        Node numbers (two cores, with memory), or whole entries.
    links : iterable of pairs or mappings
    overrides : sequence of str
        As ``--set`` gives them.
    **blocks : mapping
        Laid over the machine-wide blocks.
    """
    table: dict[str, Any] = {
        name: {"source": "test", **_laid_over(block, blocks.get(name, {}))} for name, block in _BLOCKS.items()
    }
    table |= {"schema_version": 1, "name": "round", "title": "round numbers", "source": "test"}
    table["nodes"] = [{"source": "test", **(node_entry(node) if isinstance(node, int) else node)} for node in nodes]
    table["links"] = [{"source": "test", **(link if isinstance(link, Mapping) else {"ends": list(link)})} for link in links]
    return machine_from_dict(table, overrides)


def node_entry(number: int, *, cores: int = 2, memory: bool = True, **blocks: Any) -> dict[str, Any]:
    """Return the entry of one node."""
    return {"id": number, "cores": cores, **({"memory_gib": 1.0} if memory else {}), **blocks}


def link_entry(one: int, other: int, gb_per_s: float = 4.0, **values: Any) -> dict[str, Any]:
    """Return the entry of one link of 16 bits."""
    return {"ends": [one, other], "rate_gt_per_s": gb_per_s / 2, **values}


def ring(size: int, overrides: Sequence[str] = ()) -> Machine:
    """Return a ring with shortest routes."""
    return round_machine(range(size), [(node, (node + 1) % size) for node in range(size)], overrides)


def _laid_over(block: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**block, **over}.items() if value is not None}
