"""What a worker does: one run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import simulator
from simulator.errors import NumasimError
from simulator.machine.spec import Machine
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
    engine: str = "auto"
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
