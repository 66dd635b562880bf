"""A probe filter: private lines are asked for nowhere, and the look into the filter takes its time."""

from __future__ import annotations

import pytest

from simulator.engine.build import EngineName, build_engine
from simulator.engine.lower import lower
from simulator.engine.plan import NONE
from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.measure.idle import zero_load_ns
from simulator.protocol import PROTOCOLS
from simulator.theory.zero_load import zero_load
from simulator.workload import Access, ThreadSpec, Workload
from tests.oracle.machines import ENTRY, PATH, READ, SRI, WIRE, XBAR, round_machine

LOOKUP = 6


def _filtered(size: int) -> Machine:
    links = [(node, node + 1) for node in range(size - 1)]
    return round_machine(range(size), links, coherence={"protocol": "probe-filtered", "filter_lookup_ns": float(LOOKUP)})


def test_the_table_differs_from_snooping_in_probes_only() -> None:
    snooped, filtered = PROTOCOLS["snooped"], PROTOCOLS["probe-filtered"]
    for kind, other in ((snooped.read, filtered.read), (snooped.write, filtered.write)):
        assert (kind.request, kind.reply, kind.done) == (other.request, other.reply, other.done)
        assert other.probe is other.answer is None
    assert filtered.victim == snooped.victim


def test_a_line_by_hand() -> None:
    """SRI, crossbar, filter, controller, DRAM, its path, crossbar, SRI; a hop adds wire, crossbar and packets both ways."""
    own_ns = SRI + XBAR + LOOKUP + ENTRY + READ + PATH + XBAR + SRI
    assert zero_load_ns(_filtered(3), 0, 0) == own_ns
    assert zero_load_ns(_filtered(3), 0, 1) == own_ns + 2 * (WIRE + XBAR) + 2 + 17  # request 8 B and line 68 B at 4 GB/s
    assert zero_load(_filtered(3), 0, 2).decided_by == "data"


def test_snooping_waits_for_the_farthest_answer_and_a_filter_does_not() -> None:
    """Of AMD's eight-node ladder the local line takes as long as on one node, but for the look into the filter."""
    filtered = ["coherence.protocol='probe-filtered'", "coherence.filter_lookup_ns=5.0"]
    alone, ladder = load_machine("one-node"), load_machine("opteron-8p-ladder", filtered)
    assert zero_load_ns(ladder, 0, 0) == pytest.approx(zero_load_ns(alone, 0, 0) + 5)
    assert zero_load_ns(load_machine("opteron-8p-ladder"), 0, 0) > 2 * zero_load_ns(alone, 0, 0)


@pytest.mark.parametrize("engine", ["simpy", "compiled"])
def test_no_probe_on_any_port(engine: EngineName) -> None:
    machine = _filtered(4)
    accesses = tuple(Access("rw"[turn % 2], turn % 4) for turn in range(40))
    plan = lower(machine, Workload(tuple(ThreadSpec(node, 0, accesses, repeat=False) for node in range(4))))
    assert set(plan.transactions.probe_stage) == {NONE}
    assert set(plan.transactions.joins) == {1}
    run = build_engine(plan, engine)
    run.advance(list(plan.threads.count), 10**9)
    sent = [sum(column) for column in zip(*run.snapshot().port_sent, strict=True)]
    by_kind = dict(zip(plan.kind_name, sent, strict=True))
    assert by_kind["Probe"] == by_kind["ProbeResponse"] == 0
    assert by_kind["RdBlk"] > 0
    assert by_kind["VicBlk"] > 0


def test_the_lookup_counts_with_a_filter_only() -> None:
    snooped = round_machine([0], coherence={"filter_lookup_ns": 50.0})
    assert zero_load_ns(snooped, 0, 0) == zero_load_ns(round_machine([0]), 0, 0)
    with pytest.raises(InputError, match=r"coherence.filter_lookup_ns: is missing"):
        round_machine([0], coherence={"protocol": "probe-filtered"})
