"""One machine, several programs or one program under several policies: runs to be shown beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simulator.machine.spec import Machine
from simulator.program import ArraySpec, InitPhase, MigratePhase, Program, SweepPhase, SystemSpec, ThreadGroup
from simulator.replay.result import Replays
from simulator.replay.run import run_program

PASSES = (1, 4, 16, 64)  # over its memory that a moved thread makes
QUICK_PASSES = PASSES[:2]
_QUICK_SHARE = 10  # of the lines of a program
_MIB_A_THREAD = 2.0
_WORKER, _DATA = "worker", "data"


def side_by_side(machine: Machine, programs: Mapping[str, Program], *, seed: int = 1) -> Replays:
    """Run programs on a machine, one after the other.

    Parameters
    ----------
    machine : Machine
    programs : mapping of str to Program
        By what the result calls each.
    seed : int
    """
    runs = (run_program(machine, program, seed=seed).model_copy(update={"placement": name}) for name, program in programs.items())
    return Replays(runs=tuple(runs))


def quick_form(program: Program) -> Program:
    """Return a program with a tenth of the lines in each phase that says how many it has."""
    phases = []
    for phase in program.phases:
        lines: int | None = getattr(phase, "lines", None)
        phases.append(phase if lines is None else phase.model_copy(update={"lines": max(1, lines // _QUICK_SHARE)}))
    return program.model_copy(update={"phases": tuple(phases)})


def streaming_under_policies(machine: Machine, passes: int = 1) -> dict[str, Program]:
    """Return a program in which every core reads its part of an array in order, under each policy that Linux and the BIOS have.

    Parameters
    ----------
    machine : Machine
    passes : int
        How often each part is read.
    """
    threads = sum(node.cores for node in machine.nodes)
    first = InitPhase(pattern="init", arrays=(_DATA,), threads=(f"{_WORKER}.0",))
    own = InitPhase(pattern="init", arrays=(_DATA,))
    serial = {
        "first touch by one thread": None,
        "--membind=0": "--membind=0",
        "--preferred=0": "--preferred=0",
        "--interleave=0,1": "--interleave=0,1",
        "--interleave=all": "--interleave=all",
        "--weighted-interleave=all, 2 1 1 1": "--weighted-interleave=all",
    }
    programs = {"first touch by each its part": _streaming(threads, passes, own, None)}
    programs |= {name: _streaming(threads, passes, first, policy) for name, policy in serial.items()}
    weighted = programs["--weighted-interleave=all, 2 1 1 1"]
    programs["--weighted-interleave=all, 2 1 1 1"] = weighted.model_copy(update={"system": SystemSpec(node_weights={0: 2})})
    bios = _streaming(threads, passes, first, None)
    programs["node interleaving in the BIOS"] = bios.model_copy(update={"system": SystemSpec(node_interleaving=True)})
    return programs


def moved_off_its_memory(passes: Sequence[int] = PASSES, far: int = 3) -> dict[str, Program]:
    """Return a thread that has come to another node than its memory is on: it stays there, or its pages follow.

    Parameters
    ----------
    passes : sequence of int
        How often it then reads all of its array: what moving has to be worth.
    far : int
        Node where it runs now; its memory is on node 0.
    """
    array = ArraySpec(name=_DATA, size_mib=_MIB_A_THREAD, policy="--membind=0")
    group = ThreadGroup(name=_WORKER, node=far, core=0)
    touch = InitPhase(pattern="init", arrays=(_DATA,))
    move = MigratePhase(name="moving", pattern="migrate", arrays=(_DATA,), to_nodes=str(far))
    programs = {}
    for count in passes:
        read = SweepPhase(name="reading", pattern="sequential", array=_DATA, repeat=count)
        for words, phases in {"stay": (touch, read), "follow": (touch, move, read)}.items():
            program = Program(name="moved", arrays=(array,), threads=(group,), phases=phases)
            programs[f"{count} x its memory, pages {words}"] = program
    return programs


def _streaming(threads: int, passes: int, touch: InitPhase, policy: str | None) -> Program:
    return Program(
        name="streaming",
        arrays=(ArraySpec(name=_DATA, size_mib=_MIB_A_THREAD * threads, policy=policy),),
        threads=(ThreadGroup(name=_WORKER, count=threads),),
        phases=(touch, SweepPhase(name="reading", pattern="sequential", array=_DATA, repeat=passes)),
    )
