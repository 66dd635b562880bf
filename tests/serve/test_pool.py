"""Workers that die, tasks that nobody waits for, and explanations that no page asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("starlette")

from simulator.serve.child import Job
from simulator.serve.limits import Limits
from simulator.serve.messages import ACCEPTED, BUSY, FAILED, OK, REPLACED, UNKNOWN
from simulator.serve.pool import Pool
from simulator.serve.tabs import Tabs, attended
from tests.serve.conftest import EVERY_CORE

SMALL = {"machine": "two-node", "threads": ["0.0.r.1"]}
OFFERED = ("two-node", "opteron-6172-4p")


def in_pool(story: Callable[[Pool], Awaitable[None]], **bounds: Any) -> None:
    """Live through a story with a pool of one worker."""

    async def live() -> None:
        pool = Pool(1, OFFERED, **{"limit_s": 30.0, "waiting": 8, "grace_s": 0.1, **bounds})
        pool.start(at_once=True)
        try:
            await story(pool)
        finally:
            await pool.close()

    asyncio.run(live())


async def begun(job: Job) -> None:
    while not job.started:
        await asyncio.sleep(0.01)


@pytest.mark.slow
def test_a_worker_that_dies_over_a_task_is_replaced() -> None:
    async def story(pool: Pool) -> None:
        await pool.submit("run", SMALL).answer
        workers = _workers(pool)
        job = pool.submit("run", EVERY_CORE)
        await begun(job)
        for worker in workers:
            worker.process.kill()
        answer = await job.answer
        assert answer.status == FAILED
        assert b"has ended" in answer.body
        assert (await pool.submit("run", SMALL).answer).status == OK

    in_pool(story)


@pytest.mark.slow
def test_a_worker_that_dies_idle_is_replaced_without_a_word() -> None:
    async def story(pool: Pool) -> None:
        await pool.submit("run", SMALL).answer
        for worker in _workers(pool):
            worker.process.kill()
            await worker.process.wait()
        assert (await pool.submit("run", SMALL).answer).status == OK

    in_pool(story)


def _workers(pool: Pool) -> list[Any]:
    return [slot.get_coro().cr_frame.f_locals["worker"] for slot in pool._slots]


@pytest.mark.slow
def test_a_stopped_task_that_waits_is_never_done_and_a_page_that_is_gone_stops_its_own() -> None:
    async def story(pool: Pool) -> None:
        long = pool.submit("run", EVERY_CORE)
        await begun(long)
        waiting = pool.submit("run", SMALL)
        waiting.stop("no more")
        assert (await waiting.answer).status == REPLACED

        async def gone() -> bool:
            return True

        assert (await attended(long, gone)).status == REPLACED
        assert (await pool.submit("run", SMALL).answer).status == OK
        assert not waiting.started

    in_pool(story)


@pytest.mark.slow
def test_a_stopped_task_may_go_on_for_a_moment_so_that_its_worker_lives() -> None:
    async def story(pool: Pool) -> None:
        await pool.submit("run", SMALL).answer
        before = _workers(pool)
        job = pool.submit("run", SMALL)
        await begun(job)
        job.stop("replaced")
        assert (await pool.submit("run", SMALL).answer).status == OK
        assert _workers(pool) == before

    in_pool(story, grace_s=20.0)


@pytest.mark.slow
def test_explanations_that_no_page_asks_for_are_stopped() -> None:
    async def story(pool: Pool) -> None:
        now = 0.0
        tabs = Tabs(pool, pool, Limits(jobs=1, unasked_s=150.0), clock=lambda: now)
        assert tabs.explain("left", EVERY_CORE).status == ACCEPTED
        assert tabs.explain("kept", EVERY_CORE).status == ACCEPTED
        now = 100.0
        tabs.explanation("kept")
        now = 200.0
        tabs.forget_unasked()
        assert tabs.explanation("left").status == UNKNOWN
        assert tabs.explanation("kept").status == ACCEPTED

    in_pool(story)


def test_a_closed_pool_leaves_nobody_waiting_and_no_process() -> None:
    async def story(pool: Pool) -> None:
        await pool.submit("run", SMALL).answer
        (worker,) = _workers(pool)
        first, second = pool.submit("run", EVERY_CORE), pool.submit("run", EVERY_CORE)
        await begun(first)
        await pool.close()
        assert (await first.answer).status == (await second.answer).status == BUSY
        assert worker.has_ended

    in_pool(story)
