"""numactl's words: its manual's examples, its lists, and what it would refuse."""

from __future__ import annotations

import pytest

from simulator import load_machine
from simulator.errors import InputError
from simulator.placement import (
    Bind,
    Binding,
    Interleave,
    LocalAlloc,
    Preferred,
    PreferredMany,
    WeightedInterleave,
    parse_numactl,
)
from simulator.placement.lists import parse_cpus, parse_nodes
from tests.machine.builders import build
from tests.placement.machines import square, touched

QUARTET = load_machine("quartet")
SIXTEEN = build(range(8), [(node, (node + 1) % 8) for node in range(8)])  # CPU n on node n, 8 of them


# -- the EXAMPLES of numactl(8), in their order --------------------------------------------------------------------------------


def test_example_physcpubind_relative() -> None:
    """``--physcpubind=+0-4,8-12``: the plus holds for the whole list; here with CPUs that the machine has."""
    assert parse_numactl("--physcpubind=+0-2,5-6", QUARTET).cpus == (0, 1, 2, 5, 6)


def test_example_interleave_all() -> None:
    assert parse_numactl("--interleave=all", QUARTET) == Binding(None, Interleave((0, 1, 2, 3)))
    assert touched(QUARTET, Interleave((0, 1, 2, 3)), 8) == [0, 1, 2, 3, 0, 1, 2, 3]


def test_example_run_on_a_node_with_memory_on_two() -> None:
    binding = parse_numactl("--cpunodebind=0 --membind=0,1", QUARTET)
    assert binding == Binding((0, 1), Bind((0, 1)))
    assert binding.policy is not None
    assert touched(QUARTET, binding.policy, 3, cpu_node=0) == [0, 0, 0]


def test_example_two_dashes_end_the_words() -> None:
    assert parse_numactl("--cpunodebind=0 --membind=0,1 --", QUARTET) == Binding((0, 1), Bind((0, 1)))
    with pytest.raises(InputError, match="is no word of numactl's .*got '--'"):
        parse_numactl("--membind=0,1 -- -l", QUARTET)


def test_example_balancing_is_refused_with_its_reason() -> None:
    with pytest.raises(InputError, match="--balancing: the kernel's NUMA balancing is not modelled"):
        parse_numactl("--cpunodebind=0 --balancing --membind=0,1", QUARTET)


def test_example_network_device_is_refused_with_its_reason() -> None:
    with pytest.raises(InputError, match="--cpunodebind: netdev: names a device of a real computer"):
        parse_numactl("--cpunodebind=netdev:eth0 --membind=netdev:eth0", QUARTET)


def test_example_preferred() -> None:
    assert parse_numactl("--preferred=1", QUARTET) == Binding(None, Preferred(1))


def test_example_preferred_many_in_hexadecimal_is_refused_and_listed_it_works() -> None:
    """The manual says that 0x3 means nodes 1 and 2, a mask would mean 0 and 1, the parser takes it for node 3: no guess."""
    with pytest.raises(InputError, match="--preferred-many: a mask in hexadecimal"):
        parse_numactl("--preferred-many=0x3", QUARTET)
    assert parse_numactl("--preferred-many=1,2", QUARTET) == Binding(None, PreferredMany((1, 2)))


def test_example_shared_memory_is_refused_with_its_reason() -> None:
    with pytest.raises(InputError, match="--shm: segments and files of shared memory are arrays of a workload file"):
        parse_numactl("--interleave=all --shm /tmp/shmkey", QUARTET)


def test_example_a_file_on_two_nodes() -> None:
    """Half of a file is written under ``--membind=2``, the other half under ``--membind=3``."""
    assert touched(QUARTET, Bind((2,)), 2) + touched(QUARTET, Bind((3,)), 2) == [2, 2, 3, 3]


def test_example_localalloc() -> None:
    assert parse_numactl("--localalloc", QUARTET) == Binding(None, LocalAlloc())


