"""A trace read back from its document has the records that it was written from."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.observe.document import TraceData
from simulator.observe.life import Lives, line_steps
from simulator.observe.queues import longest_queues
from simulator.observe.read_back import trace_of
from simulator.observe.record import Recording, Window, record
from simulator.observe.records import Trace
from simulator.observe.series import busy_percent, free_units
from simulator.observe.tables import trace_data
from simulator.workload import Workload


@pytest.fixture(scope="module", params=["quartet", "one-node", "opteron-6172-4p"])
def recording(request: pytest.FixtureRequest) -> Recording:
    """Two threads and a background, on machines with and without links, parallel ones too."""
    machine = load_machine(request.param)
    memory = machine.node_ids[-1]
    workload = Workload.from_labels([f"0.0.w.{memory}"], background={f"0.1.r.{memory}": 2.0})
    return record(machine, workload, Window(500.0, warmup=40))


def _read(recording: Recording) -> Trace:
    return trace_of(TraceData.model_validate_json(json.dumps(trace_data(recording))))


def test_records_are_the_same(recording: Recording) -> None:
    old, new = recording.trace, _read(recording)
    plain = (
        "eviction",
        "thread",
        "slot",
        "number",
        "issued_ps",
        "launched_ps",
        "data_ps",
        "completed_ps",
        "core_ps",
        "over_ps",
        "spans",
    )
    for name in plain:
        assert [getattr(life, name) for life in new.transactions] == [getattr(life, name) for life in old.transactions]
    names = old.plan.transactions.name
    assert [names[life.row] for life in new.transactions] == [names[life.row] for life in old.transactions]
    times = [one.name for one in fields(type(next(old.hops))) if one.name not in ("packet", "taken")]
    assert [[getattr(hop, name) for name in times] for hop in new.hops] == [
        [getattr(hop, name) for name in times] for hop in old.hops
    ]
    assert new.nops == old.nops and new.free_at_open == old.free_at_open and new.plan == old.plan
    assert free_units(new) == free_units(old) and busy_percent(new) == busy_percent(old)
    assert longest_queues(new) == longest_queues(old)


def test_lives_of_lines_issued_in_the_window_are_told_alike(recording: Recording) -> None:
    old, new = recording.trace, _read(recording)
    lives, told = Lives(new), 0
    for before, after in zip(old.transactions, new.transactions, strict=True):
        if before.completed_ps is not None and not before.eviction and before.issued_ps >= old.opened_ps:
            assert lives.steps(after) == line_steps(old, before)
            told += 1
    assert told > 2


def test_tables_of_another_machine_are_refused(recording: Recording) -> None:
    table = trace_data(recording)
    table["pools"][0]["name"] = "something else"
    with pytest.raises(InputError, match="pools: differs"):
        trace_of(TraceData.model_validate_json(json.dumps(table)))
    table = trace_data(recording)
    table["transactions"]["name"][0] = "read nothing"
    with pytest.raises(InputError, match="is none of this machine and workload"):
        trace_of(TraceData.model_validate_json(json.dumps(table)))
