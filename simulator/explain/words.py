"""Two or three sentences of plain words, made from the numbers of a ranking."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.explain.ranking import Ranking
from simulator.explain.report import Effect, ResourceGain
from simulator.explain.resources import KINDS
from simulator.measure.breakdown import LINE_PARTS, LinePart, line_ns, shown_paths
from simulator.measure.result import PathReport, RunResult

NOTHING = "nothing that could be told from noise"
_EVEN = 0.02  # of the time: as busy one way as the other
_CORE = "core"
_KINDS = {kind.name: kind for kind in KINDS}
_BESIDE = {"link rate": "credits", "controller service": "controller queue", "credits": "link rate", "controller queue": "probes"}
_SPENT = {  # parts of a line's time that a kind without servers is made of
    "link latency": ("wire",),
    "credits": ("credits",),
    "controller latency": ("controller",),
    "probes": ("probe_wait",),
    "SRI": ("sri",),
    "crossbar": ("crossbar",),
    "node buffers": ("node_buffers",),
    "core": ("core",),
}


def sentences(run: RunResult, ranking: Ranking) -> tuple[str, ...]:
    """Say what binds, and what comes next; nothing where no change has a time.

    Where nothing gains more than the core, what lines wait for is said first, which others cause, and the core's own time last.
    """
    if all(one.ideal.faster_percent is None for one in ranking.resources):
        return ()
    gaining = [one for one in ranking.resources if _beyond(one, 1)]
    if not gaining:
        rest = f"no resource made ideal by itself makes the threads faster: each changes {NOTHING}, or slows them"
        return _said(rest, _second(ranking, None, []))
    return _core_last(run, ranking, gaining) if gaining[0].kinds[0] == _CORE else _largest_first(run, ranking, gaining[0])


def _largest_first(run: RunResult, ranking: Ranking, first: ResourceGain) -> tuple[str, ...]:
    told = [first, *_beside(ranking, first)]
    state = _state(run, first, _fullest_member(ranking, first))
    return _said(f"{state}; {_first(*told)}", _second(ranking, first, told))


def _core_last(run: RunResult, ranking: Ranking, gaining: Sequence[ResourceGain]) -> tuple[str, ...]:
    core, first = gaining[0], gaining[1] if len(gaining) > 1 else None
    told = [] if first is None else [first, *_beside(ranking, first)]
    lead = _first(*told) if told else "no resource but the core makes them faster by itself"
    own = f"the core's own time is {_spent(run, core)}; {_first(core)}"
    return _said(f"{_waiting(run)}; {lead}", _second(ranking, first, [*told, core]), own)


def change(effect: Effect | None) -> str:
    """Say what a change does to the threads, in words that follow "would"."""
    if effect is None or effect.faster_percent is None:
        return "come to nothing" if effect is None else f"end in {effect.verdict}"
    if effect.half_width_percent == 0 and not effect.beyond_noise:
        return "change nothing"
    if not effect.beyond_noise:
        return f"change {NOTHING}"
    return f"make the threads {abs(effect.faster_percent):.1f} % {'faster' if effect.faster_percent > 0 else 'slower'}"


def ideal_words(gain: ResourceGain) -> str:
    """Name a change in words: ``no probes and DRAM that serves in no time at node 3``."""
    words = [_KINDS[kind].ideal_words for kind in gain.kinds]
    return " and ".join(words) + ("" if gain.member is None else f" at {gain.member}")


def _first(gain: ResourceGain, beside: ResourceGain | None = None) -> str:
    kind = _KINDS[gain.kinds[0]]
    words, effect = (kind.ideal_words, gain.ideal) if gain.twice is None else (kind.twice_words, gain.twice)
    text = f"{words} would {change(effect)}"
    if gain.twice is not None:
        text += f" ({_signed(gain.ideal)} with {kind.ideal_words})"
    if beside is not None:
        text += f", {ideal_words(beside)} alone would {change(beside.ideal)}"
    return text


def _beside(ranking: Ranking, first: ResourceGain) -> list[ResourceGain]:
    """Return the resource that is easily taken for the first one."""
    return [one for one in ranking.resources if one.kinds[0] == _BESIDE.get(first.kinds[0])]


def _second(ranking: Ranking, first: ResourceGain | None, told: Sequence[ResourceGain]) -> str:
    """Say what else there is of which no effect was told yet, what slows the threads last."""
    parts = []
    if (pair := _hiding(ranking, first)) is not None:
        parts.append(_hidden(ranking, pair, first, told))
        told = [*told, *_apart(ranking, pair)]
    elif first is not None:
        parts.append(_next(ranking, told))
    slowing = [one for one in ranking.resources if _beyond(one, -1) and one not in told]
    if slowing:
        parts.append(f"{ideal_words(slowing[-1])} alone would {change(slowing[-1].ideal)}")
    return "; ".join(parts)


def _hiding(ranking: Ranking, first: ResourceGain | None) -> ResourceGain | None:
    """Return two limits that hide each other, where that is more than what the first gains alone."""
    alone = 0.0 if first is None else first.ideal.faster_percent or 0.0
    return next((pair for pair in ranking.pairs[:1] if (pair.hidden_percent or 0) > alone), None)


def _hidden(ranking: Ranking, pair: ResourceGain, first: ResourceGain | None, told: Sequence[ResourceGain]) -> str:
    behind = first is not None and first.kinds[0] in pair.kinds
    start = "a second limit stands behind it" if behind else "two limits hide each other"
    text = f"{start}: {ideal_words(pair)} would together {change(pair.ideal)}"
    untold = [one for one in _apart(ranking, pair) if one not in told]
    if untold:
        text += f" ({', '.join(f'{_signed(one.ideal)} with {ideal_words(one)} alone' for one in untold)})"
    if ranking.pair_members and ranking.pair_members[0].ideal.beyond_noise:
        most = ranking.pair_members[0]
        text += f", of which {most.member} alone gives {_signed(most.ideal)}"
    return text


def _apart(ranking: Ranking, pair: ResourceGain) -> list[ResourceGain]:
    return [next(one for one in ranking.resources if one.kinds == (kind,)) for kind in pair.kinds]


def _next(ranking: Ranking, told: Sequence[ResourceGain]) -> str:
    others = [one for one in ranking.resources if _beyond(one, 1) and one not in told][:3]
    if not others:
        return f"no other resource made ideal would make them faster: each changes {NOTHING}, or slows them"
    return f"after it, made ideal one by one: {_listed([f'{one.name} ({_signed(one.ideal)})' for one in others])}"


def _waiting(run: RunResult) -> str:
    """Say how much of a line's time others cost it, and at what most."""
    paths = shown_paths(run)
    waits = {part.words: _mean_ns(paths, part) for part in LINE_PARTS if part.group != "walking"}
    most = max(waits, key=lambda words: waits[words])
    whole = sum(path.total_ns for path in paths) / len(paths)
    text = f"{sum(waits.values()):.0f} of the {whole:.0f} ns of a line are standing and waiting"
    return f"{text}, longest: {most}, {waits[most]:.0f} ns" if waits[most] > 0 else text


