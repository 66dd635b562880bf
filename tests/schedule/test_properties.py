"""What holds for any programs under both schedulers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.schedule.actions import Compute, Fork, Get, Pipe, Program, Put, Sleep, Steps, WaitChild
from simulator.schedule.queues import RunQueues
from simulator.schedule.system import System
from simulator.schedule.task import State
from tests.schedule.stand_ins import MS, NS, PLAIN, TWO, PlainSpeeds, per_core, shared, system

FOUR = (*TWO, (1, 0), (1, 1))
QUEUES: dict[str, Callable[[], RunQueues]] = {
    "shared": lambda: shared(slice_ms=7, level_ms=11),
    "per core": lambda: per_core(FOUR, slice_ms=7, push_load=3, look_ms=2, balance_ms=13),
}
TIMES = st.lists(st.integers(1, 30), min_size=1, max_size=6)
CPUS = st.one_of(st.none(), st.sets(st.sampled_from(FOUR), min_size=1).map(frozenset))
JOBS = st.lists(st.tuples(TIMES, CPUS), min_size=1, max_size=8)


def _program(name: str, times: list[int], cpus: frozenset[tuple[int, int]] | None) -> Program:
    """A parent that sends a child pieces through a pipe, and both compute, sleep and call the kernel."""
    pipe = Pipe(2)

    def child() -> Steps:
        for time in times:
            yield Get(pipe)
            yield Compute(time * MS / NS / 2)

    def parent() -> Steps:
        yield Fork(Program(f"child of {name}", PLAIN, child, cpus))
        for time in times:
            yield Compute(time * MS / NS, system=time % 3 == 0)
            yield Put(pipe)
            yield Sleep(time * MS // 4)
        yield WaitChild()

    return Program(name, PLAIN, parent, cpus)


def _start(jobs: list[tuple[list[int], frozenset[tuple[int, int]] | None]], queues: str) -> System:
    # alone a line takes 1 ns, and a tenth longer for each that runs beside
    speeds = PlainSpeeds(lambda one, together: NS + NS // 10 * (together - 1))
    started = system(QUEUES[queues](), FOUR, speeds=speeds, lost=1000, switch_ps=3_000_000)
    for number, (times, cpus) in enumerate(jobs):
        started.start(_program(f"job {number}", times, cpus))
    return started


@settings(max_examples=60, deadline=None)
@given(JOBS, st.sampled_from(sorted(QUEUES)))
def test_time_is_kept(jobs: list[tuple[list[int], frozenset[tuple[int, int]] | None]], queues: str) -> None:
    done = _start(jobs, queues)
    done.run()
    assert done.log is not None
    on_cores = sum(core.busy_ps for core in done.cores)
    assert on_cores == sum(task.user_ps + task.system_ps for task in done.tasks)
    assert on_cores == sum(one.end_ps - one.start_ps for one in done.log)
    assert on_cores <= len(FOUR) * done.now_ps
    work = sum(sum(times) * 1.5 * MS / NS for times, _ in jobs)
    fetched = sum(task.lines - task.refilled_lines for task in done.tasks)
    assert abs(fetched - work) <= 1e-6 * work
    assert all(task.state is State.ENDED for task in done.tasks)


@settings(max_examples=60, deadline=None)
@given(JOBS, st.sampled_from(sorted(QUEUES)))
def test_pins_are_kept_and_no_core_or_process_is_in_two_places(
    jobs: list[tuple[list[int], frozenset[tuple[int, int]] | None]], queues: str
) -> None:
    done = _start(jobs, queues)
    done.run()
    assert done.log is not None
    allowed = {task.program.name: task.program.cpus for task in done.tasks}
    for one in done.log:
        cpus = allowed[one.task]
        assert cpus is None or one.cpu in cpus
    for same in ("cpu", "task"):
        for key in {getattr(one, same) for one in done.log}:
            rows = sorted((one.start_ps, one.end_ps) for one in done.log if getattr(one, same) == key)
            assert all(before[1] <= after[0] for before, after in pairwise(rows))


@settings(max_examples=40, deadline=None)
@given(JOBS, st.sampled_from(sorted(QUEUES)))
def test_equal_runs_are_equal(jobs: list[tuple[list[int], frozenset[tuple[int, int]] | None]], queues: str) -> None:
    one, other = _start(jobs, queues), _start(jobs, queues)
    one.run()
    other.run()
    assert one.log == other.log


@settings(max_examples=40, deadline=None)
@given(JOBS)
def test_under_one_queue_no_core_is_idle_while_a_thread_waits_for_it(
    jobs: list[tuple[list[int], frozenset[tuple[int, int]] | None]],
) -> None:
    """Looked at whenever time passes: whoever is in the queue could run on no core that is idle."""
    watched = _start(jobs, "shared")
    advance = watched._advance

    def look(when_ps: int) -> None:
        idle = [core.cpu for core in watched.cores if core.task is None]
        waiting = [task for task in watched.tasks if task.state is State.WAITING]
        assert not [task for task in waiting if any(task.may_run_on(cpu) for cpu in idle)]
        advance(when_ps)

    watched._advance = look  # type: ignore[method-assign]
    watched.run()
