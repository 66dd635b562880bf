"""What the tools print where they are installed is read: lstopo of hwloc's own topologies, numactl and likwid of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from simulator.interop.formats import read_text, recognised
from simulator.interop.record import Kind, NodeRecord, Record
from simulator.interop.source import source_of
from simulator.interop.sysfs_tree import read_live

LONGEST_S = 60
TOPOLOGIES = [  # hwloc's synthetic description; nodes, CPUs of each
    ("numa:1 core:4 pu:1", 1, 4),
    ("numa:2 core:4 pu:2", 2, 8),
    ("numa:8 core:2 pu:1", 8, 2),
    ("pack:2 numa:2 core:3 pu:2", 4, 6),
    ("pack:4 numa:1 l3:1 core:4 pu:1", 4, 4),
    ("numa:3 l2:2 core:1 pu:1", 3, 2),
    ("pack:2 die:2 numa:2 core:1 pu:1", 8, 1),
    ("numa:16 core:1 pu:1", 16, 1),
]


def _needs(tool: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed")


def _printed(*command: str) -> bytes:
    plain = {key: value for key, value in os.environ.items() if not key.startswith("HWLOC_")} | {"LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, timeout=LONGEST_S, env=plain, check=False)
    return done.stdout + (b"" if done.stdout else done.stderr)  # numactl says "No NUMA available" there


def _read(data: bytes, format: str) -> Record:
    source = source_of(data, format)
    assert recognised(source).name == format
    return read_text(source)


@_needs("lstopo")
@pytest.mark.parametrize(("synthetic", "nodes", "cpus"), TOPOLOGIES, ids=[text for text, _, _ in TOPOLOGIES])
@pytest.mark.parametrize("form", ["xml", "console"])
def test_lstopo(form: str, synthetic: str, nodes: int, cpus: int) -> None:
    record = _read(_printed("lstopo", "-i", synthetic, "--of", form), "hwloc-xml" if form == "xml" else "lstopo")
    assert record.nodes is not None
    assert [node.id for node in record.nodes] == list(range(nodes))
    assert [len(node.cpus or ()) for node in record.nodes] == nodes * [cpus]
    assert sorted(cpu for node in record.nodes for cpu in node.cpus or ()) == list(range(nodes * cpus))
    assert all(node.memory_mib for node in record.nodes)


@_needs("lstopo")
def test_distances_of_lstopo() -> None:
    """hwloc gives synthetic nodes no distances by itself; those of a description with them are read from XML and from text."""
    xml = _printed("lstopo", "-i", "numa:4 core:1 pu:1", "--of", "xml").decode()
    cells = " ".join(str(10 if a == b else 16 if a ^ b != 3 else 22) for a in range(4) for b in range(4))
    added = (
        '<distances2 type="NUMANode" nbobjs="4" kind="5" name="NUMALatency" indexing="os">'
        f'<indexes length="8">0 1 2 3 </indexes><u64values length="48">{cells} </u64values></distances2></topology>'
    )
    whole = xml.replace("</topology>", added).encode()
    (told,) = _read(whole, "hwloc-xml").matrices
    assert told.values == tuple(tuple(10.0 if a == b else 16.0 if a ^ b != 3 else 22.0 for b in range(4)) for a in range(4))


@_needs("lstopo")
def test_distances_that_lstopo_prints(tmp_path: Path) -> None:
    """hwloc reads its own XML with distances back, and prints them."""
    xml = _printed("lstopo", "-i", "numa:2 core:1 pu:1", "--of", "xml").decode()
    added = (
        '<distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="os">'
        '<indexes length="4">0 1 </indexes><u64values length="12">10 21 21 10 </u64values></distances2></topology>'
    )
    (tmp_path / "two.xml").write_text(xml.replace("</topology>", added))
    record = _read(_printed("lstopo", "-i", str(tmp_path / "two.xml"), "--distances"), "lstopo")
    (told,) = (matrix for matrix in record.matrices if matrix.kind is Kind.DISTANCE)
    assert told.values == ((10.0, 21.0), (21.0, 10.0))


def _live() -> tuple[NodeRecord, ...]:
    return read_live().nodes or ()


@_needs("numactl")
def test_numactl_tells_what_the_kernel_tells() -> None:
    record = _read(_printed("numactl", "--hardware"), "numactl")
    if not record.nodes:
        assert any("no NUMA available" in text for text in record.warnings)
        return
    live = {node.id: node for node in _live()}
    assert {node.id: node.cpus for node in record.nodes} == {node: live[node].cpus for node in live}
    for node in record.nodes:
        assert node.memory_mib == pytest.approx(live[node.id].memory_mib, abs=1.0)  # numactl cuts to whole MB
    assert len(record.nodes) == 1 or record.matrices


@_needs("likwid-topology")
def test_likwid_tells_the_domains_of_the_kernel() -> None:
    record = _read(_printed("likwid-topology"), "likwid")
    assert record.nodes
    live = _live()
    if live:
        assert [node.cpus for node in record.nodes] == [node.cpus for node in live]