def _state(run: RunResult, first: ResourceGain, member: ResourceGain) -> str:
    """Say how full or how slow the resource is."""
    kind, shares = first.kinds[0], member.use
    if kind == "link rate":
        name = member.member or f"link {max(shares, key=lambda key: shares[key])}"
        high, low = max(shares.values()), min(shares.values())
        if member.member is None or high - low <= _EVEN:
            return f"{name} is {100 * high:.0f} % busy{' in both directions' if member.member else ''}"
        return f"{name} is {100 * high:.0f} % busy one way and {100 * low:.0f} % the other"
    if shares:
        node = max(shares, key=lambda key: shares[key])
        what = "DRAM is {:.0f} % busy" if kind == "controller service" else "controller holds {:.0f} % of what it can hold"
        return f"{node}'s {what.format(100 * shares[node])}"
    words = ", ".join(part.words for part in LINE_PARTS if part.name in _SPENT[kind])
    return f"{_spent(run, first)} are spent on {words}"


def _spent(run: RunResult, gain: ResourceGain) -> str:
    """Say how much of a line's time is that of a kind without servers."""
    paths = shown_paths(run)
    spent = sum(_mean_ns(paths, part) for part in LINE_PARTS if part.name in _SPENT[gain.kinds[0]])
    return f"{spent:.0f} of the {sum(path.total_ns for path in paths) / len(paths):.0f} ns of a line"


def _fullest_member(ranking: Ranking, first: ResourceGain) -> ResourceGain:
    """Return the member that gains most, or the kind itself where its members were not tried."""
    return next((one for one in ranking.members if one.kinds == first.kinds), first)


def _mean_ns(paths: Sequence[PathReport], part: LinePart) -> float:
    return sum(line_ns(path, part) for path in paths) / len(paths)


def _beyond(gain: ResourceGain, sign: int) -> bool:
    """Whether a resource made ideal makes the threads faster, or slower for a sign of -1, beyond noise."""
    return gain.ideal.beyond_noise and sign * (gain.ideal.faster_percent or 0) > 0


def _signed(effect: Effect) -> str:
    return "no time" if effect.faster_percent is None else f"{effect.faster_percent:+z.1f} %"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _said(*texts: str) -> tuple[str, ...]:
    """Return sentences of what is not empty."""
    return tuple(_sentence(text) for text in texts if text)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if not text.startswith(("link ", "node ")) else f"{text}."
