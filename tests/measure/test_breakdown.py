"""Where a line's time goes: every picosecond of its latency is in one part, and in the right one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator import list_machines, load_machine
from simulator.engine.compiled import CompiledEngine
from simulator.engine.interface import Engine, Snapshot
from simulator.engine.lower import lower
from simulator.engine.plan import Part, Plan
from simulator.engine.simpy_engine import SimpyEngine
from simulator.machine.spec import Machine
from simulator.machine.variants import without_jitter
from simulator.measure.accuracy import Accuracy
from simulator.measure.breakdown import LINE_PARTS, line_ns, parts_ps, path_names, path_reports
from simulator.measure.exact import ExactSession, exact_session
from simulator.measure.report import Window
from simulator.measure.result import PathReport, RunResult
from simulator.measure.run import run
from simulator.workload import Access, Arrivals, ThreadSpec, Workload
from tests.oracle.machines import CORE, ENTRY, PATH, READ, SRI, WIRE, XBAR, round_machine
from tests.oracle.random_systems import System, crowded_rings, systems

ENGINES = pytest.mark.parametrize("engine", [SimpyEngine, CompiledEngine])
SOME = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
SHORT = Accuracy(ci_percent=1e-6, lines=400, warmup=100)
EXACT = Accuracy(steady="exact", lines=20_000)


def check_exactness(plan: Plan, opened: Snapshot, last: Snapshot) -> None:
    """Hold each thread's parts to its latency, and lines to lines, in integers; and what is reported to both."""
    window = Window(plan, opened, last)
    for thread in range(len(plan.threads.label)):
        paths = [path for path, owner in enumerate(plan.paths.thread) if owner == thread]
        parts = [parts_ps(window, path) for path in paths]
        assert min((min(part) for part in parts), default=0) >= 0
        assert sum(sum(part) - part[Part.CORE] for part in parts) == window.difference("thread_latency_ps", thread)
        assert sum(window.difference("path_lines", path) for path in paths) == window.difference("thread_lines", thread)
    for report in path_reports(window):
        parts_ns = report.parts_ns.model_dump()
        assert sum(parts_ns.values()) == pytest.approx(report.latency_ns, rel=1e-12)
        sums = (report.walking_ns, report.queueing_ns, report.parts_ns.probe_wait, report.other_ns)
        assert sum(sums) == pytest.approx(report.total_ns, rel=1e-12)
        assert report.latency_ns + report.core_ns + report.other_ns == pytest.approx(report.total_ns, rel=1e-12)


def _looks(engine: Engine, targets: list[int], stride: int, most: int = 40) -> Iterator[Snapshot]:
    for _ in range(most):
        engine.advance(targets, stride)
        yield engine.snapshot()


class TestExactness:
    @ENGINES
    @pytest.mark.parametrize("name", list_machines())
    def test_every_shipped_machine(self, name: str, engine: Callable[[Plan], Engine]) -> None:
        """At instants that nothing chooses: lines are under way in every window's beginning and end."""
        plan = lower(load_machine(name), Workload(tuple(_everywhere(load_machine(name)))))
        snapshots = list(_looks(engine(plan), [10**9] * len(plan.threads.label), 3001, 12))
        assert snapshots[-1].path_lines != snapshots[1].path_lines
        for opened, last in zip(snapshots, snapshots[1:], strict=False):
            check_exactness(plan, opened, last)

    @ENGINES
    @given(system=st.one_of(systems(), crowded_rings()), stride=st.integers(40, 4000))
    @SOME
    def test_random_machines(self, engine: Callable[[Plan], Engine], system: System, stride: int) -> None:
        plan = lower(system.machine, Workload(system.threads))
        running = engine(plan)
        opened = running.snapshot()
        for last in _looks(running, list(plan.threads.count), stride):
            check_exactness(plan, opened, last)

    @given(system=systems())
    @SOME
    def test_random_machines_in_exact_mode(self, system: System) -> None:
        """Over whole periods nothing is cut off: a reader as fast as it can never has a slot without a line."""
        first = system.threads[0]
        threads = (ThreadSpec(first.node, first.core, first.accesses[:1], window=first.window),)
        plan = lower(without_jitter(system.machine), Workload(threads))
        session = exact_session(plan, "compiled", Accuracy(lines=2000))
        if isinstance(session, ExactSession):
            check_exactness(plan, session.opened, session.last)
            (report,) = path_reports(Window(plan, session.opened, session.last))
            assert report.other_ns == 0.0 if first.accesses[0].mode == "r" else report.other_ns >= 0.0

    @pytest.mark.parametrize("name", list_machines())
    def test_exact_mode_on_every_shipped_machine(self, name: str) -> None:
        machine = load_machine(name)
        home = next(node.id for node in machine.nodes if node.controller is not None)
        for mode in "rw":
            workload = Workload((ThreadSpec(machine.nodes[-1].id, 0, (Access(mode, home),), window=1),))
            plan = lower(without_jitter(machine), workload)
            session = exact_session(plan, "compiled", EXACT)
            assert isinstance(session, ExactSession), session
            check_exactness(plan, session.opened, session.last)
            window = Window(plan, session.opened, session.last, session.engine.path_histogram)
            assert run(machine, workload, EXACT).breakdown == path_reports(window)


