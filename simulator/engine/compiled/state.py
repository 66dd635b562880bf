"""The whole dynamic state as a vector that is equal when, and only when, the machine is in the same state.

What decides everything that follows is written, counters are not. Times are relative to now. Records (packets, buffers held,
transactions, NOPs under way) are written where a fixed walk over ports and delays meets them, numbered in that order, so that
neither their addresses nor the order of the free lists matter. So are the window slots of a thread without a pace: they differ
in nothing but their number, and whichever of two that wake at one instant comes first, the lines are the same. Places in a
program count modulo the program's own repeat.
Holds for plans without random numbers: which number of a stream is drawn next is left out.
"""

from __future__ import annotations

import numpy as np

from simulator.engine.compiled.cache import compiled
from simulator.engine.compiled.layout import *
from simulator.engine.compiled.words import *

# the scratch vector: at a record's place its number in the walk that met it last; the first two words are the walk and its count
WALK, COUNT = ZERO, ONE
WALK_SHIFT = np.uint64(32)
NUMBER_MASK = np.uint64((1 << 32) - 1)
THREAD_PART, SLOT_PART, PORT_PART, PACKET_PART = (np.uint64(value) for value in (8, 2, 32, 26))  # most words of one


@compiled
def put(out: Words, o: Word, value: Word) -> Word:
    """Write a word and return where the next goes, as all functions here that take `o` do."""
    out[o] = value
    return o + ONE


@compiled
def put_time(m: Words, out: Words, o: Word, time: Word) -> Word:
    """Write a time relative to now, in ps; NONE stays."""
    return put(out, o, NONE if time == NONE else time - m[NOW])


@compiled
def is_met(scratch: Words, record: Word) -> Word:
    """Whether this walk met the record before; if not, it gets the next number."""
    if scratch[record] >> WALK_SHIFT == scratch[WALK]:
        return True
    scratch[record] = (scratch[WALK] << WALK_SHIFT) | scratch[COUNT]
    scratch[COUNT] += ONE
    return False


@compiled
def put_hold(m: Words, scratch: Words, out: Words, o: Word, h: Word) -> Word:
    """Write a hold: its number in the walk, and when first met what it keeps."""
    if h == NONE:
        return put(out, o, NONE)
    met = is_met(scratch, h)
    o = put(out, o, scratch[h] & NUMBER_MASK)
    if met:
        return o
    o = put(out, o, m[h + H_COPIES])
    o = put(out, o, m[h + H_COMMAND])
    return put(out, o, m[h + H_DATA])


@compiled
def slot_now(m: Words, slot: Word) -> Word:
    """What a slot does, in one word that sorts: when it wakes, and three flags."""
    time = m[slot + L_EVENT + E_TIME]
    flags = m[slot + L_VICTIM_OUT] | (m[slot + L_WAITS] << ONE) | (m[slot + L_HELD] << TWO)
    return ((ZERO if time == NONE else time - m[NOW] + ONE) << THREE) | flags


@compiled
def put_slot(m: Words, scratch: Words, out: Words, o: Word, slot: Word, t: Word) -> Word:
    """Write whose transaction it is: slots with a pace by place, others by number."""
    if m[t + T_INTERVAL] != NONE:
        return put(out, o, slot)
    met = is_met(scratch, slot)
    o = put(out, o, scratch[slot] & NUMBER_MASK)
    if met:
        return o
    o = put(out, o, t)
    return put(out, o, slot_now(m, slot))


@compiled
def put_sorted(out: Words, first: Word, o: Word, value: Word) -> Word:
    """Put a value among those from `first` on."""
    at = o
    while at > first and out[at - ONE] > value:
        out[at] = out[at - ONE]
        at -= ONE
    out[at] = value
    return o + ONE


