from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from simulator.errors import InputError
from simulator.machine.load import load_machine, machine_from_dict
from tests.machine.builders import SQUARE, build, message, table

CORE = "window, core_time_ns, write_extra_ns, jitter_ns, background_window, background_core_time_ns, max_outstanding"
HEADS = "processor, core, sri, crossbar, controller, link, coherence, routing, distances, caches, node"


def link_latencies(overrides: Any, machine: str = SQUARE) -> list[float]:
    return [link.latency_ns for link in load_machine(machine, overrides).links]


def test_a_machine_wide_value():
    assert link_latencies(["link.latency_ns=9"]) == [9.0] * 4


@pytest.mark.parametrize("which", ["1-3", "3-1", "3-1#0"])
def test_one_link_by_its_ends_in_either_order(which: str):
    assert link_latencies([f"link[{which}].latency_ns=9"]) == [7.55, 7.55, 9.0, 7.55]


def test_one_of_parallel_links():
    wanted = table([0, 1], [(0, 1), (0, 1)])
    wanted["links"][0]["carries"], wanted["links"][1]["carries"] = ["response"], ["request", "posted", "probe"]
    machine = machine_from_dict(wanted, ["link[1-0#1].credits.request=7"])
    assert [link.credits.request for link in machine.links] == [3, 7]
    with pytest.raises(
        InputError, match=r"link\[0-1\].latency_ns: names parallel links; allowed: link\[0-1#0\] or link\[0-1#1\]"
    ):
        machine_from_dict(wanted, ["link[0-1].latency_ns=9"])


def test_nested_values_and_nodes():
    machine = load_machine(
        "quartet", ["controller[3].read_ns=9", "node[2].memory_gib=4", "node[1].sri.latency_ns=3", "sri[0].to_crossbar.request=4"]
    )
    shipped = load_machine("quartet").nodes[0].controller.read_ns
    assert [node.controller.read_ns for node in machine.nodes if node.controller] == [shipped, shipped, shipped, 9.0]
    assert [node.memory_gib for node in machine.nodes] == [2.0, 2.0, 4.0, 2.0]
    assert [node.sri.latency_ns for node in machine.nodes] == [2.0, 3.0, 2.0, 2.0]
    assert [node.sri.to_crossbar.request for node in machine.nodes] == [4, 2, 2, 2]


def test_words_and_tables():
    machine = load_machine(SQUARE, ["crossbar.arbitration=response-first", "routing.request = shortest", "core.window=6"])
    assert {node.crossbar.arbitration for node in machine.nodes} == {"response-first"}
    assert (machine.routing.request, machine.core.window) == ("shortest", 6)
    assert load_machine("two-node", ["routing.request=[[0, 1], [0, 1]]"]).routing.request == ((0, 1), (0, 1))


def test_a_mapping_holds_values_themselves():
    machine = load_machine(SQUARE, {"core.window": 6, "crossbar.arbitration": "response-first"})
    assert (machine.core.window, machine.nodes[0].crossbar.arbitration) == (6, "response-first")
    assert message(SQUARE, {"core.window": "6"}).startswith("--set: core.window: must be a whole number (got '6')")


def test_the_file_is_not_changed():
    assert load_machine(SQUARE, ["core.window=6"]).core.window == 6
    assert load_machine(SQUARE).core.window == 5


def test_a_fitted_value_may_leave_its_range():
    assert link_latencies(["link.latency_ns=100"]) == [100.0] * 4


def test_the_source_tells_of_it():
    machine = load_machine(SQUARE, ["core.window=6", "link[0-1].credits.request=4", "controller[0].read_ns=9"])
    assert machine.core.source.endswith("; window overridden")
    assert "; credits.request overridden; constants: " in machine.links[0].source
    assert "overridden" not in machine.links[1].source
    assert machine.nodes[0].controller and machine.nodes[0].controller.source.endswith("; read_ns overridden")
    assert machine.nodes[0].controller.source.startswith("fitted; ")


def test_the_order_of_arguments_does_not_matter():
    overrides = ["link.latency_ns=9", "link[*].latency_ns=8", "link[0-1].latency_ns=7", "core.window=6"]
    machines = [load_machine(SQUARE, order) for order in permutations(overrides)]
    assert all(machine == machines[0] for machine in machines)
    assert [link.latency_ns for link in machines[0].links] == [7.0, 8.0, 8.0, 8.0]


def test_a_machine_wide_value_leaves_links_alone_that_say_it_themselves():
    wanted = table([0, 1, 2], [(0, 1), (1, 2)])
    wanted["links"][0]["latency_ns"] = 5
    assert [link.latency_ns for link in machine_from_dict(wanted, ["link.latency_ns=9"]).links] == [5.0, 9.0]
    assert [link.latency_ns for link in machine_from_dict(wanted, ["link[*].latency_ns=9"]).links] == [9.0, 9.0]


def test_a_machine_wide_value_that_nothing_takes_is_refused():
    wanted = table([0, 1], [(0, 1)])
    wanted["links"][0]["latency_ns"] = 5
    with pytest.raises(InputError) as caught:
        machine_from_dict(wanted, ["link.latency_ns=9"])
    assert str(caught.value) == (
        "--set: link.latency_ns: changes nothing: each link of the file gives this value itself; allowed: link[*].latency_ns"
    )


