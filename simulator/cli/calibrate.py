"""`numasim calibrate`: constants of a machine fitted to published or measured numbers."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.guard import EXIT_INTERRUPTED, say
from simulator.cli.options import add_overrides, positive_int, seed
from simulator.cli.output import STDOUT, check_outputs, write_text
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.calibration.calibrate import Outcome
    from simulator.calibration.fit import Search


MOST_SCANNED = 4096
LONGEST_NAME = 200


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser("calibrate", help="fit a machine's constants to published or measured numbers")
    parser.add_argument("machine", metavar="MACHINE", help="name of a shipped machine, or a machine file")
    parser.add_argument(
        "--against", required=True, metavar="REF", help="a reference (amd-40555, a TOML file), or measured numbers as for compare"
    )
    parser.add_argument(
        "--free",
        action="append",
        default=[],
        metavar="PATH:LO..HI",
        help="choose this value, such as link.latency_ns:5..20; without bounds those of the machine file (default: all that it "
        "marks as fitted, but no counts)",
    )
    parser.add_argument(
        "--hold-out",
        metavar="ROWS",
        help="fit without these rows, and predict them: figure=7,9, experiment=NAME, rows=FILE, every=5",
    )
    parser.add_argument(
        "--leave-one-figure-out",
        action="store_true",
        help="besides, hold out each figure or experiment once, from starts that know nothing of it",
    )
    parser.add_argument("--leave-out-each", action="store_true", help="say what each value costs to leave out")
    parser.add_argument("--fresh", action="store_true", help="do not start from the machine's own values")
    parser.add_argument(
        "--scan", type=positive_int, default=32, metavar="N", help="points scattered over the ranges (%(default)s)"
    )
    parser.add_argument(
        "--starts", type=positive_int, default=3, metavar="N", help="descents from the best of them (%(default)s)"
    )
    parser.add_argument(
        "--steps", type=positive_int, default=12, metavar="N", help="most points of a descent beyond its start (%(default)s)"
    )
    parser.add_argument("--lines", type=positive_int, default=1500, metavar="N", help="measured lines a thread (%(default)s)")
    parser.add_argument("--seed", type=seed, default=1, metavar="S", help="of jitter and scan (%(default)s)")
    parser.add_argument(
        "--jobs",
        type=positive_int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="runs at a time (%(default)s, one a processor)",
    )
    add_overrides(parser)
    parser.add_argument("--name", metavar="NAME", help="of the new machine (default: MACHINE-calibrated)")
    parser.add_argument("--json", action="store_true", help="the report as one JSON document instead of tables")
    parser.add_argument("--report", metavar="FILE", help="write the JSON report there")
    parser.add_argument("-o", "--output", metavar="NEW.toml", help="write the calibrated machine there")
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Calibrate; exit code 1 when an order is turned round or a run stands still, 130 after Ctrl-C, with the best so far."""
    from simulator.calibration.calibrate import Options, calibrate, read_target
    from simulator.calibration.free import free_values
    from simulator.calibration.search import Effort
    from simulator.machine.load import load_machine
    from simulator.machine.overrides import settings_of
    from simulator.sweep.executors import local_executor

    _check_arguments(args)
    fixed = settings_of(args.overrides)
    machine = load_machine(args.machine, args.overrides)
    free = free_values(machine, args.free)
    target = read_target(args.against, args.machine, fixed)
    options = Options(
        hold_out=args.hold_out,
        cross_validate=args.leave_one_figure_out,
        leave_out_each=args.leave_out_each,
        fresh=args.fresh,
        effort=Effort(args.scan, args.starts, args.steps),
        lines=args.lines,
        seed=args.seed,
    )
    with _progress() as on_look:
        outcome = calibrate(target, free, options, fixed=fixed, executor=local_executor(args.jobs), on_look=on_look)
    _write(args, outcome, fixed)
    if outcome.report.provenance.interrupted:
        say("interrupted: this is the best so far")
        return EXIT_INTERRUPTED
    fitted = outcome.report.fitted
    return 1 if fitted.orders_broken or fitted.standstills else 0


def _check_arguments(args: argparse.Namespace) -> None:
    places = {"--json": STDOUT if args.json else None, "--report": args.report, "-o": args.output}
    documents = [option for option, place in places.items() if place == STDOUT]
    if len(documents) > 1:
        raise InputError("two documents on stdout", field=" ".join(documents), allowed="files for the others")
    check_outputs({"-o": args.output, "--report": args.report}, {"the machine": args.machine, "what is fitted to": args.against})
    for option, value, most in (
        ("--scan", args.scan, MOST_SCANNED),
        ("--starts", args.starts, 64),
        ("--steps", args.steps, 1000),
    ):
        if value > most:
            raise InputError("is too many", field=option, value=value, allowed=f"1 to {most}")
    if args.name is not None and not (0 < len(args.name) <= LONGEST_NAME and args.name.isprintable()):
        allowed = f"1 to {LONGEST_NAME} printable characters"
        raise InputError("is no name for a machine", field="--name", value=args.name, allowed=allowed)


@contextmanager
def _progress() -> Iterator[Callable[[Search], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("scan") as status:

        def on_look(search: Search) -> None:
            assert search.best is not None
            best = f"best so far {math.sqrt(search.best.cost):.3f} times the tolerances"
            status.update(f"{search.label}{search.doing}: {search.evaluations} machines looked at, {best}")

        yield on_look


def _write(args: argparse.Namespace, outcome: Outcome, fixed: Mapping[str, object]) -> None:
    from simulator.calibration.tables import calibration_sentences, calibration_tables
    from simulator.calibration.write import machine_file_text
    from simulator.cli.console import show_tables

    report = outcome.report
    for reason in report.left_out:
        say(f"not fitted: {reason}")
    document = report.model_dump_json(indent=2) + "\n"
    if args.report is not None:
        write_text(args.report, document)
    if args.json:
        write_text(STDOUT, document)
    elif args.output != STDOUT:
        show_tables(calibration_tables(report))
        write_text(STDOUT, "".join(f"{sentence}\n" for sentence in calibration_sentences(report)))
    if args.output is not None:
        name = args.name or f"{Path(args.machine).stem}-calibrated"
        source, target = _provenance(outcome), Path("stdout.toml" if args.output == STDOUT else args.output)
        text = machine_file_text(args.machine, name, outcome.free, outcome.point, source, target, fixed)
        write_text(args.output, text)
        if args.output != STDOUT:
            say(f"wrote {args.output}")


def _provenance(outcome: Outcome) -> str:
    report = outcome.report
    rms = "no numbers" if report.fitted.rms_percent is None else f"rms {report.fitted.rms_percent:.2f} %"
    held = "" if report.held_out is None else f", {report.held_out.rows} held out"
    interrupted = ", interrupted" if report.provenance.interrupted else ""
    return (
        f"fitted to {report.against} by numasim {report.provenance.version}: {report.fitted.rows} rows{held}, {rms}, "
        f"seed {report.provenance.seed}{interrupted}"
    )
