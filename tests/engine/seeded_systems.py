"""Systems drawn from a number: the same every time, so that a test can count what it covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from simulator.engine.lower import lower
from simulator.engine.plan import Draws, Plan
from simulator.engine.random_numbers import exponential
from simulator.machine.spec import Machine
from simulator.workload import Access, Arrivals, ThreadSpec, TimeSlice, Workload
from simulator.workload.thread import Mode
from tests.oracle.machines import link_entry, node_entry, ring, round_machine

MOST_NODES, MOST_THREADS = 8, 16
_MODES: tuple[Mode, Mode] = ("r", "w")
_CARRIED = (  # how two parallel links share the virtual channels
    (("request", "posted", "probe"), ("response",)),
    (("request",), ("posted", "response", "probe")),
    (("probe",), ("request", "posted", "response")),
)
_CREDITS = ("request", "posted", "response", "probe", "request_data", "posted_data", "response_data")


@dataclass(frozen=True)
class SeededSystem:
    """A machine, the threads on it, and the nodes whose memories take a random time a line."""

    machine: Machine
    workload: Workload
    random_service: tuple[int, ...]
    seed: int

    def plan(self) -> Plan:
        """Lower it; a random service is exponential, which no machine file can ask for."""
        plan = lower(self.machine, self.workload, self.seed)
        ports = [plan.controller_port[self.machine.node_ids.index(node)] for node in self.random_service]
        values = (*plan.draws.values, exponential(13_000))
        draws = tuple(len(values) - 1 if port in ports else draw for port, draw in enumerate(plan.ports.service_draw))
        return replace(plan, draws=Draws(values), ports=replace(plan.ports, service_draw=draws))

    def features(self) -> set[str]:
        """Name what is in it, for a test that counts."""
        threads, machine = self.workload.threads, self.machine
        ends = [link.ends for link in machine.links]
        found = {
            "a node without memory": any(node.controller is None for node in machine.nodes),
            "a node without cores": any(node.cores == 0 for node in machine.nodes),
            "parallel links": len(ends) > len(set(ends)),
            "links of two rates": len({link.rate_gt_per_s for link in machine.links}) > 1,
            "many credits": any(link.credits.request > 3 for link in machine.links),
            "one credit": any(link.credits.request == 1 for link in machine.links),
            "a barrier": any(access.barrier is not None for thread in threads for access in thread.accesses),
            "time slices": any(thread.time_slice is not None for thread in threads),
            "random arrivals": any(thread.arrivals is not None and thread.arrivals.random for thread in threads),
            "even arrivals": any(thread.arrivals is not None and not thread.arrivals.random for thread in threads),
            "random service": bool(self.random_service),
            "a rate": any(thread.rate_gb_per_s is not None for thread in threads),
            "background": any(thread.background for thread in threads),
            "sixteen threads": len(threads) == MOST_THREADS,
            "one thread": len(threads) == 1,
        }
        return {name for name, is_there in found.items() if is_there}


def seeded_system(number: int) -> SeededSystem:
    """Draw a system of 1 to 8 nodes, in turn, with 1 to 16 threads that run to the end of their programs."""
    random = Random(number)
    machine = _machine(random, 1 + number % MOST_NODES)
    homes = [node.id for node in machine.nodes if node.controller is not None]
    service = tuple(home for home in homes if random.random() < 0.1)
    return SeededSystem(machine, Workload(_threads(random, machine, homes)), service, seed=1 + number % 5)


def seeded_ring(number: int) -> SeededSystem:
    """Draw a ring of 5 to 7 of whose nodes some have threads that look 1 to 3 nodes ahead: about half of these rings deadlock."""
    random = Random(number)
    size, ahead = 5 + number % 3, 1 + number // 3 % 3
    credits = [f"link.credits.{name}={random.randint(1, 3)}" for name in _CREDITS]
    accesses = (Access(random.choice(_MODES), 0),) * random.randint(1, 10)
    threads = tuple(
        ThreadSpec(
            node,
            core,
            tuple(replace(access, memory=(node + ahead) % size) for access in accesses),
            window=random.randint(1, 4),
            core_time_ns=0.0,
            repeat=False,
        )
        for node in sorted(random.sample(range(size), random.randint(1, size)))
        for core in range(2)
    )
    return SeededSystem(ring(size, credits), Workload(threads), (), seed=1)


# -- machines --------------------------------------------------------------------------------------------------------------


def _machine(random: Random, count: int) -> Machine:
    ids = sorted(random.sample(range(11), count))
    cores = [random.choice([0, 1, 2, 8]) for _ in ids]
    memory = [random.random() < 0.6 for _ in ids]
    cores[random.randrange(count)] = 8
    memory[random.randrange(count)] = True
    nodes = [node_entry(node, cores=some, memory=has) for node, some, has in zip(ids, cores, memory, strict=True)]
    return round_machine(nodes, _links(random, ids), **_blocks(random))


def _links(random: Random, ids: Sequence[int]) -> list[dict[str, Any]]:
    pairs = [(ids[random.randrange(place)], ids[place]) for place in range(1, len(ids))]
    more = [(a, b) for a in ids for b in ids if a < b and (a, b) not in pairs]
    pairs += random.sample(more, random.randint(0, min(4, len(more))))
    entries = []
    for a, b in pairs:
        carried = random.choice(_CARRIED) if random.random() < 0.15 else (None,)
        for channels in carried:
            entry = link_entry(a, b, random.choice([0.5, 1.0, 2.0, 3.0, 4.0, 8.0]), latency_ns=float(random.randint(1, 20)))
            entries.append(entry if channels is None else {**entry, "carries": list(channels)})
    return entries


def _blocks(random: Random) -> dict[str, dict[str, Any]]:
    most = random.choice([1, 2, 3, 6, 24])

    def few() -> int:
        return random.randint(1, most)

    return {
        "core": {"core_time_ns": float(random.randint(0, 30)), "jitter_ns": float(random.randint(0, 3))},
        "sri": {
            "data_gb_per_s": random.choice([None, None, 2.0, 10.0]),
            "to_crossbar": {name: few() for name in ("request", "posted", "response", "request_data", "response_data")},
        },
        "crossbar": {
            "arbitration": random.choice(["round-robin", "response-first"]),
            "to_sri": {"probe": random.randint(1, 8)},
        },
        "controller": {
            "queue": random.randint(1, 20),
            "turnaround_ns": float(random.randint(0, 5)),
            "to_crossbar": {name: few() for name in ("response", "probe", "response_data")},
        },
        "link": {
            "credits": {name: few() for name in _CREDITS},
            "crc": {"bytes": random.choice([0, 4]), "every_bytes": random.choice([16, 64, 512])},
            "nop": {"bytes": random.choice([0, 4, 4, 4]), "releases_per_class": random.randint(1, 3)},
        },
    }


# -- threads ---------------------------------------------------------------------------------------------------------------


def _threads(random: Random, machine: Machine, homes: Sequence[int]) -> tuple[ThreadSpec, ...]:
    places = [(node.id, core) for node in machine.nodes for core in range(node.cores)]
    most = min(MOST_THREADS, len(places))
    chosen = random.sample(places, most if random.random() < 0.2 else random.randint(1, most))
    parties = set(chosen[: random.choice([0, 0, 1, 2, 4])])
    threads = [_thread(random, machine, homes, place, meets=place in parties) for place in chosen]
    if len(threads) < MOST_THREADS and random.random() < 0.3:
        threads[-1:] = _taking_turns(random, homes, threads[-1])
    return tuple(threads)


def _thread(random: Random, machine: Machine, homes: Sequence[int], place: tuple[int, int], meets: bool) -> ThreadSpec:
    sources = [node.id for node in machine.nodes if node.cores]
    accesses = [
        Access(
            random.choice(_MODES),
            random.choice(homes),
            victim_memory=random.choice([None, *homes]),
            extra_core_time_ns=random.choice([0.0, 0.0, 7.0]),
            node=random.choice([None, None, None, *sources]),
            compute_ns=random.choice([0.0, 0.0, 0.0, 13.0]),
        )
        for _ in range(random.randint(1, 4))
    ]
    if meets:
        accesses.append(Access(random.choice(_MODES), random.choice(homes), barrier=0))
    repeats = (
        random.choice([3, 3, 3, 2]) if meets else random.randint(1, 6)
    )  # one that meets less often leaves the others waiting
    pace: dict[str, Any] = random.choice([{}, {}, {}, {"rate_gb_per_s": 0.3}, {"rate_gb_per_s": 2.0}, {"arrivals": True}])
    if pace.get("arrivals"):
        pace = {"arrivals": Arrivals(float(random.randint(10, 300)), random=random.random() < 0.5)}
    return ThreadSpec(
        *place,
        tuple(accesses) * repeats,
        background=random.random() < 0.25,
        window=random.randint(1, 40 if "arrivals" in pace else 8),
        core_time_ns=random.choice([None, 0.0]),
        start_ns=float(random.randint(0, 50)),
        repeat=False,
        **pace,
    )


def _taking_turns(random: Random, homes: Sequence[int], thread: ThreadSpec) -> list[ThreadSpec]:
    """Return two threads on the core of one, each with its part of a common period."""
    period = float(random.randint(300, 1500))
    other = replace(thread, accesses=(Access(random.choice(_MODES), random.choice(homes)),) * random.randint(1, 9))
    return [
        replace(one, time_slice=TimeSlice(period, half * period / 2, 0.4 * period)) for half, one in enumerate((thread, other))
    ]
