"""What a result says, against the lines and packets of the same run written down one by one."""

from __future__ import annotations

import math

import pytest

from simulator.engine.interface import LATENCY_BIN_PS
from simulator.engine.lower import lower
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.workload import Access, ThreadSpec, Workload
from tests.oracle import traffic
from tests.oracle.machines import round_machine
from tests.oracle.watch import Watched

ACCURACY = Accuracy(ci_percent=1e-6, lines=150, warmup=40)  # always to the limit of lines
QUARTET = load_machine("quartet")
FOREGROUND, BACKGROUND = ("0.0.w.1", "1.0.r.0"), {"2.0.r.2": 1.0, "3.1.w.0": 0.5}


class Both:
    """A result, and the same run watched line by line to the end of its window."""

    def __init__(self, machine: Machine, workload: Workload) -> None:
        self.result = run(machine, workload, ACCURACY)
        self.watched = Watched(lower(machine, workload))
        foreground = [index for index, thread in enumerate(workload.threads) if not thread.background]
        targets = [0] * len(workload.threads)
        for lines in (ACCURACY.warmup, ACCURACY.warmup + ACCURACY.lines):
            for index in foreground:
                targets[index] = lines
            self.watched.engine.advance(targets, 10**9)
            if lines == ACCURACY.warmup:
                self.opened = self.watched.engine.snapshot()
        self.last = self.watched.engine.snapshot()

    def completed_in_window(self, thread: int) -> list[int]:
        """Return the times (ps) of a thread's lines after the opening, up to the end."""
        return [time for time in self.watched.completed(thread) if self.opened.time_ps < time <= self.last.time_ps]


@pytest.fixture(scope="module")
def both() -> Both:
    """One run on the square, foreground and background."""
    return Both(QUARTET, Workload.from_labels(FOREGROUND, BACKGROUND))


def result_of(machine: Machine, *labels: str) -> RunResult:
    """Run labels to the limit of lines."""
    return run(machine, Workload.from_labels(labels), ACCURACY)


class TestThreads:
    def test_in_the_order_of_the_workload(self, both: Both) -> None:
        assert [(t.label, t.background, t.rate_gb_per_s) for t in both.result.threads] == [
            ("0.0.w.1", False, None),
            ("1.0.r.0", False, None),
            ("2.0.r.2", True, 1.0),
            ("3.1.w.0", True, 0.5),
        ]

    def test_the_window_is_from_the_warm_up_to_the_limit(self, both: Both) -> None:
        opened = max(both.watched.completed(thread)[ACCURACY.warmup - 1] for thread in (0, 1))
        last = max(both.watched.completed(thread)[ACCURACY.warmup + ACCURACY.lines - 1] for thread in (0, 1))
        assert (both.opened.time_ps, both.last.time_ps) == (opened, last)
        assert both.result.window_ns == (last - opened) / 1000

    def test_lines_are_those_of_the_window(self, both: Both) -> None:
        assert [thread.lines for thread in both.result.threads] == [len(both.completed_in_window(thread)) for thread in range(4)]
        assert min(thread.lines for thread in both.result.threads[:2]) >= ACCURACY.lines - 1

    def test_time_a_line_is_from_the_last_line_before_to_the_last_within(self, both: Both) -> None:
        for thread, report in enumerate(both.result.threads):
            times = both.completed_in_window(thread)
            before = [time for time in both.watched.completed(thread) if time <= both.opened.time_ps][-1]
            assert report.time_per_line_ns == (times[-1] - before) / len(times) / 1000

    def test_rate_is_64_bytes_a_line_over_the_window(self, both: Both) -> None:
        window_ps = both.last.time_ps - both.opened.time_ps
        for report in both.result.threads:
            assert report.gb_per_s == report.lines * 64 * 1000 / window_ps

    def test_a_thread_without_lines(self) -> None:
        late = ThreadSpec(0, 1, (Access("r", 0),), background=True, start_ns=1e6)
        result = run(round_machine([0]), Workload((ThreadSpec(0, 0, (Access("r", 0),)), late)), ACCURACY)
        report = result.threads[1]
        assert (report.lines, report.time_per_line_ns, report.gb_per_s, report.ci_percent) == (0, None, 0.0, None)


