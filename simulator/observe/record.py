"""`record()`: one machine, one workload, one window written down event by event."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from simulator import __version__
from simulator.engine.lower import lower
from simulator.engine.simpy_engine import ObservedEngine
from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import Provenance
from simulator.measure.session import Session
from simulator.observe.recorder import Recorder, TooManyEvents
from simulator.observe.records import Trace
from simulator.units import ns_from_ps, ps_from_ns
from simulator.workload import Workload

MOST_EVENTS = 200_000  # hops, changes of buffers and NOPs: a document of about 60 MB
_LONGEST_NS = 1e12


@dataclass(frozen=True)
class Window:
    """Which part of a run is recorded.

    Attributes
    ----------
    length_ns : float
    warmup : int
        It opens when every foreground thread has completed so many lines, as the measured window of a run does.
    start_ns : float, optional
        It opens at this time of the run instead.
    """

    length_ns: float = 2000.0
    warmup: int = 500
    start_ns: float | None = None

    def __post_init__(self) -> None:
        if not 0.001 <= self.length_ns <= _LONGEST_NS:
            raise InputError("is no length of a window", field="window", value=self.length_ns, allowed="0.001 to 1e12 ns")
        if self.start_ns is not None and not 0 <= self.start_ns <= _LONGEST_NS:
            raise InputError("is no time to start", field="start", value=self.start_ns, allowed="0 to 1e12 ns")


@dataclass(frozen=True)
class Recording:
    """A trace, and all that determines it."""

    trace: Trace
    machine: Machine
    workload: Workload
    provenance: Provenance


def record(machine: Machine, workload: Workload, window: Window | None = None, *, seed: int = 1) -> Recording:
    """Run a workload on the reference engine and record a window.

    Both engines go through the same states, so this is what happened in a run on either of them with the same arguments.

    Parameters
    ----------
    machine : Machine
    workload : Workload
    window : Window, optional
    seed : int

    Raises
    ------
    InputError
        The workload does not fit the machine, the warm-up never ends, or the window holds more than `MOST_EVENTS` events.
    """
    window = window or Window()
    plan = lower(machine, workload, seed)
    recorder = Recorder(plan, MOST_EVENTS)
    engine = ObservedEngine(plan, recorder)
    if window.start_ns is None:
        _warm_up(engine, Session(plan, engine, Accuracy(warmup=window.warmup)))
    else:
        engine.advance_to(ps_from_ns(window.start_ns) - 1)  # what happens at the start is in the window
    opened_ps = engine.now_ps if window.start_ns is None else ps_from_ns(window.start_ns)
    closed_ps = opened_ps + ps_from_ns(window.length_ns)
    recorder.open(opened_ps)
    try:
        engine.advance_to(closed_ps)
    except TooManyEvents:
        raise _too_long(window, ns_from_ps(engine.now_ps - opened_ps)) from None
    provenance = Provenance(
        version=__version__,
        engine=engine.name,
        seed=seed,
        machine=machine.model_dump(mode="json"),
        workload=workload.as_dict(),
        accuracy=asdict(window),
    )
    return Recording(recorder.close(closed_ps), machine, workload, provenance)


def _warm_up(engine: ObservedEngine, session: Session) -> None:
    if not session.warm_up():
        raise InputError(
            f"the warm-up never ends: {session.verdict}, {session.verdict_detail}",
            field="warmup",
            value=session.accuracy.warmup,
            allowed="a shorter warm-up, or a time to start",
        )


def _too_long(window: Window, passed_ns: float) -> InputError:
    fits_ns = max(1, math.floor(0.9 * passed_ns))
    return InputError(
        f"the window holds more than {MOST_EVENTS} events",
        field="window",
        value=window.length_ns,
        allowed=f"up to about {fits_ns} ns for this workload",
    )
