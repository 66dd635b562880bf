"""The compiled engine's kernel: the state machine of the simpy engine on one vector of words.

Read simpy_engine/ first: functions carry the same names and do the same things in the same order, and a property test holds both
engines to equal counters. Here are the protocol's actions and the loop. Arbitrations of the current tick, which come last in it,
wait in a short sorted list beside the other pending events.
"""

from __future__ import annotations

import numba

from simulator.engine.compiled.cache import compiled
from simulator.engine.compiled.fabric import (
    arbitrate,
    branch_out,
    count_passage,
    drop,
    leave_command,
    on_header_end,
    on_nop_arrival,
    on_service_end,
    on_tail_arrival,
    send,
)
from simulator.engine.compiled.layout import *
from simulator.engine.compiled.pending import pop, pop_now, push
from simulator.engine.compiled.threads import complete, on_slot, set_targets, wake, writes
from simulator.engine.compiled.words import *


@compiled
def collect(m: Words, k: Word, state: Word, row: Word) -> None:
    """Take a reply or an answer at the requester; the last one completes the line and sends SrcDone."""
    leave_command(m, m[k + K_HOLD])
    drop(m, PACKET_FREE, k)
    m[state + A_JOINS] -= ONE
    if m[state + A_JOINS] == ZERO:
        complete(m, state, row)
        send(m, state, m[row + R_DONE_KIND], m[row + R_DONE_STAGE], NONE)


@compiled
def wait_for_line(m: Words, z: Word, k: Word) -> None:
    """Let a request wait at its home until the transactions of the same line before it are over."""
    m[k + K_NEXT] = NONE
    if m[z + Z_HEAD] == NONE:
        m[z + Z_HEAD] = k
    else:
        m[m[z + Z_TAIL] + K_NEXT] = k
    m[z + Z_TAIL] = k


@compiled
def begin_at_home(m: Words, state: Word, row: Word) -> None:
    """Begin a transaction at its home: probes leave, for a shared line perhaps one, to its owner alone."""
    z = m[state + A_SHARED]
    if z != NONE:
        m[z + Z_BUSY] = ONE
        m[state + A_OWNER] = m[z + Z_OWNER]
        m[state + A_PARTS + SHARED_LINE] += m[NOW] - m[state + A_COUNTED]
        m[state + A_COUNTED] = m[NOW]
    if m[row + R_PROBE_STAGE] != NONE:
        send(m, state, m[row + R_PROBE_KIND], m[row + R_PROBE_STAGE], NONE)
    elif m[state + A_OWNER] != NONE:
        m[state + A_JOINS] += ONE
        stage = m[row + R_ANSWER_STAGE + TWO * m[NODES] + m[state + A_OWNER]]
        send(m, state, m[row + R_PROBE_KIND], stage, NONE)


@compiled
def give_up_copy(m: Words, state: Word, row: Word, node: Word) -> None:
    """Let the owner's cache give up a shared line that the probe's sender wants to write."""
    if m[state + A_OWNER] == node and writes(m, row):
        m[m[state + A_SHARED] + Z_COPIES] = ZERO


@compiled
def let_the_next_begin(m: Words, z: Word) -> None:
    """Let the first request that waits for a shared line begin."""
    m[z + Z_BUSY] = ZERO
    k = m[z + Z_HEAD]
    if k == NONE:
        return
    m[z + Z_HEAD] = m[k + K_NEXT]
    state = m[k + K_STATE]
    begin_at_home(m, state, m[state + A_ROW])
    branch_out(m, k, m[m[k + K_BRANCH] + B_STAGE])


