"""Placements in words, and two sentences on what the advised one avoids, made from numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simulator.advise.candidate import Candidate, Scene
from simulator.advise.ranking import Finalist
from simulator.advise.trials import Trial

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


def sentences(scene: Scene, advised: Finalist, finalists: Sequence[Finalist]) -> tuple[str, str]:
    """Say how much better the advised placement is than the file's own, or than the slowest, and what it avoids."""
    own = next((one for one in finalists if one.candidate == scene.own), None)
    other = own if own is not None and not own.equal else finalists[-1]
    if other.equal:
        first = "No placement that was run again can be told from the fastest."
        return first, f"{'The simplest' if own is None else 'That of the file'} is as good as any."
    name = "The placement of the file" if advised is own else "The advised placement"
    whose = "the file's own" if other is own else "the slowest that was tried"
    first = (
        f"{name}, {_words(scene, advised)}, takes {advised.time_ns / 1000:.1f} us; "
        f"{whose}, {_words(scene, other)}, {_longer(other, advised)}."
    )
    facts = avoided(other.mean, advised.mean)
    return first, f"It avoids {'; '.join(facts)}." if facts else "No memory, link or latency by itself shows why: see the table."


def _longer(other: Finalist, advised: Finalist) -> str:
    if not advised.time_ns:  # all of the workload is its own cache's, or pages that are there already
        return f"{other.time_ns / 1000:.1f} us"
    return f"{100 * (other.time_ns / advised.time_ns - 1):.1f} % longer"


def _words(scene: Scene, one: Finalist) -> str:
    return f"{threads_words(scene, one.candidate)} (node:threads) with {memory_words(scene, one.candidate)}"


def avoided(worse: Trial, better: Trial) -> list[str]:
    """Return what the worse one suffers from, with what it is in the better one; what differs most first."""
    found = [*_busy(worse, better), *_remote(worse, better), *_latency(worse, better), *_link(worse, better)]
    return [text for share, text in sorted(found, key=lambda fact: -fact[0]) if share > _WORTH_SAYING]


def _busy(worse: Trial, better: Trial) -> Iterator[tuple[float, str]]:
    if worse.busy is not None and better.busy is not None:
        yield worse.busy - better.busy, f"memory that is busy {_percent(worse.busy)} of the time (now {_percent(better.busy)})"


def _remote(worse: Trial, better: Trial) -> Iterator[tuple[float, str]]:
    if worse.local_percent is not None and better.local_percent is not None:
        there, here = 1 - worse.local_percent / 100, 1 - better.local_percent / 100
        yield there - here, f"fetching {_percent(there)} of the lines from other nodes (now {_percent(here)})"


def _latency(worse: Trial, better: Trial) -> Iterator[tuple[float, str]]:
    if worse.latency_ns and better.latency_ns:
        there, here = (f"{one.latency_ns:.0f} ns, {one.queueing_ns or 0:.0f} of it queueing" for one in (worse, better))
        yield 1 - better.latency_ns / worse.latency_ns, f"a latency of {there} (now {here})"


def _link(worse: Trial, better: Trial) -> Iterator[tuple[float, str]]:
    if worse.links and better.links:
        name, share = max(worse.links.items(), key=lambda item: item[1])
        fullest = max(better.links.values())
        yield share - fullest, f"link {name} busy {_percent(share)} of the time (the fullest is now {_percent(fullest)})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
