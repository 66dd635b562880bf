"""`run()`: one machine, one workload, one result."""

from __future__ import annotations

from dataclasses import asdict

from simulator import __version__
from simulator.engine.build import EngineName, build_engine
from simulator.engine.lower import lower
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
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
    plan = lower(machine, workload, seed)
    session = Session(plan, build_engine(plan, engine), accuracy)
    session.run()
    provenance = Provenance(
        version=__version__,
        engine=session.engine.name,
        seed=seed,
        machine=machine.model_dump(mode="json"),
        workload=workload.as_dict(),
        accuracy=asdict(accuracy),
    )
    return _result(machine, workload, session, provenance)


def _result(machine: Machine, workload: Workload, session: Session, provenance: Provenance) -> RunResult:
    end = session.engine.snapshot()
    last = session.last or end
    window = Window(session.plan, session.opened or end, last)
    intervals = [session.ci_percent(thread) if session.opened else None for thread in range(len(workload.threads))]
    assert session.verdict is not None
    return RunResult(
        machine=machine.name,
        window_ns=ns_from_ps(window.time_ps),
        threads=thread_reports(window, workload, intervals),
        links=link_reports(window),
        controllers=controller_reports(window),
        latency_ns=latency_report(window, session.engine.latency_histogram()),
        events=end.events,
        verdict=session.verdict,
        verdict_detail=session.verdict_detail,
        deadlock_cycle=session.cycle,
        provenance=provenance,
    )
