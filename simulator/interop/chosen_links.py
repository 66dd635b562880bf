"""Links as the user gives them: ``--links 0-1,0-2,1-3,2-3``, or ``full`` for every pair."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

from simulator.errors import InputError
from simulator.interop.cells import MAX_NODE, whole
from simulator.interop.hop_classes import Pair, islands

FULL: Literal["full"] = "full"
FORM = "pairs of nodes such as 0-1,0-2,1-3,2-3, or full for a link between every two nodes"
_OPTION = "--links"
_MAX_CHARACTERS = 1 << 16  # 4,096 links, the most of a machine file, between nodes of five digits are 49,151
_PAIR = re.compile(r"([0-9]{1,5})-([0-9]{1,5})")
ChosenLinks = tuple[Pair, ...] | Literal["full"]


def parse_links(text: str) -> ChosenLinks:
    """Return the pairs of ``0-1,0-2``, each with its lower number first, sorted; or ``full``.

    Raises
    ------
    InputError
        It is no such list, a link leads from a node to itself, or one is there twice. (Parallel links share out the virtual
        channels; which takes which is for the machine file to say.)
    """
    if len(text) > _MAX_CHARACTERS:
        raise _wrong("is too long", f"at most {_MAX_CHARACTERS:,} characters")
    if text.strip() == FULL:
        return FULL
    pairs: set[Pair] = set()
    for word in text.split(","):
        pair = _pair(word.strip())
        if pair in pairs:
            allowed = "each once; parallel links are written in the machine file, with what each carries"
            raise _wrong("has a link twice", allowed, word.strip())
        pairs.add(pair)
    return tuple(sorted(pairs))


def checked_links(chosen: ChosenLinks, ids: Sequence[int]) -> tuple[Pair, ...]:
    """Return the chosen links between the nodes `ids`.

    Raises
    ------
    InputError
        A link leads to a node that is not there, or the links do not join all nodes.
    """
    if chosen == FULL:
        return tuple(combinations(ids, 2))
    nodes = ", ".join(map(str, ids))
    for pair in chosen:
        strange = next((node for node in pair if node not in ids), None)
        if strange is not None:
            raise _wrong(f"has a link to node {strange}, which is not there", f"nodes {nodes}", f"{pair[0]}-{pair[1]}")
    apart = islands(chosen, ids)
    if len(apart) > 1:
        groups = " | ".join(",".join(map(str, group)) for group in apart)
        raise _wrong(f"leaves nodes apart: {groups}", f"links that join all of the nodes {nodes}")
    return tuple(chosen)


def _pair(word: str) -> Pair:
    match = _PAIR.fullmatch(word)
    ends = sorted(number for end in match.groups() if (number := whole(end, MAX_NODE)) is not None) if match else []
    if len(ends) != 2:
        raise _wrong("is no list of links", FORM, word)
    if ends[0] == ends[1]:
        raise _wrong("has a link from a node to itself", FORM, word)
    return ends[0], ends[1]


def _wrong(what: str, allowed: str, value: object = None) -> InputError:
    return InputError(what, field=_OPTION, value=value, allowed=allowed)
