"""Finite buffers: customers who think and pass servers in a row, with room for a few only behind some, against a Markov chain."""

from __future__ import annotations

from simulator.engine.plan import Plan, PortKind
from tests.verification.draws import exponential
from tests.verification.markov import Tandem, TandemMeans, solve
from tests.verification.model import SLOWER, Model
from tests.verification.plans import Customers, NopReturn, Server, network_plan
from tests.verification.window import Window

CUSTOMERS, THINK_NS = 6, 100.0


def blocked_tandem(service_ns: tuple[float, ...], room: tuple[int | None, ...], *, by_nop: bool) -> Model:
    """Return a tandem; buffers come back at once (inner ports), or by NOPs that take a tick (links)."""
    kind = PortKind.LINK if by_nop else PortKind.INTERNAL

    def means(factor: float) -> TandemMeans:
        return solve(Tandem(CUSTOMERS, THINK_NS, tuple(one * factor for one in service_ns), room))

    exact = means(1.0)
    queues = [number for number in range(len(service_ns)) if number == 0 or room[number - 1] != 1]  # where anybody can wait
    theory = {"lines/us": exact.throughput_per_ns * 1000}
    theory |= {f"utilization, server {number}": busy for number, busy in enumerate(exact.busy)}
    theory |= {f"waiting, server {number}": exact.waiting[number] for number in queues}

    def build(seed: int, factor: float) -> Plan:
        servers = [
            Server(
                f"server {number}",
                exponential(one_ns * 1000 * factor),
                kind,
                room=places,
                credits=NopReturn() if by_nop and places is not None else None,
            )
            for number, (one_ns, places) in enumerate(zip(service_ns, room, strict=True))
        ]
        everywhere = tuple(range(len(servers)))
        return network_plan(servers, [Customers("customers", everywhere, CUSTOMERS, exponential(THINK_NS * 1000))], seed)

    def look(window: Window) -> tuple[float, ...]:
        busy = (window.busy(port) for port in range(len(service_ns)))
        return window.per_us(), *busy, *(window.waiting(port) for port in queues)

    places = " and ".join(str(count) for count in room if count is not None)
    return Model(
        name=f"tandem, room for {places}, {'credits by NOP' if by_nop else 'buffers'}",
        source="Markov chain",
        theory=theory,
        theory_if_slower=means(SLOWER).throughput_per_ns * 1000,
        build=build,
        look=look,
        decisive="lines/us",
    )


BUFFERS = blocked_tandem((60.0, 60.0), (2, None), by_nop=False)
FINITE_BUFFERS = (
    BUFFERS,
    blocked_tandem((60.0, 70.0), (1, None), by_nop=True),
    blocked_tandem((50.0, 60.0, 55.0), (2, 1, None), by_nop=False),
)
