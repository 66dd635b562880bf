"""One seed, one result: to the last byte, whatever decides nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import simulator.engine.simpy_engine.fabric as fabric
import simulator.engine.simpy_engine.threads as threads_module
from simulator.engine.lower import lower
from simulator.engine.order import Components, Phase, components, event_key
from simulator.engine.plan import Plan
from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.workload import Access, ThreadSpec, TimeSlice, Workload
from tests.oracle.machines import link_entry, node_entry, round_machine

ROOT = Path(__file__).resolve().parents[2]
QUICK = Accuracy(ci_percent=5, lines=300, warmup=30)
LABELS = ("0.0.w.1", "0.1.r.3", "1.0.w.0", "2.0.r.1", "3.1.w.3")
BACKGROUND = {"2.1.r.2": 1.0, "1.1.w.2": 0.5}
PROGRAM = """
import sys
from simulator import Accuracy, Workload, load_machine, run
labels = {labels!r}
if "reversed" in sys.argv:
    labels = labels[::-1]
background = {background!r}
if "reversed" in sys.argv:
    background = dict(reversed(background.items()))
workload = Workload.from_labels(labels, background)
sys.stdout.write(run(load_machine("quartet"), workload, Accuracy(ci_percent=5, lines=300, warmup=30)).model_dump_json())
"""


def quartet_run(labels: Sequence[str] = LABELS, seed: int = 1) -> RunResult:
    """Run AMD's square for a moment."""
    return run(load_machine("quartet"), Workload.from_labels(labels, BACKGROUND), QUICK, seed=seed)


def test_twice_is_the_same() -> None:
    assert quartet_run().model_dump_json() == quartet_run().model_dump_json()


def test_the_order_of_threads_decides_nothing() -> None:
    assert quartet_run(LABELS[::-1]).model_dump_json() == quartet_run().model_dump_json()


def test_another_process_and_hash_seed_decide_nothing() -> None:
    expected = quartet_run().model_dump_json()
    source = PROGRAM.format(labels=LABELS, background=BACKGROUND)
    for hash_seed, arguments in (("0", []), ("4242", ["reversed"])):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", source, *arguments]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
        assert done.stdout == expected


def test_the_order_of_entries_in_a_machine_file_decides_nothing() -> None:
    nodes = [node_entry(node) for node in range(4)]
    links = [link_entry(0, 1), link_entry(1, 2, 2.0), link_entry(2, 3), link_entry(0, 3)]
    turned = [{**link, "ends": link["ends"][::-1]} for link in reversed(links)]
    jitter = ["core.jitter_ns=2.0"]
    workload = Workload.from_labels(["0.0.w.2", "1.0.r.3", "2.0.w.2"])
    one = run(round_machine(nodes, links, jitter), workload, QUICK)
    other = run(round_machine(reversed(nodes), turned, jitter), workload, QUICK)
    assert one.model_dump_json() == other.model_dump_json()


def test_another_seed_gives_another_run() -> None:
    one, other = quartet_run(), quartet_run(seed=2)
    assert [thread.time_per_line_ns for thread in one.threads] != [thread.time_per_line_ns for thread in other.threads]
    assert one.events != other.events


def test_without_jitter_the_seed_decides_nothing() -> None:
    machine = round_machine([0, 1], [(0, 1)])
    workload = Workload.from_labels(["0.0.w.1", "1.0.w.0", "1.1.r.0"])
    one, other = (run(machine, workload, QUICK, seed=seed).model_dump(exclude={"provenance"}) for seed in (1, 2))
    assert one == other


def test_threads_draw_from_streams_of_their_names() -> None:
    machine = load_machine("quartet")
    alone = lower(machine, Workload.from_labels(["1.0.w.0"]))
    among = lower(machine, Workload.from_labels(["0.0.r.0", "1.0.w.0", "3.1.w.0"]))
    assert alone.threads.stream[0] == among.threads.stream[1]
    assert len(set(among.threads.stream)) == 3


