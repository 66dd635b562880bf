"""`numasim serve`: a page on this computer where threads are placed by hand and run at once."""

from __future__ import annotations

import argparse
import os

from simulator.cli.options import positive_int
from simulator.errors import InputError

_PORT, _LAST_PORT = 8642, 65535
_MOST_JOBS = 8  # by default: each takes some 200 MB


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "serve",
        help="a page on this computer: drag threads to cores and memory to nodes, and see what it does",
        epilog="Ctrl-C ends it. docs/serve.md explains the page, and what it takes to let other computers see it.",
    )
    parser.add_argument("machines", metavar="MACHINE.toml", nargs="*", help="machine files offered beside the shipped machines")
    parser.add_argument("--port", type=_port, default=_PORT, metavar="P", help="where it listens (%(default)s); 0: any free one")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="H",
        help="address it listens at (%(default)s: this computer alone); elsewhere the link has a token that every request needs",
    )
    parser.add_argument("--jobs", type=positive_int, metavar="N", help=f"runs at a time (a processor each, at most {_MOST_JOBS})")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from simulator.cli.guard import say
    from simulator.optional import optional_module

    for name in ("starlette", "uvicorn"):
        optional_module(name, "serve", "numasim serve")
    from simulator.serve.limits import Limits
    from simulator.serve.server import Place, serve

    if not args.host:
        raise InputError("is no host", field="--host", value=args.host, allowed="a name or an address, such as 127.0.0.1")

    def listening(link: str) -> None:
        say(f"serving at {link} (Ctrl-C ends it)")
        if args.open:
            import webbrowser

            webbrowser.open(link)

    serve(Place(args.host, args.port), args.machines, Limits(args.jobs or min(os.cpu_count() or 1, _MOST_JOBS)), listening)
    return 0


def _port(text: str) -> int:
    """Read a port, for argparse."""
    value = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1
    if not 0 <= value <= _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a port from 0 to {_LAST_PORT}")
    return value
