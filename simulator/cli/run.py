"""`numasim run`: one workload on one machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.documents import machine_files, picture_files, prepare_documents
from simulator.cli.numactl_options import add_numactl, node_weights, numactl_words
from simulator.cli.options import add_accuracy, add_background, add_engine, add_machine, add_output, add_overrides, add_steady
from simulator.cli.output import STDOUT, check_outputs, write_text
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.machine.spec import Machine
    from simulator.measure.result import RunResult
    from simulator.observe.record import Window
    from simulator.workload import ThreadSpec, Workload

_NO_TRACES = (".csv", ".txt", ".png", ".svg", ".gif")


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "run",
        help="run threads on a machine: times, link and memory loads",
        epilog="A label is NODE.CORE.r|w.NODE_OF_MEMORY: 0.0.w.1 is core 0 of node 0 writing memory of node 1.",
    )
    add_machine(parser)
    parser.add_argument("labels", metavar="LABEL", nargs="*", help="a foreground thread")
    parser.add_argument("--access", choices=("r", "w"), help="whether the threads of numactl's words read or write (r)")
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
    parser.add_argument(
        "--trace", metavar="FILE", help="also record the start of the measured window, as `numasim trace -o FILE.json` does"
    )
    parser.add_argument("--window", type=float, metavar="NS", help="length of what --trace records (2000)")
    add_overrides(parser)
    add_output(parser)
    add_numactl(parser, "numactl's words, in place of labels: a thread on every core, or on those of the first two words")
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
    prepare_documents(args, machine_files(args.machine), _pictures(args))
    window = _traced_window(args)
    result = run(machine, workload, accuracy, seed=args.seed, engine=args.engine)
    if result.verdict not in ("deadlock", "no progress", "not warmed up"):
        result = with_demand(machine, workload, result, engine=args.engine)
    trace = None if window is None else _trace_text(machine, workload, window, result)
    if args.json or args.output is not None:
        write_text(args.output, result.model_dump_json(indent=2) + "\n")
    else:
        from simulator.cli.breakdown_tables import breakdown_tables
        from simulator.cli.console import show_tables
        from simulator.measure.tables import run_tables

        show_tables((*run_tables(result), *(breakdown_tables(result) if args.breakdown else ())))
    if args.picture is not None:
        _draw(args, machine, result)
    if trace is not None:
        write_text(args.trace, trace)
    return 0 if result.verdict == "steady" else 1


def _traced_window(args: argparse.Namespace) -> Window | None:
    """Return what `--trace` records; None without it. See that its file can be written."""
    if args.trace is None:
        if args.window is not None:
            raise InputError("says how long a trace is", field="--window", value=args.window, allowed="beside --trace FILE")
        return None
    if args.trace in ("", STDOUT):
        raise InputError("is no file name", field="--trace", value=args.trace, allowed="the name of a file")
    if Path(args.trace).suffix.lower() in _NO_TRACES:
        allowed = "a JSON document here; `numasim trace` writes the others"
        raise InputError("is no name of a trace", field="--trace", value=args.trace, allowed=allowed)
    for option, place in (("-o", args.output), *(("--picture", path) for path in _pictures(args))):
        check_outputs({option: place, "--trace": args.trace}, machine_files(args.machine))
    from simulator.observe.record import Window

    window = Window(warmup=args.warmup)
    return window if args.window is None else replace(window, length_ns=args.window)


def _trace_text(machine: Machine, workload: Workload, window: Window, result: RunResult) -> str:
    from simulator.observe.of_run import trace_text_of

    return trace_text_of(machine, workload, window, result)


def _pictures(args: argparse.Namespace) -> list[Path]:
    """Return all files that `--picture` draws; raise InputError where it is no name of one."""
    if args.picture is None:
        return []
    return [
        *picture_files("--picture", args.picture),
        *(picture_files("--picture", str(_breakdown_name(args.picture))) if args.breakdown else ()),
    ]


def _breakdown_name(picture: str) -> Path:
    path = Path(picture)
    kind = path.suffix if path.suffix.lower() in (".png", ".svg") else ""
    return path.with_name(f"{path.name.removesuffix(kind)}-breakdown{kind}")


def _draw(args: argparse.Namespace, machine: Machine, result: RunResult) -> None:
    from simulator.plots.breakdown import draw_breakdown
    from simulator.plots.square import draw_machine

    draw_machine(machine, args.picture, result)
    if args.breakdown and result.breakdown:
        draw_breakdown(result, _breakdown_name(args.picture))


def _bound_threads(args: argparse.Namespace, machine: Machine) -> tuple[ThreadSpec, ...]:
    """Return the threads that numactl's words ask for; none without these words."""
    words = numactl_words(args)
    weights = node_weights(args, args.weighted_interleave is not None)
    if not words:
        if args.access is not None:
            raise InputError("goes with numactl's words; a label says r or w itself", field="--access", value=args.access)
        return ()
    if args.labels:
        field = ", ".join(word.partition("=")[0] for word in words)
        raise InputError("threads are given twice", field=field, allowed="these words or labels, not both")
    from simulator.placement import parse_numactl
    from simulator.workload.binding import bound_threads

    binding = parse_numactl(words, machine)
    return bound_threads(machine, binding.cpus, binding.policy, args.access or "r", weights)


def background_rates(texts: Sequence[str]) -> dict[str, float]:
    """Return the rate, GB/s, that each `--background` label asks for."""
    from simulator.workload.levels import background_rates as read

    return read(texts)
