"""Whole periods of a state that recurs: finding one, and jumping many.

A plan without random numbers is a deterministic machine, so once its state has come back it goes on coming back. The state
is looked at after each line of one thread, its clock. Counters grow by the same amount in every period; what the state holds in
absolute time is later by the same time.
"""

from __future__ import annotations

import numba
import numpy as np

from simulator.engine.compiled.cache import compiled
from simulator.engine.compiled.kernel import advance
from simulator.engine.compiled.layout import *
from simulator.engine.compiled.pending import push
from simulator.engine.compiled.state import put_all, write_state
from simulator.engine.compiled.words import *

HISTOGRAM_WORDS = LAST_BIN + ONE
NOT_YET, CAME_BACK, STOOD_STILL = 0, 1, 2


@compiled
def steps_to_recurrence(
    memory: Words,
    scratch: Words,
    repeats: Words,
    out: Words,
    reference: Words,
    length: Word,
    clock: Word,
    steps: Word,
    budget: Word,
) -> Word:
    """Step by lines of the clock until the state is `reference`, of so many words, again.

    Returns NOT_YET, CAME_BACK or STOOD_STILL.
    """
    m = pointer_to(memory)
    lines = m[THREAD_AT] + THREAD_WORDS * clock + T_LINES
    targets = np.zeros(m[THREADS], np.uint64)
    for _ in range(steps):
        targets[clock] = m[lines] + ONE
        if advance(memory, targets, budget) != REACHED:
            return STOOD_STILL
        if put_all(m, pointer_to(scratch), pointer_to(repeats), pointer_to(out), pointer_to(reference), ONE) == length:
            return CAME_BACK
    return NOT_YET


@compiled
def settle(memory: Words) -> None:
    """Bring the time integrals up to now, so that they grow by the same amount in every period."""
    m = pointer_to(memory)
    now = m[NOW]
    for index in range(m[PORTS]):
        p = m[PORT_AT] + m[PORT_WORDS] * index
        m[p + P_WAITING_PS] += m[p + P_WAITING] * (now - m[p + P_CHANGED])
        m[p + P_CHANGED] = now
    for index in range(m[POOLS]):
        q = m[POOL_AT] + POOL_WORDS * index
        m[q + Q_HELD_PS] += (m[q + Q_CAPACITY] - m[q + Q_FREE]) * (now - m[q + Q_CHANGED])
        m[q + Q_CHANGED] = now


@compiled
def grow(m: Words, before: Words, at: Word, periods: Word) -> None:
    """Let a counter grow by as much in every period as it did since `before`."""
    m[at] += periods * (m[at] - before[at])


@compiled
def put_off(m: Words, at: Word, time: Word) -> None:
    """Make a time (ps) later, unless it is none."""
    if m[at] != NONE:
        m[at] += time


@compiled
def push_again(m: Words, e: Word, time: Word) -> None:
    """File a pending source of events anew, `time` (ps) later."""
    due = m[e + E_TIME]
    if due != NONE:
        m[e + E_TIME] = NONE
        push(m, e, due + time)


@compiled
def jump_waiting_lines(m: Words, p: Word, busy: Word) -> None:
    """Let lines that wait at a port have come there when it had been busy for so much longer."""
    for channel in range(CHANNELS):
        k = m[p + P_HEAD + channel]
        while k != NONE:
            if m[m[KIND_AT] + KIND_WORDS * m[k + K_KIND] + K_CARRIES_LINE]:
                m[m[k + K_STATE] + A_BUSY_BEFORE] += busy
            k = m[k + K_NEXT]


@compiled
def jump_ports(m: Words, before: Words, periods: Word, time: Word) -> None:
    """Let counters of ports and pools grow, and put off their times by `time` (ps)."""
    for index in range(m[PORTS]):
        p = m[PORT_AT] + m[PORT_WORDS] * index
        jump_waiting_lines(m, p, periods * (m[p + P_BUSY_PS] - before[p + P_BUSY_PS]))
        for counter in (P_SERVED, P_NOPS, P_CRCS, P_BUSY_PS, P_WAITING_PS):
            grow(m, before, p + counter, periods)
        sent = p + P_BY_KIND + TWO * m[KINDS]
        for kind in range(m[KINDS]):
            grow(m, before, sent + kind, periods)
        m[p + P_BUSY_UNTIL] += time
        m[p + P_CHANGED] += time
        put_off(m, p + P_ARBITRATED, time)
    for index in range(m[POOLS]):
        q = m[POOL_AT] + POOL_WORDS * index
        grow(m, before, q + Q_HELD_PS, periods)
        m[q + Q_CHANGED] += time


