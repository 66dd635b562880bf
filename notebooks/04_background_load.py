# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 4. Background load: when far beats near
#
# **Question.** In the supermarket the near lane has 20 people waiting, the far one has 2. Walking
# is latency, standing is queueing. When is a memory **two hops away faster than your own**?
#
# **You will learn**
#
# - that "near is fast" is a statement about an idle machine;
# - to split a line's time into walking and standing, and to see the choice turn round as load
#   grows;
# - why two writers on one node are better off with their memories apart, and when that stops
#   being true;
# - to check such a claim against what AMD measured.
#
# Guess before you go on: two threads on other nodes read *your* memory, each with 2 GB/s. Your
# memory can deliver about 4.5. Is it still the best place for you?

# %%
from simulator import Workload, load_machine, load_reference, reproduce, run
from simulator.notebook.show import show, show_table
from simulator.notebook.slider import slider
from simulator.plots.levels import draw_levels
from simulator.plots.placements import draw_placements
from simulator.plots.square import draw_machine
from simulator.validation.tables import bars_table

quartet = load_machine("quartet")

# %% [markdown]
# ## One reader, and others at its memory
#
# A thread on node 0 reads. Its memory may be its own, a neighbour's (node 1) or the far one's
# (node 3). Meanwhile two threads, on nodes 1 and 2, read the memory of **node 0**. Move the
# slider over how much each of them asks for.

# %%
PLACES = {"own memory": 0, "one hop": 1, "two hops": 3}


def with_others(rate_gb_per_s, path):
    """Draw the reader's time a line for each place of its memory."""
    others = {"1.0.r.0": rate_gb_per_s, "2.0.r.0": rate_gb_per_s} if rate_gb_per_s else {}
    runs = {
        name: run(quartet, Workload.from_labels([f"0.0.r.{memory}"], others))
        for name, memory in PLACES.items()
    }
    draw_placements(runs, path, title=f"others ask for {rate_gb_per_s:g} GB/s each", until_ns=90)


slider("others, GB/s each", [0, 1, 1.5, 1.75, 2, 4], with_others, words=lambda rate: f"{rate:g}")

# %% [markdown]
# The walking never changes: it is a property of the machine. The standing changes, and with it
# the order. Up to 1.5 GB/s each nothing much happens. From 1.75 on the own memory is the
# **worst** place and even the one two hops away is faster. The thread that "has its memory at
# home" stands in line at home. It turns so suddenly because a queue does (notebook 1): the
# others' 3 to 4 GB/s and the reader's own 1.6 are more than the 4.5 GB/s that the memory can
# deliver.
#
# See it on the machine: the memory of node 0 is dark.

# %%
near = run(quartet, Workload.from_labels(["0.0.r.0"], {"1.0.r.0": 2.0, "2.0.r.0": 2.0}))
far = run(quartet, Workload.from_labels(["0.0.r.3"], {"1.0.r.0": 2.0, "2.0.r.0": 2.0}))
show(
    "loads with the reader's own memory",
    lambda path: draw_machine(quartet, path, near, heading="near"),
)
show("loads with the far memory", lambda path: draw_machine(quartet, path, far, heading="far"))

# %% [markdown]
# ## What AMD measured
#
# The same thought, with two writers on node 0. Both memories on node 0: the controller serves
# both. The second memory elsewhere: that thread walks, but nobody stands. Then the background
# grows: readers on nodes 1, 2 and 3, each in its own memory, asking for 0.5 to 4 GB/s, so that
# elsewhere is crowded too.

# %%
reference = load_reference("amd-40555")
rates = {level.name: level.gb_per_s for level in reference.background_level}
SECOND = {"both on node 0": 0, "second on node 1": 1, "second on node 3": 3}


def two_writers(rate_gb_per_s, path):
    """Draw the two writers' mean time a line for each place of the second memory."""
    others = {f"{node}.0.r.{node}": rate_gb_per_s for node in (1, 2, 3)} if rate_gb_per_s else {}
    runs = {
        name: run(quartet, Workload.from_labels(["0.0.w.0", f"0.1.w.{memory}"], others))
        for name, memory in SECOND.items()
    }
    draw_placements(
        runs, path, title=f"readers elsewhere: {rate_gb_per_s:g} GB/s each", until_ns=85
    )


slider("background, GB/s each", [0.0, *rates.values()], two_writers, words=lambda rate: f"{rate:g}")

# %% [markdown]
# On the idle machine it pays to put the second memory elsewhere. At 4 GB/s the neighbours'
# memories are nearly full by themselves, and it no longer pays: AMD's figures 11 to 15 show the
# same turn. Filled marks are simulated, hollow ones published; two of the levels are assumed (the
# note does not say how much "medium" and "high" are).

# %%
figures = ["11", "12", "13", "14", "15"]
replay = reproduce(reference, figures)
show(
    "time a line over background, published and simulated",
    lambda path: draw_levels(
        reference, [reference.find_figure(figure) for figure in figures], replay.report.bars, path
    ),
)
show_table(bars_table(reference, replay.report.bars))

# %% [markdown]
# ## The rule
#
# > **Choose the memory with the least walking plus standing, not the nearest.** On an idle
# > machine that is the nearest. When a controller or link nears the knee of its curve (notebook
# > 5), standing outgrows every walk.
#
# ## Exercises
#
# **1.** At which background (GB/s each) does the neighbour's memory begin to beat the own one in
# the first slider, and when does the far one? Try rates between 1.5 and 1.8. How busy is the
# controller of the own memory there?
#
# <details><summary>Answer</summary>
#
# The neighbour's at about 1.6 GB/s each (47 ns both), the far one at nearly 1.7. The controller
# of node 0 is busy for 79 % of the time at 1 GB/s each, 90 % at 1.25, and all the time from 1.5
# on:
#
# ```python
# for rate in (1, 1.25, 1.5, 1.6, 1.7, 1.8):
#     result = run(quartet, Workload.from_labels(["0.0.r.0"], {"1.0.r.0": rate, "2.0.r.0": rate}))
#     print(rate, result.threads[0].time_per_line_ns, result.controllers["0"].utilization)
# ```
#
# </details>
#
# **2.** An operating system interleaves pages over all memories (`numactl --interleave=all`).
# Every fourth line is near, two are one hop, one is two hops away. When is that a good idea?
#
# <details><summary>Answer</summary>
#
# When the own memory would be the bottleneck: many threads on one node, or one array that all
# nodes use. Each line walks farther in the mean, but the load is spread over four controllers.
# For a single thread on an idle machine it only adds walking.
#
# </details>
#
# **3.** Two writers, both memories on node 0, take 146 % of a local reader. Why do they not take
# 200 %, as one memory serves two?
#
# <details><summary>Answer</summary>
#
# Because one writer alone does not fill the memory: it moves 2.9 GB/s of the 4.5 that the
# controller can (each written line is one read and one write back). Two would ask for 5.8 and
# share 4.5; part of the time they would have walked anyway now passes standing. A bottleneck
# shows as a limit on the sum, not as a factor for each.
#
# </details>
