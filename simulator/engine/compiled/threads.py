"""Window slots, pace, turns and barriers: simpy_engine/threads.py on the kernel's memory, function by function.

Arguments are places of records in the memory `m`: `t` a thread, `slot` one of its window slots, `state` a transaction, `row` its
row in the table of transactions. All times are ps.
"""

from __future__ import annotations

from simulator.engine.compiled.cache import compiled
from simulator.engine.compiled.fabric import drop, new_record, random_value, send
from simulator.engine.compiled.layout import *
from simulator.engine.compiled.pending import push
from simulator.engine.compiled.words import *


@compiled
def wake(m: Words, slot: Word, time: Word) -> None:
    """Let a slot wake at `time` (ps)."""
    push(m, slot + L_EVENT, time)


@compiled
def last_wanted(m: Words, t: Word) -> Word:
    """Return the lines after which a thread is done with: its target, or all it will ever have if that is less."""
    if m[t + T_MORE] or m[t + T_TARGET] < m[t + T_LIMIT]:
        return m[t + T_TARGET]
    return m[t + T_LIMIT]


@compiled
def barrier_of(m: Words, t: Word) -> Word:
    """Return the barrier before a thread's next line, or NONE."""
    return m[m[t + T_FIRST] + PROGRAM_WORDS * (m[t + T_ISSUED] % m[t + T_COUNT]) + G_BARRIER]


@compiled
def held_by_barrier(m: Words, t: Word) -> Word:
    """Return whether a thread may not issue its next line yet, for the barrier before it has not opened."""
    return m[t + T_ISSUED] < m[t + T_LIMIT] and barrier_of(m, t) != NONE and m[t + T_PASSED] != m[t + T_ISSUED]


@compiled
def computes(m: Words, t: Word) -> Word:
    """Return whether no line of a thread is under way and its core still computes on some."""
    return m[t + T_IN_FLIGHT] == ZERO and m[t + T_COMPUTING_UNTIL] > m[NOW]


@compiled
def come_again(m: Words, t: Word) -> None:
    """Let the first slot that waits at the barrier ask again when the core has computed."""
    for i in range(m[t + T_WINDOW]):
        slot = m[t + T_SLOTS] + SLOT_WORDS * i
        if m[slot + L_HELD]:
            m[slot + L_HELD] = ZERO
            wake(m, slot, m[t + T_COMPUTING_UNTIL])
            return


@compiled
def arrive_at_barrier(m: Words, t: Word) -> None:
    """Count a thread in at its barrier once its lines are complete and computed on; the last one lets all go."""
    if m[t + T_IN_FLIGHT] or m[t + T_AT_BARRIER] or not held_by_barrier(m, t):
        return
    if computes(m, t):
        return
    barrier = barrier_of(m, t)
    m[t + T_AT_BARRIER] = ONE
    v = m[BARRIER_AT] + BARRIER_WORDS * barrier
    m[v + V_HERE] += ONE
    if m[v + V_HERE] < m[v + V_PARTIES]:
        return
    m[v + V_HERE] = ZERO
    for index in range(m[THREADS]):
        other = m[THREAD_AT] + THREAD_WORDS * index
        if m[other + T_AT_BARRIER] and barrier_of(m, other) == barrier:
            m[other + T_AT_BARRIER] = ZERO
            m[other + T_PASSED] = m[other + T_ISSUED]
            m[other + T_HELD] = ZERO
            for i in range(m[other + T_WINDOW]):
                slot = m[other + T_SLOTS] + SLOT_WORDS * i
                if m[slot + L_HELD]:
                    m[slot + L_HELD] = ZERO
                    wake(m, slot, m[NOW])


@compiled
def compute(m: Words, t: Word, time: Word) -> Word:
    """Return how long (ps) a line keeps its slot until the core has computed on it, after the lines it still computes on."""
    if time == ZERO:
        return ZERO
    m[t + T_COMPUTING_UNTIL] = max(m[NOW], m[t + T_COMPUTING_UNTIL]) + time
    return m[t + T_COMPUTING_UNTIL] - m[NOW]


@compiled
def wake_flagged(m: Words, flag: Word) -> None:
    """Let all slots wake that have a flag, and take it from them."""
    for index in range(m[THREADS]):
        t = m[THREAD_AT] + THREAD_WORDS * index
        for i in range(m[t + T_WINDOW]):
            slot = m[t + T_SLOTS] + SLOT_WORDS * i
            if m[slot + flag]:
                m[slot + flag] = ZERO
                wake(m, slot, m[NOW])


