"""One machine, several programs or one program under several policies: runs to be shown beside each other."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.machine.spec import Machine
from simulator.program import ArraySpec, InitPhase, MigratePhase, Program, SweepPhase, SystemSpec, ThreadGroup
from simulator.replay.result import Replays
from simulator.replay.run import run_program

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


def streaming_under_policies(threads: int, passes: int = 2) -> dict[str, Program]:
    """Return a program in which every thread reads its part of an array in order, under each policy that Linux and the BIOS have.

    Parameters
    ----------
    threads : int
        One on every core of a machine is what shows most.
    passes : int
        How often each part is read.
    """
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


def moved_off_its_memory(passes: int, far: int = 3) -> dict[str, Program]:
    """Return a thread that has come to another node than its memory is on: it stays there, or its pages follow.

    Parameters
    ----------
    passes : int
        How often it then reads all of its array: what moving has to be worth.
    far : int
        Node where it runs now; its memory is on node 0.
    """
    array = ArraySpec(name=_DATA, size_mib=_MIB_A_THREAD, policy="--membind=0")
    group = ThreadGroup(name=_WORKER, node=far, core=0)
    touch = InitPhase(pattern="init", arrays=(_DATA,))
    read = SweepPhase(name="reading", pattern="sequential", array=_DATA, repeat=passes)
    move = MigratePhase(name="moving", pattern="migrate", arrays=(_DATA,), to_nodes=str(far))
    return {
        f"{passes} passes, pages stay": Program(name="moved", arrays=(array,), threads=(group,), phases=(touch, read)),
        f"{passes} passes, pages follow": Program(name="moved", arrays=(array,), threads=(group,), phases=(touch, move, read)),
    }


def _streaming(threads: int, passes: int, touch: InitPhase, policy: str | None) -> Program:
    return Program(
        name="streaming",
        arrays=(ArraySpec(name=_DATA, size_mib=_MIB_A_THREAD * threads, policy=policy),),
        threads=(ThreadGroup(name=_WORKER, count=threads),),
        phases=(touch, SweepPhase(name="reading", pattern="sequential", array=_DATA, repeat=passes)),
    )
