"""`numasim topo import`: a machine file from what another tool prints, or from the machine at hand."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.documents import prepare_output
from simulator.cli.guard import say
from simulator.cli.output import STDOUT, write_text
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.interop.import_report import TopoImport
    from simulator.interop.record import Record
    from simulator.interop.to_machine import Origin

_LIVE = "this machine"


def add_import(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `import` below `topo`."""
    parser = commands.add_parser(
        "import",
        help="a machine file from what numactl, lstopo, likwid and others print, or from this machine",
        description="Write a machine file from what another tool prints of a machine. Links come from the distances between "
        "nodes where these tell them, else from --links. What has to be guessed is marked in the file and said on stderr.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="output of a tool (-: standard input), or a copy of /sys/devices/system/node",
    )
    parser.add_argument("--live", action="store_true", help="this machine instead of a file (Linux)")
    parser.add_argument(
        "--format", default="auto", metavar="NAME", help="of the file, such as numactl or hwloc-xml (%(default)s)"
    )
    parser.add_argument(
        "--links", metavar="A-B,..", help="the links, such as 0-1,0-2,1-3,2-3; or full: one between every two nodes"
    )
    parser.add_argument("--merge", action="store_true", help="make one node of all: of fake NUMA, or as with node interleaving")
    parser.add_argument(
        "--base",
        default="opteron-k8",
        metavar="NAME",
        help="constants to extend: opteron-k8, or xeon-qpi for Xeons (%(default)s)",
    )
    parser.add_argument("--name", metavar="NAME", help="of the machine (default: from the file's title or name)")
    parser.add_argument("--json", action="store_true", help="one JSON document with what was read, guessed and made")
    parser.add_argument("-o", "--output", metavar="FILE", help="machine file to write instead of stdout")
    parser.set_defaults(handler=_import)


def _import(arguments: argparse.Namespace) -> int:
    _check_arguments(arguments)
    from simulator.interop.chosen_links import parse_links
    from simulator.interop.import_report import import_report
    from simulator.interop.to_machine import machine_of

    links = None if arguments.links is None else parse_links(arguments.links)
    record, origin = _live() if arguments.live else _read(arguments.file, arguments.format)
    try:
        report = import_report(machine_of(record, origin, links, arguments.merge, arguments.base, arguments.name), origin)
    except InputError:
        for warning in record.warnings:  # they often say why
            say(f"warning: {warning}")
        raise
    if arguments.output is not None or not arguments.json:
        write_text(arguments.output, report.machine_file)
    if arguments.json:
        write_text(STDOUT, report.model_dump_json(indent=2) + "\n")
    _say(report, arguments.output)
    return 0


def _check_arguments(arguments: argparse.Namespace) -> None:
    if arguments.live == (arguments.file is not None):
        raise InputError("wants one machine", field="topo import", allowed="either a FILE or --live")
    if arguments.live and arguments.format != "auto":
        raise InputError("goes with a file", field="--format", value=arguments.format, allowed="--live without it")
    if arguments.json and arguments.output == STDOUT:
        raise InputError("--json and the machine file cannot both go to stdout", field="-o", value=STDOUT, allowed="a file")
    from simulator.interop.source import STDIN, file_name

    if arguments.file is not None:
        file_name(arguments.file)
    prepare_output(arguments.output, {"the file that is read": None if arguments.file == STDIN else arguments.file})


def _read(path: str, format: str) -> tuple[Record, Origin]:
    from simulator.interop.formats import read_record, read_text
    from simulator.interop.physical_cores import cores_told
    from simulator.interop.source import STDIN, STDIN_LABEL, read_source
    from simulator.interop.to_machine import Origin

    name = STDIN_LABEL if path == STDIN else os.path.basename(os.path.normpath(path))
    if path != STDIN and _is_folder(path):
        return read_record(path, format), Origin(path, name)
    source = read_source(path)
    record = read_text(source, format)
    return record, Origin(source.label, name, cores_told(source, record))


def _is_folder(path: str) -> bool:
    try:
        return os.path.isdir(path)
    except ValueError:  # a NUL byte in the name; the reader says so
        return False


def _live(root: Path = Path("/")) -> tuple[Record, Origin]:
    from simulator.interop.physical_cores import live_cores, live_cpus
    from simulator.interop.sysfs_tree import read_live
    from simulator.interop.to_machine import Origin, one_node

    record = read_live(root)
    cpus = live_cpus(root) if not record.nodes else None
    if cpus:
        record = one_node(record, cpus, None)
    return record, Origin(_LIVE, _LIVE, live_cores(record, root))


def _say(report: TopoImport, output: str | None) -> None:
    for warning in report.warnings:
        say(f"warning: {warning}")
    for guess in report.guesses:
        say(f"guess, {guess.about}: {guess.text}")
    entry, count = report.machine, len(report.guesses)
    parts = f"{entry.name}: {_counted(entry.nodes, 'node')}, {_counted(entry.cores, 'core')}, {_counted(entry.links, 'link')}"
    told = {True: "; hops reproduce the distances", False: "; hops do not reproduce the distances", None: ""}
    wrote = f"wrote {output}: " if output not in (None, STDOUT) else ""
    say(f"{wrote}{parts}; {count or 'no'} guess{'' if count == 1 else 'es'}{told[report.reproduces_distances]}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
