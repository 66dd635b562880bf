"""The exact answer of a system that recurs: a window of whole periods instead of a confidence interval.

Without jitter a closed system is deterministic, and many come back to the very same state after some lines. Times and loads over
a whole period are then those of all time. It is the answer for the jitter-free system, phase-locked as that may be;
docs/exact.md measures how far it is from the ordinary one.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.engine.build import EngineName, build_recurring_engine
from simulator.engine.deadlock import closed_barriers, deadlocked
from simulator.engine.interface import Engine, Snapshot
from simulator.engine.plan import Plan
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import Verdict

_EXACT = "exact without jitter"


def is_deterministic(plan: Plan) -> bool:
    """Return whether nothing in the plan is random."""
    return all(len(set(values)) == 1 for values in plan.draws.values)


@dataclass(frozen=True)
class ExactSession:
    """A finished run over whole periods, with the attributes of a `Session`.

    Attributes
    ----------
    plan : Plan
        Of the machine without jitter.
    opened, last : Snapshot
        Start and end of the measured window.
    """

    plan: Plan
    engine: Engine
    opened: Snapshot
    last: Snapshot
    verdict_detail: str
    verdict: Verdict = "steady"
    cycle: tuple[str, ...] = ()

    def ci_percent(self, thread: int) -> float | None:
        """Return the half width of a thread's interval: there is nothing to be unsure of; None when it completed no line."""
        return 0.0 if self.last.thread_lines[thread] > self.opened.thread_lines[thread] else None


def exact_session(plan: Plan, engine: EngineName, accuracy: Accuracy) -> ExactSession | str:
    """Run until the state recurs and through as many whole periods as `accuracy.lines` allows, but at least one.

    Parameters
    ----------
    plan : Plan
        Of the machine without jitter.
    engine : {'auto', 'simpy', 'compiled'}
    accuracy : Accuracy
        `lines` is also how many lines of the first foreground thread are searched.

    Returns
    -------
    ExactSession or str
        The finished run, or why there is no exact answer.
    """
    table = plan.threads
    foreground = [thread for thread, background in enumerate(table.background) if not background]
    if not all(table.repeat[thread] for thread in foreground or range(len(table.label))):
        return "a program ends"
    if plan.shared_lines or any(plan.program.lock):
        return "threads share lines or lock the fabric"
    if not is_deterministic(plan):
        return "times are random even without jitter"
    running = build_recurring_engine(plan, engine)
    if running is None:
        return "only the compiled engine can find it"
    period = running.find_period((foreground or [0])[0], accuracy.lines)
    if period is None:
        return f"without jitter the state does not recur within {accuracy.lines} lines"
    state = running.wait_state()
    if deadlocked(state) or closed_barriers(state):
        return "without jitter a part of the machine stands still"
    opened = running.snapshot()
    running.start_latency_record()
    periods = max(1, accuracy.lines // period.lines)
    periods = running.run_periods(period, periods)
    last = running.snapshot()
    if any(last.thread_lines[thread] == opened.thread_lines[thread] for thread in foreground):
        return "without jitter a thread starves"
    return ExactSession(plan, running, opened, last, _detail(plan, period.clock, period.lines, periods, opened, last))


def _detail(plan: Plan, clock: int, lines: int, periods: int, opened: Snapshot, last: Snapshot) -> str:
    times = "line" if lines == 1 else f"{lines} lines"
    period_ns = (last.time_ps - opened.time_ps) // periods / 1000
    window = "one period" if periods == 1 else f"{periods} periods"
    recurs = f"the state recurs every {times} of thread {plan.threads.label[clock]}, {period_ns} ns"
    return f"{_EXACT}: {recurs}; window {window}"


def is_exact(verdict_detail: str | None) -> bool:
    """Return whether a run's `verdict_detail` says that it is exact."""
    return verdict_detail is not None and verdict_detail.startswith(_EXACT)
