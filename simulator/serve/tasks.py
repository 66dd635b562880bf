"""What a worker does for a page: draws a machine, runs threads on it, explains a run. Answers are JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

from simulator.explain.why import why
from simulator.measure.demand import with_demand
from simulator.measure.run import run
from simulator.measure.tables import run_tables
from simulator.report.runs import breakdown
from simulator.serve.limits import RUN_ACCURACY, WHY_ACCURACY
from simulator.serve.messages import Kind
from simulator.serve.setup import Setup, load, load_offered
from simulator.tables import Table
from simulator.web.machine_view import machine_view

Tell = Callable[[int, int, str], None]


def answer(kind: Kind, setup: Setup, offered: Collection[str], tell: Tell) -> str:
    """Do it.

    Parameters
    ----------
    kind : {'machine', 'run', 'why'}
    setup : Setup
    offered : collection of str
        Machines that may be loaded.
    tell : callable
        Called with runs done, runs planned so far and what was done last, of an explanation.

    Raises
    ------
    InputError
        As `numasim run` and `numasim why` with the same arguments.
    """
    if kind == "machine":
        return json.dumps({"view": machine_view(load_offered(setup, offered))})
    return json.dumps(_run(setup, offered) if kind == "run" else _why(setup, offered, tell))


def _run(setup: Setup, offered: Collection[str]) -> dict[str, Any]:
    machine, workload = load(setup, offered)
    result = run(machine, workload, RUN_ACCURACY)
    if result.verdict not in ("deadlock", "no progress", "not warmed up"):
        result = with_demand(machine, workload, result)
    return {
        "command": setup.command_line("run", RUN_ACCURACY),
        "document": result.model_dump_json(indent=2) + "\n",  # as `numasim run --json` writes it, to the last byte
        "view": machine_view(machine, result),
        "tables": [_table(table) for table in run_tables(result)],
        "breakdown": breakdown(result.breakdown),
    }


def _why(setup: Setup, offered: Collection[str], tell: Tell) -> dict[str, Any]:
    machine, workload = load(setup, offered)
    report = why(machine, workload, accuracy=WHY_ACCURACY, progress=tell)
    return {"command": setup.command_line("why", WHY_ACCURACY), "document": report.model_dump_json(indent=2) + "\n"}


def _table(table: Table) -> dict[str, Any]:
    """Return a table of the command line: pages show the very texts that it prints."""
    rows = [[cell.text for cell in cells] for cells in table.rows]
    return {"title": table.title, "headers": table.headers, "left": table.left, "note": table.note, "rows": rows}