@compiled
def jump_threads(m: Words, before: Words, periods: Word, time: Word) -> None:
    """Let counters of threads grow, and put off their times by `time` (ps)."""
    for at in range(m[PATH_AT], m[PACKET_AT]):
        grow(m, before, at, periods)
    for index in range(m[THREADS]):
        t = m[THREAD_AT] + THREAD_WORDS * index
        if m[t + T_LINES] != before[t + T_LINES]:
            m[t + T_LAST] += time
        if m[t + T_PASSED] != NONE:
            m[t + T_PASSED] += periods * (m[t + T_ISSUED] - before[t + T_ISSUED])
        for counter in (T_ISSUED, T_ARRIVALS, T_LINES, T_LATENCY):
            grow(m, before, t + counter, periods)
        m[t + T_DUE] += time
        m[t + T_COMPUTING_UNTIL] += time
        for slot in range(m[t + T_WINDOW]):
            put_off(m, m[t + T_SLOTS] + SLOT_WORDS * slot + L_DUE, time)


@compiled
def jump_records(m: Words, time: Word) -> None:
    """Put off the times in records, also in free ones, which are written anew when they are taken."""
    for k in range(m[PACKET_AT], m[PACKET_FRESH], PACKET_WORDS):
        m[k + K_DUE] += time
        if m[k + K_TAIL]:
            m[k + K_TAIL] += time
    for state in range(m[STATE_AT], m[STATE_FRESH], STATE_WORDS):
        m[state + A_ISSUED] += time
        m[state + A_COUNTED] += time
    for n in range(m[NOP_AT], m[NOP_FRESH], NOP_WORDS):
        m[n + N_DUE] += time


@compiled
def jump_events(m: Words, time: Word) -> None:
    """Put off all pending events: now has moved, so wheel and heap are filled anew."""
    for bucket in range(m[WHEEL_MASK] + ONE):
        m[m[WHEEL_AT] + bucket] = NONE
        m[m[BITMAP_AT] + (bucket >> SIX)] = ZERO
    m[WHEEL_COUNT] = ZERO
    m[HEAP_COUNT] = ZERO
    for index in range(m[PORTS]):
        p = m[PORT_AT] + m[PORT_WORDS] * index
        for event in (P_TAIL_EVENT, P_NOP_EVENT, P_HEADER_EVENT, P_END_EVENT, P_ARBITRATION_EVENT):
            push_again(m, p + event, time)
    for index in range(m[DELAYS]):
        push_again(m, m[DELAY_AT] + DELAY_WORDS * index + D_EVENT, time)
    for index in range(m[THREADS]):
        t = m[THREAD_AT] + THREAD_WORDS * index
        for slot in range(m[t + T_WINDOW]):
            push_again(m, m[t + T_SLOTS] + SLOT_WORDS * slot + L_EVENT, time)


@compiled
def jump(memory: Words, memory_before: Words, periods: Word) -> None:
    """Go on by whole periods at once; `memory_before` is the memory one period ago. The time integrals of both are settled."""
    m, before = pointer_to(memory), pointer_to(memory_before)
    time = periods * (m[NOW] - before[NOW])
    m[NOW] += time
    grow(m, before, EVENTS, periods)
    jump_ports(m, before, periods, time)
    jump_threads(m, before, periods, time)
    jump_records(m, time)
    jump_events(m, time)
    for latency in range(HISTOGRAM_WORDS):
        grow(m, before, m[HISTOGRAM_AT] + latency, periods)


def compile_recurrence() -> None:
    """Compile what the exact mode calls, `jump` last, or load it where another process has compiled it meanwhile."""
    words, number = numba.types.Array(numba.uint64, 1, "C"), numba.uint64
    write_state.compile((words,) * 4)  # type: ignore[attr-defined]
    steps_to_recurrence.compile((words,) * 5 + (number,) * 4)  # type: ignore[attr-defined]
    settle.compile((words,))  # type: ignore[attr-defined]
    jump.compile((words, words, number))  # type: ignore[attr-defined]
