"""What README shows is what the program prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from simulator.cli.main import main

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
SAMPLES = re.findall(r"```\n\$ (numasim [^\n]+)\n(.*?)\n```", README, flags=re.DOTALL)


def test_there_are_samples() -> None:
    assert SAMPLES


@pytest.mark.parametrize(("command", "shown"), SAMPLES)
def test_sample(command: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The lines shown come first; ``...`` stands for the rest."""
    assert main(shlex.split(command)[1:]) == 0
    printed = capsys.readouterr().out.splitlines()
    lines = shown.removesuffix("\n...").splitlines()
    assert printed[: len(lines)] == lines


def test_the_python_example() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)
    assert "result" in names
