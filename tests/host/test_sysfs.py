"""Pseudo files say what they say, or None; none of them can take long."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.host.sysfs import kilobytes, parse_list, parse_size, read_list, read_text


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0-3,8", (0, 1, 2, 3, 8)),
        ("7", (7,)),
        ("", ()),
        ("5,1-2\n", (1, 2, 5)),
        ("3-1", ()),
        ("a", None),
        ("1-", None),
        ("-1", None),
        ("0-99999999999", None),  # would fill the memory
        ("\u0661", None),  # a digit, but none of ASCII
    ],
)
def test_lists(text: str, numbers: tuple[int, ...] | None) -> None:
    assert parse_list(text) == numbers


@pytest.mark.parametrize(("text", "size"), [("48K", 49152), ("2M", 2 << 20), ("512", 512), ("K", None), ("", None), (None, None)])
def test_sizes(text: str | None, size: int | None) -> None:
    assert parse_size(text) == size


def test_kilobytes() -> None:
    text = "Node 1 MemTotal:  9000 kB\nNode 1 MemFree:   1234 kB\nNode 1 HugePages_Total: 0\n"
    assert kilobytes(text, "MemFree") == 1234 * 1024
    assert kilobytes(text, "HugePages_Total") is None
    assert kilobytes(None, "MemFree") is None


def test_files(tmp_path: Path) -> None:
    assert read_text(tmp_path / "none") is None
    assert read_text(tmp_path) is None
    (tmp_path / "large").write_bytes(b"1" * (1 << 20))
    assert len(read_text(tmp_path / "large") or "") == 1 << 16
    (tmp_path / "list").write_text("2-3\n")
    assert read_list(tmp_path / "list") == (2, 3)
