"""Files from outside become clean text, whatever encoding, line ends or mail program they went through, or a clear error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop.source import MAX_LINE_CHARACTERS, MAX_LINES, MAX_SOURCE_BYTES, read_source, source_of

LINES = "node 0 cpus: 0 1\nnode 0 size: 4096 MB\n"


def _text(data: bytes) -> str:
    return source_of(data, "x").text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_encodings_of_plain_output(encoding: str) -> None:
    assert _text(LINES.encode(encoding)) == LINES


def test_letters_of_windows_and_of_iso() -> None:
    assert _text("Prozessor \u201eA\u201c\u00fc".encode("cp1252")) == "Prozessor \u201eA\u201c\u00fc"
    assert _text(b"a\x81\xfc") == "a\x81\u00fc"  # 0x81 is no letter of Windows' code page


@pytest.mark.parametrize("end", ["\r\n", "\r", "\r\r\n"])
def test_line_ends(end: str) -> None:
    assert _text(LINES.replace("\n", end).encode()) == LINES


def test_padding_colours_and_hard_spaces() -> None:
    assert _text(b"\x1b[35m\x1b[Knode0/cpumap\x1b[m:0f\0\0\0\n1\xc2\xa02") == "node0/cpumap:0f\n1 2"


@pytest.mark.parametrize("mark", ["> ", ">", "> > ", ">> ", "| ", " > | "])
def test_mail_quoting_is_taken_off(mark: str) -> None:
    source = source_of(("Hello,\n" + "".join(f"{mark}{line}\n" for line in LINES.splitlines())).encode(), "x")
    assert source.text == f"Hello,\n{LINES}"
    assert source.notes == ("the text was quoted as in a mail: the marks are taken off",)


def test_indentation_within_quotes_stays() -> None:
    assert _text(b"> Machine\n>   NUMANode\n>     Core\n") == "Machine\n  NUMANode\n    Core\n"


def test_drawn_boxes_are_no_quotes() -> None:
    box = "| +---+ |\n| | 0 | |\n| +---+ |\n"
    assert source_of(box.encode(), "x") == source_of(box.encode(), "x")
    assert (source_of(box.encode(), "x").text, source_of(box.encode(), "x").notes) == (box, ())


def test_a_single_quoted_line_among_others_stays() -> None:
    assert _text(b"a\n> b\nc\n") == "a\n> b\nc\n"


def test_quoted_printable_is_undone() -> None:
    source = source_of(b"node 0 cpus: 0 1 2=\n 3=20\nsize=3D4096 =E2=80=9Cx\nend", "x")
    assert source.text == "node 0 cpus: 0 1 2 3 \nsize=4096 \u201cx\nend"
    assert source.notes == ("the text was quoted-printable, as mail programs write it: decoded",)


def test_quoted_printable_around_quotes() -> None:
    """A soft line break comes within a quoted line, and its rest has no mark."""
    assert _text(b"> node 0 cpus: 0 1 2=\n 3\n> node 0 size: 1 MB=20\n") == "node 0 cpus: 0 1 2 3\nnode 0 size: 1 MB \n"


@pytest.mark.parametrize(
    "text", ['"stride=128\n0.5 1.6\n', "array=200 lines=AB\n", "=====\na\n", "(= 254 ticks)\nx=\n", "numa=fake=4\n"]
)
def test_equals_signs_of_plain_output_stay(text: str) -> None:
    assert source_of(text.encode(), "x").text == text


@pytest.mark.parametrize("start", ['<?xml version="1.0"?>\r\n', "<!DOCTYPE topology>\r\n", "\n <topology>\r\n"])
def test_xml_is_left_as_it_is(start: str) -> None:
    text = start + '> > <a x="=20=3D"/>\r\n'
    assert source_of(text.encode("utf-8-sig"), "x").text == text
    assert source_of(text.encode("utf-16"), "x").notes == ()


def test_xml_that_a_mail_program_took_is_mended() -> None:
    assert _text(b'<?xml version=3D"1.0"?>=\n<topology a=3D"1"/>\n') == '<?xml version="1.0"?><topology a="1"/>\n'
    assert _text(b"> <topology>\n> </topology>\n") == "<topology>\n</topology>\n"


@pytest.mark.parametrize("data", [b"", b" \r\n\t\n", b"\0\0\0", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_nothing_is_an_error(data: bytes) -> None:
    with pytest.raises(InputError, match="^x: is empty; allowed: the output of a tool$"):
        source_of(data, "x")


def test_bounds() -> None:
    with pytest.raises(InputError, match="x: is too large; allowed: at most 16,777,216 bytes"):
        source_of(b"a" * (MAX_SOURCE_BYTES + 1), "x")
    with pytest.raises(InputError, match="x: has too many lines; allowed: at most 200,000"):
        source_of(b"a\n" * (MAX_LINES + 1), "x")
    with pytest.raises(InputError, match="x: line 2: is too long; allowed: at most 262,144 characters"):
        source_of(b"a\n" + b"b" * (MAX_LINE_CHARACTERS + 1), "x")
    assert len(source_of(b"b" * MAX_LINE_CHARACTERS, "x").text) == MAX_LINE_CHARACTERS


def test_a_line_of_nothing_but_marks_is_too_long_before_it_is_matched() -> None:
    with pytest.raises(InputError, match="x: line 1: is too long"):
        source_of(b">" * (MAX_LINE_CHARACTERS + 1), "x")
    with pytest.raises(InputError, match="x: line 1: is too long"):
        source_of(b"a" * 80 + b"=\n" + (b"b" * 80 + b"=\n") * (MAX_LINE_CHARACTERS // 80), "x")


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: is no regular file"):
        read_source(tmp_path / "pipe")
    with pytest.raises(InputError, match="is a folder"):
        read_source(tmp_path)
    with pytest.raises(InputError, match="none: cannot be read: no such file"):
        read_source(tmp_path / "none")
    with pytest.raises(InputError, match="is no file name"):
        read_source("a\0b")
    with pytest.raises(InputError, match="/dev/zero: is no regular file"):
        read_source("/dev/zero")


def test_a_file_larger_than_the_bound(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as stream:
        stream.truncate(MAX_SOURCE_BYTES + 1)
    with pytest.raises(InputError, match="large: is too large"):
        read_source(tmp_path / "large")


def test_places_in_messages() -> None:
    source = source_of(b"a\nb\n\n", "x.txt")
    assert source.last_line == 1
    assert str(source.wrong("is odd", line=1, value="b", allowed="c")) == "x.txt: line 2: is odd (got 'b'); allowed: c"


@pytest.mark.parametrize("text", ["node 0 size: 6\x006 MB", "a\n0.\x00\x005", "cpumap:0\x00f,ff", "=3D node 0 size: 6=006 MB"])
def test_a_zero_byte_between_digits_is_refused(text: str) -> None:
    """Without it, two numbers would read as one."""
    with pytest.raises(InputError, match=r"x: line [12]: has a NUL byte within a number; allowed: NUL bytes as padding only"):
        source_of(text.encode(), "x")


def test_zero_bytes_as_padding_are_taken_off() -> None:
    assert _text(b"0f\0\0\n1 \0\x002\0") == "0f\n1 2"


def test_a_name_of_nothing() -> None:
    with pytest.raises(
        InputError, match=r"FILE: is no file name \(got ''\); allowed: the name of a file, or - for standard input"
    ):
        read_source("")