def test_every_controller_means_those_that_are_there():
    wanted = table([0, 1], [(0, 1)])
    del wanted["nodes"][0]["memory_gib"]
    machine = machine_from_dict(wanted, ["controller[*].read_ns=9"])
    assert [node.controller and node.controller.read_ns for node in machine.nodes] == [None, 9.0]
    with pytest.raises(InputError, match=r"node\[0\].controller: the node has no memory to control"):
        machine_from_dict(wanted, ["controller[0].read_ns=9"])


def test_sparse_node_numbers():
    assert build([0, 8], [(0, 8)], ["node[8].cores=3"]).node(8).cores == 3


BAD = {
    "core.wndow=6": f"core.wndow: there is no wndow here; did you mean window?; allowed: {CORE}",
    "link.latency=3": "link.latency: there is no latency here; the unit is part of the name: latency_ns; allowed: "
    "width_bits, rate_gt_per_s, ",
    "lnk.latency_ns=3": f"lnk.latency_ns: there is no block lnk; did you mean link?; allowed: {HEADS}",
    "name=x": f"name: name cannot be set; allowed: {HEADS}",
    "core.source=x": f"core.source: source cannot be set; allowed: {CORE}",
    "core.fitted.window=[1, 2]": f"core.fitted.window: fitted cannot be set; allowed: {CORE}",
    "node[0].id=3": "node[0].id: id cannot be set; allowed: cores, memory_gib, sri, crossbar, controller",
    "link[0-1].ends=[0, 2]": "link[0-1].ends: ends cannot be set; allowed: width_bits, ",
    "core=6": "core: is a table; set its values one by one; allowed: core.window, core.core_time_ns, ",
    "link.credits=3": "link.credits: is a table; set its values one by one; allowed: link.credits.request, ",
    "link.credits.request.x=3": "link.credits.request.x: link.credits.request is a single value and holds no x",
    "node[0].controller=3": "node[0].controller: is a table; set its values one by one; allowed: node[0].controller.entry_ns, ",
    "core.window={ a = 1 }": "core.window: a table cannot be set; allowed: a single value or a list",
    "link[0-3].latency_ns=9": "link[0-3].latency_ns: there is no link 0-3; allowed: links 0-1, 0-2, 1-3, 2-3",
    "link[0-1#1].latency_ns=9": "link[0-1#1].latency_ns: there is no link 0-1#1; allowed: links 0-1, 0-2, 1-3, 2-3",
    "link[0].latency_ns=9": "link[0].latency_ns: does not name a link; allowed: link[0-1], link[0-1#1] among parallel "
    "links, link[*]",
    "link[].latency_ns=9": "link[].latency_ns: does not name a link; ",
    "controller[9].read_ns=9": "controller[9].read_ns: there is no node 9; allowed: nodes 0, 1, 2, 3",
    "node.memory_gib=4": "node.memory_gib: does not say which node; allowed: node[0].memory_gib, or node[*] for every node",
    "core[0].window=6": "core[0].window: core is the same for the whole machine; allowed: core without [0]",
    "link..latency_ns=3": "link..latency_ns: is no path; allowed: such as link.latency_ns or link[0-1].credits.request",
    "link[0-1=3": "link[0-1: is no path; ",
    "link": "is no override (got 'link'); allowed: PATH=VALUE, such as link.latency_ns=8",
    "link.latency_ns=": "is no override (got 'link.latency_ns='); allowed: PATH=VALUE, ",
    "=3": "is no override (got '=3'); allowed: PATH=VALUE, ",
    "link.latency_ns=8ns": "link.latency_ns: must be a number without a unit: the name says it (got '8ns'); allowed: a "
    "number from 0.001 ",
    "link.latency_ns=fast": "link.latency_ns: must be a number (got 'fast'); allowed: a number from 0.001 to 1000000 (ns)",
    "link.latency_ns=-1": "link.latency_ns: is too small (got -1); allowed: a number from 0.001 to 1000000 (ns)",
    "link.latency_ns=nan": "link.latency_ns: is not a finite number (got nan); allowed: ",
    "crossbar.arbitration=fifo": "crossbar.arbitration: is not one of the choices (got 'fifo'); allowed: \"round-robin\" "
    'or "response-first"',
    "core.window=12": "core.window: a core cannot have so many lines in flight (got 12); allowed: 1 to 8 (core.max_outstanding)",
    "core.window=5\nother=1": "core.window: must be a whole number (got '5\\nother=1'); allowed: a whole number from 1 to 4096",
    "link.credits.request=0": "link.credits.request: the link carries request but has no buffer for it (got 0); allowed: "
    "at least 1",
    "routing.request=[[0, 1]]": "routing.request: has the wrong number of entries (got 1); allowed: 4, one for each of "
    "the nodes 0, 1, 2, 3; ",
    "controller.to_crossbar.probe=0": "controller.to_crossbar.probe: nothing could pass without a buffer here (got 0); "
    "allowed: at least 1",
}


@pytest.mark.parametrize(("override", "expected"), BAD.items(), ids=BAD.keys())
def test_bad_override(override: str, expected: str):
    assert message(SQUARE, [override]).startswith(f"--set: {expected}")


def test_one_text_is_one_override():
    assert load_machine(SQUARE, "core.window=6").core.window == 6


def test_a_value_set_twice_is_refused():
    assert message(SQUARE, ["core.window=6", "core.window=7"]) == "--set: core.window: is set twice"
    twice = ["controller[3].read_ns=5", "node[3].controller.read_ns=6"]
    assert message(SQUARE, twice) == "--set: node[3].controller.read_ns: is set twice, as controller[3].read_ns too"
