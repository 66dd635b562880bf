"""Live objects of the simpy engine: what the rows of a Plan become while it runs."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from simulator.engine.simpy_engine.clock import StationEvent, WakeEvent

CHANNELS = 4
CREDIT_CLASSES = 7


@dataclass(slots=True, eq=False)
class Pool:
    """Free buffers of one kind, taken by one port."""

    name: str
    free: int
    capacity: int
    credit_class: int
    claimant: Port = field(init=False)
    held_ps: int = 0  # time integral of the buffers in use, up to changed_ps
    changed_ps: int = 0

    def count_change(self, now_ps: int) -> None:
        """Bring the time integral up to now, before `free` changes."""
        self.held_ps += (self.capacity - self.free) * (now_ps - self.changed_ps)
        self.changed_ps = now_ps


@dataclass(slots=True, eq=False)
class Hold:
    """The buffers that a packet, or the copies of a probe, keep at one place."""

    command: Pool | None
    data: Pool | None
    copies: int = 1


@dataclass(slots=True, eq=False)
class SharedLine:
    """A line that several threads use. Its home takes one transaction of it at a time; the others wait there."""

    busy: bool = False
    owner: int = -1  # node whose cache holds it modified; -1: memory is up to date
    copies: int = 0  # a bit for each thread whose cache holds it; one bit and an owner: that thread may write it
    waiting: deque[Packet] = field(default_factory=deque)


@dataclass(slots=True, eq=False)
class TransactionState:
    """A transaction under way."""

    row: int
    slot: Slot
    joins_left: int
    program_row: int
    number: int
    issued_ps: int
    parts_ps: list[int]  # where its time went so far, up to counted_ps
    counted_ps: int
    busy_before_ps: int = 0  # busy time of the port it waits for, when it came there
    home_hold: Hold | None = None
    shared: SharedLine | None = None
    owner: int = -1  # of the shared line, when its turn came

    def count(self, part: int, now_ps: int) -> None:
        """Count the time since it was counted last as spent on a part."""
        self.parts_ps[part] += now_ps - self.counted_ps
        self.counted_ps = now_ps


@dataclass(slots=True, eq=False)
class Packet:
    """A packet at one place. `tail_ps` is when its last byte can leave that place; `came_by` is the port it came through."""

    kind: int
    transaction: TransactionState
    hold: Hold | None = None
    branch: Branch | None = None
    tail_ps: int = 0
    came_by: Port | None = None


@dataclass(slots=True, eq=False)
class Delay:
    """A fixed time, first in first out; only the head is among the pending events."""

    time_ps: int
    part: int
    part_ps: int
    rest_part: int
    event: StationEvent = field(init=False)
    packets: deque[tuple[int, Packet]] = field(default_factory=deque)


@dataclass(slots=True, eq=False)
class Port:
    """An output: a queue for each virtual channel, one server, and on a link the credits owed to the other side."""

    name: str
    is_link: bool
    is_dram: bool
    strict: bool
    service_ps: tuple[int, ...]
    header_ps: tuple[int, ...]
    service_draw: tuple[int, ...] | None
    stream: int
    turnaround_ps: int
    nop_ps: int
    nop_latency_ps: int
    nop_bytes: int
    nop_releases: int
    crc_every_bytes: int
    crc_bytes: int
    crc_ps: int
    service_part: int
    queue_part: int
    buffer_part: int
    sent: list[int]
    reverse: Port | None = None
    credit_pools: list[Pool | None] = field(default_factory=lambda: [None] * CREDIT_CLASSES)
    queues: tuple[deque[Packet], ...] = field(default_factory=lambda: tuple(deque() for _ in range(CHANNELS)))
    waiting: int = 0
    busy: bool = False
    busy_until_ps: int = 0
    last_channel: int = CHANNELS - 1
    last_was_nop: bool = False
    last_wrote: int = -1
    serving: Packet | None = None
    leaving: Hold | None = None  # what the packet in service held before
    header_leaving: Hold | None = None  # its command buffer, until its header has left
    tail_packet: Packet | None = None  # sent on by this port, granted at the next, and still arriving there
    tail_hold: Hold | None = None
    owed: list[int] = field(default_factory=lambda: [0] * CREDIT_CLASSES)
    owes: int = 0
    nops_flying: deque[tuple[int, tuple[int, ...]]] = field(default_factory=deque)
    arbitration_pending: bool = False
    arbitrated_ps: int = -1
    served: int = 0
    nops: int = 0
    crcs: int = 0
    sent_bytes: int = 0
    busy_ps: int = 0
    waiting_ps: int = 0  # time integral of `waiting`, up to changed_ps
    changed_ps: int = 0
    arbitration: StationEvent = field(init=False)
    service_end: StationEvent = field(init=False)
    header_end: StationEvent = field(init=False)
    tail_arrival: StationEvent = field(init=False)
    nop_arrival: StationEvent = field(init=False)

    def count_waiting(self, now_ps: int) -> None:
        """Bring the time integral up to now, before `waiting` changes."""
        self.waiting_ps += self.waiting * (now_ps - self.changed_ps)
        self.changed_ps = now_ps


@dataclass(slots=True, eq=False)
class Stage:
    """A place of arrival."""

    action: int
    node: int
    branches: tuple[Branch, ...] = ()


@dataclass(slots=True, eq=False)
class Branch:
    """A way on: through a port and a delay to the next stage."""

    port: Port
    command_pool: Pool | None
    data_pool: Pool | None
    delay: Delay
    stage: Stage


@dataclass(slots=True, eq=False)
class Slot:
    """One line at a time of a thread."""

    thread: ThreadState
    wake: WakeEvent
    due_ps: int | None = None  # when the line it is about to issue may go; None: not yet asked
    victim_out: bool = False
    waits_for_victim: bool = False


@dataclass(slots=True, eq=False)
class ThreadState:
    """A thread under way."""

    index: int
    stream: int
    background: bool
    window: int
    first: int
    count: int
    limit: int | None  # lines it can issue; None: its program repeats for ever
    more_to_come: bool  # lines are handed in, and more will be
    interval_draw: tuple[int, ...] | None
    open: bool
    slice_period_ps: int
    slice_start_ps: int
    slice_length_ps: int
    next_due_ps: int
    slots: list[Slot] = field(default_factory=list)
    issued: int = 0
    arrivals: int = 0
    in_flight: int = 0
    lines: int = 0
    target: int = 0
    last_ps: int = 0
    latency_ps: int = 0
    barrier_passed: int = -1  # number of the line whose barrier was passed last
    barrier_waiters: list[Slot] = field(default_factory=list)
    at_barrier: bool = False
    computing_until_ps: int = 0
