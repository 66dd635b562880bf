"""Bounds counted by hand, and that no run passes them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.machine.load import list_machines, load_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.run import run
from simulator.theory.all_to_all import all_to_all_workload
from simulator.theory.bounds import WorkloadBounds, workload_bounds
from simulator.theory.route_choice import best_routes
from simulator.units import LINE_BYTES
from simulator.workload import Access, Arrivals, ThreadSpec, Workload
from tests.oracle.machines import CORE, ENTRY, PATH, READ, SRI, TURN, WIRE, WRITE, XBAR, round_machine

LOCAL_NS = 2 * SRI + 2 * XBAR + ENTRY + READ + PATH  # of one node
PAIR = round_machine([0, 1], [(0, 1)], ["core.window=8"])
NOP_NS = 1 + 4 / 512  # with its share of the CRC


def _use(bounds: WorkloadBounds) -> dict[str, float]:
    return {station.name: station.fair_utilization for station in bounds.stations}


def _ns(gb_per_s: float) -> float:
    return LINE_BYTES / gb_per_s


def test_one_reader_is_held_by_its_window() -> None:
    (thread,) = workload_bounds(round_machine([0]), Workload.from_labels(["0.0.r.0"])).threads
    assert thread.latency_ns == LOCAL_NS
    assert thread.cycle_ns == LOCAL_NS + CORE
    assert (thread.alone_limit, thread.fair_limit) == ("window", "window")
    assert _ns(thread.alone_gb_per_s) == pytest.approx(LOCAL_NS + CORE)
    assert (thread.bottleneck, thread.bottleneck_ns) == ("node 0 DRAM", READ)
    assert thread.saturation_window == pytest.approx(thread.cycle_ns / READ)


def test_two_writers_on_one_node_are_held_by_its_controller() -> None:
    machine = round_machine([0], overrides=["core.window=4"])
    bounds = workload_bounds(machine, Workload.from_labels(["0.0.w.0", "0.1.w.0"]))
    for thread in bounds.threads:
        assert thread.alone_limit in ("window", "node 0 DRAM")
        assert (thread.fair_limit, thread.fullest) == ("node 0 DRAM", "node 0 DRAM")
        assert _ns(thread.fair_gb_per_s) == pytest.approx(2 * (READ + WRITE))
    assert _use(bounds)["node 0 DRAM"] == pytest.approx(1)
    assert _ns(bounds.total_gb_per_s) == pytest.approx(READ + WRITE)


def test_crossfire_is_held_by_its_link() -> None:
    """Bytes on 0->1 for one line of each thread, counted by hand.

    0.0.w.1: request 8, evicted line 72, SrcDone 4 twice: 88. 1.0.w.0: line 68, TgtDone 4, probe 8, answer 4: 84. So 172 B, 43 ns
    at 4 GB/s and 172 / 512 ns of CRC. In return for what comes over 1->0, of which responses are most: line, TgtDone, answer of
    the one, SrcDone twice of the other: 5, in NOPs for 3 each.
    """
    bounds = workload_bounds(PAIR, Workload.from_labels(["0.0.w.1", "1.0.w.0"]))
    together_ns = 43 + 172 / 512 + 5 / 3 * NOP_NS
    for thread in bounds.threads:
        assert thread.alone_limit not in ("link 0->1", "link 1->0")
        assert thread.fair_limit.startswith("link ")
        assert _ns(thread.fair_gb_per_s) == pytest.approx(together_ns)
    assert _ns(bounds.total_gb_per_s) == pytest.approx(together_ns / 2)
    assert _use(bounds)["link 0->1"] == pytest.approx(1)


def test_crossfire_on_the_quartet() -> None:
    """AMD's machine: four lines in flight all but fill the link; with five it is full. Two local writers fill the controller."""
    crossfire, local = Workload.from_labels(["0.0.w.1", "1.0.w.0"]), Workload.from_labels(["0.0.w.0", "0.1.w.0"])
    four = workload_bounds(load_machine("quartet"), crossfire).threads
    assert {(thread.fair_limit, thread.fullest) for thread in four} == {("window", "link 0->1")}
    assert all(0.9 < thread.fullest_utilization < 1 for thread in four)
    five = workload_bounds(load_machine("quartet", ["core.window=5"]), crossfire).threads
    assert {thread.fair_limit for thread in five} <= {"link 0->1", "link 1->0"}
    assert {thread.fair_limit for thread in workload_bounds(load_machine("quartet"), local).threads} == {"node 0 DRAM"}


