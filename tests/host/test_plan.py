"""Which tests a machine gets."""

from __future__ import annotations

import re

import pytest

from simulator.host.plan import HostTest, chosen_pairs, every_pair, plan_tests
from simulator.host.topology import Host
from simulator.workload.labels import parse_label
from tests.host.hosts import host


def labels(tests: tuple[HostTest, ...], experiment: str) -> list[str]:
    return [" ".join(thread.label for thread in test.threads) for test in tests if test.experiment == experiment]


def test_one_node() -> None:
    plan = plan_tests(host((0, 1, 2)), 40)
    assert labels(plan.tests, "idle_latency") == ["0.0.r.0"]
    assert labels(plan.tests, "bandwidth") == ["0.0.r.0 0.1.r.0 0.2.r.0", "0.0.w.0 0.1.w.0 0.2.w.0"]
    assert labels(plan.tests, "one_thread") == ["0.0.r.0", "0.0.w.0"]
    assert labels(plan.tests, "two_threads") == ["0.0.r.0 0.1.r.0", "0.0.r.0 0.1.w.0", "0.0.w.0 0.1.w.0"]
    assert plan.notes == ()


def test_one_cpu_has_no_pairs_and_says_so() -> None:
    plan = plan_tests(host((5,)), 40)
    assert labels(plan.tests, "two_threads") == []
    assert labels(plan.tests, "one_thread") == ["0.0.r.0", "0.0.w.0"]
    assert plan.notes == ("this process may use one CPU only: tests of two threads are left out",)


@pytest.mark.parametrize(
    ("machine", "count"),
    [
        (host((0, 1), (2, 3)), 2 * 10 + 16),
        (host((0,), (2,)), 16),
        (host((0, 1), (2, 3), (4, 5), (6, 7)), 4 * 36 + 6 * 64),
        (host((0, 1), ()), 10),
        (host((0, 1), (2, 3), free=(1 << 30, 0)), 2 * 3 + 4),
    ],
)
def test_every_distinct_placement(machine: Host, count: int) -> None:
    pairs = list(every_pair(machine, 10_000))
    sets = {frozenset((thread.node, thread.core, thread.mode, thread.memory) for thread in pair) for pair in pairs}
    assert len(pairs) == len(sets) == count
    assert all(one.node != other.node or (one.core, other.core) == (0, 1) for one, other in pairs)
    assert list(every_pair(machine, 7)) == pairs[:7]


def test_amd_s_own_cases_are_there() -> None:
    square = host((0, 1), (2, 3), (4, 5), (6, 7))
    every = labels(plan_tests(square, 600).tests, "two_threads")
    for case in ("0.0.w.0 0.1.w.3", "0.0.w.1 1.0.w.0", "0.0.r.0 1.0.r.1", "0.0.w.1 0.1.w.1"):
        assert case in every


def test_a_large_machine_gets_a_chosen_few() -> None:
    large = host(*((2 * number, 2 * number + 1) for number in range(8)))
    plan = plan_tests(large, 600)
    found = labels(plan.tests, "two_threads")
    assert len(found) == len(set(found)) == 2 * (8 + 7 + 7 * 4)
    assert {"0.0.w.7 7.0.w.0", "0.0.r.0 0.1.r.5", "0.0.w.5 0.1.w.5", "0.0.w.0 3.0.w.3"} <= set(found)
    assert all(one.mode == other.mode for one, other in chosen_pairs(large))
    assert plan.notes == ("two threads: 86 chosen placements, both reading or both writing, not all",)
    assert len(labels(plan.tests, "idle_latency")) == 64


def test_labels_are_those_of_the_project() -> None:
    for test in plan_tests(host((0, 1), (2, 3)), 600).tests:
        for thread in test.threads:
            assert parse_label(thread.label).label == thread.label
        assert re.fullmatch(r"[a-z0-9. ]+", test.name)
