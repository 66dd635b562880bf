"""Recording a program, where the computer can."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.replay import real_programs, record
from simulator.replay.real_programs import PROGRAMS, real_program_replays
from simulator.traces import Trace

ROOT = Path(__file__).parents[2]
SOURCES, SHIPPED = ROOT / "experiments" / "programs", ROOT / "tests" / "traces" / "data" / "stream_small.lackey.gz"


@pytest.mark.slow
@pytest.mark.skipif(not record.can_record(), reason="gcc or valgrind is not there")
def test_a_program_is_traced_to_its_end(tmp_path: Path) -> None:
    trace = Trace(record.record(SOURCES / "sort_small.c", ["100"], tmp_path))
    assert sum(map(len, trace.chunks())) > 7 * 100 * 2  # seven passes of merging read and write each number
    assert trace.form == "lackey"


def test_a_tool_that_is_missing_or_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "_COMPILER", "no-such-compiler")
    assert not record.can_record()
    with pytest.raises(InputError, match="no-such-compiler cannot be started: no such file"):
        record.record(SOURCES / "sort_small.c", ["100"], tmp_path)
    monkeypatch.setattr(record, "_COMPILER", "false")
    with pytest.raises(InputError, match="false ended with code 1"):
        record.record(SOURCES / "sort_small.c", ["100"], tmp_path)


def test_without_the_tools_the_shipped_trace_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_programs, "can_record", lambda: False)
    found = dict(real_program_replays(load_machine("quartet"), SOURCES, SHIPPED, quick=True))
    assert list(found) == ["stream_small", "copies"]
    local, near, far, spread = (run.elapsed_ns for run in found["stream_small"].runs)
    assert local < near < far
    assert local < spread < far
    assert [len(run.threads) for run in found["copies"].runs] == [8] * 3
    assert found["copies"].runs[0].workload == "8 x stream_small.lackey.gz"
    own, one_node, all_nodes = (run.elapsed_ns for run in found["copies"].runs)
    assert own < all_nodes < one_node


def test_the_sources_are_there() -> None:
    assert all((SOURCES / program.source).is_file() for program in PROGRAMS)
