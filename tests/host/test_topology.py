"""What this process may use, read from trees of /sys and /proc."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.host.topology import look_at_host, read_host


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")


def node(number: int, cpus: str, free_kb: int, files_kb: int = 0) -> dict[str, str]:
    folder = f"sys/devices/system/node/node{number}"
    meminfo = f"Node {number} MemFree: {free_kb} kB\nNode {number} FilePages: {files_kb} kB"
    return {f"{folder}/cpulist": cpus, f"{folder}/meminfo": meminfo}


def cpu(number: int, siblings: str, shared: str, size: str = "8192K") -> dict[str, str]:
    folder = f"sys/devices/system/cpu/cpu{number}"
    caches = {0: ("1", "Data", "32K", siblings), 1: ("1", "Instruction", "64K", siblings), 2: ("3", "Unified", size, shared)}
    files = {f"{folder}/topology/thread_siblings_list": siblings}
    for index, values in caches.items():
        for name, value in zip(("level", "type", "size", "shared_cpu_list"), values, strict=True):
            files[f"{folder}/cache/index{index}/{name}"] = value
    return files


def two_nodes(root: Path) -> None:
    """Each node has two cores of two hardware threads, numbered side by side."""
    write(root, {"sys/devices/system/node/online": "0-1", "proc/meminfo": "MemAvailable: 4000000 kB"})
    write(root, {"proc/self/status": "Name: x\nMems_allowed_list:\t0-1"})
    write(root, node(0, "0-3", 1_000_000, 50_000) | node(1, "4-7", 2_000_000))
    for first in (0, 2, 4, 6):
        for each in (first, first + 1):
            write(root, cpu(each, f"{first}-{first + 1}", "0-3" if first < 4 else "4-7"))


def test_physical_cores_come_first(tmp_path: Path) -> None:
    two_nodes(tmp_path)
    host = read_host(tmp_path, range(8))
    assert [found.cpus for found in host.nodes] == [(0, 2, 1, 3), (4, 6, 5, 7)]
    assert [found.free_bytes for found in host.nodes] == [1_050_000 * 1024, 2_000_000 * 1024]
    assert [found.cache_bytes for found in host.nodes] == [8 << 20, 8 << 20]
    assert host.left_bytes == 4_000_000 * 1024
    assert host.notes == ()


def test_only_allowed_cpus_and_memory(tmp_path: Path) -> None:
    two_nodes(tmp_path)
    write(tmp_path, {"proc/self/status": "Mems_allowed_list:\t1"})
    host = read_host(tmp_path, [1, 2, 3])
    assert [(found.id, found.cpus) for found in host.askers] == [(0, (1, 2, 3))]
    assert [found.id for found in host.memories] == [1]


def test_caches_of_a_node_add_up(tmp_path: Path) -> None:
    two_nodes(tmp_path)
    for each, shared in ((0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3")):
        write(tmp_path, cpu(each, shared, shared, "4096K"))
    assert [found.cache_bytes for found in read_host(tmp_path, range(8)).nodes] == [8 << 20, 8 << 20]
    assert read_host(tmp_path, [0, 1]).nodes[0].cache_bytes == 4 << 20


def test_sparse_numbers_and_memory_without_cpus(tmp_path: Path) -> None:
    two_nodes(tmp_path)
    write(tmp_path, {"sys/devices/system/node/online": "0,4"} | node(4, "", 500_000))
    write(tmp_path, {"proc/self/status": "Mems_allowed_list:\t0-7"})
    host = read_host(tmp_path, range(4))
    assert [found.id for found in host.askers] == [0]
    assert [found.id for found in host.memories] == [0, 4]


def test_a_node_without_memory_asks_only(tmp_path: Path) -> None:
    two_nodes(tmp_path)
    write(tmp_path, node(1, "4-7", 0))
    host = read_host(tmp_path, range(8))
    assert [found.id for found in host.askers] == [0, 1]
    assert [found.id for found in host.memories] == [0]


def test_without_nodes_everything_is_node_0(tmp_path: Path) -> None:
    write(tmp_path, {"proc/meminfo": "MemAvailable: 900000 kB"} | cpu(3, "3", "3"))
    host = read_host(tmp_path, [3])
    assert [(found.id, found.cpus, found.free_bytes) for found in host.nodes] == [(0, (3,), 900_000 * 1024)]
    assert "no nodes" in host.notes[0]
    assert "one node" in host.notes[-1]


def test_an_unknown_cache_is_said(tmp_path: Path) -> None:
    two_nodes(tmp_path)
    write(tmp_path, {"sys/devices/system/cpu/cpu5/cache/index2/size": "?", "sys/devices/system/cpu/cpu5/cache/index0/size": ""})
    host = read_host(tmp_path, range(8))
    assert host.nodes[1].cache_bytes is None
    assert any("64 MiB is assumed" in note for note in host.notes)


@pytest.mark.parametrize(
    ("group", "files", "left_kb"),
    [
        ("0::/a/b", {"a/memory.max": "1048576", "a/memory.current": "24576", "a/b/memory.max": "max"}, 1000),
        ("4:memory:/a", {"memory/a/memory.limit_in_bytes": "2048000", "memory/a/memory.usage_in_bytes": "0"}, 2000),
        ("4:memory:/gone", {"memory/memory.limit_in_bytes": "2048000"}, 2000),  # another name space: only the root is seen
        ("0::/../../etc", {"memory.max": "1024"}, 4_000_000),
        ("0::/a", {"a/memory.max": "1024", "a/memory.current": "4096"}, 0),
    ],
)
def test_memory_of_control_groups(tmp_path: Path, group: str, files: dict[str, str], left_kb: int) -> None:
    two_nodes(tmp_path)
    write(tmp_path, {"proc/self/cgroup": group} | {f"sys/fs/cgroup/{name}": text for name, text in files.items()})
    if not left_kb:
        with pytest.raises(InputError, match="no node has a memory"):
            read_host(tmp_path, range(8))
        return
    assert read_host(tmp_path, range(8)).left_bytes == left_kb * 1024


@pytest.mark.parametrize(
    ("group", "files", "said"),
    [
        ("0::/a", {"a/cpu.max": "150000 100000"}, True),
        ("0::/a", {"a/cpu.max": "max 100000"}, False),
        ("0::/a", {"a/cpu.max": "900000 100000"}, False),
        ("2:cpu,cpuacct:/a", {"cpu/a/cpu.cfs_quota_us": "150000", "cpu/a/cpu.cfs_period_us": "100000"}, True),
        ("2:cpu,cpuacct:/a", {"cpu/a/cpu.cfs_quota_us": "-1", "cpu/a/cpu.cfs_period_us": "100000"}, False),
    ],
)
def test_a_quota_is_said(tmp_path: Path, group: str, files: dict[str, str], said: bool) -> None:
    two_nodes(tmp_path)
    write(tmp_path, {"proc/self/cgroup": group} | {f"sys/fs/cgroup/{name}": text for name, text in files.items()})
    assert any("quota of 1.5 CPUs" in note for note in read_host(tmp_path, range(8)).notes) == said


def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(InputError, match=r"cannot be pinned.*'darwin'.*allowed: Linux"):
        look_at_host()
