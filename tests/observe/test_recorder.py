"""What is recorded, held against the engine's own counters and against times worked out by hand; recording changes nothing."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

from simulator.engine.interface import Snapshot
from simulator.engine.lower import lower
from simulator.engine.plan import NONE, Part, Plan
from simulator.engine.simpy_engine import ObservedEngine, Observer, SimpyEngine
from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.run import run
from simulator.observe import record as record_module
from simulator.observe.record import Window, record
from simulator.observe.recorder import Recorder
from simulator.observe.records import PoolChange, Trace
from simulator.observe.series import busy, free_units, waiting
from simulator.workload import Access, Arrivals, ThreadSpec, Workload
from tests.observe.recordings import CROSSFIRE, crossfire, from_start
from tests.oracle.machines import link_entry, ring, round_machine
from tests.oracle.random_systems import System, systems
from tests.oracle.watch import once, time_log

TWO = round_machine([0, 1], [(0, 1)])
FEW = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


class Watched:
    """A window of a system, with the engine's counters at its ends."""

    def __init__(self, plan: Plan, warmup_events: int, length_ps: int) -> None:
        recorder = Recorder(plan, 10**9)
        engine = ObservedEngine(plan, recorder)
        engine.advance([10**9] * len(plan.threads.label), warmup_events)
        self.opened = engine.snapshot()
        recorder.open(engine.now_ps)
        engine.advance_to(engine.now_ps + length_ps)
        self.last = engine.snapshot()
        self.trace: Trace = recorder.close(engine.now_ps)

    def grown(self, column: str, row: int) -> int:
        """Return how much a counter grew."""
        return int(getattr(self.last, column)[row] - getattr(self.opened, column)[row])


def _counters(engine: SimpyEngine) -> tuple[Snapshot, list[int], object]:
    return engine.snapshot(), list(engine.latency_histogram()), engine.wait_state()


class TestRecordingChangesNothing:
    @pytest.mark.parametrize("observer", [Observer, None], ids=["looks away", "records"])
    def test_every_counter_is_the_same(self, observer: type[Observer] | None) -> None:
        plan = lower(load_machine("quartet"), Workload.from_labels(CROSSFIRE, background={"2.1.r.1": 3.0, "3.0.w.3": 1.0}))
        recorder = Recorder(plan, 10**9) if observer is None else observer()
        if isinstance(recorder, Recorder):
            recorder.open(0)
        plain, observed = SimpyEngine(plan), ObservedEngine(plan, recorder)
        for engine in (plain, observed):
            engine.start_latency_record()
            engine.advance([60, 60, 0, 0], 10**9)
        assert _counters(plain) == _counters(observed)

    @given(systems())
    @FEW
    def test_on_random_machines_to_the_end_or_a_deadlock(self, system: System) -> None:
        plan = lower(system.machine, Workload(system.threads))
        recorder = Recorder(plan, 10**9)
        recorder.open(0)
        plain, observed = SimpyEngine(plan), ObservedEngine(plan, recorder)
        for engine in (plain, observed):
            engine.advance([10**9] * len(system.threads), 8_000)
        assert _counters(plain) == _counters(observed)


