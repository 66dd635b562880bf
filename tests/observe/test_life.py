"""One line's life in words, against the time log worked out by hand."""

from __future__ import annotations

from simulator.engine.plan import Part
from simulator.observe.life import Step, line_steps, part_sums
from simulator.observe.record import Recording
from simulator.observe.rows import COLUMNS, hop_rows
from simulator.workload import Access, ThreadSpec
from tests.observe.recordings import crossfire, from_start
from tests.oracle.machines import round_machine
from tests.oracle.watch import once

TWO = round_machine([0, 1], [(0, 1)])


def _steps(recording: Recording, place: int = 0) -> list[Step]:
    return line_steps(recording.trace, recording.trace.completed_lines()[place])


def _own(steps: list[Step]) -> list[tuple[float, float, Part, str]]:
    return [(step.at_ps / 1000, (step.takes_ps or 0) / 1000, step.part, step.where) for step in steps if step.part is not None]


def test_a_read_over_a_link() -> None:
    steps = _steps(from_start(TWO, [once(0, 0, "r", 1)]))
    assert _own(steps)[:-1] == [
        (0, 2, Part.SRI, "node 0 SRI"),
        (2, 8, Part.CROSSBAR, "node 0 crossbar"),
        (10, 2, Part.SERIALISATION, "link 0->1"),
        (12, 10, Part.WIRE, "link 0->1 wire"),
        (22, 8, Part.CROSSBAR, "node 1 crossbar"),
        (30, 7, Part.CONTROLLER, "node 1 controller"),
        (37, 12, Part.DRAM, "node 1 DRAM"),
        (49, 30, Part.CONTROLLER, "node 1 controller"),
        (79, 8, Part.CROSSBAR, "node 1 crossbar"),
        (87, 1, Part.SERIALISATION, "link 1->0"),
        (88, 10, Part.WIRE, "link 1->0 wire"),
        (98, 8, Part.CROSSBAR, "node 0 crossbar"),
        (106, 16, Part.SERIALISATION, "node 0 crossbar to SRI"),
        (122, 2, Part.SRI, "node 0 SRI"),
    ]
    assert _own(steps)[-1][:3] == (124, 1e6, Part.CORE)
    words = {(step.at_ps // 1000, step.where): step.what for step in steps}
    assert words[10, "link 0->1"] == "RdBlk is sent, 8 B in 2.000 ns; takes one of link 0->1 request credits, 2 left"
    assert words[30, "node 1 controller"] == "RdBlk passes; takes one of node 1 controller queue places, 19 left"
    assert words[37, "node 1 DRAM"] == "RdBlk: DRAM reads the line"
    assert words[106, "node 0 crossbar to SRI"] == "RdResponse: its tail comes after its header"
    assert words[98, "thread 0.0.r.1"] == "answer of node 1 is there"
    assert words[160, "node 1 controller"] == "SrcDone is there: the place in the queue is free"
    assert [step.at_ps for step in steps] == sorted(step.at_ps for step in steps)


def test_what_it_waits_for() -> None:
    machine = round_machine([0, 1], [(0, 1)], ["link.credits.request=1"])
    steps = _steps(from_start(machine, [once(0, 0, "r", 1), once(0, 1, "r", 1)]), 1)
    waits = [(step.at_ps, step.part, step.what) for step in steps if " waits " in step.what and step.part is not None]
    assert waits[:2] == [
        (10_000, Part.LINK_QUEUE, "RdBlk waits behind RdBlk of 0.0.r.1 #0"),
        (12_000, Part.CREDITS, "RdBlk waits for one of the 1 link 0->1 request credits"),
    ]


def test_the_wait_for_probes_names_the_nodes() -> None:
    machine = round_machine([0, 1], [(0, 1)], ["coherence.probe_answer_ns=100"])
    steps = _steps(from_start(machine, [once(0, 0, "r", 0)]))
    assert [step.what for step in steps if step.part is Part.PROBES] == ["the data is there; waits for the answer of node 1"]


def test_a_write_shows_its_eviction() -> None:
    steps = _steps(from_start(round_machine([0]), [ThreadSpec(0, 0, (Access("w", 0),), window=1)], 100))
    beside = {step.what: step.at_ps for step in steps if step.part is None}
    assert beside["the evicted line is in memory: the slot's victim buffer is free"] == 86_000
    assert any(what.startswith("eviction: VicBlk ") for what in beside)


def test_parts_are_the_latency_of_every_line_in_a_crowd() -> None:
    trace = crossfire().trace
    assert len(trace.completed_lines()) > 10
    for line in trace.completed_lines():
        sums = part_sums(line)
        assert sum(time for part, time in sums.items() if part is not Part.CORE) == (line.completed_ps or 0) - line.issued_ps
        own = [step for step in line_steps(trace, line) if step.part is not None]
        assert sum(step.takes_ps or 0 for step in own) == sum(sums.values())


def test_only_foreground_lines_are_counted() -> None:
    labels = {recording_line.thread for recording_line in crossfire().trace.completed_lines()}
    assert labels == {0, 1}


def test_rows() -> None:
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in hop_rows(from_start(TWO, [once(0, 0, "r", 1)]).trace)]
    assert [row["queued_ns"] for row in rows] == sorted(float(str(row["queued_ns"])) for row in rows)
    assert rows[1] == {
        "thread": "0.0.r.1",
        "line": 0,
        "transaction": "read 0->1",
        "packet": "RdBlk",
        "port": "link 0->1",
        "queued_ns": 10.0,
        "granted_ns": 10.0,
        "header_out_ns": 12.0,
        "tail_out_ns": 12.0,
        "arrived_ns": 30.0,
    }
    assert [row["port"] for row in rows if row["packet"] == "NOP"][:2] == ["link 1->0", "link 0->1"]


def test_rows_at_the_end_of_the_window() -> None:
    """At 20 ns the first request is on the wire, so that its arrival is settled; the second waits for a credit."""
    machine = round_machine([0, 1], [(0, 1)], ["link.credits.request=1"])
    rows = hop_rows(from_start(machine, [once(0, 0, "r", 1), once(0, 1, "r", 1)], 20).trace)
    assert [row[4:] for row in rows if row[4] == "link 0->1"] == [
        ("link 0->1", 10.0, 10.0, 12.0, 12.0, 30.0),
        ("link 0->1", 10.0, None, None, None, None),
    ]
