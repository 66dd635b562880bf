"""A task and the worker that does it, as the server sees them: a process with a line of JSON a message, which can be ended."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.serve.messages import REPLACED, Answer, Kind, refusal

_LONGEST_LINE = 1 << 20
# A worker finds its modules where this process finds them, installed or not.
_WORKER = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from simulator.serve.worker import main; main()"


@dataclass(eq=False)
class Job:
    """A task under way.

    Attributes
    ----------
    answer : future of Answer
    progress : list or None
        Runs done, runs planned so far, and what was done last.
    started : bool
    """

    kind: Kind
    setup: Any
    answer: asyncio.Future[Answer] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    progress: list[Any] | None = None
    started: bool = False

    def finish(self, answer: Answer) -> None:
        """Give the answer, unless there is one."""
        if not self.answer.done():
            self.answer.set_result(answer)

    def stop(self, reason: str) -> None:
        """Say that nobody waits for it any more."""
        self.finish(refusal(REPLACED, reason))
        self.stopped.set()


class WorkerDiedError(Exception):
    """A worker process ended in the middle of a task, or could not start."""


@dataclass(eq=False)
class Worker:
    """One process.

    Attributes
    ----------
    process : Process
    """

    process: Process

    @classmethod
    async def start(cls) -> Worker:
        """Start one and wait until it has loaded the engine."""
        command = (sys.executable, "-P", "-c", _WORKER, json.dumps(sys.path))
        own_group = sys.platform != "win32"  # Ctrl-C is for the server alone
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, limit=_LONGEST_LINE, start_new_session=own_group
            )
        except OSError as error:
            raise WorkerDiedError(str(error)) from None
        worker = cls(process)
        try:
            await worker._message()
        except BaseException:
            await worker.end()
            raise
        return worker

    async def do(self, job: Job, offered: Sequence[str]) -> Answer:
        """Do a task."""
        assert self.process.stdin is not None and self.process.stdout is not None
        task = {"kind": job.kind, "setup": job.setup, "offered": offered}
        try:
            self.process.stdin.write(json.dumps(task).encode() + b"\n")
            await self.process.stdin.drain()
            while True:
                message = await self._message()
                if "status" in message:
                    return Answer(message["status"], await self.process.stdout.readexactly(message["bytes"]))
                job.progress = message["progress"]
        except (OSError, asyncio.IncompleteReadError):
            raise WorkerDiedError("the process of this run has ended, perhaps for lack of memory") from None

    @property
    def has_ended(self) -> bool:
        """Whether it has ended by itself."""
        return self.process.returncode is not None

    async def end(self) -> None:
        """End it now."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()

    async def _message(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        if not line:
            raise WorkerDiedError("the process of this run has ended, perhaps for lack of memory")
        message: dict[str, Any] = json.loads(line)
        return message
