"""How long a run is, and when its numbers are good enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from simulator.errors import InputError

Steady = Literal["ci", "exact"]


@dataclass(frozen=True)
class Accuracy:
    """When to stop.

    Attributes
    ----------
    ci_percent : float
        Stop once the 95 % confidence interval of every foreground thread's time a line has at most this half width.
    lines : int
        Most measured lines a foreground thread.
    warmup : int
        Lines a foreground thread before the measured window opens.
    steady : {'ci', 'exact'}
        ``exact`` takes the jitter off and measures whole periods of the state where it recurs within `lines`; where it does not,
        the run is an ordinary one, and its `verdict_detail` says so. See docs/exact.md.
    """

    ci_percent: float = 0.5
    lines: int = 20_000
    warmup: int = 500
    steady: Steady = "ci"

    def __post_init__(self) -> None:
        if not 0 < self.ci_percent <= 100:
            raise InputError("confidence out of range", field="ci", value=self.ci_percent, allowed="above 0, up to 100 per cent")
        if not 1 <= self.lines <= 1_000_000_000:
            raise InputError("lines out of range", field="lines", value=self.lines, allowed="1 to 1000000000")
        if not 0 <= self.warmup <= 1_000_000_000:
            raise InputError("warm-up out of range", field="warmup", value=self.warmup, allowed="0 to 1000000000")
        if self.steady not in get_args(Steady):
            allowed = ", ".join(get_args(Steady))
            raise InputError("there is no such way to stop", field="steady", value=self.steady, allowed=allowed)
