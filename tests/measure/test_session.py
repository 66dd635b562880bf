"""When a run stops, and what it says then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from simulator.engine.build import build_engine
from simulator.engine.deadlock import Waiting, WaitState
from simulator.engine.interface import Snapshot, Stop
from simulator.engine.lower import lower
from simulator.engine.plan import Part, Plan
from simulator.errors import InputError
from simulator.measure.accuracy import Accuracy
from simulator.measure.run import run
from simulator.measure.session import CHECK_EVENTS, MOST_IDLE_CHECKS, SMALLEST_BATCH, Session
from simulator.workload import Access, Arrivals, ThreadSpec, Workload
from tests.oracle.machines import round_machine
from tests.oracle.watch import Watched, at_most

TWO = round_machine([0, 1], [(0, 1)])
NOTHING_WAITS = WaitState({}, {}, {})
STUCK = WaitState(
    {0: Waiting("a", "RdBlk", None, ("P",)), 1: Waiting("b", "RdBlk", None, ("Q",))},
    {"P": 0, "Q": 0},
    {"P": (frozenset({1}),), "Q": (frozenset({0}),)},
)


@dataclass
class Scripted:
    """An engine whose threads complete line n at a time that a list gives; it keeps the targets it was asked for."""

    plan: Plan
    times_ps: Sequence[Sequence[int]]  # by thread and line
    endless: bool = False  # events go on after the last line
    state: WaitState = NOTHING_WAITS
    now_ps: int = 0
    asked: list[list[int]] = field(default_factory=list)
    recording: int | None = None

    def advance(self, target_lines: Sequence[int], event_budget: int) -> Stop:
        assert event_budget == CHECK_EVENTS
        self.asked.append(list(target_lines))
        needed = []
        for thread, target in enumerate(target_lines):
            if target > len(self.times_ps[thread]):
                self.now_ps = max(self.now_ps, *(times[-1] for times in self.times_ps if times))
                return Stop.BUDGET if self.endless else Stop.EXHAUSTED
            needed.append(self.times_ps[thread][target - 1] if target else 0)
        self.now_ps = max(self.now_ps, *needed)
        return Stop.REACHED

    def snapshot(self) -> Snapshot:
        done = [[time for time in times if time <= self.now_ps] for times in self.times_ps]
        zeros = tuple(0 for _ in self.plan.ports.name)
        return Snapshot(
            time_ps=self.now_ps,
            events=sum(map(len, done)),
            thread_lines=tuple(map(len, done)),
            thread_last_ps=tuple(times[-1] if times else 0 for times in done),
            thread_latency_ps=tuple(0 for _ in done),
            path_lines=(0,) * len(self.plan.paths.thread),
            path_parts_ps=((0,) * len(Part),) * len(self.plan.paths.thread),
            port_busy_ps=zeros,
            port_waiting_ps=zeros,
            port_sent=tuple(tuple(0 for _ in self.plan.kind_name) for _ in zeros),
            port_nops=zeros,
            port_crcs=zeros,
            pool_held_ps=tuple(0 for _ in self.plan.pools.name),
        )

    def start_latency_record(self) -> None:
        self.recording = self.now_ps

    def latency_histogram(self) -> Sequence[int]:
        return []

    def wait_state(self) -> WaitState:
        return self.state


def plan_of(*threads: ThreadSpec) -> Plan:
    """Lower threads; by default one that reads."""
    return lower(TWO, Workload(threads or (ThreadSpec(0, 0, (Access("r", 0),)),)))


def even(lines: int, step_ps: int = 100) -> list[int]:
    """Return times of lines that are evenly spaced: an interval of no width."""
    return [step_ps * number for number in range(1, lines + 1)]


def uneven(lines: int) -> list[int]:
    """Return times of lines that are spaced ever wider: the interval stays wide."""
    return [number * number for number in range(1, lines + 1)]


def judged(engine: Scripted, accuracy: Accuracy) -> Session:
    """Run a session to its verdict."""
    session = Session(engine.plan, engine, accuracy)
    with at_most(20):
        session.run()
    return session


class TestTheWindow:
    def test_it_opens_when_the_warm_up_is_reached(self) -> None:
        engine = Scripted(plan_of(), [even(10_000)])
        session = judged(engine, Accuracy(ci_percent=1, lines=5000, warmup=70))
        assert session.opened is not None
        assert session.opened.time_ps == 70 * 100
        assert session.opened.thread_lines == (70,)
        assert engine.recording == 70 * 100

    def test_without_warm_up_it_opens_at_once(self) -> None:
        session = judged(Scripted(plan_of(), [even(10_000)]), Accuracy(ci_percent=1, lines=5000, warmup=0))
        assert session.opened is not None
        assert session.opened.time_ps == 0

    def test_it_closes_at_the_end_of_a_batch(self) -> None:
        """Even lines: as soon as there are 20 batches of 50."""
        engine = Scripted(plan_of(), [even(10_000)])
        session = judged(engine, Accuracy(ci_percent=1, lines=5000, warmup=70))
        assert session.last is not None
        assert session.last.thread_lines == (70 + 20 * SMALLEST_BATCH,)
        assert engine.asked == [[70], *([70 + SMALLEST_BATCH * batch] for batch in range(1, 21))]
        assert (session.verdict, session.verdict_detail) == ("steady", None)

    def test_the_slowest_foreground_thread_sets_the_pace(self) -> None:
        fast, slow = ThreadSpec(0, 0, (Access("r", 0),)), ThreadSpec(1, 0, (Access("r", 0),))
        engine = Scripted(plan_of(fast, slow), [even(50_000, 10), even(5_000, 100)])
        session = judged(engine, Accuracy(ci_percent=1, lines=5000, warmup=30))
        assert session.opened is not None
        assert session.last is not None
        assert session.opened.thread_lines == (300, 30)
        assert session.last.thread_lines == (10 * (30 + 1000), 30 + 1000)

    def test_background_threads_have_no_say(self) -> None:
        mine, other = ThreadSpec(0, 0, (Access("r", 0),)), ThreadSpec(1, 0, (Access("r", 0),), background=True)
        engine = Scripted(plan_of(mine, other), [even(5_000), even(5_000, 10)])
        session = judged(engine, Accuracy(ci_percent=1, lines=5000, warmup=30))
        assert session.verdict == "steady"
        assert all(targets[1] == 0 for targets in engine.asked)

    def test_a_background_thread_that_never_gets_a_line(self) -> None:
        mine, other = ThreadSpec(0, 0, (Access("r", 0),)), ThreadSpec(1, 0, (Access("r", 0),), background=True)
        session = judged(Scripted(plan_of(mine, other), [even(5_000), [99]]), Accuracy(ci_percent=1, lines=5000, warmup=30))
        assert session.verdict == "no progress"
        assert session.verdict_detail == "thread 1.0.r.0 completed no line in the whole window"


class TestTheRuleThatStops:
    def test_never_more_lines_than_allowed(self) -> None:
        engine = Scripted(plan_of(), [uneven(10_000)])
        session = judged(engine, Accuracy(ci_percent=1, lines=1234, warmup=10))
        assert session.last is not None
        assert session.last.thread_lines == (10 + 1234,)
        assert session.verdict == "too short"
        assert session.verdict_detail is not None
        assert session.verdict_detail.startswith("after 1234 lines a thread the confidence interval is ")
        assert session.verdict_detail.endswith(" %, asked for 1 %")

    def test_batches_grow_with_the_run(self) -> None:
        """After 40 batches of 50 come batches of 100, and so on; the memory of a run does not grow."""
        engine = Scripted(plan_of(), [uneven(40_000)])
        judged(engine, Accuracy(ci_percent=0.01, lines=20_000, warmup=0))
        targets = [targets[0] for targets in engine.asked]
        steps = [later - earlier for earlier, later in zip(targets, targets[1:], strict=False)]
        assert steps[:60] == [50] * 40 + [100] * 20
        assert steps[60:80] == [200] * 20
        assert targets[-1] == 20_000

    def test_few_lines_make_small_batches(self) -> None:
        engine = Scripted(plan_of(), [even(500)])
        session = judged(engine, Accuracy(ci_percent=1, lines=100, warmup=0))
        assert [targets[0] for targets in engine.asked] == [0, *range(10, 101, 10)]
        assert session.verdict == "steady"  # ten batches, and no width, at the limit

    def test_fewer_lines_than_batches(self) -> None:
        session = judged(Scripted(plan_of(), [even(500)]), Accuracy(ci_percent=1, lines=3, warmup=0))
        assert session.verdict == "too short"
        assert session.verdict_detail == "after 3 lines a thread the confidence interval is not known, asked for 1 %"

    def test_the_widest_interval_decides(self) -> None:
        threads = ThreadSpec(0, 0, (Access("r", 0),)), ThreadSpec(1, 0, (Access("r", 0),))
        engine = Scripted(plan_of(*threads), [even(10**6, 100), uneven(2000)])
        session = judged(engine, Accuracy(ci_percent=1, lines=1000, warmup=0))
        assert session.verdict == "too short"
        assert session.ci_percent(0) == 0.0

    def test_finite_programs_end_the_run(self) -> None:
        thread = ThreadSpec(0, 0, (Access("r", 0),) * 130, repeat=False)

        class Ends(Scripted):
            def advance(self, target_lines: Sequence[int], event_budget: int) -> Stop:
                return super().advance([min(target, 130) for target in target_lines], event_budget)

        session = judged(Ends(plan_of(thread), [uneven(130)]), Accuracy(ci_percent=1, lines=5000, warmup=20))
        assert (session.verdict, session.verdict_detail) == ("steady", "every foreground program ran to its end")


class TestStandstill:
    def test_no_event_is_left(self) -> None:
        session = judged(Scripted(plan_of(), [even(100)]), Accuracy(ci_percent=1, lines=5000, warmup=200))
        assert (session.verdict, session.verdict_detail) == ("no progress", "no event is left, though lines are still to come")
        assert session.opened is None

    def test_events_without_lines(self) -> None:
        engine = Scripted(plan_of(), [even(100)], endless=True)
        session = judged(engine, Accuracy(ci_percent=1, lines=5000, warmup=200))
        assert session.verdict == "no progress"
        events = MOST_IDLE_CHECKS * CHECK_EVENTS
        assert session.verdict_detail == f"{events} events passed and no thread that the run waits for completed a line"

    def test_in_the_window_too(self) -> None:
        session = judged(Scripted(plan_of(), [even(100)]), Accuracy(ci_percent=1, lines=5000, warmup=80))
        assert session.verdict == "no progress"
        assert session.opened is not None
        assert session.last is not None
        assert (session.opened.thread_lines, session.last.thread_lines) == ((80,), (100,))

    def test_a_deadlock_is_named(self) -> None:
        session = judged(Scripted(plan_of(), [even(100)], state=STUCK), Accuracy(ci_percent=1, lines=5000, warmup=200))
        assert (session.verdict, session.cycle) == ("deadlock", ("a", "P", "b", "Q"))
        assert session.verdict_detail == "2 packets can never move again: a waits for P waits for b waits for Q waits for a"

    def test_a_deadlock_elsewhere_spoils_a_steady_run(self) -> None:
        session = judged(Scripted(plan_of(), [even(9000)], state=STUCK), Accuracy(ci_percent=1, lines=5000, warmup=0))
        assert session.verdict == "deadlock"
        assert session.last is not None
        assert session.last.thread_lines == (1000,)


class TestWithTheEngine:
    def test_steady(self) -> None:
        result = run(TWO, Workload.from_labels(["0.0.r.1"]), Accuracy(ci_percent=1, lines=2000, warmup=20))
        assert (result.verdict, result.verdict_detail, result.deadlock_cycle) == ("steady", None, ())
        assert result.threads[0].lines == 20 * SMALLEST_BATCH

    def test_too_short(self) -> None:
        result = run(TWO, Workload.from_labels(["0.0.w.1", "1.0.w.0"]), Accuracy(ci_percent=1e-6, lines=120, warmup=20))
        assert result.verdict == "too short"
        assert min(thread.lines for thread in result.threads) == 120

    def test_batches_are_whole_at_the_line_limit(self) -> None:
        """The slower of two threads opens with more lines behind it than the warm-up; no batch of a few lines comes of it."""
        result = run(TWO, Workload.from_labels(["0.0.w.0", "0.1.w.0"]), Accuracy(ci_percent=1e-6, lines=400, warmup=100))
        intervals = [thread.ci_percent for thread in result.threads]
        assert all(interval is not None and interval < 3 for interval in intervals), intervals
        assert min(thread.lines for thread in result.threads) == 400

    def test_background_threads_alone_set_the_pace(self) -> None:
        result = run(TWO, Workload.from_labels([], {"0.0.r.0": 0.25}), Accuracy(ci_percent=5, lines=200, warmup=20))
        assert result.threads[0].lines == 200
        assert result.threads[0].time_per_line_ns == pytest.approx(256, abs=2)

    def test_a_finite_thread_beside_one_that_goes_on(self) -> None:
        """The finite one ends; the run goes on until the other is known, and does not hang."""
        finite = ThreadSpec(0, 0, (Access("r", 0),) * 60, repeat=False)
        with at_most(20):
            result = run(TWO, Workload((finite, ThreadSpec(1, 0, (Access("r", 1),)))), Accuracy(lines=400, warmup=0))
        assert result.threads[0].lines == 60
        assert result.threads[1].lines >= 400

    def test_the_one_that_goes_on_decides_when_it_is_enough(self) -> None:
        finite = ThreadSpec(0, 0, (Access("r", 0),) * 60, repeat=False)
        result = run(TWO, Workload((finite, ThreadSpec(1, 0, (Access("r", 1),)))), Accuracy(ci_percent=5, lines=50_000, warmup=0))
        assert result.verdict == "steady"
        assert result.threads[1].lines < 5000

    def test_a_program_that_is_over_within_the_warm_up(self) -> None:
        finite = ThreadSpec(0, 0, (Access("r", 0),) * 30, repeat=False)
        result = run(TWO, Workload((finite,)), Accuracy(warmup=30))
        assert result.verdict == "not warmed up"
        assert result.verdict_detail == "the 30 lines of thread 0.0.r.0 are over within a warm-up of 30"

    @pytest.mark.parametrize(("interval_ns", "verdict"), [(5.0, "saturated"), (60.0, "steady")])
    def test_open_arrivals_faster_than_they_are_served(self, interval_ns: float, verdict: str) -> None:
        thread = ThreadSpec(0, 0, (Access("r", 0),), window=1000, core_time_ns=0.0, arrivals=Arrivals(interval_ns, random=False))
        result = run(TWO, Workload((thread,)), Accuracy(ci_percent=5, lines=2000, warmup=50))
        assert result.verdict == verdict
        assert (result.verdict_detail is None) == (verdict == "steady")

    def test_an_unknown_engine(self) -> None:
        with pytest.raises(InputError) as caught:
            run(TWO, Workload.from_labels(["0.0.r.0"]), engine="magic")  # type: ignore[arg-type]
        assert str(caught.value) == "engine: there is no such engine (got 'magic'); allowed: auto, simpy, compiled"

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"ci_percent": 0.0}, "ci: confidence out of range (got 0.0); allowed: above 0, up to 100 per cent"),
            ({"ci_percent": float("nan")}, "ci: confidence out of range (got nan); allowed: above 0, up to 100 per cent"),
            ({"ci_percent": 101.0}, "ci: confidence out of range (got 101.0); allowed: above 0, up to 100 per cent"),
            ({"lines": 0}, "lines: lines out of range (got 0); allowed: 1 to 1000000000"),
            ({"warmup": -1}, "warmup: warm-up out of range (got -1); allowed: 0 to 1000000000"),
        ],
    )
    def test_accuracy_out_of_range(self, values: dict[str, float], message: str) -> None:
        with pytest.raises(InputError) as caught:
            Accuracy(**values)  # type: ignore[arg-type]
        assert str(caught.value) == message


def test_advance_stops_at_the_line_that_was_asked_for() -> None:
    """The engine's side of the contract: the last event before it returns completes the last line needed."""
    plan = plan_of(ThreadSpec(0, 0, (Access("r", 0),)), ThreadSpec(1, 0, (Access("r", 0),)))
    engine = build_engine(plan)
    assert engine.advance([5, 3], 10**9) is Stop.REACHED
    reached = engine.snapshot()
    watched = Watched(plan).run(reached.time_ps / 1000)
    needed = max(watched.completed(0)[4], watched.completed(1)[2])
    assert reached.time_ps == needed
    assert engine.advance([5, 3], 10**9) is Stop.REACHED
    assert engine.snapshot() == reached  # nothing more to do
    assert engine.advance([6, 3], 1) is Stop.BUDGET
    assert engine.snapshot().events == reached.events + 1


def test_advance_says_when_nothing_is_left() -> None:
    engine = build_engine(plan_of(ThreadSpec(0, 0, (Access("r", 0, barrier=0),)), ThreadSpec(1, 0, (Access("r", 0, barrier=0),))))
    assert engine.advance([3, 3], 10**9) is Stop.REACHED
    stuck = plan_of(
        ThreadSpec(0, 0, (Access("r", 0, barrier=0),)),
        ThreadSpec(1, 0, (Access("r", 0, barrier=0),), repeat=False),
    )
    engine = build_engine(stuck)
    assert engine.advance([3, 1], 10**9) is Stop.EXHAUSTED
    assert engine.snapshot().thread_lines == (1, 1)
