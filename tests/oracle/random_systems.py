"""Random small machines and finite programs, for property tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from simulator.machine.spec import Machine
from simulator.workload import Access, ThreadSpec
from tests.oracle.machines import link_entry, node_entry, round_machine

MOST_NODES = 8
MOST_THREADS = 16


@dataclass(frozen=True)
class System:
    """A machine and the threads on it."""

    machine: Machine
    threads: tuple[ThreadSpec, ...]


@st.composite
def machines(draw: st.DrawFn, fewest: int = 1) -> Machine:
    """Draw a connected machine: links of any speed, nodes without memory or cores, buffers and credits from one up."""
    count = draw(st.integers(fewest, MOST_NODES))
    ids = sorted(draw(st.permutations(range(11)))[:count])
    cores = [draw(st.sampled_from([0, 1, 2, 8])) for _ in ids]
    memory = [draw(st.booleans()) for _ in ids]
    if not any(cores):
        cores[draw(st.integers(0, count - 1))] = 8
    if not any(memory):
        memory[draw(st.integers(0, count - 1))] = True
    nodes = [node_entry(node, cores=some, memory=has) for node, some, has in zip(ids, cores, memory, strict=True)]
    return round_machine(nodes, draw(_links(ids)), **draw(_blocks()))


@st.composite
def systems(draw: st.DrawFn) -> System:
    """Draw a machine with one to sixteen threads that run to the end of their programs."""
    machine = draw(machines())
    places = [(node.id, core) for node in machine.nodes for core in range(node.cores)]
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, max_size=min(MOST_THREADS, len(places)), unique=True))
    return System(machine, tuple(draw(_threads(machine, node, core)) for node, core in chosen))


@st.composite
def crowded_rings(draw: st.DrawFn) -> System:
    """Draw a ring of five or more whose threads look ahead: about half of these deadlock."""
    size = draw(st.integers(5, 7))
    entries = [node_entry(node, cores=2) for node in range(size)]
    machine = round_machine(entries, [(node, (node + 1) % size) for node in range(size)], **draw(_blocks()))
    mode = draw(st.sampled_from(["r", "w"]))
    hop = draw(st.integers(1, size - 1))
    silent = draw(st.sampled_from([None, None, None, 0]))
    threads = []
    for node in range(size):
        for core in range(2):
            access = Access(mode, (node + hop) % size)
            window, lines = draw(st.integers(1, 4)), draw(st.integers(1, 10))
            if node != silent:
                threads.append(ThreadSpec(node, core, (access,) * lines, window=window, core_time_ns=0.0, repeat=False))
    return System(machine, tuple(threads))


@st.composite
def _links(draw: st.DrawFn, ids: list[int]) -> list[dict[str, Any]]:
    pairs = [(ids[draw(st.integers(0, place - 1))], ids[place]) for place in range(1, len(ids))]
    more = [(a, b) for a in ids for b in ids if a < b and (a, b) not in pairs]
    if more:
        pairs += draw(st.lists(st.sampled_from(more), max_size=4, unique=True))
    speeds = st.sampled_from([0.5, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 8.0])
    return [link_entry(a, b, draw(speeds), latency_ns=float(draw(st.integers(1, 20)))) for a, b in pairs]


@st.composite
def _blocks(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    few = st.integers(1, 3)
    return {
        "core": {"core_time_ns": float(draw(st.integers(0, 30))), "jitter_ns": float(draw(st.integers(0, 3)))},
        "sri": {
            "data_gb_per_s": draw(st.sampled_from([None, None, 2.0, 10.0])),
            "to_crossbar": {name: draw(few) for name in ("request", "posted", "response", "request_data", "response_data")},
        },
        "crossbar": {
            "arbitration": draw(st.sampled_from(["round-robin", "response-first"])),
            "to_sri": {"probe": draw(st.integers(1, 8))},
        },
        "controller": {
            "queue": draw(st.integers(1, 20)),
            "turnaround_ns": float(draw(st.integers(0, 5))),
            "to_crossbar": {name: draw(few) for name in ("response", "probe", "response_data")},
        },
        "link": {
            "credits": {
                name: draw(few)
                for name in ("request", "posted", "response", "probe", "request_data", "posted_data", "response_data")
            },
            "crc": {"bytes": draw(st.sampled_from([0, 4])), "every_bytes": draw(st.sampled_from([16, 64, 512]))},
            "nop": {"bytes": draw(st.sampled_from([0, 4, 4, 4])), "releases_per_class": draw(few)},
        },
        "coherence": {
            "protocol": draw(st.sampled_from(["snooped", "snooped", "snooped", "probe-filtered"])),
            "filter_lookup_ns": float(draw(st.integers(0, 12))),
        },
    }


@st.composite
def _threads(draw: st.DrawFn, machine: Machine, node: int, core: int) -> ThreadSpec:
    homes = [node.id for node in machine.nodes if node.controller is not None]
    sources = [node.id for node in machine.nodes if node.cores]
    access = st.builds(
        Access,
        mode=st.sampled_from(["r", "w"]),
        memory=st.sampled_from(homes),
        victim_memory=st.sampled_from([None, *homes]),
        extra_core_time_ns=st.sampled_from([0.0, 0.0, 7.0]),
        compute_ns=st.sampled_from([0.0, 0.0, 13.0]),
        node=st.sampled_from([None, None, None, *sources]),
    )
    return ThreadSpec(
        node,
        core,
        tuple(draw(st.lists(access, min_size=1, max_size=4)) * draw(st.integers(1, 6))),
        background=draw(st.sampled_from([False, False, False, True])),
        rate_gb_per_s=draw(st.sampled_from([None, None, 0.3, 2.0])),
        window=draw(st.integers(1, 8)),
        core_time_ns=draw(st.sampled_from([None, 0.0])),
        start_ns=float(draw(st.integers(0, 50))),
        repeat=False,
    )
