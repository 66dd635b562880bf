from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simulator import machine as machine_package
from simulator.machine.load import list_machines, load_machine, machine_from_dict
from simulator.machine.spec import Machine
from tests.machine.builders import BASE, HEADER, SQUARE, build, links_text, nodes_text, table


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_shipped_machines_are_listed_without_their_base():
    assert {"one-node", "quartet", "two-node"} <= set(list_machines())
    assert "opteron-k8" not in list_machines()


@pytest.mark.parametrize("name", list_machines())
def test_shipped_machine_loads_under_its_own_name(name: str):
    assert load_machine(name).name == name


def test_quartet_is_the_square_of_amd_40555():
    quartet = load_machine("quartet")
    assert quartet.node_ids == (0, 1, 2, 3)
    assert [link.ends for link in quartet.links] == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert {node.cores for node in quartet.nodes} == {2}
    assert {link.gb_per_s for link in quartet.links} == {4.0}


def test_every_block_has_a_source():
    quartet = load_machine("quartet")
    blocks = [quartet, quartet.core, quartet.coherence, quartet.processor, quartet.routing, *quartet.links]
    blocks += [part for node in quartet.nodes for part in (node, node.sri, node.crossbar, node.controller)]
    assert all(block.source for block in blocks)


def test_a_name_wins_over_a_file_of_that_name_and_a_path_means_the_file(folder: Path):
    (folder / "quartet").write_text('extends = "quartet"\nname = "other"\n')
    assert load_machine("quartet").name == "quartet"
    assert load_machine("./quartet").name == "other"
    assert load_machine(Path("quartet")).name == "other"


def test_a_byte_order_mark_and_crlf_are_no_matter(folder: Path):
    (folder / "dos.toml").write_bytes(b"\xef\xbb\xbf" + b'extends = "quartet"\r\nname = "dos"\r\n')
    assert load_machine("dos.toml").name == "dos"


def test_child_tables_merge_and_arrays_replace(folder: Path):
    child = '[link]\nsource = "measured"\nlatency_ns = 9\n[link.credits]\nrequest = 4\n[routing]\nrequest = "shortest"\n'
    (folder / "child.toml").write_text(f'extends = "{SQUARE}"\n{child}')
    parent, changed = load_machine(SQUARE), load_machine("child.toml")
    assert {(link.latency_ns, link.credits.request, link.credits.probe) for link in changed.links} == {(9.0, 4, 5)}
    assert changed.links[0].source.endswith("; constants: measured")
    assert changed.routing.request == "shortest"
    assert changed.routing.broadcast == parent.routing.broadcast
    assert changed.nodes == parent.nodes


def test_nodes_of_a_child_replace_those_of_its_parent(folder: Path):
    (folder / "pair.toml").write_text('extends = "two-node"\n' + nodes_text(0, 1))
    assert {node.cores for node in load_machine("pair.toml").nodes} == {1}


def test_a_change_without_a_source_is_told_in_the_source(folder: Path):
    (folder / "child.toml").write_text(f'extends = "{SQUARE}"\n[core]\nwindow = 6\n[link.credits]\nrequest = 4\nprobe = 2\n')
    child = load_machine("child.toml")
    assert child.core.source.endswith("; window set by an extending file without a source")
    assert child.links[0].source.endswith("; credits.probe, credits.request set by an extending file without a source")
    assert child.processor.source == load_machine(SQUARE).processor.source


def test_extends_is_relative_to_the_file_that_says_it(folder: Path):
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "base.toml").write_text(f'extends = "{SQUARE}"\nname = "base"\n')
    (folder / "deep" / "mid.toml").write_text('extends = "../base.toml"\n[core]\nwindow = 6\n')
    (folder / "deep" / "er" / "leaf.toml").write_text('extends = "../mid.toml"\nname = "leaf"\n')
    leaf = load_machine("deep/er/leaf.toml")
    assert (leaf.name, leaf.core.window) == ("leaf", 6)


def test_order_of_entries_in_the_file_does_not_matter():
    def numbers(machine: Machine) -> tuple[object, ...]:
        return machine.node_ids, tuple((link.ends, link.ordinal) for link in machine.links)

    assert numbers(build([3, 0, 8], [(8, 3), (3, 0)])) == numbers(build([0, 3, 8], [(0, 3), (3, 8)]))
    assert build([3, 0, 8], [(8, 3), (3, 0)]) == build([8, 3, 0], [(3, 0), (3, 8)])


