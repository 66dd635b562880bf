"""What a worker does: one run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import simulator
from simulator.engine.build import EngineName, build_engine, build_recurring_engine
from simulator.engine.lower import lower
from simulator.errors import NumasimError
from simulator.machine.spec import Machine
from simulator.machine.variants import without_jitter
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.sweep.key import model_fingerprint
from simulator.workload import Workload


@dataclass(frozen=True)
class Job:
    """All that a run needs, so that a worker reads no file.

    Attributes
    ----------
    key : str
        See :func:`simulator.sweep.key.run_key`.
    """

    key: str
    machine: Machine
    workload: Workload
    accuracy: Accuracy
    seed: int


def ready_engine(job: Job, engine: EngineName) -> EngineName:
    """Find out whether an engine is there, and compile what is not compiled yet: once, and not in each worker.

    Returns
    -------
    {'auto', 'simpy', 'compiled'}
        What workers are to be told: simpy where numba does not work, so that it is said once too.

    Raises
    ------
    InputError
        There is no such engine, or the compiled one was asked for and numba does not work here.
    """
    if build_engine(lower(job.machine, job.workload, job.seed), engine).name == "simpy":
        return "simpy"
    if job.accuracy.steady == "exact":
        build_recurring_engine(lower(without_jitter(job.machine), job.workload, job.seed), engine)
    return engine


@dataclass(frozen=True)
class Simulate:
    """Does a job; sent to workers.

    Attributes
    ----------
    model : str
        Fingerprint of the model that the results are kept under.
    engine : str
    run_one : callable
        Called as ``run_one(machine, workload, accuracy, seed=seed, engine=engine)``.
    """

    model: str
    engine: EngineName = "auto"
    run_one: Callable[..., RunResult] = run

    def __call__(self, job: Job) -> RunResult:
        """Return the result of a run.

        Raises
        ------
        NumasimError
            This worker has another model: its result would be kept under a wrong key.
        """
        if model_fingerprint() != self.model:
            raise NumasimError(f"a worker has another numasim (it says {simulator.__version__}); install the same everywhere")
        return self.run_one(job.machine, job.workload, job.accuracy, seed=job.seed, engine=self.engine)
