"""`numasim place`: where the threads and pages of a workload file are on a machine, without a run."""

from __future__ import annotations

import argparse

from simulator.cli.documents import machine_files, prepare_documents
from simulator.cli.options import add_machine, add_output, add_overrides


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "place",
        help="pages of a workload file on the nodes of a machine, without a run",
        epilog="docs/workload-files.md explains workload files, docs/placement.md where pages go.",
    )
    add_machine(parser)
    parser.add_argument("workload", metavar="WORKLOAD.toml", help="a workload file")
    add_overrides(parser)
    add_output(parser)
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Place all pages."""
    from simulator.cli.output import write_text
    from simulator.machine.load import load_machine
    from simulator.program.read import load_program
    from simulator.program.report import placement_report, placement_tables
    from simulator.program.touch import place

    machine = load_machine(args.machine, args.overrides)
    program = load_program(args.workload)
    prepare_documents(args, {"the workload file": args.workload, **machine_files(args.machine)})
    report = placement_report(place(program, machine, label=args.workload), machine)
    if args.json or args.output is not None:
        write_text(args.output, report.model_dump_json(indent=2) + "\n")
    else:
        from simulator.cli.console import show_tables

        show_tables(placement_tables(report))
    return 0
