"""Whatever a file holds: a record or one InputError, in bounded time and memory, from every reader."""

from __future__ import annotations

import random
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.errors import InputError
from simulator.interop import hwloc_xml, lat_mem_rd, lstopo, mlc, multichase, numademo, stream
from simulator.interop.formats import FORMATS
from simulator.interop.record import Record
from simulator.interop.source import Source, source_of

FIXTURES = Path(__file__).parent / "fixtures"
FILES = sorted(path for path in FIXTURES.iterdir() if path.is_file())
DATA = [path.read_bytes() for path in FILES]
MOST_CPU_S = 2.0
MOST_MIB = 500.0
Recognises, Read = Callable[[Source], bool], Callable[[Source], Record]
READERS: dict[str, tuple[Recognises, Read]] = {known.name: (known.recognises, known.read) for known in FORMATS} | {
    module.FORMAT: (module.recognises, module.read)
    for module in (hwloc_xml, lat_mem_rd, lstopo, mlc, multichase, numademo, stream)
}
JUNK = [b"0", b"9" * 40, b"-1", b"1e309", b"nan", b"\0", b"\xff\xfe", b"\t", b"\n", b",", b"<", b"&x;", b'"', b"(", b"L#", b":"]


@contextmanager
def bounded_cpu(seconds: float = MOST_CPU_S) -> Iterator[None]:
    """Stop what uses more processor time than this; other load on the machine does not count."""

    rang: list[int] = []

    def stop(number: int, frame: object) -> None:
        rang.append(number)
        raise AssertionError(f"used more than {seconds} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.1)  # again and again: a callback may swallow the first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert not rang


def try_all(data: bytes) -> list[str]:
    """Give bytes to every reader that knows them, and return what each made of them."""
    with bounded_cpu():
        try:
            source = source_of(data, "x")
        except InputError as error:
            return [str(error)]
        return [_outcome(name, source) for name, (recognises, _) in READERS.items() if recognises(source)]


def _outcome(name: str, source: Source) -> str:
    try:
        record = READERS[name][1](source)
    except InputError as error:
        assert "\n" not in str(error)
        return str(error)
    assert all("\n" not in warning for warning in record.warnings)
    return name


def mutated(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 2, 5, 20))):
        data = rng.choice(_MUTATIONS)(data, rng)
    return data


def _change_byte(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]


def _change_digit(data: bytes, rng: random.Random) -> bytes:
    places = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    place = rng.choice(places) if places else 0
    return data[:place] + rng.choice((b"0", b"1", b"7", b"9", b"99999")) + data[place + 1 :]


def _cut_out(data: bytes, rng: random.Random) -> bytes:
    first = rng.randrange(len(data) + 1)
    return data[:first] + data[first + rng.choice((1, 1, 3, 30, 300)) :]


def _cut_off(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _put_in(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(JUNK) * rng.choice((1, 1, 2, 50)) + data[place:]


def _lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    first, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        lines.insert(other, lines[first])
    elif what == 1:
        del lines[first]
    elif what == 2:
        lines[first], lines[other] = lines[other], lines[first]
    else:
        lines[first:first] = [lines[first]] * 60
    return b"\n".join(lines)


def _splice(data: bytes, rng: random.Random) -> bytes:
    other = rng.choice(DATA)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other)) :]


_MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _change_byte,
    _change_digit,
    _cut_out,
    _cut_off,
    _put_in,
    _lines,
    _splice,
)


def test_every_fixture_is_read_by_the_reader_of_its_name() -> None:
    wrong = [path.name for path, data in zip(FILES, DATA, strict=True) if not any(made in READERS for made in try_all(data))]
    assert wrong == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_few_mutations_of_each_fixture(path: Path) -> None:
    rng = random.Random(path.name)
    for _ in range(20):
        try_all(mutated(path.read_bytes(), rng))


@settings(max_examples=150)
@given(
    st.sampled_from(DATA), st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 40), st.binary(max_size=12)), max_size=6)
)
def test_edits_of_fixtures(data: bytes, edits: list[tuple[int, int, bytes]]) -> None:
    for place, length, put in edits:
        place %= len(data) + 1
        data = data[:place] + put + data[place + length :]
    try_all(data)


@settings(max_examples=100)
@given(st.sampled_from(sorted(READERS)), st.one_of(st.sampled_from(DATA), st.binary(max_size=300)))
def test_a_reader_forced_upon_any_text(name: str, data: bytes) -> None:
    with bounded_cpu():
        try:
            _outcome(name, source_of(data, "x"))
        except InputError:
            return


@pytest.mark.slow
def test_twenty_thousand_mutations() -> None:
    before_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rng = random.Random(20_000)
    made = [try_all(mutated(DATA[number % len(DATA)], rng)) for number in range(20_000)]
    read = sum(any(outcome in READERS for outcome in outcomes) for outcomes in made)
    refused = sum(bool(outcomes) and not any(outcome in READERS for outcome in outcomes) for outcomes in made)
    assert min(read, refused) > 2000  # both ways are taken, and often
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before_mib < MOST_MIB


MACHINE = '<object type="Machine" os_index="0" cpuset="0x1">'


