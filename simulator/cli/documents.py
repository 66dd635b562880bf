"""What commands share that measure many pairs or loads of one machine: options, and CSV, JSON or a picture as output.

Also where all of these go, for every command that reads a machine: seen to before any work.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.options import add_accuracy, add_engine, add_machine, add_output, add_overrides
from simulator.cli.output import STDOUT, Place, check_outputs
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.measure.result import Report

_SHARE = re.compile(r"(\d{1,3})/(\d{1,3})|(\d{0,3}\.?\d{0,9})", re.ASCII)
_LONGEST_LIST = 2000
_LINES, _CI_PERCENT = 200_000, 1.0  # near saturation some loads vary slowly


def add_measuring(parser: argparse.ArgumentParser) -> None:
    """Add the machine, and what every run of it is done with."""
    add_machine(parser)
    add_accuracy(parser)
    parser.set_defaults(ci=_CI_PERCENT, lines=_LINES)
    add_engine(parser)
    add_overrides(parser)


def add_documents(parser: argparse.ArgumentParser, picture: str) -> None:
    """Add `--picture`, of which `picture` says what it draws, `--json`, `--csv` and `-o`."""
    parser.add_argument("--picture", metavar="FILE", help=f"draw {picture}: .png, .svg, or neither for both")
    add_output(parser)
    parser.add_argument("--csv", action="store_true", help="rows of CSV instead of tables; with -o in the file")


def prepare_documents(args: argparse.Namespace, inputs: Mapping[str, Place], pictures: Sequence[Path] = ()) -> None:
    """See that all output can be written and replaces nothing that is read, before long work starts.

    Parameters
    ----------
    args : Namespace
        With `output`; with `picture`, `json` and `csv` where the command has them.
    inputs : mapping of str to str, path or None
        Files that are read, by what they are.
    pictures : sequence of Path
        What else is drawn beside `picture`.

    Raises
    ------
    InputError
        It cannot, or CSV and JSON are both asked for.
    """
    if args.json and getattr(args, "csv", False):
        raise InputError("one document at a time", field="--json --csv", allowed="one of them")
    picture = getattr(args, "picture", None)
    paths = [] if picture is None else [*picture_files("--picture", picture), *pictures]
    prepare_output(args.output, inputs)
    for path in paths:
        check_outputs({"-o": args.output, "--picture": path}, inputs)


def prepare_output(output: str | None, inputs: Mapping[str, Place]) -> None:
    """See that `-o` has a name, can be written, and replaces nothing that is read; raise InputError where not."""
    if output == "":
        raise InputError("is no file name", field="-o", value="", allowed="the name of a file, or - for standard output")
    check_outputs({"-o": output}, inputs)


def picture_files(option: str, name: str) -> tuple[Path, ...]:
    """Return the files that a picture is written to; raise InputError, which names the option, where it is no name of one."""
    from simulator.plots.style import picture_paths

    if name == STDOUT:
        raise InputError("a picture needs a file", field=option, value=name, allowed="a name in .png, .svg, or neither for both")
    try:
        return picture_paths(name)
    except InputError as error:
        raise InputError(error.what, field=option, value=name, allowed=error.allowed) from None


def machine_files(machine: str) -> dict[str, Place]:
    """Return the files that a machine is read from, by what they are: its own, and those that it extends.

    Parameters
    ----------
    machine : str
        As :func:`simulator.machine.load.load_machine` has taken it. One that ships with numasim has no file of the user's.
    """
    from simulator.machine.read import locate, read_table

    files: dict[str, Place] = {}
    location = locate(machine)
    while location.path is not None:
        files[f"the machine file {location.path}" if files else "the machine file"] = location.path
        parent = read_table(location).get("extends")
        if parent is None:
            break
        location = locate(parent, location.path.parent)
    return files


def write_document(args: argparse.Namespace, report: Report, columns: str, rows: Iterable[tuple[object, ...]]) -> bool:
    """Write the report as CSV or JSON if that is asked for, and return whether it was."""
    from simulator.cli.output import write_text
    from simulator.tables import csv_text

    if args.csv:
        write_text(args.output, csv_text(columns.split(","), rows))
    elif args.json or args.output is not None:
        write_text(args.output, report.model_dump_json(indent=2) + "\n")
    return bool(args.csv or args.json or args.output is not None)


def read_share(text: str) -> float:
    """Read a share such as ``0.67`` or ``2/3``, for argparse; whether it is one of lines is for others to say."""
    match = _SHARE.fullmatch(text.strip())
    if match is None or not any(character.isdigit() for character in text) or match[2] and not int(match[2]):
        raise argparse.ArgumentTypeError(f"{text[:20]} is not a share such as 0.67 or 2/3")
    return int(match[1]) / int(match[2]) if match[1] else float(match[3])


def whole_number(text: str) -> int:
    """Read a whole number from 0, for argparse."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number from 0")
    return int(text)


def whole_numbers(text: str) -> list[int]:
    """Read whole numbers with commas between, for argparse."""
    if len(text) > _LONGEST_LIST:
        raise argparse.ArgumentTypeError(f"a list of more than {_LONGEST_LIST} characters")
    return [whole_number(item) for item in text.split(",")]