class TestAgainstCounters:
    """Integrals over what was recorded are the engine's counters, to the last integer."""

    @staticmethod
    def _hold(watched: Watched) -> None:
        trace, plan = watched.trace, watched.trace.plan
        whole = waiting(trace)
        for port in range(len(plan.ports.name)):
            steps = whole.get(port, {}).values()
            assert sum(_integral(some, trace.closed_ps) for some in steps) == watched.grown("port_waiting_ps", port)
            busy_ps = sum(end - start for start, end, _ in busy(trace).get(port, []))
            assert busy_ps == watched.grown("port_busy_ps", port)
        for pool, capacity in enumerate(plan.pools.capacity):
            steps = free_units(trace).get(pool, ((trace.opened_ps, trace.free_at_open[pool]),))
            held_ps = capacity * (trace.closed_ps - trace.opened_ps) - _integral(steps, trace.closed_ps)
            assert held_ps == watched.grown("pool_held_ps", pool)

    def test_crossfire(self) -> None:
        plan = lower(load_machine("quartet"), Workload.from_labels(CROSSFIRE, background={"3.0.r.3": 4.0}))
        self._hold(Watched(plan, 8000, 700_000))

    @given(systems())
    @FEW
    def test_random_machines(self, system: System) -> None:
        self._hold(Watched(lower(system.machine, Workload(system.threads)), 300, 400_000))

    def test_packets_and_nops(self) -> None:
        """From the start, so that nothing was before it."""
        plan = lower(load_machine("quartet"), Workload.from_labels(CROSSFIRE))
        watched = Watched(plan, 0, 1_000_000)
        sent = Counter((hop.port, hop.packet.kind) for hop in watched.trace.hops if hop.granted_ps is not None)
        nops = Counter(nop.port for nop in watched.trace.nops)
        for port in range(len(plan.ports.name)):
            assert watched.last.port_sent[port] == tuple(sent[port, kind] for kind in range(len(plan.kind_name)))
            assert watched.last.port_nops[port] == nops[port]

    def test_parts_of_lines(self) -> None:
        """From the start, so that every line that was counted is in the trace."""
        plan = lower(load_machine("quartet"), Workload.from_labels(CROSSFIRE, background={"3.1.r.3": 4.0, "3.0.r.3": 4.0}))
        watched = Watched(plan, 0, 1_500_000)
        sums = [[0] * len(Part) for _ in plan.paths.thread]
        for line in watched.trace.transactions:
            if not line.eviction and line.completed_ps is not None:
                (path,) = [row for row, owner in enumerate(plan.paths.thread) if owner == line.thread]
                for span in line.spans:
                    sums[path][span.part] += span.end_ps - span.start_ps
        assert [tuple(parts) for parts in sums] == list(watched.last.path_parts_ps)
        assert sum(parts[Part.LINK_QUEUE] for parts in sums) > 0
        assert sum(parts[Part.CREDITS] for parts in sums) > 0


def _integral(steps: object, closed_ps: int) -> int:
    rows = list(steps)  # type: ignore[call-overload]
    ends = [*(time for time, _ in rows[1:]), closed_ps]
    return sum(value * (end - start) for (start, value), end in zip(rows, ends, strict=True))


@given(systems())
@FEW
def test_spans_of_every_line_follow_each_other_and_add_up(system: System) -> None:
    trace = Watched(lower(system.machine, Workload(system.threads)), 0, 3_000_000).trace
    for line in trace.transactions:
        edges = [line.issued_ps, *(span.end_ps for span in line.spans)]
        assert [span.start_ps for span in line.spans] == edges[:-1]
        if not line.eviction and line.completed_ps is not None:
            assert sum(span.end_ps - span.start_ps for span in line.spans if span.part != Part.CORE) == (
                line.completed_ps - line.issued_ps
            )


