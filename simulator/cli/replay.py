"""`numasim replay`: a workload file, or recorded traces, on a machine from start to end, under one placement or several."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.cli.documents import machine_files, prepare_documents
from simulator.cli.guard import say
from simulator.cli.numactl_options import add_numactl, node_weights, numactl_words
from simulator.cli.options import add_engine, add_machine, add_output, add_overrides, positive_int, seed
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.machine.spec import Machine
    from simulator.replay.result import ReplayResult

    Show = Callable[[int, str], None]
    Runs = Callable[[Show], Iterator[ReplayResult]]

_PAGES = ("4KiB", "2MiB")
_PLACEMENT = "--placement"
_FORMS = ("lackey", "perf", "csv", "parquet")


def joined_placements(argv: Sequence[str]) -> Sequence[str]:
    """Return the arguments with each ``--placement`` and its words in one: else argparse takes them for options."""
    if list(argv[:1]) != ["replay"]:
        return argv
    joined: list[str] = []
    for text in argv:
        if joined[-1:] == [_PLACEMENT]:
            joined[-1] = f"{_PLACEMENT}={text}"
        else:
            joined.append(text)
    return joined


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "replay",
        help="run a workload file or recorded traces from start to end",
        epilog="docs/replay.md says what is simulated, docs/workload-files.md explains workload files, docs/traces.md traces, "
        "docs/placement.md numactl's words.",
    )
    add_machine(parser)
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="a workload file (.toml), or traces: lackey, perf script, CSV or Parquet"
    )
    parser.add_argument(
        _PLACEMENT,
        action="append",
        default=[],
        metavar="WORDS",
        help="numactl's words in one string: --placement '--cpunodebind=0 --membind=1'; given several times: side by side",
    )
    parser.add_argument("--page", choices=_PAGES, help="page size of a trace (4KiB)")
    parser.add_argument("--node-interleaving", action="store_true", help="the BIOS interleaves pages over all nodes (for traces)")
    parser.add_argument("--format", choices=_FORMS, help="of the traces; found out from their first lines if left out")
    parser.add_argument(
        "--cpi",
        type=float,
        metavar="CYCLES",
        help="cycles an instruction of a trace, its data in the L1; the machine's if left out",
    )
    parser.add_argument(
        "--window", type=positive_int, metavar="N", help="lines in flight of a trace's thread; the machine's if left out"
    )
    parser.add_argument(
        "--one-program", action="store_true", help="the traces are threads of one program: equal addresses are the same memory"
    )
    parser.add_argument(
        "--partial", action="store_true", help="of a damaged trace replay what is before the damage; else it is refused"
    )
    parser.add_argument("--seed", type=seed, default=1, metavar="S", help="of the jitter (%(default)s)")
    add_engine(parser)
    parser.add_argument("--picture", metavar="FILE", help="draw the runs side by side: .png, .svg, or neither for both")
    add_overrides(parser)
    add_output(parser)
    add_numactl(parser, "numactl's words, for traces")
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Run each placement; exit code 1 when one does not finish."""
    from simulator.cli.console import progress_bar, show_tables
    from simulator.cli.output import write_text
    from simulator.cli.replay_tables import replay_tables
    from simulator.machine.load import load_machine
    from simulator.replay.result import Replays

    machine = load_machine(args.machine, args.overrides)
    runs = _program_run(args, machine) if _is_workload(args) else _trace_runs(args, machine)
    inputs = {f"input {place}": name for place, name in enumerate(args.files, 1)}
    prepare_documents(args, {**inputs, **machine_files(args.machine)})
    with progress_bar(f"{machine.name}: lines complete") as show:
        results = tuple(runs(lambda lines, what: show(lines, 0, what)))
    report = Replays(runs=results)
    for damage in {trace.damage: None for result in results for trace in result.traces if trace.damage}:
        say(f"warning: {damage}; what is before was replayed")
    if args.picture is not None:
        from simulator.plots.replays import draw_replays

        draw_replays(report, args.picture)
    if args.json or args.output is not None:
        write_text(args.output, report.model_dump_json(indent=2) + "\n")
    else:
        show_tables(replay_tables(report))
    return 0 if all(result.verdict == "finished" for result in results) else 1


def _is_workload(args: argparse.Namespace) -> bool:
    """Return whether a workload file is meant, not traces.

    Raises
    ------
    InputError
        A workload file among others, or with options of traces.
    """
    workload = next((name for name in args.files if name.endswith(".toml")), None)
    if workload is None:
        return False
    if len(args.files) > 1:
        raise InputError("a workload file runs by itself", file=workload, allowed="one .toml file, or traces")
    words = [word.partition("=")[0] for word in numactl_words(args)]
    options = ("placement", "page", "node_interleaving", "format", "cpi", "window", "one_program", "partial", "node_weights")
    given = words + ["--" + name.replace("_", "-") for name in options if getattr(args, name) not in (None, False, [])]
    if given:
        raise InputError("the workload file says this", field=given[0], file=workload, allowed="this option with traces only")
    return True


def _program_run(args: argparse.Namespace, machine: Machine) -> Runs:
    from simulator.program import load_program, place
    from simulator.replay import run_program

    placed = place(load_program(args.files[0]), machine, label=args.files[0])

    def runs(show: Show) -> Iterator[ReplayResult]:
        yield run_program(machine, placed, seed=args.seed, engine=args.engine, progress=lambda lines: show(lines, ""))

    return runs


def _trace_runs(args: argparse.Namespace, machine: Machine) -> Runs:
    """Read what is asked for; the traces themselves when the runs begin."""
    from simulator.machine.distances import cpu_numbers
    from simulator.placement import Allocator, System, WeightedInterleave, parse_numactl
    from simulator.placement.page_table import HUGE_PAGE_BYTES, PAGE_BYTES
    from simulator.replay import TraceFile, look_through, run_traces

    bindings = {words: parse_numactl(words, machine) for words in _placements(args)}
    weighted = any(isinstance(binding.policy, WeightedInterleave) for binding in bindings.values())
    system = System(node_interleaving=args.node_interleaving, node_weights=node_weights(args, weighted))
    Allocator(machine, system)  # says what is wrong with the weights, or with a machine that cannot interleave
    places = {cpu: (node, core) for node, cpus in cpu_numbers(machine).items() for core, cpu in enumerate(cpus)}
    files = [TraceFile(name, args.format, args.partial, 0 if args.one_program else None) for name in args.files]

    def runs(show: Show) -> Iterator[ReplayResult]:
        look = look_through(files)
        for words, binding in bindings.items():
            yield run_traces(
                machine,
                look,
                [places[cpu] for cpu in (binding.cpus or sorted(places))],
                policy=binding.policy,
                system=system,
                page_bytes=HUGE_PAGE_BYTES if args.page == "2MiB" else PAGE_BYTES,
                cycles_per_instruction=args.cpi,
                window=args.window,
                seed=args.seed,
                engine=args.engine,
                progress=lambda lines, words=words: show(lines, words),  # type: ignore[misc]
                placement=words,
            )

    return runs


def _placements(args: argparse.Namespace) -> list[str]:
    """Return numactl's words of each run, one string a run."""
    words = numactl_words(args)
    if words and args.placement:
        raise InputError("the placement is given twice", field=_PLACEMENT, allowed="--placement, or numactl's words themselves")
    for placement in args.placement:
        if args.placement.count(placement) > 1:
            raise InputError("is there twice", field=_PLACEMENT, value=placement, allowed="each placement once")
    return args.placement or [" ".join(words)]
