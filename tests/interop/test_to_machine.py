"""A record becomes a machine whose hops sort the pairs of nodes as its distances do; what is not told is a guess that says so."""

from __future__ import annotations

import tomllib
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simulator.errors import InputError
from simulator.interop.chosen_links import ChosenLinks, parse_links
from simulator.interop.formats import read_record, read_text
from simulator.interop.hop_classes import links_told
from simulator.interop.import_report import import_report
from simulator.interop.machine_text import machine_name
from simulator.interop.physical_cores import cores_told, live_cores, live_cpus
from simulator.interop.record import Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import read_source
from simulator.interop.to_machine import ImportedMachine, Origin, machine_of
from simulator.machine.load import load_machine, machine_from_dict
from simulator.machine.routing import shortest_distances
from simulator.machine.spec import Machine
from simulator.machine.topology import hops, shortest_hops
from tests.interop.test_numactl import OPTERON

FIXTURES = Path(__file__).parent / "fixtures"
ORIGIN = Origin("some/where.txt", "where.txt")
NODES = 1  # memory of each node of `_nodes`, GiB
Rows = tuple[tuple[float | None, ...], ...]


def _nodes(ids: tuple[int, ...]) -> tuple[NodeRecord, ...]:
    return tuple(NodeRecord(node, (2 * place, 2 * place + 1), 1024.0 * NODES) for place, node in enumerate(ids))


def _record(rows: Rows, ids: tuple[int, ...] | None = None, nodes: tuple[NodeRecord, ...] | None = None) -> Record:
    ids = ids or tuple(range(len(rows)))
    return Record("numactl", nodes or _nodes(ids), (Matrix(Kind.DISTANCE, Unit.SLIT, ids, ids, rows, "node distances"),))


def _loaded(imported: ImportedMachine) -> Machine:
    return machine_from_dict(tomllib.loads(imported.text))


def _error(record: Record, links: ChosenLinks | None = None, merge: bool = False) -> str:
    with pytest.raises(InputError) as caught:
        import_report(machine_of(record, ORIGIN, links, merge), ORIGIN)
    return str(caught.value)


def _classes(machine: Machine, rows: Rows) -> dict[int, set[float | None]]:
    """Return the distances that stand at each number of hops."""
    found: dict[int, set[float | None]] = {}
    for hop_row, row in zip(hops(machine), rows, strict=True):
        for hop, value in zip(hop_row, row, strict=True):
            found.setdefault(hop, set()).add(value)
    return found


@pytest.mark.parametrize("name", ["numactl-opteron-8.txt", "sysfs-opteron-8.txt"])
def test_eight_opteron_dies(name: str, tmp_path: Path) -> None:
    imported = machine_of(read_record(FIXTURES / name), Origin(name, name))
    (tmp_path / "m.toml").write_text(imported.text)
    machine = load_machine(tmp_path / "m.toml")
    assert machine.distances is not None
    assert _classes(machine, machine.distances.matrix) == {0: {10}, 1: {16}, 2: {22}}
    assert imported.reproduces_distances
    assert len(machine.links) == sum(value == 16 for row in machine.distances.matrix for value in row) / 2
    told = f"{name} ({imported.record.format}); guess: distance 16, the smallest between nodes, is taken as one link"
    assert all(link.source.startswith(told) for link in machine.links)


