"""What one request may cost, and how exact its answer is."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.measure.accuracy import Accuracy

RUN_ACCURACY = Accuracy(ci_percent=1.5, lines=10_000)  # two threads take 0.1 s, eight under full load half a second
WHY_ACCURACY = Accuracy(ci_percent=0.5, lines=10_000)  # differences of a few per cent, in a few seconds
MOST_THREADS = 64
MOST_SETTINGS = 32
LONGEST_TEXT = 200  # characters of a label or setting
MOST_BODY_BYTES = 32 * 1024
MOST_TABS = 256  # whose explanations are kept


@dataclass(frozen=True)
class Limits:
    """Protection of the computer that serves.

    Attributes
    ----------
    jobs : int
        Runs at a time, each in a process of its own; explanations have one more.
    run_s, why_s : float
        Longest run and explanation, s; the process is ended after it.
    waiting : int
        Most runs that wait for a process; further ones are refused.
    grace_s : float
        So long a run that nobody waits for any more may go on: ending its process costs more than the rest of a short run.
    unasked_s : float
        So long an explanation is kept that its page does not ask for: pages in the background ask once a minute.
    """

    jobs: int
    run_s: float = 30.0
    why_s: float = 300.0
    waiting: int = 64
    grace_s: float = 1.0
    unasked_s: float = 150.0
