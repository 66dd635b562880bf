"""The line of tasks before the workers, and the end of tasks that take too long or that nobody waits for any more."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Sequence
from typing import Any

from simulator.serve.child import Job, Worker, WorkerDiedError
from simulator.serve.messages import BUSY, FAILED, TOO_LONG, Answer, Kind, refusal

_ENDED = refusal(BUSY, "numasim serve is ending")


class Pool:
    """So many workers and a line of tasks before them.

    Parameters
    ----------
    jobs : int
        Workers.
    offered : sequence of str
        Machines that may be loaded.
    limit_s : float
        Longest task, s.
    waiting : int
        Most tasks that wait; those that are too many get `BUSY`.
    grace_s : float
        So long a stopped task may go on before its worker is ended, s.
    """

    def __init__(self, jobs: int, offered: Sequence[str], *, limit_s: float, waiting: int, grace_s: float) -> None:
        self._jobs, self._offered, self._limit_s, self._most, self._grace_s = jobs, list(offered), limit_s, waiting, grace_s
        self._line: deque[Job] = deque()
        self._arrived = asyncio.Event()
        self._slots: list[asyncio.Task[None]] = []

    def start(self, *, at_once: bool) -> None:
        """Open for tasks; the workers begin `at_once`, or when there is a task."""
        self._slots = [asyncio.create_task(self._work(at_once)) for _ in range(self._jobs)]

    async def close(self) -> None:
        """End the workers, in the middle of a task if need be."""
        for slot in self._slots:
            slot.cancel()
        await asyncio.gather(*self._slots, return_exceptions=True)
        for job in self._line:
            job.finish(_ENDED)

    def submit(self, kind: Kind, setup: Any) -> Job:
        """Take a task; where too many wait, its answer says so."""
        job = Job(kind, setup)
        self._line = deque(other for other in self._line if not other.answer.done())
        if len(self._line) >= self._most:
            job.finish(refusal(BUSY, "too many runs are waiting; this page asks again by itself"))
        else:
            self._line.append(job)
            self._arrived.set()
        return job

    async def _work(self, at_once: bool) -> None:
        """Be one place at which tasks are done, with one worker at a time."""
        worker = await _started() if at_once else None
        try:
            while True:
                job = await self._next()
                if job.answer.done():
                    continue
                if worker is None or worker.has_ended:
                    worker = await _started()
                if not await self._do(job, worker):
                    worker = await _replaced(worker)
        finally:
            if worker is not None:
                await worker.end()

    async def _next(self) -> Job:
        while not self._line:
            self._arrived.clear()
            await self._arrived.wait()
        return self._line.popleft()

    async def _do(self, job: Job, worker: Worker | None) -> bool:
        """Do a task; False: the worker is of no more use."""
        job.started = True
        doing = asyncio.create_task(self._answer(job, worker))
        stopped = asyncio.create_task(job.stopped.wait())
        try:
            await asyncio.wait({doing, stopped}, timeout=self._limit_s, return_when=asyncio.FIRST_COMPLETED)
            if not doing.done() and not job.stopped.is_set():
                what = f"ended after {self._limit_s:g} s, the longest that a page may wait; the command line has no such limit"
                job.finish(refusal(TOO_LONG, what))
            elif not doing.done():
                await asyncio.wait({doing}, timeout=self._grace_s)
            if not doing.done():
                return False
            job.finish(doing.result())
            return True
        except WorkerDiedError as error:
            job.finish(refusal(FAILED, str(error)))
            return False
        finally:
            job.finish(_ENDED)  # where the pool is closed in the middle of it
            doing.cancel()
            stopped.cancel()

    async def _answer(self, job: Job, worker: Worker | None) -> Answer:
        if worker is None:
            raise WorkerDiedError("no process for runs could be started; the terminal of numasim serve says more")
        return await worker.do(job, self._offered)


async def _started() -> Worker | None:
    """Start a worker; None: it cannot, which is said to whoever asks next."""
    with contextlib.suppress(WorkerDiedError):
        return await Worker.start()
    return None


async def _replaced(worker: Worker | None) -> Worker | None:
    """End a worker and start another, so that the next task need not wait for one to load the engine."""
    if worker is not None:
        await worker.end()
    return await _started()
