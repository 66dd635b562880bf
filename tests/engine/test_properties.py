"""What must hold for every machine and every program, whatever they are: tried on random ones."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from simulator.engine.deadlock import deadlocked, wait_cycle
from simulator.engine.interface import Snapshot
from simulator.engine.lower import lower
from simulator.engine.plan import Plan, PortKind
from simulator.machine.dependency import deadlock_cycles
from simulator.machine.routing import resolve_routes
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.run import run
from simulator.workload import Workload
from tests.oracle import traffic, zero_load
from tests.oracle.random_systems import System, crowded_rings, systems
from tests.oracle.watch import Endless, Watched, drain

CHECK = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SHORT = Accuracy(ci_percent=50, lines=50, warmup=0)


class Finished:
    """A system run until nothing is left to happen."""

    def __init__(self, system: System) -> None:
        self.machine = system.machine
        self.workload = Workload(system.threads)
        self.plan = lower(self.machine, self.workload)
        self.watched = Watched(self.plan)
        self.engine = self.watched.engine
        drain(self.engine)
        self.end = self.engine.snapshot()
        self.state = self.engine.wait_state()
        self.all_done = self.end.thread_lines == self.plan.threads.count

    def sent(self) -> traffic.Sent:
        """Return the packets that every port sent."""
        names = [(port, kind) for port in self.plan.ports.name for kind in self.plan.kind_name]
        counts = [count for row in self.end.port_sent for count in row]
        return Counter({name: count for name, count in zip(names, counts, strict=True) if count})


@given(systems())
@CHECK
def test_nothing_is_lost_and_nothing_comes_twice(system: System) -> None:
    finished = Finished(system)
    event("all done" if finished.all_done else "deadlocked")
    expected = traffic.packets(finished.machine, finished.workload.threads)
    if not finished.all_done:
        _check_deadlock(finished, expected)
        return
    assert finished.sent() == expected
    assert not finished.state.waiting
    assert finished.state.free == dict(zip(finished.plan.pools.name, finished.plan.pools.capacity, strict=True))
    assert not any(any(units) for units in finished.state.kept_by.values())
    assert deadlocked(finished.state) == frozenset()


@given(crowded_rings())
@settings(CHECK, max_examples=40)
def test_standstill_is_always_a_deadlock_that_is_told(system: System) -> None:
    finished = Finished(system)
    event("all done" if finished.all_done else "deadlocked")
    expected = traffic.packets(finished.machine, finished.workload.threads)
    result = run(system.machine, finished.workload, SHORT)
    if finished.all_done:
        assert finished.sent() == expected
        assert (result.verdict, result.deadlock_cycle) == ("steady", ())
    else:
        _check_deadlock(finished, expected)
        assert result.verdict == "deadlock"
        assert set(result.deadlock_cycle[::2]) <= set(finished.plan.ports.name)
        assert set(result.deadlock_cycle[1::2]) <= set(finished.plan.pools.name)
        assert result.deadlock_cycle


def _check_deadlock(finished: Finished, expected: traffic.Sent) -> None:
    """Nothing moves any more, so all that waits is deadlocked; the routes must have been known to allow it."""
    assert finished.sent() <= expected
    stuck = deadlocked(finished.state)
    assert stuck
    assert stuck == set(finished.state.waiting)
    assert deadlock_cycles(finished.machine, resolve_routes(finished.machine))
    cycle = wait_cycle(finished.state, stuck)
    assert set(cycle[::2]) <= set(finished.plan.ports.name)
    for pool in cycle[1::2]:
        assert finished.state.free[pool] == 0


@given(st.one_of(systems(), crowded_rings()), st.integers(1, 3000))
@settings(CHECK, max_examples=100)
def test_a_deadlock_is_never_called_too_early(system: System, events: int) -> None:
    """What is called deadlocked in the middle of a run is there for good."""
    engine = Watched(lower(system.machine, Workload(system.threads))).engine
    engine._clock.run(Endless, events)
    early = deadlocked(engine.wait_state())
    event("called early" if early else "not called")
    drain(engine)
    assert len(deadlocked(engine.wait_state())) >= len(early)


@given(systems())
@CHECK
def test_bytes_on_each_link_are_the_routed_bytes(system: System) -> None:
    finished = Finished(system)
    if not finished.all_done:
        return
    expected = traffic.packets(finished.machine, finished.workload.threads)
    routed = traffic.link_bytes(expected)
    for port, name in _links(finished.plan):
        crc = finished.machine.links[0].crc
        sent = finished.end.port_sent[port]
        assert sum(count * size for count, size in zip(sent, finished.plan.kind_bytes, strict=True)) == routed[name]
        nop_bytes = finished.end.port_nops[port] * finished.machine.links[0].nop.bytes
        assert finished.end.port_crcs[port] == (routed[name] + nop_bytes) // crc.every_bytes
        _check_nops(finished, port, expected)


def _check_nops(finished: Finished, port: int, expected: traffic.Sent) -> None:
    """Every buffer taken on the way there came back: in no more NOPs than buffers, in no fewer than fit."""
    reverse = finished.plan.ports.name[finished.plan.ports.reverse[port]]
    classes: Counter[tuple[int, bool]] = Counter()
    for kind, name in enumerate(finished.plan.kind_name):
        count = expected[reverse, name]
        classes[finished.plan.kind_channel[kind], False] += count
        classes[finished.plan.kind_channel[kind], True] += count if traffic.SIZES[name][1] else 0
    nops, fit = finished.end.port_nops[port], finished.machine.links[0].nop.releases_per_class
    assert max(-(-count // fit) for count in classes.values()) <= nops <= sum(classes.values())


@given(systems())
@CHECK
def test_no_line_is_faster_than_its_packets_on_their_way_alone(system: System) -> None:
    watched = Finished(system).watched
    threads = Workload(system.threads).threads
    bounds: dict[tuple[int, int], int] = {}
    for line in watched.lines:
        if line.eviction:
            continue
        access = threads[line.thread].accesses[line.number]
        ends = (threads[line.thread].node if access.node is None else access.node, access.memory)
        if ends not in bounds:
            bounds[ends] = zero_load.lower_bound_ps(system.machine, *ends)
        assert line.completed_ps - line.issued_ps >= bounds[ends]


@given(systems())
@settings(CHECK, max_examples=60)
def test_a_thread_issues_its_program_in_order_within_its_window(system: System) -> None:
    watched = Finished(system).watched
    for index, thread in enumerate(Workload(system.threads).threads):
        numbers = [number for _, whose, number, eviction in watched.launched if whose == index and not eviction]
        assert numbers == list(range(len(numbers)))
        assert thread.window is not None
        changes = [(time, 1) for time in watched.issued(index)] + [(time, -1) for time in watched.completed(index)]
        in_flight = most = 0
        for _, change in sorted(changes):
            in_flight += change
            most = max(most, in_flight)
        assert most <= thread.window


@given(systems())
@settings(CHECK, max_examples=60)
def test_a_rate_is_never_exceeded_by_more_than_a_window(system: System) -> None:
    watched = Finished(system).watched
    for index, thread in enumerate(Workload(system.threads).threads):
        if thread.interval_ns is None:
            continue
        assert thread.window is not None
        issued, interval_ps = watched.issued(index), round(thread.interval_ns * 1000)
        for first, start in enumerate(issued):
            for number, time in enumerate(issued[first:]):
                assert number + 1 <= thread.window + (time - start) // interval_ps


@given(systems())
@settings(CHECK, max_examples=60)
def test_servers_are_busy_for_what_they_did_and_no_longer(system: System) -> None:
    finished = Finished(system)
    for port in range(len(finished.plan.ports.name)):
        least, most = _service_ps(finished.plan, finished.end, port)
        assert least <= finished.end.port_busy_ps[port] <= finished.end.time_ps
        if _all_links_are_equal(finished.machine) and finished.machine.nodes[0].sri.data_gb_per_s is None:
            assert finished.end.port_busy_ps[port] <= most


def _service_ps(plan: Plan, end: Snapshot, port: int) -> tuple[int, int]:
    """Return the least and the most time the packets of a port take on equal links."""
    ports = plan.ports
    packets = sum(count * time for count, time in zip(end.port_sent[port], ports.service_ps[port], strict=True))
    extra = end.port_nops[port] * ports.nop_ps[port] + end.port_crcs[port] * ports.crc_ps[port]
    turns = max(0, sum(end.port_sent[port]) - 1) * ports.turnaround_ps[port]
    return packets + extra, packets + extra + turns


def _all_links_are_equal(machine: Machine) -> bool:
    return len({link.gb_per_s for link in machine.links}) <= 1


@given(systems(), st.integers(1, 400))
@settings(CHECK, max_examples=60)
def test_counters_only_grow_and_time_is_never_over_counted(system: System, stride: int) -> None:
    plan = lower(system.machine, Workload(system.threads))
    engine = Watched(plan).engine
    before = engine.snapshot()
    while engine._clock.has_events():
        engine._clock.run(Endless, stride)
        after = engine.snapshot()
        passed = after.time_ps - before.time_ps
        for port in range(len(plan.ports.name)):
            assert 0 <= after.port_busy_ps[port] - before.port_busy_ps[port] <= passed
            assert after.port_waiting_ps[port] >= before.port_waiting_ps[port]
        for pool, capacity in enumerate(plan.pools.capacity):
            assert 0 <= after.pool_held_ps[pool] - before.pool_held_ps[pool] <= capacity * passed
        before = after


@given(systems())
@settings(CHECK, max_examples=25)
def test_a_finite_program_ends_with_a_verdict(system: System) -> None:
    """Background threads alone decide nothing, so at least one is in the foreground here."""
    threads = system.threads
    if all(thread.background for thread in threads):
        return
    finished = Finished(system)
    result = run(system.machine, Workload(threads), SHORT)
    if finished.all_done:
        assert result.verdict == "steady"
    elif result.verdict != "deadlock":  # the foreground may end before the background jams
        foreground = [not background for background in finished.plan.threads.background]
        counts = zip(foreground, finished.end.thread_lines, finished.plan.threads.count, strict=True)
        assert all(lines == count for mine, lines, count in counts if mine)


@pytest.mark.slow
@given(systems())
@settings(CHECK, max_examples=1000, derandomize=False)
def test_nothing_is_lost_in_many_more_systems(system: System) -> None:
    finished = Finished(system)
    expected = traffic.packets(finished.machine, finished.workload.threads)
    if finished.all_done:
        assert finished.sent() == expected
        assert not finished.state.waiting
    else:
        _check_deadlock(finished, expected)


def _links(plan: Plan) -> list[tuple[int, str]]:
    return [(port, name) for port, name in enumerate(plan.ports.name) if plan.ports.kind[port] == PortKind.LINK]
