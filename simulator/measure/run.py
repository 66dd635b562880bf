"""`run()`: one machine, one workload, one result."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from simulator import __version__
from simulator.engine.build import EngineName, build_engine
from simulator.engine.lower import lower
from simulator.machine.spec import Machine
from simulator.machine.variants import without_jitter
from simulator.measure.accuracy import Accuracy
from simulator.measure.breakdown import path_reports
from simulator.measure.exact import ExactSession, exact_session
from simulator.measure.report import Window, controller_reports, latency_report, link_reports, thread_reports
from simulator.measure.result import Provenance, RunResult
from simulator.measure.session import Session
from simulator.units import ns_from_ps
from simulator.workload import Workload


def run(
    machine: Machine,
    workload: Workload,
    accuracy: Accuracy | None = None,
    *,
    seed: int = 1,
    engine: EngineName = "auto",
) -> RunResult:
    """Simulate a workload until its times are known to the asked accuracy.

    Parameters
    ----------
    machine : Machine
    workload : Workload
    accuracy : Accuracy, optional
        When to stop; by default at 0.5 % or 20,000 lines a thread.
    seed : int
        Equal arguments and seed give an equal result, to the last digit.
    engine : {'auto', 'simpy', 'compiled'}
        Both engines give the same result; see `engine.build.build_engine`.

    Raises
    ------
    InputError
        The workload does not fit the machine, or there is no such engine.
    """
    accuracy = accuracy or Accuracy()
    session = _finished_session(machine, workload, accuracy, seed, engine)
    provenance = Provenance(
        version=__version__,
        engine=session.engine.name,
        seed=seed,
        machine=machine.model_dump(mode="json"),
        workload=workload.as_dict(),
        accuracy=_accuracy(accuracy, session),
    )
    return _result(machine, workload, session, provenance)


def _finished_session(
    machine: Machine, workload: Workload, accuracy: Accuracy, seed: int, engine: EngineName
) -> Session | ExactSession:
    refusal = None
    if accuracy.steady == "exact":
        exact = exact_session(lower(without_jitter(machine), workload, seed), engine, accuracy)
        if isinstance(exact, ExactSession):
            return exact
        refusal = f"ordinary run, not exact: {exact}"
    plan = lower(machine, workload, seed)
    session = Session(plan, build_engine(plan, engine), accuracy)
    session.run()
    session.verdict_detail = "; ".join(filter(None, (refusal, session.verdict_detail))) or None
    return session


def _accuracy(accuracy: Accuracy, session: Session | ExactSession) -> dict[str, Any]:
    """Return the accuracy for provenance; where an exact answer was asked for, with what was given."""
    asked = asdict(accuracy)
    return asked if accuracy.steady == "ci" else {**asked, "given": "exact" if isinstance(session, ExactSession) else "ci"}


def _result(machine: Machine, workload: Workload, session: Session | ExactSession, provenance: Provenance) -> RunResult:
    end = session.engine.snapshot()
    last = session.last or end
    recorded = session.engine.path_histogram if session.opened is not None else None
    window = Window(session.plan, session.opened or end, last, recorded)
    intervals = [session.ci_percent(thread) if session.opened else None for thread in range(len(workload.threads))]
    assert session.verdict is not None
    return RunResult(
        machine=machine.name,
        window_ns=ns_from_ps(window.time_ps),
        threads=thread_reports(window, workload, intervals),
        links=link_reports(window),
        controllers=controller_reports(window),
        latency_ns=latency_report(window, session.engine.latency_histogram()),
        breakdown=path_reports(window),
        events=end.events,
        verdict=session.verdict,
        verdict_detail=session.verdict_detail,
        deadlock_cycle=session.cycle,
        provenance=provenance,
    )
