"""`python -m benchmarks.serve`: how soon `numasim serve` answers a changed set-up, and twenty pages at once.

Exit code 1 where the median of the changed set-ups is late, or an answer is missing.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from statistics import median, quantiles
from typing import Any

_SERVE = "import sys; from simulator.cli.main import main; sys.exit(main(['serve', '--port', '0']))"
_CHANGES, _PAGES = 60, 20
_LATEST_S = 1.0  # median of a changed set-up of the Quartet, on two cores


def main() -> int:
    """Measure and print."""
    process = subprocess.Popen([sys.executable, "-c", _SERVE], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        link = next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
        seconds = changes(link)
        everything = [one for times in seconds.values() for one in times]
        right, lines = pages(link)
    finally:
        process.terminate()
        process.wait()
    table = [
        f"{threads} threads: median {median(times):.2f} s, 90 % within {quantiles(times, n=10)[-1]:.2f} s"
        for threads, times in seconds.items()
    ]
    total = f"all {len(everything)} changes: median {median(everything):.2f} s, longest {max(everything):.2f} s"
    sys.stdout.write("\n".join((f"{os.cpu_count()} processors", *table, total, *lines)) + "\n")
    return 1 if right < _PAGES or median(everything) > _LATEST_S else 0


def changes(link: str) -> dict[int, list[float]]:
    """Return how long answers to changed set-ups take, s, by the number of threads: one page, one change after the other."""
    ask(link, "one", placement(random.Random(0), 2))  # the first loads the engine
    chance, seconds = random.Random(1), {2: [], 4: [], 8: []}  # type: tuple[random.Random, dict[int, list[float]]]
    for number in range(_CHANGES):
        threads = (2, 4, 8)[number % 3]
        start = time.perf_counter()
        ask(link, "one", placement(chance, threads))
        seconds[threads].append(time.perf_counter() - start)
    return seconds


def pages(link: str) -> tuple[int, list[str]]:
    """Ask as twenty pages at once; return how many got the right answer, and what is to be said."""
    chance = random.Random(2)
    asked = [placement(chance, 2 + number % 3) for number in range(_PAGES)]
    start = time.perf_counter()

    def one(number: int) -> tuple[bool, float]:
        body = ask(link, f"page-{number}", asked[number])
        shown = {thread["label"] for thread in json.loads(body["document"])["threads"]}
        return shown == set(asked[number]["threads"]), time.perf_counter() - start

    with ThreadPoolExecutor(_PAGES) as crowd:
        answers = [crowd.submit(one, number) for number in range(_PAGES)]
        waits = []
        while not all(answer.done() for answer in answers):
            before = time.perf_counter()
            urllib.request.urlopen(link, timeout=60).read()
            waits.append(time.perf_counter() - before)
            time.sleep(0.02)
        done = [answer.result() for answer in answers]
    right, seconds = sum(fits for fits, _ in done), sorted(time for _, time in done)
    return right, [
        f"{_PAGES} pages at once: {right} right answers, the first after {seconds[0]:.2f} s, the last after {seconds[-1]:.2f} s",
        f"the page itself meanwhile: median {1000 * median(waits):.0f} ms, longest {1000 * max(waits):.0f} ms",
    ]


def placement(chance: random.Random, threads: int) -> dict[str, Any]:
    """Return threads on cores of the Quartet, each with a memory."""
    cores = chance.sample([(node, core) for node in range(4) for core in range(2)], threads)
    labels = [f"{node}.{core}.{chance.choice('rw')}.{chance.randrange(4)}" for node, core in cores]
    return {"machine": "quartet", "threads": labels}


def ask(link: str, tab: str, setup: dict[str, Any]) -> dict[str, Any]:
    """Run a set-up."""
    data = json.dumps({"tab": tab, "setup": setup}).encode()
    request = urllib.request.Request(f"{link}api/run", data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        body: dict[str, Any] = json.loads(answer.read())
    return body


if __name__ == "__main__":
    sys.exit(main())
