"""Which engine runs a plan."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

from simulator.engine.interface import Engine
from simulator.engine.plan import Plan
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.engine.compiled.recurring import RecurringEngine

EngineName = Literal["auto", "simpy", "compiled"]
_LOG = logging.getLogger("simulator.engine")


def build_engine(plan: Plan, name: EngineName = "auto") -> Engine:
    """Return an engine at the start of a plan.

    Parameters
    ----------
    plan : Plan
    name : {'auto', 'simpy', 'compiled'}
        ``auto`` takes the compiled engine where numba works on this platform, else the simpy engine, and says so once a process.
        Both give the same result to the last integer.

    Raises
    ------
    InputError
        There is no such engine, or the compiled one was asked for and numba does not work here.
    """
    if name not in get_args(EngineName):
        raise InputError("there is no such engine", field="engine", value=name, allowed=", ".join(get_args(EngineName)))
    if name != "simpy":
        obstacle = _what_keeps_numba_from_working()
        if obstacle is None:
            from simulator.engine.compiled import CompiledEngine

            return CompiledEngine(plan)
        if name == "compiled":
            raise InputError(f"numba cannot be used here: {obstacle}", field="engine", value=name, allowed="simpy")
        _say_that_simpy_runs(obstacle)
    from simulator.engine.simpy_engine import SimpyEngine

    return SimpyEngine(plan)


def build_recurring_engine(plan: Plan, name: EngineName = "auto") -> RecurringEngine | None:
    """Return an engine that finds the period of a plan without random numbers; None unless the compiled engine may run it."""
    if name == "simpy" or _what_keeps_numba_from_working() is not None:
        return None
    from simulator.engine.compiled.recurring import RecurringEngine

    return RecurringEngine(plan)


@cache
def _what_keeps_numba_from_working() -> str | None:
    """Import and compile the compiled engine, once a process; return what went wrong, None if nothing."""
    try:
        from simulator.engine.compiled import prepare

        prepare()
    except Exception as error:  # OSError from llvmlite's library, RuntimeError from numba, its compiler's errors
        return " ".join(f"{type(error).__name__}: {error}".split())
    return None


@cache
def _say_that_simpy_runs(obstacle: str) -> None:
    _LOG.warning("numba cannot be used here (%s); running on simpy, which gives the same results more slowly", obstacle)