@compiled
def own_copy(m: Words, t: Word) -> Word:
    """Return the bit that says of a shared line that a thread's cache holds it."""
    return ONE << ((t - m[THREAD_AT]) // THREAD_WORDS)


@compiled
def writes(m: Words, row: Word) -> Word:
    """Return whether a transaction asks for its line in order to write it."""
    return m[m[KIND_AT] + KIND_WORDS * m[row + R_REQUEST_KIND] + K_MODIFIES]


@compiled
def in_own_cache(m: Words, z: Word, row: Word, t: Word) -> Word:
    """Return whether a thread needs nobody for a shared line: it has a copy, and to write it the only one, modified."""
    if writes(m, row):
        return m[z + Z_COPIES] == own_copy(m, t) and m[z + Z_OWNER] != NONE
    return m[z + Z_COPIES] & own_copy(m, t) != ZERO


@compiled
def take_over(m: Words, z: Word, row: Word, t: Word) -> None:
    """Take note that a thread now has a copy of a shared line; that of a write is the only one."""
    if writes(m, row):
        m[z + Z_COPIES] = own_copy(m, t)
        m[z + Z_OWNER] = m[row + R_REQUESTER]
    else:
        m[z + Z_COPIES] |= own_copy(m, t)


@compiled
def may_pass_the_lock(m: Words, slot: Word, t: Word) -> Word:
    """Let no line of other threads go while one has the lock, and a line that begins a lock only when all is quiet."""
    if m[LOCKED_BY] != NONE and m[LOCKED_BY] != t:
        m[slot + L_STILL] = ONE
        return False
    if m[m[t + T_FIRST] + PROGRAM_WORDS * (m[t + T_ISSUED] % m[t + T_COUNT]) + G_LOCK] & LOCK_BEGINS:
        m[LOCKED_BY] = t
        if m[IN_FLIGHT]:
            m[slot + L_QUIET] = ONE
            m[QUIET] = ONE
            return False
    return True


@compiled
def count_parts(m: Words, state: Word, core: Word) -> None:
    """Add up where the line's time went; what is not counted yet passed since its data came."""
    m[state + A_PARTS + PROBES] += m[NOW] - m[state + A_COUNTED]
    m[state + A_PARTS + CORE] = core
    y = m[m[state + A_PROGRAM] + G_PATH]
    m[y + Y_LINES] += ONE
    if m[RECORDING]:
        m[y + Y_HISTOGRAM + min((m[NOW] - m[state + A_ISSUED]) >> BIN_SHIFT, LAST_PATH_BIN)] += ONE
    for part in range(PARTS):
        m[y + Y_PARTS + part] += m[state + A_PARTS + part]


@compiled
def complete(m: Words, state: Word, row: Word) -> None:
    """Complete a line: count it with its latency (ps), and let its slot wake after the core time."""
    slot = m[state + A_SLOT]
    now = m[NOW]
    if m[row + R_VICTIM]:
        m[slot + L_VICTIM_OUT] = ZERO
        if m[slot + L_WAITS]:
            m[slot + L_WAITS] = ZERO
            wake(m, slot, now)
        return
    t = m[slot + L_THREAD]
    program = m[state + A_PROGRAM]
    core = random_value(m, m[t + T_STREAM], m[state + A_NUMBER], m[program + G_DRAW])
    core += compute(m, t, m[program + G_COMPUTE])
    latency = now - m[state + A_ISSUED]
    m[t + T_LINES] += ONE
    m[t + T_IN_FLIGHT] -= ONE
    m[t + T_LAST] = now
    m[t + T_LATENCY] += latency
    if m[RECORDING] and not m[t + T_BACKGROUND] and m[program + G_SHARED] != CACHED:
        m[m[HISTOGRAM_AT] + min(latency >> BIN_SHIFT, LAST_BIN)] += ONE
    m[IN_FLIGHT] -= ONE
    if m[QUIET] and m[IN_FLIGHT] == ZERO:
        m[QUIET] = ZERO
        wake_flagged(m, L_QUIET)
    if m[t + T_LINES] == last_wanted(m, t):
        m[BELOW_TARGET] -= ONE
    if m[t + T_HELD]:
        arrive_at_barrier(m, t)
        if computes(m, t):
            come_again(m, t)
    if m[state + A_SHARED] != NONE:
        take_over(m, m[state + A_SHARED], row, t)
    if m[program + G_LOCK] & LOCK_ENDS:
        m[LOCKED_BY] = NONE
        wake_flagged(m, L_STILL)
    if latency == ZERO and core == ZERO:  # found in its own cache: not twice at one instant
        core = ONE
    if m[program + G_SHARED] != CACHED:
        count_parts(m, state, core)
    wake(m, slot, now + core)


@compiled
def begin(m: Words, row: Word, slot: Word, program: Word, number: Word, issued: Word) -> None:
    """Begin a transaction of a slot at `issued` (ps): its request sets out."""
    state = new_record(m, STATE_FREE, STATE_FRESH, STATE_WORDS)
    m[state + A_ROW] = row
    m[state + A_SLOT] = slot
    m[state + A_JOINS] = m[row + R_JOINS]
    m[state + A_PROGRAM] = program
    m[state + A_NUMBER] = number
    m[state + A_ISSUED] = issued
    m[state + A_HOME] = NONE
    m[state + A_SHARED] = NONE
    m[state + A_OWNER] = NONE
    m[state + A_COUNTED] = m[NOW]
    for part in range(PARTS):
        m[state + A_PARTS + part] = ZERO
    m[state + A_PARTS + SOURCE] = m[NOW] - issued
    if m[program + G_SHARED] == CACHED:
        complete(m, state, row)
        m[state + A_ROW] = NONE
        drop(m, STATE_FREE, state)
        return
    if m[program + G_SHARED] != NONE:
        m[state + A_SHARED] = m[program + G_SHARED]
        if in_own_cache(m, m[state + A_SHARED], row, m[slot + L_THREAD]):
            complete(m, state, row)
            m[state + A_ROW] = NONE
            drop(m, STATE_FREE, state)
            return
    send(m, state, m[row + R_REQUEST_KIND], m[row + R_REQUEST_STAGE], NONE)


@compiled
def is_due(m: Words, slot: Word, t: Word) -> Word:
    """Return whether a slot's next line is due; if not, it wakes when it is."""
    draw = m[t + T_INTERVAL]
    if draw == NONE:
        return True
    now = m[NOW]
    if m[slot + L_DUE] == NONE:
        interval = random_value(m, m[t + T_STREAM], ARRIVAL_NUMBERS + m[t + T_ARRIVALS], draw)
        m[t + T_ARRIVALS] += ONE
        if not m[t + T_OPEN]:
            deepest = (m[t + T_WINDOW] - ONE) * interval
            if m[t + T_DUE] + deepest < now:
                m[t + T_DUE] = now - deepest
        elif m[t + T_ARRIVALS] == ONE:
            m[t + T_DUE] += interval
        m[slot + L_DUE] = m[t + T_DUE]
        m[t + T_DUE] += interval
    if m[slot + L_DUE] > now:
        wake(m, slot, m[slot + L_DUE])
        return False
    return True


@compiled
def is_its_turn(m: Words, slot: Word, t: Word) -> Word:
    """Return whether a thread's time slice is now; if not, the slot wakes when the next begins."""
    period = m[t + T_SLICE_PERIOD]
    if not period:
        return True
    into = (m[NOW] % period + period - m[t + T_SLICE_START] % period) % period
    if into < m[t + T_SLICE_LENGTH]:
        return True
    if m[slot + L_DUE] != NONE and not m[t + T_OPEN] and m[t + T_INTERVAL] != NONE:
        m[slot + L_DUE] = NONE
        m[t + T_DUE] -= m[m[m[DRAW_AT] + DRAW_WORDS * m[t + T_INTERVAL] + X_FIRST]]
    wake(m, slot, m[NOW] + period - into)
    return False


@compiled
def on_slot(m: Words, slot: Word) -> None:
    """Let a slot that wakes issue its next line, and the eviction with it, unless something keeps it."""
    t = m[slot + L_THREAD]
    if m[slot + L_VICTIM_OUT]:
        m[slot + L_WAITS] = ONE
        return
    if m[t + T_ISSUED] >= m[t + T_LIMIT]:
        if m[t + T_MORE]:  # the engine stops, to go on with this very event
            m[HUNGRY] = t
            wake(m, slot, m[NOW])
        return
    if held_by_barrier(m, t):
        arrive_at_barrier(m, t)
    if held_by_barrier(m, t):
        if computes(m, t):
            wake(m, slot, m[t + T_COMPUTING_UNTIL])
        else:
            m[slot + L_HELD] = ONE
            m[t + T_HELD] = ONE
        return
    if not is_due(m, slot, t) or not is_its_turn(m, slot, t) or not may_pass_the_lock(m, slot, t):
        return
    number = m[t + T_ISSUED]
    program = m[t + T_FIRST] + PROGRAM_WORDS * (number % m[t + T_COUNT])
    m[t + T_ISSUED] += ONE
    m[t + T_IN_FLIGHT] += ONE
    m[IN_FLIGHT] += ONE
    now = m[NOW]
    issued = m[slot + L_DUE] if m[t + T_OPEN] and m[slot + L_DUE] != NONE else now
    m[slot + L_DUE] = NONE
    begin(m, m[program + G_TRANSACTION], slot, program, number, issued)
    if m[program + G_VICTIM] != NONE:
        m[slot + L_VICTIM_OUT] = ONE
        begin(m, m[program + G_VICTIM], slot, program, number, now)


@compiled
def set_targets(m: Words, targets: Words) -> None:
    """Set how many lines each thread shall have completed since the start, and count those that have not."""
    m[BELOW_TARGET] = ZERO
    for index in range(m[THREADS]):
        t = m[THREAD_AT] + THREAD_WORDS * index
        m[t + T_TARGET] = targets[index]
        if m[t + T_LINES] < last_wanted(m, t):
            m[BELOW_TARGET] += ONE
