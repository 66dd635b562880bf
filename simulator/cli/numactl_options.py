"""numactl's words as options of a command."""

from __future__ import annotations

import argparse
import re

from simulator.errors import InputError

_NODES, _CPUS = "N[,M..]", "C[,D..]"
_WORDS = (
    ("--cpunodebind", "-N", _NODES, "run on the CPUs of these nodes (0, 0,2, 0-3, !2 or all)"),
    ("--physcpubind", "-C", _CPUS, "run on these CPUs, numbered as `numasim topo show` does"),
    ("--membind", "-m", _NODES, "memory on the closest of these nodes only"),
    ("--preferred", "-p", "N", "memory on this node, when it is full on the nearest to it"),
    ("--preferred-many", "-P", _NODES, "memory on the closest of these nodes, when they are full elsewhere"),
    ("--interleave", "-i", _NODES, "pages on these nodes in turn"),
    ("--weighted-interleave", "-w", _NODES, "as many pages in a row on each node as it weighs"),
)
_LOCAL = "--localalloc"
_WEIGHTS = re.compile(r"\d{1,5}=\d{1,5}(,\d{1,5}=\d{1,5})*", re.ASCII)


def add_numactl(parser: argparse.ArgumentParser, title: str) -> None:
    """Add numactl's words, as a group with a title."""
    group = parser.add_argument_group(title)
    for word, short, metavar, what in _WORDS:
        group.add_argument(short, word, metavar=metavar, help=what)
    group.add_argument("-l", _LOCAL, action="store_true", help="memory on the thread's own node (so it is without any word)")
    group.add_argument(
        "--node-weights",
        type=_node_weights,
        metavar="N=W[,M=V..]",
        help="weights of nodes for --weighted-interleave, as in /sys/kernel/mm/mempolicy/weighted_interleave (1 each)",
    )


def numactl_words(args: argparse.Namespace) -> list[str]:
    """Return the words that were given, as `parse_numactl` reads them."""
    given = {word: getattr(args, word[2:].replace("-", "_")) for word, *_ in _WORDS}
    words = [f"{word}={value}" for word, value in given.items() if value is not None]
    return [*words, _LOCAL] if args.localalloc else words


def node_weights(args: argparse.Namespace, weighted: bool) -> dict[int, int]:
    """Return the weights of nodes.

    Raises
    ------
    InputError
        Some are given though no placement is `weighted`.
    """
    if args.node_weights and not weighted:
        text = ",".join(f"{node}={weight}" for node, weight in args.node_weights.items())
        raise InputError("is for --weighted-interleave", field="--node-weights", value=text, allowed="beside that word")
    return dict(args.node_weights or {})


def _node_weights(text: str) -> dict[int, int]:
    if not _WEIGHTS.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text[:40]} is no list of weights such as 0=5,1=2")
    pairs = [pair.split("=") for pair in text.split(",")]
    found = {int(node): int(weight) for node, weight in pairs}
    if len(found) < len(pairs):
        raise argparse.ArgumentTypeError(f"{text[:40]} names a node twice")
    return found
