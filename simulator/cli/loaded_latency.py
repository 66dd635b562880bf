"""`numasim loaded-latency`: latency of one core's reads while others load the same memory."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from simulator.cli.documents import (
    add_documents,
    add_measuring,
    machine_files,
    prepare_documents,
    read_share,
    whole_number,
    whole_numbers,
    write_document,
)
from simulator.cli.guard import say

if TYPE_CHECKING:
    from simulator.measure.loaded import LoadedReport

_CSV = "read_fraction,inject_delay_ns,latency_ns,bandwidth_gb_per_s"


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "loaded-latency",
        help="latency of reads under growing load, as Intel MLC lays it out",
        epilog="Core 0 of the node measures with dependent reads; its other cores make the load. See docs/matrix.md.",
    )
    add_measuring(parser)
    parser.add_argument(
        "--from", dest="from_node", type=whole_number, required=True, metavar="N", help="node of the measuring core"
    )
    parser.add_argument(
        "--to", dest="to_node", type=whole_number, required=True, metavar="N", help="node of the memory, the load's too"
    )
    parser.add_argument(
        "--read-fraction",
        dest="read_fractions",
        type=read_share,
        action="append",
        metavar="F",
        help="share of the load's lines that is read, the others are written (1): 0.67 or 2/3; repeat for more curves",
    )
    parser.add_argument("--load-from", metavar="N[,M..]", help="nodes whose cores make the load (default: that of --from)")
    parser.add_argument(
        "--delays", type=whole_numbers, metavar="NS[,NS..]", help="ns that a slot of a load thread rests between lines"
    )
    add_documents(parser, picture="latency over bandwidth")
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Measure; exit code 1 when the verdict of a load is not "steady"."""
    from simulator.cli.console import progress_bar
    from simulator.machine.load import load_machine
    from simulator.measure.accuracy import Accuracy
    from simulator.measure.loaded import DELAYS_NS, measure_loaded_latency
    from simulator.placement.lists import parse_nodes

    machine = load_machine(args.machine, args.overrides)
    load_nodes = None if args.load_from is None else parse_nodes(args.load_from, machine, "--load-from")
    accuracy = Accuracy(args.ci, args.lines, args.warmup)
    prepare_documents(args, machine_files(args.machine))
    with progress_bar(f"{machine.name}: loads") as progress:
        report = measure_loaded_latency(
            machine,
            args.from_node,
            args.to_node,
            args.read_fractions or (1.0,),
            load_nodes=load_nodes,
            delays_ns=DELAYS_NS if args.delays is None else args.delays,
            accuracy=accuracy,
            seed=args.seed,
            engine=args.engine,
            progress=progress,
        )
    _write(args, report)
    failed = [point for point in report.points if point.verdict != "steady"]
    for point in failed:
        say(f"{100 * point.read_fraction:.3g} % reads, {point.inject_delay_ns} ns: {point.verdict}, {point.verdict_detail}")
    return 1 if failed else 0


def _write(args: argparse.Namespace, report: LoadedReport) -> None:
    from simulator.cli.mlc_layout import loaded_text
    from simulator.cli.output import STDOUT, write_text

    rows = [(p.read_fraction, p.inject_delay_ns, p.latency_ns, p.bandwidth_gb_per_s) for p in report.points]
    if not write_document(args, report, _CSV, rows):
        write_text(STDOUT, loaded_text(report))
    if args.picture is not None:
        from simulator.plots.loaded_latency import draw_loaded_latency

        draw_loaded_latency(report, args.picture)
