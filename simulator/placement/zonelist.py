"""In which order Linux looks for a free page: the zonelist of each node."""

from __future__ import annotations

from simulator.machine.distances import distances
from simulator.machine.spec import Machine


def zonelists(machine: Machine) -> dict[int, tuple[int, ...]]:
    """Return for each node all nodes with memory, in the order in which the kernel tries them.

    A node comes first in its own list. The others follow by distance (SLIT, else 10 + 2 x hops); in a distance the kernel adds 1
    for a node with a lower number ("prefer the next node") and 1 for a node with CPUs, and of equal ones it takes the one
    that fewer lists have named first so far, then the lowest number.

    Returns
    -------
    dict of int to tuple of int

    Notes
    -----
    The rule is that of find_next_best_node and build_zonelists in mm/page_alloc.c of Linux 6 (general knowledge of its source).
    """
    matrix, index = distances(machine).matrix, machine.node_ids.index
    with_memory = [node.id for node in machine.nodes if node.controller is not None]
    with_cpus = {node.id for node in machine.nodes if node.cores}
    named_first = dict.fromkeys(with_memory, 0)

    def badness(node: int, other: int) -> tuple[int, int, int]:
        distance = matrix[index(node)][index(other)] + (other < node) + (other in with_cpus)
        return distance, named_first[other], other

    lists = {}
    for node in machine.node_ids:
        order = [node] if node in with_memory else []
        previous = node
        while len(order) < len(with_memory):
            best = min((other for other in with_memory if other not in order), key=lambda other: badness(node, other))
            if matrix[index(node)][index(best)] != matrix[index(node)][index(previous)]:
                named_first[best] += 1
            order.append(best)
            previous = best
        lists[node] = tuple(order)
    return lists
