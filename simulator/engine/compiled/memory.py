"""From a Plan to the kernel's memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simulator.engine.compiled import layout
from simulator.engine.interface import LATENCY_BINS, Rows
from simulator.engine.order import Components, Phase, components, event_key
from simulator.engine.plan import CACHED, NONE, Plan
from simulator.engine.random_numbers import stream_start

Vector = npt.NDArray[np.int64]

WHEEL_REACH_BITS = 19  # 524 ns: nearly every delay, service and core time is shorter
BUCKET_BITS = 9  # 512 ps with few sources of events; finer with more, so that about one event is in a bucket
SOURCES_A_BUCKET_WIDTH = 256
COMPLETED_A_SLOT = 64  # transactions of one window slot that may wait for their SrcDone to arrive
_WORDS = {name: int(value) for name, value in vars(layout).items() if isinstance(value, np.uint64)}


def word(name: str) -> int:
    """Return a constant of the layout as a plain integer."""
    return _WORDS[name]


@dataclass(frozen=True)
class Sizes:
    """Numbers of records, and the lengths of the two kinds of record that depend on the plan."""

    kinds: int
    nodes: int
    ports: int
    pools: int
    delays: int
    threads: int
    slots: int
    states: int
    port_words: int
    transaction_words: int

    @property
    def sources(self) -> int:
        """Sources of events."""
        return self.delays + 5 * self.ports + self.slots

    @property
    def packets(self) -> int:
        """Most packets at a time: request or reply, and on each edge and at each node a probe or an answer, a transaction."""
        return self.states * (2 * self.nodes + 3)


def sizes(plan: Plan) -> Sizes:
    """Count the records of a plan."""
    slots = sum(plan.threads.window)
    queue = sum(plan.pools.capacity[pool] for pool in plan.controller_pool if pool != NONE)
    kinds = len(plan.kind_name)
    return Sizes(
        kinds=kinds,
        nodes=len(plan.node_ids),
        ports=len(plan.ports.name),
        pools=len(plan.pools.name),
        delays=len(plan.delays.name),
        threads=len(plan.threads.label),
        slots=slots,
        states=2 * slots + min(queue, COMPLETED_A_SLOT * slots),
        port_words=word("P_BY_KIND") + 3 * kinds,
        transaction_words=word("R_ANSWER_STAGE") + 3 * len(plan.node_ids),
    )


class Memory:
    """The kernel's memory of a plan at its start.

    Attributes
    ----------
    words : ndarray of int64
        See layout.py; the kernel sees the same words as unsigned.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.sizes = sizes(plan)
        self._first = components(plan)
        self._at: dict[str, int] = {}
        self.words = self._allocate()
        self._fill()

    def at(self, table: str, row: int) -> int:
        """Return the place of a record, such as ``at("PORT", 3)``; NONE of NONE."""
        return NONE if row == NONE else self._at[table] + row * self.length(table)

    def length(self, table: str) -> int:
        """Return the number of words of a kind of record."""
        if table == "PORT":
            return self.sizes.port_words
        return self.sizes.transaction_words if table == "TRANSACTION" else word(f"{table}_WORDS")

    def records(self, table: str, count: int) -> Vector:
        """Return all records of a kind, shape (count, words)."""
        words = self.length(table)
        start = self._at[table]
        return self.words[start : start + count * words].reshape(count, words)

    def header(self, name: str) -> int:
        """Return a header word."""
        return int(self.words[word(name)])

    def _allocate(self) -> Vector:
        plan, size = self._plan, self.sizes
        buckets = 1 << (WHEEL_REACH_BITS - self._wheel_shift())
        draw_words = len(plan.draws.values) * word("DRAW_WORDS") + sum(map(len, plan.draws.values))
        room = {
            "KIND": size.kinds * word("KIND_WORDS"),
            "PORT": size.ports * size.port_words,
            "POOL": size.pools * word("POOL_WORDS"),
            "DELAY": size.delays * word("DELAY_WORDS"),
            "STAGE": len(plan.stages.action) * word("STAGE_WORDS"),
            "BRANCH": len(plan.branches.port) * word("BRANCH_WORDS"),
            "TRANSACTION": len(plan.transactions.name) * size.transaction_words,
            "PROGRAM": len(plan.program.transaction) * word("PROGRAM_WORDS"),
            "THREAD": size.threads * word("THREAD_WORDS"),
            "SLOT": size.slots * word("SLOT_WORDS"),
            "DRAW": draw_words,
            "BARRIER": len(plan.barrier_parties) * word("BARRIER_WORDS"),
            "SHARED": plan.shared_lines * word("SHARED_WORDS"),
            "HEAP": size.sources,
            "WHEEL": buckets,
            "BITMAP": max(1, buckets // 64),
            "ARBITRATION": size.ports,
            "HISTOGRAM": LATENCY_BINS,
            "PATH": len(plan.paths.thread) * word("PATH_WORDS"),
            "PACKET": (size.packets + 1) * word("PACKET_WORDS"),
            "HOLD": (size.packets + size.states + 1) * word("HOLD_WORDS"),
            "STATE": (size.states + 1) * word("STATE_WORDS"),
            "NOP": (size.packets + 1) * word("NOP_WORDS"),
        }
        place = word("HEADER_WORDS")
        for table, words in room.items():
            self._at[table] = place
            place += words
        memory = np.zeros(place, np.int64)  # pages that no record ever reaches stay untouched, whatever the room
        for table, start in self._at.items():
            memory[word(f"{table}_AT")] = start
        for table in ("PACKET", "HOLD", "STATE", "NOP"):
            memory[word(f"{table}_FREE")] = NONE
            memory[word(f"{table}_FRESH")] = self._at[table]
            memory[word(f"{table}_END")] = self._at[table] + room[table] - word(f"{table}_WORDS")  # where the spare record is
        memory[self._at["WHEEL"] : self._at["WHEEL"] + buckets] = NONE
        memory[word("WHEEL_SHIFT")], memory[word("WHEEL_MASK")] = self._wheel_shift(), buckets - 1
        return memory

    def _wheel_shift(self) -> int:
        finer = max(0, (self.sizes.sources // SOURCES_A_BUCKET_WIDTH).bit_length() - 1)
        return max(0, BUCKET_BITS - finer)

    def _fill(self) -> None:
        size, first = self.sizes, self._first
        for name, value in {
            "PORTS": size.ports,
            "KINDS": size.kinds,
            "NODES": size.nodes,
            "THREADS": size.threads,
            "DELAYS": size.delays,
            "POOLS": size.pools,
            "PORT_WORDS": size.port_words,
            "TRANSACTION_WORDS": size.transaction_words,
            "FIRST_TAIL": first.tail,
            "FIRST_NOP": first.nop,
            "FIRST_HEADER": first.header,
            "FIRST_THREAD": first.thread,
            "FIRST_PORT": first.port,
            "HUNGRY": NONE,
            "LOCKED_BY": NONE,
        }.items():
            self.words[word(name)] = value
        plan = self._plan
        self._columns(
            "KIND",
            "K",
            channel=plan.kind_channel,
            bytes=plan.kind_bytes,
            data=plan.kind_data_bytes,
            writes=plan.kind_writes,
            carries_line=plan.kind_carries_line,
            modifies=plan.kind_modifies,
        )
        self._fill_ports()
        self._fill_pools()
        self._fill_delays()
        self._fill_ways()
        self._fill_transactions()
        self._fill_threads()
        self._fill_draws()
        self._columns("BARRIER", "V", parties=plan.barrier_parties)
        none = [NONE] * plan.shared_lines
        self._columns("SHARED", "Z", owner=none, head=none, tail=none)

    def _columns(self, table: str, prefix: str, **columns: Sequence[int]) -> None:
        """Write columns of equal length into the records of a table, by the layout's names."""
        for name, values in columns.items():
            if values:
                self.records(table, len(values))[:, word(f"{prefix}_{name.upper()}")] = values

    def _fill_ports(self) -> None:
        ports, plan = self._plan.ports, self._plan
        none = [NONE] * len(ports.name)
        self._columns(
            "PORT",
            "P",
            kind=ports.kind,
            strict=ports.strict,
            turnaround=ports.turnaround_ps,
            reverse=self._places("PORT", ports.reverse),
            nop_ps=ports.nop_ps,
            nop_latency=ports.nop_latency_ps,
            nop_bytes=ports.nop_bytes,
            nop_releases=ports.nop_releases,
            crc_every=ports.crc_every_bytes,
            crc_left=ports.crc_every_bytes,
            crc_ps=ports.crc_ps,
            service_part=ports.service_part,
            queue_part=ports.queue_part,
            buffer_part=ports.buffer_part,
            draw=ports.service_draw,
            stream=[_signed(stream_start(plan.seed, f"port {name}")) for name in ports.name],
            last_channel=[3] * len(ports.name),
            **dict.fromkeys(
                (
                    "last_wrote",
                    "serving",
                    "leaving",
                    "header_leaving",
                    "tail_packet",
                    "tail_hold",
                    "arbitrated",
                    "nop_head",
                    "nop_tail",
                ),
                none,
            ),
        )
        records, kinds = self.records("PORT", len(ports.name)), self.sizes.kinds
        records[:, word("P_HEAD") : word("P_OWED")] = NONE
        records[:, word("P_CREDIT_POOL") : word("P_TAIL_EVENT")] = NONE
        by_kind = word("P_BY_KIND")
        records[:, by_kind : by_kind + kinds] = ports.service_ps
        records[:, by_kind + kinds : by_kind + 2 * kinds] = ports.header_ps
        first = self._first
        self._events("PORT", "P_TAIL_EVENT", (event_key(Phase.ARRIVAL, first.tail + port) for port in range(len(records))))
        self._events("PORT", "P_NOP_EVENT", (event_key(Phase.ARRIVAL, first.nop + port) for port in range(len(records))))
        self._events("PORT", "P_HEADER_EVENT", (event_key(Phase.ARRIVAL, first.header + port) for port in range(len(records))))
        self._events("PORT", "P_END_EVENT", (event_key(Phase.SERVICE_END, first.port + port) for port in range(len(records))))
        self._events(
            "PORT", "P_ARBITRATION_EVENT", (event_key(Phase.ARBITRATION, first.port + port) for port in range(len(records)))
        )

    def _fill_pools(self) -> None:
        pools = self._plan.pools
        claimants = self._places("PORT", pools.claimant)
        self._columns(
            "POOL", "Q", free=pools.capacity, capacity=pools.capacity, claimant=claimants, **{"class": pools.credit_class}
        )
        for pool, (claimant, credit_class) in enumerate(zip(claimants, pools.credit_class, strict=True)):
            if credit_class != NONE:
                self.words[claimant + word("P_CREDIT_POOL") + credit_class] = self.at("POOL", pool)

    def _fill_delays(self) -> None:
        delays = self._plan.delays
        none = [NONE] * len(delays.name)
        parts = {"part": delays.part, "part_ps": delays.part_ps, "rest_part": delays.rest_part}
        self._columns("DELAY", "D", time=delays.time_ps, head=none, tail=none, **parts)
        self._events("DELAY", "D_EVENT", (event_key(Phase.ARRIVAL, self._first.delay + row) for row in range(len(none))))

    def _fill_ways(self) -> None:
        stages, branches = self._plan.stages, self._plan.branches
        self._columns(
            "STAGE", "S", action=stages.action, node=stages.node, first=self._places("BRANCH", stages.first), count=stages.count
        )
        self._columns(
            "BRANCH",
            "B",
            port=self._places("PORT", branches.port),
            command=self._places("POOL", branches.command_pool),
            data=self._places("POOL", branches.data_pool),
            delay=self._places("DELAY", branches.delay),
            stage=self._places("STAGE", branches.stage),
        )

    def _fill_transactions(self) -> None:
        table = self._plan.transactions
        self._columns(
            "TRANSACTION",
            "R",
            requester=table.requester,
            victim=table.victim,
            joins=table.joins,
            request_kind=table.request_kind,
            request_stage=self._places("STAGE", table.request_stage),
            probe_kind=table.probe_kind,
            probe_stage=self._places("STAGE", table.probe_stage),
            reply_kind=table.reply_kind,
            reply_stage=self._places("STAGE", table.reply_stage),
            answer_kind=table.answer_kind,
            done_kind=table.done_kind,
            done_stage=self._places("STAGE", table.done_stage),
            owner_kind=table.owner_kind,
            dry_kind=table.dry_reply_kind,
            dry_stage=self._places("STAGE", table.dry_reply_stage),
        )
        records, first = self.records("TRANSACTION", len(table.name)), word("R_ANSWER_STAGE")
        for column, by_row in enumerate((table.answer_stage, table.owner_stage, table.owner_probe_stage)):
            at = first + column * len(self._plan.node_ids)
            for record, stages in zip(records, by_row, strict=True):
                record[at : at + len(stages)] = self._places("STAGE", stages)

    def _fill_threads(self) -> None:
        program, threads = self._plan.program, self._plan.threads
        self._columns(
            "PROGRAM",
            "G",
            transaction=self._places("TRANSACTION", program.transaction),
            victim=self._places("TRANSACTION", program.victim),
            draw=program.core_draw,
            barrier=program.barrier,
            path=self._places("PATH", program.path),
            compute=program.compute_ps,
            shared=[CACHED if line == CACHED else self.at("SHARED", line) for line in program.shared],
            lock=program.lock,
        )
        first_slot = np.cumsum((0, *threads.window[:-1]))
        self._columns(
            "THREAD",
            "T",
            stream=[_signed(stream) for stream in threads.stream],
            background=threads.background,
            window=threads.window,
            first=self._places("PROGRAM", threads.first),
            count=threads.count,
            limit=[self._limit(thread) for thread in range(len(threads.label))],
            more=threads.supplied,
            interval=threads.interval_draw,
            open=threads.open,
            slice_period=threads.slice_period_ps,
            slice_start=threads.slice_start_ps,
            slice_length=threads.slice_length_ps,
            slots=self._places("SLOT", [int(slot) for slot in first_slot]),
            due=threads.start_ps,
            passed=[NONE] * len(threads.label),
        )
        owners = [self.at("THREAD", thread) for thread, window in enumerate(threads.window) for _ in range(window)]
        self._columns("SLOT", "L", thread=owners, due=[NONE] * len(owners))
        keys = (
            event_key(Phase.ARRIVAL, self._first.thread + thread, slot)
            for thread, window in enumerate(threads.window)
            for slot in range(window)
        )
        self._events("SLOT", "L_EVENT", keys)

    def _limit(self, thread: int) -> int:
        """Return how many lines a thread can issue at the start; NONE: any number."""
        table = self._plan.threads
        if table.supplied[thread]:
            return 0
        return NONE if table.repeat[thread] else table.count[thread]

    def _fill_draws(self) -> None:
        values = self._plan.draws.values
        place = self._at["DRAW"] + len(values) * word("DRAW_WORDS")
        for row, draw in enumerate(values):
            at = self.at("DRAW", row)
            self.words[at + word("X_FIRST")], self.words[at + word("X_MASK")] = place, len(draw) - 1
            self.words[place : place + len(draw)] = draw
            place += len(draw)

    def _events(self, table: str, event: str, keys: Iterable[int]) -> None:
        """Write the keys of the sources of events that lie within the records of a table; none is pending."""
        values = list(keys)
        records = self.records(table, len(values))
        records[:, word(event) + word("E_TIME")] = NONE
        records[:, word(event) + word("E_KEY")] = values

    def program_rows(self, rows: Rows) -> Vector:
        """Return rows of a program as records: places for the rows of other tables."""
        places = np.array(rows, np.int64)
        for column, table in ((0, "TRANSACTION"), (1, "TRANSACTION"), (4, "PATH"), (6, "SHARED")):
            known = rows[:, column] >= 0
            places[known, column] = self._at[table] + rows[known, column] * self.length(table)
        return places

    def _places(self, table: str, rows: Sequence[int]) -> list[int]:
        return [self.at(table, row) for row in rows]


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


__all__ = ["Components", "Memory", "Sizes", "sizes", "word"]