class TestLinks:
    def test_classes_sum_to_the_rate(self, both: Both) -> None:
        window_ps = both.last.time_ps - both.opened.time_ps
        for link in both.result.links.values():
            assert link.gb_per_s == sum(link.bytes_by_class.model_dump().values()) * 1000 / window_ps

    def test_every_direction_is_there(self, both: Both) -> None:
        assert set(both.result.links) == {"0->1", "1->0", "0->2", "2->0", "1->3", "3->1", "2->3", "3->2"}

    def test_bytes_are_those_of_the_packets_sent_in_the_window(self, both: Both) -> None:
        plan = both.watched.plan
        crc, nop = QUARTET.links[0].crc.bytes, QUARTET.links[0].nop.bytes
        classes = {"RdBlk": "command", "RdBlkMod": "command", "VicBlk": "command", "Probe": "probe"}
        for key, link in both.result.links.items():
            port = plan.ports.name.index(f"link {key}")
            expected = dict.fromkeys(("data", "command", "probe", "response"), 0)
            for kind, name in enumerate(plan.kind_name):
                count = both.last.port_sent[port][kind] - both.opened.port_sent[port][kind]
                header, data = traffic.SIZES[name]
                expected[classes.get(name, "response")] += count * header
                expected["data"] += count * data
            expected["flow_control"] = nop * (both.last.port_nops[port] - both.opened.port_nops[port])
            expected["crc"] = crc * (both.last.port_crcs[port] - both.opened.port_crcs[port])
            assert link.bytes_by_class.model_dump() == expected

    def test_use_is_busy_time_over_the_window(self, both: Both) -> None:
        """On equal links every byte occupies the link for its time and nothing else does; a packet may straddle an end."""
        for link in both.result.links.values():
            assert link.utilization == pytest.approx(link.gb_per_s / 4.0, abs=19_000 / (both.result.window_ns * 1000))
            assert 0 <= link.utilization <= 1

    def test_links_of_a_machine_without_any(self) -> None:
        assert result_of(round_machine([0]), "0.0.r.0").links == {}

    def test_parallel_links_have_numbers(self) -> None:
        links = [
            {"ends": [0, 1], "carries": ["request", "posted", "probe"]},
            {"ends": [0, 1], "carries": ["response"]},
        ]
        result = result_of(round_machine([0, 1], links), "0.0.r.1")
        assert set(result.links) == {"0->1#0", "1->0#0", "0->1#1", "1->0#1"}
        assert result.links["1->0#1"].bytes_by_class.data > 0
        assert result.links["1->0#0"].bytes_by_class.data == 0
        assert result.links["1->0#1"].bytes_by_class.probe == 0


class TestControllers:
    def test_bytes_read_and_written(self, both: Both) -> None:
        """Every line is read, and a writer's line goes with one that is written."""
        plan, window_ps = both.watched.plan, both.last.time_ps - both.opened.time_ps
        for index, node in enumerate(plan.node_ids):
            port, report = plan.controller_port[index], both.result.controllers[str(node)]
            sent = [last - first for last, first in zip(both.last.port_sent[port], both.opened.port_sent[port], strict=True)]
            written = sent[plan.kind_name.index("VicBlk")]
            read = sum(sent) - written
            assert report.read_gb_per_s == read * 64 * 1000 / window_ps
            assert report.write_gb_per_s == written * 64 * 1000 / window_ps
            assert report.gb_per_s == report.read_gb_per_s + report.write_gb_per_s
            assert report.utilization == (both.last.port_busy_ps[port] - both.opened.port_busy_ps[port]) / window_ps
        assert set(both.result.controllers) == {"0", "1", "2", "3"}

    def test_a_node_without_memory_has_none(self) -> None:
        machine = round_machine([0, {"id": 1, "cores": 2}], [(0, 1)])
        assert set(result_of(machine, "1.0.r.0").controllers) == {"0"}

    def test_mean_queue_by_hand(self) -> None:
        """Local lines one by one: each holds an entry for 76 ns (10 to 86) of the 74 ns of a line, so a bit more than one."""
        result = result_of(round_machine([0]), "0.0.r.0")
        assert result.threads[0].time_per_line_ns == 69 + 5
        assert result.controllers["0"].mean_queue == 76 / 74
        assert result.controllers["0"].utilization == 12 / 74

    def test_the_queue_is_never_longer_than_it_is(self) -> None:
        machine = round_machine([0], overrides=["controller.queue=2"])
        workload = Workload(tuple(ThreadSpec(0, core, (Access("w", 0),), window=8) for core in (0, 1)))
        result = run(machine, workload, ACCURACY)
        assert 1.9 < result.controllers["0"].mean_queue <= 2


