"""The ring as a Plan, by hand: the closest that the engines here can run.

A trip round the ring is a line of the one thread, whose window holds the customers. Station 0 takes a buffer for the home (the
protocol wants one), the customer goes on through the other stations, is complete at the end, sends its SrcDone and starts again.
The ring does not ask for, but the Plan cannot do without, a delay of 1 ps behind each station, the SrcDone, 1 ps of core time.
Station k is thus k ps behind, which moves no visit over the end of the run.
"""

from __future__ import annotations

from benchmarks.ring.model import CUSTOMERS, STATIONS
from simulator.engine.interface import Snapshot
from simulator.engine.plan import (
    NONE,
    Action,
    Branches,
    Delays,
    Draws,
    Part,
    Paths,
    Plan,
    Pools,
    PortKind,
    Ports,
    Program,
    Stages,
    Threads,
    Transactions,
)

SERVICE_PS = 10_000
DELAY_PS = 1
_VISIT, _DONE = 0, 1  # packet kinds
_OUTPUTS = STATIONS + 1  # the last one takes the SrcDone
_COLLECT, _SEND_DONE, _RELEASE = STATIONS, STATIONS + 1, STATIONS + 2  # stages; those before lead to the stations


def ring_plan() -> Plan:
    """Return the ring."""
    return Plan(
        node_ids=(0,),
        kind_name=("visit", "done"),
        kind_bytes=(8, 8),
        kind_data_bytes=(0, 0),
        kind_writes=(0, 0),
        kind_channel=(0, 2),
        kind_carries_line=(1, 0),
        kind_modifies=(0, 0),
        ports=_ports(),
        pools=Pools(name=("station 0 buffers",), capacity=(2 * CUSTOMERS,), claimant=(0,), credit_class=(NONE,)),
        delays=_delays(),
        stages=_stages(),
        branches=_branches(),
        transactions=_transactions(),
        program=Program(
            transaction=(0,),
            victim=(NONE,),
            core_draw=(0,),
            barrier=(NONE,),
            path=(0,),
            compute_ps=(0,),
            shared=(NONE,),
            lock=(0,),
        ),
        paths=Paths(thread=(0,), transaction=(0,)),
        threads=_threads(),
        draws=Draws(((DELAY_PS,),)),
        controller_port=(NONE,),
        controller_pool=(NONE,),
        barrier_parties=(),
        shared_lines=0,
        seed=1,
    )


def completed_visits(snapshot: Snapshot) -> int:
    """Return visits completed when a line has just ended: each station has begun one more."""
    return sum(sum(sent) for sent in snapshot.port_sent[:STATIONS]) - STATIONS


def _names() -> tuple[str, ...]:
    return (*(f"station {station}" for station in range(STATIONS)), "done")


def _ports() -> Ports:
    none, zero, one = (NONE,) * _OUTPUTS, (0,) * _OUTPUTS, (1,) * _OUTPUTS
    service = ((SERVICE_PS, SERVICE_PS),) * STATIONS + ((0, 0),)
    return Ports(
        name=_names(),
        kind=(int(PortKind.INTERNAL),) * _OUTPUTS,
        strict=one,
        service_ps=service,
        header_ps=service,
        service_draw=none,
        turnaround_ps=zero,
        reverse=none,
        nop_ps=zero,
        nop_latency_ps=zero,
        nop_bytes=zero,
        nop_releases=one,
        crc_every_bytes=(1 << 40,) * _OUTPUTS,
        crc_bytes=zero,
        crc_ps=zero,
        service_part=(int(Part.SRI),) * _OUTPUTS,
        queue_part=(int(Part.NODE_QUEUE),) * _OUTPUTS,
        buffer_part=(int(Part.NODE_BUFFERS),) * _OUTPUTS,
    )


def _delays() -> Delays:
    wire = (int(Part.WIRE),) * _OUTPUTS
    names = tuple(f"after {name}" for name in _names())
    time_ps = (DELAY_PS,) * _OUTPUTS
    return Delays(name=names, time_ps=time_ps, part=wire, part_ps=time_ps, rest_part=wire)


def _stages() -> Stages:
    action = [int(Action.PASS)] * (STATIONS + 3)
    action[1], action[_COLLECT], action[_RELEASE] = int(Action.ACCEPT), int(Action.COLLECT), int(Action.RELEASE)
    count = [1] * STATIONS + [0, 1, 0]
    first = [sum(count[:stage]) for stage in range(len(count))]
    return Stages(action=tuple(action), node=(0,) * len(action), first=tuple(first), count=tuple(count))


def _branches() -> Branches:
    return Branches(
        port=tuple(range(_OUTPUTS)),
        command_pool=(0,) + (NONE,) * STATIONS,
        data_pool=(NONE,) * _OUTPUTS,
        delay=tuple(range(_OUTPUTS)),
        stage=(*range(1, STATIONS), _COLLECT, _RELEASE),
    )


def _transactions() -> Transactions:
    return Transactions(
        name=("trip",),
        requester=(0,),
        home=(0,),
        victim=(0,),
        joins=(1,),
        request_kind=(_VISIT,),
        request_stage=(0,),
        probe_kind=(NONE,),
        probe_stage=(NONE,),
        reply_kind=(NONE,),
        reply_stage=(NONE,),
        answer_kind=(NONE,),
        answer_stage=((NONE,),),
        owner_kind=(NONE,),
        owner_stage=((NONE,),),
        owner_probe_stage=((NONE,),),
        dry_reply_kind=(NONE,),
        dry_reply_stage=(NONE,),
        done_kind=(_DONE,),
        done_stage=(_SEND_DONE,),
    )


def _threads() -> Threads:
    return Threads(
        label=("customers",),
        stream=(1,),
        background=(0,),
        window=(CUSTOMERS,),
        first=(0,),
        count=(1,),
        repeat=(1,),
        supplied=(0,),
        start_ps=(0,),
        interval_draw=(NONE,),
        open=(0,),
        slice_period_ps=(0,),
        slice_start_ps=(0,),
        slice_length_ps=(0,),
    )
