"""A machine read back from provenance is the one that was run, and is held to all that a file is held to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from simulator.errors import InputError
from simulator.machine.load import list_machines, load_machine
from simulator.machine.read import MAX_NODES
from simulator.machine.resolve import restore


def _dumped(name: str) -> dict[str, Any]:
    table: dict[str, Any] = json.loads(load_machine(name).model_dump_json())
    return table


@pytest.mark.parametrize("name", list_machines())
def test_every_machine_comes_back(name: str) -> None:
    assert restore(_dumped(name), "run.json") == load_machine(name)


def test_settings_come_back() -> None:
    machine = load_machine("quartet", ["link[0-1].rate_gt_per_s=2.4", "controller.read_ns=20"])
    assert restore(json.loads(machine.model_dump_json()), "run.json") == machine


def test_what_is_no_machine_is_refused() -> None:
    def refused(table: dict[str, Any], words: str) -> None:
        with pytest.raises(InputError, match=words) as error:
            restore(table, "run.json")
        assert error.value.file == "run.json"

    refused({}, "provenance.machine.source")
    table = _dumped("quartet")
    table["links"][0]["ends"] = [0, 9]
    refused(table, "node 9, which is not there")
    table = _dumped("quartet")
    table["nodes"] *= 2
    refused(table, "two nodes have this number")
    table = _dumped("quartet")
    table["links"] = table["links"][:1]
    refused(table, "no way leads from node")
    table = _dumped("quartet")
    table["links"][0]["credits"]["request"] = 0
    refused(table, "has no buffer for it")
    table = _dumped("quartet")
    table["nodes"] *= MAX_NODES
    refused(table, "too many nodes")
