/* A C reference for the engines: the same Plan, the same events in the same order, the same counters to the last integer.
 *
 * Read simulator/engine/simpy_engine/ first: functions here carry its names. Written the way one writes such a simulator in C
 * straight away: structs, pointers, free lists, and one binary heap of (time, key) for all pending events. There is no deadlock
 * report. All times are picoseconds. -1 in a row's index means "not there", NULL in a pointer's place likewise.
 *
 * The row structs mirror the tables of simulator/engine/plan.py; engine.py fills them, in the order of the fields.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t Int;
typedef uint64_t Bits;

enum { CHANNELS = 4, CREDIT_CLASSES = 7, SLOT_BITS = 16, COMPONENT_BITS = 32, LATENCY_BIN_PS = 256, LATENCY_BINS = 1 << 16 };
enum { INTERNAL, LINK, DRAM };
enum { PASS, ACCEPT, REPLY, ANSWER, COLLECT, RELEASE };
enum { ARRIVAL, SERVICE_END, ARBITRATION };
enum { REACHED, EXHAUSTED, BUDGET };

/* ---- rows of the Plan ---- */

typedef struct { Int kinds, nodes, ports, pools, delays, stages, branches, transactions, threads, barriers; } Sizes;
typedef struct { Int channel, bytes, data_bytes, writes; } KindRow;
typedef struct {
    Int kind, strict, draw, turnaround_ps, reverse, nop_ps, nop_latency_ps, nop_bytes, nop_releases, crc_every_bytes, crc_ps;
} PortRow;
typedef struct { Int capacity, claimant, credit_class; } PoolRow;
typedef struct { Int action, node, first, count; } StageRow;
typedef struct { Int port, command_pool, data_pool, delay, stage; } BranchRow;
typedef struct {
    Int requester, victim, joins, request_kind, request_stage, probe_kind, probe_stage, reply_kind, reply_stage, answer_kind,
        done_kind, done_stage;
} TransactionRow;
typedef struct { Int transaction, victim, core_draw, barrier; } ProgramRow;
typedef struct {
    Int background, window, first, count, repeat, start_ps, interval_draw, open, slice_period_ps, slice_start_ps, slice_length_ps;
} ThreadRow;
typedef struct { Int first, length; } DrawRow;

typedef struct {
    const Sizes *sizes;
    const KindRow *kinds;
    const PortRow *ports;
    const Int *service_ps, *header_ps; /* by port and packet kind */
    const Bits *port_streams;
    const PoolRow *pools;
    const Int *delays_ps;
    const StageRow *stages;
    const BranchRow *branches;
    const TransactionRow *transactions;
    const Int *answer_stages; /* by transaction and answering node */
    const ProgramRow *program;
    const ThreadRow *threads;
    const Bits *thread_streams;
    const DrawRow *draws;
    const Int *draw_values;
    const Int *barrier_parties;
} Tables;

/* ---- live objects ---- */

typedef struct Port Port;
typedef struct Thread Thread;

typedef struct {
    const PoolRow *row;
    Port *claimant;
    Int free, held_ps, changed_ps;
} Pool;

/* The buffers that a packet, or the copies of a probe, keep at one place. It lives until the last of them is given back. */
typedef struct Hold {
    Pool *command, *data;
    Int copies;
    struct Hold *next_free;
} Hold;

typedef struct {
    Thread *thread;
    Int index, due_ps; /* due: -1 while not yet asked */
    int victim_out, waits_for_victim, waits_at_barrier;
} Slot;

typedef struct Transaction {
    const TransactionRow *row;
    Slot *slot;
    const ProgramRow *line;
    Hold *home_hold;
    Int joins_left, number, issued_ps;
    struct Transaction *next_free;
} Transaction;

typedef struct Packet {
    const KindRow *kind;
    Transaction *transaction;
    Hold *hold;
    const BranchRow *branch;
    Port *came_by;
    Int tail_ps, due_ps;
    struct Packet *next; /* in the queue of a channel, in a delay, or among the free ones */
} Packet;

typedef struct Nop {
    Int arrival_ps, released[CREDIT_CLASSES];
    struct Nop *next;
} Nop;

typedef struct { Packet *first, *last; } Line;

typedef struct { Int time_ps, component; Line packets; } Delay;

