"""Where everything lies in the kernel's memory: one vector of 64-bit words.

One vector, because a compiled function that takes a single address is cheap to call, and one that takes thirty arrays is not.
Records of a kind lie side by side. Header words that end in ``_AT`` hold the place of the first record of a kind; ``..._WORDS``
are lengths of records; all other names are words within their record. Records refer to each other by place; ``NONE`` (all
ones) is "not there". Constants are unsigned, so that compiled code never has to ask whether an index is negative.
"""

from __future__ import annotations

import numpy as np

# header: state of the run, sizes, where records begin, free lists (then fresh ones, then their ends), events, component numbers
(
    NOW, EVENTS, BELOW_TARGET, RECORDING, BROKEN,
    PORTS, KINDS, NODES, THREADS, DELAYS, POOLS, PORT_WORDS, TRANSACTION_WORDS,
    KIND_AT, PORT_AT, POOL_AT, DELAY_AT, STAGE_AT, BRANCH_AT, TRANSACTION_AT, PROGRAM_AT, THREAD_AT, SLOT_AT, DRAW_AT, BARRIER_AT,
    HEAP_AT, WHEEL_AT, BITMAP_AT, ARBITRATION_AT, HISTOGRAM_AT, PACKET_AT, HOLD_AT, STATE_AT, NOP_AT,
    PACKET_FREE, HOLD_FREE, STATE_FREE, NOP_FREE,
    PACKET_FRESH, HOLD_FRESH, STATE_FRESH, NOP_FRESH,
    PACKET_END, HOLD_END, STATE_END, NOP_END,
    HEAP_COUNT, WHEEL_COUNT, WHEEL_SHIFT, WHEEL_MASK, ARBITRATION_COUNT,
    FIRST_TAIL, FIRST_NOP, FIRST_HEADER, FIRST_THREAD, FIRST_PORT, PATH_AT, HUNGRY,
    SHARED_AT, LOCKED_BY, IN_FLIGHT, QUIET,
) = map(np.uint64, range(62))  # fmt: skip
FRESH_ENDS = np.uint64(4)  # from the first unused record of a kind to the end of its room
HEADER_WORDS = np.uint64(64)

# a packet kind
K_CHANNEL, K_BYTES, K_DATA, K_WRITES, K_CARRIES_LINE, K_MODIFIES = map(np.uint64, range(6))
KIND_WORDS = np.uint64(8)

# a port; then service, header and sent by kind
(
    P_KIND, P_STRICT, P_TURNAROUND, P_REVERSE, P_NOP_PS, P_NOP_LATENCY, P_NOP_BYTES, P_NOP_RELEASES, P_CRC_EVERY, P_CRC_PS,
    P_DRAW, P_STREAM,
    P_WAITING, P_BUSY, P_BUSY_UNTIL, P_LAST_CHANNEL, P_LAST_NOP, P_LAST_WROTE, P_SERVING, P_LEAVING, P_LEAVING_DATA,
    P_HEADER_LEAVING, P_TAIL_PACKET, P_TAIL_HOLD, P_OWES, P_PENDING, P_ARBITRATED, P_SERVED, P_NOPS, P_CRCS, P_CRC_LEFT,
    P_BUSY_PS, P_WAITING_PS, P_CHANGED, P_NOP_HEAD, P_NOP_TAIL, P_SERVICE_PART, P_QUEUE_PART, P_BUFFER_PART,
) = map(np.uint64, range(39))  # fmt: skip
P_TAIL_EVENT, P_NOP_EVENT, P_HEADER_EVENT, P_END_EVENT, P_ARBITRATION_EVENT = map(np.uint64, range(62, 77, 3))
P_HEAD = np.uint64(40)  # by channel
P_LAST = np.uint64(44)
P_OWED = np.uint64(48)  # by credit class
P_CREDIT_POOL = np.uint64(55)
P_BY_KIND = np.uint64(77)  # service, header, sent: a column each

