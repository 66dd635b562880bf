"""`numasim matrix`: idle latency and bandwidth, node by node."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from simulator.cli.documents import add_documents, add_measuring, machine_files, prepare_documents, read_share, write_document
from simulator.cli.guard import say
from simulator.cli.options import positive_int

if TYPE_CHECKING:
    from simulator.measure.matrix import MatrixReport, Quantity

_CSV = "from_node,to_node,quantity,value,unit,ci_percent"


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "matrix",
        help="idle latency and bandwidth from every node to every memory, as Intel MLC lays them out",
        epilog="Without --latency and --bandwidth both are measured. docs/matrix.md says what is measured, and how.",
    )
    add_measuring(parser)
    parser.add_argument("--latency", action="store_true", help="only idle latencies: one dependent read at a time")
    parser.add_argument("--bandwidth", action="store_true", help="only bandwidths")
    parser.add_argument(
        "--read-fraction",
        type=read_share,
        default=1.0,
        metavar="F",
        help="share of the lines of the bandwidth threads that is read, the others are written (1): 0.67 or 2/3",
    )
    parser.add_argument(
        "--threads-per-node", type=positive_int, metavar="N", help="bandwidth threads on the node (default: one on every core)"
    )
    parser.add_argument(
        "--loop",
        choices=("stream", "test"),
        default="stream",
        help="bandwidth threads that only ask for bandwidth, or the machine's ordinary ones as in `numasim run` (%(default)s)",
    )
    add_documents(parser, picture="heat maps")
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Measure; exit code 1 when the verdict of a pair is not "steady"."""
    from simulator.cli.console import progress_bar
    from simulator.machine.load import load_machine
    from simulator.measure.accuracy import Accuracy
    from simulator.measure.matrix import BandwidthThreads, measure_matrix

    machine = load_machine(args.machine, args.overrides)
    accuracy = Accuracy(args.ci, args.lines, args.warmup)
    prepare_documents(args, machine_files(args.machine))
    threads = BandwidthThreads(args.read_fraction, args.threads_per_node, args.loop)
    with progress_bar(f"{machine.name}: pairs") as progress:
        report = measure_matrix(
            machine, _quantities(args), threads, accuracy=accuracy, seed=args.seed, engine=args.engine, progress=progress
        )
    _write(args, report)
    failed = [cell for cell in report.cells if cell.verdict != "steady"]
    for cell in failed:
        say(f"{cell.quantity} {cell.from_node} -> {cell.to_node}: {cell.verdict}, {cell.verdict_detail}")
    return 1 if failed else 0


def _quantities(args: argparse.Namespace) -> tuple[Quantity, ...]:
    chosen: tuple[Quantity, ...] = (*(("latency",) if args.latency else ()), *(("bandwidth",) if args.bandwidth else ()))
    return chosen or ("latency", "bandwidth")


def _write(args: argparse.Namespace, report: MatrixReport) -> None:
    from simulator.cli.mlc_layout import matrix_text
    from simulator.cli.output import STDOUT, write_text

    rows = [(c.from_node, c.to_node, c.quantity, c.value, c.unit, c.ci_percent) for c in report.cells]
    if not write_document(args, report, _CSV, rows):
        write_text(STDOUT, matrix_text(report))
    if args.picture is not None:
        from simulator.plots.heat_map import draw_matrix

        draw_matrix(report, args.picture)
