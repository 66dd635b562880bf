"""`numasim trace`: a window of a run, event by event: one line's life, a document for Perfetto, pictures."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.documents import machine_files, picture_files
from simulator.cli.guard import say
from simulator.cli.options import add_background, add_machine, add_output, add_overrides, add_start, positive_int
from simulator.cli.output import STDOUT, Place, check_outputs, write_text
from simulator.cli.run import background_rates
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.observe.record import Recording
    from simulator.observe.records import TransactionLife
    from simulator.tables import Table

_PICTURES = (".png", ".svg", ".gif")


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "trace",
        help="a short window of a run, event by event: one line's life, a file for Perfetto, pictures",
        description="Without further options: the life of one line, step by step, as text.",
        epilog="-o FILE.json opens in ui.perfetto.dev; FILE.csv holds every packet at every port, FILE.txt the text; see "
        "docs/trace.md.",
    )
    add_machine(parser)
    parser.add_argument("labels", metavar="LABEL", nargs="*", help="a foreground thread, such as 0.0.w.1")
    add_background(parser)
    add_window(parser)
    parser.add_argument("--start", type=float, metavar="NS", help="open it at this time of the run, not after the warm-up")
    add_start(parser)
    parser.add_argument(
        "--line", type=positive_int, default=1, metavar="N", help="tell of the N-th foreground line complete in it (%(default)s)"
    )
    add_overrides(parser)
    add_output(parser)
    parser.add_argument("--csv", action="store_true", help="a row of CSV for every packet at every port; with -o in the file")
    kinds = ".png, .svg, or neither for both"
    parser.add_argument("--gantt", metavar="FILE", help=f"draw what lines spend their time on and what servers do: {kinds}")
    parser.add_argument("--queues", metavar="FILE", help=f"draw the length of the longest queues over time: {kinds}")
    parser.add_argument("--animate", metavar="FILE.gif", help="draw packets moving on the machine, from its opening on")
    parser.set_defaults(handler=command)


def add_window(parser: argparse.ArgumentParser) -> None:
    """Add `--window`."""
    parser.add_argument("--window", type=float, default=2000.0, metavar="NS", help="length of what is recorded (%(default)g)")


def command(args: argparse.Namespace) -> int:
    """Record a window and write what is asked for; the text on stdout if no document is."""
    from simulator.machine.load import load_machine
    from simulator.observe.record import Window, record
    from simulator.workload import Workload, check_workload

    if args.json and args.csv:
        raise InputError("one document at a time", field="--json --csv", allowed="one of them")
    machine = load_machine(args.machine, args.overrides)
    workload = Workload.from_labels(args.labels, background=background_rates(args.background))
    check_workload(machine, workload)
    window = Window(args.window, args.warmup, args.start)
    check_outputs(_outputs(args), machine_files(args.machine))
    recording = record(machine, workload, window, seed=args.seed)
    shown = _life(args, recording) if _kind(args) == "tables" else _document(args, recording)  # may be refused: before pictures
    _draw(args, recording)
    if isinstance(shown, str):
        write_text(args.output, shown)
    else:
        from simulator.cli.console import show_tables

        show_tables(shown)
    for place in _outputs(args).values():
        if place not in (None, STDOUT):
            say(f"wrote {place}")
    return 0


def _kind(args: argparse.Namespace) -> str:
    """Return what to write: json, csv, txt, or tables on stdout; the end of the file's name decides what no option says."""
    if args.csv:
        return "csv"
    if args.json:
        return "json"
    if args.output is None:
        return "tables"
    suffix = Path(args.output).suffix.lower()
    if suffix in _PICTURES:
        allowed = ".json, .csv or .txt here; --gantt, --queues and --animate draw"
        raise InputError("is the name of a picture", field="-o", value=args.output, allowed=allowed)
    return {".csv": "csv", ".txt": "txt"}.get(suffix, "json")


def _document(args: argparse.Namespace, recording: Recording) -> str:
    kind = _kind(args)
    if kind == "csv":
        from simulator.observe.rows import COLUMNS, hop_rows
        from simulator.tables import csv_text

        return csv_text(COLUMNS, hop_rows(recording.trace))
    if kind == "txt":
        from simulator.tables import plain_text

        return plain_text(_life(args, recording))
    from simulator.observe.write import trace_text

    return trace_text(recording)


def _life(args: argparse.Namespace, recording: Recording) -> tuple[Table, ...]:
    from simulator.cli.trace_tables import life_tables

    return life_tables(recording, chosen_line(recording, args.line))


def _draw(args: argparse.Namespace, recording: Recording) -> None:
    if args.gantt is not None:
        from simulator.plots.gantt import draw_gantt

        draw_gantt(recording, args.gantt)
    if args.queues is not None:
        from simulator.plots.queue_over_time import draw_queues

        draw_queues(recording, args.queues)
    if args.animate is not None:
        from simulator.plots.animation import draw_animation

        draw_animation(recording, args.animate)


def chosen_line(recording: Recording, number: int) -> TransactionLife:
    """Return the line to tell of."""
    lines = recording.trace.completed_lines()
    if not lines:
        length_ns = recording.provenance.accuracy["length_ns"]
        raise InputError("no line is complete within it", field="--window", value=length_ns, allowed="a longer or a later window")
    if number > len(lines):
        raise InputError("the window holds fewer lines", field="--line", value=number, allowed=f"1 to {len(lines)}")
    return lines[number - 1]


def _outputs(args: argparse.Namespace) -> dict[str, Place]:
    """Return every file that is written, by option; see that pictures have names of pictures."""
    if args.output == "":
        raise InputError("is no file name", field="-o", value="", allowed="the name of a file, or - for standard output")
    _kind(args)
    outputs: dict[str, Place] = {"-o": args.output}
    for option, name in (("--gantt", args.gantt), ("--queues", args.queues)):
        if name is not None:
            outputs |= {f"{option} ({path.suffix})": path for path in picture_files(option, name)}
    if args.animate is not None:
        if args.animate == STDOUT or Path(args.animate).suffix.lower() != ".gif":
            raise InputError("is no name of an animation", field="--animate", value=args.animate, allowed="a file name in .gif")
        outputs["--animate"] = args.animate
    return outputs
