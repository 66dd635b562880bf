"""Schedules worked out by hand, to the last picosecond: who runs where from when to when."""

from __future__ import annotations

import pytest

from simulator.errors import InputError
from simulator.schedule.actions import Compute, Fork, Get, Pipe, Program, Put, Sleep, Steps, WaitChild
from simulator.schedule.task import Segment
from tests.schedule.stand_ins import MS, NS, PLAIN, TWO, PlainSpeeds, job, log_ms, per_core, shared, system


def test_one_queue_gives_each_core_the_next_thread() -> None:
    done = system(shared(slice_ms=100))
    for name, time_ms in (("a", 150), ("b", 50), ("c", 120)):
        done.start(job(name, time_ms))
    done.run()
    assert log_ms(done) == [("a", 0, 150, 0), ("b", 0, 50, 1), ("c", 50, 170, 1)]  # nobody waits when a's slice is over
    assert done.now_ps == 170 * MS


def test_slices_by_turn() -> None:
    done = system(shared(slice_ms=10), cpus=((0, 0),))
    done.start(job("a", 25))
    done.start(job("b", 15))
    done.run()
    assert log_ms(done) == [("a", 0, 10, 0), ("b", 10, 20, 0), ("a", 20, 30, 0), ("b", 30, 35, 0), ("a", 35, 40, 0)]


def test_a_thread_that_ran_less_displaces_one_that_ran_more() -> None:
    """Levels of 10 ms: when b wakes at 25 ms, a has run for 20 ms and b for 5."""
    done = system(shared(slice_ms=1000, level_ms=10), cpus=((0, 0),))
    done.start(job("b", 5, 20, 5))
    done.start(job("a", 40))
    done.run()
    assert log_ms(done) == [("b", 0, 5, 0), ("a", 5, 25, 0), ("b", 25, 30, 0), ("a", 30, 50, 0)]


def test_without_levels_it_waits_for_its_turn() -> None:
    done = system(shared(slice_ms=1000), cpus=((0, 0),))
    done.start(job("b", 5, 20, 5))
    done.start(job("a", 40))
    done.run()
    assert log_ms(done) == [("b", 0, 5, 0), ("a", 5, 45, 0), ("b", 45, 50, 0)]


