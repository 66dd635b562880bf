"""`numasim measure`: AMD's two-thread test, latencies and bandwidths of the machine at hand."""

from __future__ import annotations

import argparse

from simulator.cli.documents import prepare_output
from simulator.cli.guard import say
from simulator.errors import InputError


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "measure",
        help="measure this machine: latency, bandwidth, AMD's two-thread test",
        description="Measure this machine with pinned threads and placed memory: idle latency and bandwidth by pair of nodes, "
        "and AMD's two-thread test. Needs Linux; other work on the machine falsifies the numbers.",
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats, and on large machines fewer placements")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the numbers as CSV there too, for `compare` (-: stdout)")
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Measure, show and write."""
    if args.json and args.output == "-":
        raise InputError("--json and the CSV file cannot both go to stdout", field="-o", value="-", allowed="a file")
    prepare_output(args.output, {})
    from simulator.cli.console import progress_bar, show_tables
    from simulator.cli.output import STDOUT, write_text
    from simulator.host.measure import FULL, QUICK, measure_host
    from simulator.host.summary import csv_rows
    from simulator.host.tables import host_tables
    from simulator.host.topology import look_at_host
    from simulator.interop.measured import measurements_csv

    host = look_at_host()
    with progress_bar("measure: runs") as progress:
        report = measure_host(host, QUICK if args.quick else FULL, progress=progress)
    for note in report.notes:
        say(note)
    if args.output is not None:
        write_text(args.output, measurements_csv(csv_rows(report)))
    if args.json:
        write_text(STDOUT, report.model_dump_json(indent=2) + "\n")
    elif args.output != STDOUT:
        show_tables(host_tables(report))
    return 0
