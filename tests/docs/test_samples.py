"""What the pages for newcomers show is what the program prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from docs.generate.pages import DOCS
from simulator.cli.main import main

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _samples(text: str) -> list[tuple[str, str]]:
    """Return each command of a block with the output shown below it."""
    parts = re.split(r"^\$ (numasim .*)\n", text, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def _is_shown(printed: list[str], shown: list[str]) -> bool:
    """Whether the lines shown are those printed, ``...`` standing for any others; where that is the last, they come first."""
    chunks = [chunk.splitlines() for chunk in re.split(r"^\.\.\.$\n?", "\n".join(shown), flags=re.MULTILINE)]
    at = 0
    for number, chunk in enumerate(chunks):
        lines = [line for line in chunk if line] if number else chunk
        last = at if number == 0 else len(printed)
        start = next((place for place in range(at, last + 1) if printed[place : place + len(lines)] == lines), None)
        if start is None:
            return False
        at = start + len(lines)
    return bool(len(chunks) > 1) or at == len(printed)


@pytest.mark.parametrize("name", ["index.md", "tour.md", "add-a-machine.md"])
def test_samples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Files of the page are written where it shows them; its commands follow one another."""
    monkeypatch.chdir(tmp_path)
    done = 0
    for language, text in BLOCK.findall((DOCS / name).read_text(encoding="utf-8")):
        if language == "toml":
            Path(re.match(r"# (\S+)\n", text)[1]).write_text(text, encoding="utf-8")  # type: ignore[index]
        for command, shown in _samples(text) if not language else ():
            capsys.readouterr()
            main(shlex.split(command)[1:])
            out, err = capsys.readouterr()
            assert _is_shown((out or err if shown.strip() else "").splitlines(), shown.splitlines()), f"{command}\n{out}{err}"
            done += 1
    assert done


def test_a_sample_that_is_wrong_is_found() -> None:
    printed = ["a", "b", "", "c", "d"]
    assert _is_shown(printed, ["a", "..."])
    assert _is_shown(printed, ["a", "b", "...", "c", "..."])
    assert _is_shown(printed, ["...", "c", "d"])
    assert _is_shown(printed, printed)
    assert not _is_shown(printed, ["a", "b"])
    assert not _is_shown(printed, ["b", "..."])
    assert not _is_shown(printed, ["...", "d", "...", "c", "..."])
    assert not _is_shown(printed, ["...", "x", "..."])
