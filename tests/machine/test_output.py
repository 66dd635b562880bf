from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.cli.output import write_text
from simulator.errors import InputError

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("target", ["-", None])
def test_stdout(capsys: pytest.CaptureFixture[str], target: str | None):
    write_text(target, "grün\n")
    assert capsys.readouterr().out == "grün\n"


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path):
    (tmp_path / "a.txt").write_text("old")
    write_text(tmp_path / "a.txt", "grün\n")
    write_text(str(tmp_path / "b.txt"), "new")
    assert (tmp_path / "a.txt").read_bytes() == "grün\n".encode()
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]


def test_a_link_stays_a_link(tmp_path: Path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_device_stays_a_device():
    write_text("/dev/null", "text")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_what_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").write_text("kept")
    for target, reason in (
        (tmp_path, "is a directory"),
        (tmp_path / "no" / "such", "no such file or directory"),
        (tmp_path / "file" / "below", "not a directory"),
        (Path("/dev/full"), "no space left on device"),
    ):
        with pytest.raises(InputError) as caught:
            write_text(target, "text")
        assert str(caught.value) == f"{target}: cannot be written: {reason}; allowed: a writable place"
    with pytest.raises(InputError, match="cannot be written: "):
        write_text("a\0b", "text")
    with pytest.raises(InputError, match="cannot be written: file name too long"):
        write_text(tmp_path / ("x" * 5000), "text")
    assert os.listdir(tmp_path) == ["file"]


def _run(code: str, stdout: int, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    return subprocess.run(
        [sys.executable, "-c", code], stdout=stdout, stderr=subprocess.PIPE, env=environment, text=True, check=False
    )


def test_a_full_stdout_is_an_error_and_one_that_nobody_reads_is_told_apart():
    code = "from simulator.cli.output import write_text; write_text('-', 'x' * 100000)"
    with open("/dev/full", "w") as full:
        assert "InputError: standard output: cannot be written: no space left on device" in _run(code, full.fileno()).stderr
    reader, writer = os.pipe()
    os.close(reader)
    assert "\nBrokenPipeError: " in _run(code, writer).stderr
    os.close(writer)


def test_a_stdout_without_the_letters_does_not_break():
    done = _run(
        "from simulator.cli.output import write_text; write_text('-', 'gr\\u00fcn')",
        subprocess.PIPE,
        {"PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stdout) == (0, "grün")