@compiled
def enter(m: Words, k: Word, stage: Word) -> None:
    """Let a packet arrive at a stage: do the stage's action, then go on by its branches."""
    action = m[stage + S_ACTION]
    if action:
        state = m[k + K_STATE]
        row = m[state + A_ROW]
        if action == ACCEPT:
            m[state + A_HOME] = m[k + K_HOLD]
            m[k + K_HOLD] = NONE
            z = m[state + A_SHARED]
            if z != NONE and m[z + Z_BUSY]:
                wait_for_line(m, z, k)
                return
            begin_at_home(m, state, row)
        elif action == REPLY:
            drop(m, PACKET_FREE, k)
            if m[state + A_OWNER] == NONE:
                send(m, state, m[row + R_REPLY_KIND], m[row + R_REPLY_STAGE], NONE)
            else:
                send(m, state, m[row + R_DRY_KIND], m[row + R_DRY_STAGE], NONE)
            return
        elif action == RELEASE:
            home = m[state + A_HOME]
            z = m[state + A_SHARED]
            drop(m, PACKET_FREE, k)
            m[state + A_ROW] = NONE
            drop(m, STATE_FREE, state)
            leave_command(m, home)
            if z != NONE:
                let_the_next_begin(m, z)
            return
        elif action == ANSWER and m[stage + S_NODE] != m[row + R_REQUESTER]:
            give_up_copy(m, state, row, m[stage + S_NODE])
            hold = m[k + K_HOLD]
            drop(m, PACKET_FREE, k)
            answer = row + R_ANSWER_STAGE + m[stage + S_NODE]
            if m[stage + S_NODE] == m[state + A_OWNER]:
                send(m, state, m[row + R_OWNER_KIND], m[answer + m[NODES]], hold)
            else:
                send(m, state, m[row + R_ANSWER_KIND], m[answer], hold)
            return
        else:
            if action == ANSWER:
                give_up_copy(m, state, row, m[stage + S_NODE])
            collect(m, k, state, row)
            return
    branch_out(m, k, stage)


@compiled
def on_delay(m: Words, d: Word) -> None:
    """Let all packets arrive that leave a delay at this instant."""
    now = m[NOW]
    k = m[d + D_HEAD]
    after = k
    while after != NONE and m[after + K_DUE] == now:
        after = m[after + K_NEXT]
    m[d + D_HEAD] = after
    if after != NONE:
        push(m, d + D_EVENT, m[after + K_DUE])
    while k != after:
        following = m[k + K_NEXT]
        b = m[k + K_BRANCH]
        if m[m[KIND_AT] + KIND_WORDS * m[k + K_KIND] + K_CARRIES_LINE]:
            count_passage(m, m[k + K_STATE], b, d)
        enter(m, k, m[b + B_STAGE])
        k = following


@compiled
def advance(memory: Words, targets: Words, budget: Word) -> Word:
    """Process events until every foreground thread has its target, nothing is left, the budget is used up, or a table is full.

    Returns REACHED, EXHAUSTED, BUDGET, BROKE, or STARVED where a thread wants a line that it does not have.
    """
    m = pointer_to(memory)
    set_targets(m, targets)
    m[HUNGRY] = NONE
    left = budget
    while m[BELOW_TARGET] and left and not m[BROKEN]:
        arbitrations = m[ARBITRATION_COUNT]
        if arbitrations:
            p = m[m[ARBITRATION_AT] + arbitrations - ONE]
            e = pop_now(m, m[p + P_ARBITRATION_EVENT + E_KEY])
            if e == NONE:
                m[ARBITRATION_COUNT] = arbitrations - ONE
                left -= ONE
                arbitrate(m, p)
                continue
        else:
            e = pop(m)
            if e == NONE:
                m[EVENTS] += budget - left
                return EXHAUSTED
        left -= ONE
        m[e + E_TIME] = NONE
        key = m[e + E_KEY]
        component = (key >> SLOT_BITS) & COMPONENT_MASK
        if key >= ARBITRATION_KEY:
            arbitrate(m, e - P_ARBITRATION_EVENT)
        elif key >= SERVICE_END_KEY:
            on_service_end(m, e - P_END_EVENT)
        elif component < m[FIRST_TAIL]:
            on_delay(m, e - D_EVENT)
        elif component < m[FIRST_NOP]:
            on_tail_arrival(m, e - P_TAIL_EVENT)
        elif component < m[FIRST_HEADER]:
            on_nop_arrival(m, e - P_NOP_EVENT)
        elif component < m[FIRST_THREAD]:
            on_header_end(m, e - P_HEADER_EVENT)
        else:
            on_slot(m, e - L_EVENT)
            if m[HUNGRY] != NONE:
                m[EVENTS] += budget - left - ONE  # the event that wanted the line is still to come
                return STARVED
    m[EVENTS] += budget - left
    if m[BROKEN]:
        return BROKE
    return BUDGET if m[BELOW_TARGET] else REACHED


@compiled
def first_wake(memory: Words, slot: Word, time: Word) -> None:
    """Put the first event of a slot among the pending ones."""
    wake(pointer_to(memory), slot, time)


def compile_advance() -> None:
    """Compile what an engine calls, `advance` last, or load it where another process has compiled it meanwhile."""
    words, number = numba.types.Array(numba.uint64, 1, "C"), numba.uint64
    first_wake.compile((words, number, number))  # type: ignore[attr-defined]
    advance.compile((words, words, number))  # type: ignore[attr-defined]