@compiled
def put_state(m: Words, scratch: Words, repeats: Words, out: Words, o: Word, state: Word) -> Word:
    """Write a transaction: its number in the walk, and when first met where it stands."""
    met = is_met(scratch, state)
    o = put(out, o, scratch[state] & NUMBER_MASK)
    if met:
        return o
    t = m[m[state + A_SLOT] + L_THREAD]
    index = (t - m[THREAD_AT]) // THREAD_WORDS
    o = put(out, o, m[state + A_ROW])
    o = put_slot(m, scratch, out, o, m[state + A_SLOT], t)
    o = put(out, o, m[state + A_JOINS])
    o = put(out, o, (m[state + A_PROGRAM] - m[t + T_FIRST]) // PROGRAM_WORDS % repeats[index])
    o = put_time(m, out, o, m[state + A_ISSUED])
    return put_hold(m, scratch, out, o, m[state + A_HOME])


@compiled
def put_packet(m: Words, scratch: Words, repeats: Words, out: Words, o: Word, k: Word) -> Word:
    """Write a packet, NONE for none."""
    if k == NONE:
        return put(out, o, NONE)
    o = put(out, o, m[k + K_KIND])
    o = put(out, o, m[k + K_BRANCH])
    if m[k + K_TAIL] > m[NOW]:  # a tail that has arrived is as good as none
        o = put_time(m, out, o, m[k + K_TAIL])
        o = put(out, o, m[k + K_CAME_BY])
    else:
        o = put(out, o, ZERO)
    o = put_hold(m, scratch, out, o, m[k + K_HOLD])
    return put_state(m, scratch, repeats, out, o, m[k + K_STATE])


@compiled
def put_pace(m: Words, out: Words, o: Word, t: Word) -> Word:
    """When the next line is due. A closed thread forgets how far it is behind its pace beyond what its window can catch up."""
    if m[t + T_INTERVAL] == NONE or m[t + T_ISSUED] >= m[t + T_LIMIT]:
        return put(out, o, NONE)
    due = m[t + T_DUE]
    if not m[t + T_OPEN]:
        deepest = (m[t + T_WINDOW] - ONE) * m[m[m[DRAW_AT] + DRAW_WORDS * m[t + T_INTERVAL] + X_FIRST]]
        if due + deepest < m[NOW]:
            due = m[NOW] - deepest
    o = put_time(m, out, o, due)
    return put(out, o, ONE if m[t + T_ARRIVALS] else ZERO)


@compiled
def put_threads(m: Words, repeats: Words, out: Words, o: Word) -> Word:
    """Write where all threads stand in program, pace, turns and barriers, and their slots."""
    for index in range(m[THREADS]):
        t = m[THREAD_AT] + THREAD_WORDS * index
        o = put(out, o, m[t + T_ISSUED] % repeats[index] if m[t + T_LIMIT] == NONE else m[t + T_ISSUED])
        o = put(out, o, m[t + T_IN_FLIGHT])
        o = put(out, o, m[t + T_AT_BARRIER] | (m[t + T_HELD] << ONE))
        o = put(out, o, ONE if m[t + T_PASSED] == m[t + T_ISSUED] else ZERO)
        o = put(out, o, m[NOW] % m[t + T_SLICE_PERIOD] if m[t + T_SLICE_PERIOD] else ZERO)
        o = put_pace(m, out, o, t)
        o = put(out, o, m[t + T_COMPUTING_UNTIL] - m[NOW] if m[t + T_COMPUTING_UNTIL] > m[NOW] else ZERO)
        first = o
        for number in range(m[t + T_WINDOW]):
            slot = m[t + T_SLOTS] + SLOT_WORDS * number
            if m[t + T_INTERVAL] == NONE:
                o = put_sorted(out, first, o, slot_now(m, slot))
            else:
                o = put(out, o, slot_now(m, slot))
                o = put_time(m, out, o, m[slot + L_DUE])
    return o


@compiled
def put_port(m: Words, out: Words, o: Word, p: Word) -> Word:
    """Write a port's own words; a strict port has no last channel, and what is owed matters where anything is."""
    o = put(out, o, m[p + P_BUSY])
    o = put(out, o, ZERO if m[p + P_STRICT] else m[p + P_LAST_CHANNEL])
    o = put(out, o, m[p + P_LAST_NOP])
    o = put(out, o, m[p + P_LAST_WROTE])
    o = put(out, o, m[p + P_LEAVING_DATA])
    o = put(out, o, m[p + P_PENDING])
    o = put(out, o, ONE if m[p + P_ARBITRATED] == m[NOW] else ZERO)
    o = put(out, o, m[p + P_CRC_LEFT])
    o = put(out, o, m[p + P_OWES])
    if m[p + P_OWES]:
        for credit_class in range(CLASSES):
            o = put(out, o, m[p + P_OWED + credit_class])
    o = put_time(m, out, o, m[p + P_TAIL_EVENT + E_TIME])
    o = put_time(m, out, o, m[p + P_NOP_EVENT + E_TIME])
    o = put_time(m, out, o, m[p + P_HEADER_EVENT + E_TIME])
    o = put_time(m, out, o, m[p + P_END_EVENT + E_TIME])
    return put_time(m, out, o, m[p + P_ARBITRATION_EVENT + E_TIME])


@compiled
def put_contents(m: Words, scratch: Words, repeats: Words, out: Words, o: Word, p: Word) -> Word:
    """Write packets, holds and NOPs that a port has."""
    for channel in range(CHANNELS):
        k = m[p + P_HEAD + channel]
        while k != NONE:
            o = put_packet(m, scratch, repeats, out, o, k)
            k = m[k + K_NEXT]
        o = put(out, o, NONE)
    o = put_packet(m, scratch, repeats, out, o, m[p + P_SERVING])
    o = put_packet(m, scratch, repeats, out, o, m[p + P_TAIL_PACKET])
    o = put_hold(m, scratch, out, o, m[p + P_LEAVING])
    o = put_hold(m, scratch, out, o, m[p + P_HEADER_LEAVING])
    o = put_hold(m, scratch, out, o, m[p + P_TAIL_HOLD])
    n = m[p + P_NOP_HEAD]
    while n != NONE:
        o = put_time(m, out, o, m[n + N_DUE])
        o = put(out, o, m[n + N_RELEASED])
        n = m[n + N_NEXT]
    return put(out, o, NONE)


@compiled
def put_delay(m: Words, scratch: Words, repeats: Words, out: Words, o: Word, d: Word) -> Word:
    """Write the packets in a delay and when they leave it."""
    k = m[d + D_HEAD]
    while k != NONE:
        o = put_time(m, out, o, m[k + K_DUE])
        o = put_packet(m, scratch, repeats, out, o, k)
        k = m[k + K_NEXT]
    return put(out, o, NONE)


@compiled
def differs(one: Words, other: Words, first: Word, end: Word) -> Word:
    """Return whether two vectors differ between two places."""
    at = first
    while at < end and one[at] == other[at]:
        at += ONE
    return at < end


@compiled
def put_all(m: Words, scratch: Words, repeats: Words, out: Words, reference: Words, compare: Word) -> Word:
    """Write the state and return its length; with `compare`, give up at the first part that differs from `reference`: 0."""
    o = put_threads(m, repeats, out, ZERO)
    if compare and differs(out, reference, ZERO, o):
        return ZERO
    first = o
    for index in range(m[PORTS]):
        o = put_port(m, out, o, m[PORT_AT] + m[PORT_WORDS] * index)
    for index in range(m[POOLS]):
        o = put(out, o, m[m[POOL_AT] + POOL_WORDS * index + Q_FREE])
    v = m[BARRIER_AT]
    while v < m[HEAP_AT]:
        o = put(out, o, m[v + V_HERE])
        v += BARRIER_WORDS
    if compare and differs(out, reference, first, o):
        return ZERO
    first = o
    scratch[WALK] += ONE
    scratch[COUNT] = ZERO
    for index in range(m[PORTS]):
        o = put_contents(m, scratch, repeats, out, o, m[PORT_AT] + m[PORT_WORDS] * index)
    for index in range(m[DELAYS]):
        o = put_delay(m, scratch, repeats, out, o, m[DELAY_AT] + DELAY_WORDS * index)
    if compare and differs(out, reference, first, o):
        return ZERO
    return o


@compiled
def write_state(memory: Words, scratch: Words, repeats: Words, out: Words) -> Word:
    """Write the state to `out` and return its length."""
    o = pointer_to(out)
    return put_all(pointer_to(memory), pointer_to(scratch), pointer_to(repeats), o, o, ZERO)
