"""Recorded traces: whose accesses they are, where their pages lie, how their time goes."""

from __future__ import annotations

import gzip
import os
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from simulator.errors import InputError
from simulator.placement import Bind, Interleave, System
from simulator.placement.page_table import HUGE_PAGE_BYTES
from simulator.replay import TraceFile, look_through, run_traces
from simulator.replay.look import touched_pages
from simulator.replay.trace_file import sources
from simulator.replay.trace_reader import TraceReader
from simulator.traces import Trace, access_chunk, by_thread
from tests.replay.programs import PLAIN, QUARTET
from tests.replay.tracing import BASE, CPUS, PAGE, csv, lackey, lines, replayed

STREAM = TraceFile(str(Path(__file__).parents[1] / "traces" / "data" / "stream_small.lackey.gz"))


def test_a_real_program_under_three_placements() -> None:
    look = look_through([STREAM])
    assert [thread.name for thread in look.threads] == ["0.0"]
    times = []
    for node in (0, 1, 3):
        result = run_traces(QUARTET, look, CPUS, policy=Bind((node,)))
        assert result.threads[0].caches is not None
        assert result.verdict == "finished"
        assert result.traces[0].accesses == look.threads[0].accesses == result.threads[0].caches.accesses - _split(STREAM)
        assert result.threads[0].lines_by_node == {node: result.threads[0].caches.fills}
        times.append(result.elapsed_ns)
    assert times[0] < times[1] < times[2]  # near, one hop, two hops


def _split(file: TraceFile) -> int:
    """Return how many accesses cross a line."""
    chunks = Trace(file.path).chunks()
    return sum(int(np.count_nonzero(chunk.address % 64 + chunk.size_bytes > 64)) for chunk in chunks)


def test_both_engines_give_the_same_result(tmp_path: Path) -> None:
    file = csv(tmp_path / "t.csv", [(n % 3, BASE + 64 * (n * 7919 % 5000), "rrw"[n % 3]) for n in range(3000)])
    simpy, compiled = (replayed(file, engine=engine) for engine in ("simpy", "compiled"))
    assert simpy.model_copy(update={"provenance": None}) == compiled.model_copy(update={"provenance": None})


def test_threads_of_one_file_take_cpus_in_order_and_touch_their_own_pages(tmp_path: Path) -> None:
    accesses = [(9, BASE + 64 * n, "r") for n in range(128)] + [(4, BASE + 2 * PAGE + 64 * n, "w") for n in range(192)]
    result = replayed(csv(tmp_path / "t.csv", accesses), cpus=[(2, 0), (3, 1)])
    assert [(thread.name, thread.node, thread.core, thread.lines) for thread in result.threads] == [
        ("0.4", 2, 0, 192),
        ("0.9", 3, 1, 128),
    ]
    assert [thread.lines_by_node for thread in result.threads] == [{2: 192}, {3: 128}]
    assert result.pages == {0: 0, 1: 0, 2: 3, 3: 2}


def test_who_touches_first_decides_also_within_a_stretch(tmp_path: Path) -> None:
    result = replayed(
        csv(tmp_path / "t.csv", [(1, BASE + 8, "r"), (0, BASE, "r"), (0, BASE + PAGE, "r"), (1, BASE + PAGE, "w")]),
        cpus=[(0, 0), (1, 0)],
    )
    assert result.pages == {0: 1, 1: 1, 2: 0, 3: 0}
    assert [thread.lines_by_node for thread in result.threads] == [{0: 1, 1: 1}, {0: 1, 1: 1}]


def test_files_are_programs_of_their_own_unless_said_otherwise(tmp_path: Path) -> None:
    files = [lackey(tmp_path / name, lines(BASE, 128)) for name in ("one", "two")]
    own = replayed(*files, cpus=[(0, 0), (1, 0)])
    assert [thread.name for thread in own.threads] == ["0.0", "1.0"]
    assert own.pages == {0: 2, 1: 2, 2: 0, 3: 0}
    together = replayed(*(TraceFile(file.path, program=0) for file in files), cpus=[(0, 0), (1, 0)])
    assert together.pages == {0: 2, 1: 0, 2: 0, 3: 0}
    assert [thread.local_percent for thread in together.threads] == [100, 0]
    assert replayed(files[0], files[0]).pages[0] == 4  # the same file twice is two programs


def test_policies_and_page_sizes(tmp_path: Path) -> None:
    file = csv(tmp_path / "t.csv", [(0, address, "r") for address in lines(BASE, 64 * 8)])
    assert replayed(file, policy=Interleave((0, 1, 2, 3))).pages == {0: 2, 1: 2, 2: 2, 3: 2}
    assert replayed(file, system=System(node_interleaving=True)).pages == {0: 2, 1: 2, 2: 2, 3: 2}
    assert replayed(file, page_bytes=HUGE_PAGE_BYTES).pages == {0: 512, 1: 0, 2: 0, 3: 0}
    assert replayed(file, cpus=[(3, 1)]).pages == {0: 0, 1: 0, 2: 0, 3: 8}


