"""Why one set of threads is slower than another, in two sentences made from the numbers."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.explain.report import GapWithout, PartGap
from simulator.explain.resources import KINDS

_SHOWN_PARTS = 3
_KINDS = {kind.name: kind for kind in KINDS}


def gap_sentences(gap: GapWithout, parts: Sequence[PartGap], without: Sequence[GapWithout]) -> tuple[str, ...]:
    """Say what makes the difference, and what would close it; nothing where one side has no time."""
    if gap.slower_percent is None:
        return ()
    if gap.half_width_percent is None or abs(gap.slower_percent) <= gap.half_width_percent:
        return ("The two take the same time a line, as far as can be told from noise.",)
    return (_parts(gap, parts), _closing(gap, without))


def _parts(gap: GapWithout, parts: Sequence[PartGap]) -> str:
    assert gap.slower_percent is not None
    more = "more" if gap.slower_percent > 0 else "less"
    total = sum(part.gap_ns for part in parts)
    named = ", ".join(f"{part.words} {part.gap_ns:+.0f}" for part in parts[:_SHOWN_PARTS])
    return f"They take {abs(gap.slower_percent):.1f} % {more} time a line; of the {total:+.0f} ns a line in its slot: {named} ns."


def _closing(gap: GapWithout, without: Sequence[GapWithout]) -> str:
    known = [one for one in without if one.closes_percent is not None]  # what explains the gap comes first
    single = next((one for one in known if len(one.kinds) == 1 and one.member is None), None)
    if single is not None and single.explains:
        return f"With {_words(single)} for both, {_left(single)}{_other(gap, known, single)}."
    pair = next((one for one in known if len(one.kinds) == 2 and one.member is None and one.explains), None)
    start = "No resource made ideal by itself closes half of the gap"
    if pair is None:
        return f"{start}, nor do two of them."
    member = next((one for one in known if set(one.kinds) == set(pair.kinds) and one.member is not None and one.explains), None)
    narrowed = "" if member is None else f", with that at {member.member} alone {_left(member)}"
    return f"{start} for sure; with {_words(pair)} for both, {_left(pair)}{narrowed}."


def _left(one: GapWithout) -> str:
    assert one.slower_percent is not None
    if one.half_width_percent is not None and abs(one.slower_percent) <= one.half_width_percent:
        return f"no difference is left that could be told from noise ({one.slower_percent:+z.1f} %)"
    return f"they take {abs(one.slower_percent):.1f} % {'more' if one.slower_percent > 0 else 'less'} time than the others"


def _other(gap: GapWithout, known: Sequence[GapWithout], single: GapWithout) -> str:
    """Say how much of the gap the next kind of resource closes, or by how much it widens it; nothing within noise."""
    after = next((one for one in known if len(one.kinds) == 1 and one.member is None and one is not single), None)
    if after is None or after.closes_percent is None or not _moves(gap, after):
        return ""
    size = f"{abs(after.closes_percent):.0f} %"
    does = f"closes {size} of the gap" if after.closes_percent > 0 else f"widens the gap by {size}"
    return f"; the next, {after.name}, {does}"


def _moves(gap: GapWithout, without: GapWithout) -> bool:
    """Whether what is left of the gap differs from the gap beyond noise."""
    widths = (gap.half_width_percent, without.half_width_percent)
    if gap.slower_percent is None or without.slower_percent is None or None in widths:
        return False
    return abs(without.slower_percent - gap.slower_percent) > sum(width or 0.0 for width in widths)


def _words(one: GapWithout) -> str:
    text = " and ".join(_KINDS[kind].ideal_words for kind in one.kinds)
    return text if one.member is None else f"{text} at {one.member}"