def test_a_node_overrides_the_machine_wide_blocks():
    wanted = table([0, 1], [(0, 1)])
    wanted["nodes"][1] |= {
        "controller": {"read_ns": 13, "to_crossbar": {"probe": 2}},
        "crossbar": {"latency_ns": 5, "source": "own"},
    }
    first, second = machine_from_dict(wanted).nodes
    assert first.controller and second.controller
    assert (first.controller.read_ns, second.controller.read_ns) == (11.8, 13.0)
    assert (second.controller.to_crossbar.probe, second.controller.to_crossbar.response) == (2, 8)
    assert second.controller.source.endswith("; read_ns, to_crossbar.probe: test")
    assert (second.crossbar.latency_ns, second.crossbar.source, second.crossbar.arbitration) == (5.0, "own", "round-robin")


def test_a_link_overrides_the_machine_wide_block():
    wanted = table([0, 1, 2], [(0, 1), (1, 2)])
    wanted["links"][1] |= {"rate_gt_per_s": 1.6, "credits": {"response": 8}}
    first, second = machine_from_dict(wanted).links
    assert (first.gb_per_s, second.gb_per_s) == (4.0, 3.2)
    assert (second.credits.response, second.credits.request) == (8, 3)


def test_blocks_may_stand_in_the_entries_alone(folder: Path):
    shared = build([0], [])
    text = HEADER.replace(f'extends = "{BASE}"\n', "schema_version = 1\n") + nodes_text(0)
    for name in ("sri", "crossbar", "controller"):
        text += _toml(f"nodes.{name}", getattr(shared.nodes[0], name))
    for name in ("processor", "core", "coherence", "routing"):
        text += _toml(name, getattr(shared, name))
    (folder / "alone.toml").write_text(text)
    assert load_machine("alone.toml").nodes[0].sri.latency_ns == shared.nodes[0].sri.latency_ns


def _toml(name: str, block: object) -> str:
    values = block.model_dump(mode="json", exclude={"fitted"}, exclude_none=True)  # type: ignore[attr-defined]
    inline = {key: value for key, value in values.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in values.items() if isinstance(value, dict)}
    text = f"[{name}]\n" + "".join(f"{key} = {value!r}\n" for key, value in inline.items())
    return text + "".join(f"{key} = {{ {', '.join(f'{k} = {v}' for k, v in value.items())} }}\n" for key, value in tables.items())


def test_nodes_without_memory_or_cores_and_sparse_numbers():
    wanted = table([0, 8], [(0, 8)])
    del wanted["nodes"][0]["memory_gib"]
    wanted["nodes"][1]["cores"] = 0
    machine = machine_from_dict(wanted)
    assert machine.node(0).controller is None and machine.node(0).memory_gib is None
    assert machine.node(8).controller is not None and machine.node(8).cores == 0
    assert machine.node_ids == (0, 8)


def test_parallel_links_share_out_the_virtual_channels():
    wanted = table([0, 1], [(1, 0), (0, 1)])
    wanted["links"][0]["carries"] = ["response"]
    wanted["links"][1]["carries"] = ["request", "posted", "probe"]
    assert [(link.ends, link.ordinal, len(link.carries)) for link in machine_from_dict(wanted).links] == [
        ((0, 1), 0, 1),
        ((0, 1), 1, 3),
    ]


def test_sixty_four_nodes_load():
    assert len(build(range(64), [(node, node + 1) for node in range(63)]).nodes) == 64


def test_a_machine_survives_its_json():
    quartet = load_machine("quartet")
    assert Machine.model_validate_json(quartet.model_dump_json()) == quartet


def test_an_installed_package_brings_its_machines(tmp_path: Path):
    """As in a wheel: topologies/ inside the package, nothing beside it."""
    package = Path(machine_package.__file__).parents[1]
    shutil.copytree(package, tmp_path / "simulator", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(package.parent / "topologies", tmp_path / "simulator" / "topologies")
    code = "from simulator.machine.load import load_machine as load; import simulator; print(load('quartet').name, simulator)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, env={"PYTHONPATH": "."}
    )
    assert done.stdout.startswith("quartet ") and str(tmp_path) in done.stdout


def test_loading_a_machine_needs_no_heavy_package():
    code = "import sys; from simulator.machine.load import load_machine; load_machine('quartet'); print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(machine_package.__file__).parents[2]
    )
    assert not {"networkx", "numpy", "simpy", "matplotlib"} & set(done.stdout.replace("'", " ").replace(",", " ").split())


def test_links_text_matches_the_file_form(folder: Path):
    (folder / "mine.toml").write_text(HEADER + nodes_text(0, 1) + links_text((1, 0)) + "latency_ns = 5\n")
    assert load_machine("mine.toml").links[0].latency_ns == 5.0
