"""AMD's thread labels: ``node.core.r|w.memory``, as note 40555 writes its two-thread test."""

from __future__ import annotations

import re

from simulator.errors import InputError
from simulator.workload.thread import Access, Mode, ThreadSpec, check_rate

_LABEL = re.compile(r"(\d{1,5})\.(\d{1,5})\.([rw])\.(\d{1,5})", re.ASCII)
_GRAMMAR = "node.core.r|w.memory, such as 0.0.w.1"


def parse_label(text: str, *, background: bool = False, rate_gb_per_s: float | None = None) -> ThreadSpec:
    """Read one label.

    Parameters
    ----------
    text : str
        Such as ``0.0.w.1``: node 0, core 0, writes the memory of node 1.
    background : bool
        The thread goes on until the foreground ends.
    rate_gb_per_s : float, optional
        Most it asks for.

    Raises
    ------
    InputError
        The text is no label, or the rate is not positive.
    """
    match = _LABEL.fullmatch(text)
    if match is None:
        raise InputError("not a thread label", field="thread", value=text, allowed=_GRAMMAR)
    if rate_gb_per_s is not None:
        check_rate(rate_gb_per_s, f"background {text}")
    node, core, mode, memory = match.groups()
    access = Access(mode=_mode(mode), memory=int(memory))
    return ThreadSpec(int(node), int(core), (access,), background=background, rate_gb_per_s=rate_gb_per_s)


def parse_background(text: str) -> tuple[str, float]:
    """Read ``LABEL@GB_PER_S`` into its two parts.

    Raises
    ------
    InputError
        The rate is missing or is not a number.
    """
    label, at, rate = text.partition("@")
    allowed = "LABEL@GB_PER_S, such as 1.0.r.1@0.5"
    if not at:
        raise InputError("a background thread needs a rate", field="--background", value=text, allowed=allowed)
    try:
        return parse_label(label).label, check_rate(float(rate), f"--background {label}")
    except ValueError:
        raise InputError("the rate is not a number", field="--background", value=text, allowed=allowed) from None


def _mode(text: str) -> Mode:
    return "r" if text == "r" else "w"
