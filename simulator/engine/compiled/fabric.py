"""Ports, buffers, delays and links in motion: simpy_engine/fabric.py on the kernel's memory, function by function.

Arguments are places of records in the memory `m`: `p` a port, `q` a pool, `h` a hold (the buffers a packet keeps), `k` a packet,
`b` a branch, `d` a delay, `n` a NOP, `state` a transaction. All times are ps.
"""

from __future__ import annotations

from simulator.engine.compiled.cache import compiled
from simulator.engine.compiled.layout import *
from simulator.engine.compiled.pending import push
from simulator.engine.compiled.words import *


@compiled
def random_value(m: Words, stream: Word, number: Word, draw: Word) -> Word:
    """Return the value in ps that a distribution gives for the n-th number of a stream (random_numbers.py)."""
    z = stream + number * GOLDEN
    z = (z ^ (z >> U30)) * MIX_1
    z = (z ^ (z >> U27)) * MIX_2
    z = z ^ (z >> U31)
    d = m[DRAW_AT] + DRAW_WORDS * draw
    return m[m[d + X_FIRST] + (z & m[d + X_MASK])]


@compiled
def new_record(m: Words, free_list: Word, fresh: Word, words: Word) -> Word:
    """Take a record off its free list, or the next that was never used; its words hold what they held before.

    Where none is left it is the spare one at the end of the table, so that nothing beyond is written, and the run is over.
    """
    record = m[free_list]
    if record != NONE:
        m[free_list] = m[record]
        return record
    record = m[fresh]
    if record == m[fresh + FRESH_ENDS]:
        m[BROKEN] = ONE
    else:
        m[fresh] = record + words
    return record


@compiled
def drop(m: Words, free_list: Word, record: Word) -> None:
    """Put a record onto its free list."""
    m[record] = m[free_list]
    m[free_list] = record


@compiled
def new_packet(m: Words, kind: Word, state: Word, hold: Word) -> Word:
    """Return the place of a new packet that keeps a hold, or none, and has all arrived."""
    k = new_record(m, PACKET_FREE, PACKET_FRESH, PACKET_WORDS)
    m[k + K_KIND] = kind
    m[k + K_STATE] = state
    m[k + K_HOLD] = hold
    m[k + K_TAIL] = ZERO
    m[k + K_CAME_BY] = NONE
    return k


@compiled
def ask_arbitration(m: Words, p: Word) -> None:
    """Let a port arbitrate at the end of this tick, in the next if it has in this one; not while busy or with nothing to do."""
    if m[p + P_BUSY] or m[p + P_PENDING] or not (m[p + P_WAITING] or m[p + P_OWES]):
        return
    m[p + P_PENDING] = ONE
    if m[p + P_ARBITRATED] == m[NOW]:
        push(m, p + P_ARBITRATION_EVENT, m[NOW] + ONE)
        return
    at = m[ARBITRATION_COUNT]
    m[ARBITRATION_COUNT] = at + ONE
    first = m[ARBITRATION_AT]
    while at > ZERO and m[first + at - ONE] < p:  # descending, so that the next one is the last
        m[first + at] = m[first + at - ONE]
        at -= ONE
    m[first + at] = p


@compiled
def free(m: Words, q: Word, count: Word) -> None:
    """Return units to a pool, with its time integral brought up to now."""
    m[q + Q_HELD_PS] += (m[q + Q_CAPACITY] - m[q + Q_FREE]) * (m[NOW] - m[q + Q_CHANGED])
    m[q + Q_CHANGED] = m[NOW]
    m[q + Q_FREE] += count
    ask_arbitration(m, m[q + Q_CLAIMANT])


@compiled
def take(m: Words, q: Word) -> None:
    """Take a unit from a pool, with its time integral brought up to now."""
    m[q + Q_HELD_PS] += (m[q + Q_CAPACITY] - m[q + Q_FREE]) * (m[NOW] - m[q + Q_CHANGED])
    m[q + Q_CHANGED] = m[NOW]
    m[q + Q_FREE] -= ONE