def test_a_slot_also_waits_for_its_eviction() -> None:
    """The line is read locally, its victim goes far away: over a link of 4 GB/s 18 ns, TgtDone 1 ns."""
    machine = round_machine([0, 1], [(0, 1)], ["coherence.probe_answer_ns=1"])
    thread = ThreadSpec(0, 0, (Access("w", 0, victim_memory=1),), core_time_ns=0.0)
    (bound,) = workload_bounds(machine, Workload((thread,))).threads
    there = SRI + XBAR + 18 + WIRE + XBAR + ENTRY
    assert bound.cycle_ns == there + WRITE + PATH + XBAR + 1 + WIRE + XBAR + SRI > bound.latency_ns


@pytest.mark.parametrize(("credits", "limit"), [(1, "link 0->1 request data buffers"), (3, "link 0->1")])
def test_credits_bound_a_link(credits: int, limit: str) -> None:
    """Credits x size / round trip: a data buffer is kept while the line is sent and crosses, and until its NOP has come back."""
    machine = round_machine([0, 1], [(0, 1)], ["core.window=8", f"link.credits.request_data={credits}", "controller.write_ns=1"])
    thread = ThreadSpec(0, 0, (Access("w", 0, victim_memory=1),), core_time_ns=0.0)
    bounds = workload_bounds(machine, Workload((thread,)))
    station = next(one for one in bounds.stations if one.name == "link 0->1 request data buffers")
    assert station.demand_ns == (pytest.approx((18 + WIRE + XBAR + 1 + WIRE) / credits),)
    assert bounds.threads[0].alone_limit == limit


def test_a_controllers_queue_bounds_it() -> None:
    """An entry is kept from the crossbar until SrcDone: all of the line but its way there, and SrcDone's own."""
    machine = round_machine([0], overrides=["controller.queue=1", "core.window=4"])
    (thread,) = workload_bounds(machine, Workload.from_labels(["0.0.r.0"])).threads
    held_ns = (LOCAL_NS - SRI - XBAR) + (SRI + XBAR + ENTRY)
    assert thread.alone_limit == "node 0 controller queue request buffers"
    assert _ns(thread.alone_gb_per_s) == pytest.approx(held_ns)


def test_rates_and_arrivals_hold_a_thread() -> None:
    threads = (
        ThreadSpec(0, 0, (Access("r", 0),), background=True, rate_gb_per_s=0.5, window=8),
        ThreadSpec(0, 1, (Access("r", 0),), window=8, arrivals=Arrivals(100.0, random=False)),
    )
    one, other = workload_bounds(round_machine([0]), Workload(threads)).threads
    assert (one.fair_limit, one.fair_gb_per_s, one.rate_gb_per_s) == ("rate", pytest.approx(0.5), pytest.approx(0.5))
    assert (other.fair_limit, other.fair_gb_per_s) == ("rate", pytest.approx(0.64))


def test_a_slow_neighbour_leaves_its_share_to_the_others() -> None:
    """Max-min fair: DRAM does 1 / 12 lines a ns; a thread that asks for 1 / 128 leaves the rest to the other."""
    machine = round_machine([0], overrides=["core.window=8"])
    threads = (
        ThreadSpec(0, 0, (Access("r", 0),), rate_gb_per_s=0.5),
        ThreadSpec(0, 1, (Access("r", 0),), core_time_ns=0.0, window=8),
    )
    slow, quick = workload_bounds(machine, Workload(threads)).threads
    assert slow.fair_gb_per_s == pytest.approx(0.5)
    assert quick.fair_gb_per_s == pytest.approx(64 / READ - 0.5)
    assert quick.fair_limit == "node 0 DRAM"


def test_largest_total_prefers_the_short_lines_and_the_fair_shares_do_not() -> None:
    """Read lines take 12 ns of DRAM, written ones 26: only readers give the most in all; fair shares are 1 / 38 each."""
    machine = round_machine([0], overrides=["core.window=8", "core.max_outstanding=64"])
    threads = tuple(ThreadSpec(0, core, (Access(mode, 0),), window=64) for core, mode in enumerate("rw"))
    bounds = workload_bounds(machine, Workload(threads))
    assert _ns(bounds.total_gb_per_s) == pytest.approx(READ)
    assert [_ns(thread.fair_gb_per_s) for thread in bounds.threads] == pytest.approx([READ + READ + WRITE] * 2)


def test_all_to_all_on_the_quartet_is_near_what_amd_quotes() -> None:
    """14.9 GB/s on the real machine (see `simulator.theory.all_to_all`); routed bytes, CRC and fewest NOPs allow 14.94."""
    machine = load_machine("quartet")
    assert workload_bounds(machine, all_to_all_workload(machine)).total_gb_per_s == pytest.approx(14.94, abs=0.005)


# -- no run passes its bounds -------------------------------------------------------------------------------------------------


