"""Lines that a process fetches: from its pattern and the machine's caches, undisturbed and after others."""

from __future__ import annotations

import pytest

from simulator import load_machine
from simulator.errors import InputError
from simulator.schedule.cache_filter import CacheFilter
from simulator.schedule.footprint import Footprint, Region
from simulator.schedule.speeds import Running, SimulatedSpeeds
from simulator.schedule.traffic import process_traffic

MACHINE = load_machine("athlon64-x2")  # 64 KB + 512 KB: 9216 lines
FITS = Footprint("fits", (Region(128.0, 0.95), Region(65536.0, 0.05)))
STREAM = Footprint("stream", (Region(65536.0, 1.0, "stream"),), write_share=0.0, instructions_per_access=2, dependent=False)


def test_far_accesses_are_the_lines_of_a_process_that_fits() -> None:
    """One access in 20, of 3 instructions each, goes to 64 MB, of which the caches hold under 1 %."""
    lines = CacheFilter(MACHINE).steady(FITS)
    assert lines.instructions_per_line == pytest.approx(60, rel=0.1)
    assert lines.mean_compute_ns > 60 / MACHINE.processor.clock_ghz  # hits in the L2 come on top


def test_a_stream_fetches_a_line_in_eight_accesses_and_drives_out_only_what_it_wrote() -> None:
    lines = CacheFilter(MACHINE).steady(STREAM)
    assert lines.instructions_per_line == pytest.approx(16, rel=0.01)
    assert not any(lines.evicts)


def test_what_has_to_be_fetched_again() -> None:
    """Nothing behind nobody; all 2048 lines of its 128 KB behind more lines than the caches hold; never less behind more."""
    caches = CacheFilter(MACHINE)
    again = [caches.lines_to_fetch_again(FITS, others) for others in (0, 1000, 4000, 9000, 20_000, 10**9, None)]
    assert again[0] == 0
    assert again == sorted(again)
    assert again[-1] == again[-2] == pytest.approx(2048, rel=0.06)  # some of its far lines were there too


def test_speed_of_a_set_is_that_of_a_line_level_run() -> None:
    traffic = process_traffic(CacheFilter(MACHINE), STREAM).working
    speeds = SimulatedSpeeds(MACHINE, lines=2000)
    (alone,) = speeds.paces_ps((Running(0, 0, traffic, 0),))
    together = speeds.paces_ps((Running(0, 0, traffic, 0), Running(0, 1, traffic, 0)))
    assert alone < min(together) < 2 * alone
    assert speeds.paces_ps((Running(0, 1, traffic, 0),)) == (alone,)  # cores of a node are alike
    assert speeds.sets == 2


def test_what_cannot_be_described() -> None:
    with pytest.raises(InputError, match="do not add up to 1"):
        Footprint("half", (Region(64.0, 0.5),))
    with pytest.raises(InputError, match="out of range"):
        Footprint("tiny", (Region(0.01, 1.0),))
    with pytest.raises(InputError, match="fetches fewer than"):
        CacheFilter(MACHINE).steady(Footprint("in the L1", (Region(16.0, 1.0),)))
    with pytest.raises(InputError, match="describes no caches"):
        CacheFilter(MACHINE.model_copy(update={"caches": None}))
