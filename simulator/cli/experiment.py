"""What the scripts in experiments/ share: options, a table on stdout and in a file, pictures."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.guard import exit_code, say
from simulator.cli.options import positive_int
from simulator.tables import Table, plain_text

if TYPE_CHECKING:
    from simulator.validation.reproduce import Replay


def experiment(
    name: str,
    what: str,
    figures: Sequence[str] = (),
    *,
    levels: Sequence[str] = (),
    breakdown: bool = False,
    argv: Sequence[str] | None = None,
) -> int:
    """Replay some figures of AMD note 40555 as a script, and return its exit code.

    Parameters
    ----------
    name : str
        Gives the files their names.
    what : str
        Shown by ``--help``.
    figures : sequence of str
        Ids of the figures; all of the reference if there are none.
    levels : sequence of str
        Those of `figures` that differ in the background only: drawn in one picture over its rate.
    breakdown : bool
        Whether to say where a line's time goes in each case, before all else.
    argv : sequence of str, optional
        Arguments; the process's own if left out.
    """
    return exit_code(lambda: _replay(_add_jobs(_parser(name, what)).parse_args(argv), name, figures, levels, breakdown))


def table_experiment(
    name: str, what: str, make: Callable[[bool, Path], Sequence[Table]], *, argv: Sequence[str] | None = None
) -> int:
    """Print tables that a function makes as a script, keep them in a file, and return the exit code.

    Parameters
    ----------
    name, what, argv
        As for :func:`experiment`.
    make : callable
        Called with whether ``--quick`` was given and the folder for pictures; returns the tables.
    """
    return exit_code(lambda: _tabulate(_parser(name, what).parse_args(argv), name, make))


def _parser(name: str, what: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"{name}.py", description=what, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true", help="short runs, for a first look: intervals of a few per cent")
    parser.add_argument("--out", default=f"results/{name}", metavar="DIR", help="folder for table and pictures (%(default)s)")
    return parser


def _add_jobs(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    jobs = os.cpu_count() or 1
    parser.add_argument("--jobs", type=positive_int, default=jobs, metavar="N", help="runs at a time (%(default)s)")
    return parser


def _tabulate(args: argparse.Namespace, name: str, make: Callable[[bool, Path], Sequence[Table]]) -> int:
    from simulator.cli.console import show_tables
    from simulator.files import writable_folder, write_text

    folder: Path = writable_folder(args.out)
    tables = make(args.quick, folder)
    show_tables(tables)
    write_text(folder / f"{name}.txt", plain_text(tables))
    say(f"table and pictures, if any, are in {folder}")
    return 0


def _replay(args: argparse.Namespace, name: str, figures: Sequence[str], levels: Sequence[str], breakdown: bool) -> int:
    from simulator.cli.console import progress_bar, show_tables
    from simulator.files import writable_folder, write_text
    from simulator.plots.levels import draw_levels
    from simulator.plots.replay import draw_replay
    from simulator.validation.reference_file import load_reference
    from simulator.validation.reproduce import ACCURACY, QUICK_ACCURACY, reproduce
    from simulator.validation.tables import bars_table, loads_table, orders_table

    folder: Path = writable_folder(args.out)
    reference = load_reference("amd-40555")
    with progress_bar(f"{name}: runs") as progress:
        replay = reproduce(
            reference, figures, accuracy=QUICK_ACCURACY if args.quick else ACCURACY, jobs=args.jobs, progress=progress
        )
    report = replay.report
    candidates = (bars_table(reference, report.bars), loads_table(report.loads), orders_table(reference, report))
    tables = [table for table in candidates if table.rows]
    if breakdown:
        tables.insert(0, _break_down(replay, folder / name))
    show_tables(tables)
    write_text(folder / f"{name}.txt", plain_text(tables))
    draw_replay(replay, folder)
    if levels:
        draw_levels(reference, [reference.find_figure(figure) for figure in levels], report.bars, folder / name)
    say(f"table and pictures are in {folder}")
    return 0


def _break_down(replay: Replay, path: Path) -> Table:
    """Draw where a line's time goes in each case, and return it as a table."""
    from simulator.plots.queueing import draw_queueing
    from simulator.validation.breakdown import case_breakdowns, queueing_table

    cases = case_breakdowns(replay.reference, replay.figures, replay.results)
    draw_queueing(cases, path, source=replay.reference.source)
    return queueing_table(cases)