def test_a_page_that_an_access_only_ends_in_or_spans_is_touched(tmp_path: Path) -> None:
    over = replayed(csv(tmp_path / "over.csv", [(0, BASE + PAGE - 4, "r")]))
    assert (over.pages[0], over.threads[0].lines) == (2, 2)
    wide = replayed(csv(tmp_path / "wide.csv", [(0, BASE + 32, "r")], size=3 * PAGE))
    assert (wide.pages[0], wide.threads[0].lines) == (4, 3 * 64 + 1)


def test_touched_pages_in_their_order() -> None:
    chunk = access_chunk([5 * PAGE, 5 * PAGE + 8, PAGE - 1, 5 * PAGE], size_bytes=[8, 8, 2 * PAGE, 8])
    access, pages = touched_pages(chunk)
    assert (access.tolist(), pages.tolist()) == ([0, 2, 2, 2, 3], [5, 0, 1, 2, 5])


def test_first_touches_stand_in_the_order_of_the_trace(tmp_path: Path) -> None:
    accesses = [
        (7, 9 * PAGE, "r"),
        (2, 3 * PAGE, "w"),
        (7, 3 * PAGE, "r"),
        (7, 5 * PAGE, "r"),
        (2, 9 * PAGE, "r"),
        (2, PAGE, "r"),
    ]
    look = look_through([csv(tmp_path / "t.csv", accesses)])
    assert [(thread.number, thread.accesses) for thread in look.threads] == [(2, 3), (7, 3)]
    assert (look.pages.tolist(), look.toucher.tolist()) == ([9, 3, 5, 1], [1, 0, 1, 0])


def test_addresses_anywhere_in_64_bits(tmp_path: Path) -> None:
    files = [csv(tmp_path / f"{n}.csv", [(0, 2**64 - 8, "r"), (0, 0, "w"), (0, 2**63, "r")]) for n in range(2)]
    assert replayed(*files).pages[0] == 6


def test_instructions_and_times_are_computed(tmp_path: Path) -> None:
    hits = [(0, BASE, "r")] * 1001
    slow, fast = (replayed(csv(tmp_path / "i.csv", hits, step=10), cycles_per_instruction=cpi) for cpi in (2.0, 1.0))
    assert slow.elapsed_ns - fast.elapsed_ns == pytest.approx(1001 * 10 / 2.2, rel=1e-6)
    timed = replayed(csv(tmp_path / "t.csv", hits, clock="time_ns", step=50))
    assert timed.elapsed_ns == pytest.approx(1000 * 50 + 95, abs=20)  # the first row is time zero; its line takes its latency
    late = replayed(csv(tmp_path / "l.csv", [*hits, (1, BASE + PAGE, "r")][1:], clock="time_ns", step=50))
    times = {thread.name: thread.time_ns for thread in late.threads}
    assert times["0.1"] == pytest.approx(1000 * 50 + 95, abs=20)


def test_a_machine_without_caches_takes_each_access_as_a_line(tmp_path: Path) -> None:
    timed = csv(tmp_path / "t.csv", [(0, BASE, "r")] * 100, clock="time_ns", step=1000)
    result = replayed(timed, machine=PLAIN)
    assert (result.threads[0].lines, result.threads[0].caches) == (100, None)
    assert result.elapsed_ns == pytest.approx(99 * 1000, rel=0.01)
    counted = csv(tmp_path / "i.csv", [(0, BASE, "r")] * 100, step=2200)
    assert replayed(counted, machine=PLAIN, cycles_per_instruction=1.0).elapsed_ns == pytest.approx(
        100 * 2200 / PLAIN.processor.clock_ghz, rel=0.01
    )
    with pytest.raises(InputError, match=r"^--cpi: the trace counts instructions, and square, which has no \[caches\]"):
        replayed(counted, machine=PLAIN)


def test_lines_in_flight(tmp_path: Path) -> None:
    file = csv(tmp_path / "t.csv", [(0, address, "r") for address in lines(BASE, 500)], step=1)
    assert replayed(file, window=1).elapsed_ns > 2.5 * replayed(file, window=4).elapsed_ns


def test_more_threads_than_cpus(tmp_path: Path) -> None:
    file = csv(tmp_path / "t.csv", [(n, BASE, "r") for n in range(3)])
    with pytest.raises(InputError, match=re.escape("threads: more threads than CPUs (got 3); allowed: up to 2, a CPU each")):
        replayed(file, cpus=CPUS[:2])


