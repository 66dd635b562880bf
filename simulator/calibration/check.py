"""What can be said of a calibration before any run."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.calibration.evaluate import Evaluator
from simulator.calibration.free import FreeValue
from simulator.calibration.rows import Row, work_of
from simulator.errors import InputError
from simulator.validation.prediction import UnpredictableError
from simulator.workload import check_workload


def check_bounds(evaluator: Evaluator, machine: str, free: Sequence[FreeValue]) -> None:
    """See that the machine can have both bounds of each value.

    Raises
    ------
    InputError
        It cannot.
    """
    for value in free:
        for bound in (value.inside(value.lowest), value.inside(value.highest)):
            try:
                evaluator.machine(machine, {value.path: bound})
            except InputError as error:
                text = f"{value.path}:{value.lowest:g}..{value.highest:g}"
                what = f"the machine cannot have {bound:g}: {error.what}"
                raise InputError(what, field="--free", value=text, allowed=error.allowed) from None


def check_rows(evaluator: Evaluator, rows: Sequence[Row]) -> None:
    """See that the machines can do the runs of all rows.

    Raises
    ------
    InputError
        One cannot.
    """
    machines = {name: evaluator.machine(name, {}) for name in {run.machine for row in rows for run in row.needs}}
    for row in rows:
        for run in row.needs:
            try:
                work = work_of(run, machines[run.machine])
                check_workload(work.machine, work.workload)
            except (InputError, UnpredictableError) as error:
                raise InputError(f"the machine cannot run it: {error}", field=row.name, allowed="rows of this machine") from None