class TestLatency:
    def test_mean_is_exact(self, both: Both) -> None:
        lines = [line for line in both.watched.lines if not line.eviction and line.thread in (0, 1)]
        measured = [line for line in lines if both.opened.time_ps < line.completed_ps <= both.last.time_ps]
        assert both.result.latency_ns is not None
        total_ps = sum(line.completed_ps - line.issued_ps for line in measured)
        assert both.result.latency_ns.mean == total_ps / len(measured) / 1000

    def test_percentiles_are_at_most_a_bin_too_long(self, both: Both) -> None:
        lines = [line for line in both.watched.lines if not line.eviction and line.thread in (0, 1)]
        latencies = sorted(
            line.completed_ps - line.issued_ps for line in lines if both.opened.time_ps < line.completed_ps <= both.last.time_ps
        )
        assert both.result.latency_ns is not None
        for share, reported in ((0.5, "p50"), (0.95, "p95"), (0.99, "p99")):
            exact = latencies[math.ceil(share * len(latencies)) - 1]
            assert 0 < getattr(both.result.latency_ns, reported) * 1000 - exact <= LATENCY_BIN_PS

    def test_percentiles_of_each_thread_and_path(self, both: Both) -> None:
        for thread, path in zip(both.result.threads, both.result.breakdown, strict=True):  # each thread has one path
            own = [line for line in both.watched.lines if not line.eviction and line.thread == path.place]
            latencies = sorted(
                line.completed_ps - line.issued_ps for line in own if both.opened.time_ps < line.completed_ps <= both.last.time_ps
            )
            for share, name in ((0.5, "latency_p50_ns"), (0.95, "latency_p95_ns"), (0.99, "latency_p99_ns")):
                exact = latencies[math.ceil(share * len(latencies)) - 1]
                assert 0 < getattr(path, name) * 1000 - exact <= LATENCY_BIN_PS
                assert getattr(thread, name) == getattr(path, name)
            assert thread.latency_ns == pytest.approx(path.latency_ns)

    def test_core_time_is_not_part_of_it(self) -> None:
        slow = round_machine([0], overrides=["core.core_time_ns=500.0"])
        latency = result_of(slow, "0.0.r.0").latency_ns
        assert latency is not None
        assert latency.mean == 69

    def test_background_lines_are_not_part_of_it(self) -> None:
        machine = round_machine([0, 1], [(0, 1)])
        quiet, loud = (
            run(machine, Workload.from_labels(["0.0.r.0"], background), ACCURACY).latency_ns
            for background in ({}, {"1.0.r.1": 0.001})
        )
        assert quiet is not None
        assert loud is not None
        assert loud.p50 == quiet.p50


class TestProvenance:
    def test_it_holds_what_determines_the_run(self, both: Both) -> None:
        provenance = both.result.provenance
        assert provenance.machine == QUARTET.model_dump(mode="json")
        assert provenance.workload == Workload.from_labels(FOREGROUND, BACKGROUND).as_dict()
        assert provenance.accuracy == {"ci_percent": 1e-6, "lines": 150, "warmup": 40, "steady": "ci"}
        assert (provenance.seed, provenance.engine) == (1, "compiled")

    def test_a_result_can_be_read_back(self, both: Both) -> None:
        text = both.result.model_dump_json()
        assert RunResult.model_validate_json(text).model_dump_json() == text

    def test_a_run_can_be_repeated_from_it(self, both: Both) -> None:
        provenance = both.result.provenance
        machine = Machine.model_validate(provenance.machine)
        again = run(machine, Workload.from_labels(FOREGROUND, BACKGROUND), Accuracy(**provenance.accuracy), seed=provenance.seed)
        assert again == both.result