# -- one reading for all threads -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most_held", [0, 50, 10**6])
def test_a_reader_gives_each_thread_its_accesses_at_its_own_pace(
    tmp_path: Path, most_held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.traces.blocks._BLOCK_BYTES", 400)
    monkeypatch.setattr("simulator.traces.sources._PIECE_BYTES", 200)
    rng = np.random.default_rng(1)
    file = csv(tmp_path / "t.csv", [(int(rng.integers(4)), BASE + 8 * n, "r") for n in range(400)])
    (source,) = sources([file])
    expected: dict[int, list[int]] = {n: [] for n in range(4)}
    for chunk in source.chunks():
        for number, own in by_thread(chunk):
            expected[number] += own.address.tolist()
    reader = TraceReader(source, range(4), most_held)
    streams = {n: reader.chunks(n) for n in range(4)}
    found: dict[int, list[int]] = {n: [] for n in range(4)}
    while streams:
        number = int(rng.choice([*streams, *[max(streams)] * 4]))  # one runs ahead
        chunk = next(streams[number], None)
        if chunk is None:
            del streams[number]
        else:
            found[number] += chunk.address.tolist()
        assert sum(sum(map(len, kept)) for kept in reader._kept.values()) <= most_held
    assert found == expected


# -- damage ----------------------------------------------------------------------------------------------------------------


def _cut(tmp_path: Path, good: int = 100) -> str:
    path = tmp_path / "cut.lackey"
    lackey(path, lines(BASE, good))
    path.write_text(path.read_text(encoding="ascii") + " L 1000", encoding="ascii")
    return str(path)


def test_a_damaged_trace_is_refused_with_line_byte_and_what_is_whole(tmp_path: Path) -> None:
    name = _cut(tmp_path)
    place = f"line 401, byte {os.path.getsize(name) - 7}"
    with pytest.raises(InputError) as caught:
        replayed(TraceFile(name))
    whole = "the trace ends in the middle of this line; the 100 accesses before it are whole, and --partial replays them"
    assert str(caught.value).startswith(f"{name}: {place}: {whole} (got ' L 1000')")


def test_what_is_before_the_damage_is_replayed_on_request(tmp_path: Path) -> None:
    whole = replayed(lackey(tmp_path / "whole", lines(BASE, 100)))
    partial = replayed(TraceFile(_cut(tmp_path), partial=True))
    assert whole.traces[0].damage is None
    assert "cut.lackey: line 401, byte" in (partial.traces[0].damage or "")
    assert partial.traces[0].accesses == 100
    assert (partial.elapsed_ns, partial.threads) == (whole.elapsed_ns, whole.threads)


def test_damage_inside_gzip_keeps_all_before_it(tmp_path: Path) -> None:
    path = tmp_path / "t.lackey.gz"
    data = gzip.compress(Path(lackey(tmp_path / "t", lines(BASE, 5000)).path).read_bytes())
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match=r"line \d+, byte \d+: is cut off.* accesses before it are whole"):
        replayed(TraceFile(str(path)))
    partial = replayed(TraceFile(str(path), partial=True))
    assert 1000 < partial.traces[0].accesses == partial.threads[0].lines < 4000


def test_nothing_before_the_damage_is_refused_either_way(tmp_path: Path) -> None:
    for partial in (False, True):
        with pytest.raises(InputError) as caught:
            replayed(TraceFile(_cut(tmp_path, good=0), partial=partial))
        assert "--partial" not in str(caught.value)


def test_what_is_skipped_is_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    csv(path, [(0, BASE, "r")])
    path.write_text("# made by hand\n" + path.read_text(encoding="ascii"), encoding="ascii")
    report = replayed(TraceFile(str(path))).traces[0]
    assert (report.file, report.accesses, report.skipped, report.remarks) == ("t.csv", 1, {"empty lines and comments": 1}, {})


def test_a_pipe_is_refused_before_it_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("-", str(tmp_path / "pipe"), os.devnull):
        with pytest.raises(InputError, match="a trace is read twice, a pipe gives it once"):
            look_through([TraceFile(name)])
    with pytest.raises(InputError, match=r"none\.csv: cannot be read: no such file"):
        look_through([TraceFile(str(tmp_path / "none.csv"))])


def test_a_trace_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    file = csv(tmp_path / "t.csv", [(0, BASE, "r")])
    look = look_through([file])
    csv(tmp_path / "t.csv", [(0, BASE + 100 * PAGE, "r")])
    with pytest.raises(InputError, match="a trace has changed between the two times"):
        run_traces(QUARTET, look, CPUS)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_trace(tmp_path: Path) -> None:
    """Peak of what Python and numpy hold, whether a trace is read once through or four times as long, all of it misses."""
    peaks = []
    for count in (200_000, 800_000):
        path = tmp_path / f"{count}.csv"
        numbers = np.arange(count)
        address = BASE + (numbers % 4 << 30) + 64 * (numbers * 7919 % (1 << 16))
        columns = zip(numbers.tolist(), address.tolist(), strict=True)
        rows = "\n".join(f"{n % 4},{3 * n},{where},8,{'rw'[n % 3 == 0]}" for n, where in columns)
        path.write_text(f"thread,instr,address,size,rw\n{rows}\n", encoding="ascii")
        del rows
        tracemalloc.start()
        result = replayed(TraceFile(str(path)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert sum(thread.lines for thread in result.threads) > 0.9 * count
    assert peaks[1] < 1.2 * peaks[0]
    assert peaks[1] < 100e6