def _nested(depth: int, inside: str) -> str:
    return MACHINE + '<object type="Group">' * depth + inside + "</object>" * (depth + 1)


def _node(number: int, more: str = "") -> str:
    return f'<object type="NUMANode" os_index="{number}" gp_index="{number}" {more}/>'


def numbered(form: str, count: int) -> str:
    return "".join(form.format(number) for number in range(count))


WIDE = f'cpuset="{",".join(["0xffffffff"] * 250)}"'
MATRIX = "Measuring idle latencies (in ns)...\nNuma node "
LARGE = {
    "entities": "<!DOCTYPE topology [<!ENTITY a 'x'>]><topology>" + "&a;" * 100_000,
    "one long attribute": f'<topology><object type="{"x" * 3_000_000}"/></topology>',
    "many attributes": "<topology " + " ".join(f'a{number}=""' for number in range(100_000)) + "/>",
    "long text": "<topology>" + MACHINE + "x" * 3_000_000 + "</object></topology>",
    "nested elements": "<topology>" + "<object>" * 400_000,
    "many elements": "<topology>" + "<object/>" * 400_000,
    "many objects": "<topology>" + _nested(90, '<object type="PU"/>' * 45_000) + "</topology>",
    "many matrices": "<topology>" + _nested(1, '<distances relative_depth="1" nbobjs="1"/>' * 60_000 + _node(0)) + "</topology>",
    "matrices on every level": "<topology>"
    + MACHINE
    + '<object type="Group"><distances relative_depth="1" nbobjs="1"/>' * 90
    + '<object type="PU"/>' * 45_000
    + "</object>" * 91
    + "</topology>",
    "many memory attributes": "<topology>"
    + MACHINE
    + "".join(_node(number, 'cpuset="0x1"') for number in range(500))
    + '</object><memattr name="Latency">'
    + '<memattr_value target_obj_gp_index="1" value="1" initiator_cpuset="0x1"/>' * 30_000
    + "</memattr></topology>",
    "wide bitmaps": "<topology>" + _nested(0, "".join(_node(number, WIDE) for number in range(500))) + "</topology>",
    "a wide matrix": "<topology>"
    + _nested(0, _node(0))
    + '<distances2 type="NUMANode" kind="5"><indexes>0</indexes><u64values>'
    + "1 " * 1_500_000
    + "</u64values></distances2></topology>",
    "lstopo nested": "Machine\n" + "\n".join(" " * (level % 2000 + 1) + "Group0 + PU P#0" for level in range(8000)),
    "lstopo wide": "Machine (1GB)\n" + "  NUMANode L#0 (P#0)\n  PU L#0 (P#0)\n" * 20_000,
    "lstopo nodes": "Machine\n" + numbered("  NUMANode L#{0} (P#{0})\n", 500) + numbered("  PU L#{0} (P#{0})\n", 45_000),
    "lstopo lines": "Machine (1GB)\n" + "  PU L#0 (P#0)\n" * 190_000,
    "lstopo row": "Machine (1GB)" + " + PU L#0 (P#0)" * 15_000,
    "lstopo matrices": "Relative latency matrix (name x kind 5) between 1 NUMANodes (depth -3) by logical indexes:\n" * 100_000,
    "mlc name": "Measuring Peak Injection Memory Bandwidths\nA" + " " * 250_000 + "x",
    "mlc colons": "Measuring Peak Injection Memory Bandwidths\n" + "A:" * 125_000,
    "mlc header": MATRIX + " 1" * 120_000 + "x",
    "mlc columns": MATRIX + numbered("{0} ", 500) + "\n" + numbered("{0} " + "1.0 " * 500 + "\n", 500),
    "mlc rows": MATRIX + "0\n" + numbered("{0} 1.5\n", 99_999),
    "mlc stuck": MATRIX + numbered("{0} ", 500) + "\n0 " + "1.1" * 500,
    "mlc sections": "Measuring Loaded Latencies\n00000 1.5 1.5\n" * 90_000,
    "mlc iterations": MATRIX + "0\n0 1.5\n" + "Each iteration took " + "(" * 200_000,
    "stream runs": "Function    Best Rate MB/s  Avg time\n" * 190_000,
    "stream row": "Function    Best Rate MB/s  Avg time\nCopy: 1.0" + " 1" * 120_000,
    "lat_mem_rd": '"stride=64\n' + "".join(f"{n}.0 {n % 7 + 1}.0\n" for n in range(1, 190_000)),
    "lat_mem_rd strides": '"stride=64\n' * 190_000,
    "multichase": "multichase\n" + "1.5\n" * 190_000,
    "multichase words": "nr_threads" + " " * 250_000 + "\n1.5",
    "numademo": "running on node 0, preferred node 0\n"
    + numbered("alloc on node {0} memset Avg 1.0 MB/s Max 1.0 MB/s Min 1.0 MB/s\n", 60_000),
    "numademo blanks": "a Avg 1.0 MB/s Max 1.0 MB/s Min 1.0 MB/s\na" + " " * 250_000 + "MB/s Max",
}


@pytest.mark.parametrize("name", sorted(LARGE))
def test_large_texts_take_bounded_time(name: str) -> None:
    before_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    try_all(LARGE[name].encode())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before_mib < MOST_MIB
