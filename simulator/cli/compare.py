"""`numasim compare`: measured numbers held against the simulation of the same."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.documents import add_documents, machine_files, picture_files, prepare_documents, write_document
from simulator.cli.guard import say
from simulator.cli.options import add_accuracy, add_engine, add_overrides, positive_int
from simulator.cli.output import Place

if TYPE_CHECKING:
    from simulator.interop.measurements import Measured
    from simulator.validation.comparison_report import Comparison

_CSV = (
    "experiment,from_node,to_node,threads,read_fraction,quantity,unit,"
    "measured,measured_ci_percent,simulated,error_percent,verdict"
)
_LINES, _CI_PERCENT = 200_000, 1.0  # as `numasim matrix`: near saturation some loads vary slowly
_MOST_SAID = 10


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "compare",
        help="hold a machine against measured latencies and bandwidths",
        epilog="docs/compare.md has the CSV schema, what can be predicted and what not, and how errors are counted. "
        "Exit code 1: a value is beyond --tolerance.",
    )
    parser.add_argument(
        "measured",
        metavar="MEASURED",
        help="output of a tool (see --format), or CSV as of `numasim measure`; -: standard input",
    )
    parser.add_argument(
        "--machine",
        required=True,
        metavar="MACHINE",
        help="name of a shipped machine (see `numasim topo list`), or a machine file",
    )
    parser.add_argument(
        "--tolerance", type=_tolerance, metavar="PERCENT", help="exit code 1 when a value is further off than this"
    )
    parser.add_argument(
        "--format", default="auto", metavar="NAME", help="of MEASURED: auto, csv, or a tool as in `numasim topo import` (auto)"
    )
    add_overrides(parser)
    add_engine(parser)
    parser.add_argument(
        "--jobs",
        type=positive_int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="runs at a time (default: %(default)s, one a processor)",
    )
    add_accuracy(parser)
    parser.set_defaults(ci=_CI_PERCENT, lines=_LINES)
    add_documents(parser, picture="simulated over measured, and beside it FILE-matrix with heat maps of node pairs")
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Compare; exit code 1 when a value is beyond the tolerance, or its run not steady."""
    from simulator.cli.console import progress_bar
    from simulator.machine.load import load_machine
    from simulator.measure.accuracy import Accuracy
    from simulator.sweep.executors import local_executor
    from simulator.validation import compare as comparing

    machine = load_machine(args.machine, args.overrides)
    accuracy = Accuracy(args.ci, args.lines, args.warmup)
    prepare_documents(args, _inputs(args), _heat_maps(args.picture))
    measured = _read(args)
    with progress_bar(f"{machine.name}: runs") as progress:
        report = comparing.compare(
            measured,
            machine,
            tolerance_percent=args.tolerance,
            accuracy=accuracy,
            seed=args.seed,
            engine=args.engine,
            executor=local_executor(args.jobs),
            progress=progress,
        )
    _write(args, report)
    return 1 if report.beyond or any(cell.verdict != "steady" for cell in report.cells) else 0


def _tolerance(text: str) -> float:
    try:
        percent = float(text)
    except ValueError:
        percent = math.nan
    if not 0 < percent <= 1e6:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a percentage above 0")
    return percent


def _inputs(args: argparse.Namespace) -> dict[str, Place]:
    from simulator.interop.source import STDIN

    return {"the measured file": None if args.measured == STDIN else args.measured, **machine_files(args.machine)}


def _heat_maps(picture: str | None) -> list[Path]:
    """Return all files that heat maps may be written to, beside the picture."""
    if picture is None:
        return []
    from simulator.plots.comparison import matrix_path
    from simulator.plots.pair_matrices import MOST_MATRICES
    from simulator.plots.style import picture_paths

    picture_files("--picture", picture)
    return [path for number in range(1, MOST_MATRICES + 1) for path in picture_paths(matrix_path(picture, number))]


def _read(args: argparse.Namespace) -> Measured:
    from simulator.errors import InputError
    from simulator.interop.formats import AUTO, FORMATS
    from simulator.interop.measurements import CSV, read_measured

    names = (AUTO, CSV, *(known.name for known in FORMATS))
    if args.format not in names:
        raise InputError("is no format", field="--format", value=args.format, allowed=", ".join(names))
    return read_measured(args.measured, args.format)


def _write(args: argparse.Namespace, report: Comparison) -> None:
    from simulator.cli.console import show_result, show_tables
    from simulator.validation.comparison_tables import beyond_sentences, comparison_tables

    missed = _first(beyond_sentences(report), "values beyond the tolerance")
    rows = [tuple(getattr(cell, column) for column in _CSV.split(",")) for cell in report.cells]
    as_document = write_document(args, report, _CSV, rows)
    if not as_document:
        show_tables(comparison_tables(report))
        if report.tolerance_percent is not None:
            show_result(missed)
    for text in _first(report.warnings, "warnings"):
        say(f"warning: {text}")
    for text in _first(report.not_predicted, "reasons"):
        say(f"not compared: {text}")
    for text in (*_not_steady(report), *(f"missed: {text}" for text in missed if as_document)):
        say(text)
    if args.picture is not None:
        from simulator.plots.comparison import draw_comparison

        draw_comparison(report, args.picture)


def _not_steady(report: Comparison) -> Sequence[str]:
    found = [f"{cell.experiment} {cell.title}: {cell.verdict}" for cell in report.cells if cell.verdict != "steady"]
    return _first(found, "values whose runs are not steady")


def _first(texts: Sequence[str], noun: str) -> Sequence[str]:
    more = len(texts) - _MOST_SAID
    return texts if more <= 0 else (*texts[:_MOST_SAID], f"... and {more:,} more {noun}")
