"""`numasim report`: runs, traces, sweeps and reproductions as one page that opens from disk."""

from __future__ import annotations

import argparse

from simulator.cli.guard import say
from simulator.cli.output import STDOUT, Place, check_outputs, write_text
from simulator.errors import InputError


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "report",
        help="one page that shows runs, traces, sweeps: the machine with its loads, charts, a replay",
        description="One HTML file of at most 3 MB that needs no network: open it in a browser, or send it to somebody.",
        epilog="`numasim run ... -o run.json --trace trace.json`, then `numasim report run.json trace.json -o report.html`; "
        "see docs/report.md.",
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="JSON of run, trace, replay, loaded-latency or reproduce, or a store of sweep; kinds may be mixed",
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE.html", help="the page (-: stdout)")
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Write the page."""
    from simulator.report.documents import read_documents
    from simulator.report.page import report_html

    _check_output(args)
    write_text(args.output, report_html(read_documents(args.files)))
    if args.output != STDOUT:
        say(f"wrote {args.output}")
    return 0


def _check_output(args: argparse.Namespace) -> None:
    """See that the page can be written and replaces nothing that is read."""
    from simulator.cli.sweep import store_files

    if args.output == "":
        raise InputError("is no file name", field="-o", value="", allowed="the name of a file, or - for standard output")
    inputs: dict[str, Place] = {}
    for file in args.files:
        if file == STDOUT:
            raise InputError("a report reads files", field="FILE", value=file, allowed="names of files")
        inputs |= {
            f"the input {file}" if what == "the store" else f"{what} {file}": place for what, place in store_files(file).items()
        }
    check_outputs({"-o": args.output}, inputs)
