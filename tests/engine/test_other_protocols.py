"""The Plan carries other coherence protocols than the snooped one: a filter that asks nobody, and one that asks a single node."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator import load_machine
from simulator.engine.build import build_engine
from simulator.engine.lower import lower
from simulator.engine.plan import Action, Branches, Plan, Stages
from simulator.protocol import PROTOCOLS
from simulator.protocol.packets import READ_BLOCK, READ_RESPONSE, SOURCE_DONE
from simulator.protocol.transactions import SNOOPED, TransactionKind
from simulator.workload import Access, ThreadSpec, Workload

ENGINES = ("simpy", "compiled")
READ = Workload((ThreadSpec(0, 0, (Access("r", 1),) * 50, window=1, repeat=False),))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_probe_filter_that_finds_nobody(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No probe, no answer: a line is complete with its data, one arrival after one request."""
    silent = replace(SNOOPED, read=TransactionKind("read", READ_BLOCK, READ_RESPONSE, SOURCE_DONE))
    monkeypatch.setitem(PROTOCOLS, "snooped", silent)
    plan = lower(load_machine("quartet"), READ)
    assert plan.transactions.joins == (1,)
    sent = _packets_on_links(plan, engine)
    assert {kind: count for kind, count in sent.items() if count} == {"RdBlk": 50, "RdResponse": 50, "SrcDone": 49}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_directed_probe(engine: str) -> None:
    """Home 1 asks node 3 alone: one probe packet 1->3, one answer 3->1->0, and the data."""
    plan = _directed(lower(load_machine("quartet"), READ), home=1, asked=3)
    sent = _packets_on_links(plan, engine)
    assert {kind: count for kind, count in sent.items() if count} == {
        "RdBlk": 50,
        "Probe": 50,
        "ProbeResponse": 2 * 50,
        "RdResponse": 50,
        "SrcDone": 49,
    }


def _directed(plan: Plan, home: int, asked: int) -> Plan:
    """Lay a way for probes from the home's controller to one neighbour, beside the broadcast tree, out of its branches."""
    stages, branches = plan.stages, plan.branches
    start = plan.transactions.probe_stage[0]
    leave = stages.first[start]  # controller to crossbar
    crossbar = branches.stage[leave]
    over_link = next(
        branch
        for branch in range(stages.first[crossbar], stages.first[crossbar] + stages.count[crossbar])
        if plan.ports.name[branches.port[branch]] == f"link {home}->{asked}"
    )
    there = branches.stage[over_link]
    to_sri = next(
        branch
        for branch in range(stages.first[there], stages.first[there] + stages.count[there])
        if stages.action[branches.stage[branch]] == Action.ANSWER
    )
    ways, new = (leave, over_link, to_sri), len(stages.action)
    more_branches = Branches(
        port=branches.port + tuple(branches.port[way] for way in ways),
        command_pool=branches.command_pool + tuple(branches.command_pool[way] for way in ways),
        data_pool=branches.data_pool + tuple(branches.data_pool[way] for way in ways),
        delay=branches.delay + tuple(branches.delay[way] for way in ways),
        stage=(*branches.stage, new + 1, new + 2, branches.stage[to_sri]),
    )
    more_stages = Stages(
        action=stages.action + (int(Action.PASS),) * len(ways),
        node=(*stages.node, home, home, asked),
        first=stages.first + tuple(range(len(branches.port), len(branches.port) + len(ways))),
        count=stages.count + (1,) * len(ways),
    )
    transactions = replace(plan.transactions, probe_stage=(new,), joins=(2,))
    return replace(plan, stages=more_stages, branches=more_branches, transactions=transactions)


def _packets_on_links(plan: Plan, engine: str) -> dict[str, int]:
    """Run until the last line is complete, its SrcDone still to come; packets by kind on all link directions."""
    run = build_engine(plan, engine)  # type: ignore[arg-type]
    run.advance([50], 10**9)
    sent = run.snapshot().port_sent
    links = [port for port, name in enumerate(plan.ports.name) if name.startswith("link ")]
    return {kind: sum(sent[port][column] for port in links) for column, kind in enumerate(plan.kind_name)}
