"""docs/advise.md shows what the program prints, and names every option."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.cli.main import build_parser, main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "advise.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_sample(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    ((command, shown),) = re.findall(r"```\n\$ numasim ([^\n]+)\n(.*?)\n```", PAGE, re.DOTALL)
    assert main(command.split()) == 0
    assert capsys.readouterr().out == shown + "\n"


@pytest.mark.slow
def test_the_python_example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(example, "advise.md", "exec"), {})
    assert "numactl --cpunodebind=0 --localalloc ./worker" in capsys.readouterr().out


def test_every_option_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["advise", "--help"])
    options = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help", "--output"}
    assert sorted(option for option in options if f"{option}" not in PAGE) == []