# -- words ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "binding"),
    [
        ("", Binding()),
        ("-i 0,2", Binding(None, Interleave((0, 2)))),
        ("-w 0-1", Binding(None, WeightedInterleave((0, 1)))),
        ("--weighted-interleave=all", Binding(None, WeightedInterleave((0, 1, 2, 3)))),
        ("-m1", Binding(None, Bind((1,)))),
        ("-p 2", Binding(None, Preferred(2))),
        ("-P !0", Binding(None, PreferredMany((1, 2, 3)))),
        ("-l -N 1,3", Binding((2, 3, 6, 7), LocalAlloc())),
        ("-C 7,0", Binding((0, 7), None)),
        ("--all --membind +1", Binding(None, Bind((1,)))),
        ('--membind "0, 1"', Binding(None, Bind((0, 1)))),
    ],
)
def test_words(words: str, binding: Binding) -> None:
    assert parse_numactl(words, QUARTET) == binding


def test_words_already_apart() -> None:
    assert parse_numactl(["-N", "0", "--membind=1"], QUARTET) == Binding((0, 1), Bind((1,)))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--membind", "--membind needs a list; allowed: --membind=0"),
        ("--membind --localalloc", "--membind needs a list"),
        ("--membind=0 -m 1", "--membind is there twice"),
        ("--membind=0 --interleave=1", "--interleave and --membind are two memory policies"),
        ("--localalloc=0", "--localalloc takes no list"),
        ("--preferred=0,1", "--preferred: takes one node .*or --preferred-many"),
        ("--cpunodebind=0 --physcpubind=1", "both say where to run"),
        ("--cpubind=0", "--cpubind: is deprecated by numactl itself"),
        ("--hardware", "`numasim topo show` prints a machine"),
        ("--membind=4", "--membind: quartet has no node 4 .*nodes 0, 1, 2, 3"),
        ("--membind=0,65000", "--membind: quartet has no node 65000"),
        ("--membind=+0-9", "there is no usable node at place \\+4"),
        ("--physcpubind=8", "--physcpubind: quartet has no CPU 8"),
        ("--membind=!all", "--membind: leaves no node"),
        ("--membind=+4", "--membind: there is no usable node at place \\+4 .*allowed: \\+0 to \\+3"),
        ("--membind=!!2", "--membind: not a list of nodes"),
        ("--membind=same", "same is not understood"),
        ("--membind='0", "has a quotation mark without its partner"),
        ("myprogram", "is no word of numactl's .*got 'myprogram'"),
        ("--nonsense=3", "is no word of numactl's"),
    ],
)
def test_wrong_words(words: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse_numactl(words, QUARTET)
    assert "\n" not in str(caught.value)


# -- lists ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("all", (0, 1, 2, 3, 4, 5, 6, 7)),
        ("!2", (0, 1, 3, 4, 5, 6, 7)),
        ("!1-6", (0, 7)),
        ("+0", (0,)),
        ("+0-4,6", (0, 1, 2, 3, 4, 6)),
        ("!+0-4,6", (5, 7)),
        ("7,0-1,1", (0, 1, 7)),
    ],
)
def test_lists(text: str, nodes: tuple[int, ...]) -> None:
    assert parse_nodes(text, SIXTEEN, "--membind") == nodes
    assert parse_cpus(text, SIXTEEN, "--physcpubind") == nodes


def test_all_not_and_plus_speak_of_nodes_with_memory_for_memory_and_with_cores_for_cpus() -> None:
    machine = square((9, None, 9, 9), cores=(1, 1, 0, 2))
    assert parse_numactl("--membind=all", machine).policy == Bind((0, 2, 3))
    assert parse_numactl("--membind=!0", machine).policy == Bind((2, 3))
    assert parse_numactl("--membind=+1", machine).policy == Bind((2,))
    assert parse_numactl("--cpunodebind=all", machine).cpus == (0, 1, 2, 3)
    assert parse_numactl("--cpunodebind=+2", machine).cpus == (2, 3)
    with pytest.raises(InputError, match="--membind: node 1 has no memory; allowed: nodes with memory: 0, 2, 3"):
        parse_numactl("--membind=1", machine)
    with pytest.raises(InputError, match="--cpunodebind: node 2 has no cores; allowed: nodes with cores: 0, 1, 3"):
        parse_numactl("--cpunodebind=0-2", machine)
