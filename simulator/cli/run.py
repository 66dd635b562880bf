"""`numasim run`: one workload on one machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from simulator.cli.options import add_accuracy, add_output, add_steady, prepare_output
from simulator.errors import InputError


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "run",
        help="run threads on a machine: times, link and memory loads",
        epilog="A label is NODE.CORE.r|w.NODE_OF_MEMORY: 0.0.w.1 is core 0 of node 0 writing memory of node 1.",
    )
    parser.add_argument(
        "machine", metavar="MACHINE", help="name of a shipped machine (see `numasim topo list`), or a machine file"
    )
    parser.add_argument("labels", metavar="LABEL", nargs="*", help="a foreground thread")
    parser.add_argument(
        "--background",
        action="append",
        default=[],
        metavar="LABEL@GB_PER_S",
        help="a thread that runs beside them and asks for so much; AMD's levels low, medium, high and very_high work too",
    )
    add_accuracy(parser)
    parser.add_argument(
        "--engine", choices=("auto", "simpy", "compiled"), default="auto", help="what advances the run (%(default)s)"
    )
    add_steady(parser)
    parser.add_argument("--breakdown", action="store_true", help=argparse.SUPPRESS)  # not in this version
    parser.add_argument(
        "--picture", metavar="FILE", help="draw the machine with the loads of this run: .png, .svg, or neither for both"
    )
    parser.add_argument(
        "--set", dest="overrides", action="append", default=[], metavar="PATH=VALUE", help="override a value of the machine file"
    )
    add_output(parser)
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Run once; exit code 1 when the verdict is not "steady"."""
    _refuse_what_is_missing(args)
    from simulator.machine.load import load_machine
    from simulator.measure.accuracy import Accuracy
    from simulator.measure.demand import with_demand
    from simulator.measure.run import run
    from simulator.workload import Workload, check_workload

    machine = load_machine(args.machine, args.overrides)
    workload = Workload.from_labels(args.labels, background=_background(args.background))
    check_workload(machine, workload)
    accuracy = Accuracy(args.ci, args.lines, args.warmup, args.steady)
    prepare_output(args)
    result = run(machine, workload, accuracy, seed=args.seed, engine=args.engine)
    if result.verdict not in ("deadlock", "no progress", "not warmed up"):
        result = with_demand(machine, workload, result, engine=args.engine)
    if args.json or args.output is not None:
        from simulator.cli.output import write_text

        write_text(args.output, result.model_dump_json(indent=2) + "\n")
    else:
        from simulator.cli.console import show_tables
        from simulator.cli.run_tables import run_tables

        show_tables(run_tables(result))
    if args.picture is not None:
        from simulator.plots.square import draw_machine

        draw_machine(machine, args.picture, result)
    return 0 if result.verdict == "steady" else 1


def _refuse_what_is_missing(args: argparse.Namespace) -> None:
    if args.breakdown:
        raise InputError("is not in this version", field="--breakdown")


def _background(texts: Sequence[str]) -> dict[str, float]:
    from simulator.workload import parse_background, parse_label
    from simulator.workload.levels import background_levels

    rates: dict[str, float] = {}
    levels = background_levels() if texts else {}
    for text in texts:
        label, _, level = text.partition("@")
        if level in levels:
            label, rate = parse_label(label).label, levels[level]
        else:
            label, rate = parse_background(text)
        if label in rates:
            raise InputError("is there twice", field="--background", value=label, allowed="one thread a core")
        rates[label] = rate
    return rates
