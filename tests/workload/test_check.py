"""A workload that does not fit its machine is refused with one clear message."""

from __future__ import annotations

import pytest

from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.measure.run import run
from simulator.workload import Access, Arrivals, ThreadSpec, TimeSlice, Workload, check_workload
from tests.oracle.machines import node_entry, round_machine

QUARTET = load_machine("quartet")
ODD = round_machine([node_entry(0), node_entry(1, memory=False), node_entry(4, cores=0)], [(0, 1), (1, 4)])
READ = (Access("r", 0),)


def message(machine: object, *threads: ThreadSpec) -> str:
    """Return what the workload is refused with."""
    with pytest.raises(InputError) as caught:
        check_workload(machine, Workload(threads))  # type: ignore[arg-type]
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_core_that_does_not_exist() -> None:
    with pytest.raises(InputError) as caught:
        run(QUARTET, Workload.from_labels(["0.7.r.0"]))
    assert str(caught.value) == "thread 0.7.r.0: quartet has no core 7 on node 0; allowed: cores 0 to 1 of node 0"


@pytest.mark.parametrize(
    ("thread", "expected"),
    [
        (ThreadSpec(9, 0, READ), "thread 9.0.r.0: round has no node 9; allowed: nodes 0, 1, 4"),
        (ThreadSpec(0, 2, READ), "thread 0.2.r.0: round has no core 2 on node 0; allowed: cores 0 to 1 of node 0"),
        (
            ThreadSpec(4, 0, READ),
            "thread 4.0.r.0: round has no core 0 on node 4; allowed: a node with cores; node 4 has none",
        ),
        (ThreadSpec(0, 0, (Access("r", 7),)), "thread 0.0.r.7: round has no node 7; allowed: nodes 0, 1, 4"),
        (ThreadSpec(0, 0, (Access("r", 1),)), "thread 0.0.r.1: node 1 has no memory; allowed: memory of nodes 0, 4"),
        (
            ThreadSpec(0, 0, (Access("w", 0, victim_memory=1),)),
            "thread 0.0.w.0: node 1 has no memory; allowed: memory of nodes 0, 4",
        ),
        (ThreadSpec(0, 0, (Access("w", 0, victim_memory=5),)), "thread 0.0.w.0: round has no node 5; allowed: nodes 0, 1, 4"),
        (ThreadSpec(0, 0, (*READ, Access("r", 1))), "thread 0.0.r.*: node 1 has no memory; allowed: memory of nodes 0, 4"),
        (ThreadSpec(0, 0, READ, window=9), "thread 0.0.r.0: window out of range (got 9); allowed: 1 to 8"),
        (ThreadSpec(0, 0, READ, window=0), "thread 0.0.r.0: window out of range (got 0); allowed: 1 to 8"),
        (ThreadSpec(0, 0, (Access("r", 0, node=4),)), "thread 0.0.r.0: a line is issued from a node without cores (got 4)"),
        (ThreadSpec(0, 0, (Access("r", 0, node=3),)), "thread 0.0.r.0: round has no node 3; allowed: nodes 0, 1, 4"),
    ],
)
def test_what_is_not_there(thread: ThreadSpec, expected: str) -> None:
    assert message(ODD, thread) == expected


def test_no_thread_at_all() -> None:
    assert message(ODD) == "threads: a run needs at least one thread; allowed: labels such as 0.0.r.0"


SHARED = (
    "threads: threads {} and {} are on one core, which runs one at a time; allowed: one thread a core "
    "(docs/scheduling.md plays more)"
)


def test_two_threads_on_one_core() -> None:
    expected = SHARED.format("0.0.r.0", "0.0.r.4")
    assert message(ODD, ThreadSpec(0, 0, (Access("r", 4),)), ThreadSpec(0, 0, READ)) == expected


def test_two_equal_threads_on_one_core() -> None:
    assert message(ODD, ThreadSpec(0, 0, READ), ThreadSpec(0, 0, READ)) == SHARED.format("0.0.r.0", "0.0.r.0")


def test_one_thread_listed_twice() -> None:
    """The same object twice is two threads like any others."""
    thread = ThreadSpec(0, 0, READ)
    assert message(ODD, thread, thread) == SHARED.format("0.0.r.0", "0.0.r.0")


