"""Resources made ideal: what each changes, and that members make up the whole."""

from __future__ import annotations

from itertools import combinations

import pytest

from simulator.engine.lower import lower
from simulator.explain.resources import KINDS, Kind, Resource, members, resources, use
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.workload import Workload

CHANGED = {  # the only fields that a kind may change
    "link rate": {"rate_gt_per_s"},
    "link latency": {"latency_ns"},
    "credits": {"credits"},
    "controller service": {"read_ns", "write_ns", "turnaround_ns"},
    "controller latency": {"entry_ns", "path_ns"},
    "controller queue": {"queue"},
    "probes": {"protocol"},
    "SRI": {"latency_ns"},
    "crossbar": {"latency_ns"},
    "node buffers": {"to_crossbar", "to_sri"},
    "core": {"core_time_ns", "write_extra_ns", "jitter_ns", "background_core_time_ns"},
}
WORKLOAD = Workload.from_labels(["0.0.w.1", "1.0.r.3"])


@pytest.fixture(scope="module")
def quartet() -> Machine:
    machine = load_machine("quartet", ["controller.turnaround_ns=1.0"])
    return machine.model_copy(update={"links": (*machine.links[:3], machine.links[3].model_copy(update={"latency_ns": 3.0}))})


@pytest.fixture(scope="module")
def result(quartet: Machine) -> RunResult:
    return run(quartet, WORKLOAD, Accuracy(ci_percent=5, lines=300, warmup=50))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_only_what_it_says_is_changed(kind: Kind, quartet: Machine) -> None:
    resource = Resource(kind)
    for changed in (resource.ideal(quartet), resource.twice(quartet)):
        if changed is not None:
            assert _differing(quartet.model_dump(), changed.model_dump()) == CHANGED[kind.name]
            lower(changed, WORKLOAD)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.stands != "machine"], ids=lambda kind: kind.name)
def test_members_make_up_the_whole(kind: Kind, quartet: Machine) -> None:
    names = [f"node {node}" for node in range(4)] if kind.stands != "link" else ["link 0-1", "link 0-2", "link 1-3", "link 2-3"]
    changed = [Resource(kind, name).ideal(quartet) for name in names]
    assert all(one != other for one, other in combinations([quartet, *changed], 2))
    together = quartet
    for name in names:
        together = Resource(kind, name).ideal(together)
    assert together == Resource(kind).ideal(quartet)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.twice is not None], ids=lambda kind: kind.name)
def test_twice_is_between_as_it_is_and_ideal(kind: Kind, quartet: Machine) -> None:
    """Latency of a lone line; what only holds so much hardly shows in it."""
    times = [_time(machine) for machine in (Resource(kind).ideal(quartet), Resource(kind).twice(quartet), quartet)]
    if kind.name in ("credits", "controller queue"):
        assert times == pytest.approx([times[2]] * 3, rel=0.005)
    else:
        assert times[0] < times[1] < times[2]


def test_members_are_those_in_use(quartet: Machine, result: RunResult) -> None:
    kinds = {one.kind.name: one for one in resources(quartet)}
    assert [one.member for one in members(quartet, kinds["controller service"], result)] == ["node 1", "node 3"]
    assert len(members(quartet, kinds["link rate"], result)) == 4  # probes go everywhere
    assert members(quartet, kinds["core"], result) == ()
    one = run(quartet, Workload.from_labels(["0.0.r.0"]), Accuracy(ci_percent=5, lines=300, warmup=50))
    assert members(quartet, kinds["controller queue"], one) == ()


def test_use(quartet: Machine, result: RunResult) -> None:
    kinds = {one.kind.name: one.kind for one in resources(quartet)}
    rate = use(quartet, Resource(kinds["link rate"], "link 0-1"), result)
    assert rate == {key: result.links[key].utilization for key in ("0->1", "1->0")}
    queue = use(quartet, Resource(kinds["controller queue"]), result)
    assert queue["node 1"] == result.controllers["1"].mean_queue / 20
    assert use(quartet, Resource(kinds["core"]), result) == {}


def test_parallel_links_are_told_apart(quartet: Machine) -> None:
    first = quartet.links[0]
    doubled = quartet.model_copy(update={"links": (*quartet.links, first.model_copy(update={"ordinal": 1}))})
    kind = next(kind for kind in KINDS if kind.name == "link rate")
    changed = Resource(kind, "link 0-1#1").ideal(doubled)
    assert [one != other for one, other in zip(changed.links, doubled.links, strict=True)] == [False] * 4 + [True]


def _time(machine: Machine) -> float:
    result = run(machine, Workload.from_labels(["0.0.r.1"]), Accuracy(ci_percent=1, lines=2000, warmup=50))
    time = result.threads[0].time_per_line_ns
    assert time is not None
    return time


def _differing(one: object, other: object, name: str = "") -> set[str]:
    """Return the fields that differ: those named in `CHANGED`, not what is inside them."""
    if one == other:
        return set()
    if name in {field for fields in CHANGED.values() for field in fields}:
        return {name}
    if isinstance(one, dict) and isinstance(other, dict):
        return {found for key in one for found in _differing(one[key], other[key], key)}
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return {found for here, there in zip(one, other, strict=True) for found in _differing(here, there, name)}
    return {name}
