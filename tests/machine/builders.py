"""Machine files in a line or two, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from simulator.errors import InputError
from simulator.machine.load import load_machine, machine_from_dict
from simulator.machine.spec import Machine

DATA = Path(__file__).parent / "data"
BASE = str(DATA / "base.toml")  # constants without nodes, frozen: shipped files may be calibrated anew
SQUARE = str(DATA / "square.toml")  # the quartet on them
HEADER = f'extends = "{BASE}"\nname = "mine"\ntitle = "a test"\nsource = "test"\n'


def table(nodes: Iterable[int], links: Iterable[Sequence[int]], **blocks: Any) -> dict[str, Any]:
    """Return a machine file's table with the constants of `BASE`: one core and 1 GiB a node."""
    return {
        "extends": BASE,
        "name": "mine",
        "title": "a test",
        "source": "test",
        "nodes": [{"id": node, "cores": 1, "memory_gib": 1, "source": "test"} for node in nodes],
        "links": [{"ends": list(ends), "source": "test"} for ends in links],
        **blocks,
    }


def build(nodes: Iterable[int], links: Iterable[Sequence[int]], overrides: Sequence[str] = (), **blocks: Any) -> Machine:
    """Load the machine of :func:`table`."""
    return machine_from_dict(table(nodes, links, **blocks), overrides)


def ring(size: int) -> Machine:
    """Return a ring."""
    return build(range(size), [(node, (node + 1) % size) for node in range(size)])


def nodes_text(*ids: int) -> str:
    """Return [[nodes]] entries."""
    return "".join(f'[[nodes]]\nid = {node}\ncores = 1\nmemory_gib = 1\nsource = "test"\n' for node in ids)


def links_text(*links: Sequence[int]) -> str:
    """Return [[links]] entries; keys may follow, they belong to the last one."""
    return "".join(f'[[links]]\nends = {list(ends)}\nsource = "test"\n' for ends in links)


def message(name_or_path: Any, overrides: Any = ()) -> str:
    """Return what a machine that cannot be loaded is refused with: one line."""
    with pytest.raises(InputError) as caught:
        load_machine(name_or_path, overrides)
    text = str(caught.value)
    assert "\n" not in text
    return text
