"""`numasim topo list|show|draw|check`; `import` is in a module of its own."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from simulator.cli.documents import machine_files, picture_files, prepare_output
from simulator.cli.output import STDOUT, check_outputs, write_text
from simulator.cli.topo_import import add_import

if TYPE_CHECKING:
    from simulator.machine.report import IdleRead
    from simulator.machine.spec import Machine


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `topo` and its commands; each sets `handler`, which takes the parsed arguments and returns the exit code."""
    topo = subparsers.add_parser("topo", help="list, describe, draw and check machines")
    commands = topo.add_subparsers(dest="topo_command", metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="the machines that ship with numasim")
    _add_output(listing)
    listing.set_defaults(handler=_list)
    show = commands.add_parser("show", help="a machine: distances as numactl --hardware prints them, parts, routes")
    _add_machine(show)
    _add_output(show)
    show.set_defaults(handler=_show)
    draw = commands.add_parser("draw", help="a picture of a machine")
    _add_machine(draw)
    draw.add_argument("-o", "--output", metavar="FILE", required=True, help="picture to write: .png, .svg, or neither for both")
    draw.set_defaults(handler=_draw)
    check = commands.add_parser("check", help="is a machine file right? exit code 0 or 2; warnings on stderr")
    _add_machine(check)
    _add_output(check)
    check.set_defaults(handler=_check)
    add_import(commands)


def _add_machine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("machine", metavar="MACHINE", help="name of a shipped machine, or a machine file")
    parser.add_argument(
        "--set", dest="overrides", action="append", default=[], metavar="PATH=VALUE", help="change a value: link.latency_ns=8"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("-o", "--output", metavar="FILE", default=STDOUT, help="file to write instead of stdout")


def _list(arguments: argparse.Namespace) -> int:
    from simulator.machine.load import list_machines, load_machine
    from simulator.machine.read import shipped_names
    from simulator.machine.report import TopoList, machine_entry

    prepare_output(arguments.output, {})
    entries = tuple(machine_entry(load_machine(name)) for name in list_machines())
    if arguments.json:
        text = TopoList(machines=entries).model_dump_json(indent=2) + "\n"
    else:
        width = max(len(entry.name) for entry in entries)
        header = f"{'machine':{width}}  nodes  cores  links  title\n"
        rows = (f"{entry.name:{width}}  {entry.nodes:5}  {entry.cores:5}  {entry.links:5}  {entry.title}\n" for entry in entries)
        bases = ", ".join(name for name in shipped_names() if name not in list_machines())
        text = header + "".join(rows) + f"to extend (constants only): {bases}\n"
    write_text(arguments.output, text)
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from simulator.machine.describe import machine_text
    from simulator.machine.report import topo_show

    machine = _load(arguments)
    prepare_output(arguments.output, machine_files(arguments.machine))
    report = topo_show(machine, _idle_reads(machine))
    _warn(report.warnings)
    write_text(arguments.output, report.model_dump_json(indent=2) + "\n" if arguments.json else machine_text(machine, report))
    return 0


def _draw(arguments: argparse.Namespace) -> int:
    machine = _load(arguments)
    for path in picture_files("-o", arguments.output):
        check_outputs({"-o": path}, machine_files(arguments.machine))
    from simulator.plots.square import draw_machine

    for path in draw_machine(machine, arguments.output):
        print(f"wrote {path}", file=sys.stderr)
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from simulator.machine.report import topo_check

    report = topo_check(_load(arguments))
    prepare_output(arguments.output, machine_files(arguments.machine))
    _warn(report.warnings)
    if arguments.json:
        text = report.model_dump_json(indent=2) + "\n"
    else:
        entry = report.machine
        warnings = f", {len(report.warnings)} warnings" if report.warnings else ""
        text = (
            f"{entry.name}: ok{warnings}: {entry.nodes} nodes, {entry.cores} cores, {entry.links} links; "
            f"diameter {report.diameter}, average distance {report.average_hops:.3f} hops; "
            f"{report.fitted_values} fitted values\n"
        )
    write_text(arguments.output, text)
    return 0


def _load(arguments: argparse.Namespace) -> Machine:
    from simulator.machine.load import load_machine

    return load_machine(arguments.machine, arguments.overrides)


def _warn(warnings: tuple[str, ...]) -> None:
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)


def _idle_reads(machine: Machine) -> list[IdleRead]:
    """Measure a read at rest of every pair of nodes; on a large machine, of the first pair for each number of hops."""
    from simulator.machine.report import MOST_PAIRS_NODES, IdleRead
    from simulator.machine.topology import hops
    from simulator.measure.idle import zero_load_ns

    pairs = [
        (hop, start.id, end.id)
        for row, start in zip(hops(machine), machine.nodes, strict=True)
        for hop, end in zip(row, machine.nodes, strict=True)
        if start.cores and end.controller is not None
    ]
    if len(machine.nodes) > MOST_PAIRS_NODES:
        firsts = {hop: (hop, start, end) for hop, start, end in reversed(pairs)}
        pairs = sorted(firsts.values())
    return [
        IdleRead(node=start, memory=end, hops=hop, label=f"{start}.0.r.{end}", latency_ns=zero_load_ns(machine, start, end))
        for hop, start, end in pairs
    ]
