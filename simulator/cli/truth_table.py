"""`numasim reproduce truth-table`: the idle two-thread test for every ordered pair of threads."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from simulator.cli.guard import say
from simulator.cli.sweep import store_files, with_pace
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.validation.truth_table_report import TruthTable

NAME = "truth-table"
STORE = f"{NAME}.sqlite"
_MOST_SAID = 10


def command(args: argparse.Namespace) -> int:
    """Compute the truth table; exit code 1 when the verdict of a run is not "steady"."""
    from simulator.cli.console import show_tables
    from simulator.cli.output import check_outputs, write_text
    from simulator.files import check_writable, writable_folder
    from simulator.validation.truth_table_files import ranking_tables, truth_table_json

    if args.figures:
        raise InputError("the truth table has no figures", field="--figure", value=args.figures[0], allowed="none")
    folder = None if args.out is None else writable_folder(args.out)
    check_outputs({"-o": args.output}, {} if folder is None else store_files(folder / STORE))
    for path in () if folder is None else _written(folder):
        check_writable(path)
    table = _compute(args, folder)
    if folder is not None:
        _save(table, folder)
    if args.json or args.output is not None:
        write_text(args.output, truth_table_json(table))
    else:
        show_tables(ranking_tables(table))
    _say_what_is_exact(table, args.steady)
    _say_what_is_not_steady(table)
    return 1 if table.not_steady else 0


def _compute(args: argparse.Namespace, folder: Path | None) -> TruthTable:
    from simulator.cli.console import progress_bar
    from simulator.measure.accuracy import Accuracy
    from simulator.sweep.executors import local_executor
    from simulator.validation.truth_table import truth_table

    accuracy = Accuracy(args.ci, args.lines, args.warmup, args.steady)
    finished, wanted = 0, 0
    try:
        with ExitStack() as stack:
            kept_in = folder or Path(stack.enter_context(TemporaryDirectory(prefix="numasim-")))
            paced = with_pace(stack.enter_context(progress_bar(f"{NAME}: runs")))

            def progress(done: int, total: int, last: str) -> None:
                nonlocal finished, wanted
                finished, wanted = done, total
                paced(done, total, last)

            executor = local_executor(args.jobs)
            return truth_table(kept_in / STORE, executor, accuracy=accuracy, seed=args.seed, progress=progress)
    except KeyboardInterrupt:
        if folder is None:
            say("nothing is kept; with --out DIR finished runs are")
        else:
            say(f"{finished} of {wanted} runs are in {folder / STORE}; the same command goes on from there")
        raise


def _written(folder: Path) -> tuple[Path, ...]:
    """Return all files that will be written beside the store."""
    from simulator.plots.style import picture_paths

    tables = (folder / f"{NAME}.{kind}" for kind in ("json", "csv", "parquet"))
    return (*tables, *picture_paths(folder / NAME))


def _save(table: TruthTable, folder: Path) -> None:
    from simulator.plots.truth_table import draw_truth_table
    from simulator.validation.truth_table_files import save_truth_table

    written = [*save_truth_table(table, folder), *draw_truth_table(table, folder / NAME)]
    say(f"wrote {len(written)} files in {folder}")


def _say_what_is_exact(table: TruthTable, steady: str) -> None:
    if steady == "exact":
        exact = sum(row.exact for row in table.rows)
        say(f"{exact:,} of {len(table.rows):,} pairs are exact; the state of the others does not recur: ordinary runs")


def _say_what_is_not_steady(table: TruthTable) -> None:
    for found in table.not_steady[:_MOST_SAID]:
        say(f"{' '.join(found.threads)}: {found.verdict}{f', {found.verdict_detail}' if found.verdict_detail else ''}")
    if len(table.not_steady) > _MOST_SAID:
        say(f"... and {len(table.not_steady) - _MOST_SAID} more runs that are not steady")
