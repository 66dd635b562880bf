"""`lower()`: machine and workload to a Plan. Rates and times are rounded to ticks here, once."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.engine.lower_journeys import Journeys
from simulator.engine.lower_stations import Output, build_stations
from simulator.engine.plan import NONE, Action, Draws, Paths, Plan, Program, Threads, Transactions
from simulator.engine.random_numbers import constant, exponential, stream_start, uniform
from simulator.machine.routing import resolve_routes
from simulator.machine.spec import Machine
from simulator.protocol import PACKET_KINDS, PROTOCOLS, CoherenceProtocol, PacketKind, TransactionKind
from simulator.units import ps_from_ns
from simulator.workload import Access, ThreadSpec, Workload, check_workload

_KIND = {kind.name: index for index, kind in enumerate(PACKET_KINDS)}


def lower(machine: Machine, workload: Workload, seed: int = 1) -> Plan:
    """Turn a machine and a workload into flat integer tables.

    Parameters
    ----------
    machine : Machine
    workload : Workload
    seed : int
        Start of every random number of the run.

    Raises
    ------
    InputError
        The workload does not fit the machine, or its routes do not reach.
    """
    check_workload(machine, workload)
    stations = build_stations(machine)
    journeys = Journeys(machine, resolve_routes(machine), stations)
    draws = _Draws()
    transactions = _Transactions(machine, journeys)
    threads, program, paths, parties = _lower_threads(machine, workload, transactions, draws, seed)
    table = transactions.table()
    carriers = {*table.request_kind, *table.reply_kind}
    assert carriers.isdisjoint({*table.probe_kind, *table.answer_kind, *table.done_kind}), "where a line is would be ambiguous"
    return Plan(
        node_ids=machine.node_ids,
        kind_name=tuple(kind.name for kind in PACKET_KINDS),
        kind_bytes=tuple(kind.size_bytes for kind in PACKET_KINDS),
        kind_data_bytes=tuple(kind.data_bytes for kind in PACKET_KINDS),
        kind_writes=tuple(int(kind.writes) for kind in PACKET_KINDS),
        kind_channel=tuple(int(kind.channel) for kind in PACKET_KINDS),
        kind_carries_line=tuple(int(kind in carriers) for kind in range(len(PACKET_KINDS))),
        ports=stations.ports(),
        pools=stations.pools(),
        delays=stations.delays(),
        stages=journeys.stages(),
        branches=journeys.branches(),
        transactions=table,
        program=program,
        paths=paths,
        threads=threads,
        draws=Draws(tuple(draws.rows)),
        controller_port=tuple(_output_port(stations.node_output.get((node, "dram"))) for node in machine.node_ids),
        controller_pool=tuple(_queue_pool(stations.node_output.get((node, "to_mct"))) for node in machine.node_ids),
        barrier_parties=parties,
        seed=seed,
    )


def _output_port(output: Output | None) -> int:
    return NONE if output is None else output.port


def _queue_pool(output: Output | None) -> int:
    return NONE if output is None else output.buffers["request"]


@dataclass
class _Draws:
    """Distributions, each kept once."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    _known: dict[tuple[int, ...], int] = field(default_factory=dict)

    def add(self, values: tuple[int, ...]) -> int:
        if values not in self._known:
            self._known[values] = len(self.rows)
            self.rows.append(values)
        return self._known[values]


class _Transactions:
    """Rows of the transaction table, made when a thread first needs them."""

    def __init__(self, machine: Machine, journeys: Journeys) -> None:
        self._machine, self._journeys = machine, journeys
        self._protocol: CoherenceProtocol = PROTOCOLS[machine.coherence.protocol]
        self._index = {node_id: index for index, node_id in enumerate(machine.node_ids)}
        self._known: dict[tuple[str, int, int], int] = {}
        self._rows: list[dict[str, object]] = []

    def line(self, mode: str, requester: int, home: int) -> int:
        """Row of a line read or written."""
        return self._row(self._protocol.read if mode == "r" else self._protocol.write, requester, home, victim=0)

    def victim(self, requester: int, home: int) -> int:
        """Row of an eviction."""
        return self._row(self._protocol.victim, requester, home, victim=1)

    def _row(self, kind: TransactionKind, requester: int, home: int, victim: int) -> int:
        key = (kind.name, requester, home)
        if key not in self._known:
            self._known[key] = len(self._rows)
            self._rows.append(self._build(kind, requester, home, victim))
        return self._known[key]

    def _build(self, kind: TransactionKind, requester: int, home: int, victim: int) -> dict[str, object]:
        journeys, nodes = self._journeys, self._machine.node_ids
        answers: tuple[int, ...] = ()
        probe_stage = NONE
        if kind.probe is not None and kind.answer is not None:
            probe_stage = journeys.multicast(kind.probe, home)
            answers = tuple(journeys.unicast(kind.answer, node, "sri", requester, Action.COLLECT) for node in nodes)
        return {
            "name": f"{kind.name} {requester}->{home}",
            "requester": self._index[requester],
            "home": self._index[home],
            "victim": victim,
            "joins": 1 + len(answers),
            "request_kind": _KIND[kind.request.name],
            "request_stage": journeys.unicast(kind.request, requester, "sri", home, Action.ACCEPT),
            "probe_kind": _optional_kind(kind.probe),
            "probe_stage": probe_stage,
            "reply_kind": _KIND[kind.reply.name],
            "reply_stage": journeys.unicast(kind.reply, home, "mct", requester, Action.COLLECT),
            "answer_kind": _optional_kind(kind.answer),
            "answer_stage": answers,
            "done_kind": _KIND[kind.done.name],
            "done_stage": journeys.unicast(kind.done, requester, "sri", home, Action.RELEASE),
        }

    def table(self) -> Transactions:
        """Return the finished table."""
        columns = {name: tuple(row[name] for row in self._rows) for name in self._rows[0]}
        return Transactions(**columns)  # type: ignore[arg-type]