@compiled
def give_back(m: Words, q: Word) -> None:
    """Return a unit to its pool at once, or owe it to the other side of the link until a NOP carries it."""
    credit_class = m[q + Q_CLASS]
    if credit_class == NONE:
        free(m, q, ONE)
        return
    sender = m[m[q + Q_CLAIMANT] + P_REVERSE]
    m[sender + P_OWED + credit_class] += ONE
    m[sender + P_OWES] += ONE
    ask_arbitration(m, sender)


@compiled
def leave_command(m: Words, h: Word) -> None:
    """Give back a hold's command buffer once the last copy has left it."""
    if h == NONE or m[h + H_COMMAND] == NONE:
        return
    m[h + H_COPIES] -= ONE
    if m[h + H_COPIES] == ZERO:
        pool = m[h + H_COMMAND]
        if m[h + H_DATA] == NONE:
            drop(m, HOLD_FREE, h)
        give_back(m, pool)


@compiled
def leave_data(m: Words, h: Word) -> None:
    """Give back a hold's data buffer, and the hold with it."""
    if h == NONE or m[h + H_DATA] == NONE:
        return
    pool = m[h + H_DATA]
    drop(m, HOLD_FREE, h)
    give_back(m, pool)


@compiled
def busy_so_far(m: Words, p: Word) -> Word:
    """Return the time (ps) that a port's server was busy, up to now."""
    ahead = m[p + P_BUSY_UNTIL] - m[NOW] if m[p + P_BUSY_UNTIL] > m[NOW] else ZERO
    return m[p + P_BUSY_PS] - ahead


@compiled
def count_wait(m: Words, state: Word, p: Word) -> None:
    """Count the time since the line came to the port: while it was busy, behind others; else for want of buffers."""
    queued = m[p + P_BUSY_PS] - m[state + A_BUSY_BEFORE]
    m[state + A_PARTS + m[p + P_QUEUE_PART]] += queued
    m[state + A_PARTS + m[p + P_BUFFER_PART]] += m[NOW] - m[state + A_COUNTED] - queued
    m[state + A_COUNTED] = m[NOW]


@compiled
def count_passage(m: Words, state: Word, b: Word, d: Word) -> None:
    """Count the time since the port let the line go: the fixed delay behind it, and before that the service."""
    m[state + A_PARTS + m[d + D_PART]] += m[d + D_PART_PS]
    m[state + A_PARTS + m[d + D_REST_PART]] += m[d + D_TIME] - m[d + D_PART_PS]
    m[state + A_PARTS + m[m[b + B_PORT] + P_SERVICE_PART]] += m[NOW] - m[state + A_COUNTED] - m[d + D_TIME]
    m[state + A_COUNTED] = m[NOW]


@compiled
def queue(m: Words, k: Word, b: Word) -> None:
    """Put a packet at the end of its channel's queue, at the port of a branch."""
    m[k + K_BRANCH] = b
    p = m[b + B_PORT]
    m[p + P_WAITING_PS] += m[p + P_WAITING] * (m[NOW] - m[p + P_CHANGED])
    m[p + P_CHANGED] = m[NOW]
    row = m[KIND_AT] + KIND_WORDS * m[k + K_KIND]
    if m[row + K_CARRIES_LINE]:
        m[m[k + K_STATE] + A_BUSY_BEFORE] = busy_so_far(m, p)
    channel = m[row + K_CHANNEL]
    m[k + K_NEXT] = NONE
    last = m[p + P_LAST + channel]
    if last != NONE:
        m[last + K_NEXT] = k
    else:
        m[p + P_HEAD + channel] = k
    m[p + P_LAST + channel] = k
    m[p + P_WAITING] += ONE
    ask_arbitration(m, p)


@compiled
def branch_out(m: Words, k: Word, stage: Word) -> None:
    """Queue a packet, or a copy of it, at the port of each branch."""
    count = m[stage + S_COUNT]
    first = m[stage + S_FIRST]
    if count > 1:
        if m[k + K_HOLD] != NONE:
            m[m[k + K_HOLD] + H_COPIES] = count
        for i in range(ONE, count):
            copy = new_packet(m, m[k + K_KIND], m[k + K_STATE], m[k + K_HOLD])
            m[copy + K_TAIL] = m[k + K_TAIL]
            m[copy + K_CAME_BY] = m[k + K_CAME_BY]
            queue(m, copy, first + i * BRANCH_WORDS)
    if count > ZERO:
        queue(m, k, first)