@st.composite
def _workloads(draw: st.DrawFn) -> tuple[Machine, Workload]:
    name = draw(st.sampled_from(list_machines()))
    choices = {
        "core.window": [1, 2, 4, 8],
        "core.core_time_ns": [0.0, 5.0, 200.0],
        "controller.queue": [1, 2, 6, 20],
        "controller.turnaround_ns": [0.0, 3.0],
        "controller.to_crossbar.response": [1, 2, 8],
        "crossbar.to_sri.probe": [1, 3],
        "sri.to_crossbar.response": [1, 3],
        "sri.data_gb_per_s": [1.5, 3.0, 10.0],
        "crossbar.arbitration": ["'round-robin'", "'response-first'"],
    }
    if name != "one-node":
        choices |= {f"link.credits.{each}": [1, 2, 5] for each in ("request", "response", "probe", "response_data")}
    changed = draw(st.lists(st.sampled_from(sorted(choices)), max_size=4, unique=True))
    machine = load_machine(name, [f"{path}={draw(st.sampled_from(choices[path]))}" for path in changed])
    places = [(node.id, core) for node in machine.nodes for core in range(node.cores)]
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, max_size=6, unique=True))
    return machine, Workload(tuple(draw(_threads(machine, node, core)) for node, core in chosen))


@st.composite
def _threads(draw: st.DrawFn, machine: Machine, node: int, core: int) -> ThreadSpec:
    memory = st.sampled_from([node.id for node in machine.nodes if node.controller is not None])
    mode = st.sampled_from(["r", "w"])
    accesses = st.builds(Access, mode, memory, victim_memory=st.none() | memory)
    lines = tuple(draw(st.lists(accesses, min_size=1, max_size=3)))
    rate = draw(st.sampled_from([None, None, 0.5, 2.0, 4.0]))
    return ThreadSpec(node, core, lines, rate_gb_per_s=rate)


def _check_no_run_passes(machine: Machine, workload: Workload, lines: int) -> None:
    bounds = workload_bounds(machine, workload)
    result = run(machine, workload, Accuracy(ci_percent=2.0, lines=lines, warmup=100))
    if result.verdict in ("deadlock", "no progress"):
        return
    ends = 0
    for bound, thread in zip(bounds.threads, result.threads, strict=True):
        chance = 1 + (3.0 if thread.ci_percent is None else 2 * thread.ci_percent) / 100
        hidden = 2 * bound.window * LINE_BYTES / result.window_ns  # lines under way when the window opened
        ends += hidden
        assert thread.gb_per_s <= bound.alone_gb_per_s * chance + hidden
    total = sum(thread.gb_per_s for thread in result.threads)
    assert total <= bounds.total_gb_per_s * 1.02 + ends
    assert best_routes(machine, workload).total_gb_per_s >= bounds.total_gb_per_s * (1 - 1e-5)
    assert bounds.fair_total_gb_per_s <= bounds.total_gb_per_s * (1 + 1e-6)
    assert max(station.fair_utilization for station in bounds.stations) <= 1 + 1e-6


@given(_workloads())
@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_no_run_passes_its_bounds(drawn: tuple[Machine, Workload]) -> None:
    _check_no_run_passes(*drawn, lines=600)


@pytest.mark.slow
@given(_workloads())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_run_of_many_more_passes_its_bounds(drawn: tuple[Machine, Workload]) -> None:
    _check_no_run_passes(*drawn, lines=1500)


@pytest.mark.parametrize(
    ("labels", "overrides", "share"),
    [
        (["0.0.w.0", "0.1.w.0"], [], 0.99),
        (["0.0.w.1", "1.0.w.0"], ["core.window=6"], 0.97),
        (["0.0.w.0"], ["controller.queue=1"], 0.99),
        (["0.0.r.3"], [], 0.97),
        (["0.0.w.1", "1.0.w.0"], ["link.credits.response=1"], 0.85),
    ],
)
def test_bounds_are_near_where_one_thing_holds_a_run(labels: list[str], overrides: list[str], share: float) -> None:
    """Else a bound of infinity would pass everything above."""
    machine, workload = load_machine("quartet", overrides), Workload.from_labels(labels)
    result = run(machine, workload, Accuracy(ci_percent=1.0, lines=3000, warmup=300))
    total = sum(thread.gb_per_s for thread in result.threads)
    assert share < total / workload_bounds(machine, workload).total_gb_per_s < 1.01


def test_turning_round_is_left_out() -> None:
    """DRAM might do all reads first: the bound is that of no turn at all."""
    bounds = workload_bounds(round_machine([0]), Workload.from_labels(["0.0.w.0"]))
    dram = next(one for one in bounds.stations if one.name == "node 0 DRAM")
    assert TURN > 0
    assert dram.demand_ns == (READ + WRITE,)
