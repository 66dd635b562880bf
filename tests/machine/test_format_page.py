"""docs/topology-format.md names every field, and its example loads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.machine.load import load_machine
from simulator.machine.schema import machine_json_schema

PAGE = (Path(__file__).parents[2] / "docs" / "topology-format.md").read_text()


@pytest.mark.parametrize("block", sorted(machine_json_schema()["$defs"]))
def test_every_field_is_named(block: str):
    fields = set(machine_json_schema()["$defs"][block]["properties"]) - {"fitted", "source"}
    assert not {field for field in fields if f"`{field}`" not in PAGE and f"`{field} =" not in PAGE}


def test_the_example_loads(tmp_path: Path):
    example = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0]
    (tmp_path / "my-pair.toml").write_text(example)
    machine = load_machine(tmp_path / "my-pair.toml", ["core.window=6"])
    assert (machine.name, machine.links[0].gb_per_s, machine.core.window) == ("my-pair", 3.2, 6)
