"""`import simulator` offers the public names, and costs nothing until one is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import simulator

HEAVY = ("numpy", "scipy", "matplotlib", "networkx", "simpy", "pydantic", "rich")


def test_every_public_name_is_there() -> None:
    for name in simulator.__all__:
        assert getattr(simulator, name) is not None
        assert name in dir(simulator)


def test_lazy_names_are_those_that_type_checkers_see() -> None:
    tree = ast.parse(Path(simulator.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    shown = {
        alias.name: node.module.removeprefix("simulator.")
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }
    assert shown == simulator._homes()
    assert sorted(shown) == sorted(simulator.__all__)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        simulator.nonsense  # noqa: B018


@pytest.mark.parametrize("statement", ["import simulator", "from simulator.cli.main import build_parser; build_parser()"])
def test_nothing_heavy_is_imported(statement: str) -> None:
    code = f"{statement}\nimport sys\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
