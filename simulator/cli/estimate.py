"""`numasim estimate`: bounds of a workload without simulation, and how far a run of it came."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from simulator.cli.documents import machine_files, prepare_output
from simulator.cli.options import add_accuracy, add_background, add_engine, add_machine, add_output, add_overrides
from simulator.cli.output import write_text
from simulator.cli.run import background_rates

if TYPE_CHECKING:
    from simulator.machine.spec import Machine
    from simulator.measure.result import RunResult
    from simulator.workload import Workload

MAX_RUN_BYTES = 16 << 20


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "estimate",
        help="most that threads on a machine can do, and what stops them, without simulation",
        epilog="docs/theory.md says how the bounds are found, and what they leave out.",
    )
    add_machine(parser)
    parser.add_argument("labels", metavar="LABEL", nargs="*", help="a foreground thread, such as 0.0.w.1")
    add_background(parser)
    runs = parser.add_mutually_exclusive_group()
    runs.add_argument("--run", action="store_true", help="simulate it too, and say how far the run came")
    runs.add_argument("--against", metavar="RUN.json", help="say how far a run came that `numasim run -o RUN.json` wrote")
    add_accuracy(parser)
    add_engine(parser)
    add_overrides(parser)
    add_output(parser)
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Estimate; exit code 1 when the verdict of a run is not "steady", or a law does not hold on it."""
    from simulator.machine.load import load_machine
    from simulator.theory.estimate import estimate
    from simulator.workload import Workload, check_workload

    machine = load_machine(args.machine, args.overrides)
    workload = Workload.from_labels(args.labels, background=background_rates(args.background))
    check_workload(machine, workload)
    prepare_output(args.output, {**machine_files(args.machine), "the run": args.against})
    report = estimate(machine, workload, _run(args, machine, workload))
    if args.json or args.output is not None:
        write_text(args.output, report.model_dump_json(indent=2) + "\n")
    else:
        from simulator.cli.console import show_tables
        from simulator.cli.estimate_tables import estimate_tables

        show_tables(estimate_tables(report))
    return 0 if report.verdict in (None, "steady") and all(law.holds for law in report.laws) else 1


def _run(args: argparse.Namespace, machine: Machine, workload: Workload) -> RunResult | None:
    if args.against is not None:
        return read_run(args.against)
    if not args.run:
        return None
    from simulator.measure.accuracy import Accuracy
    from simulator.measure.run import run

    return run(machine, workload, Accuracy(args.ci, args.lines, args.warmup), seed=args.seed, engine=args.engine)


def read_run(path: str) -> RunResult:
    """Read what `numasim run --json` wrote.

    Raises
    ------
    InputError
        The file cannot be read, or is nothing of that kind.
    """
    from pathlib import Path

    from pydantic import ValidationError

    from simulator.errors import InputError
    from simulator.interop.source import read_bounded
    from simulator.measure.result import RunResult

    data, allowed = read_bounded(Path(path), path, MAX_RUN_BYTES), "what `numasim run -o FILE` writes"
    try:
        return RunResult.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(f"is no run: {first['msg'].lower()}", file=path, field=field or None, allowed=allowed) from None
    except (RecursionError, ValueError):
        raise InputError("is no run", file=path, allowed=allowed) from None
