"""A Dask cluster: the scheduler and its workers may be anywhere."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from simulator.errors import InputError, NumasimError
from simulator.optional import optional_module
from simulator.sweep.executors import Crew, Executor, Outcome, Result, Task, WorkerDiedError

_TASKS_A_THREAD = 2  # one at work, one on its way
_COUNT_EVERY_S = 2.0
_POLL_S = 1.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DaskCluster(Executor):
    """The workers of a Dask scheduler, however many come and go meanwhile.

    A worker that dies has its tasks done again by the others: the scheduler sees to that.

    Attributes
    ----------
    address : str
        Of the scheduler, such as ``tcp://127.0.0.1:8786``.
    timeout_s : float
        How long to try to reach it.
    """

    address: str
    timeout_s: float = 10.0

    def start(self, function: Callable[[Task], Result]) -> Crew[Task, Result]:
        """Connect.

        Raises
        ------
        InputError
            Dask is not installed, or there is no scheduler at that address.
        """
        distributed = optional_module("distributed", "dask", "--dask")
        try:
            client = _client_class(distributed)(self.address, timeout=self.timeout_s, set_as_default=False)
        except Exception as error:  # whatever Dask, its transports and its version check raise
            what, allowed = f"no Dask scheduler can be reached: {_first_line(error)}", "an address such as tcp://127.0.0.1:8786"
            raise InputError(what, field="--dask", value=self.address, allowed=allowed) from None
        return _Connected(distributed, client, self.address, function)


def _client_class(distributed: Any) -> Any:
    """Return a client that is over when it cannot be made; Dask's own waits for its scheduler once more, and complains."""

    class Client(distributed.Client):  # type: ignore[misc]
        def __init__(self, *args: Any, **settings: Any) -> None:
            try:
                super().__init__(*args, **settings)
            except BaseException:
                self.status = "closed"
                raise

    return Client


class _Connected(Crew[Task, Result]):
    def __init__(self, distributed: Any, client: Any, address: str, function: Callable[[Task], Result]) -> None:
        self._distributed = distributed
        self._client = client
        self._address = address
        self._function = function
        self._tasks: dict[Any, Task] = {}
        self._threads = self._counted = 0
        self._count_at = time.monotonic()
        self._count_threads()
        if not self._threads:
            _log.warning("the Dask scheduler at %s has no workers yet; waiting for one", address)

    @property
    def free(self) -> int:
        if time.monotonic() >= self._count_at:
            self._count_threads()
        return max(0, _TASKS_A_THREAD * max(1, self._threads) - len(self._tasks))

    def submit(self, task: Task) -> None:
        key = f"numasim-{secrets.token_hex(8)}"  # never one that the scheduler knows from another sweep
        future = self._asked(lambda: self._client.submit(self._function, task, key=key, pure=False))
        self._tasks[future] = task

    def wait(self, timeout_s: float | None = None) -> list[Outcome[Task, Result]]:
        end = None if timeout_s is None else time.monotonic() + timeout_s
        while self._tasks:
            left = _POLL_S if end is None else min(_POLL_S, end - time.monotonic())
            done = [future for future in self._tasks if future.done()]
            if not done and left > 0:
                self._pause(left)
                done = [future for future in self._tasks if future.done()]
            if done or (end is not None and time.monotonic() >= end):
                return [self._outcome(future) for future in done]
        return []

    def close(self) -> None:
        try:
            self._client.cancel(list(self._tasks), force=True)
        except Exception as error:  # the scheduler may be gone: nothing is left to cancel
            _log.debug("cannot cancel: %s", error)
        self._tasks.clear()
        self._client.close(timeout=2)

    def _pause(self, seconds: float) -> None:
        """Sleep until a task is done, or so long."""
        try:
            with self._client.as_current():
                self._distributed.wait(list(self._tasks), timeout=seconds, return_when="FIRST_COMPLETED")
        except (TimeoutError, CancelledError):
            return  # whether one was cancelled shows in its state

    def _outcome(self, future: Any) -> Outcome[Task, Result]:
        task = self._tasks[future]
        if future.status in ("cancelled", "lost"):
            raise self._gone()
        if future.status == "error":
            error = self._asked(future.exception)
            if type(error).__name__ == "KilledWorker":
                error = WorkerDiedError(f"several Dask workers died over one run: {_first_line(error)}")
            outcome: Outcome[Task, Result] = Outcome(task, error=error)
        else:
            outcome = Outcome(task, self._asked(future.result))
        del self._tasks[future]
        future.release()
        return outcome

    def _count_threads(self) -> None:
        self._threads = sum(self._asked(self._client.nthreads).values())
        self._count_at = time.monotonic() + _COUNT_EVERY_S

    def _asked(self, question: Callable[[], Any]) -> Any:
        """Return the scheduler's answer."""
        try:
            return question()
        except (OSError, CancelledError, TimeoutError) as error:
            _log.debug("no answer: %s", error)
            raise self._gone() from None

    def _gone(self) -> NumasimError:
        return NumasimError(f"the Dask scheduler at {self._address} is gone")


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
