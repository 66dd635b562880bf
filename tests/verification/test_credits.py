"""The rate of a link that lacks credits is credits x size / round trip; with constant times it is so to the tick."""

from __future__ import annotations

import pytest

from simulator.engine.build import EngineName
from simulator.engine.plan import Plan
from tests.verification.conftest import Record
from tests.verification.credits import LINE_NS, constant_link, credit_limited_ns, machine_link
from tests.verification.model import FASTER, SLOWER
from tests.verification.models import ENGINES
from tests.verification.window import observe

WARMUP, LINES = 200, 600  # lines; the traffic repeats after a few


def packet_ns(plan: Plan, engine: EngineName) -> float:
    """Return the time from packet to packet."""
    window = observe(plan, engine, WARMUP, LINES)
    return window.span_ps / window.lines() / 1000


@pytest.mark.parametrize("credits", [1, 2, 3, 5])
def test_a_link(credits: int, report: Record) -> None:
    """46 ns a round: 17 for the line, 18 to the crossbar there, 11 for the NOP back; three credits keep the serialiser busy."""
    theory, seen = credit_limited_ns(credits, LINE_NS), [packet_ns(constant_link(credits), engine) for engine in ENGINES]
    report("credits", f"alone, credits: {credits}", f"{theory:g}", *(f"{one:g}" for one in seen))
    assert seen == [theory, theory]


@pytest.mark.parametrize("credits", [1, 2])
def test_a_machine_that_reads_over_it(credits: int, report: Record) -> None:
    """The same closed form with requests, probes, answers and SrcDones on the link: none comes in the way of a NOP here."""
    theory, seen = credit_limited_ns(credits, LINE_NS), [packet_ns(machine_link(credits), engine) for engine in ENGINES]
    report("credits", f"of a machine, credits: {credits}", f"{theory:g}", *(f"{one:g}" for one in seen))
    assert seen == [theory, theory]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("factor", [SLOWER, FASTER], ids=["1 % longer", "1 % shorter"])
@pytest.mark.parametrize("credits", [1, 2, 3])
def test_one_per_cent_is_told(credits: int, factor: float, engine: EngineName) -> None:
    """Serialisation falsified by 1 % moves the rate by what the closed form says, to the tick, and so off the true one."""
    seen = packet_ns(constant_link(credits, LINE_NS * factor), engine)
    assert seen == pytest.approx(credit_limited_ns(credits, LINE_NS * factor), abs=1e-9)
    assert abs(seen - credit_limited_ns(credits, LINE_NS)) > 0.08
