"""Two sentences of plain words, made from the numbers of a ranking."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.explain.ranking import Ranking
from simulator.explain.report import Effect, ResourceGain
from simulator.explain.resources import KINDS
from simulator.measure.breakdown import LINE_PARTS, line_ns
from simulator.measure.result import RunResult

NOTHING = "nothing that could be told from noise"
_EVEN = 0.02  # of the time: as busy one way as the other
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
    """Say what binds, and what comes next; nothing where no change has a time."""
    timed = [one for one in ranking.resources if one.ideal.faster_percent is not None]
    if not timed:
        return ()
    first = timed[0]
    if not (first.ideal.beyond_noise and (first.ideal.faster_percent or 0) > 0):
        rest = f"No resource made ideal by itself makes the threads faster: each changes {NOTHING}, or slows them."
        return (rest, _second(ranking, first))
    return (_first(run, ranking, first), _second(ranking, first))


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


def _first(run: RunResult, ranking: Ranking, first: ResourceGain) -> str:
    kind = _KINDS[first.kinds[0]]
    where = _fullest_member(ranking, first)
    words, effect = (kind.ideal_words, first.ideal) if first.twice is None else (kind.twice_words, first.twice)
    text = f"{_state(run, first, where)}; {words} would {change(effect)}"
    if first.twice is not None:
        text += f" ({_signed(first.ideal)} with {kind.ideal_words})"
    beside = next((one for one in ranking.resources if one.kinds[0] == _BESIDE.get(kind.name)), None)
    if beside is not None:
        text += f", {_KINDS[beside.kinds[0]].ideal_words} alone would {change(beside.ideal)}"
    return _sentence(text)


def _second(ranking: Ranking, first: ResourceGain) -> str:
    text = _hidden(ranking, first) or _next(ranking, first)
    slowing = [one for one in ranking.resources if one.ideal.beyond_noise and (one.ideal.faster_percent or 0) < 0]
    if slowing:
        worst = slowing[-1]
        text += f"; {ideal_words(worst)} alone would {change(worst.ideal)}"
    return _sentence(text)


def _hidden(ranking: Ranking, first: ResourceGain) -> str | None:
    """Tell of two limits that hide each other, where that is more than anything alone."""
    if not ranking.pairs:
        return None
    pair = ranking.pairs[0]
    if (pair.hidden_percent or 0) <= max(0.0, first.ideal.faster_percent or 0):
        return None
    apart = [next(one for one in ranking.resources if one.kinds == (kind,)) for kind in pair.kinds]
    alone = " and ".join(f"{_signed(one.ideal)}" for one in apart)
    start = (
        "a second limit stands behind it"
        if first.kinds[0] in pair.kinds and first.ideal.beyond_noise
        else "two limits hide each other"
    )
    text = f"{start}: {ideal_words(pair)} would together {change(pair.ideal)} (one by one {alone})"
    if ranking.pair_members and ranking.pair_members[0].ideal.beyond_noise:
        most = ranking.pair_members[0]
        text += f", of which {most.member} alone gives {_signed(most.ideal)}"
    return text


def _next(ranking: Ranking, first: ResourceGain) -> str:
    gaining = [one for one in ranking.resources if one.ideal.beyond_noise and (one.ideal.faster_percent or 0) > 0]
    others = [one for one in gaining if one is not first][:3]
    if not others:
        return f"no other resource made ideal would make them faster: each changes {NOTHING}"
    return f"after it, made ideal one by one: {_listed([f'{one.name} ({_signed(one.ideal)})' for one in others])}"


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
    paths = [path for path in run.breakdown if not path.background] or run.breakdown
    parts = [part for part in LINE_PARTS if part.name in _SPENT[kind]]
    spent = sum(line_ns(path, part) for path in paths for part in parts) / len(paths)
    whole = sum(path.total_ns for path in paths) / len(paths)
    return f"{spent:.0f} of the {whole:.0f} ns of a line are spent on {', '.join(part.words for part in parts)}"


def _fullest_member(ranking: Ranking, first: ResourceGain) -> ResourceGain:
    """Return the member that gains most, or the kind itself where its members were not tried."""
    return next((one for one in ranking.members if one.kinds == first.kinds), first)


def _signed(effect: Effect) -> str:
    return "no time" if effect.faster_percent is None else f"{effect.faster_percent:+z.1f} %"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if not text.startswith(("link", "node")) else f"{text}."
