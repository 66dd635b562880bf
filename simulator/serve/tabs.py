"""What each open page waits for: one run, which a later one replaces, and one explanation, which is asked after."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from simulator.errors import InputError
from simulator.serve.child import Job
from simulator.serve.limits import MOST_TABS, Limits
from simulator.serve.messages import ACCEPTED, BUSY, UNKNOWN, Answer, refusal
from simulator.serve.pool import Pool

_TAB = re.compile(r"[A-Za-z0-9-]{1,64}")
_LOOK_S = 0.25  # between two looks whether a page is still there
_SWEEP_S = 5.0


def check_tab(tab: object) -> str:
    """Return the name that a page gave itself; raise InputError where it is none."""
    if not isinstance(tab, str) or _TAB.fullmatch(tab) is None:
        raise InputError("is no name of a tab", file="request", field="tab", value=tab, allowed="1 to 64 letters, digits and -")
    return tab


@dataclass
class _Explanation:
    job: Job
    asked_s: float  # when its page asked last


class Tabs:
    """Runs and explanations by page.

    Parameters
    ----------
    runs, explanations : Pool
    limits : Limits
    clock : callable
        Seconds, as `time.monotonic`.
    """

    def __init__(self, runs: Pool, explanations: Pool, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._pools = (runs, explanations)
        self._limits, self._clock = limits, clock
        self._runs: dict[str, Job] = {}
        self._explanations: dict[str, _Explanation] = {}

    async def run(self, tab: str, setup: Any, gone: Callable[[], Awaitable[bool]]) -> Answer:
        """Run in place of what the page still waits for.

        Parameters
        ----------
        tab : str
        setup : dict
        gone : callable
            Whether the page does not listen any more.
        """
        before = self._runs.get(tab)
        if before is not None:
            before.stop("replaced by a later run of this page")
        job = self._runs[tab] = self._pools[0].submit("run", setup)
        try:
            return await attended(job, gone)
        finally:
            if self._runs.get(tab) is job:
                del self._runs[tab]

    def explain(self, tab: str, setup: Any) -> Answer:
        """Begin an explanation in place of the page's last."""
        self.forget(tab)
        if len(self._explanations) >= MOST_TABS:
            return refusal(BUSY, "too many explanations are kept; close other pages")
        job = self._pools[1].submit("why", setup)
        self._explanations[tab] = _Explanation(job, self._clock())
        return self.explanation(tab)

    def explanation(self, tab: str) -> Answer:
        """Return the page's explanation, or how far it is."""
        kept = self._explanations.get(tab)
        if kept is None:
            return refusal(UNKNOWN, "there is no explanation under way")
        kept.asked_s = self._clock()
        if kept.job.answer.done():
            del self._explanations[tab]
            return kept.job.answer.result()
        body = {"state": "running" if kept.job.started else "waiting", "progress": kept.job.progress}
        return Answer(ACCEPTED, json.dumps(body).encode())

    def forget(self, tab: str) -> None:
        """Stop the page's explanation."""
        kept = self._explanations.pop(tab, None)
        if kept is not None:
            kept.job.stop("stopped")

    def forget_unasked(self) -> None:
        """Stop explanations that no page asks for any more."""
        oldest_s = self._clock() - self._limits.unasked_s
        for tab in [tab for tab, kept in self._explanations.items() if kept.asked_s < oldest_s]:
            self.forget(tab)

    async def keep_tidy(self) -> None:
        """Do so for ever."""
        while True:
            await asyncio.sleep(_SWEEP_S)
            self.forget_unasked()


async def attended(job: Job, gone: Callable[[], Awaitable[bool]]) -> Answer:
    """Wait for the answer to a page that may be closed meanwhile."""
    while not job.answer.done():
        await asyncio.wait({job.answer}, timeout=_LOOK_S)
        if not job.answer.done() and await gone():
            job.stop("the page is gone")
    return job.answer.result()