def test_threads_of_one_label_are_told_apart() -> None:
    """Two that take turns on one core draw from streams of their own."""
    turns = [TimeSlice(period_ns=1000.0, start_ns=start, length_ns=400.0) for start in (0.0, 500.0)]
    threads = [ThreadSpec(0, 0, (Access("r", 0),), time_slice=turn) for turn in turns]
    plan = lower(load_machine("quartet"), Workload(tuple(threads)))
    assert plan.threads.label == ("0.0.r.0", "0.0.r.0")
    assert plan.threads.stream[0] != plan.threads.stream[1]


def test_event_keys_sort_like_phase_component_and_slot() -> None:
    triples = [(phase, component, slot) for phase in Phase for component in (0, 1, 70_000) for slot in (0, 1, 65_535)]
    keys = [event_key(*triple) for triple in triples]
    assert keys == sorted(set(keys))


def test_component_numbers_do_not_overlap() -> None:
    plan = lower(load_machine("quartet"), Workload.from_labels(LABELS))
    first = components(plan)
    ports, threads, delays = len(plan.ports.name), len(plan.threads.label), len(plan.delays.name)
    groups = [(first.delay, delays), (first.tail, ports), (first.nop, ports), (first.header, ports), (first.thread, threads)]
    numbers = [start + row for start, count in (*groups, (first.port, ports)) for row in range(count)]
    assert len(numbers) == len(set(numbers))
    assert min(numbers) > 0  # simpy's own events start there


class _Backwards(int):
    """A group of components numbered from its end: first + row counts down."""

    def __add__(self, row: int) -> int:
        return int(self) - row


def _reversed_components(plan: Plan) -> Components:
    """Number all components the other way round, the last thread or port first."""
    first = components(plan)
    last = first.port + len(plan.ports.name)
    names = ("delay", "tail", "nop", "header", "thread", "port")
    return Components(**{name: _Backwards(last - getattr(first, name)) for name in names})


def _differences(one: RunResult, other: RunResult, renamed: dict[str, str] | None = None) -> list[float]:
    """Return by how much each thread's time a line moved, in units of both intervals together."""
    found = []
    times = {thread.label: thread for thread in other.threads}
    for thread in one.threads:
        twin = times[(renamed or {}).get(thread.label, thread.label)]
        assert thread.time_per_line_ns is not None
        assert twin.time_per_line_ns is not None
        assert thread.ci_percent is not None
        assert twin.ci_percent is not None
        allowed = (thread.ci_percent * thread.time_per_line_ns + twin.ci_percent * twin.time_per_line_ns) / 100
        found.append(abs(thread.time_per_line_ns - twin.time_per_line_ns) / allowed)
    return found


EIGHT = ("0.0.w.1", "0.1.r.0", "1.0.w.0", "1.1.r.3", "2.0.w.2", "2.1.r.1", "3.0.w.0", "3.1.r.2")
LONG = Accuracy(ci_percent=1.0, lines=6000, warmup=500)


@pytest.mark.slow
@pytest.mark.parametrize("labels", [("0.0.w.1", "1.0.w.0"), ("0.0.w.1", "1.0.w.2"), EIGHT], ids=["crossfire", "two", "eight"])
def test_another_order_of_ties_moves_nothing_beyond_its_interval(
    labels: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, workload = load_machine("quartet"), Workload.from_labels(labels)
    usual = run(machine, workload, LONG, engine="simpy")
    monkeypatch.setattr(fabric, "components", _reversed_components)
    monkeypatch.setattr(threads_module, "components", _reversed_components)
    turned = run(machine, workload, LONG, engine="simpy")
    assert usual.threads != turned.threads  # it does decide something
    assert max(_differences(usual, turned)) <= 1


@pytest.mark.slow
def test_other_numbers_of_the_nodes_move_nothing_beyond_its_interval() -> None:
    """Half a turn of the square, which maps AMD's routing tables onto themselves."""
    half_turn = {"0": "3", "1": "2", "2": "1", "3": "0"}

    def turned(label: str) -> str:
        node, core, mode, memory = label.split(".")
        return f"{half_turn[node]}.{core}.{mode}.{half_turn[memory]}"

    machine = load_machine("quartet")
    one = run(machine, Workload.from_labels(EIGHT), LONG)
    other = run(machine, Workload.from_labels([turned(label) for label in EIGHT]), LONG)
    assert max(_differences(one, other, {label: turned(label) for label in EIGHT})) <= 1
