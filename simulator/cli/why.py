"""`numasim why`: which resources hold threads back, each made ideal in turn, and why some are slower than others."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.cli.documents import machine_files, prepare_output
from simulator.cli.options import (
    add_accuracy,
    add_background,
    add_engine,
    add_machine,
    add_output,
    add_overrides,
    positive_int,
)
from simulator.cli.run import background_rates
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.explain.report import Why
    from simulator.machine.spec import Machine
    from simulator.workload import Workload

NAME = "why"
_CI_PERCENT = 0.3
_COMPARE, _DASHES, _THAN = "--compare", "--", "--than"


def spelled_out(argv: Sequence[str]) -> Sequence[str]:
    """Return the arguments with a name for the ``--`` of ``why --compare``: argparse forgets where it stood."""
    words = list(argv)
    if words[:1] != [NAME] or _DASHES not in words:
        return argv
    place = words.index(_DASHES)
    return [*words[:place], _THAN, *words[place + 1 :]] if _COMPARE in words[:place] else argv


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        NAME,
        help="what holds threads back: each resource made ideal in turn, ranked, and said in words",
        usage=f"numasim {NAME} MACHINE LABEL... [--background LABEL@GB_PER_S]... [--compare -- LABEL...] [OPTION]...",
        epilog="docs/why.md says what each ideal means and how to read a gain, a negative one too.",
    )
    add_machine(parser)
    parser.add_argument("labels", metavar="LABEL", nargs="*", help="a foreground thread, such as 0.0.w.1")
    add_background(parser)
    parser.add_argument(
        _COMPARE,
        action="extend",
        nargs="*",
        metavar="LABEL",
        help="say why they are slower than the threads that follow after `--`, beside the same background: "
        "`why M A... --compare -- B...`, or `why M --compare A... -- B...`",
    )
    parser.add_argument(_THAN, nargs="*", help=argparse.SUPPRESS)
    add_accuracy(parser)
    parser.set_defaults(ci=_CI_PERCENT)
    add_engine(parser)
    parser.add_argument("--jobs", type=positive_int, default=1, metavar="N", help="runs at a time (%(default)s)")
    add_overrides(parser)
    add_output(parser)
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Explain; exit code 1 when the verdict of the threads as they are is not "steady"."""
    from simulator.cli.output import write_text
    from simulator.machine.load import load_machine

    machine = load_machine(args.machine, args.overrides)
    these, others = _labels(args)
    workload = _workload(args, machine, these)
    other = None if others is None else _workload(args, machine, others)
    prepare_output(args.output, machine_files(args.machine))
    report = _explain(args, machine, workload, other)
    if args.json or args.output is not None:
        write_text(args.output, report.model_dump_json(indent=2) + "\n")
    else:
        from simulator.cli.console import show_tables
        from simulator.cli.why_tables import why_tables, why_text

        show_tables(why_tables(report))
        write_text(None, why_text(report))
    sides = [report.side, *([] if report.comparison is None else [report.comparison.other])]
    return 0 if all(side.verdict == "steady" for side in sides) else 1


def _explain(args: argparse.Namespace, machine: Machine, workload: Workload, other: Workload | None) -> Why:
    from simulator.cli.console import progress_bar
    from simulator.explain.why import why
    from simulator.measure.accuracy import Accuracy
    from simulator.sweep.executors import local_executor

    with progress_bar(f"{machine.name}: runs") as progress:
        return why(
            machine,
            workload,
            other,
            accuracy=Accuracy(args.ci, args.lines, args.warmup),
            seed=args.seed,
            engine=args.engine,
            executor=local_executor(args.jobs),
            progress=progress,
        )


def _labels(args: argparse.Namespace) -> tuple[list[str], list[str] | None]:
    """Return the labels to be explained, and those to compare with or None."""
    if args.compare is None:
        if args.than is not None:
            raise InputError("follows after --compare", field=_THAN, allowed="LABEL... --compare -- LABEL...")
        return args.labels, None
    if args.labels and args.compare:
        what = "the threads to be explained stand both before and behind it"
        raise InputError(what, field=_COMPARE, value=args.compare[0], allowed="LABEL... --compare -- LABEL...")
    if not args.than:
        raise InputError("says nothing to compare with", field=_COMPARE, allowed="LABEL... --compare -- LABEL...")
    return args.labels or args.compare, args.than


def _workload(args: argparse.Namespace, machine: Machine, labels: Sequence[str]) -> Workload:
    from simulator.workload import Workload, check_workload

    workload = Workload.from_labels(labels, background=background_rates(args.background))
    check_workload(machine, workload)
    return workload
