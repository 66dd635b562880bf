from __future__ import annotations

from simulator.machine.distances import cpu_numbers, distances, numactl_text
from simulator.machine.load import load_machine, machine_from_dict
from simulator.machine.spec import Machine
from tests.machine.builders import build, table

QUARTET = """\
available: 4 nodes (0-3)
node 0 cpus: 0 1
node 0 size: 2048 MB
node 1 cpus: 2 3
node 1 size: 2048 MB
node 2 cpus: 4 5
node 2 size: 2048 MB
node 3 cpus: 6 7
node 3 size: 2048 MB
node distances:
node   0   1   2   3
  0:  10  12  12  14
  1:  12  10  14  12
  2:  12  14  10  12
  3:  14  12  12  10
"""

SPARSE = """\
available: 4 nodes (0-1,3,18)
node 0 cpus: 0 1 2
node 0 size: 0 MB
node 1 cpus: 3
node 1 size: 1536 MB
node 3 cpus:
node 3 size: 1024 MB
node 18 cpus: 4
node 18 size: 1024 MB
node distances:
node   0   1   3  18
  0:  10  12  32  50
  1:  12  10  32  50
  3:  32  32  10  50
 18: 255 255 255  10
"""


def sparse() -> Machine:
    matrix = [[10, 12, 32, 50], [12, 10, 32, 50], [32, 32, 10, 50], [255, 255, 255, 10]]
    wanted = table([0, 1, 3, 18], [(0, 1), (1, 3), (3, 18)], distances={"matrix": matrix, "source": "test"})
    wanted["nodes"][0]["cores"] = 3
    del wanted["nodes"][0]["memory_gib"]
    wanted["nodes"][1]["memory_gib"] = 1.5
    wanted["nodes"][2]["cores"] = 0
    return machine_from_dict(wanted)


def test_the_square_as_numactl_prints_it():
    machine = load_machine("quartet")
    found = distances(machine)
    assert numactl_text(machine, found) == QUARTET
    assert (found.origin, found.explanation) == (
        "hops",
        "10 + 2 x hops of the request route; the machine file gives none (no SLIT)",
    )


def test_distances_of_the_file_sparse_numbers_no_memory_no_cores():
    machine = sparse()
    found = distances(machine)
    assert numactl_text(machine, found) == SPARSE
    assert (found.origin, found.explanation) == ("slit", "as the machine file gives them (SLIT)")


def test_cpus_are_numbered_node_by_node():
    assert cpu_numbers(sparse()) == {0: (0, 1, 2), 1: (3,), 3: (), 18: (4,)}


def test_one_node():
    machine = load_machine("one-node")
    assert numactl_text(machine, distances(machine)).splitlines()[0] == "available: 1 nodes (0)"
    assert distances(machine).matrix == ((10,),)


def test_hops_of_a_sun_x4600_m2_give_its_published_slit():
    """Linux kernel mailing list, January 2021: sysfs distances of this machine."""
    published = """
        10 12 12 14 14 14 14 16
        12 10 14 12 14 14 12 14
        12 14 10 14 12 12 14 14
        14 12 14 10 12 12 14 14
        14 14 12 12 10 14 12 14
        14 14 12 12 14 10 14 12
        14 12 14 14 12 14 10 12
        16 14 14 14 14 12 12 10"""
    links = [(0, 1), (0, 2), (1, 3), (1, 6), (2, 4), (2, 5), (3, 4), (3, 5), (4, 6), (5, 7), (6, 7)]
    wanted = tuple(tuple(map(int, row.split())) for row in published.split("\n")[1:])
    assert distances(build(range(8), links)).matrix == wanted