class TestByHand:
    """The plans of the engine's time logs: SRI 2, crossbar 8, entry 7, DRAM 12, path 30, wire 10 ns."""

    def test_a_line_over_a_link(self) -> None:
        trace = from_start(TWO, [once(0, 0, "r", 1)]).trace
        (line,) = trace.transactions
        hops = {
            (trace.plan.kind_name[hop.packet.kind], trace.plan.ports.name[hop.port]): tuple(
                None if time is None else time / 1000
                for time in (hop.queued_ps, hop.granted_ps, hop.header_ps, hop.tail_ps, hop.arrival_ps)
            )
            for hop in trace.hops
        }
        assert hops["RdBlk", "node 0 SRI to crossbar"] == (0, 0, 0, 0, 10)
        assert hops["RdBlk", "link 0->1"] == (10, 10, 12, 12, 30)
        assert hops["RdBlk", "node 1 DRAM"] == (37, 37, 49, 49, 79)
        assert hops["RdResponse", "link 1->0"] == (87, 87, 88, 104, 106)  # the header goes ahead
        assert hops["RdResponse", "node 0 crossbar to SRI"] == (106, 106, 106, 122, 124)  # the tail comes 17 after it began
        assert hops["SrcDone", "link 0->1"] == (134, 134, 135, 135, 153)
        assert (line.data_ps, line.completed_ps, line.over_ps) == (124_000, 124_000, (153 + 7) * 1000)

    @pytest.mark.parametrize(
        "threads",
        [[once(0, 0, "w", 1)], [once(0, 0, "w", 1, start_ns=10), once(1, 0, "r", 0, window=4)]],
        ids=["a write", "two threads"],
    )
    def test_what_ports_take_in_hand_is_what_the_counters_say(self, threads: list[ThreadSpec]) -> None:
        trace = from_start(TWO, threads).trace
        plan = trace.plan
        log = [
            (hop.granted_ps / 1000, f"{plan.ports.name[hop.port]}: {plan.kind_name[hop.packet.kind]}")
            for hop in trace.hops
            if hop.granted_ps is not None
        ]
        log += [(nop.sent_ps / 1000, f"{plan.ports.name[nop.port]}: NOP") for nop in trace.nops]
        log += [
            ((line.completed_ps or 0) / 1000, f"{plan.threads.label[line.thread]}: line")
            for line in trace.transactions
            if not line.eviction
        ]
        assert sorted(log) == time_log(TWO, threads, 1000)

    def test_a_wait_for_the_only_credit(self) -> None:
        """The second request waits while the first is sent, 10 to 12, and then until its credit is back at 41."""
        machine = round_machine([0, 1], [(0, 1)], ["link.credits.request=1"])
        trace = from_start(machine, [once(0, 0, "r", 1), once(0, 1, "r", 1)]).trace
        waits = [span for span in trace.transactions[1].spans if span.part in (Part.LINK_QUEUE, Part.CREDITS)]
        assert [(span.start_ps, span.end_ps, span.part) for span in waits[:2]] == [
            (10_000, 12_000, Part.LINK_QUEUE),
            (12_000, 41_000, Part.CREDITS),
        ]
        assert trace.plan.pools.name[waits[1].lacks] == "link 0->1 request buffers"
        assert waits[0].lacks == NONE
        pool = waits[1].lacks
        events = [(event.time_ps, event.change, event.free) for event in trace.pool_events if event.pool == pool]
        assert events[:4] == [
            (10_000, PoolChange.TAKEN, 0),
            (30_000, PoolChange.OWED, 0),  # on to the controller at once
            (41_000, PoolChange.BACK, 1),  # NOP 1, wire 10
            (41_000, PoolChange.TAKEN, 0),
        ]

    def test_copies_of_a_probe_know_what_they_are_copied_from(self) -> None:
        machine = round_machine(range(3), [link_entry(0, 1), link_entry(1, 2)])
        (line,) = from_start(machine, [once(0, 0, "r", 0)]).trace.transactions
        kinds = Counter(packet.kind for packet in line.packets)
        answers = [packet for packet in line.packets if kinds[packet.kind] == 2]
        assert len(answers) == 2  # of nodes 1 and 2; node 0 answers without a packet
        for answer in answers:
            probe = answer.cause
            assert probe is not None
            assert probe.gone_ps == answer.born_ps
            while probe.cause is not None and probe.cause.kind == probe.kind:
                probe = probe.cause
            assert probe.cause is line.packets[0]  # the request

    def test_an_arrival_without_a_free_slot(self) -> None:
        program = (Access("r", 0),)
        thread = ThreadSpec(0, 0, program, window=1, core_time_ns=0.0, arrivals=Arrivals(40.0, random=False))
        lines = from_start(round_machine([0]), [thread], 300).trace.completed_lines()
        assert [(line.issued_ps, line.launched_ps) for line in lines[:2]] == [(40_000, 40_000), (80_000, 40_000 + 69_000)]
        assert lines[1].spans[0].part is Part.SOURCE