@compiled
def send(m: Words, state: Word, kind: Word, stage: Word, hold: Word) -> None:
    """A new packet sets out; the stage where it does has no action."""
    branch_out(m, new_packet(m, kind, state, hold), stage)


@compiled
def push_delay(m: Words, d: Word, due: Word, k: Word) -> None:
    """Put a packet into a delay that it leaves at `due` (ps), never before the one ahead."""
    m[k + K_DUE] = due
    m[k + K_NEXT] = NONE
    if m[d + D_HEAD] == NONE:
        push(m, d + D_EVENT, due)
        m[d + D_HEAD] = k
    else:
        m[m[d + D_TAIL] + K_NEXT] = k
    m[d + D_TAIL] = k


@compiled
def can_go(m: Words, p: Word, channel: Word) -> Word:
    """Return whether the first packet of a channel finds free what its branch takes."""
    k = m[p + P_HEAD + channel]
    if k == NONE:
        return False
    b = m[k + K_BRANCH]
    command = m[b + B_COMMAND]
    if command != NONE and m[command + Q_FREE] <= ZERO:
        return False
    data = m[b + B_DATA]
    return data == NONE or m[data + Q_FREE] > ZERO


@compiled
def next_channel(m: Words, p: Word) -> Word:
    """Return the channel whose turn it is, by priority or round robin; NONE when no packet can go."""
    if m[p + P_STRICT]:
        if can_go(m, p, TWO):
            return TWO
        if can_go(m, p, THREE):
            return THREE
        if can_go(m, p, ZERO):
            return ZERO
        if can_go(m, p, ONE):
            return ONE
        return NONE
    last = m[p + P_LAST_CHANNEL]
    for step in range(ONE, CHANNELS + ONE):
        channel = (last + step) & THREE
        if can_go(m, p, channel):
            return channel
    return NONE


@compiled
def crc_ps(m: Words, p: Word, size: Word) -> Word:
    """Count bytes sent over a link and return the time in ps of the CRCs that fall due among them."""
    left = m[p + P_CRC_LEFT]
    crcs = ZERO
    while size >= left:
        size -= left
        left = m[p + P_CRC_EVERY]
        crcs += ONE
    left -= size
    m[p + P_CRC_LEFT] = left
    m[p + P_CRCS] += crcs
    return crcs * m[p + P_CRC_PS]


@compiled
def occupy(m: Words, p: Word, end: Word) -> None:
    """Make a port busy until `end` (ps)."""
    m[p + P_BUSY] = ONE
    m[p + P_BUSY_UNTIL] = end
    m[p + P_BUSY_PS] += end - m[NOW]
    push(m, p + P_END_EVENT, end)


@compiled
def carries_data(m: Words, k: Word) -> Word:
    """Return whether a packet carries a line."""
    return m[m[KIND_AT] + KIND_WORDS * m[k + K_KIND] + K_DATA] > ZERO


@compiled
def go_on(m: Words, k: Word, held: Word) -> None:
    """Let a whole packet leave its data buffer and enter the delay behind its port."""
    leave_data(m, held)
    m[k + K_TAIL] = ZERO
    d = m[m[k + K_BRANCH] + B_DELAY]
    push_delay(m, d, m[NOW] + m[d + D_TIME], k)


@compiled
def pass_at_once(m: Words, p: Word, k: Word, held: Word) -> None:
    """Let a packet through a port without a server; one whose tail is still under way waits for it."""
    leave_command(m, held)
    if m[k + K_TAIL] > m[NOW]:
        source = m[k + K_CAME_BY]
        m[source + P_TAIL_PACKET] = k
        m[source + P_TAIL_HOLD] = held
        push(m, source + P_TAIL_EVENT, m[k + K_TAIL])
    else:
        go_on(m, k, held if carries_data(m, k) else NONE)