def test_a_background_thread_on_a_used_core() -> None:
    with pytest.raises(InputError, match="are on one core"):
        check_workload(QUARTET, Workload.from_labels(["0.0.r.0"], {"0.0.r.1": 1.0}))


def test_one_of_two_without_a_time_slice() -> None:
    turn = TimeSlice(period_ns=100.0, start_ns=0.0, length_ns=50.0)
    shared = message(ODD, ThreadSpec(0, 0, READ, time_slice=turn), ThreadSpec(0, 0, (Access("r", 4),)))
    assert "are on one core" in shared


def test_what_fits_passes() -> None:
    check_workload(ODD, Workload((ThreadSpec(0, 0, READ), ThreadSpec(0, 1, READ), ThreadSpec(1, 0, (Access("w", 4),)))))
    check_workload(ODD, Workload((ThreadSpec(0, 0, READ, window=8), ThreadSpec(1, 1, (Access("r", 0, node=0),)))))
    check_workload(ODD, Workload((ThreadSpec(0, 0, READ, window=500, arrivals=Arrivals(100.0)),)))


def test_a_rate_too_small_for_the_clock_is_refused() -> None:
    """A line in 10**16 years: refused by its label, and as an object."""
    with pytest.raises(InputError, match="1e-06 to 100000 GB/s"):
        Workload.from_labels(["0.0.r.0"], {"0.1.r.0": 1e-320})
    assert "1e-06 to 100000 GB/s" in message(ODD, ThreadSpec(0, 1, READ, rate_gb_per_s=1e-320))


@pytest.mark.parametrize(
    ("thread", "told"),
    [
        (ThreadSpec(0, 0, ()), "at least one access"),
        (ThreadSpec(0, 0, READ, start_ns=-1.0), "time out of range (got -1.0)"),
        (ThreadSpec(0, 0, READ, core_time_ns=-2.0), "time out of range (got -2.0)"),
        (ThreadSpec(0, 0, READ, core_time_ns=float("nan")), "time out of range (got nan)"),
        (ThreadSpec(0, 0, (Access("x", 0),)), "not a mode (got 'x'); allowed: r, w"),  # type: ignore[arg-type]
        (ThreadSpec(0, 0, READ, arrivals=Arrivals(0.0)), "arrivals need an interval above 0"),
        (ThreadSpec(0, 0, READ, arrivals=Arrivals(-5.0)), "time out of range (got -5.0)"),
        (ThreadSpec(0, 0, (Access("r", 0, extra_core_time_ns=-200.0),)), "time out of range (got -200.0)"),
        (ThreadSpec(0, 0, (Access("r", 0, barrier=-1),)), "barrier out of range (got -1)"),
        (ThreadSpec(0, 0, READ, window=5000, arrivals=Arrivals(10.0)), "window out of range (got 5000); allowed: 1 to 4096"),
        (ThreadSpec(0, 0, READ, window=0, arrivals=Arrivals(10.0)), "window out of range (got 0); allowed: 1 to 4096"),
        (ThreadSpec(0, 0, READ, time_slice=TimeSlice(0.0, 0.0, 0.0)), "not a time slice"),
        (ThreadSpec(0, 0, READ, time_slice=TimeSlice(100.0, 0.0, 101.0)), "not a time slice"),
    ],
)
def test_numbers_out_of_range(thread: ThreadSpec, told: str) -> None:
    assert told in message(ODD, thread)


def test_time_slices_that_overlap() -> None:
    def two(one: TimeSlice, other: TimeSlice) -> Workload:
        return Workload((ThreadSpec(0, 0, READ, time_slice=one), ThreadSpec(0, 0, (Access("r", 4),), time_slice=other)))

    for other in (TimeSlice(100.0, 40.0, 50.0), TimeSlice(100.0, 90.0, 20.0), TimeSlice(101.0, 60.0, 10.0)):
        with pytest.raises(InputError, match="time slices overlap"):
            check_workload(ODD, two(TimeSlice(100.0, 0.0, 50.0), other))
    check_workload(ODD, two(TimeSlice(100.0, 0.0, 50.0), TimeSlice(100.0, 50.0, 50.0)))
