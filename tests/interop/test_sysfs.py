"""Linux's files of nodes: as a listing, as a tree, and those of this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import sysfs
from simulator.interop.formats import read_record, read_text
from simulator.interop.record import Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import source_of
from simulator.interop.sysfs_tree import read_live, read_tree

FIXTURES = Path(__file__).parent / "fixtures"
LISTINGS = ("opteron-8", "offline", "masks", "zero", "memory-node")
TWO = "node0/cpulist:0-1\nnode0/distance:10 21\nnode1/cpulist:2-3\nnode1/distance:21 10\n"


def _fixture(name: str) -> str:
    return (FIXTURES / f"sysfs-{name}.txt").read_text(encoding="utf-8")


def _read(text: str) -> Record:
    return read_text(source_of(text.encode(), "x"))


def _error(text: str) -> str:
    with pytest.raises(InputError) as caught:
        sysfs.read(source_of(text.encode(), "x"))
    return str(caught.value)


def _distances(ids: tuple[int, ...], *rows: tuple[float, ...]) -> tuple[Matrix, ...]:
    return (Matrix(Kind.DISTANCE, Unit.SLIT, ids, ids, rows, "distance"),)


def _grow(listing: str, root: Path) -> Path:
    """Write the files of a listing as a tree, the empty ones too."""
    place = root / "sys/devices/system/node"
    for line in listing.splitlines():
        name, _, text = line.removeprefix("/sys/devices/system/node/").partition(":")
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        with (place / name).open("a", encoding="utf-8") as stream:
            stream.write(f"{text}\n")
    return place


def test_opterons_with_sparse_numbers_and_files_in_the_order_of_names() -> None:
    record = read_record(FIXTURES / "sysfs-opteron-8.txt")
    ids = (0, 1, 2, 10, 11, 30, 31, 64)
    kib = (16770048, *[16777216] * 6, 16776192)
    assert record.nodes == tuple(NodeRecord(node, tuple(range(4 * k, 4 * k + 4)), kib[k] / 1024) for k, node in enumerate(ids))
    assert record.matrices[0].rows == record.matrices[0].columns == ids
    assert record.matrices[0].values[3] == (22, 16, 16, 10, 22, 16, 22, 16)
    assert (record.matrices[0].at(10, 2), record.matrices[0].at(64, 31)) == (16, 16)
    assert record.warnings == ()


def test_masks_have_words_of_32_bits_and_an_empty_word_is_0() -> None:
    record = read_record(FIXTURES / "sysfs-masks.txt")
    assert record.nodes == (NodeRecord(0, (0, 64, 65, 66, 67), 4096), NodeRecord(1, (1, 44, 45, 46, 47, 96), 2048))
    assert record.matrices == _distances((0, 1), (10, 22), (22, 10))


def test_nul_padding_of_old_kernels() -> None:
    assert _read(_fixture("masks").replace(":0000,", ":\0\0\0000,")) == read_record(FIXTURES / "sysfs-masks.txt")


def test_more_columns_than_nodes() -> None:
    record = read_record(FIXTURES / "sysfs-offline.txt")
    assert (record.nodes, record.matrices) == ((NodeRecord(2, (1, 3, 5, 7), 8192),), _distances((2,), (10,)))
    assert record.warnings[0] == (
        "the distances have 3 columns, more than there are nodes (1): those of nodes not here are left out"
    )


def test_more_columns_without_a_list_of_possible_nodes() -> None:
    text = "node1/distance:21 10 31 31\nnode3/distance:31 31 21 10\n"
    assert _read(text).matrices == _distances((1, 3), (10, 31), (31, 10))
    assert _error("node1/distance:10 10 31\n") == "x: line 1: 3 distances for 1 nodes, and no telling which is whose"


def test_distance_zero() -> None:
    record = read_record(FIXTURES / "sysfs-zero.txt")
    assert (record.nodes, record.matrices) == ((NodeRecord(0, (0, 1, 2, 3, 4, 5), 5120),), _distances((0,), (10,)))
    assert record.warnings[-1] == "node 0 at distance 0 of itself: taken as 10"


def test_an_empty_cpulist_gives_no_line() -> None:
    record = read_record(FIXTURES / "sysfs-memory-node.txt")
    assert record.nodes is not None
    assert record.nodes[3] == NodeRecord(3, (), 512)
    assert "node 3 without CPUs: only memory for others" in record.warnings


def test_without_any_list_or_mask_the_cpus_are_unknown() -> None:
    record = _read("node0/distance:10 21\nnode1/distance:21 10\n")
    assert record.nodes == (NodeRecord(0), NodeRecord(1))


def test_a_list_is_believed_over_a_mask() -> None:
    record = _read(TWO.replace("node0/cpulist", "node0/cpumap:00000007\nnode0/cpulist"))
    assert record.nodes is not None
    assert record.nodes[0].cpus == (0, 1)
    assert record.warnings == ("node 0: cpulist names 2 CPUs, cpumap 3: cpulist is believed",)


def test_distances_that_a_mail_program_broke() -> None:
    text = _fixture("opteron-8").replace("22 16 22\n", "22\n16 22\n")
    assert text.count("\n") > _fixture("opteron-8").count("\n")
    assert _read(text) == read_record(FIXTURES / "sysfs-opteron-8.txt")


def test_stale_lists_of_the_machine_are_not_believed() -> None:
    text = "has_memory:0-7\nhas_cpu:0-7\nonline:0\npossible:0-7\n" + TWO
    assert _read(text).warnings == ("nodes 1 are here, but not in the list of those online",)


def test_packages_from_the_topology_of_cpus() -> None:
    packages = "".join(f"/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id:{cpu // 2}\n" for cpu in range(4))
    record = _read(TWO + packages)
    assert (record.packages, [node.package for node in record.nodes or ()]) == (2, [0, 1])
    assert _read(TWO).packages is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("online:0-2\n" + TWO, "x: line 5: node 2 is online, but none of its files is here"),
        (TWO[: TWO.rindex(" ")] + "\n", "x: line 4: the row of node 1 has 1 distances for 2 nodes"),
        (TWO.replace("node1/distance:21 10\n", ""), "x: line 3: node1/distance is missing, though other nodes have it"),
        (TWO.replace("10 21", "10 21 31"), "x: line 4: the row of node 1 has 2 distances, that of node 0 3"),
        (TWO + "node0/distance:10 21\n", "x: line 5: node0/distance is there twice, first in line 2"),
        (TWO.replace("0-1", "0-1048576"), "x: line 1: is no number or range of CPUs (got '0-1048576')"),
        (TWO.replace("10 21", "10 2"), "x: line 2: is no distance, or a number cut off (got '2')"),
        ("node0/cpumap:00g\n", "x: line 1: is no mask of CPUs (got '00g')"),
        ("node0/cpumap:0,000000001\n", "x: line 1: is no mask of CPUs (got '0,000000001')"),
        ("node0/cpumap:1" + "," * 32768 + "\n", "x: line 1: is a mask of too many CPUs; allowed: numbers below 1,048,576"),
        ("node0/cpulist:0-1048575\nnode1/cpumap:f\n", "x: line 2: lists 4 CPUs; allowed: at most 0 more here"),
        ("node0/meminfo:Node 0 MemTotal: 51\n", "x: line 1: is no MemTotal of this node, or one cut off"),
        ("node0/meminfo:Node 1 MemTotal: 51 kB\n", "x: line 1: is no MemTotal of this node, or one cut off"),
        ("node0/meminfo:Node 0 MemTotal: 5 kB\n" + TWO, "x: line 5: node1/meminfo is missing, though other nodes have it"),
        ("nothing\n", "x: has no file of a node; allowed: lines such as node0/distance:10 20"),
    ],
)
def test_contradictions_are_refused_with_the_line(text: str, message: str) -> None:
    assert _error(text).startswith(message)


@pytest.mark.parametrize("name", LISTINGS)
def test_a_tree_is_read_as_its_listing(name: str, tmp_path: Path) -> None:
    place = _grow(_fixture(name), tmp_path)
    listing = read_record(FIXTURES / f"sysfs-{name}.txt")
    for folder in (place, tmp_path, tmp_path / "sys", tmp_path / "sys/devices"):
        assert read_record(folder) == listing
    assert read_record(tmp_path, "sysfs") == listing


def test_messages_name_the_file_of_a_tree(tmp_path: Path) -> None:
    place = _grow(TWO.replace("21 10", "21 1"), tmp_path)
    with pytest.raises(InputError, match=r"t: node1/distance: is no distance, or a number cut off \(got '1'\)"):
        read_tree(place, "t")
    (place / "node1/distance").unlink()
    os.mkfifo(place / "node1/distance")
    with pytest.raises(InputError, match="t/node1/distance: is no regular file"):
        read_tree(place, "t")
    (place / "node1/distance").unlink()
    (place / "node1/distance").write_bytes(b"10 " * 100_000)
    with pytest.raises(InputError, match="t/node1/distance: is too large"):
        read_tree(place, "t")


def test_a_folder_without_nodes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no folder node0 or the like; allowed: a tree as /sys/devices/system/node"):
        read_record(tmp_path)
    with pytest.raises(InputError, match="is a folder; allowed: a file of format numactl"):
        read_record(tmp_path, "numactl")


def _machine(root: Path) -> Path:
    _grow(TWO, root)
    (root / "proc").mkdir()
    cpus = [f"processor\t: {cpu}\nmodel name\t: Dual-Core AMD\nphysical id\t: {cpu // 2}\n" for cpu in range(4)]
    (root / "proc/cpuinfo").write_text("\n".join(cpus), encoding="utf-8")
    return root


def test_the_machine_at_hand(tmp_path: Path) -> None:
    record = read_live(_machine(tmp_path))
    assert (record.title, record.packages) == ("Dual-Core AMD", 2)
    assert record.nodes == (NodeRecord(0, (0, 1), package=0), NodeRecord(1, (2, 3), package=1))


def test_links_to_cpus_tell_packages_before_cpuinfo(tmp_path: Path) -> None:
    _machine(tmp_path)
    for cpu in range(4):
        topology = tmp_path / f"sys/devices/system/cpu/cpu{cpu}/topology"
        topology.mkdir(parents=True)
        (topology / "physical_package_id").write_text("5\n")
        link = tmp_path / f"sys/devices/system/node/node{cpu // 2}/cpu{cpu}"
        link.symlink_to(topology.parent)
    record = read_live(tmp_path)
    assert (record.packages, [node.package for node in record.nodes or ()]) == (1, [5, 5])


def test_a_kernel_without_numa(tmp_path: Path) -> None:
    assert read_live(tmp_path) == Record("sysfs", None, warnings=("no NUMA: this kernel lists no nodes",))


@pytest.mark.skipif(not Path("/sys/devices/system/node/node0").is_dir(), reason="a kernel without NUMA")
def test_this_machine_has_the_cpus_that_python_counts() -> None:
    record = read_live()
    cpus = {cpu for node in record.nodes or () for cpu in node.cpus or ()}
    assert os.sched_getaffinity(0) <= cpus
    assert all(node.memory_mib is not None for node in record.nodes or ())


def test_a_zero_byte_between_digits_of_a_tree_is_refused(tmp_path: Path) -> None:
    (tmp_path / "node0").mkdir()
    (tmp_path / "node0/cpulist").write_bytes(b"1\x002\n")
    with pytest.raises(InputError, match=r"node0/cpulist: has a NUL byte within a number"):
        read_tree(tmp_path)
    (tmp_path / "node0/cpulist").write_bytes(b"12\n\0\0")
    assert [node.cpus for node in read_tree(tmp_path).nodes or ()] == [(12,)]


def test_a_kernel_may_list_more_possible_nodes_than_any_machine_has(tmp_path: Path) -> None:
    (tmp_path / "node0").mkdir()
    (tmp_path / "node0/cpulist").write_text("0\n")
    (tmp_path / "possible").write_text("0-1023\n")
    assert [node.id for node in read_tree(tmp_path).nodes or ()] == [0]