@compiled
def serve(m: Words, p: Word, k: Word, b: Word, held: Word, service: Word) -> None:
    """Occupy the port for `service` (ps), cut through after the header where the next stage only passes on."""
    now = m[NOW]
    end = now + service
    if m[k + K_TAIL] > end:
        end = m[k + K_TAIL]
    occupy(m, p, end)
    m[p + P_LEAVING] = held
    m[p + P_SERVING] = k
    m[p + P_LEAVING_DATA] = ZERO
    if m[p + P_KIND] == DRAM or m[m[b + B_STAGE] + S_ACTION] != ZERO:
        return
    m[p + P_SERVING] = NONE
    d = m[b + B_DELAY]
    m[k + K_TAIL] = end + m[d + D_TIME]
    m[k + K_CAME_BY] = p
    kind = m[k + K_KIND]
    if m[m[KIND_AT] + KIND_WORDS * kind + K_DATA]:
        header = now + m[p + P_BY_KIND + m[KINDS] + kind]
        m[p + P_HEADER_LEAVING] = held
        m[p + P_LEAVING_DATA] = ONE
        push(m, p + P_HEADER_EVENT, header)
        push_delay(m, d, header + m[d + D_TIME], k)
    else:
        push_delay(m, d, end + m[d + D_TIME], k)


@compiled
def service_ps(m: Words, p: Word, kind: Word) -> Word:
    """Return a packet's time (ps) at the server: its kind's or a random one, with CRCs on a link, turnaround at a memory."""
    draw = m[p + P_DRAW]
    service = m[p + P_BY_KIND + kind] if draw == NONE else random_value(m, m[p + P_STREAM], m[p + P_SERVED], draw)
    m[p + P_SERVED] += ONE
    row = m[KIND_AT] + KIND_WORDS * kind
    if m[p + P_KIND] == LINK:
        service += crc_ps(m, p, m[row + K_BYTES])
    elif m[p + P_KIND] == DRAM:
        writes = m[row + K_WRITES]
        if m[p + P_LAST_WROTE] != NONE and m[p + P_LAST_WROTE] != writes:
            service += m[p + P_TURNAROUND]
        m[p + P_LAST_WROTE] = writes
    return service


@compiled
def grant(m: Words, p: Word, channel: Word) -> None:
    """Take the first packet of a channel out of its queue, take its buffers, and serve it."""
    now = m[NOW]
    m[p + P_WAITING_PS] += m[p + P_WAITING] * (now - m[p + P_CHANGED])
    m[p + P_CHANGED] = now
    k = m[p + P_HEAD + channel]
    m[p + P_HEAD + channel] = m[k + K_NEXT]
    if m[k + K_NEXT] == NONE:
        m[p + P_LAST + channel] = NONE
    m[p + P_WAITING] -= ONE
    m[p + P_LAST_CHANNEL] = channel
    m[p + P_LAST_NOP] = ZERO
    kind = m[k + K_KIND]
    kinds = m[KINDS]
    m[p + P_BY_KIND + TWO * kinds + kind] += ONE
    b = m[k + K_BRANCH]
    if m[m[KIND_AT] + KIND_WORDS * kind + K_CARRIES_LINE]:
        count_wait(m, m[k + K_STATE], p)
    held = m[k + K_HOLD]
    m[k + K_HOLD] = NONE
    command = m[b + B_COMMAND]
    if command != NONE:
        take(m, command)
        hold = new_record(m, HOLD_FREE, HOLD_FRESH, HOLD_WORDS)
        m[hold + H_COPIES] = ONE
        m[hold + H_COMMAND] = command
        m[hold + H_DATA] = m[b + B_DATA]
        m[k + K_HOLD] = hold
        if m[b + B_DATA] != NONE:
            take(m, m[b + B_DATA])
    service = service_ps(m, p, kind)
    if service:
        serve(m, p, k, b, held, service)
    else:
        pass_at_once(m, p, k, held)


