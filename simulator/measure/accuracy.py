"""How long a run is, and when its numbers are good enough."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.errors import InputError


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
    """

    ci_percent: float = 0.5
    lines: int = 20_000
    warmup: int = 500

    def __post_init__(self) -> None:
        if not 0 < self.ci_percent <= 100:
            raise InputError("confidence out of range", field="ci", value=self.ci_percent, allowed="above 0, up to 100 per cent")
        if not 1 <= self.lines <= 1_000_000_000:
            raise InputError("lines out of range", field="lines", value=self.lines, allowed="1 to 1000000000")
        if not 0 <= self.warmup <= 1_000_000_000:
            raise InputError("warm-up out of range", field="warmup", value=self.warmup, allowed="0 to 1000000000")
