"""Options that several commands share."""

from __future__ import annotations

import argparse
import os


def add_accuracy(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how long a run is, with the defaults of `Accuracy`, and its seed."""
    parser.add_argument(
        "--lines",
        type=positive_int,
        default=20_000,
        metavar="N",
        help="most measured lines of the slowest foreground thread (%(default)s)",
    )
    parser.add_argument(
        "--ci",
        type=float,
        default=0.5,
        metavar="PERCENT",
        help="stop at this half width of the 95 %% confidence interval (%(default)s)",
    )
    add_start(parser)


def add_start(parser: argparse.ArgumentParser) -> None:
    """Add the warm-up of a run and its seed."""
    parser.add_argument(
        "--warmup", type=int, default=500, metavar="N", help="lines a foreground thread before measuring (%(default)s)"
    )
    parser.add_argument(
        "--seed",
        type=seed,
        default=1,
        metavar="S",
        help="of the jitter (%(default)s), 0 to 2^63 - 1; equal seeds give equal results",
    )


def add_machine(parser: argparse.ArgumentParser) -> None:
    """Add MACHINE."""
    parser.add_argument(
        "machine", metavar="MACHINE", help="name of a shipped machine (see `numasim topo list`), or a machine file"
    )


def add_overrides(parser: argparse.ArgumentParser) -> None:
    """Add `--set`."""
    parser.add_argument(
        "--set", dest="overrides", action="append", default=[], metavar="PATH=VALUE", help="override a value of the machine file"
    )


def add_background(parser: argparse.ArgumentParser) -> None:
    """Add `--background`."""
    parser.add_argument(
        "--background",
        action="append",
        default=[],
        metavar="LABEL@GB_PER_S",
        help="a thread that runs beside them and asks for so much; AMD's levels low, medium, high and very_high work too",
    )


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add `--engine`."""
    parser.add_argument(
        "--engine", choices=("auto", "simpy", "compiled"), default="auto", help="what advances a run (%(default)s)"
    )


def add_steady(parser: argparse.ArgumentParser) -> None:
    """Add `--steady`."""
    parser.add_argument(
        "--steady",
        choices=("ci", "exact"),
        default="ci",
        help="when to stop: at the confidence interval, or after whole periods of the state without jitter (%(default)s)",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add `--json` and `-o`."""
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the JSON document there (-: stdout)")


def prepare_output(args: argparse.Namespace) -> None:
    """See that `-o` can be written, before long work starts.

    Raises
    ------
    InputError
        It cannot.
    """
    from simulator.files import check_writable

    if args.output is None or args.output == "-":
        return
    if not os.path.exists(args.output) or os.path.isdir(args.output) or os.path.isfile(args.output):
        check_writable(args.output)


def positive_int(text: str) -> int:
    """Read a whole number of at least 1, for argparse."""
    value = int(text) if text.strip().lstrip("+").isdecimal() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return value


def seed(text: str) -> int:
    """Read a seed as sweep files take it, for argparse."""
    digits = text.strip().removeprefix("+")
    value = int(digits) if digits.isdecimal() and len(digits) < 100 else -1
    if not 0 <= value < 1 << 63:
        raise argparse.ArgumentTypeError(f"{text[:40]} is not a whole number from 0 to 9223372036854775807")
    return value