@compiled
def send_nop(m: Words, p: Word) -> None:
    """Send a NOP that returns owed units, up to so many of each class."""
    released = ZERO
    total = ZERO
    most = m[p + P_NOP_RELEASES]
    for credit_class in range(CLASSES):
        count = min(m[p + P_OWED + credit_class], most)
        if count:
            m[p + P_OWED + credit_class] -= count
            total += count
            released |= count << (EIGHT * credit_class)
    m[p + P_OWES] -= total
    m[p + P_NOPS] += ONE
    m[p + P_LAST_NOP] = ONE
    service = m[p + P_NOP_PS] + crc_ps(m, p, m[p + P_NOP_BYTES])
    due = m[NOW] + service + m[p + P_NOP_LATENCY]
    n = new_record(m, NOP_FREE, NOP_FRESH, NOP_WORDS)
    m[n + N_NEXT] = NONE
    m[n + N_DUE] = due
    m[n + N_RELEASED] = released
    if m[p + P_NOP_HEAD] == NONE:
        push(m, p + P_NOP_EVENT, due)
        m[p + P_NOP_HEAD] = n
    else:
        m[m[p + P_NOP_TAIL] + N_NEXT] = n
    m[p + P_NOP_TAIL] = n
    if service:
        occupy(m, p, m[NOW] + service)


@compiled
def arbitrate(m: Words, p: Word) -> None:
    """Grant until the port is busy or nothing can go; a NOP goes first, but not twice running while a packet could."""
    m[p + P_PENDING] = ZERO
    m[p + P_ARBITRATED] = m[NOW]
    while not m[p + P_BUSY]:
        channel = next_channel(m, p) if m[p + P_WAITING] else NONE
        if m[p + P_OWES] and (channel == NONE or not m[p + P_LAST_NOP]):
            send_nop(m, p)
        elif channel != NONE:
            grant(m, p, channel)
        else:
            return


@compiled
def on_service_end(m: Words, p: Word) -> None:
    """End a service: buffers are given back, a packet that had to be whole goes on, and the port arbitrates."""
    held = m[p + P_LEAVING]
    k = m[p + P_SERVING]
    only_data = m[p + P_LEAVING_DATA]
    m[p + P_LEAVING] = NONE
    m[p + P_SERVING] = NONE
    m[p + P_LEAVING_DATA] = ZERO
    m[p + P_BUSY] = ZERO
    if k == NONE:
        if only_data:
            leave_data(m, held)
        else:
            leave_command(m, held)
    else:
        leave_command(m, held)
        go_on(m, k, held if carries_data(m, k) else NONE)
    ask_arbitration(m, p)


@compiled
def on_tail_arrival(m: Words, source: Word) -> None:
    """Let the packet go on whose tail has now arrived."""
    k, held = m[source + P_TAIL_PACKET], m[source + P_TAIL_HOLD]
    m[source + P_TAIL_PACKET] = NONE
    m[source + P_TAIL_HOLD] = NONE
    go_on(m, k, held)


@compiled
def on_header_end(m: Words, p: Word) -> None:
    """Give back the command buffer of the packet whose header has left."""
    held = m[p + P_HEADER_LEAVING]
    m[p + P_HEADER_LEAVING] = NONE
    leave_command(m, held)


@compiled
def on_nop_arrival(m: Words, p: Word) -> None:
    """Free the units that the NOPs of this instant return."""
    now = m[NOW]
    first = m[p + P_NOP_HEAD]
    after = first
    while after != NONE and m[after + N_DUE] == now:
        after = m[after + N_NEXT]
    m[p + P_NOP_HEAD] = after
    if after != NONE:
        push(m, p + P_NOP_EVENT, m[after + N_DUE])
    sender = m[p + P_REVERSE]
    n = first
    while n != after:
        released = m[n + N_RELEASED]
        for credit_class in range(CLASSES):
            count = (released >> (EIGHT * credit_class)) & BYTE
            pool = m[sender + P_CREDIT_POOL + credit_class]
            if count and pool != NONE:
                free(m, pool, count)
        following = m[n + N_NEXT]
        drop(m, NOP_FREE, n)
        n = following