def _optional_kind(kind: PacketKind | None) -> int:
    return NONE if kind is None else _KIND[kind.name]


def _lower_threads(
    machine: Machine, workload: Workload, transactions: _Transactions, draws: _Draws, seed: int
) -> tuple[Threads, Program, Paths, tuple[int, ...]]:
    rows: list[dict[str, object]] = []
    lines: list[tuple[int, int, int, int]] = []
    paths: dict[tuple[int, int], int] = {}
    path_column: list[int] = []
    parties: dict[int, int] = {}
    ordinals: dict[str, int] = {}
    for thread in workload.threads:
        ordinal = ordinals[thread.label] = ordinals.get(thread.label, -1) + 1
        first = len(lines)
        for access in thread.accesses:
            lines.append(_lower_access(machine, thread, access, transactions, draws))
            path_column.append(paths.setdefault((len(rows), lines[-1][0]), len(paths)))
        for barrier in {access.barrier for access in thread.accesses if access.barrier is not None}:
            parties[barrier] = parties.get(barrier, 0) + 1
        stream = stream_start(seed, f"thread {thread.label} #{ordinal}")
        rows.append(_lower_thread(machine, thread, stream, first, draws))
    columns = {name: tuple(row[name] for row in rows) for name in rows[0]}
    transaction, victim, core_draw, barrier_column = zip(*lines, strict=True)
    path = tuple(path_column)
    program = Program(transaction=transaction, victim=victim, core_draw=core_draw, barrier=barrier_column, path=path)
    by_path = Paths(thread=tuple(thread for thread, _ in paths), transaction=tuple(row for _, row in paths))
    counts = tuple(parties.get(number, 0) for number in range(max(parties, default=-1) + 1))
    return Threads(**columns), program, by_path, counts  # type: ignore[arg-type]


def _lower_access(
    machine: Machine, thread: ThreadSpec, access: Access, transactions: _Transactions, draws: _Draws
) -> tuple[int, int, int, int]:
    requester = thread.node if access.node is None else access.node
    evicted_to = access.memory if access.victim_memory is None else access.victim_memory
    transaction = transactions.line(access.mode, requester, access.memory)
    victim = transactions.victim(requester, evicted_to) if access.mode == "w" else NONE
    core = machine.core
    own_time_ns = core.background_core_time_ns if thread.background else core.core_time_ns
    core_time_ns = own_time_ns if thread.core_time_ns is None else thread.core_time_ns
    if access.mode == "w":
        core_time_ns += core.write_extra_ns
    draw = draws.add(uniform(ps_from_ns(core_time_ns + access.extra_core_time_ns), ps_from_ns(core.jitter_ns)))
    return transaction, victim, draw, NONE if access.barrier is None else access.barrier


def _lower_thread(machine: Machine, thread: ThreadSpec, stream: int, first: int, draws: _Draws) -> dict[str, object]:
    core = machine.core
    window = thread.window or (core.background_window if thread.background else core.window)
    interval = NONE
    if thread.arrivals is not None:
        mean_ps = ps_from_ns(thread.arrivals.mean_interval_ns)
        interval = draws.add(exponential(mean_ps) if thread.arrivals.random else constant(mean_ps))
    elif thread.interval_ns is not None:
        interval = draws.add(constant(ps_from_ns(thread.interval_ns)))
    turn = thread.time_slice
    return {
        "label": thread.label,
        "stream": stream,
        "background": int(thread.background),
        "window": window,
        "first": first,
        "count": len(thread.accesses),
        "repeat": int(thread.repeat),
        "start_ps": ps_from_ns(thread.start_ns),
        "interval_draw": interval,
        "open": int(thread.arrivals is not None),
        "slice_period_ps": 0 if turn is None else ps_from_ns(turn.period_ns),
        "slice_start_ps": 0 if turn is None else ps_from_ns(turn.start_ns),
        "slice_length_ps": 0 if turn is None else ps_from_ns(turn.length_ns),
    }
