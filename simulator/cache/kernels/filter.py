"""From accesses of one core to the lines it fetches and the dirty lines it writes back.

`shape` says what the caches are, `state` is what a core remembers between chunks besides its lines, `victims` is the ring of
dirty lines that wait for a fill to go with.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simulator.cache.kernels.sets import ABSENT, EMPTY, ONE, Words, find, first_way, put, take, use
from simulator.cache.kernels.store import compiled

# Words of `shape`.
L1_SETS, L1_WAYS, L2_SETS, L2_WAYS, L3_SETS, L3_WAYS, L2_EXCLUSIVE, L3_POLICY, SHAPE_WORDS = 0, 1, 2, 3, 4, 5, 6, 7, 8
NO_L3, VICTIM, INCLUSIVE = 0, 1, 2  # policies of the L3
# Words of `state`: counts, what waits in the ring, time since the last fill.
ACCESSES, L1_HITS, L2_HITS, L3_HITS, FILLS, STORE_FILLS, VICTIMS = 0, 1, 2, 3, 4, 5, 6
RING_FIRST, RING_COUNT, TIME_PS, TIME_MICRO_PS, STATE_WORDS = 7, 8, 9, 10, 11
# Words of `costs`: time of a unit of `before`, and what a load waits for a hit.
UNIT_MICRO_PS, L2_HIT_MICRO_PS, L3_HIT_MICRO_PS, COST_WORDS = 0, 1, 2, 3

MICRO = 1_000_000
LINE_SHIFT = np.uint64(6)
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@compiled
def wait_for_fill(word: np.uint64, victims: Words, state: Integers) -> None:
    """Let a line that has left the caches wait in the ring, if it is dirty."""
    if word != EMPTY and word & ONE:
        victims[(state[RING_FIRST] + state[RING_COUNT]) % len(victims)] = word >> ONE
        state[RING_COUNT] += 1
        state[VICTIMS] += 1


@compiled
def recall(line: np.uint64, l1: Words, l2: Words, shape: Integers) -> np.uint64:
    """Take a line out of the private caches of all cores; 1 if one of them had it dirty."""
    dirty = np.uint64(0)
    first, second = first_way(line, shape[L1_SETS], shape[L1_WAYS]), first_way(line, shape[L2_SETS], shape[L2_WAYS])
    for core in range(len(l1)):
        at = find(l1[core], first, shape[L1_WAYS], line)
        if at != ABSENT:
            dirty |= take(l1[core], first, shape[L1_WAYS], at) & ONE
        at = find(l2[core], second, shape[L2_WAYS], line)
        if at != ABSENT:
            dirty |= take(l2[core], second, shape[L2_WAYS], at) & ONE
    return dirty


@compiled
def leave_l2(word: np.uint64, l3: Words, shape: Integers, victims: Words, state: Integers) -> None:
    """Take in what the L2 drives out."""
    if word == EMPTY:
        return
    if shape[L3_POLICY] == NO_L3:
        wait_for_fill(word, victims, state)
        return
    start = first_way(word >> ONE, shape[L3_SETS], shape[L3_WAYS])
    at = find(l3, start, shape[L3_WAYS], word >> ONE)
    if at != ABSENT:
        l3[at] |= word & ONE
        if shape[L3_POLICY] == VICTIM:
            use(l3, start, at)
    elif shape[L3_POLICY] == VICTIM:
        wait_for_fill(put(l3, start, shape[L3_WAYS], word), victims, state)
    else:  # recalled while it was on its way
        wait_for_fill(word, victims, state)


@compiled
def leave_l1(word: np.uint64, l2: Words, l3: Words, shape: Integers, victims: Words, state: Integers) -> None:
    """Take in what the L1 drives out: an exclusive L2 takes all of it, another one what is dirty."""
    if word == EMPTY or not (shape[L2_EXCLUSIVE] or word & ONE):
        return
    start = first_way(word >> ONE, shape[L2_SETS], shape[L2_WAYS])
    at = ABSENT if shape[L2_EXCLUSIVE] else find(l2, start, shape[L2_WAYS], word >> ONE)
    if at != ABSENT:
        l2[at] |= word & ONE
    else:
        leave_l2(put(l2, start, shape[L2_WAYS], word), l3, shape, victims, state)


@compiled
def from_l2(line: np.uint64, l2: Words, shape: Integers) -> np.uint64:
    """Look a line up in the L2: its dirty bit if it moves to the L1, 0 if the L2 keeps it, or `EMPTY`."""
    start = first_way(line, shape[L2_SETS], shape[L2_WAYS])
    at = find(l2, start, shape[L2_WAYS], line)
    if at == ABSENT:
        return EMPTY
    if shape[L2_EXCLUSIVE]:
        return take(l2, start, shape[L2_WAYS], at) & ONE
    use(l2, start, at)
    return np.uint64(0)


@compiled
def from_l3(line: np.uint64, l3: Words, shape: Integers) -> np.uint64:
    """Look a line up in the L3: its dirty bit if it moves up, 0 if the L3 keeps it, or `EMPTY`."""
    if shape[L3_POLICY] == NO_L3:
        return EMPTY
    start = first_way(line, shape[L3_SETS], shape[L3_WAYS])
    at = find(l3, start, shape[L3_WAYS], line)
    if at == ABSENT:
        return EMPTY
    if shape[L3_POLICY] == VICTIM:
        return take(l3, start, shape[L3_WAYS], at) & ONE
    use(l3, start, at)
    return np.uint64(0)


@compiled
def fill_l3(line: np.uint64, l1: Words, l2: Words, l3: Words, shape: Integers, victims: Words, state: Integers) -> None:
    """Put a line from memory into an inclusive L3; what it drives out leaves the private caches too."""
    start = first_way(line, shape[L3_SETS], shape[L3_WAYS])
    word = put(l3, start, shape[L3_WAYS], line << ONE)
    if word != EMPTY:
        wait_for_fill(word | recall(word >> ONE, l1, l2, shape), victims, state)


@compiled
def miss_l1(
    line: np.uint64, own_l2: Words, l1: Words, l2: Words, l3: Words, shape: Integers, victims: Words, state: Integers
) -> tuple[np.uint64, int]:
    """Fetch a line that the L1 does not have: its dirty bit, and the level that had it, 4 for memory."""
    level = 2
    dirty = from_l2(line, own_l2, shape)
    if dirty == EMPTY:
        level, dirty = 3, from_l3(line, l3, shape)
        if dirty == EMPTY:
            level, dirty = 4, np.uint64(0)
            if shape[L3_POLICY] == INCLUSIVE:
                fill_l3(line, l1, l2, l3, shape, victims, state)
        if not shape[L2_EXCLUSIVE]:
            start = first_way(line, shape[L2_SETS], shape[L2_WAYS])
            leave_l2(put(own_l2, start, shape[L2_WAYS], (line << ONE) | dirty), l3, shape, victims, state)
            dirty = np.uint64(0)
    return dirty, level


@compiled
def pass_time(before: int, costs: Integers, state: Integers) -> None:
    """Add what the core did before an access: whole ps apart from millionths."""
    state[TIME_PS] += before // MICRO * costs[UNIT_MICRO_PS]
    add_micro_ps(before % MICRO * costs[UNIT_MICRO_PS], state)


@compiled
def add_micro_ps(time: int, state: Integers) -> None:
    """Add millionths of a ps."""
    time += state[TIME_MICRO_PS]
    state[TIME_PS] += time // MICRO
    state[TIME_MICRO_PS] = time % MICRO


@compiled
def emit(
    n: int, line: np.uint64, for_store: bool, lines: Words, writes: Flags, gone: Words, has: Flags, times: Integers,
    victims: Words, state: Integers,
) -> None:  # fmt: skip
    """Write a fill, with the oldest victim that waits and the time since the fill before."""
    lines[n], writes[n], times[n] = line << LINE_SHIFT, for_store, state[TIME_PS]
    state[FILLS] += 1
    state[STORE_FILLS] += for_store
    state[TIME_PS] = 0
    has[n] = state[RING_COUNT] > 0
    gone[n] = 0
    if has[n]:
        gone[n] = victims[state[RING_FIRST]] << LINE_SHIFT
        state[RING_FIRST] = (state[RING_FIRST] + 1) % len(victims)
        state[RING_COUNT] -= 1


@compiled
def filter_accesses(
    core: int, address: Words, size: npt.NDArray[np.uint32], is_write: Flags, is_modify: Flags, before: Integers,
    l1: Words, l2: Words, l3: Words, shape: Integers, costs: Integers, victims: Words, state: Integers,
    lines: Words, writes: Flags, gone: Words, has: Flags, times: Integers,
) -> int:  # fmt: skip
    """Run accesses through the caches of `core`, and return how many lines it fetches; the last five arrays take them.

    ``l1`` and ``l2`` have a row a core; ``l3`` is that of the node.
    """
    n = 0
    own, own_l2 = l1[core], l2[core]
    ways = shape[L1_WAYS]
    for i in range(len(address)):
        pass_time(before[i], costs, state)
        line = address[i] >> LINE_SHIFT
        last = (address[i] + np.uint64(size[i]) - ONE) >> LINE_SHIFT
        write = ONE if is_write[i] else np.uint64(0)
        load = is_modify[i] or not is_write[i]
        while True:
            state[ACCESSES] += 1
            start = first_way(line, shape[L1_SETS], ways)
            at = find(own, start, ways, line)
            if at != ABSENT:
                state[L1_HITS] += 1
                own[at] |= write
                use(own, start, at)
            else:
                dirty, level = miss_l1(line, own_l2, l1, l2, l3, shape, victims, state)
                leave_l1(put(own, start, ways, (line << ONE) | dirty | write), own_l2, l3, shape, victims, state)
                if level == 4:
                    emit(n, line, not load, lines, writes, gone, has, times, victims, state)
                    n += 1
                else:
                    state[L1_HITS + level - 1] += 1
                    if load:
                        add_micro_ps(costs[L2_HIT_MICRO_PS + level - 2], state)
            if line == last:
                break
            line += ONE
    return n


def compile_filter() -> None:
    """Compile all of it, by a call without accesses."""
    numbers, times, flags = np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.bool_)
    caches = np.zeros((1, 0), np.uint64)
    words = [np.zeros(count, np.int64) for count in (SHAPE_WORDS, COST_WORDS, STATE_WORDS)]
    filter_accesses(
        0, numbers, np.zeros(0, np.uint32), flags, flags, times,
        caches, caches, numbers, words[0], words[1], numbers, words[2],
        numbers, flags, numbers, flags, times,
    )  # fmt: skip
