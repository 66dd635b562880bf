"""`numasim run`: one workload on one machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.documents import machine_files, prepare_documents
from simulator.cli.options import add_accuracy, add_background, add_engine, add_machine, add_output, add_overrides, add_steady
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.machine.spec import Machine
    from simulator.measure.result import RunResult
    from simulator.workload import ThreadSpec


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "run",
        help="run threads on a machine: times, link and memory loads",
        epilog="A label is NODE.CORE.r|w.NODE_OF_MEMORY: 0.0.w.1 is core 0 of node 0 writing memory of node 1.",
    )
    add_machine(parser)
    parser.add_argument("labels", metavar="LABEL", nargs="*", help="a foreground thread")
    parser.add_argument(
        "--cpunodebind",
        metavar="N[,M..]",
        help="in place of labels: a thread on every core of these nodes (0, 0,2, 0-3 or all), as numactl binds them",
    )
    parser.add_argument(
        "--membind",
        metavar="N[,M..]",
        help="in place of labels: each of these threads has its memory on the closest of these nodes (default: its own node)",
    )
    parser.add_argument(
        "--access", choices=("r", "w"), help="whether the threads of --cpunodebind and --membind read or write (r)"
    )
    add_background(parser)
    add_accuracy(parser)
    add_engine(parser)
    add_steady(parser)
    parser.add_argument(
        "--breakdown",
        action="store_true",
        help="say where a line's time goes; with --picture FILE also draw it, as FILE-breakdown (the JSON always has it)",
    )
    parser.add_argument(
        "--picture", metavar="FILE", help="draw the machine with the loads of this run: .png, .svg, or neither for both"
    )
    add_overrides(parser)
    add_output(parser)
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Run once; exit code 1 when the verdict is not "steady"."""
    from simulator.machine.load import load_machine
    from simulator.measure.accuracy import Accuracy
    from simulator.measure.demand import with_demand
    from simulator.measure.run import run
    from simulator.workload import Workload, check_workload

    machine = load_machine(args.machine, args.overrides)
    bound = _bound_threads(args, machine)
    workload = Workload.from_labels(args.labels, background=background_rates(args.background))
    workload = Workload((*bound, *workload.threads))
    check_workload(machine, workload)
    accuracy = Accuracy(args.ci, args.lines, args.warmup, args.steady)
    prepare_documents(args, machine_files(args.machine))
    result = run(machine, workload, accuracy, seed=args.seed, engine=args.engine)
    if result.verdict not in ("deadlock", "no progress", "not warmed up"):
        result = with_demand(machine, workload, result, engine=args.engine)
    if args.json or args.output is not None:
        from simulator.cli.output import write_text

        write_text(args.output, result.model_dump_json(indent=2) + "\n")
    else:
        from simulator.cli.breakdown_tables import breakdown_tables
        from simulator.cli.console import show_tables
        from simulator.cli.run_tables import run_tables

        show_tables((*run_tables(result), *(breakdown_tables(result) if args.breakdown else ())))
    if args.picture is not None:
        _draw(args, machine, result)
    return 0 if result.verdict == "steady" else 1


def _draw(args: argparse.Namespace, machine: Machine, result: RunResult) -> None:
    from simulator.plots.breakdown import draw_breakdown
    from simulator.plots.square import draw_machine

    draw_machine(machine, args.picture, result)
    if args.breakdown and result.breakdown:
        path = Path(args.picture)
        kind = path.suffix if path.suffix.lower() in (".png", ".svg") else ""
        draw_breakdown(result, path.with_name(f"{path.name.removesuffix(kind)}-breakdown{kind}"))


def _bound_threads(args: argparse.Namespace, machine: Machine) -> tuple[ThreadSpec, ...]:
    """Return the threads that numactl's words ask for; none without these words."""
    if args.cpunodebind is None and args.membind is None:
        if args.access is not None:
            raise InputError("goes with numactl's words; a label says r or w itself", field="--access", value=args.access)
        return ()
    if args.labels:
        raise InputError("threads are given twice", field="--cpunodebind, --membind", allowed="these words or labels, not both")
    from simulator.workload.binding import bound_threads, parse_nodes

    cpu_nodes = None if args.cpunodebind is None else parse_nodes(args.cpunodebind, machine, "--cpunodebind")
    memory_nodes = None if args.membind is None else parse_nodes(args.membind, machine, "--membind")
    return bound_threads(machine, cpu_nodes, memory_nodes, args.access or "r")


def background_rates(texts: Sequence[str]) -> dict[str, float]:
    """Return the rate, GB/s, that each `--background` label asks for."""
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
