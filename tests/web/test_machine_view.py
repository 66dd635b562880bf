"""The data that a machine is drawn from: everything is there once, inside the sheet, and nothing on top of another."""

from __future__ import annotations

import itertools
import json

import pytest

from simulator.errors import InputError
from simulator.machine.load import list_machines, load_machine
from simulator.machine.routing import link_key
from simulator.measure.accuracy import Accuracy
from simulator.measure.run import run
from simulator.web import machine_view as module
from simulator.web.machine_view import label_view, machine_view
from simulator.workload import Workload


@pytest.mark.parametrize("name", list_machines())
def test_every_node_and_direction_is_there_inside_the_sheet(name: str) -> None:
    machine = load_machine(name)
    view = machine_view(machine)
    assert [node["id"] for node in view["nodes"]] == list(machine.node_ids)
    assert {link["key"] for link in view["links"]} == {
        link_key(machine, link, end) for link in machine.links for end in link.ends
    }
    assert len(view["links"]) == 2 * len(machine.links)
    for link in view["links"]:
        assert f"{link['from']}->{link['to']}" == link["key"].split("#")[0]
        for x, y in ((link["x1"], link["y1"]), (link["x2"], link["y2"]), (link["label_x"], link["label_y"])):
            assert 0 <= x <= view["width"] and 0 <= y <= view["height"]
    json.dumps(view, allow_nan=False)


@pytest.mark.parametrize("name", list_machines())
def test_links_begin_and_end_beside_their_nodes_not_in_any(name: str) -> None:
    view = machine_view(load_machine(name))
    places = {node["id"]: (node["x"], node["y"]) for node in view["nodes"]}
    half = view["box"]["width"] / 2, view["box"]["height"] / 2
    for one, other in itertools.combinations(places.values(), 2):
        assert abs(one[0] - other[0]) >= 2 * half[0] or abs(one[1] - other[1]) >= 2 * half[1]
    for link in view["links"]:
        for x, y, node in ((link["x1"], link["y1"], link["from"]), (link["x2"], link["y2"], link["to"])):
            away = [max(abs(x - place[0]) - half[0], abs(y - place[1]) - half[1]) for place in places.values()]
            assert min(away) > 0 and away.index(min(away)) == list(places).index(node)


def test_loads_and_threads_are_those_of_the_result() -> None:
    machine = load_machine("quartet")
    workload = Workload.from_labels(["0.0.w.1", "1.0.w.0"], background={"2.1.r.2": 1.0})
    result = run(machine, workload, Accuracy(lines=500, warmup=50))
    view = machine_view(machine, result)
    assert {link["key"]: link["load"]["utilization"] for link in view["links"]} == {
        key: link.utilization for key, link in result.links.items()
    }
    assert [node["load"]["gb_per_s"] for node in view["nodes"]] == [load.gb_per_s for load in result.controllers.values()]
    found = [
        (thread["node"], thread["core"], thread["access"], thread["memory"], thread["background"]) for thread in view["threads"]
    ]
    assert found == [(0, 0, "w", "1", False), (1, 0, "w", "0", False), (2, 1, "r", "2", True)]
    bare = machine_view(machine)
    assert all(part["load"] is None for part in (*bare["nodes"], *bare["links"])) and bare["threads"] == []


def test_y_grows_downwards_as_on_a_screen() -> None:
    places = {node["id"]: node["y"] for node in machine_view(load_machine("quartet"))["nodes"]}
    assert places[0] == places[1] < places[2] == places[3]


def test_labels() -> None:
    assert label_view("1.0.*.*") == {"node": 1, "core": 0, "access": "*", "memory": "*"}
    for wrong in ("0.0.x.1", "0.0.w", "<b>.0.r.1", "0.0.r.1.2"):
        with pytest.raises(InputError, match="not a thread label"):
            label_view(wrong)


def test_too_many_nodes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_NODES", 3)
    with pytest.raises(InputError, match="too many nodes"):
        machine_view(load_machine("quartet"))
