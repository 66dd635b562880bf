"""What is tried, what is equal, and what is said, without runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simulator import load_machine
from simulator.advise.candidate import Candidate, Scene
from simulator.advise.command_lines import array_notes, command_lines
from simulator.advise.equal import Equality
from simulator.advise.options import all_threads, core_major, everything, neighbours, node_major, policies, starts
from simulator.advise.ranking import advised, half_width, ranking
from simulator.advise.trials import Trial
from simulator.advise.words import avoided, sentences
from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.placement.policy import Bind, Interleave, LocalAlloc, Policy, Preferred
from simulator.program import place
from tests.program.workloads import QUARTET, program

READ = {"pattern": "sequential", "array": "a"}
LOCAL = LocalAlloc()


def _scene(
    *phases: dict[str, Any], threads: Any = None, fixed: tuple[str, ...] = (), machine: Machine = QUARTET, **others: Any
) -> Scene:
    return Scene(machine, program(*(phases or (READ,)), threads=threads or [{"name": "w", "count": 4}], **others), "t", fixed)


def _candidate(*threads: tuple[int, ...], policy: Policy = LOCAL, arrays: tuple[Policy | None, ...] = (None,)) -> Candidate:
    return Candidate(threads, (policy,) * len(threads), arrays)


# -- what is tried ---------------------------------------------------------------------------------------------------------------


def test_the_file_itself() -> None:
    scene = _scene(threads=[{"name": "w", "count": 3, "numactl": "--interleave=0,1"}])
    assert scene.own == _candidate((2, 1, 0, 0), policy=Interleave((0, 1)))
    assert scene.program_of(scene.own) is scene.program


def test_a_placement_as_a_workload() -> None:
    scene = _scene(threads=[{"name": "v", "count": 2}, {"name": "w", "count": 2}], fixed=("v",))
    chosen = _candidate((0, 1, 0, 1), policy=Bind((3,)), arrays=(Interleave((0, 2)),))
    placed = place(scene.program_of(chosen), QUARTET)
    assert [(one.name, one.node, str(one.policy)) for one in placed.threads] == [
        ("v.0", 0, "--localalloc"),
        ("v.1", 0, "--localalloc"),
        ("w.0", 1, "--membind=3"),
        ("w.1", 3, "--membind=3"),
    ]
    assert placed.pages(placed.arrays[0]) == {0: 8, 1: 0, 2: 8, 3: 0}


def test_cores_of_fixed_threads_are_not_free() -> None:
    scene = _scene(threads=[{"name": "v", "count": 3}, {"name": "w", "count": 2}], fixed=("v",))
    assert scene.free == (0, 1, 2, 2)
    assert all(counts[0] == 0 for (counts,) in all_threads(scene.totals, scene.free))


def test_every_way_to_place_threads() -> None:
    found = list(all_threads((2, 1), (2, 1)))
    assert found == [((2, 0), (0, 1)), ((1, 1), (1, 0))]
    assert len(list(all_threads((4,), (2, 2, 2, 2)))) == 19


def test_policies_of_four_nodes_and_of_eight() -> None:
    assert len(policies(_scene())) == 1 + 4 + 11
    eight = policies(_scene(machine=load_machine("opteron-8p-ladder")))
    assert len(eight) == 1 + 8 + 28 + 8 + 1
    assert policies(_scene(system={"node_interleaving": True})) == (LOCAL,)


def test_nodes_without_memory_have_no_policy() -> None:
    found = policies(_scene(machine=load_machine("threadripper-2990wx")))
    with_memory = {node.id for node in load_machine("threadripper-2990wx").nodes if node.controller is not None}
    assert {node for policy in found for node in getattr(policy, "nodes", ())} == with_memory
    assert len(with_memory) == 2


def test_named_strategies() -> None:
    scene = _scene(threads=[{"name": "w", "count": 5}])
    assert node_major(scene) == ((2, 1, 1, 1),)
    assert core_major(scene, 3) == ((0, 2, 1, 2),)  # 1 and 2 are as near
    first = starts(scene)
    assert first[0] == scene.own
    assert _candidate((2, 1, 1, 1)) in first
    assert _candidate((2, 1, 1, 1), policy=Interleave((0, 1, 2, 3))) in first


def test_neighbours_differ_by_one_step() -> None:
    scene = _scene(threads=[{"name": "v", "count": 1}, {"name": "w", "count": 1}])
    found = set(neighbours(scene, scene.own))
    own = scene.own
    assert own.threads == ((1, 0, 0, 0), (1, 0, 0, 0))
    assert replace(own, threads=((0, 0, 1, 0), (1, 0, 0, 0))) in found
    assert replace(own, policies=(LOCAL, Bind((2,)))) in found
    assert len(found - {own}) == 2 * 3 + 2 * 15


def test_arrays_have_policies_of_their_own_where_there_are_several() -> None:
    scene = _scene(READ, READ | {"array": "b"}, threads=[{"name": "w", "count": 1}])
    assert replace(scene.own, arrays=(None, Bind((1,)))) in set(neighbours(scene, scene.own))
    assert len(list(everything(scene))) == 4 * 16 * 17 * 17


@pytest.mark.parametrize(("fixed", "message"), [(("x",), "no such threads .*v, w"), (("v", "w"), "nothing is left")])
def test_wrong_fixed_groups(fixed: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        _scene(threads=[{"name": "v", "count": 1}, {"name": "w", "count": 1}], fixed=fixed)


# -- what is equal ---------------------------------------------------------------------------------------------------------------


def test_a_symmetry_makes_placements_equal() -> None:
    equality = Equality(_scene())
    key = equality.key
    assert equality.relabellings == 4
    assert key(_candidate((2, 2, 0, 0))) == key(_candidate((0, 0, 2, 2)))
    assert key(_candidate((2, 2, 0, 0))) != key(_candidate((2, 0, 0, 2)))
    one = _candidate((2, 1, 1, 0), policy=Bind((0,)))
    assert key(one) == key(_candidate((0, 1, 1, 2), policy=Bind((3,))))
    assert key(one) != key(_candidate((0, 1, 1, 2), policy=Bind((0,))))


@pytest.mark.parametrize(
    "fixes",
    [
        {"system": {"in_use_gib": {"0": 1.0}}},
        {"system": {"node_weights": {"0": 2}}},
        {"threads": [{"name": "w", "count": 4}, {"name": "x", "node": 0, "core": 0}], "fixed": ("x",)},
    ],
)
def test_what_the_workload_fixes_breaks_symmetries(fixes: dict[str, Any]) -> None:
    assert Equality(_scene(**fixes)).relabellings < 4


def test_a_thread_that_is_singled_out_counts() -> None:
    scene = _scene({"pattern": "init", "arrays": ["a"], "threads": ["w.0"]}, READ)
    key = Equality(scene).key
    assert key(_candidate((1, 2, 1, 0))) != key(_candidate((2, 1, 0, 1)))
    assert Equality(_scene()).key(_candidate((1, 2, 1, 0))) == Equality(_scene()).key(_candidate((2, 1, 0, 1)))


@pytest.mark.slow
def test_many_symmetries_find_what_is_equal_too() -> None:
    equality = Equality(_scene(machine=load_machine("opteron-8p-fc")))
    assert equality.relabellings == 40_320
    first = _candidate((2, 1, 0, 0, 0, 0, 0, 1), policy=Interleave((0, 1)))
    assert equality.key(first) == equality.key(_candidate((0, 0, 1, 0, 1, 2, 0, 0), policy=Interleave((2, 5))))
    assert equality.key(first) != equality.key(_candidate((0, 0, 1, 0, 1, 2, 0, 0), policy=Interleave((2, 4))))


def test_a_migration_names_nodes() -> None:
    scene = _scene(READ, {"pattern": "migrate", "arrays": ["a"], "to_nodes": "1"})
    assert Equality(scene).relabellings == 1


# -- the ranking -----------------------------------------------------------------------------------------------------------------


def _trials(*times_ns: float, **others: Any) -> list[Trial]:
    return [Trial(time, **others) for time in times_ns]


A, B, C = (_candidate((1, 0, 0, 0), policy=policy) for policy in (LOCAL, Bind((1,)), Interleave((0, 1))))


def test_an_interval_is_students() -> None:
    assert half_width(np.array([1.0, 2.0, 3.0])) == pytest.approx(4.303 / 3**0.5, rel=1e-3)
    assert half_width(np.array([1.0, 2.0, 3.0]), 2) == pytest.approx(6.205 / 3**0.5, rel=1e-3)


def test_what_cannot_be_told_apart_is_equal() -> None:
    found = ranking({B: _trials(100, 104, 96), A: _trials(101, 99, 106), C: _trials(150, 151, 149)})
    assert [(one.candidate, one.equal) for one in found] == [(B, True), (A, True), (C, False)]
    assert found[2].slower_percent == pytest.approx(50)


def test_differences_seed_by_seed_tell_apart_what_varies_together() -> None:
    found = ranking({A: _trials(100, 200, 300), B: _trials(103, 203, 303)})
    assert [one.equal for one in found] == [True, False]


def test_sure_differences_below_half_a_per_cent_are_none() -> None:
    assert [one.equal for one in ranking({A: _trials(1000, 1000), B: _trials(1004, 1004)})] == [True, True]
    assert [one.equal for one in ranking({A: _trials(1000, 1000), B: _trials(1006, 1006)})] == [True, False]


def test_a_run_without_an_end_is_not_ranked() -> None:
    found = ranking({A: [*_trials(100.0), Trial(None, verdict="deadlock")], B: _trials(120, 121)})
    assert [one.candidate for one in found] == [B]


def test_of_equal_ones_the_files_own_is_advised_else_the_simplest() -> None:
    found = ranking({C: _trials(100, 104), A: _trials(101, 104.5), B: _trials(101, 104.4)})
    assert all(one.equal for one in found)
    assert advised(found, C).candidate == C
    assert advised(found, _candidate((0, 1, 0, 0))).candidate == A


# -- what is said ----------------------------------------------------------------------------------------------------------------


def test_the_sentences_come_from_the_numbers() -> None:
    scene = _scene(threads=[{"name": "w", "count": 1}])
    bad = {"local_percent": 100.0, "latency_ns": 300.0, "queueing_ns": 200.0, "busy": 0.99, "links": {"0->1": 0.2}}
    good = {"local_percent": 0.0, "latency_ns": 120.0, "queueing_ns": 10.0, "busy": 0.1, "links": {"0->1": 0.5}}
    found = ranking({A: _trials(200, 201, **bad), B: _trials(100, 101, **good)})
    first, second = sentences(scene, found[0], found)
    assert "The advised placement, 0:1 (node:threads) with --membind=1, takes 0.1 us" in first
    assert "the file's own, 0:1 (node:threads) with --localalloc, 99.5 % longer" in first
    assert second == (
        "It avoids memory that is busy 99 % of the time (now 10 %); "
        "a latency of 300 ns, 200 of it queueing (now 120 ns, 10 of it queueing)."
    )


def test_what_is_no_better_is_not_said() -> None:
    same = Trial(1.0, local_percent=50.0, latency_ns=100.0, queueing_ns=5.0, busy=0.5, links={"0->1": 0.5})
    assert avoided(same, same) == []
    assert avoided(replace(same, links={"0->1": 0.9}), same) == ["link 0->1 busy 90 % of the time (the fullest is now 50 %)"]
    assert avoided(replace(same, local_percent=25.0), same) == ["fetching 75 % of the lines from other nodes (now 50 %)"]


def test_nothing_to_choose_is_said() -> None:
    scene = _scene(threads=[{"name": "w", "count": 1}])
    found = ranking({A: _trials(100, 101), B: _trials(100, 101)})
    assert sentences(scene, found[0], found)[1] == "That of the file is as good as any."


def test_command_lines() -> None:
    scene = _scene()
    assert command_lines(scene, _candidate((1, 1, 1, 1))) == (
        "numactl --physcpubind=0,2,4,6 --localalloc ./w",
        "taskset --cpu-list 0,2,4,6 ./w",
        'export OMP_PROC_BIND=true OMP_PLACES="{0},{2},{4},{6}"',
    )
    assert command_lines(scene, _candidate((2, 2, 0, 0), policy=Bind((0,))))[0] == "numactl --cpunodebind=0-1 --membind=0 ./w"
    two = _scene(threads=[{"name": "v", "count": 1}, {"name": "w", "count": 1}])
    assert command_lines(two, _candidate((0, 0, 1, 0), (1, 0, 0, 0), policy=Preferred(3))) == (
        "# v",
        "numactl --physcpubind=4 --preferred=3 ./v",
        "# w",
        "numactl --physcpubind=0 --preferred=3 ./w",
    )


def test_arrays_with_policies_of_their_own_need_more_than_numactl() -> None:
    arrays = [{"name": name, "size_kib": 64.0, "policy": "--membind=1"} for name in "ab"]
    scene = _scene(READ, READ | {"array": "b"}, arrays=arrays)
    one, two = array_notes(scene, _candidate((4, 0, 0, 0), arrays=(Interleave((0, 1)), None)))
    assert "array a: --interleave=0,1 of its own" in one
    assert "mbind(2)" in one
    assert "numa_interleave_memory()" in one
    assert two == "array b: without the --membind=1 that the file gives it"
