"""Links that lack credits: rate = credits x size / round trip, or that of the serialiser if it is less."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.engine.lower import lower
from simulator.engine.plan import Plan, PortKind
from simulator.theory.mva import mean_value_analysis
from simulator.theory.network import Station, station
from simulator.workload import Access, ThreadSpec, Workload
from tests.oracle.machines import WIRE, XBAR, round_machine
from tests.verification.draws import exponential
from tests.verification.machine_plans import PLENTY
from tests.verification.model import SLOWER, Model
from tests.verification.plans import Customers, NopReturn, Server, network_plan
from tests.verification.window import Window

LINE_NS, NOP_NS = 17.0, 1.0  # 68 B and 4 B at 4 GB/s
WAY_NS = float(WIRE + XBAR)  # to the other node's crossbar
BACK_NS = NOP_NS + WIRE
ALWAYS_MORE = 40  # customers, far more than credits: the link is always wanted


def credit_limited_ns(credits: int, service_ns: float) -> float:
    """Return the time a packet that credits and the serialiser allow: the longer of service and round trip / credits."""
    return max(service_ns, (service_ns + WAY_NS + BACK_NS) / credits)


def link_plan(credits: int, service: tuple[int, ...], seed: int, nop: NopReturn) -> Plan:
    """Lay out one link whose packets are consumed behind its wire, and the NOPs that bring the credits back."""
    link = Server("link", service, PortKind.LINK, room=credits, credits=nop, wire_ps=round(WAY_NS * 1000))
    return network_plan([link], [Customers("packets", (0,), ALWAYS_MORE)], seed)


def constant_link(credits: int, service_ns: float = LINE_NS) -> Plan:
    """Lay out a link as the machine files have them."""
    nop = NopReturn(round(NOP_NS * 1000), round(WIRE * 1000), releases=3)
    return link_plan(credits, (round(service_ns * 1000),), 1, nop)


def machine_link(credits: int) -> Plan:
    """Lower two nodes of a machine: node 0 reads from node 1 with few buffers for lines behind the link 1->0."""
    limits = (f"link.credits.response_data={credits}", "link.crc.bytes=0", "controller.queue=4096", "controller.read_ns=1.0")
    machine = round_machine([0, 1], [(0, 1)], (*PLENTY, *limits))
    return lower(machine, Workload((ThreadSpec(0, 0, (Access("r", 1),), window=8, core_time_ns=0.0),)))


def random_link(credits: int) -> Model:
    """Return a link with exponential serialisation: its credits are the customers of serialiser and round trip.

    NOPs take no time to send here, so that none waits for another; the round trip is constant.
    """

    def stations(service_ns: float) -> tuple[Sequence[Station], Sequence[int]]:
        return [station("serialiser", service_ns), station("round trip", WAY_NS + BACK_NS, discipline="delay")], (credits,)

    solution, slower = (mean_value_analysis(*stations(LINE_NS * factor)) for factor in (1, SLOWER))

    def build(seed: int, factor: float) -> Plan:
        return link_plan(credits, exponential(LINE_NS * 1000 * factor), seed, NopReturn(0, round(BACK_NS * 1000)))

    def look(window: Window) -> tuple[float, ...]:
        return window.per_us(), window.busy(0)

    closed_form = "credits x size / round trip" if credits == 1 else "exact MVA"
    return Model(
        name=f"link, {credits} credit{'s' * (credits > 1)}, exponential packets",
        source=closed_form,
        theory={"packets/us": solution.throughput_per_ns[0] * 1000, "utilization": solution.utilization[0]},
        theory_if_slower=slower.throughput_per_ns[0] * 1000,
        build=build,
        look=look,
        decisive="packets/us",
    )


RANDOM_LINKS = (random_link(1), random_link(3))
