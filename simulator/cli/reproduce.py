"""`numasim reproduce`: published figures replayed."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli import truth_table
from simulator.cli.guard import say
from simulator.cli.options import add_accuracy, add_output, add_steady, positive_int

if TYPE_CHECKING:
    from simulator.validation.reference import Reference
    from simulator.validation.reproduce import Replay


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser("reproduce", help="replay published figures, simulated beside published")
    parser.add_argument(
        "reference",
        metavar="REF",
        help="name of a shipped reference (amd-40555), a file, or truth-table: every pair of threads, idle",
    )
    parser.add_argument(
        "--figure", dest="figures", action="append", default=[], metavar="ID", help="only this figure; may be given several times"
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="write JSON, CSV and the pictures there; finished runs are kept in DIR/runs (truth-table: DIR/truth-table.sqlite) "
        "and not run again",
    )
    parser.add_argument(
        "--jobs",
        type=positive_int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="runs at a time (default: %(default)s, one a processor)",
    )
    add_accuracy(parser)
    parser.set_defaults(lines=60_000)  # very high background: some threads vary slowly
    add_steady(parser)
    add_output(parser)
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Replay a reference; exit code 1 when a tolerance is missed."""
    if args.reference == truth_table.NAME:
        return truth_table.command(args)
    from simulator.cli.console import progress_bar, show_result, show_tables
    from simulator.cli.output import check_outputs, write_text
    from simulator.files import check_writable, writable_folder
    from simulator.measure.accuracy import Accuracy
    from simulator.validation.reference_file import list_references, load_reference
    from simulator.validation.reproduce import reproduce
    from simulator.validation.save import reproduction_json
    from simulator.validation.tables import reproduction_tables

    reference = load_reference(args.reference)
    accuracy = Accuracy(args.ci, args.lines, args.warmup, args.steady)
    folder = None if args.out is None else writable_folder(args.out)
    file = None if args.reference in list_references() else args.reference
    check_outputs({"-o": args.output}, {"the reference file": file})
    for path in () if folder is None else _written(reference, args.figures, folder):
        check_writable(path)
    keep_in = None if folder is None else folder / "runs"
    try:
        with progress_bar(f"{reference.name}: runs") as progress:
            replay = reproduce(
                reference, args.figures, accuracy=accuracy, seed=args.seed, jobs=args.jobs, keep_in=keep_in, progress=progress
            )
    except KeyboardInterrupt:
        kept = (
            f"finished runs are kept in {keep_in}" if keep_in is not None else "nothing is kept; with --out DIR finished runs are"
        )
        say(kept)
        raise
    if folder is not None:
        _save(replay, folder)
    if args.json or args.output is not None:
        write_text(args.output, reproduction_json(replay.report))
    else:
        show_tables(reproduction_tables(reference, replay.report))
        show_result(replay.report.missed)
    return 1 if replay.report.missed else 0


def _written(reference: Reference, figures: Sequence[str], folder: Path) -> tuple[Path, ...]:
    """Return all files that may be written beside the finished runs."""
    from simulator.plots.style import picture_paths

    names = [f"figure-{figure.id}" for figure in reference.figure if figure.id in figures or not figures]
    pictures = (path for name in [*names, "links", "breakdown"] for path in picture_paths(folder / name))
    return (*(folder / name for name in ("reproduce.json", "reproduce.csv", "breakdown.csv")), *pictures)


def _save(replay: Replay, folder: Path) -> None:
    from simulator.plots.queueing import draw_queueing
    from simulator.plots.replay import draw_replay
    from simulator.validation.breakdown import case_breakdowns
    from simulator.validation.save import save_breakdown, save_reproduction

    cases = case_breakdowns(replay.reference, replay.figures, replay.results)
    written = [
        *save_reproduction(replay.reference, replay.report, folder),
        *draw_replay(replay, folder),
        save_breakdown(cases, folder),
        *draw_queueing(cases, folder / "breakdown", source=replay.reference.source),
    ]
    say(f"wrote {len(written)} files in {folder}")
