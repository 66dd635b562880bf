"""A thread's time a line is over the time it worked: not from before its start, nor while it waited for other threads."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator import InputError, load_machine
from simulator.program import ArraySpec, InitPhase, Program, SweepPhase, ThreadGroup
from simulator.replay.look import look_through
from simulator.replay.run import run_program
from simulator.replay.trace_file import TraceFile

QUARTET = load_machine("quartet")
TOUCH = InitPhase(pattern="init", arrays=("a",))
READ = SweepPhase(pattern="sequential", array="a")


def _time_per_line_ns(group: ThreadGroup, *phases: SweepPhase) -> float:
    array = ArraySpec(name="a", size_kib=256.0)
    program = Program(name="busy", arrays=(array,), threads=(group,), phases=(TOUCH, *phases))
    thread = run_program(QUARTET, program).threads[-1]
    return thread.busy_ns / thread.lines


def test_a_late_start_does_not_count() -> None:
    soon = _time_per_line_ns(ThreadGroup(name="w", node=0, core=0), READ)
    late = _time_per_line_ns(ThreadGroup(name="w", node=0, core=0, start_ns=50_000.0), READ)
    assert late == pytest.approx(soon, rel=0.02)


def test_waiting_for_another_thread_does_not_count() -> None:
    alone = READ.model_copy(update={"threads": ("w.0",), "repeat": 20, "division": "whole"})
    last = SweepPhase(pattern="sequential", array="a", threads=("w.1",), division="whole")
    waited = _time_per_line_ns(ThreadGroup(name="w", count=2), alone, last)
    assert waited < 80  # some 39 ns a line; with the wait for the other's 81,920 lines far above 100


def test_a_trace_without_an_access_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "head.csv"
    path.write_text("thread,instr,address,size,rw\n")
    with pytest.raises(InputError, match="holds no access"):
        look_through([TraceFile(str(path))])