Q_FREE, Q_CAPACITY, Q_CLAIMANT, Q_CLASS, Q_HELD_PS, Q_CHANGED = map(np.uint64, range(6))
POOL_WORDS = np.uint64(6)
D_TIME, D_HEAD, D_TAIL, D_PART, D_PART_PS, D_REST_PART, D_EVENT = map(np.uint64, range(7))
DELAY_WORDS = np.uint64(9)
S_ACTION, S_NODE, S_FIRST, S_COUNT = map(np.uint64, range(4))
STAGE_WORDS = np.uint64(4)
B_PORT, B_COMMAND, B_DATA, B_DELAY, B_STAGE = map(np.uint64, range(5))
BRANCH_WORDS = np.uint64(5)
(
    R_REQUESTER, R_VICTIM, R_JOINS, R_REQUEST_KIND, R_REQUEST_STAGE, R_PROBE_KIND, R_PROBE_STAGE, R_REPLY_KIND, R_REPLY_STAGE,
    R_ANSWER_KIND, R_DONE_KIND, R_DONE_STAGE, R_OWNER_KIND, R_DRY_KIND, R_DRY_STAGE, R_ANSWER_STAGE,
) = map(np.uint64, range(16))  # fmt: skip
# by node from R_ANSWER_STAGE on: where it answers, where it answers as owner, where a probe for it alone starts
G_TRANSACTION, G_VICTIM, G_DRAW, G_BARRIER, G_PATH, G_COMPUTE, G_SHARED, G_LOCK = map(np.uint64, range(8))
PROGRAM_WORDS = np.uint64(8)
Y_LINES, Y_PARTS = map(np.uint64, range(2))  # of a path; then its time by part, and its lines by latency
PARTS = np.uint64(16)
Y_HISTOGRAM = np.uint64(17)
PATH_WORDS = np.uint64(17 + 8192)
(
    T_STREAM, T_BACKGROUND, T_WINDOW, T_FIRST, T_COUNT, T_LIMIT, T_INTERVAL, T_OPEN,
    T_SLICE_PERIOD, T_SLICE_START, T_SLICE_LENGTH, T_SLOTS, T_DUE,
    T_ISSUED, T_ARRIVALS, T_IN_FLIGHT, T_LINES, T_TARGET, T_LAST, T_LATENCY, T_PASSED, T_AT_BARRIER, T_HELD,
    T_MORE, T_COMPUTING_UNTIL,
) = map(np.uint64, range(25))  # fmt: skip
THREAD_WORDS = np.uint64(26)
L_THREAD, L_DUE, L_VICTIM_OUT, L_WAITS, L_HELD, L_QUIET, L_STILL, L_EVENT = map(np.uint64, range(8))
SLOT_WORDS = np.uint64(10)
X_FIRST, X_MASK = map(np.uint64, range(2))
DRAW_WORDS = np.uint64(2)
V_HERE, V_PARTIES = map(np.uint64, range(2))
BARRIER_WORDS = np.uint64(2)
Z_BUSY, Z_OWNER, Z_COPIES, Z_HEAD, Z_TAIL = map(np.uint64, range(5))  # a line that threads share
SHARED_WORDS = np.uint64(5)
# a packet, a hold, the state of a transaction (row NONE: free), a NOP under way; the first word links free ones
K_NEXT, K_KIND, K_STATE, K_HOLD, K_BRANCH, K_TAIL, K_CAME_BY, K_DUE = map(np.uint64, range(8))
PACKET_WORDS = np.uint64(8)
H_COPIES, H_COMMAND, H_DATA = map(np.uint64, range(3))
HOLD_WORDS = np.uint64(4)
(
    A_ROW, A_SLOT, A_JOINS, A_PROGRAM, A_NUMBER, A_ISSUED, A_HOME, A_COUNTED, A_BUSY_BEFORE, A_SHARED, A_OWNER, A_PARTS,
) = map(np.uint64, range(1, 13))  # fmt: skip
STATE_WORDS = np.uint64(28)
N_NEXT, N_DUE, N_RELEASED = map(np.uint64, range(3))
NOP_WORDS = np.uint64(4)

# a source of events: the next in its bucket, when it happens, its canonical key
E_NEXT, E_TIME, E_KEY = map(np.uint64, range(3))
