"""Files are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.files import check_writable, writable_folder, write_bytes, write_text


def test_writes_and_replaces(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "one")
    write_text(target, "two\u00b5")
    assert target.read_text(encoding="utf-8") == "two\u00b5"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "old")

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="a.txt: cannot be written: no space left on device"):
        write_bytes(target, b"new")
    assert target.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_unwritable_places(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "no" / "where", tmp_path / "file" / "below", tmp_path, tmp_path / "nul\0byte"):
        with pytest.raises(InputError, match="cannot be written"):
            check_writable(path)
    with pytest.raises(InputError, match="cannot be written: not a directory"):
        writable_folder(tmp_path / "file" / "below")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_folder_is_made(tmp_path: Path) -> None:
    assert writable_folder(tmp_path / "a" / "b").is_dir()
    assert not list((tmp_path / "a" / "b").iterdir())
