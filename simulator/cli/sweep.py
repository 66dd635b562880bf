"""`numasim sweep`: every combination of a grid, into a store."""

from __future__ import annotations

import argparse
import logging
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.cli.guard import say
from simulator.cli.options import add_engine, add_output, positive_int

if TYPE_CHECKING:
    from simulator.sweep import Executor
    from simulator.sweep.report import SweepReport


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "sweep",
        help="run a grid of points into a store; a second start goes on where the first ended",
        epilog="`numasim results STORE` shows what is in the store.",
    )
    parser.add_argument("spec", metavar="SPEC.toml", help="sweep file: machines, constants, threads, background, seeds")
    parser.add_argument("--store", required=True, metavar="S.sqlite", help="where finished points are kept; made if not there")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--jobs", type=positive_int, metavar="N", help=f"runs at a time (default: {os.cpu_count() or 1}, one a processor)"
    )
    where.add_argument("--dask", metavar="ADDRESS", help="have the runs done by the workers of this Dask scheduler")
    parser.add_argument(
        "--set",
        dest="overrides",
        action="append",
        default=[],
        metavar="PATH=V1,V2...",
        help="an axis beside the file's, or in place of the one with that path: link.latency_ns=8,10,12",
    )
    add_engine(parser)
    add_output(parser)
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Sweep; exit code 1 when the verdict of a point is not "steady"."""
    from simulator.cli.console import progress_bar
    from simulator.cli.output import check_outputs
    from simulator.sweep import load_sweep, run_sweep

    grid = load_sweep(args.spec, args.overrides)
    machines = {f"the machine file {name}": name for name in map(str, grid.machine_files)}
    check_outputs({"-o": args.output}, {"the sweep file": args.spec, **store_files(args.store), **machines})
    finished = 0
    try:
        with progress_bar("points") as show:
            paced = with_pace(show)

            def progress(done: int, total: int, last: str) -> None:
                nonlocal finished
                finished = done
                paced(done, total, last)

            report = run_sweep(grid, args.store, _executor(args), engine=args.engine, progress=progress)
    except KeyboardInterrupt:
        say(f"{finished} of {len(grid.points)} points are in {args.store}; the same command goes on from there")
        raise
    _show(args, report)
    return 1 if report.not_steady else 0


def store_files(store: str | os.PathLike[str]) -> dict[str, str | os.PathLike[str]]:
    """Return a store and what SQLite keeps beside it, by what they are: no output may replace them."""
    name = os.path.realpath(store)
    return {"the store": store, "the store's log": f"{name}-wal", "the index of the store's log": f"{name}-shm"}


def with_pace(
    show: Callable[[int, int, str], None], clock: Callable[[], float] = time.monotonic
) -> Callable[[int, int, str], None]:
    """Return a function that shows progress with the rate since its first call, and the time left at that rate."""
    start: tuple[int, float] | None = None

    def progress(done: int, total: int, last: str) -> None:
        nonlocal start
        now = clock()
        start = start or (done, now)
        show(done, total, " ".join(part for part in (pace(done - start[0], total - done, now - start[1]), last) if part))

    return progress


def pace(done: int, left: int, elapsed_s: float) -> str:
    """Say how fast it goes and how long it will take: ``2.5/s, 1:20 left``; empty while nothing is known."""
    if done < 1 or elapsed_s <= 0:
        return ""
    rate = done / elapsed_s
    speed = f"{rate:.3g}/s" if rate >= 1 else f"{60 * rate:.3g}/min"
    minutes, seconds = divmod(round(left / rate), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{speed}, {hours}:{minutes:02}:{seconds:02} left" if hours else f"{speed}, {minutes}:{seconds:02} left"


def _executor(args: argparse.Namespace) -> Executor:
    from simulator.sweep import DaskCluster, local_executor

    if args.dask is None:
        return local_executor(args.jobs or os.cpu_count() or 1)
    logging.getLogger("distributed.client").addFilter(lambda record: False)  # tracebacks of what is said in a line here
    return DaskCluster(args.dask)


def _show(args: argparse.Namespace, report: SweepReport) -> None:
    from simulator.cli.output import write_text

    for point in report.not_steady[:10]:
        say(f"{point.verdict}: {point.point}")
    if len(report.not_steady) > 10:
        say(f"... and {len(report.not_steady) - 10} more that are not steady")
    if args.json or args.output is not None:
        write_text(args.output, report.model_dump_json(indent=2) + "\n")
    else:
        elsewhere = f", {report.done_elsewhere} done elsewhere" if report.done_elsewhere else ""
        say(f"{report.points} points in {args.store}: {report.found} were there, {report.done} done now{elsewhere}")