struct Port {
    const PortRow *row;
    const Int *service_ps, *header_ps;
    Bits stream;
    Int index, *sent;
    Port *reverse;
    Pool *credit_pools[CREDIT_CLASSES];
    Line queues[CHANNELS];
    Int waiting, busy_until_ps, last_channel, last_wrote, arbitrated_ps;
    int busy, last_was_nop, arbitration_pending;
    Packet *serving, *tail_packet;
    Hold *leaving, *leaving_data, *header_leaving, *tail_hold;
    Int owed[CREDIT_CLASSES], owes;
    Nop *nops_flying, *last_nop;
    Int served, nops, crcs, sent_bytes, busy_ps, waiting_ps, changed_ps;
};

struct Thread {
    const ThreadRow *row;
    Bits stream;
    Slot *slots;
    Int index, next_due_ps, issued, arrivals, in_flight, lines, target, last_ps, latency_ps, barrier_passed, waiters;
    int at_barrier;
};

typedef struct { Int time_ps, key; } Event;

/* First component of each group of event sources, as in simulator/engine/order.py. */
typedef struct { Int delay, tail, nop, header, thread, port; } Components;

typedef struct {
    Tables tables;
    Sizes size;
    Components first;
    Int now_ps, events, below_target;
    Event *heap;
    Int pending;
    Port *ports;
    Pool *pools;
    Delay *delays;
    Thread *threads;
    Slot *slots;
    Int *sent, *at_barrier, *histogram;
    int recording;
    Packet *free_packets;
    Hold *free_holds;
    Transaction *free_transactions;
    Nop *free_nops;
    void **chunks; /* all memory of free lists, to be freed at the end */
    Int chunk_count;
} Kernel;

/* ---- memory ---- */

enum { CHUNK = 256 };

static void *new_chunk(Kernel *k, size_t bytes) {
    k->chunks = realloc(k->chunks, sizeof(void *) * (size_t)(k->chunk_count + 1));
    return k->chunks[k->chunk_count++] = calloc(CHUNK, bytes);
}

/* Take an object off its free list, filling the list by a chunk when it is empty. */
#define DEFINE_NEW(Type, name, list, link)                                                                                        \
    static Type *name(Kernel *k) {                                                                                                \
        if (!k->list) {                                                                                                           \
            Type *chunk = new_chunk(k, sizeof(Type));                                                                             \
            for (int i = 0; i < CHUNK; i++) chunk[i].link = i + 1 < CHUNK ? &chunk[i + 1] : NULL;                                 \
            k->list = chunk;                                                                                                      \
        }                                                                                                                         \
        Type *object = k->list;                                                                                                   \
        k->list = object->link;                                                                                                   \
        return object;                                                                                                            \
    }
#define DROP(list, link, object) ((object)->link = k->list, k->list = (object))

DEFINE_NEW(Packet, take_packet, free_packets, next)
DEFINE_NEW(Hold, take_hold, free_holds, next_free)
DEFINE_NEW(Transaction, take_transaction, free_transactions, next_free)
DEFINE_NEW(Nop, take_nop, free_nops, next)

/* ---- pending events ---- */

static Int event_key(Int phase, Int component, Int slot) { return ((phase << COMPONENT_BITS | component) << SLOT_BITS) | slot; }

static int is_before(Event one, Event other) {
    return one.time_ps < other.time_ps || (one.time_ps == other.time_ps && one.key < other.key);
}

