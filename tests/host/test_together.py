"""Threads are pinned, start together, wait for the slowest and end together, whatever happens."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

from simulator.errors import InputError
from simulator.host import together
from simulator.host.kernels import Log, work
from simulator.host.together import Share, run_together

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
CPUS = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
two_cpus = pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs")


def share(cpu: int, quota: int = 4) -> Share:
    return Share(cpu, "r", np.zeros(8 * 4096, np.uint64), 1024, 4, quota)


def spy(monkeypatch: pytest.MonkeyPatch) -> list[tuple[set[int], Log]]:
    """Keep where each thread ran, and its log."""
    seen = []

    def watched(*arguments: object) -> Log:
        log = work(*arguments)  # type: ignore[arg-type]
        seen.append((os.sched_getaffinity(0), log))
        return log

    monkeypatch.setattr(together, "work", watched)
    return seen


def test_a_thread_is_pinned_and_the_program_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    before, seen = os.sched_getaffinity(0), spy(monkeypatch)
    outcome = run_together([share(CPUS[-1])])
    assert [found for found, _ in seen] == [{CPUS[-1]}]
    assert os.sched_getaffinity(0) == before
    assert outcome.time_per_line_ns is None or outcome.time_per_line_ns[0] > 0


@two_cpus
def test_the_fast_go_on_until_the_slowest_has_done_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the thread with much to do may be done first now and then, but not ten times."""
    seen = spy(monkeypatch)
    for _ in range(10):
        run_together([share(CPUS[0], 40), share(CPUS[1], 400)])
    chunks = [len(log.wall_ns) - 1 for _, log in seen]
    assert sum(count >= 404 for count in chunks) >= 10
    assert min(chunks) >= 44
    assert any(44 < count != 404 for count in chunks)


@two_cpus
def test_no_thread_waits_for_one_that_failed() -> None:
    with pytest.raises(InputError, match=r"CPU 100000: a thread cannot be pinned: invalid argument"):
        run_together([share(CPUS[0]), share(100_000)])
    assert threading.active_count() == 1


def test_other_errors_come_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Log:
        raise ZeroDivisionError

    monkeypatch.setattr(together, "work", broken)
    with pytest.raises(ZeroDivisionError):
        run_together([share(CPUS[0])])


def test_an_interrupt_leaves_no_thread_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(threading.Thread):
        def join(self, timeout: float | None = None) -> None:
            if not interrupted:
                interrupted.append(True)
                raise KeyboardInterrupt
            super().join(timeout)

    interrupted: list[bool] = []
    monkeypatch.setattr(together, "Thread", Interrupted)
    endless = replace(share(CPUS[0]), quota=1 << 20)  # minutes of work
    with pytest.raises(KeyboardInterrupt):
        run_together([endless])
    assert threading.active_count() == 1