def _everywhere(machine: Machine) -> Iterator[ThreadSpec]:
    """A thread on every core that reads and writes all memories in turn; the last one in the background."""
    homes = [node.id for node in machine.nodes if node.controller is not None]
    accesses = tuple(Access(mode, home) for home in homes for mode in "rw")
    for node in machine.nodes:
        for core in range(node.cores):
            yield ThreadSpec(node.id, core, accesses, background=core == node.cores - 1)


def _first_lines(machine: Machine, *labels: str) -> list[dict[str, float]]:
    """Return where the first line of each thread spent its time, ns by part, without the zeros."""
    plan = lower(machine, Workload.from_labels(labels))
    engine = SimpyEngine(plan)
    found: dict[int, tuple[int, ...]] = {}
    while len(found) < len(labels):
        engine.advance([1] * len(labels), 1)
        snapshot = engine.snapshot()
        found = {path: snapshot.path_parts_ps[path] for path, lines in enumerate(snapshot.path_lines) if lines == 1} | found
    named = {part.part: part.name for part in LINE_PARTS}
    return [{named[Part(part)]: ps / 1000 for part, ps in enumerate(parts) if ps} for _, parts in sorted(found.items())]


class TestDefinitions:
    """Round numbers, added up by hand: SRI 2, crossbar 8, wire 10, request 2, line 17, entry 7, DRAM 12 and its path 30."""

    def test_a_local_line(self) -> None:
        expected = {"sri": 2 * SRI, "crossbar": 2 * XBAR, "controller": ENTRY + PATH, "dram_service": READ, "core": CORE}
        assert _first_lines(round_machine([0]), "0.0.r.0") == [expected]

    def test_a_line_from_the_neighbour(self) -> None:
        request, line = 2, 17
        (parts,) = _first_lines(round_machine([0, 1], [(0, 1)]), "0.0.r.1")
        assert parts == {
            "sri": 2 * SRI,
            "crossbar": 4 * XBAR,
            "wire": 2 * WIRE,
            "serialisation": request + line,
            "controller": ENTRY + PATH,
            "dram_service": READ,
            "core": CORE,
        }

    def test_the_second_of_two_waits_for_the_first_at_the_dram(self) -> None:
        first, second = _first_lines(round_machine([0]), "0.0.r.0", "0.1.r.0")
        assert second == first | {"dram_queue": READ}

    def test_the_second_of_two_waits_for_the_only_place_in_the_controller(self) -> None:
        """Until SrcDone has come: 2 + 8 before it, the first line's way back, and SrcDone's 2 + 8 + 7."""
        first, second = _first_lines(round_machine([0], overrides=["controller.queue=1"]), "0.0.r.0", "0.1.r.0")
        kept = ENTRY + READ + PATH + XBAR + SRI + SRI + XBAR + ENTRY
        assert second == first | {"controller_full": pytest.approx(kept, abs=0.002)}

    def test_the_second_of_two_waits_for_the_link(self) -> None:
        """2 behind its request, so 12 - 2 behind its read, so 17 - 12 behind its data."""
        first, second = _first_lines(round_machine([0, 1], [(0, 1)]), "0.0.r.1", "0.1.r.1")
        assert second == first | {"link_queue": 2 + (17 - READ), "dram_queue": READ - 2}

    def test_a_far_neighbour_answers_late(self) -> None:
        """A local line of the last node on a chain of five waits for the probes, which walk to the other end."""
        machine = round_machine(range(5), [(node, node + 1) for node in range(4)])
        (parts,) = _first_lines(machine, "0.0.r.0")
        assert parts["probe_wait"] > 4 * (WIRE + XBAR)
        assert "link_queue" not in parts

    @pytest.mark.parametrize(
        ("overrides", "name"),
        [
            (["controller.queue=1"], "controller_full"),
            (["link.credits.request=1"], "credits"),
            (["link.rate_gt_per_s=0.2"], "link_queue"),
            (["controller.read_ns=80"], "dram_queue"),
            (["sri.to_crossbar.request=1", "link.credits.request=1"], "node_buffers"),
        ],
    )
    def test_what_is_scarce_is_waited_for(self, overrides: list[str], name: str) -> None:
        machine = load_machine("two-node", overrides)
        result = run(machine, Workload.from_labels(["0.0.r.1", "0.1.r.1"]), SHORT)
        for report in result.breakdown:
            waits = {part.name: line_ns(report, part) for part in LINE_PARTS if part.group == "queueing"}
            assert max(waits, key=lambda key: waits[key]) == name, waits


