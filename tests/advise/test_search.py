"""The search: everything where that is little, else downhill from the named strategies; runs are counted, and repeatable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from simulator.advise.candidate import Candidate, Scene
from simulator.advise.ranking import rank
from simulator.advise.search import search
from simulator.advise.trials import DOES_NOT_FIT, Bench, HowToRun, Trial
from simulator.errors import InputError
from simulator.placement.policy import Bind, Preferred
from simulator.sweep.executors import Crew, InProcess
from tests.program.workloads import QUARTET, program

READ = {"pattern": "sequential", "array": "a"}
Task, Result = TypeVar("Task"), TypeVar("Result")


class _Priced(InProcess):
    """Instead of running a workload, says what it costs."""

    def __init__(self, price: Callable[[Any], Trial]) -> None:
        self.price = price
        self.seeds: list[int] = []

    def start(self, function: Callable[[Task], Result]) -> Crew[Task, Result]:
        """Start a crew that asks for the price."""

        def priced(task: Any) -> Any:
            self.seeds.append(task.seed)
            return self.price(task)

        return super().start(priced)


def _bench(price: Callable[[Any], Trial], budget: int, *phases: dict[str, Any], **others: Any) -> Bench:
    scene = Scene(QUARTET, program(*(phases or (READ,)), **others), "t", ())
    return Bench(scene, HowToRun(100, 1, "auto", _Priced(price)), budget)


def _words(task: Any) -> str:
    return str(task.program.threads[0].numactl)


def test_few_placements_are_all_tried() -> None:
    with _bench(lambda one: Trial(100.0), 100, threads=[{"name": "w", "count": 1}]) as bench:
        done = search(bench, 75)
    assert done.exhaustive
    assert (done.placements, bench.runs, len(bench.ranked)) == (16, 16, 16)


def test_many_are_searched_downhill_within_the_budget() -> None:
    def price(task: Any) -> Trial:  # the best has the threads on nodes 1 and 3, and one policy for each array
        policies = {array.name: array.policy for array in task.program.arrays}
        cpus = _words(task).partition(" ")[0]
        wrong = (policies["a"] != "--membind=1") + (policies["b"] != "--membind=3") + (cpus != "--physcpubind=2,6")
        return Trial(100.0 + wrong)

    phases = (READ, READ | {"array": "b"})
    with _bench(price, 2000, *phases, threads=[{"name": "w", "count": 2}]) as bench:
        done = search(bench, 1500)
        best = bench.ranked[0]
    assert not done.exhaustive
    assert bench.first(best).time_ns == 100.0
    assert bench.runs <= 1500


def test_the_budget_is_kept() -> None:
    phases = (READ, READ | {"array": "b"})
    with _bench(lambda one: Trial(100.0), 60, *phases, threads=[{"name": "w", "count": 3}]) as bench:
        search(bench, 45)
        assert bench.runs == 45
        rank(bench, bench.scene.own)
    assert bench.runs <= 60


def test_where_one_node_is_too_small_it_is_preferred() -> None:
    def price(task: Any) -> Trial:
        return Trial(None, verdict=DOES_NOT_FIT) if "--membind" in _words(task) else Trial(100.0)

    with _bench(price, 100, threads=[{"name": "w", "count": 1}]) as bench:
        search(bench, 75)
    policies = [one.policies[0] for one in bench.ranked]
    assert not any(isinstance(policy, Bind) for policy in policies)
    assert {policy.node for policy in policies if isinstance(policy, Preferred)} == {0, 1, 2, 3}
    assert bench.runs == 16


def test_finalists_are_run_with_fresh_seeds_and_the_files_own_is_one() -> None:
    times = {"--membind=0": 90.0, "--membind=1": 80.0}
    with _bench(lambda one: Trial(times.get(_words(one).split()[-1], 100.0)), 40, threads=[{"name": "w", "count": 1}]) as bench:
        search(bench, 30)
        finalists = rank(bench, bench.scene.own)
    assert bench.scene.own in [one.candidate for one in finalists]
    assert [one.time_ns for one in finalists][:2] == [80.0, 90.0]
    executor = bench.how.executor
    assert isinstance(executor, _Priced)
    assert executor.seeds[:16] == [1] * 16
    assert set(executor.seeds[16:]) == {2, 3, 4, 5, 6}


def test_the_run_that_chose_a_placement_does_not_count() -> None:
    with _bench(lambda task: Trial(50.0 if task.seed == 1 else 100.0), 100, threads=[{"name": "w", "count": 1}]) as bench:
        search(bench, 75)
        assert {one.time_ns for one in rank(bench, bench.scene.own)} == {100.0}


def test_words_for_the_same_places_are_shown_once() -> None:
    with _bench(lambda one: Trial(100.0, pages={0: 1}), 100, threads=[{"name": "w", "count": 1}]) as bench:
        search(bench, 75)
        finalists = rank(bench, bench.scene.own)
    assert [one.candidate for one in finalists] == [bench.scene.own]


def test_an_error_in_a_run_is_not_swallowed() -> None:
    def price(task: Any) -> Trial:
        raise InputError("broken")

    with _bench(price, 100, threads=[{"name": "w", "count": 1}]) as bench, pytest.raises(InputError, match="broken"):
        search(bench, 75)


def test_the_same_candidate_is_not_run_twice() -> None:
    with _bench(lambda one: Trial(1.0), 100, threads=[{"name": "w", "count": 1}]) as bench:
        own: Candidate = bench.scene.own
        bench.run([(own, 0), (own, 0)])
        bench.run([(own, 0)])
    assert bench.runs == 1
