"""Threads that read some of their lines and write the others."""

from __future__ import annotations

import pytest

from simulator.engine.build import build_engine
from simulator.engine.lower import lower
from simulator.errors import InputError
from simulator.workload import ThreadSpec, Workload
from simulator.workload.mix import mixed_accesses
from tests.machine.builders import build


@pytest.mark.parametrize(
    ("share", "modes"),
    [(1.0, "r"), (0.0, "w"), (0.5, "rw"), (2 / 3, "rrw"), (0.75, "rrrw"), (0.4, "rwrww"), (0.6, "rrwrw"), (0.666667, "rrw")],
)
def test_the_shortest_pattern_with_the_writes_spread(share: float, modes: str) -> None:
    accesses = mixed_accesses(3, share)
    assert "".join(access.mode for access in accesses) == modes
    assert {access.memory for access in accesses} == {3}


def test_hundredths_are_exact() -> None:
    for hundredths in range(101):
        accesses = mixed_accesses(0, hundredths / 100)
        reads = sum(access.mode == "r" for access in accesses)
        assert reads * 100 == hundredths * len(accesses)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), float("inf"), 0.123, 1 / 300])
def test_shares_that_cannot_be(share: float) -> None:
    with pytest.raises(InputError, match="read fraction: .*allowed: 0 to 1, in hundredths or as a fraction such as 2/3"):
        mixed_accesses(0, share)


def test_both_engines_run_a_mix_alike_and_keep_the_share() -> None:
    machine = build(range(2), [(0, 1)])
    workload = Workload(tuple(ThreadSpec(node, 0, mixed_accesses(0, 0.75)) for node in (0, 1)))
    snapshots = []
    for name in ("simpy", "compiled"):
        plan = lower(machine, workload, seed=5)
        engine = build_engine(plan, name)  # type: ignore[arg-type]
        engine.advance([400, 400], 10_000_000)
        snapshots.append(engine.snapshot())
    assert snapshots[0] == snapshots[1]
    sent = snapshots[0].port_sent[plan.controller_port[0]]
    written = sum(count for count, writes in zip(sent, plan.kind_writes, strict=True) if writes)
    read = sum(sent) - written
    assert written / read == pytest.approx(0.25, rel=0.02)  # every line is read, also one that is then written