class TestSlots:
    """Lines in flight x time a line is latency, core time and the rest."""

    def _result(self, *threads: ThreadSpec) -> RunResult:
        return run(load_machine("two-node"), Workload(threads), SHORT)

    @staticmethod
    def _total_ns(paths: tuple[PathReport, ...]) -> float:
        return sum(path.lines * path.total_ns for path in paths) / sum(path.lines for path in paths)

    def test_one_path(self) -> None:
        result = self._result(ThreadSpec(0, 0, (Access("r", 1),)), ThreadSpec(1, 0, (Access("w", 1),), window=2))
        for thread, report in zip(result.threads, result.breakdown, strict=True):
            assert thread.time_per_line_ns is not None
            assert report.total_ns == pytest.approx(report.slots * thread.time_per_line_ns, rel=1e-12)
            assert abs(report.other_ns) < 0.02 * report.total_ns
        assert [(report.path, report.slots, report.place) for report in result.breakdown] == [
            ("read 0->1", 4, 0),
            ("write 1->1", 2, 1),
        ]

    def test_a_pace_leaves_slots_empty(self) -> None:
        result = self._result(ThreadSpec(0, 0, (Access("r", 0),), rate_gb_per_s=0.064, window=3))
        (report,) = result.breakdown
        assert report.total_ns == pytest.approx(3000, rel=0.01)
        assert report.other_ns == pytest.approx(3000 - report.latency_ns - report.core_ns, rel=0.01)

    def test_several_paths_and_a_migration(self) -> None:
        program = (Access("r", 0), Access("w", 1), Access("r", 1), Access("r", 1, node=1), Access("r", 1))
        result = self._result(ThreadSpec(0, 0, program), ThreadSpec(1, 1, (Access("r", 1),), background=True))
        own = tuple(report for report in result.breakdown if report.place == 0)
        assert [report.path for report in own] == ["read 0->0", "write 0->1", "read 0->1", "read 1->1"]
        assert sum(report.lines for report in own) == result.threads[0].lines
        assert result.threads[0].time_per_line_ns is not None
        assert self._total_ns(own) == pytest.approx(4 * result.threads[0].time_per_line_ns, rel=1e-12)
        assert [report.background for report in result.breakdown] == [False] * 4 + [True]
        assert path_names(own) == tuple(f"0.0.*.* {report.path}" for report in own)
        assert path_names(own[:1]) == ("0.0.*.*",)

    def test_arrivals_wait_before_they_have_a_slot(self) -> None:
        arrivals = Arrivals(mean_interval_ns=140.0)
        result = self._result(ThreadSpec(0, 0, (Access("r", 0),), window=1, core_time_ns=0.0, arrivals=arrivals))
        (report,) = result.breakdown
        source = report.parts_ns.source
        assert source > 10
        assert result.latency_ns is not None
        assert result.latency_ns.mean == pytest.approx(report.latency_ns, rel=1e-12)
        assert result.threads[0].time_per_line_ns is not None
        assert report.total_ns - source == pytest.approx(result.threads[0].time_per_line_ns, rel=1e-9)

    def test_a_thread_without_lines_has_no_path(self) -> None:
        late = ThreadSpec(0, 1, (Access("r", 0),), background=True, start_ns=1e7)
        result = self._result(ThreadSpec(0, 0, (Access("r", 0),)), late)
        assert [report.thread for report in result.breakdown] == ["0.0.r.0"]


def test_mean_latency_of_the_foreground_is_that_of_its_paths() -> None:
    result = run(load_machine("quartet"), Workload.from_labels(["0.0.w.1", "1.0.r.0"], background={"2.0.r.1": 1.0}), SHORT)
    paths = [report for report in result.breakdown if not report.background]
    assert result.latency_ns is not None
    mean_ns = sum(path.lines * path.latency_ns for path in paths) / sum(path.lines for path in paths)
    assert mean_ns == pytest.approx(result.latency_ns.mean, rel=1e-12)


def test_every_part_is_named_once() -> None:
    assert sorted(part.part for part in LINE_PARTS) == sorted(Part)
    assert len({part.name for part in LINE_PARTS}) == len(Part)


def test_a_result_without_a_breakdown_can_still_be_read() -> None:
    """Files that `numasim run -o` wrote before it had one."""
    document = run(load_machine("one-node"), Workload.from_labels(["0.0.r.0"]), SHORT).model_dump(mode="json")
    assert document["breakdown"][0]["path"] == "read 0->0"
    del document["breakdown"]
    assert RunResult.model_validate(document).breakdown == ()
