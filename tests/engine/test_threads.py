"""What a Plan's threads can do: programs, pace, turns, barriers, migration. Times of a local line: see test_time_logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from simulator.engine.lower import lower
from simulator.engine.simpy_engine import SimpyEngine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.workload import Access, Arrivals, ThreadSpec, TimeSlice, Workload
from tests.oracle.machines import round_machine
from tests.oracle.watch import Line, Watched, at_most, drain

ONE = round_machine([0])
TWO = round_machine([0, 1], [(0, 1)])
LOCAL = 69  # ns, a local line of ONE
SRCDONE = 17  # ns until its SrcDone frees the queue


def watch(machine: Machine, *threads: ThreadSpec, until_ns: float | None = None, seed: int = 1) -> Watched:
    """Run threads until a time, or until nothing is left to happen."""
    watched = Watched(lower(machine, Workload(threads), seed))
    if until_ns is None:
        drain(watched.engine)
        return watched
    return watched.run(until_ns)


def in_ns(times: Sequence[int]) -> list[float]:
    """Turn ps into ns."""
    return [time / 1000 for time in times]


def own_lines(watched: Watched, thread: int = 0) -> list[Line]:
    """Return the lines of a thread in the order of issue."""
    return sorted((line for line in watched.lines if line.thread == thread and not line.eviction), key=lambda line: line.number)


class TestPrograms:
    def test_interleaved_homes_in_turn(self) -> None:
        machine = round_machine([0, 1, 2], [(0, 1), (1, 2)])
        thread = ThreadSpec(0, 0, tuple(Access("r", home) for home in (0, 1, 2)), window=4)
        names = [line.transaction for line in own_lines(watch(machine, thread, until_ns=3000))]
        assert len(names) > 20
        assert names == [f"read 0->{number % 3}" for number in range(len(names))]

    def test_interleaved_lines_reach_every_controller_alike(self) -> None:
        machine = round_machine([0, 1, 2], [(0, 1), (1, 2)])
        thread = ThreadSpec(0, 0, tuple(Access("r", home) for home in (0, 1, 2)) * 20, window=4, repeat=False)
        sent = watch(machine, thread).engine.snapshot().port_sent
        plan = lower(machine, Workload((thread,)))
        assert [sum(sent[port]) for port in plan.controller_port] == [20, 20, 20]

    def test_several_arrays(self) -> None:
        """a[i] = b[i] + s * c[i]: two arrays read, one written, each on its node, the written line evicted to a third."""
        machine = round_machine([0, 1, 2], [(0, 1), (1, 2)])
        triad = (Access("r", 1), Access("r", 2), Access("w", 0, victim_memory=1))
        watched = watch(machine, ThreadSpec(0, 0, triad * 10, window=3, repeat=False))
        kinds = Counter(line.transaction for line in watched.lines)
        assert kinds == {"read 0->1": 10, "read 0->2": 10, "read to modify 0->0": 10, "victim 0->1": 10}

    def test_a_finite_program_is_run_once(self) -> None:
        watched = watch(ONE, ThreadSpec(0, 0, (Access("r", 0),) * 7, window=3, repeat=False))
        assert len(watched.launched) == len(watched.lines) == 7

    def test_a_repeated_program_goes_on(self) -> None:
        watched = watch(ONE, ThreadSpec(0, 0, (Access("r", 0), Access("w", 0)), window=1), until_ns=5000)
        lines = own_lines(watched)
        assert len(lines) > 30
        assert [line.transaction for line in lines] == ["read 0->0", "read to modify 0->0"] * (len(lines) // 2) + [
            "read 0->0"
        ] * (len(lines) % 2)

    def test_a_trace_with_computation_in_between(self) -> None:
        """Core time 5, and what each line says on top of it."""
        trace = tuple(Access("r", 0, extra_core_time_ns=extra) for extra in (0.0, 10.0, 0.5, 100.0))
        watched = watch(ONE, ThreadSpec(0, 0, trace, window=1, repeat=False))
        starts = [0.0]
        for extra in (0.0, 10.0, 0.5):
            starts.append(starts[-1] + LOCAL + 5 + extra)
        assert in_ns(watched.issued(0)) == starts
        assert in_ns(watched.completed(0)) == [start + LOCAL for start in starts]

    def test_start_and_core_time_of_its_own(self) -> None:
        watched = watch(ONE, ThreadSpec(0, 0, (Access("r", 0),) * 3, window=1, core_time_ns=31.0, start_ns=7.0, repeat=False))
        assert in_ns(watched.issued(0)) == [7, 7 + LOCAL + 31, 7 + 2 * (LOCAL + 31)]

    def test_a_window_starts_at_once(self) -> None:
        machine = round_machine([0], overrides=["sri.to_crossbar.request=8", "controller.to_crossbar.probe=8"])
        watched = watch(machine, ThreadSpec(0, 0, (Access("r", 0),) * 6, window=4, repeat=False))
        # DRAM serves one every 12 ns; each slot then rests 5
        assert in_ns(watched.issued(0)) == [0, 0, 0, 0, LOCAL + 5, LOCAL + 12 + 5]

    def test_the_background_has_values_of_its_own(self) -> None:
        machine = round_machine([0], overrides=["core.background_window=3", "core.background_core_time_ns=11.0"])
        plan = lower(
            machine, Workload((ThreadSpec(0, 0, (Access("r", 0),), background=True), ThreadSpec(0, 1, (Access("r", 0),))))
        )
        draws = [plan.draws.values[draw] for draw in plan.program.core_draw]
        assert plan.threads.window == (3, 1)
        assert draws == [(11_000,), (5_000,)]


class TestJitter:
    MACHINE = round_machine([0], core={"jitter_ns": 3.0, "core_time_ns": 20.0})
    THREAD = ThreadSpec(0, 0, (Access("r", 0),), window=1)

    @staticmethod
    def _rests(watched: Watched) -> list[float]:
        completed, issued = watched.completed(0), watched.issued(0)
        return [(start - end) / 1000 for end, start in zip(completed, issued[1:], strict=False)]

    def test_core_times_vary_evenly_by_the_jitter(self) -> None:
        rests = self._rests(watch(self.MACHINE, self.THREAD, until_ns=90_000))
        assert len(rests) > 900
        assert 17 <= min(rests) < 17.05
        assert 22.95 < max(rests) <= 23
        assert sum(rests) / len(rests) == pytest.approx(20, abs=4 * 3 / 3**0.5 / len(rests) ** 0.5)

    def test_a_seed_gives_them_and_another_gives_others(self) -> None:
        first, again, other = (watch(self.MACHINE, self.THREAD, until_ns=2000, seed=seed) for seed in (1, 1, 2))
        assert self._rests(first) == self._rests(again) != self._rests(other)

    def test_another_thread_does_not_change_what_is_drawn(self) -> None:
        """Line n of a thread has its core time, whoever else runs: only the pace changes."""
        alone = watch(self.MACHINE, self.THREAD, until_ns=5000)
        beside = watch(self.MACHINE, self.THREAD, ThreadSpec(0, 1, (Access("w", 0),), window=8), until_ns=10_000)
        assert self._rests(beside)[:30] == self._rests(alone)[:30]
        assert beside.completed(0)[:30] != alone.completed(0)[:30]

    def test_two_threads_draw_differently(self) -> None:
        watched = watch(self.MACHINE, self.THREAD, ThreadSpec(0, 1, (Access("r", 0),), window=1), until_ns=2000)
        assert [b - a for a, b in zip(watched.completed(0), watched.issued(0)[1:], strict=False)][:10] != [
            b - a for a, b in zip(watched.completed(1), watched.issued(1)[1:], strict=False)
        ][:10]


class TestPace:
    def test_a_rate_spaces_lines_evenly(self) -> None:
        """0.5 GB/s is a line every 128 ns, more than a line and its core time take."""
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 5, window=1, rate_gb_per_s=0.5, repeat=False, start_ns=3.0)
        assert in_ns(watch(ONE, thread).issued(0)) == [3, 131, 259, 387, 515]

    def test_slots_do_not_speed_it_up(self) -> None:
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 6, window=3, rate_gb_per_s=0.5, repeat=False)
        assert in_ns(watch(ONE, thread).issued(0)) == [0, 128, 256, 384, 512, 640]

    def test_what_was_held_up_is_made_up_for_by_up_to_a_window(self) -> None:
        """A barrier holds three slots until 1069 or so; then three lines go at once, the next 128 ns later."""
        machine = round_machine([0], overrides=["sri.to_crossbar.request=8", "controller.to_crossbar.probe=8"])
        lines = (Access("r", 0, barrier=0),) + (Access("r", 0),) * 5
        held = ThreadSpec(0, 0, lines, window=3, rate_gb_per_s=0.5, repeat=False)
        late = ThreadSpec(0, 1, (Access("r", 0, barrier=0),), window=1, start_ns=1000.0, repeat=False)
        assert in_ns(watch(machine, held, late).issued(0)) == [1000, 1000, 1000, 1128, 1256, 1384]

    def test_lines_held_up_are_made_up_for(self) -> None:
        """Window 1: a line takes 69 + 5; at one every 70 ns it can never catch up, and does not lose count either."""
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 4, window=1, rate_gb_per_s=64 / 70, repeat=False)
        assert in_ns(watch(ONE, thread).issued(0)) == [0, 74, 148, 222]

    def test_more_than_it_can_is_as_fast_as_it_can(self) -> None:
        quick = ThreadSpec(0, 0, (Access("r", 0),) * 9, window=2, rate_gb_per_s=1e4, repeat=False)
        free = ThreadSpec(0, 0, (Access("r", 0),) * 9, window=2, repeat=False)
        assert watch(ONE, quick).completed(0) == watch(ONE, free).completed(0)

    def test_a_background_thread_gets_the_rate_it_asks_for(self) -> None:
        workload = Workload.from_labels(["0.0.r.0"], {"1.0.r.1": 0.25})
        result = run(TWO, workload, Accuracy(ci_percent=5, lines=1000, warmup=50))
        # a line every 256 ns, give or take one at each end of the window
        assert abs(result.threads[1].lines - result.window_ns / 256) <= 1


class TestArrivals:
    def test_even_arrivals_that_nobody_holds_up(self) -> None:
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 5, window=4, arrivals=Arrivals(100.0, random=False), repeat=False)
        watched = watch(ONE, thread)
        assert in_ns(watched.issued(0)) == [100, 200, 300, 400, 500]
        assert {line.completed_ps - line.issued_ps for line in watched.lines} == {LOCAL * 1000}

    def test_latency_counts_from_the_arrival(self) -> None:
        """One slot, a line every 10 ns, no core time: line k arrives at 10 k and is complete at 10 + 69 k."""
        arrivals = Arrivals(10.0, random=False)
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 6, window=1, core_time_ns=0.0, arrivals=arrivals, repeat=False)
        watched = watch(ONE, thread)
        assert in_ns([line.issued_ps for line in watched.lines]) == [10 * k for k in range(1, 7)]
        assert in_ns(watched.completed(0)) == [10 + LOCAL * k for k in range(1, 7)]
        assert watched.engine.snapshot().thread_latency_ps == (1000 * sum(10 + LOCAL * k - 10 * k for k in range(1, 7)),)

    def test_a_poisson_stream_does_not_wait_for_its_lines(self) -> None:
        """The times of arrival are the same whether a line takes 69 ns or ten times as long."""

        def arrived(path_ns: float) -> list[int]:
            machine = round_machine([0], overrides=[f"controller.path_ns={path_ns}"])
            thread = ThreadSpec(0, 0, (Access("r", 0),) * 200, window=200, arrivals=Arrivals(40.0), repeat=False)
            return sorted(line.issued_ps for line in watch(machine, thread).lines)

        assert arrived(30.0) == arrived(600.0)

    def test_intervals_of_a_poisson_stream(self) -> None:
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 2000, window=2000, arrivals=Arrivals(500.0), repeat=False)
        issued = watch(ONE, thread).issued(0)
        gaps = [later - earlier for earlier, later in zip(issued, issued[1:], strict=False)]
        mean = sum(gaps) / len(gaps)
        variance = sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1)
        assert mean == pytest.approx(500_000, rel=4 / len(gaps) ** 0.5)
        assert variance**0.5 == pytest.approx(500_000, rel=4 * (2 / len(gaps)) ** 0.5)


class TestBarriers:
    @pytest.mark.parametrize("windows", [(1, 1), (3, 1), (2, 4)])
    def test_nothing_passes_before_all_is_complete(self, windows: tuple[int, int]) -> None:
        """One thread passes the barrier every three lines, the other, far from its memory, every two."""
        near = ThreadSpec(0, 0, (Access("r", 0), Access("w", 0), Access("r", 0, barrier=0)), window=windows[0])
        far = ThreadSpec(1, 0, (Access("r", 0, barrier=0), Access("w", 0)), window=windows[1])
        watched = watch(TWO, near, far, until_ns=20_000)
        mine, others = own_lines(watched, 0), own_lines(watched, 1)
        issued = watched.issued(0), watched.issued(1)
        passings = min((len(mine) - 2) // 3, len(others) // 2) - 1
        assert passings > 10
        for passing in range(passings):
            first_mine, first_other = 3 * passing + 2, 2 * passing
            before = [line.completed_ps for line in (*mine[:first_mine], *others[:first_other])]
            after = [issued[0][first_mine], issued[1][first_other]]
            assert max(before) <= min(after)
            assert after[0] == after[1]  # the last to come lets both go

    def test_by_hand(self) -> None:
        """Two lines of 69 and a rest of 5 each, then the barrier; the other thread comes to it at once and waits."""
        slow = ThreadSpec(0, 0, (Access("r", 0), Access("r", 0), Access("r", 0, barrier=0)), window=1, repeat=False)
        quick = ThreadSpec(0, 1, (Access("r", 0, barrier=0),), window=1, repeat=False)
        watched = watch(ONE, slow, quick)
        assert in_ns(watched.issued(0)) == [0, 74, 148]
        assert in_ns(watched.issued(1)) == [148]

    def test_a_barrier_of_one_waits_for_its_own_lines_only(self) -> None:
        """Two slots; the third line waits for both lines before it, though its slot is free after the first."""
        program = (Access("r", 0), Access("r", 0, extra_core_time_ns=500.0), Access("r", 0, barrier=0))
        watched = watch(ONE, ThreadSpec(0, 0, program, window=2, core_time_ns=0.0, repeat=False))
        # lines complete at 69 and 81; the slot of the first comes to the barrier at 69 and passes it at 81
        assert in_ns(watched.issued(0)) == [0, 0, LOCAL + 12]

    def test_two_barriers_do_not_mix(self) -> None:
        first = [ThreadSpec(0, core, (Access("r", 0), Access("r", 0, barrier=0)), window=1, repeat=False) for core in (0, 1)]
        second = [
            ThreadSpec(1, core, (Access("r", 1),) * count + (Access("r", 1, barrier=1),), window=1, repeat=False)
            for core, count in ((0, 1), (1, 6))
        ]
        watched = watch(TWO, *first, *second)
        meet = [watched.issued(thread)[-1] for thread in range(4)]
        assert meet[0] == meet[1] < meet[2] == meet[3]

    def test_a_barrier_that_nobody_else_comes_to_any_more(self) -> None:
        """The other thread has ended its program: the first one waits for ever, and the run says so."""
        result = self._run(self.WAITS, self.ENDS)
        assert result.verdict == "deadlock"
        assert result.deadlock_cycle == ("thread 0.0.r.0", "barrier 0", "thread 0.1.r.0")
        assert result.verdict_detail == "thread 0.0.r.0 waits at barrier 0 for thread 0.1.r.0, which never comes"

    def test_such_a_barrier_while_other_threads_go_on(self) -> None:
        """Events go on for ever, yet the foreground never will: this must end, and be told."""
        result = self._run(self.WAITS, self.ENDS, ThreadSpec(1, 0, (Access("r", 1),), background=True))
        assert result.verdict == "deadlock"
        assert result.deadlock_cycle == ("thread 0.0.r.0", "barrier 0", "thread 0.1.r.0")

    def test_two_threads_at_each_others_barriers(self) -> None:
        """Each comes to the barriers in another order."""
        there = ThreadSpec(0, 0, (Access("r", 0, barrier=0), Access("r", 0, barrier=1)))
        and_back = ThreadSpec(0, 1, (Access("r", 0, barrier=1), Access("r", 0, barrier=0)))
        result = self._run(there, and_back, ThreadSpec(1, 0, (Access("r", 1),), background=True))
        assert result.verdict == "deadlock"
        assert result.deadlock_cycle == ("thread 0.0.r.0", "barrier 0", "thread 0.1.r.0")

    def test_barriers_that_open_are_no_deadlock(self) -> None:
        near = ThreadSpec(0, 0, (Access("r", 0), Access("r", 0, barrier=0)))
        far = ThreadSpec(1, 0, (Access("r", 0, barrier=0), Access("r", 0, barrier=1)), start_ns=5000.0)
        late = ThreadSpec(1, 1, (Access("w", 0, barrier=1),), start_ns=9000.0)
        assert self._run(near, far, late).verdict in ("steady", "too short")

    WAITS = ThreadSpec(0, 0, (Access("r", 0, barrier=0),))
    ENDS = ThreadSpec(0, 1, (Access("r", 0, barrier=0),), repeat=False)

    @staticmethod
    def _run(*threads: ThreadSpec) -> RunResult:
        with at_most(10):
            return run(TWO, Workload(threads), Accuracy(lines=100, warmup=0))


class TestTurns:
    TURNS = (
        TimeSlice(period_ns=1000.0, start_ns=0.0, length_ns=400.0),
        TimeSlice(period_ns=1000.0, start_ns=500.0, length_ns=450.0),
    )

    def test_two_threads_on_one_core_never_issue_in_one_slice(self) -> None:
        threads = [ThreadSpec(0, 0, (Access("r", home),), window=3, time_slice=turn) for home, turn in enumerate(self.TURNS)]
        watched = watch(TWO, *threads, until_ns=30_000)
        for thread, turn in enumerate(self.TURNS):
            issued = in_ns(watched.issued(thread))
            assert len(issued) > 300
            assert all(turn.start_ns <= time % turn.period_ns < turn.start_ns + turn.length_ns for time in issued)

    def test_a_slice_begins_and_ends_sharply(self) -> None:
        """Window 1, a line every 74 ns from 0: at 0, 74, ... 370, and again from 1000."""
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 8, window=1, time_slice=self.TURNS[0], repeat=False)
        assert in_ns(watch(ONE, thread).issued(0)) == [0, 74, 148, 222, 296, 370, 1000, 1074]

    def test_the_end_of_a_slice_is_not_in_it(self) -> None:
        turn = TimeSlice(period_ns=1000.0, start_ns=0.0, length_ns=370.0)
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 6, window=1, time_slice=turn, repeat=False)
        assert in_ns(watch(ONE, thread).issued(0)) == [0, 74, 148, 222, 296, 1000]

    def test_a_later_slice_is_waited_for(self) -> None:
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 2, window=1, time_slice=self.TURNS[1], start_ns=20.0, repeat=False)
        assert in_ns(watch(ONE, thread).issued(0)) == [500, 574]

    def test_lines_under_way_are_completed(self) -> None:
        """The line issued at 370 is complete at 439, after the slice."""
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 6, window=1, time_slice=self.TURNS[0], repeat=False)
        assert in_ns(watch(ONE, thread).completed(0))[-1] == 370 + LOCAL

    def test_turns_and_a_rate(self) -> None:
        """A line every 128 ns within the slice; one slot saves up one line, so after the pause they are 128 ns apart again."""
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 7, window=1, rate_gb_per_s=0.5, time_slice=self.TURNS[0], repeat=False)
        assert in_ns(watch(ONE, thread).issued(0)) == [0, 128, 256, 384, 1000, 1128, 1256]

    def test_turns_and_a_rate_with_two_slots(self) -> None:
        """Two slots save up two lines: both go when the slice begins, the next 128 ns later."""
        machine = round_machine([0], overrides=["sri.to_crossbar.request=8"])
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 8, window=2, rate_gb_per_s=0.5, time_slice=self.TURNS[0], repeat=False)
        assert in_ns(watch(machine, thread).issued(0)) == [0, 128, 256, 384, 1000, 1000, 1128, 1256]

    def test_a_line_due_between_slices_goes_when_the_next_begins(self) -> None:
        """A line every 150 ns; those due at 450 and 950 wait for 500 and 1000, and nothing of the rate is lost."""
        turn = TimeSlice(period_ns=500.0, start_ns=0.0, length_ns=400.0)
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 8, window=1, rate_gb_per_s=64 / 150, time_slice=turn, repeat=False)
        assert in_ns(watch(ONE, thread).issued(0)) == [0, 150, 300, 500, 650, 800, 1000, 1150]

    def test_arrivals_outside_the_slice_are_not_lost(self) -> None:
        """One every 300 ns: those at 600 and 900 wait for the slice at 1000, and their latency counts from the arrival."""
        arrivals = Arrivals(300.0, random=False)
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 5, window=4, arrivals=arrivals, time_slice=self.TURNS[0], repeat=False)
        watched = watch(round_machine([0], overrides=["sri.to_crossbar.request=8"]), thread)
        assert in_ns(watched.issued(0)) == [300, 1000, 1000, 1200, 2000]
        assert in_ns([line.issued_ps for line in own_lines(watched)]) == [300, 600, 900, 1200, 1500]


class TestMigration:
    def test_lines_come_from_where_the_thread_is(self) -> None:
        """Two lines from node 0, two after the move to node 1, all to the memory of node 0."""
        program = (Access("r", 0), Access("w", 0), Access("r", 0, node=1), Access("w", 0, node=1))
        watched = watch(TWO, ThreadSpec(0, 0, program, window=1, repeat=False))
        assert [line.transaction for line in sorted(watched.lines, key=lambda line: (line.number, line.eviction))] == [
            "read 0->0",
            "read to modify 0->0",
            "victim 0->0",
            "read 1->0",
            "read to modify 1->0",
            "victim 1->0",
        ]

    def test_a_far_line_takes_what_a_far_line_takes(self) -> None:
        program = (Access("r", 0, node=1),)
        moved = watch(TWO, ThreadSpec(0, 0, program, window=1, repeat=False)).lines
        stayed = watch(TWO, ThreadSpec(1, 0, (Access("r", 0),), window=1, repeat=False)).lines
        assert [line.completed_ps for line in moved] == [line.completed_ps for line in stayed]


def test_what_a_thread_fails_with_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """simpy turns an exception in a process into a failed event; the clock raises it, as Environment.step() would."""
    engine = SimpyEngine(lower(TWO, Workload((ThreadSpec(0, 0, (Access("r", 1),)),))))

    def fails(transaction: object) -> None:
        raise RuntimeError("lost?")

    monkeypatch.setattr(engine._threads, "_launch", fails)
    with pytest.raises(RuntimeError, match=r"lost\?"):
        engine.advance([10], 10_000)
