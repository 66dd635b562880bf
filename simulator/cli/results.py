"""`numasim results`: what is in a store of finished points."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from simulator.cli.guard import say
from simulator.cli.options import add_output
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.sweep import Store
    from simulator.sweep.store import Selection

_NOT_BESIDE = {
    "--run": ("--csv", "--parquet", "--where", "--table"),
    "--json": ("--csv", "--parquet"),
    "-o": ("--csv", "--parquet"),
}


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "results",
        help="list, filter and export the finished points of a store",
        epilog="EXPR compares columns with numbers and quoted texts: "
        "link.latency_ns >= 8 and threads like '0.0.w%' and verdict != 'steady'. "
        "Beside = != < <= > >= there are in (...), like, is null, and, or, not.",
    )
    parser.add_argument("store", metavar="S.sqlite", help="store that `numasim sweep` made")
    parser.add_argument(
        "--table",
        choices=("points", "threads", "links", "controllers"),
        help="one row a point, or one for each of its threads, links or controllers (points)",
    )
    parser.add_argument("--where", metavar="EXPR", help="only rows for which this holds")
    parser.add_argument("--csv", metavar="FILE", help="write the rows as CSV (-: stdout)")
    parser.add_argument("--parquet", metavar="FILE", help="write the rows as Parquet (-: stdout); needs numasim[parquet]")
    parser.add_argument("--run", metavar="KEY", help="the whole result of one point as JSON: its key, or how it begins")
    add_output(parser)
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Show or export rows."""
    from simulator.cli.output import check_outputs
    from simulator.cli.sweep import store_files
    from simulator.sweep import open_store

    _check_combination(args)
    check_outputs({"--parquet": args.parquet, "--csv": args.csv, "-o": args.output}, store_files(args.store))
    with open_store(args.store, read_only=True) as store:
        if args.run is not None:
            _write_run(args, store)
        elif args.csv is not None or args.parquet is not None:
            _export(args, store)
        else:
            _list(args, store)
    return 0


def _check_combination(args: argparse.Namespace) -> None:
    """Refuse options of which one would go unheard."""
    given = {
        "--run": args.run is not None,
        "--csv": args.csv is not None,
        "--parquet": args.parquet is not None,
        "--where": args.where is not None,
        "--table": args.table is not None,
        "--json": args.json,
        "-o": args.output is not None,
    }
    for option, others in _NOT_BESIDE.items():
        for other in others:
            if given[option] and given[other]:
                raise InputError(f"does not go together with {other}", field=option, allowed="one of the two")


def _write_run(args: argparse.Namespace, store: Store) -> None:
    from simulator.cli.output import write_text

    result = store.result(args.run)
    if result is None:
        raise InputError("there is no point with such a key", file=args.store, field="--run", value=args.run)
    write_text(args.output, result.model_dump_json(indent=2) + "\n")


def _export(args: argparse.Namespace, store: Store) -> None:
    from simulator.cli.output import STDOUT, write_bytes, write_text
    from simulator.sweep.export import rows_csv, rows_parquet

    if args.parquet is not None:
        write_bytes(args.parquet, rows_parquet(_select(args, store)))
    if args.csv is not None:
        write_text(args.csv, rows_csv(_select(args, store)))
    for name in (args.parquet, args.csv):
        if name not in (None, STDOUT):
            say(f"wrote {name}")


def _list(args: argparse.Namespace, store: Store) -> None:
    from simulator.cli.console import show_tables
    from simulator.cli.output import write_text
    from simulator.sweep.report import ResultRows
    from simulator.sweep.tables import selection_table

    selection = _select(args, store)
    if args.json or args.output is not None:
        rows = tuple(dict(zip(selection.columns, row, strict=True)) for row in selection.rows)
        document = ResultRows(table=selection.view, rows=rows).model_dump(mode="json")
        write_text(args.output, json.dumps(document, indent=2) + "\n")
    else:
        show_tables([selection_table(selection)])


def _select(args: argparse.Namespace, store: Store) -> Selection:
    return store.select(args.table or "points", args.where or "")