def test_a_switch_is_system_time_and_refilling_is_user_time() -> None:
    """Every start, and every return behind another, costs 1 ms of switch and 2 ms for 2 million lines lost."""
    done = system(shared(slice_ms=10), cpus=((0, 0),), lost=2 * MS // NS, switch_ps=MS)
    done.start(job("a", 10))
    done.start(job("b", 7))
    done.run()
    assert log_ms(done) == [("a", 0, 10, 0), ("b", 10, 20, 0), ("a", 20, 26, 0)]
    first, second = done.tasks
    assert (first.user_ps, first.system_ps, first.refilled_lines) == (14 * MS, 2 * MS, 4_000_000)
    assert (second.user_ps, second.system_ps, second.switches) == (9 * MS, MS, 1)


def test_what_was_left_of_a_refilling_is_not_lost() -> None:
    """3.2 lines were still to come when it left; behind 5 new losses that makes 9, but never more than it can lose."""
    task = system(shared()).start(job("a", 1))
    for lost, most, again in ((5, 12, 9), (10, 12, 12), (0, 12, 4)):
        task.segments.clear()
        task.segments.append(Segment(None, 0.5, True))
        task.segments.append(Segment(task.traffic.refilling, 3.2, False))
        task.segments.append(Segment(task.traffic.working, 7.0, False))
        task.come_back(MS, lost, most)
        kinds = [(segment.traffic, segment.left) for segment in task.segments]
        assert kinds == [(None, MS), (task.traffic.refilling, again), (task.traffic.working, 7.0)]


def test_alone_on_its_core_it_loses_nothing() -> None:
    done = system(shared(), cpus=((0, 0),), lost=1000, switch_ps=MS)
    done.start(job("a", 10, 5, 10))
    done.run()
    assert done.tasks[0].switches == 1 and done.tasks[0].refilled_lines == 1000


def test_speed_depends_on_who_runs_beside() -> None:
    """Together a line takes 2 ns: a needs 20 ms while b runs, does half of its 20 million lines then, and 10 ms for the rest."""
    done = system(shared(), speeds=PlainSpeeds(lambda one, together: together * NS))
    done.start(job("a", 20))
    done.start(job("b", 10))
    done.run()
    assert log_ms(done) == [("a", 0, 30, 0), ("b", 0, 20, 1)]


def test_an_idle_core_looks_into_the_other_queue_every_10_ms() -> None:
    """The child waits in the queue of its parent's core from 3 ms to the next look of core 1."""

    def parent() -> Steps:
        yield Compute(3 * MS / NS)
        yield Fork(job("child", 20))
        yield Compute(30 * MS / NS)
        yield WaitChild()

    done = system(per_core())
    done.start(Program("parent", PLAIN, parent))
    done.run()
    assert log_ms(done) == [("parent", 0, 33, 0), ("child", 10, 30, 1)]


def test_a_busy_core_pushes_to_an_idle_one() -> None:
    def parent() -> Steps:
        yield Compute(3 * MS / NS)
        yield Fork(job("one", 20))
        yield Fork(job("two", 20))
        yield Compute(30 * MS / NS)

    done = system(per_core(push_load=2, look_ms=1000))
    done.start(Program("parent", PLAIN, parent))
    done.run()
    # "one" waits behind its parent, alone; "two" would be the third on core 0, and is given to core 1, which then takes "one".
    assert log_ms(done) == [("parent", 0, 33, 0), ("two", 3, 23, 1), ("one", 23, 43, 1)]


def test_threads_stay_at_their_core() -> None:
    """After its sleep a comes back to core 0, though core 1 is idle and its own core is not."""
    done = system(per_core(look_ms=1000), cpus=TWO)
    done.start(job("a", 10, 5, 10, cpus=None))
    done.start(job("c", 12, cpus=frozenset({(0, 1)})))
    done.start(job("b", 30, cpus=frozenset({(0, 0)})))
    done.run()
    # c keeps core 1 until 12; a wakes at 15, has slept less than it ran, and waits for core 0 behind b
    assert log_ms(done) == [("a", 0, 10, 0), ("c", 0, 12, 1), ("b", 10, 40, 0), ("a", 40, 50, 0)]


def test_an_interactive_thread_displaces_another_on_its_core() -> None:
    """i has slept for 60 ms and run for 2, score 1; a has only run, score 100."""
    done = system(per_core(cpus=((0, 0),)), cpus=((0, 0),))
    done.start(job("i", 2, 60, 2))
    done.start(job("a", 80))
    done.run()
    assert log_ms(done) == [("i", 0, 2, 0), ("a", 2, 62, 0), ("i", 62, 64, 0), ("a", 64, 84, 0)]


def test_queues_are_balanced() -> None:
    """Four threads wait on core 0, whose parent forks them; core 1 has a long one of its own. At 50 ms the last of the three that
    still wait goes over; core 1 runs it when the long one ends. When it is idle again, it takes the one that waits on core 0."""

    def parent() -> Steps:
        for name in ("p", "q", "r", "s"):
            yield Fork(job(name, 100))
        yield Compute(10 * MS / NS)

    done = system(per_core(slice_ms=1000, look_ms=10_000, balance_ms=50))
    done.start(Program("parent", PLAIN, parent, frozenset({(0, 0)})))
    done.start(job("long", 70, cpus=frozenset({(0, 1)})))
    done.run()
    assert log_ms(done) == [
        ("parent", 0, 10, 0),
        ("long", 0, 70, 1),
        ("p", 10, 110, 0),
        ("s", 70, 170, 1),
        ("q", 110, 210, 0),
        ("r", 170, 270, 1),
    ]


def test_a_pipe_holds_what_it_holds() -> None:
    """The writer makes a piece in 1 ms and the reader takes 3: with room for one, the writer's third waits for the reader."""
    pipe = Pipe(1)

    def writer() -> Steps:
        for _ in range(3):
            yield Compute(1 * MS / NS)
            yield Put(pipe)

    def reader() -> Steps:
        for _ in range(3):
            yield Get(pipe)
            yield Compute(3 * MS / NS)

    done = system(shared())
    done.start(Program("writer", PLAIN, writer))
    done.start(Program("reader", PLAIN, reader))
    done.run()
    # pieces are there at 1, 2 and 3 ms; the reader has the first at 1, the second at 4: until then the third finds no room
    assert log_ms(done) == [("writer", 0, 3, 0), ("reader", 1, 10, 1)]
    assert done.tasks[0].ended_ps == 4 * MS


def test_memory_stays_where_a_process_first_ran() -> None:
    """a starts on node 0, sleeps while c takes its core, and goes on on node 1: from there all its lines are remote."""
    cpus = ((0, 0), (1, 0))
    done = system(shared(slice_ms=1000), cpus=cpus)
    done.start(job("a", 10, 5, 10))
    done.start(job("b", 12))
    done.start(job("c", 100))
    done.run()
    first = done.tasks[0]
    assert first.memory == 0 and first.cpu == (1, 0) and first.migrations == 1
    assert (first.lines, first.local_lines) == (20_000_000, 10_000_000)


def test_processes_that_wait_for_each_other() -> None:
    def steps() -> Steps:
        yield Sleep(0)
        yield Get(Pipe(1))

    stuck = system(shared())
    stuck.start(Program("reader", PLAIN, steps))
    with pytest.raises(InputError, match="wait for each other"):
        stuck.run()


def test_pinned_to_nowhere() -> None:
    with pytest.raises(InputError, match="pinned to CPUs that are not used"):
        system(shared()).start(job("a", 1, cpus=frozenset({(5, 0)})))
