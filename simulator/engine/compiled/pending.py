"""Pending events: a wheel of buckets by time, a heap for what lies beyond its reach.

Each source of events has one record and is pending at most once, so nothing is allocated. A bucket is a linked list in canonical
order, (time, key); with about one event a bucket both ends of an event's life cost the same however many are pending.
"""

from __future__ import annotations

from simulator.engine.compiled.cache import compiled
from simulator.engine.compiled.layout import *
from simulator.engine.compiled.words import *


@compiled
def before(m: Words, one: Word, other: Word) -> Word:
    """Return whether one source of events comes before the other: earlier, or at the same ps with the lower key."""
    return m[one + E_TIME] < m[other + E_TIME] or (m[one + E_TIME] == m[other + E_TIME] and m[one + E_KEY] < m[other + E_KEY])


@compiled
def push(m: Words, e: Word, time: Word) -> None:
    """Put a source of events among the pending ones: on the wheel, or on the heap if it lies beyond the wheel's reach."""
    if m[e + E_TIME] != NONE:  # pending already: two events would share one key
        m[BROKEN] = ONE
        return
    m[e + E_TIME] = time
    shift, mask = m[WHEEL_SHIFT], m[WHEEL_MASK]
    if (time >> shift) - (m[NOW] >> shift) > mask:
        push_far(m, e)
        return
    bucket = (time >> shift) & mask
    at = m[WHEEL_AT] + bucket
    following = m[at]
    if following == NONE:
        m[m[BITMAP_AT] + (bucket >> SIX)] |= ONE << (bucket & SIXTY_THREE)
    else:
        while following != NONE and before(m, following, e):
            at = following
            following = m[at]
    m[e + E_NEXT] = following
    m[at] = e
    m[WHEEL_COUNT] += ONE


@compiled
def push_far(m: Words, e: Word) -> None:
    """Put a source of events on the heap."""
    heap = m[HEAP_AT]
    at = m[HEAP_COUNT]
    m[HEAP_COUNT] = at + ONE
    while at > ZERO:
        parent = (at - ONE) >> ONE
        if not before(m, e, m[heap + parent]):
            break
        m[heap + at] = m[heap + parent]
        at = parent
    m[heap + at] = e


@compiled
def pop_far(m: Words) -> Word:
    """Take the first source of events off the heap, which must not be empty, and return it."""
    heap = m[HEAP_AT]
    first = m[heap]
    count = m[HEAP_COUNT] - ONE
    m[HEAP_COUNT] = count
    last = m[heap + count]
    at = ZERO
    while True:
        child = at + at + ONE
        if child >= count:
            break
        if child + ONE < count and before(m, m[heap + child + ONE], m[heap + child]):
            child += ONE
        if not before(m, m[heap + child], last):
            break
        m[heap + at] = m[heap + child]
        at = child
    m[heap + at] = last
    return first


@compiled
def remove_first(m: Words, bucket: Word) -> Word:
    """Take the first source of events out of a bucket, which must not be empty, and return it."""
    at = m[WHEEL_AT] + bucket
    e = m[at]
    m[at] = m[e + E_NEXT]
    if m[at] == NONE:
        m[m[BITMAP_AT] + (bucket >> SIX)] &= ~(ONE << (bucket & SIXTY_THREE))
    m[WHEEL_COUNT] -= ONE
    return e


@compiled
def first_bucket(m: Words) -> Word:
    """Bucket of the first event on the wheel, which must not be empty."""
    mask = m[WHEEL_MASK]
    start = (m[NOW] >> m[WHEEL_SHIFT]) & mask
    bitmap = m[BITMAP_AT]
    word = start >> SIX
    bits = m[bitmap + word] & (ALL_ONES << (start & SIXTY_THREE))
    while bits == ZERO:
        word = (word + ONE) & (mask >> SIX)
        bits = m[bitmap + word]
    return (word << SIX) + trailing_zeros(bits)


@compiled
def pop(m: Words) -> Word:
    """Take the first event; its time becomes now. NONE when there is none."""
    if m[WHEEL_COUNT]:
        bucket = first_bucket(m)
        if m[HEAP_COUNT] == ZERO or before(m, m[m[WHEEL_AT] + bucket], m[m[HEAP_AT]]):
            e = remove_first(m, bucket)
            m[NOW] = m[e + E_TIME]
            return e
    if m[HEAP_COUNT] == ZERO:
        return NONE
    e = pop_far(m)
    m[NOW] = m[e + E_TIME]
    return e


@compiled
def pop_now(m: Words, key: Word) -> Word:
    """Take the first event if it happens now and comes before `key`, else NONE."""
    e = NONE
    if m[WHEEL_COUNT]:
        bucket = (m[NOW] >> m[WHEEL_SHIFT]) & m[WHEEL_MASK]
        e = m[m[WHEEL_AT] + bucket]
        if e != NONE and (m[e + E_TIME] != m[NOW] or m[e + E_KEY] > key):
            e = NONE
    if m[HEAP_COUNT]:
        far = m[m[HEAP_AT]]
        if m[far + E_TIME] == m[NOW] and m[far + E_KEY] < key and (e == NONE or before(m, far, e)):
            return pop_far(m)
    if e != NONE:
        remove_first(m, (m[NOW] >> m[WHEEL_SHIFT]) & m[WHEEL_MASK])
    return e