def test_the_matrix_of_the_file_is_kept() -> None:
    machine = _loaded(machine_of(read_record(FIXTURES / "numactl-opteron-8.txt"), ORIGIN))
    assert machine.distances is not None
    assert machine.distances.matrix == OPTERON
    assert hops(machine) == tuple(tuple((value - 10) // 6 for value in row) for row in OPTERON)


@st.composite
def _graphs(draw: st.DrawFn) -> tuple[tuple[int, ...], set[tuple[int, int]]]:
    """Connected graphs: a random tree, and some more links; the nodes have any numbers."""
    size = draw(st.integers(2, 16))
    ids = tuple(sorted(draw(st.sets(st.integers(0, 200), min_size=size, max_size=size))))
    links = {(ids[draw(st.integers(0, place - 1))], ids[place]) for place in range(1, size)}
    links |= draw(st.sets(st.sampled_from(list(combinations(ids, 2))), max_size=2 * size))
    return ids, links


def _hop_rows(ids: tuple[int, ...], links: set[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    near = {node: [a if b == node else b for a, b in links if node in (a, b)] for node in ids}
    return tuple(tuple(shortest_distances(near, start)[end] for end in ids) for start in ids)


@given(_graphs(), st.integers(1, 15))
def test_any_graph_comes_back_from_its_distances(graph: tuple[tuple[int, ...], set[tuple[int, int]]], step: int) -> None:
    ids, links = graph
    rows = _hop_rows(ids, links)
    assume(len(ids) == 2 or max(map(max, rows)) > 1)  # a full mesh has one distance only: see below
    imported = machine_of(_record(tuple(tuple(10.0 + step * hop for hop in row) for row in rows), ids), ORIGIN)
    machine = _loaded(imported)
    assert {link.ends for link in machine.links} == links
    assert shortest_hops(machine) == hops(machine) == rows
    assert machine.node_ids == ids
    # 20 between two nodes is what Linux fills in
    assert imported.reproduces_distances is (None if {value for row in rows for value in row} == {0, 1} and step == 10 else True)


@given(_graphs(), st.data())
def test_distances_of_no_graph_are_refused(graph: tuple[tuple[int, ...], set[tuple[int, int]]], data: st.DataObject) -> None:
    """One pair that is two hops apart is put three apart, or one of three at two: no links have such distances."""
    ids, links = graph
    rows = [[10.0 + 6 * hop for hop in row] for row in _hop_rows(ids, links)]
    far = [(a, b) for a, b in combinations(range(len(ids)), 2) if rows[a][b] >= 22]
    assume(len({value for row in rows for value in row if value >= 22}) >= 2)
    a, b = data.draw(st.sampled_from(far))
    rows[a][b] = rows[b][a] = 28.0 if rows[a][b] == 22 else 22.0
    told = links_told(_record(tuple(map(tuple, rows)), ids).matrices[0], ids)
    assert told.links is None
    assert f"{ids[a]}-{ids[b]} at {rows[a][b]:g}" in told.reason


@pytest.mark.parametrize("distance", [20.0, 255.0])
def test_one_distance_between_all_tells_nothing(distance: float) -> None:
    rows = tuple(tuple(10.0 if a == b else distance for b in range(4)) for a in range(4))
    message = _error(_record(rows))
    assert message.startswith("some/where.txt: does not tell which nodes are linked: ")
    assert "with --links: pairs of nodes such as 0-1" in message
    full = machine_of(_record(rows), ORIGIN, "full")
    assert len(_loaded(full).links) == 6
    assert "links" not in {guess.about for guess in full.guesses}
    square = machine_of(_record(rows), ORIGIN, parse_links("0-1,0-2,1-3,2-3"))
    assert [link.ends for link in _loaded(square).links] == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert square.warnings == ()  # such a table tells nothing that the links could contradict
    assert _loaded(square).links[0].source.startswith("given with --links; ")


def test_one_distance_that_firmware_chose_is_a_full_mesh_and_a_guess() -> None:
    rows = tuple(tuple(10.0 if a == b else 16.0 for b in range(4)) for a in range(4))
    mesh = machine_of(_record(rows), ORIGIN)
    assert len(_loaded(mesh).links) == 6
    assert "links" in {guess.about for guess in mesh.guesses}
    assert mesh.warnings == (
        "all nodes are equally far: a full mesh, or firmware that does not count hops; --links says otherwise",
    )
    assert all("guess: distance 16 between all nodes is taken as one link each" in link.source for link in _loaded(mesh).links)
    square = machine_of(_record(rows), ORIGIN, parse_links("0-1,0-2,1-3,2-3"))
    assert square.warnings == (
        "the links of --links do not give the hops that the distances stand for: "
        "0-3 at 16 would be 2 hops, not 1; 1-2 at 16 would be 2 hops, not 1",
    )
    assert square.reproduces_distances is False
    assert machine_of(_record(rows), ORIGIN, "full").warnings == ()


def test_a_first_class_that_leaves_nodes_apart_is_refused_with_the_groups() -> None:
    rows = ((10, 11, 21, 21), (11, 10, 21, 21), (21, 21, 10, 11), (21, 21, 11, 10))
    assert "pairs at distance 11, the smallest, leave nodes apart: 0,1 | 2,3;" in _error(_record(rows))


def test_a_class_of_two_hop_counts_is_refused_with_the_pair() -> None:
    rows = ((10, 16, 22, 22), (16, 10, 16, 22), (22, 16, 10, 16), (22, 22, 16, 10))
    assert "as links: 0-3 at 22 would be 3 hops, not 2;" in _error(_record(rows))


def test_classes_in_the_wrong_order_are_refused() -> None:
    rows = ((10, 16, 28, 22), (16, 10, 16, 28), (28, 16, 10, 16), (22, 28, 16, 10))
    assert "0-2 at 28 would be 2 hops, not 3; 0-3 at 22 would be 3 hops, not 2;" in _error(_record(rows))


def test_directions_that_differ_are_refused() -> None:
    assert "distances differ by direction: 0->1 16 and 1->0 18;" in _error(_record(((10, 16, 22), (18, 10, 16), (22, 16, 10))))


def test_a_distance_that_is_not_there_is_refused() -> None:
    assert "distances are unknown: 0-2;" in _error(_record(((10, 16, None), (16, 10, 16), (None, 16, 10))))


def test_unreachable_is_no_link() -> None:
    line = ((10, 16, 255), (16, 10, 16), (255, 16, 10))
    imported = machine_of(_record(line), ORIGIN)
    assert [link.ends for link in _loaded(imported).links] == [(0, 1), (1, 2)]
    assert "pairs at distance 255 (unreachable) get no link, but the model lets packets pass: 0-2" in imported.warnings
    assert imported.reproduces_distances is False


def test_unreachable_one_way_only_counts_the_other() -> None:
    rows = ((10, 16, 22), (16, 10, 16), (255, 255, 10))
    nodes = (*_nodes((0, 1)), NodeRecord(2, (), 4096.0))
    machine = _loaded(machine_of(_record(rows, nodes=nodes), ORIGIN))
    assert [link.ends for link in machine.links] == [(0, 1), (1, 2)]
    assert [(node.cores, node.memory_gib) for node in machine.nodes] == [(2, 1.0), (2, 1.0), (0, 4.0)]


def test_two_nodes_have_a_link_whatever_the_distance() -> None:
    for rows in (((10, 20), (20, 10)), ((10, 40), (40, 10)), ((10, 21), (31, 10))):
        imported = machine_of(_record(rows, (0, 8)), ORIGIN)
        assert [link.ends for link in _loaded(imported).links] == [(0, 8)]
        assert [guess.text for guess in imported.guesses if guess.about == "links"] == [
            "two nodes are taken as joined by one link"
        ]
        assert _loaded(imported).links[0].source.startswith("guess: two nodes are taken as joined by one link")
    assert "no node reaches another" in _error(_record(((10, 255), (255, 10))))


def test_one_node_has_no_link() -> None:
    imported = machine_of(_record(((10,),), (3,)), ORIGIN)
    machine = _loaded(imported)
    assert (machine.node_ids, machine.links) == ((3,), ())
    assert {guess.about for guess in imported.guesses} == {"cores", "constants"}


def test_links_of_the_user_against_the_distances_are_warned_of() -> None:
    rows = ((10, 16, 22), (16, 10, 16), (22, 16, 10))
    imported = machine_of(_record(rows), ORIGIN, ((0, 1), (0, 2)))
    assert imported.warnings == (
        "the links of --links do not give the hops that the distances stand for: "
        "0-2 at 22 would be 1 hop, not 2; 1-2 at 16 would be 2 hops, not 1",
    )
    assert imported.reproduces_distances is False
    assert machine_of(_record(rows), ORIGIN, ((0, 1), (1, 2))).reproduces_distances


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "--links: is no list of links (got ''); allowed: pairs of nodes such as"),
        ("0-1,", "--links: is no list of links (got '')"),
        ("0:1", "--links: is no list of links (got '0:1')"),
        ("0-70000", "--links: is no list of links (got '0-70000')"),
        ("2-2", "--links: has a link from a node to itself (got '2-2')"),
        ("0-1,1-0", "--links: has a link twice (got '1-0'); allowed: each once; parallel links are written in"),
        ("0-1," * 20_000, "--links: is too long"),
    ],
)
def test_lists_of_links_that_are_none(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_links(text)
    assert str(caught.value).startswith(message)


def test_links_must_fit_the_nodes() -> None:
    assert parse_links(" 3-1, 0-1 ") == ((0, 1), (1, 3))
    record = Record("numactl", _nodes((0, 1, 4)))
    assert "--links: has a link to node 2, which is not there (got '1-2'); allowed: nodes 0, 1, 4" in _error(record, ((1, 2),))
    assert "--links: leaves nodes apart: 0,1 | 4; allowed: links that join all of the nodes 0, 1, 4" in _error(record, ((0, 1),))
    assert "which is not there" in _error(record, ((0, 1), (1, 4)), merge=True)


def test_nodes_that_share_cpus_are_refused_or_merged() -> None:
    record = read_record(FIXTURES / "numactl-fake.txt")
    assert "has no nodes to tell apart: the nodes list the same CPUs: fake NUMA, or several kinds of memory" in _error(record)
    imported = machine_of(record, ORIGIN, merge=True)
    machine = _loaded(imported)
    (node,) = machine.nodes
    assert record.nodes is not None
    assert node.cores == len(set(record.nodes[0].cpus or ()))
    assert node.memory_gib == pytest.approx(sum(other.memory_mib or 0 for other in record.nodes) / 1024, abs=1e-5)
    assert (machine.links, machine.distances) == ((), None)
    assert [guess.about for guess in imported.guesses][0] == "nodes"


def test_all_at_10_and_interleaved_nodes_are_refused() -> None:
    tens = ((10.0, 10.0), (10.0, 10.0))
    assert "as near to each other as to themselves" in _error(_record(tens))
    assert "local and remote latency are the same" in _error(read_record(FIXTURES / "mlc-interleaved.txt"))


def test_what_is_unknown_is_guessed_and_says_so() -> None:
    record = Record("numactl", (NodeRecord(0), NodeRecord(1, (), None), NodeRecord(2, (0, 1), 0.0)))
    imported = machine_of(record, ORIGIN, ((0, 1), (1, 2)))
    assert [(guess.about, guess.text) for guess in imported.guesses] == [
        ("cores", "node 0: cores unknown, taken as 1"),
        ("memory", "nodes 0-1: memory unknown, taken as 1 GiB"),
        ("cores", "node 2: each CPU taken as a core; which hardware threads share one is unknown"),
        ("constants", "taken from opteron-k8; no tool tells those of this machine"),
    ]
    machine = _loaded(imported)
    assert [(node.cores, node.memory_gib) for node in machine.nodes] == [(1, 1.0), (0, 1.0), (2, None)]
    assert machine.nodes[0].source == (
        "where.txt (numactl); guess: cores unknown, taken as 1; guess: memory unknown, taken as 1 GiB"
    )
    for block in (machine.processor, machine.core, machine.coherence, machine.routing, machine.nodes[0].sri):
        assert block.source == "guess: taken from opteron-k8; no tool tells those of this machine"
    assert all("guess: taken from opteron-k8" in link.source for link in machine.links)
    assert imported.text.count("guess") > 4
    for guess in imported.guesses:
        assert f"# guess, {guess.about}: {guess.text}\n" in imported.text


@pytest.mark.parametrize(
    ("title", "k8"),
    [
        ("AMD Opteron(tm) Processor 250", True),
        ("Dual Core AMD Opteron(tm) Processor 875", True),
        ("Dual-Core AMD Opteron(tm) Processor 8218", True),
        ("Quad-Core AMD Opteron(tm) Processor 8356", False),
        ("AMD Opteron(tm) Processor 6174", False),
        ("AMD Opteron(tm) Processor 4184", False),
        ("AMD EPYC 7551", False),
    ],
)
def test_constants_are_no_guess_for_a_k8(title: str, k8: bool) -> None:
    imported = machine_of(Record("hwloc-xml", _nodes((0,)), title=title), ORIGIN)
    assert ("constants" in {guess.about for guess in imported.guesses}) is not k8
    assert ("guess" in _loaded(imported).core.source) is not k8


def test_nodes_with_nothing_are_left_out_unless_a_link_names_them() -> None:
    nodes = (NodeRecord(0, (), 0.0), *_nodes((3, 4)))
    record = _record(((10, 20, 20), (20, 10, 20), (20, 20, 10)), (0, 3, 4), nodes)
    imported = machine_of(record, ORIGIN)
    machine = _loaded(imported)
    assert machine.node_ids == (3, 4)
    assert machine.distances is not None and machine.distances.matrix == ((10, 20), (20, 10))
    assert imported.guesses[0].text == "node 0 left out: neither CPUs nor memory"
    assert _loaded(machine_of(record, ORIGIN, ((0, 3), (0, 4)))).node_ids == (0, 3, 4)


def _with_empty(ids: tuple[int, ...], empty: tuple[int, ...]) -> tuple[NodeRecord, ...]:
    return tuple(NodeRecord(node.id, (), 0.0) if node.id in empty else node for node in _nodes(ids))


CHAIN = ((10, 16, 22), (16, 10, 16), (22, 16, 10))
RING = ((10, 16, 16, 22), (16, 10, 22, 16), (16, 22, 10, 16), (22, 16, 16, 10))
MESH = ((10, 16, 16), (16, 10, 16), (16, 16, 10))
LONG = ((10, 16, 22, 28), (16, 10, 16, 22), (22, 16, 10, 16), (28, 22, 16, 10))
EMPTY = "neither CPUs nor memory"


@pytest.mark.parametrize(
    ("rows", "empty", "ids", "links", "texts"),
    [
        (
            CHAIN,
            (1,),
            (0, 1, 2),
            [(0, 1), (1, 2)],
            [f"node 1 kept, though it has {EMPTY}: by the distances others are linked over it"],
        ),
        (CHAIN, (0,), (1, 2), [(1, 2)], [f"node 0 left out: {EMPTY}"]),
        (RING, (1,), (0, 2, 3), [(0, 2), (2, 3)], [f"node 1 left out: {EMPTY}"]),  # 0 and 3 are two hops apart over 2 as well
        (RING, (1, 2), (0, 2, 3), [(0, 2), (2, 3)], [f"node 1 left out: {EMPTY}", f"node 2 kept, though it has {EMPTY}"]),
        (MESH, (1,), (0, 2), [(0, 2)], [f"node 1 left out: {EMPTY}"]),
        (LONG, (1, 2), (0, 1, 2, 3), [(0, 1), (1, 2), (2, 3)], [f"nodes 1-2 kept, though they have {EMPTY}"]),
    ],
)
def test_an_empty_node_on_the_way_between_others_is_kept(
    rows: Rows, empty: tuple[int, ...], ids: tuple[int, ...], links: list[tuple[int, int]], texts: list[str]
) -> None:
    imported = machine_of(_record(rows, nodes=_with_empty(tuple(range(len(rows))), empty)), ORIGIN)
    machine = _loaded(imported)
    assert machine.node_ids == ids
    assert [link.ends for link in machine.links] == links
    found = [guess.text for guess in imported.guesses if guess.about == "nodes"]
    assert len(found) == len(texts) and all(text.startswith(start) for text, start in zip(found, texts, strict=True))
    places = [range(len(rows))[node] for node in ids]
    near = {(a, b): int(rows[a][b] or 0) for a in places for b in places}
    assert {
        (a, b): 10 + 6 * hop for a, line in zip(ids, hops(machine), strict=True) for b, hop in zip(ids, line, strict=True)
    } == near


def test_links_of_the_user_say_which_empty_nodes_there_are() -> None:
    record = _record(CHAIN, nodes=_with_empty((0, 1, 2), (1,)))
    assert _loaded(machine_of(record, ORIGIN, ((0, 2),))).node_ids == (0, 2)
    assert _loaded(machine_of(record, ORIGIN, ((0, 1), (1, 2)))).node_ids == (0, 1, 2)


def test_what_tells_no_nodes_is_refused() -> None:
    record = read_text(read_source(FIXTURES / "lat-mem-rd.txt"))
    assert "some/where.txt: tells nothing of nodes; " in _error(record)
    assert "no NUMA" in _error(Record("numactl", warnings=("no NUMA available",)))
    assert "has neither CPUs nor memory in any node" in _error(Record("numactl", (NodeRecord(0, (), 0.0),)))


def test_a_machine_nobody_runs_on_is_refused() -> None:
    assert "no node has a core" in _error(Record("numactl", (NodeRecord(0, (), 10.0),)))
    assert "no node has memory" in _error(Record("numactl", (NodeRecord(0, (1,), 0.0),)))


def test_limits_of_machine_files() -> None:
    many = Record("numactl", _nodes(tuple(range(65))))
    assert "has too many nodes for a machine file (got 65); allowed: at most 64" in _error(many, "full")
    assert len(_loaded(machine_of(Record("numactl", _nodes(tuple(range(64)))), ORIGIN, "full")).links) == 64 * 63 // 2
    wide = Record("numactl", (NodeRecord(0, tuple(range(257)), 1.0),))
    assert "node 0: has too many cores (got 257); allowed: at most 256" in _error(wide)


def test_latencies_stay_out_of_the_file_and_calibrate_is_named() -> None:
    imported = machine_of(read_record(FIXTURES / "mlc-two-nodes.txt"), Origin("mlc-two-nodes.txt", "mlc-two-nodes.txt"))
    (warning,) = [text for text in imported.warnings if "calibrate" in text]
    assert warning.endswith("to fit the constants to them: numasim calibrate MACHINE --against mlc-two-nodes.txt")
    assert _loaded(imported).distances is None


def test_names_and_text_from_outside_are_clean() -> None:
    assert machine_name("Dual Core AMD Opteron(tm) Processor 865") == "dual-core-amd-opteron-processor-865"
    assert machine_name("\x1b[31m../..") == "31m"
    assert machine_name("(R) §") == "imported"
    wild = 'a\x1b]0;"""\n[nodes]\ud800 = \\' + "x" * 300
    imported = machine_of(Record("hwloc-xml", _nodes((0,)), title=wild), Origin(wild, wild))
    machine = _loaded(imported)
    assert imported.text.isascii()
    assert machine.title.startswith('a?]0;""" [nodes]? = \\xx') and machine.title.endswith(": 1 node, 2 cores")
    assert machine.node_ids == (0,)


@pytest.mark.parametrize(
    ("name", "cores"),
    [
        ("lstopo-old.txt", {0: 2, 1: 1, 3: 0}),  # node 1: two hardware threads
        ("likwid-graphic.txt", {0: 2, 1: 2, 2: 2, 3: 2}),
        ("hwloc-two-packages.xml", {0: 2, 1: 2, 2: 2, 3: 2}),
    ],
)
def test_cores_where_the_file_tells_them(name: str, cores: dict[int, int]) -> None:
    source = read_source(FIXTURES / name)
    record = read_text(source)
    imported = machine_of(record, Origin(name, name, cores_told(source, record)), "full" if len(cores) > 2 else None)
    assert {node.id: node.cores for node in _loaded(imported).nodes} == cores
    assert "cores" not in {guess.about for guess in imported.guesses}


@pytest.mark.parametrize("name", ["coreinfo-whole.txt", "likwid-old.txt", "lstopo-distances.txt", "numactl-mail.txt"])
def test_cores_where_the_file_tells_them_of_some_or_none(name: str) -> None:
    source = read_source(FIXTURES / name)
    record = read_text(source)
    imported = machine_of(record, Origin(name, name, cores_told(source, record)), "full")
    assert "cores" in {guess.about for guess in imported.guesses}


XML = """<?xml version="1.0"?>
<topology version="2.0"><object type="Machine" os_index="0" cpuset="0x0000000f" nodeset="0x00000001">
<object type="Package" os_index="0" cpuset="0x0000000f"><object type="NUMANode" os_index="0" cpuset="0x0000000f"
 nodeset="0x00000001" local_memory="1073741824"/>{cores}</object></object></topology>
"""


@pytest.mark.parametrize(
    ("cores", "count", "guessed"),
    [
        ('<object type="Core" os_index="0" cpuset="0x5"/><object type="Core" os_index="1" cpuset="0xa"/>', 2, False),
        ('<object type="Core" os_index="0" cpuset="0x5"/>', 4, True),  # two CPUs are in no core: not told
        ("", 4, True),
    ],
)
def test_hardware_threads_of_one_core_are_one(tmp_path: Path, cores: str, count: int, guessed: bool) -> None:
    (tmp_path / "x.xml").write_text(XML.format(cores=cores))
    source = read_source(tmp_path / "x.xml")
    record = read_text(source)
    imported = machine_of(record, Origin("x", "x", cores_told(source, record)))
    assert [node.cores for node in _loaded(imported).nodes] == [count]
    assert ("cores" in {guess.about for guess in imported.guesses}) is guessed


def test_coreinfo_marks_the_threads_of_a_core(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text(
        "Logical to Physical Processor Map:\n**--  Physical Processor 0 (Hyperthreaded)\n"
        "--**  Physical Processor 1 (Hyperthreaded)\n\nLogical Processor to NUMA Node Map:\n****  NUMA Node 0\n"
    )
    source = read_source(tmp_path / "c.txt")
    record = read_text(source)
    assert [node.cores for node in _loaded(machine_of(record, Origin("c", "c", cores_told(source, record)))).nodes] == [2]


LIKWID = """Hardware Thread Topology
HWThread        Thread        Core        Socket        Available
0               0             0           0             *
1               0             0           1             *
2               1             0           0             *
3               1             0           1             *
NUMA Topology
NUMA domains:           2
Domain:                 0
Processors:             ( 0 2 )
Distances:              10 21
Total memory:           1024 MB
Domain:                 1
Processors:             ( 1 3 )
Distances:              21 10
Total memory:           1024 MB
"""


def test_likwid_numbers_the_cores_of_each_socket_anew(tmp_path: Path) -> None:
    (tmp_path / "l.txt").write_text(LIKWID)
    source = read_source(tmp_path / "l.txt")
    told = cores_told(source, read_text(source))
    assert len(set(told.values())) == 2 and told[0] == told[2] != told[1] == told[3]


def test_siblings_of_a_live_machine(tmp_path: Path) -> None:
    place = tmp_path / "sys/devices/system/cpu"
    for cpu in range(4):
        (place / f"cpu{cpu}/topology").mkdir(parents=True)
        name = "core_cpus_list" if cpu < 2 else "thread_siblings_list"
        (place / f"cpu{cpu}/topology/{name}").write_text(f"{cpu % 2},{cpu % 2 + 2}\n")
    (place / "online").write_text("0-3\n")
    record = Record("sysfs", (NodeRecord(0, (0, 1, 2, 3), 1.0),))
    cores = live_cores(record, tmp_path)
    assert len(set(cores.values())) == 2 and cores[0] == cores[2] != cores[1] == cores[3]
    assert live_cpus(tmp_path) == (0, 1, 2, 3)
    assert live_cpus(tmp_path / "nowhere") is None
    assert live_cores(record, tmp_path / "nowhere") == {}


def test_routes_that_can_deadlock_are_warned_of() -> None:
    ring = tuple(tuple(10.0 + 6 * min((a - b) % 5, (b - a) % 5) for b in range(5)) for a in range(5))
    report = import_report(machine_of(_record(ring), ORIGIN), ORIGIN)
    assert any(text.startswith("the routes can deadlock: ") for text in report.warnings)


def test_the_text_depends_on_the_record_and_the_name_only() -> None:
    record = read_record(FIXTURES / "numactl-square-4.txt")
    first = machine_of(record, Origin("/a/b/square.txt", "square.txt")).text
    assert first == machine_of(record, Origin("./square.txt", "square.txt")).text
    assert "/a/b" not in first
