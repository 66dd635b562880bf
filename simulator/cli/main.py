"""The command `numasim`: finds the subcommand and runs it.

Exit codes: 0 done; 1 it ran, but a stated tolerance is missed or the run's verdict is not "steady"; 2 wrong input or
environment; 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from simulator import __version__
from simulator.cli.guard import EXIT_INPUT, exit_code
from simulator.cli.replay import joined_placements
from simulator.cli.why import spelled_out

COMMANDS = (
    "run",
    "place",
    "replay",
    "advise",
    "reproduce",
    "sweep",
    "results",
    "topo",
    "matrix",
    "loaded-latency",
    "compare",
    "measure",
    "calibrate",
    "estimate",
    "trace",
    "why",
    "report",
    "serve",
    "schema",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; the process's own if left out.
    """
    return exit_code(lambda: _run(sys.argv[1:] if argv is None else argv))


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line; the modules of the commands import nothing heavy until they run."""
    parser = _Parser(
        prog="numasim",
        description="Topology-aware discrete-event simulator of ccNUMA AMD Opteron systems.",
        epilog="`numasim COMMAND --help` explains one command.",
        formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=16),
    )
    parser.add_argument("--version", action="version", version=f"numasim {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        import_module(f"simulator.cli.{name.replace('-', '_')}").register(subparsers)
    return parser


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; options are written out in full."""

    def __init__(self, **settings: object) -> None:
        super().__init__(**{"allow_abbrev": False, **settings})  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_INPUT, f"numasim: error: {message}; see `{self.prog} --help`\n")


def _run(argv: Sequence[str]) -> int:
    parser = build_parser()
    args, rest = parser.parse_known_args(spelled_out(joined_placements(argv)))
    several = getattr(args, "labels", getattr(args, "files", None))
    if rest and several is not None and not any(text.startswith("-") for text in rest):
        several += rest  # argparse gives up on LABEL... when an option stands before it
    elif rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    handler = args.handler
    return int(handler(args))
