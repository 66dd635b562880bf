"""Placements in words, and two sentences on what the advised one avoids, made from numbers."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.advise.candidate import Candidate, Scene
from simulator.advise.ranking import EQUAL_PERCENT, Finalist
from simulator.advise.trials import Trial

_MOST_FACTS = 4
_WORTH_SAYING = 0.05  # of a share of time, and of a latency: smaller differences explain little


def threads_words(scene: Scene, candidate: Candidate) -> str:
    """Say where threads are: ``worker 0:2 1:2``, node and count; the groups that may move."""
    texts = []
    for group, counts in zip(scene.groups, candidate.threads, strict=True):
        places = " ".join(f"{node}:{count}" for node, count in zip(scene.machine.node_ids, counts, strict=True) if count)
        texts.append(places if len(scene.groups) == 1 else f"{group.name} {places}")
    return ", ".join(texts)


def memory_words(scene: Scene, candidate: Candidate) -> str:
    """Say which policies memory has: those of groups, then those of arrays."""
    policies = list(dict.fromkeys(map(str, candidate.policies)))
    texts = policies if len(policies) == 1 else [f"{g.name} {p}" for g, p in zip(scene.groups, candidate.policies, strict=True)]
    texts = texts + [f"{name} {own}" for name, own in zip(scene.arrays, candidate.arrays, strict=True) if own is not None]
    return ", ".join(texts)


def sentences(scene: Scene, advised: Finalist, finalists: Sequence[Finalist]) -> tuple[str, ...]:
    """Say how much better the advised placement is than the file's own, or than the slowest, and what it avoids."""
    own = next((one for one in finalists if one.candidate == scene.own), None)
    other, name = own, "the file's own placement"
    if own is None or own.equal:
        other, name = finalists[-1], "the slowest placement tried"
    if other is None or other.equal:
        return (
            f"No placement can be told from the others: all that were run again are within {EQUAL_PERCENT} % or their intervals.",
            "The file's own is as good as any." if own is not None else "The simplest is as good as any.",
        )
    gain = 100 * (other.time_ns / advised.time_ns - 1)
    place = f"Threads on {threads_words(scene, advised.candidate)} (node:threads) with {memory_words(scene, advised.candidate)}"
    if advised is own:
        place = f"The file's own placement ({threads_words(scene, own.candidate)}; {memory_words(scene, own.candidate)})"
    first = (
        f"{place} takes {advised.time_ns / 1000:.1f} us; {name} "
        f"({threads_words(scene, other.candidate)}; {memory_words(scene, other.candidate)}) takes {gain:.1f} % longer."
    )
    facts = avoided(other.mean, advised.mean)
    return (first, f"It avoids {'; '.join(facts)}." if facts else "No link, controller or latency shows why: see the table.")


def avoided(worse: Trial, better: Trial) -> list[str]:
    """Return what the worse one suffers from, with what it is in the better one; what differs most first."""
    found: list[tuple[float, str]] = []
    for noun, theirs, ours in (
        ("controller", worse.controllers, better.controllers),
        ("link", worse.links, better.links),
    ):
        if not theirs:
            continue
        name, share = max(theirs.items(), key=lambda item: item[1])
        fullest = max(ours.values())
        if share - fullest > _WORTH_SAYING:
            found.append(
                (share - fullest, f"{noun} {name} busy {100 * share:.0f} % of the time (fullest now {100 * fullest:.0f} %)")
            )
    if worse.local_percent is not None and better.local_percent is not None:
        gain = (better.local_percent - worse.local_percent) / 100
        if gain > _WORTH_SAYING:
            found.append(
                (gain, f"{100 - worse.local_percent:.0f} % of lines from other nodes (now {100 - better.local_percent:.0f} %)")
            )
    if worse.latency_ns and better.latency_ns and worse.latency_ns > better.latency_ns * (1 + _WORTH_SAYING):
        text = f"a mean latency of {worse.latency_ns:.0f} ns (now {better.latency_ns:.0f})"
        found.append((1 - better.latency_ns / worse.latency_ns, text))
    return [text for _, text in sorted(found, key=lambda fact: -fact[0])][:_MOST_FACTS]
