"""`numasim advise`: where the threads and the memory of a workload file should go, from simulated time."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from simulator.cli.documents import machine_files, prepare_documents
from simulator.cli.options import add_engine, add_machine, add_output, add_overrides, positive_int, seed

if TYPE_CHECKING:
    from simulator.advise.report import Advice
    from simulator.machine.spec import Machine
    from simulator.program import Program

_MOST_LINES, _MOST_RUNS, _MOST_JOBS = 1_000_000, 100_000, 256
_ALL = "all"


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "advise",
        help="search placements of the threads and memory of a workload file; rank them, and print the lines that do it",
        epilog="docs/advise.md says what is searched and how to read the ranking; docs/workload-files.md explains the file.",
    )
    add_machine(parser)
    parser.add_argument("workload", metavar="WORKLOAD.toml", help="a workload file")
    parser.add_argument(
        "--fixed",
        action="append",
        default=[],
        metavar="GROUP",
        help="threads that stay where the file has them, with their memory, such as a load beside what is to be placed",
    )
    parser.add_argument(
        "--lines",
        type=_lines,
        default=2000,
        metavar="N",
        help="most lines of a thread between two barriers in a run, spread over the phase (%(default)s); all: the whole workload",
    )
    parser.add_argument(
        "--budget",
        type=_budget,
        default=160,
        metavar="N",
        help="runs: 3/4 to choose, the rest to tell the best apart (%(default)s)",
    )
    parser.add_argument("--seed", type=seed, default=1, metavar="S", help="the first of those that are used (%(default)s)")
    add_engine(parser)
    parser.add_argument("--jobs", type=_jobs, default=1, metavar="N", help="runs at a time; changes no result (%(default)s)")
    add_overrides(parser)
    add_output(parser)
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Advise; exit code 1 when no placement came to its end."""
    from simulator.cli.output import write_text
    from simulator.machine.load import load_machine
    from simulator.program import load_program

    machine = load_machine(args.machine, args.overrides)
    program = load_program(args.workload)
    prepare_documents(args, {"the workload file": args.workload, **machine_files(args.machine)})
    report = _advice(args, machine, program)
    if args.json or args.output is not None:
        write_text(args.output, report.model_dump_json(indent=2) + "\n")
    else:
        from simulator.cli.advise_tables import advice_tables, advice_text
        from simulator.cli.console import show_tables

        show_tables(advice_tables(report))
        write_text(None, advice_text(report))
    return 0 if report.advised is not None else 1


def _advice(args: argparse.Namespace, machine: Machine, program: Program) -> Advice:
    from simulator.advise import advise
    from simulator.cli.console import progress_bar
    from simulator.sweep.executors import local_executor

    with progress_bar(f"{machine.name}: runs") as progress:
        return advise(
            machine,
            program,
            fixed=tuple(dict.fromkeys(args.fixed)),
            lines=args.lines,
            budget=args.budget,
            seed=args.seed,
            engine=args.engine,
            executor=local_executor(args.jobs),
            progress=progress,
            label=args.workload,
        )


def _lines(text: str) -> int | None:
    return None if text == _ALL else _at_most(text, _MOST_LINES)


def _budget(text: str) -> int:
    return _at_most(text, _MOST_RUNS)


def _jobs(text: str) -> int:
    return _at_most(text, _MOST_JOBS)


def _at_most(text: str, most: int) -> int:
    value = positive_int(text) if len(text) < 20 else most + 1
    if value > most:
        raise argparse.ArgumentTypeError(f"{text[:20]} is more than {most}")
    return value
