from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from simulator import outside
from simulator.machine.load import load_machine
from simulator.machine.schema import machine_json_schema
from simulator.machine.spec import Machine
from tests.machine.builders import table

SCHEMA = machine_json_schema()
FILES = sorted(Path(str(outside.shipped_folder("topologies"))).glob("*.toml"))


def accepts(document: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(SCHEMA).is_valid(document))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shipped_files_match_it(file: Path):
    jsonschema.validate(tomllib.loads(file.read_text()), SCHEMA)


def test_a_whole_file_without_a_parent_matches_it_only_if_complete():
    whole = tomllib.loads((FILES[0].parent / "opteron-k8.toml").read_text())
    assert accepts(whole)
    del whole["core"]
    assert not accepts(whole)
    assert accepts(whole | {"extends": "opteron-k8"})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("link",), {"latency": 8}),
        (("link",), {"latency_ns": "8"}),
        (("link",), {"latency_ns": -1}),
        (("lnk",), {}),
        (("nodes", 0, "cores"), 1.5),
        (("nodes", 0, "id"), -1),
        (("links", 0, "ends"), [0, 1, 2]),
        (("links", 0, "ordinal"), 1),
        (("routing",), {"request": "fastest"}),
        (("crossbar",), {"arbitration": "fifo"}),
        (("core",), {"fitted": {"window": [1, 2, 3]}}),
        (("schema_version",), 2),
    ],
)
def test_what_the_loader_refuses_the_schema_refuses(path: tuple[Any, ...], value: Any):
    good = table([0, 1], [(0, 1)])
    assert accepts(good)
    bad: Any = copy.deepcopy(good)
    here = bad
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    assert not accepts(bad)


def test_fields_of_the_schema_are_those_of_the_specification():
    blocks = {"core": "core", "processor": "processor", "coherence": "coherence"}
    for block, attribute in blocks.items():
        name = SCHEMA["properties"][block]["$ref"].rsplit("/", 1)[1]
        assert list(SCHEMA["$defs"][name]["properties"]) == list(type(getattr(load_machine("quartet"), attribute)).model_fields)


def test_times_and_rates_are_described():
    core = SCHEMA["$defs"]["CoreBlock"]["properties"]
    assert core["window"]["description"] == Machine.model_fields["core"].annotation.model_fields["window"].description  # type: ignore[union-attr]
    assert '"default": null' not in str(SCHEMA)
