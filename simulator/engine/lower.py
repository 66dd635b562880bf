"""`lower()`: machine and workload to a Plan. Rates and times are rounded to ticks here, once."""

from __future__ import annotations

from simulator.engine.lower_journeys import Journeys
from simulator.engine.lower_stations import Output, build_stations
from simulator.engine.lower_threads import ThreadTables
from simulator.engine.plan import NONE, Action, Draws, Plan, Transactions
from simulator.machine.routing import resolve_routes
from simulator.machine.spec import Machine
from simulator.protocol import PACKET_KINDS, PROTOCOLS, READ_BLOCK_MODIFY, CoherenceProtocol, TransactionKind
from simulator.workload import Workload, check_workload

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
    transactions = _Transactions(machine, journeys)
    threads = ThreadTables(machine, transactions, seed)
    for thread in workload.threads:
        threads.add(thread)
    table = transactions.table()
    carriers = {*table.request_kind, *table.reply_kind}
    others = {*table.probe_kind, *table.answer_kind, *table.done_kind, *table.owner_kind}
    assert carriers.isdisjoint(others - {NONE}), "where a line is would be ambiguous"
    return Plan(
        node_ids=machine.node_ids,
        kind_name=tuple(kind.name for kind in PACKET_KINDS),
        kind_bytes=tuple(kind.size_bytes for kind in PACKET_KINDS),
        kind_data_bytes=tuple(kind.data_bytes for kind in PACKET_KINDS),
        kind_writes=tuple(int(kind.writes) for kind in PACKET_KINDS),
        kind_channel=tuple(int(kind.channel) for kind in PACKET_KINDS),
        kind_carries_line=tuple(int(kind in carriers) for kind in range(len(PACKET_KINDS))),
        kind_modifies=tuple(int(kind is READ_BLOCK_MODIFY) for kind in PACKET_KINDS),
        ports=stations.ports(),
        pools=stations.pools(),
        delays=stations.delays(),
        stages=journeys.stages(),
        branches=journeys.branches(),
        transactions=table,
        program=threads.program(),
        paths=threads.paths(),
        threads=threads.threads(),
        draws=Draws(tuple(threads.draws)),
        controller_port=tuple(_output_port(stations.node_output.get((node, "dram"))) for node in machine.node_ids),
        controller_pool=tuple(_queue_pool(stations.node_output.get((node, "to_mct"))) for node in machine.node_ids),
        barrier_parties=threads.barrier_parties(),
        shared_lines=threads.shared_lines(),
        seed=seed,
    )


def _output_port(output: Output | None) -> int:
    return NONE if output is None else output.port


def _queue_pool(output: Output | None) -> int:
    return NONE if output is None else output.buffers["request"]


class _Transactions:
    """Rows of the transaction table, made when a thread first needs them."""

    def __init__(self, machine: Machine, journeys: Journeys) -> None:
        self._machine, self._journeys = machine, journeys
        self._protocol: CoherenceProtocol = PROTOCOLS[machine.coherence.protocol]
        self._index = {node_id: index for index, node_id in enumerate(machine.node_ids)}
        self._known: dict[tuple[str, int, int, bool], int] = {}
        self._rows: list[dict[str, object]] = []

    def line(self, mode: str, requester: int, home: int, shared: bool = False) -> int:
        """Row of a line read or written."""
        kind = self._protocol.read if mode == "r" else self._protocol.write
        return self._row(kind, requester, home, victim=0, shared=shared)

    def victim(self, requester: int, home: int) -> int:
        """Row of an eviction."""
        return self._row(self._protocol.victim, requester, home, victim=1)

    def _row(self, kind: TransactionKind, requester: int, home: int, victim: int, shared: bool = False) -> int:
        key = (kind.name, requester, home, shared)
        if key not in self._known:
            self._known[key] = len(self._rows)
            self._rows.append({**self._build(kind, requester, home, victim), **self._ownership(kind, requester, home, shared)})
        return self._known[key]

    def _ownership(self, kind: TransactionKind, requester: int, home: int, shared: bool) -> dict[str, object]:
        """Return the columns that only lines which several threads share have a use for."""
        journeys, nodes = self._journeys, self._machine.node_ids
        none = (NONE,) * len(nodes)
        if not shared:
            return {
                "owner_kind": NONE,
                "owner_stage": none,
                "owner_probe_stage": none,
                "dry_reply_kind": NONE,
                "dry_reply_stage": NONE,
            }
        answers = tuple(journeys.unicast(kind.owner_answer, node, "sri", requester, Action.COLLECT) for node in nodes)
        probes = tuple(journeys.unicast(kind.owner_probe, home, "mct", node, Action.ANSWER) for node in nodes)
        return {
            "owner_kind": _KIND[kind.owner_answer.name],
            "owner_stage": answers,
            "owner_probe_stage": probes if kind.probe is None else none,
            "dry_reply_kind": _KIND[kind.dry_reply.name],
            "dry_reply_stage": journeys.unicast(kind.dry_reply, home, "mct", requester, Action.COLLECT),
        }

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
            "probe_kind": _KIND[(kind.probe or kind.owner_probe).name],
            "probe_stage": probe_stage,
            "reply_kind": _KIND[kind.reply.name],
            "reply_stage": journeys.unicast(kind.reply, home, "mct", requester, Action.COLLECT),
            "answer_kind": NONE if kind.answer is None else _KIND[kind.answer.name],
            "answer_stage": answers,
            "done_kind": _KIND[kind.done.name],
            "done_stage": journeys.unicast(kind.done, requester, "sri", home, Action.RELEASE),
        }

    def table(self) -> Transactions:
        """Return the finished table."""
        columns = {name: tuple(row[name] for row in self._rows) for name in self._rows[0]}
        return Transactions(**columns)  # type: ignore[arg-type]
