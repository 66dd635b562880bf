"""Deadlocks: the check by itself on small pictures, and runs that come to a standstill, as a whole or in part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from simulator.engine.deadlock import Member, Waiting, WaitState, closed_barriers, deadlocked, wait_cycle
from simulator.engine.lower import lower
from simulator.machine.dependency import deadlock_cycles
from simulator.machine.routing import resolve_routes
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.run import run
from simulator.workload import Access, ThreadSpec, Workload
from tests.oracle.machines import node_entry, ring, round_machine
from tests.oracle.watch import at_most

SHORT = Accuracy(ci_percent=5, lines=400, warmup=20)


def picture(
    waiting: Mapping[int, tuple[str, int | None, Sequence[str]]],
    kept: Mapping[str, Sequence[Sequence[int]]],
    free: Mapping[str, int] | None = None,
) -> WaitState:
    """Draw a picture: packets as (port, packet ahead, pools needed), units as the packets that keep each."""
    pools = set(kept) | set(free or {}) | {pool for _, _, needs in waiting.values() for pool in needs}
    return WaitState(
        {number: Waiting(port, "RdBlk", ahead, tuple(needs)) for number, (port, ahead, needs) in waiting.items()},
        {pool: (free or {}).get(pool, 0) for pool in pools},
        {pool: tuple(frozenset(unit) for unit in units) for pool, units in kept.items()},
    )


def stuck_in(state: WaitState) -> set[int]:
    """Return the deadlocked packets."""
    return set(deadlocked(state))


class TestTheCheck:
    def test_nothing_waits(self) -> None:
        state = picture({}, {"P": [[]]})
        assert deadlocked(state) == frozenset()
        assert wait_cycle(state, frozenset()) == ()

    def test_two_packets_that_keep_what_the_other_needs(self) -> None:
        state = picture({0: ("b", None, ["P"]), 1: ("a", None, ["Q"])}, {"P": [[1]], "Q": [[0]]})
        assert stuck_in(state) == {0, 1}
        assert wait_cycle(state, deadlocked(state)) == ("a", "Q", "b", "P")

    def test_a_cycle_of_three_from_the_port_that_sorts_first(self) -> None:
        state = picture(
            {0: ("link 2->0", None, ["0"]), 1: ("link 0->1", None, ["1"]), 2: ("link 1->2", None, ["2"])},
            {"0": [[1]], "1": [[2]], "2": [[0]]},
        )
        assert stuck_in(state) == {0, 1, 2}
        assert wait_cycle(state, deadlocked(state)) == ("link 0->1", "1", "link 1->2", "2", "link 2->0", "0")

    def test_a_packet_that_keeps_what_it_needs_itself(self) -> None:
        state = picture({7: ("a", None, ["P"])}, {"P": [[7]]})
        assert wait_cycle(state, deadlocked(state)) == ("a", "P")

    @pytest.mark.parametrize("keepers", [[], [9]], ids=["moves by itself", "kept by a packet that can move"])
    def test_one_unit_that_comes_free_loosens_all(self, keepers: list[int]) -> None:
        waiting = {0: ("a", None, ["P"]), 1: ("b", None, ["Q"]), 9: ("c", None, ["R"])}
        state = picture(waiting, {"P": [[1], keepers], "Q": [[0]]}, {"R": 1})
        assert stuck_in(state) == set()

    def test_one_free_unit_is_enough(self) -> None:
        state = picture({0: ("a", None, ["P"]), 1: ("b", None, ["Q"])}, {"P": [[1]], "Q": [[0]]}, {"P": 1})
        assert stuck_in(state) == set()

    def test_every_unit_must_be_stuck(self) -> None:
        state = picture({0: ("a", None, ["P"]), 1: ("b", None, ["Q"])}, {"P": [[1], [1]], "Q": [[0], [0]]})
        assert stuck_in(state) == {0, 1}

    def test_a_unit_of_copies_needs_them_all_to_leave(self) -> None:
        """One copy can go, the other waits for what the keeper of its own unit holds."""
        waiting = {0: ("a", None, ["free"]), 1: ("b", None, ["P"]), 2: ("c", None, ["Q"])}
        state = picture(waiting, {"P": [[2]], "Q": [[0, 1]]}, {"free": 1})
        assert stuck_in(state) == {1, 2}

    def test_a_chain_behind_the_head_of_a_line_is_stuck_too(self) -> None:
        waiting = {
            0: ("a", None, ["P"]),
            1: ("a", 0, ["free"]),  # could go, but for the head
            2: ("c", None, ["Q"]),
            3: ("d", None, ["R"]),  # outside the cycle; R is kept by a packet in the queue
        }
        state = picture(waiting, {"P": [[2]], "Q": [[0]], "R": [[1]]}, {"free": 1})
        assert stuck_in(state) == {0, 1, 2, 3}
        assert wait_cycle(state, deadlocked(state)) == ("a", "P", "c", "Q")

    def test_a_cycle_through_a_queue(self) -> None:
        """What the second packet of a queue keeps is needed by the one that keeps what the head needs."""
        waiting = {0: ("a", None, ["P"]), 1: ("a", 0, ["P"]), 2: ("b", None, ["Q"])}
        state = picture(waiting, {"P": [[2]], "Q": [[1]]})
        assert stuck_in(state) == {0, 1, 2}
        assert wait_cycle(state, deadlocked(state)) == ("a", "P", "b", "Q")

    def test_behind_a_head_that_can_go_a_packet_may_still_be_stuck(self) -> None:
        """The head goes soon; the one behind it then waits in a cycle for ever."""
        waiting = {0: ("a", None, ["free"]), 1: ("a", 0, ["P"]), 2: ("b", None, ["Q"])}
        state = picture(waiting, {"P": [[2]], "Q": [[1]]}, {"free": 1})
        assert stuck_in(state) == {1, 2}
        assert wait_cycle(state, deadlocked(state)) == ("a", "P", "b", "Q")

    def test_behind_a_head_that_can_go_nothing_is_stuck_without_a_reason(self) -> None:
        state = picture({0: ("a", None, ["P"]), 1: ("a", 0, ["P"])}, {"P": [[]]})
        assert stuck_in(state) == set()

    def test_a_pool_without_any_buffer(self) -> None:
        """No unit ever comes; the chain ends there and is told as it is."""
        state = picture({0: ("b", None, ["Q"]), 1: ("a", None, ["P"])}, {"P": [[0]]}, {"Q": 0})
        assert stuck_in(state) == {0, 1}
        assert wait_cycle(state, deadlocked(state)) == ("a", "P", "b", "Q")

    def test_needing_two_pools(self) -> None:
        waiting = {0: ("a", None, ["command", "data"]), 1: ("b", None, ["Q"])}
        state = picture(waiting, {"data": [[1]], "Q": [[0]]}, {"command": 3})
        assert stuck_in(state) == {0, 1}
        assert wait_cycle(state, deadlocked(state)) == ("a", "data", "b", "Q")

    def test_a_part_of_the_packets(self) -> None:
        waiting = {0: ("a", None, ["P"]), 1: ("b", None, ["Q"]), 2: ("c", None, ["R"]), 3: ("c", 2, ["R"])}
        state = picture(waiting, {"P": [[1]], "Q": [[0]], "R": [[], []]})
        assert stuck_in(state) == {0, 1}

    def test_a_server_is_no_reason(self) -> None:
        state = picture({0: ("DRAM", None, []), 1: ("DRAM", 0, [])}, {"queue": [[0], [1]]})
        assert stuck_in(state) == set()


def members(**stand: tuple[int | None, set[int]] | set[int]) -> WaitState:
    """Draw threads by label: (barrier where it waits, barriers of its program), or the latter alone of one that has ended."""
    found = []
    for label, where in stand.items():
        waits_at, barriers = (None, where) if isinstance(where, set) else where
        found.append(Member(label, waits_at, isinstance(where, set), frozenset(barriers)))
    return WaitState({}, {}, {}, tuple(found))


class TestBarriersThatNeverOpen:
    def test_nobody_waits(self) -> None:
        assert closed_barriers(members()) == ()
        assert closed_barriers(members(a=(None, {0}), b={0})) == ()

    def test_the_other_is_on_its_way(self) -> None:
        assert closed_barriers(members(a=(0, {0}), b=(None, {0}))) == ()

    def test_the_other_has_ended(self) -> None:
        assert closed_barriers(members(a=(0, {0}), b={0})) == ((0, "a", "b"),)

    def test_one_that_has_ended_elsewhere_is_not_missed(self) -> None:
        assert closed_barriers(members(a=(0, {0}), b=(None, {0}), c={1})) == ()

    def test_one_of_many_is_enough(self) -> None:
        assert closed_barriers(members(a=(0, {0}), b=(0, {0}), c=(None, {0}), d={0})) == ((0, "a", "d"),)

    def test_crosswise(self) -> None:
        assert closed_barriers(members(a=(0, {0, 1}), b=(1, {0, 1}))) == ((0, "a", "b"), (1, "b", "a"))

    def test_a_chain_that_ends_at_one_that_has_ended(self) -> None:
        assert closed_barriers(members(a=(0, {0}), b=(1, {0, 1}), c={1})) == ((0, "a", "b"), (1, "b", "c"))

    def test_a_chain_that_ends_at_one_on_its_way(self) -> None:
        assert closed_barriers(members(a=(0, {0}), b=(1, {0, 1}), c=(None, {1}))) == ()

    def test_a_part(self) -> None:
        assert closed_barriers(members(a=(0, {0}), b=(None, {0}), c=(1, {1}), d={1})) == ((1, "c", "d"),)


def _pairs_two_apart(size: int, mode: str, window: int) -> list[ThreadSpec]:
    access = "r" if mode == "r" else "w"
    return [
        ThreadSpec(node, core, (Access(access, (node + 2) % size),), window=window, core_time_ns=0.0)
        for node in range(size)
        for core in (0, 1)
    ]


REQUEST_CYCLE = tuple(
    part for node in range(5) for part in (f"link {node}->{(node + 1) % 5}", f"link {node}->{(node + 1) % 5} request buffers")
)


@pytest.mark.parametrize("mode", ["r", "w"])
def test_a_ring_of_five_where_all_ask_two_hops_ahead(mode: str) -> None:
    """Every request goes the same way round and waits at its first stop for a buffer that the next one keeps."""
    machine = ring(5)
    assert deadlock_cycles(machine, resolve_routes(machine))  # foreseen
    with at_most(20):
        result = run(machine, Workload(tuple(_pairs_two_apart(5, mode, 4))), SHORT)
    assert result.verdict == "deadlock"
    assert result.deadlock_cycle == REQUEST_CYCLE
    assert result.verdict_detail is not None
    assert "link 0->1 waits for link 0->1 request buffers" in result.verdict_detail
    assert all(thread.lines == 0 for thread in result.threads)


def _ring_with_a_tail() -> Machine:
    """Return a ring of five whose node 0 has a neighbour 5 outside the ring."""
    return round_machine(range(6), [*((node, (node + 1) % 5) for node in range(5)), (0, 5)])


def test_a_part_of_the_machine_while_the_foreground_goes_on() -> None:
    """Background threads jam the ring; a thread on a node outside reads its own memory to the end of the run all the same."""
    background = [
        ThreadSpec(thread.node, thread.core, thread.accesses, background=True, window=4, core_time_ns=0.0)
        for thread in _pairs_two_apart(5, "r", 4)
    ]
    outside = ThreadSpec(5, 0, (Access("r", 5),))
    with at_most(60):
        result = run(_ring_with_a_tail(), Workload((*background, outside)), SHORT)
    by_label = {thread.label: thread for thread in result.threads}
    assert by_label["5.0.r.5"].lines >= 400  # it never noticed
    assert by_label["0.0.r.2"].lines == 0
    assert result.verdict == "deadlock"
    assert result.deadlock_cycle == REQUEST_CYCLE


def test_a_foreground_that_is_stuck_while_another_goes_on() -> None:
    """The stuck threads never reach the end of the warm-up, though events go on for ever."""
    outside = ThreadSpec(5, 0, (Access("r", 5),), background=True)
    with at_most(60):
        result = run(_ring_with_a_tail(), Workload((*_pairs_two_apart(5, "r", 4), outside)), SHORT)
    assert result.verdict == "deadlock"
    assert result.deadlock_cycle == REQUEST_CYCLE


def test_the_cycle_names_ports_and_pools_of_the_plan() -> None:
    machine = ring(6)
    workload = Workload(tuple(_pairs_two_apart(6, "w", 8)))
    plan = lower(machine, workload)
    with at_most(20):
        result = run(machine, workload, SHORT)
    assert set(result.deadlock_cycle[::2]) <= set(plan.ports.name)
    assert set(result.deadlock_cycle[1::2]) <= set(plan.pools.name)
    assert len(result.deadlock_cycle) == 2 * 6


def test_a_deadlock_is_told_the_same_way_twice() -> None:
    workload = Workload(tuple(_pairs_two_apart(5, "w", 3)))
    first, second = (run(ring(5), workload, SHORT) for _ in range(2))
    assert first.model_dump_json() == second.model_dump_json()


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("mode", ["r", "w"])
def test_rings_of_up_to_four_never_deadlock(size: int, mode: str) -> None:
    """Same traffic, one buffer everywhere; an even ring of four breaks its ties so that no cycle closes."""
    ones = [f"link.credits.{name}=1" for name in ("request", "response", "probe", "request_data", "response_data")]
    machine = ring(size, [*ones, "controller.queue=1", "sri.to_crossbar.request=1", "sri.to_crossbar.response=1"])
    assert not deadlock_cycles(machine, resolve_routes(machine))
    threads = [
        ThreadSpec(node, core, (Access("r" if mode == "r" else "w", (node + hop) % size),), window=4, core_time_ns=0.0)
        for node in range(size)
        for core, hop in ((0, 1), (1, 2))
    ]
    with at_most(60):
        result = run(machine, Workload(tuple(threads)), Accuracy(ci_percent=5, lines=200, warmup=20))
    assert result.verdict in ("steady", "too short")
    assert result.deadlock_cycle == ()


def test_one_node_that_does_not_ask_breaks_the_cycle() -> None:
    """Without threads on node 2 what crosses 2->3 came from node 1 and goes no farther than node 3."""
    nodes = [node_entry(node, cores=0 if node == 2 else 2) for node in range(5)]
    machine = round_machine(nodes, [(node, (node + 1) % 5) for node in range(5)])
    threads = [thread for thread in _pairs_two_apart(5, "r", 8) if thread.node != 2]
    with at_most(60):
        result = run(machine, Workload(tuple(threads)), SHORT)
    assert result.verdict in ("steady", "too short")
    assert result.deadlock_cycle == ()