class TestSharedLines:
    """Two threads write one line in turn: it goes from cache to cache, and the second waits at the home."""

    @staticmethod
    def _threads() -> list[ThreadSpec]:
        program = (Access("w", 0, shared=0), Access("r", 1))
        return [ThreadSpec(node, 0, program, window=2, core_time_ns=3.0) for node in (0, 1)]

    def test_their_turn_is_a_span(self) -> None:
        plan = lower(TWO, Workload(tuple(self._threads())))
        watched = Watched(plan, 0, 3_000_000)
        lines = [line for line in watched.trace.transactions if not line.eviction]
        assert any(span.part is Part.SHARED_LINE and span.node == 0 for line in lines for span in line.spans)
        sums = [0] * len(Part)
        for line in lines:
            edges = [line.issued_ps, *(span.end_ps for span in line.spans)]
            assert [span.start_ps for span in line.spans] == edges[:-1]
            for span in line.spans if line.completed_ps is not None else ():
                sums[span.part] += span.end_ps - span.start_ps
        counted = [sum(parts) for parts in zip(*watched.last.path_parts_ps, strict=True)]
        assert sums[: Part.CORE] == counted[: Part.CORE]
        assert sums[Part.SHARED_LINE] == counted[Part.SHARED_LINE] > 0

    def test_every_counter_is_the_same(self) -> None:
        plan = lower(TWO, Workload(tuple(self._threads())))
        recorder = Recorder(plan, 10**9)
        recorder.open(0)
        plain, observed = SimpyEngine(plan), ObservedEngine(plan, recorder)
        for engine in (plain, observed):
            engine.advance([100, 100], 10**9)
        assert _counters(plain) == _counters(observed)

    def test_a_probe_belongs_to_the_request_that_it_is_for(self) -> None:
        for life in Watched(lower(TWO, Workload(tuple(self._threads()))), 0, 3_000_000).trace.transactions:
            assert all(packet.cause is None or packet.cause.transaction is life for packet in life.packets)


class TestWindows:
    def test_it_opens_where_the_measured_window_of_a_run_does(self) -> None:
        recording = crossfire()
        result = run(recording.machine, recording.workload, Accuracy(50, 10, 60))
        plan = recording.trace.plan
        engine = SimpyEngine(plan)
        engine.advance([60, 60, 0], 10**9)
        assert recording.trace.opened_ps == engine.snapshot().time_ps
        assert recording.trace.closed_ps - recording.trace.opened_ps == 400_000
        assert result.provenance.seed == recording.provenance.seed

    def test_lines_under_way_at_its_ends_are_whole_or_open(self) -> None:
        trace = crossfire().trace
        before = [life for life in trace.transactions if life.issued_ps < trace.opened_ps]
        after = [life for life in trace.transactions if life.completed_ps is None]
        assert before and after
        assert all(life.packets[0].hops[0].queued_ps == life.launched_ps for life in before)
        for life in before:
            rests_until_ps = (life.completed_ps or 0) + (life.core_ps or 0)
            assert life.over_ps is None or max(life.over_ps, rests_until_ps) >= trace.opened_ps
        resting = [life for life in before if life.over_ps is not None and life.over_ps < trace.opened_ps]
        assert resting  # in their core time

    def test_a_later_start(self) -> None:
        workload = Workload.from_labels(["0.0.r.0"])
        trace = record(load_machine("one-node"), workload, Window(100, start_ns=5000.5)).trace
        assert (trace.opened_ps, trace.closed_ps) == (5_000_500, 5_100_500)

    def test_too_many_events(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(record_module, "MOST_EVENTS", 500)
        with pytest.raises(
            InputError, match=r"window: the window holds more than 500 events \(got 400\.0\); allowed: up to about \d+ ns"
        ):
            crossfire()

    def test_packets_at_ports_changes_of_pools_and_nops_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        threads = [once(0, 0, "w", 1)]
        trace = from_start(TWO, threads).trace
        events = len(list(trace.hops)) + len(trace.pool_events) + len(trace.nops)
        monkeypatch.setattr(record_module, "MOST_EVENTS", events)
        from_start(TWO, threads)
        monkeypatch.setattr(record_module, "MOST_EVENTS", events - 1)
        with pytest.raises(InputError, match="the window holds more than"):
            from_start(TWO, threads)

    def test_a_warm_up_that_never_ends(self) -> None:
        machine = ring(
            6, [f"link.credits.{name}=1" for name in ("request", "response", "probe", "request_data", "response_data")]
        )
        threads = tuple(ThreadSpec(node, 0, (Access("w", (node + 3) % 6),), window=8) for node in range(6))
        with pytest.raises(InputError, match="warmup: the warm-up never ends: deadlock, .* can never move again"):
            record(machine, Workload(threads), Window(100.0, warmup=5000))
        assert record(machine, Workload(threads), Window(100.0, start_ns=0.0)).trace.transactions

    @pytest.mark.parametrize(
        ("values", "field"),
        [({"length_ns": 0.0}, "window"), ({"length_ns": float("nan")}, "window"), ({"start_ns": -1.0}, "start")],
    )
    def test_no_window(self, values: dict[str, float], field: str) -> None:
        with pytest.raises(InputError, match=field):
            Window(**values)  # type: ignore[arg-type]
