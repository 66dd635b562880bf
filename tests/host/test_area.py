"""Memory comes to lie where it was asked for, or that is said."""

from __future__ import annotations

import errno
import os
import platform
import sys

import numpy as np
import pytest

from simulator.errors import InputError
from simulator.host.area import Area, make_area
from simulator.host.placement import Placement, share_on_node, this_placement
from tests.host.hosts import host

LINES = 32768
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def placement(failing: int = 0, node: int | None = 0) -> Placement:
    """Return calls that fail with an error's number, and that find all pages on a node."""
    return Placement(lambda address, size, where: failing, lambda pages: None if node is None else [node] * len(pages))


def two_nodes(second: bool = True) -> tuple[int, Area]:
    cpu = min(os.sched_getaffinity(0))
    machine = host((cpu,), (cpu,) if second else ())
    return cpu, make_area(machine, machine.nodes[1], LINES, LINES // 2, placement(node=1))


def test_an_area_is_cut_into_parts() -> None:
    _, area = two_nodes()
    assert area.lines == LINES
    assert area.words.ctypes.data % 4096 == 0
    one, other = area.part(0, LINES // 2), area.part(1, LINES // 2)
    assert not np.shares_memory(one, other)
    with pytest.raises(ValueError, match="beyond"):
        area.part(2, LINES // 2)
    assert area.notes == ()


def test_the_chase_lies_in_the_first_lines_only() -> None:
    _, area = two_nodes()
    targets = area.words[1::8]
    assert sorted(targets[: LINES // 2].tolist()) == list(range(1, 4 * LINES, 8))
    assert not targets[LINES // 2 :].any()


def test_without_mbind_a_cpu_of_the_node_touches_first() -> None:
    cpu = min(os.sched_getaffinity(0))
    machine = host((cpu,), (cpu,))
    area = make_area(machine, machine.nodes[1], LINES, LINES, placement(errno.EPERM, node=None))
    assert f"touching it first from CPU {cpu}" in area.notes[0]
    assert "operation not permitted" in area.notes[0]
    assert "does not say on which node" in area.notes[1]
    assert os.sched_getaffinity(0) != set() and (len(os.sched_getaffinity(0)) == 1) == ((os.cpu_count() or 1) == 1)


def test_without_mbind_and_cpus_it_is_refused() -> None:
    machine = host((0,), ())
    with pytest.raises(InputError, match=r"memory of node 1: .*cannot be placed.*function not implemented"):
        make_area(machine, machine.nodes[1], LINES, LINES, placement(errno.ENOSYS))


def test_memory_that_lies_elsewhere_is_refused() -> None:
    machine = host((0,), (1,))
    with pytest.raises(InputError, match="memory of node 1: only 0 % of the pages"):
        make_area(machine, machine.nodes[1], LINES, LINES, placement(node=0))


def test_one_node_needs_no_placement() -> None:
    machine = host((0,))
    assert make_area(machine, machine.nodes[0], LINES, LINES, placement(errno.EPERM, node=None)).notes == ()


def test_memory_that_cannot_be_had() -> None:
    machine = host((0,))
    with pytest.raises(InputError, match="bytes cannot be had"):
        make_area(machine, machine.nodes[0], 1 << 52, LINES, placement())


def test_pages_are_picked_evenly() -> None:
    asked: list[list[int]] = []

    def where(pages: list[int]) -> list[int]:
        asked.append(pages)
        return [3] * (len(pages) - 1) + [-errno.ENOENT]

    share = share_on_node(Placement(lambda *_: 0, where), 1 << 30, 40_960 * 4096, 3)
    assert len(asked[0]) == 4096
    assert {after - before for before, after in zip(asked[0], asked[0][1:], strict=False)} == {10 * 4096}
    assert share == 4095 / 4096


def test_an_unknown_processor_has_no_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "vax")
    assert this_placement().mbind(0, 4096, 0) == errno.ENOSYS
    assert this_placement().where([0]) is None


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="numbers of system calls")
def test_the_kernel_s_own_calls() -> None:
    """Binding to node 0, which is always there, and to one that is not; then asking where pages are."""
    calls, words = this_placement(), np.zeros(1 << 18, np.uint64)
    start = -(-words.ctypes.data // 4096) * 4096
    failed = calls.mbind(start, 4096 * 16, 0)
    if failed in (errno.EPERM, errno.ENOSYS):
        pytest.skip("this container forbids mbind")
    assert failed == 0
    assert calls.mbind(start, 4096 * 16, 1000) == errno.EINVAL
    words[:] = 1
    assert share_on_node(calls, start, 4096 * 16, 0) == 1.0
    assert share_on_node(calls, start, 4096 * 16, 7) == 0.0