static void schedule(Kernel *k, Int key, Int time_ps) {
    Event event = {time_ps, key}, *heap = k->heap;
    Int at = k->pending++;
    while (at) {
        Int parent = (at - 1) >> 1;
        if (!is_before(event, heap[parent])) break;
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = event;
}

static Event next_event(Kernel *k) {
    Event *heap = k->heap, first = heap[0], last = heap[--k->pending];
    Int at = 0, count = k->pending;
    for (;;) {
        Int child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && is_before(heap[child + 1], heap[child])) child++;
        if (!is_before(heap[child], last)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

/* ---- random numbers ---- */

static Int random_value(Kernel *k, Bits stream, Bits number, Int draw) {
    Bits z = stream + number * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    DrawRow row = k->tables.draws[draw];
    return k->tables.draw_values[row.first + (Int)(z & (Bits)(row.length - 1))];
}

/* ---- buffers and credits ---- */

static void ask_arbitration(Kernel *k, Port *port) {
    if (port->busy || port->arbitration_pending || !(port->waiting || port->owes)) return;
    port->arbitration_pending = 1;
    Int again = port->arbitrated_ps == k->now_ps; /* a port arbitrates at most once a tick */
    schedule(k, event_key(ARBITRATION, k->first.port + port->index, 0), k->now_ps + again);
}

static void count_waiting(Port *port, Int now_ps) {
    port->waiting_ps += port->waiting * (now_ps - port->changed_ps);
    port->changed_ps = now_ps;
}

static void count_change(Pool *pool, Int now_ps) {
    pool->held_ps += (pool->row->capacity - pool->free) * (now_ps - pool->changed_ps);
    pool->changed_ps = now_ps;
}

static void take_buffer(Kernel *k, Pool *pool) {
    count_change(pool, k->now_ps);
    pool->free--;
}

static void free_buffers(Kernel *k, Pool *pool, Int count) {
    count_change(pool, k->now_ps);
    pool->free += count;
    ask_arbitration(k, pool->claimant);
}

static void give_back(Kernel *k, Pool *pool) {
    Int credit_class = pool->row->credit_class;
    if (credit_class < 0) {
        free_buffers(k, pool, 1);
        return;
    }
    Port *sender = pool->claimant->reverse;
    sender->owed[credit_class]++;
    sender->owes++;
    ask_arbitration(k, sender);
}

/* Give back the command buffer of a packet, or of the last copy of it; return the hold if its data buffer is still in use. */
static Hold *leave_command(Kernel *k, Hold *hold) {
    if (!hold) return NULL;
    Hold *with_data = hold->data ? hold : NULL;
    if (--hold->copies == 0) {
        Pool *pool = hold->command;
        if (!with_data) DROP(free_holds, next_free, hold);
        give_back(k, pool);
    }
    return with_data;
}

static void leave_data(Kernel *k, Hold *hold) {
    if (!hold) return;
    Pool *pool = hold->data;
    DROP(free_holds, next_free, hold);
    give_back(k, pool);
}

/* ---- packets on their way ---- */

static void append(Line *line, Packet *packet) {
    packet->next = NULL;
    if (line->first) line->last->next = packet;
    else line->first = packet;
    line->last = packet;
}

static void queue(Kernel *k, Packet *packet, const BranchRow *branch) {
    packet->branch = branch;
    Port *port = &k->ports[branch->port];
    count_waiting(port, k->now_ps);
    append(&port->queues[packet->kind->channel], packet);
    port->waiting++;
    ask_arbitration(k, port);
}

static void push_delay(Kernel *k, Delay *delay, Int due_ps, Packet *packet) {
    if (!delay->packets.first) schedule(k, event_key(ARRIVAL, delay->component, 0), due_ps);
    packet->due_ps = due_ps;
    append(&delay->packets, packet);
}

static void branch_out(Kernel *k, Packet *packet, const StageRow *stage) {
    const BranchRow *branches = &k->tables.branches[stage->first];
    if (stage->count > 1) {
        if (packet->hold) packet->hold->copies = stage->count;
        for (Int i = 1; i < stage->count; i++) {
            Packet *copy = take_packet(k);
            *copy = *packet;
            queue(k, copy, &branches[i]);
        }
    }
    if (stage->count) queue(k, packet, branches);
}

static void send(Kernel *k, Transaction *transaction, Int kind, Int stage, Hold *hold) {
    Packet *packet = take_packet(k);
    *packet = (Packet){.kind = &k->tables.kinds[kind], .transaction = transaction, .hold = hold};
    branch_out(k, packet, &k->tables.stages[stage]);
}

static void complete(Kernel *k, Transaction *transaction);

static void collect(Kernel *k, Packet *packet) {
    Transaction *transaction = packet->transaction;
    leave_command(k, packet->hold);
    DROP(free_packets, next, packet);
    if (--transaction->joins_left == 0) {
        complete(k, transaction);
        send(k, transaction, transaction->row->done_kind, transaction->row->done_stage, NULL);
    }
}

static void answer(Kernel *k, Packet *packet, Int node) {
    Transaction *transaction = packet->transaction;
    const TransactionRow *row = transaction->row;
    if (node == row->requester) {
        collect(k, packet);
        return;
    }
    Hold *hold = packet->hold;
    DROP(free_packets, next, packet);
    Int stage = k->tables.answer_stages[(row - k->tables.transactions) * k->size.nodes + node];
    send(k, transaction, row->answer_kind, stage, hold);
}

/* Let a packet arrive at a stage: do the protocol's action, then queue it where it goes on. */
static void enter(Kernel *k, Packet *packet, const StageRow *stage) {
    Transaction *transaction = packet->transaction;
    const TransactionRow *row = transaction->row;
    switch (stage->action) {
    case ACCEPT:
        transaction->home_hold = packet->hold;
        packet->hold = NULL;
        if (row->probe_stage >= 0) send(k, transaction, row->probe_kind, row->probe_stage, NULL);
        break;
    case REPLY:
        DROP(free_packets, next, packet);
        send(k, transaction, row->reply_kind, row->reply_stage, NULL);
        return;
    case ANSWER: answer(k, packet, stage->node); return;
    case COLLECT: collect(k, packet); return;
    case RELEASE:
        leave_command(k, transaction->home_hold);
        DROP(free_transactions, next_free, transaction);
        DROP(free_packets, next, packet);
        return;
    }
    branch_out(k, packet, stage);
}

static void on_delay(Kernel *k, Delay *delay) {
    Packet *packet = delay->packets.first, *after = packet;
    while (after && after->due_ps == k->now_ps) after = after->next;
    delay->packets.first = after;
    if (after) schedule(k, event_key(ARRIVAL, delay->component, 0), after->due_ps);
    while (packet != after) {
        Packet *following = packet->next;
        enter(k, packet, &k->tables.stages[packet->branch->stage]);
        packet = following;
    }
}

static void go_on(Kernel *k, Packet *packet, Hold *held) {
    leave_data(k, held);
    packet->tail_ps = 0;
    Delay *delay = &k->delays[packet->branch->delay];
    push_delay(k, delay, k->now_ps + delay->time_ps, packet);
}

static void on_tail_arrival(Kernel *k, Port *source) {
    Packet *packet = source->tail_packet;
    Hold *held = source->tail_hold;
    source->tail_packet = NULL;
    source->tail_hold = NULL;
    go_on(k, packet, held);
}

/* ---- ports ---- */

static Int crc_ps(Port *port, Int bytes) {
    Int before = port->sent_bytes / port->row->crc_every_bytes;
    port->sent_bytes += bytes;
    Int crcs = port->sent_bytes / port->row->crc_every_bytes - before;
    port->crcs += crcs;
    return crcs * port->row->crc_ps;
}

static Int service_ps(Kernel *k, Port *port, const KindRow *kind) {
    Int draw = port->row->draw;
    Int time_ps = draw < 0 ? port->service_ps[kind - k->tables.kinds] : random_value(k, port->stream, (Bits)port->served, draw);
    port->served++;
    if (port->row->kind == LINK) return time_ps + crc_ps(port, kind->bytes);
    if (port->row->kind == DRAM) {
        if (port->last_wrote >= 0 && port->last_wrote != kind->writes) time_ps += port->row->turnaround_ps;
        port->last_wrote = kind->writes;
    }
    return time_ps;
}

static void occupy(Kernel *k, Port *port, Int end_ps) {
    port->busy = 1;
    port->busy_until_ps = end_ps;
    port->busy_ps += end_ps - k->now_ps;
    schedule(k, event_key(SERVICE_END, k->first.port + port->index, 0), end_ps);
}

/* Occupy the server until the tail has left, and on a way through a crossbar send the header ahead. */
static void serve(Kernel *k, Port *port, Packet *packet, Hold *held, Int time_ps) {
    Int end_ps = k->now_ps + time_ps;
    if (packet->tail_ps > end_ps) end_ps = packet->tail_ps;
    occupy(k, port, end_ps);
    const BranchRow *branch = packet->branch;
    if (port->row->kind == DRAM || k->tables.stages[branch->stage].action != PASS) {
        port->leaving = held;
        port->serving = packet;
        return;
    }
    Delay *delay = &k->delays[branch->delay];
    packet->tail_ps = end_ps + delay->time_ps;
    packet->came_by = port;
    if (packet->kind->data_bytes) {
        Int header_ps = k->now_ps + port->header_ps[packet->kind - k->tables.kinds];
        port->header_leaving = held;
        port->leaving_data = held && held->data ? held : NULL;
        schedule(k, event_key(ARRIVAL, k->first.header + port->index, 0), header_ps);
        push_delay(k, delay, header_ps + delay->time_ps, packet);
    } else {
        port->leaving = held;
        push_delay(k, delay, end_ps + delay->time_ps, packet);
    }
}

/* Go through an output without a server; a packet whose tail is still arriving waits for it behind the output. */
static void pass_at_once(Kernel *k, Packet *packet, Hold *held) {
    held = leave_command(k, held);
    if (packet->tail_ps > k->now_ps) {
        Port *source = packet->came_by;
        source->tail_packet = packet;
        source->tail_hold = held;
        schedule(k, event_key(ARRIVAL, k->first.tail + source->index, 0), packet->tail_ps);
    } else {
        go_on(k, packet, held);
    }
}

static void on_header_end(Kernel *k, Port *port) {
    Hold *held = port->header_leaving;
    port->header_leaving = NULL;
    leave_command(k, held);
}

static void on_service_end(Kernel *k, Port *port) {
    Hold *held = port->leaving, *data = port->leaving_data;
    Packet *packet = port->serving;
    port->leaving = port->leaving_data = NULL;
    port->serving = NULL;
    port->busy = 0;
    held = leave_command(k, held);
    if (packet) go_on(k, packet, held);
    else leave_data(k, data);
    ask_arbitration(k, port);
}

static int can_go(Kernel *k, const Packet *packet) {
    const BranchRow *branch = packet->branch;
    return (branch->command_pool < 0 || k->pools[branch->command_pool].free > 0) &&
           (branch->data_pool < 0 || k->pools[branch->data_pool].free > 0);
}

/* First virtual channel whose head can go on, or -1. */
static Int next_channel(Kernel *k, const Port *port) {
    static const Int strict_order[CHANNELS] = {2, 3, 0, 1}; /* responses, probes, requests, posted requests */
    for (Int step = 0; step < CHANNELS; step++) {
        Int channel = port->row->strict ? strict_order[step] : (port->last_channel + 1 + step) & (CHANNELS - 1);
        if (port->queues[channel].first && can_go(k, port->queues[channel].first)) return channel;
    }
    return -1;
}

static void grant(Kernel *k, Port *port, Int channel) {
    count_waiting(port, k->now_ps);
    Packet *packet = port->queues[channel].first;
    port->queues[channel].first = packet->next;
    port->waiting--;
    port->last_channel = channel;
    port->last_was_nop = 0;
    port->sent[packet->kind - k->tables.kinds]++;
    const BranchRow *branch = packet->branch;
    Hold *held = packet->hold;
    packet->hold = NULL;
    if (branch->command_pool >= 0) {
        Hold *hold = packet->hold = take_hold(k);
        hold->command = &k->pools[branch->command_pool];
        hold->data = branch->data_pool < 0 ? NULL : &k->pools[branch->data_pool];
        hold->copies = 1;
        take_buffer(k, hold->command);
        if (hold->data) take_buffer(k, hold->data);
    }
    Int time_ps = service_ps(k, port, packet->kind);
    if (time_ps) serve(k, port, packet, held, time_ps);
    else pass_at_once(k, packet, held);
}

/* Give buffers back to the other side: up to `nop_releases` of each class in one packet. */
static void send_nop(Kernel *k, Port *port) {
    Nop *nop = take_nop(k);
    for (int class = 0; class < CREDIT_CLASSES; class++) {
        Int count = port->owed[class] < port->row->nop_releases ? port->owed[class] : port->row->nop_releases;
        nop->released[class] = count;
        port->owed[class] -= count;
        port->owes -= count;
    }
    port->nops++;
    port->last_was_nop = 1;
    Int time_ps = port->row->nop_ps + crc_ps(port, port->row->nop_bytes);
    nop->arrival_ps = k->now_ps + time_ps + port->row->nop_latency_ps;
    nop->next = NULL;
    if (port->nops_flying) {
        port->last_nop->next = nop;
    } else {
        schedule(k, event_key(ARRIVAL, k->first.nop + port->index, 0), nop->arrival_ps);
        port->nops_flying = nop;
    }
    port->last_nop = nop;
    if (time_ps) occupy(k, port, k->now_ps + time_ps);
}

static void on_nop_arrival(Kernel *k, Port *port) {
    Port *sender = port->reverse;
    while (port->nops_flying && port->nops_flying->arrival_ps == k->now_ps) {
        Nop *nop = port->nops_flying;
        port->nops_flying = nop->next;
        for (int class = 0; class < CREDIT_CLASSES; class++) {
            if (nop->released[class] && sender->credit_pools[class]) free_buffers(k, sender->credit_pools[class], nop->released[class]);
        }
        DROP(free_nops, next, nop);
    }
    if (port->nops_flying) schedule(k, event_key(ARRIVAL, k->first.nop + port->index, 0), port->nops_flying->arrival_ps);
}

static void on_arbitration(Kernel *k, Port *port) {
    port->arbitration_pending = 0;
    port->arbitrated_ps = k->now_ps;
    while (!port->busy) {
        Int channel = port->waiting ? next_channel(k, port) : -1;
        if (port->owes && (channel < 0 || !port->last_was_nop)) send_nop(k, port);
        else if (channel >= 0) grant(k, port, channel);
        else return;
    }
}

/* ---- threads ---- */

static void wake(Kernel *k, const Slot *slot, Int time_ps) {
    schedule(k, event_key(ARRIVAL, k->first.thread + slot->thread->index, slot->index), time_ps);
}

static Int last_wanted(const Thread *thread) {
    return thread->row->repeat || thread->target < thread->row->count ? thread->target : thread->row->count;
}

static const ProgramRow *next_line(Kernel *k, const Thread *thread) {
    return &k->tables.program[thread->row->first + thread->issued % thread->row->count];
}

static int is_held_by_barrier(Kernel *k, const Thread *thread) {
    return next_line(k, thread)->barrier >= 0 && thread->barrier_passed != thread->issued;
}

static void let_pass(Kernel *k, Thread *thread) {
    thread->at_barrier = 0;
    thread->barrier_passed = thread->issued;
    thread->waiters = 0;
    for (Int i = 0; i < thread->row->window; i++) {
        if (!thread->slots[i].waits_at_barrier) continue;
        thread->slots[i].waits_at_barrier = 0;
        wake(k, &thread->slots[i], k->now_ps);
    }
}

/* Count a thread in once all its lines are complete; the last thread to come lets all go. */
static void arrive_at_barrier(Kernel *k, Thread *thread) {
    if (thread->in_flight || thread->at_barrier || !is_held_by_barrier(k, thread)) return;
    Int barrier = next_line(k, thread)->barrier;
    thread->at_barrier = 1;
    if (++k->at_barrier[barrier] < k->tables.barrier_parties[barrier]) return;
    k->at_barrier[barrier] = 0;
    for (Int i = 0; i < k->size.threads; i++) {
        Thread *other = &k->threads[i];
        if (other->at_barrier && next_line(k, other)->barrier == barrier) let_pass(k, other);
    }
}

static void count_line(Kernel *k, Thread *thread, const Transaction *transaction) {
    Int latency_ps = k->now_ps - transaction->issued_ps;
    thread->lines++;
    thread->in_flight--;
    thread->last_ps = k->now_ps;
    thread->latency_ps += latency_ps;
    if (k->recording && !thread->row->background) {
        Int bin = latency_ps / LATENCY_BIN_PS;
        k->histogram[bin < LATENCY_BINS ? bin : LATENCY_BINS - 1]++;
    }
    if (thread->lines == last_wanted(thread)) k->below_target--;
    if (thread->waiters) arrive_at_barrier(k, thread);
}

static void complete(Kernel *k, Transaction *transaction) {
    Slot *slot = transaction->slot;
    if (transaction->row->victim) {
        slot->victim_out = 0;
        if (slot->waits_for_victim) {
            slot->waits_for_victim = 0;
            wake(k, slot, k->now_ps);
        }
        return;
    }
    count_line(k, slot->thread, transaction);
    wake(k, slot, k->now_ps + random_value(k, slot->thread->stream, (Bits)transaction->number, transaction->line->core_draw));
}

/* Keep the thread's rate: a token bucket as deep as its window, or arrivals that wait for nobody. */
static int is_due(Kernel *k, Slot *slot) {
    static const Bits arrival_numbers = (Bits)1 << 48;
    Thread *thread = slot->thread;
    const ThreadRow *row = thread->row;
    if (row->interval_draw < 0) return 1;
    if (slot->due_ps < 0) {
        Int interval_ps = random_value(k, thread->stream, arrival_numbers + (Bits)thread->arrivals, row->interval_draw);
        Int earliest_ps = k->now_ps - (row->window - 1) * interval_ps;
        thread->arrivals++;
        if (!row->open && thread->next_due_ps < earliest_ps) thread->next_due_ps = earliest_ps;
        if (row->open && thread->arrivals == 1) thread->next_due_ps += interval_ps;
        slot->due_ps = thread->next_due_ps;
        thread->next_due_ps += interval_ps;
    }
    if (slot->due_ps <= k->now_ps) return 1;
    wake(k, slot, slot->due_ps);
    return 0;
}

/* Issue only within the thread's time slices. */
static int is_its_turn(Kernel *k, Slot *slot) {
    Thread *thread = slot->thread;
    const ThreadRow *row = thread->row;
    if (!row->slice_period_ps) return 1;
    Int into = (k->now_ps - row->slice_start_ps) % row->slice_period_ps;
    if (into < 0) into += row->slice_period_ps;
    if (into < row->slice_length_ps) return 1;
    if (slot->due_ps >= 0 && !row->open && row->interval_draw >= 0) { /* asks for its place in the rate again in the slice */
        slot->due_ps = -1;
        thread->next_due_ps -= k->tables.draw_values[k->tables.draws[row->interval_draw].first];
    }
    wake(k, slot, k->now_ps + row->slice_period_ps - into);
    return 0;
}

static int may_issue(Kernel *k, Slot *slot) {
    Thread *thread = slot->thread;
    if (slot->victim_out) {
        slot->waits_for_victim = 1;
        return 0;
    }
    if (!thread->row->repeat && thread->issued >= thread->row->count) return 0;
    if (is_held_by_barrier(k, thread)) arrive_at_barrier(k, thread);
    if (is_held_by_barrier(k, thread)) {
        slot->waits_at_barrier = 1;
        thread->waiters++;
        return 0;
    }
    return is_due(k, slot) && is_its_turn(k, slot);
}

static void begin(Kernel *k, Int row, Slot *slot, const ProgramRow *line, Int number, Int issued_ps) {
    Transaction *transaction = take_transaction(k);
    const TransactionRow *rows = &k->tables.transactions[row];
    *transaction = (Transaction){rows, slot, line, NULL, rows->joins, number, issued_ps, NULL};
    send(k, transaction, rows->request_kind, rows->request_stage, NULL);
}

static void on_slot(Kernel *k, Slot *slot) {
    if (!may_issue(k, slot)) return;
    Thread *thread = slot->thread;
    const ProgramRow *line = next_line(k, thread);
    Int number = thread->issued++;
    thread->in_flight++;
    Int issued_ps = thread->row->open && slot->due_ps >= 0 ? slot->due_ps : k->now_ps;
    slot->due_ps = -1;
    begin(k, line->transaction, slot, line, number, issued_ps);
    if (line->victim >= 0) {
        slot->victim_out = 1;
        begin(k, line->victim, slot, line, number, k->now_ps);
    }
}

/* ---- what engine.py calls ---- */

static void build_ports(Kernel *k) {
    const Tables *tables = &k->tables;
    for (Int i = 0; i < k->size.ports; i++) {
        Port *port = &k->ports[i];
        port->row = &tables->ports[i];
        port->index = i;
        port->service_ps = &tables->service_ps[i * k->size.kinds];
        port->header_ps = &tables->header_ps[i * k->size.kinds];
        port->sent = &k->sent[i * k->size.kinds];
        port->stream = tables->port_streams[i];
        port->reverse = port->row->reverse < 0 ? NULL : &k->ports[port->row->reverse];
        port->last_channel = CHANNELS - 1;
        port->last_wrote = port->arbitrated_ps = -1;
    }
    for (Int i = 0; i < k->size.pools; i++) {
        Pool *pool = &k->pools[i];
        pool->row = &tables->pools[i];
        pool->free = pool->row->capacity;
        pool->claimant = &k->ports[pool->row->claimant];
        if (pool->row->credit_class >= 0) pool->claimant->credit_pools[pool->row->credit_class] = pool;
    }
    for (Int i = 0; i < k->size.delays; i++) k->delays[i] = (Delay){tables->delays_ps[i], k->first.delay + i, {NULL, NULL}};
}

static void build_threads(Kernel *k) {
    Slot *slot = k->slots;
    for (Int i = 0; i < k->size.threads; i++) {
        Thread *thread = &k->threads[i];
        thread->row = &k->tables.threads[i];
        thread->index = i;
        thread->stream = k->tables.thread_streams[i];
        thread->next_due_ps = thread->row->start_ps;
        thread->barrier_passed = -1;
        thread->slots = slot;
        for (Int window = 0; window < thread->row->window; window++, slot++) {
            slot->thread = thread;
            slot->index = window;
            slot->due_ps = -1;
            wake(k, slot, thread->row->start_ps);
        }
    }
}

static void *zeros(Int count, size_t bytes) { return calloc((size_t)count + 1, bytes); }

Kernel *kernel_new(const Tables *tables) {
    Kernel *k = calloc(1, sizeof *k);
    k->tables = *tables;
    Sizes size = k->size = *tables->sizes;
    Int slots = 0;
    for (Int i = 0; i < size.threads; i++) slots += tables->threads[i].window;
    Components *first = &k->first;
    first->delay = 1;
    first->tail = first->delay + size.delays;
    first->nop = first->tail + size.ports;
    first->header = first->nop + size.ports;
    first->thread = first->header + size.ports;
    first->port = first->thread + size.threads;
    k->heap = zeros(size.delays + 5 * size.ports + slots, sizeof(Event)); /* each source is pending at most once */
    k->ports = zeros(size.ports, sizeof(Port));
    k->pools = zeros(size.pools, sizeof(Pool));
    k->delays = zeros(size.delays, sizeof(Delay));
    k->threads = zeros(size.threads, sizeof(Thread));
    k->slots = zeros(slots, sizeof(Slot));
    k->sent = zeros(size.ports * size.kinds, sizeof(Int));
    k->at_barrier = zeros(size.barriers, sizeof(Int));
    k->histogram = zeros(LATENCY_BINS, sizeof(Int));
    build_ports(k);
    build_threads(k);
    return k;
}

void kernel_free(Kernel *k) {
    for (Int i = 0; i < k->chunk_count; i++) free(k->chunks[i]);
    void *tables[] = {k->chunks, k->heap, k->ports, k->pools, k->delays, k->threads, k->slots, k->sent, k->at_barrier, k->histogram, k};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) free(tables[i]);
}

static void set_targets(Kernel *k, const Int *lines) {
    k->below_target = 0;
    for (Int i = 0; i < k->size.threads; i++) {
        k->threads[i].target = lines[i];
        k->below_target += k->threads[i].lines < last_wanted(&k->threads[i]);
    }
}

static void dispatch(Kernel *k, Int key) {
    const Components *first = &k->first;
    Int phase = key >> (COMPONENT_BITS + SLOT_BITS), component = (key >> SLOT_BITS) & (((Int)1 << COMPONENT_BITS) - 1);
    if (phase == ARBITRATION) on_arbitration(k, &k->ports[component - first->port]);
    else if (phase == SERVICE_END) on_service_end(k, &k->ports[component - first->port]);
    else if (component < first->tail) on_delay(k, &k->delays[component - first->delay]);
    else if (component < first->nop) on_tail_arrival(k, &k->ports[component - first->tail]);
    else if (component < first->header) on_nop_arrival(k, &k->ports[component - first->nop]);
    else if (component < first->thread) on_header_end(k, &k->ports[component - first->header]);
    else on_slot(k, &k->threads[component - first->thread].slots[key & ((1 << SLOT_BITS) - 1)]);
}

/* Process events until every thread has its target of lines, none is left, or the budget is used up. */
Int kernel_advance(Kernel *k, const Int *lines, Int event_budget) {
    set_targets(k, lines);
    for (; k->below_target && event_budget; event_budget--) {
        if (!k->pending) return EXHAUSTED;
        Event event = next_event(k);
        k->now_ps = event.time_ps;
        k->events++;
        dispatch(k, event.key);
    }
    return k->below_target ? BUDGET : REACHED;
}

const Int *kernel_record_latencies(Kernel *k) {
    k->recording = 1;
    memset(k->histogram, 0, LATENCY_BINS * sizeof(Int));
    return k->histogram;
}

/* Write the counters one after the other, in the order of engine.py's `snapshot`. */
void kernel_snapshot(Kernel *k, Int *out) {
    *out++ = k->now_ps;
    *out++ = k->events;
    for (Int i = 0; i < k->size.threads; i++) *out++ = k->threads[i].lines;
    for (Int i = 0; i < k->size.threads; i++) *out++ = k->threads[i].last_ps;
    for (Int i = 0; i < k->size.threads; i++) *out++ = k->threads[i].latency_ps;
    for (Int i = 0; i < k->size.ports; i++) {
        Int rest_ps = k->ports[i].busy_until_ps - k->now_ps;
        *out++ = k->ports[i].busy_ps - (rest_ps > 0 ? rest_ps : 0);
    }
    for (Int i = 0; i < k->size.ports; i++) {
        count_waiting(&k->ports[i], k->now_ps);
        *out++ = k->ports[i].waiting_ps;
    }
    for (Int i = 0; i < k->size.ports; i++) *out++ = k->ports[i].nops;
    for (Int i = 0; i < k->size.ports; i++) *out++ = k->ports[i].crcs;
    for (Int i = 0; i < k->size.ports * k->size.kinds; i++) *out++ = k->sent[i];
    for (Int i = 0; i < k->size.pools; i++) {
        count_change(&k->pools[i], k->now_ps);
        *out++ = k->pools[i].held_ps;
    }
}
