"""A file finds its reader by itself; every digit of it counts; cut or spoilt, it is refused and never a traceback."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop.formats import FORMATS, read_record, read_text, recognised
from simulator.interop.record import Record
from simulator.interop.source import source_of

FIXTURES = Path(__file__).parent / "fixtures"
OWN = ("numactl", "sysfs", "distances", "coreinfo", "likwid")
FILES = sorted(path for name in OWN for path in FIXTURES.glob(f"{name}-*.txt"))
LEFT_OUT = ("sysfs-offline",)  # its distances from nodes that are not there are not kept
# Lines that tell nothing that is kept: free memory, caches, the drawing, comments of the mail.
IDLE = re.compile(
    r"free:|MemFree|HugePages|has_cpu|possible|Free memory|Warning|Cache|Level|^Size|^\||^Coreinfo|^Copyright|Family|Microcode"
    r"|Physical Processor|Group|^Sockets|^Socket 0:|^Socket 1:|per (socket|core)|^> > \$|^CPU (type|stepping)|^[0-9]+ {9,}"
    r"|Memory: [0-9.]+(?= MB free)|^[*]{40,}$"
)
# A count of nodes beside their list.
SAME = re.compile(r"available: [0-9]+ node")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _is_idle(line: str, place: int) -> bool:
    """Tell whether a character belongs to what may change and mean the same."""
    count = SAME.match(line.lstrip("> "))
    if count is not None:
        return place < len(line) - len(line.lstrip("> ")) + count.end()
    if "=" in line[max(0, place - 2) : place]:  # a code of quoted-printable
        return True
    idle = IDLE.search(line)
    return idle is not None and (not idle[0].startswith("Memory:") or place < idle.end())


def _outcome(text: str) -> Record | str:
    try:
        return read_text(source_of(text.encode(), "x"))
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_finds_its_reader(path: Path) -> None:
    name = path.stem.partition("-")[0]
    assert recognised(source_of(path.read_bytes(), "x")).name == name
    assert read_record(path) == read_record(path, name)
    assert read_record(path).format == name


def test_names_are_unique() -> None:
    assert len({known.name for known in FORMATS}) == len(FORMATS) >= len(OWN)


@pytest.mark.parametrize("path", [path for path in FILES if path.stem not in LEFT_OUT], ids=lambda path: path.stem)
def test_every_digit_counts(path: Path) -> None:
    """One changed digit changes the record or makes the text wrong."""
    text, start, unnoticed, tried = _text(path), 0, [], 0
    whole = _outcome(text)
    assert isinstance(whole, Record)
    for line in text.splitlines(keepends=True):
        for place, sign in enumerate(line):
            if not sign.isdigit() or _is_idle(line, place):
                continue
            tried += 1
            other = "9" if sign != "9" else "1"
            if _outcome(text[: start + place] + other + text[start + place + 1 :]) == whole:
                unnoticed.append((line, place))
        start += len(line)
    assert tried > 3
    assert unnoticed == []


def _last_that_counts(text: str) -> int:
    """Return where the last digit or sign of a mask stands that tells something."""
    start, last = 0, 0
    for line in text.splitlines(keepends=True):
        places = [place for place, sign in enumerate(line) if (sign.isdigit() or sign == "*") and not _is_idle(line, place)]
        last = start + places[-1] if places else last
        start += len(line)
    return last


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_cut_anywhere_it_is_refused_or_tells_less(path: Path) -> None:
    text = _text(path)
    whole = _outcome(text)
    last = _last_that_counts(text)
    assert last > len(text) / 4
    for place in [*range(1, last, 5), last]:
        outcome = _outcome(text[:place])
        assert outcome != whole
        assert not isinstance(outcome, str) or outcome.startswith("x: ")


def test_unknown_text_names_what_is_known() -> None:
    with pytest.raises(InputError, match=r"^x: is no output of a tool that is known; allowed: .*numactl --hardware.*") as caught:
        read_text(source_of(b"hello\nworld\n", "x"))
    assert all(known.title in str(caught.value) for known in FORMATS)


def test_unknown_format_names_what_is_known() -> None:
    with pytest.raises(InputError, match=r"^is no format \(got 'msr'\); allowed: auto, .*numactl.*"):
        read_record(FILES[0], "msr")


def test_another_format_than_the_file_has() -> None:
    for known in FORMATS:
        if known.name != "numactl":
            with pytest.raises(InputError):
                read_record(FIXTURES / "numactl-square-4.txt", known.name)


def test_a_name_that_is_none() -> None:
    with pytest.raises(InputError, match="is no file name"):
        read_record("a\0b")


PIECES = (
    "\n",
    " ",
    "\t",
    "0",
    "1",
    "255",
    "99999999999",
    "-",
    ",",
    ":",
    "(",
    ")",
    "node ",
    "*",
    "\0",
    "> ",
    "=\n",
    "\u20ac",
    "MB",
    "kB",
    "1e9",
)


def _spoilt(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 1, 1, 3, 30)))
        piece = chance.choice((*PIECES, text[start : start + chance.randint(1, 60)] * 2))
        text = text[:start] + piece + text[end:]
    return text


def test_spoilt_text_never_gives_a_traceback() -> None:
    """Errors other than InputError would come through here."""
    chance = random.Random(4)
    texts = [_text(path) for path in FILES]
    outcomes = [_outcome(_spoilt(chance.choice(texts), chance)) for _ in range(2000)]
    assert 200 < sum(isinstance(outcome, str) for outcome in outcomes) < 1800
    assert all("\n" not in outcome for outcome in outcomes if isinstance(outcome, str))


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_a_forced_reader_takes_anything(known: object) -> None:
    chance = random.Random(5)
    texts = [_text(path) for path in FILES]
    reader = next(found for found in FORMATS if found is known)
    refused = 0
    for _ in range(100):
        try:
            reader.read(source_of(_spoilt(chance.choice(texts), chance).encode(), "x"))
        except InputError:
            refused += 1
    assert refused > 10


PASTED = [
    (("numactl-square-4.txt", "mlc-two-nodes.txt"), "Intel's Memory Latency Checker", ("numactl",)),
    (("numactl-square-4.txt", "sysfs-opteron-8.txt"), "a tree or grep -H listing of /sys/devices/system/node", ("numactl",)),
    (("coreinfo-whole.txt", "numactl-square-4.txt"), "Coreinfo of Windows' Sysinternals", ("numactl",)),
    (("mlc-idle.txt", "numactl-square-4.txt", "stream-openmp.txt"), "Intel's Memory Latency Checker", ("stream", "numactl")),
]


@pytest.mark.parametrize(("names", "taken", "left_out"), PASTED, ids=lambda value: value[0] if isinstance(value, tuple) else "")
def test_tools_pasted_into_one_file(names: tuple[str, ...], taken: str, left_out: tuple[str, ...]) -> None:
    """One reader wins; what the others would have read does not vanish unsaid."""
    source = source_of("\n\n".join(_text(FIXTURES / name) for name in names).encode(), "x")
    warnings = read_text(source).warnings
    titles = {known.name: known.title for known in FORMATS}
    said = [text for text in warnings if "is left out: --format" in text]
    assert said == [
        f"read as {taken}; it looks like the output of {titles[name]} too, which is left out: --format {name} reads that instead"
        for name in left_out
    ]
    for name in left_out:
        assert read_text(source, name).format == name
        assert not [text for text in read_text(source, name).warnings if "is left out: --format" in text]


@pytest.mark.parametrize("path", sorted(FIXTURES.iterdir()), ids=lambda path: path.name)
def test_the_output_of_one_tool_looks_like_that_of_no_other(path: Path) -> None:
    source = source_of(path.read_bytes(), "x")
    assert len([known.name for known in FORMATS if known.recognises(source)]) == 1
