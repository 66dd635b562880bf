# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 2. Hops, and why local is not free on four sockets
#
# **Question.** On AMD's "Quartet", four Opterons in a square, a thread that reads its own memory
# is only 8 % faster than one that reads its neighbour's. A hop over a link costs far more time
# than that. Where has the difference gone?
#
# **You will learn**
#
# - to read a machine: nodes, links, hops, and the matrix of idle latencies;
# - why a local read takes 95 ns on four sockets and 58 ns on one, though it is the same chip and
#   the same memory;
# - what a *probe* is, and what cache coherence costs those who share nothing;
# - how a thread that keeps several lines in flight hides a part of the latency, and which part.
#
# Guess before you go on: on an idle machine, which takes longer, the way of the data or something
# else?

# %%
from simulator import load_machine, load_reference, reproduce
from simulator.measure.matrix import measure_matrix
from simulator.notebook.show import show, show_table
from simulator.notebook.slider import slider
from simulator.plots.figures import draw_figure
from simulator.plots.heat_map import draw_matrix
from simulator.plots.race import draw_race
from simulator.plots.square import draw_machine
from simulator.tables import Table, number, row
from simulator.theory.zero_load import zero_load
from simulator.validation.tables import bars_table

quartet = load_machine("quartet")
show("the Quartet: four nodes in a square", lambda path: draw_machine(quartet, path))

# %% [markdown]
# Node 0 has two neighbours, 1 and 2, one **hop** away. Node 3 is two hops away. One core reads
# one line at a time from each memory, on an idle machine:

# %%
matrix = measure_matrix(quartet, ("latency",))
show("matrix of idle latencies", lambda path: draw_matrix(matrix, path))

# %% [markdown]
# The steps of node 0 are odd. From its own memory to that of its neighbour 1: 12 ns. From there to
# the far one, on node 3: 31 ns. Yet each step is one more link, and all links are alike.
#
# ## A race
#
# A line is in use by one node only, or by several, and nobody knows without asking. So the home
# of a line sends a **probe** to *every* node ("have you a newer copy?"), and the reader goes on
# when it has the data **and every answer**. The line is complete when the last of the racers is
# there. Move the slider over the memories that node 0 can read.


# %%
def race(memory, path):
    """Draw the race of a line that node 0 reads."""
    draw_race(
        zero_load(quartet, 0, memory), path, title=f"node 0 reads memory {memory}", until_ns=160
    )


slider("memory of node", list(range(4)), race)

# %% [markdown]
# Reading its own memory, node 0 has its data after 58 ns. Then it stands and waits for the answer
# of node 3, two hops there and two hops back: 95 ns. One hop away the data comes just after the
# last answer. **Local is not free on four sockets: it costs what the farthest answer costs.**
#
# This is why one node by itself is so much quicker. The published values: 60 ns on one socket, 95
# ns on four.

# %%
alone = zero_load(load_machine("one-node"), 0, 0)
show(
    "race of a line on one node by itself: the data come last",
    lambda path: draw_race(alone, path, title="one node by itself", until_ns=160),
)

reference = load_reference("amd-40555")
measured = {
    (one.machine, one.node, one.memory): one.value
    for one in reference.anchor
    if one.kind == "idle_latency_ns"
}
ours = {"one-node": alone, "quartet": zero_load(quartet, 0, 0)}
rows = [
    row(name, number(line.latency_ps / 1000), number(measured[name, 0, 0]), line.decided_by)
    for name, line in ours.items()
]
show_table(
    Table(
        "Latency of a local read, ns",
        ("machine", "simulated", "published", "what comes last"),
        tuple(rows),
    )
)

# %% [markdown]
# ## Step by step
#
# The way that decides, with every nanosecond. A *port* serves the packet (a link: size / rate), a
# *delay* is wire, crossbar or pipeline.

# %%
for memory in (0, 1):
    line = zero_load(quartet, 0, memory)
    steps = [row(step.place, step.packet, number(step.time_ps / 1000, 2)) for step in line.steps]
    latency_ns = line.latency_ps / 1000
    title = f"Node 0 reads memory {memory}: {latency_ns:.1f} ns, decided by the {line.decided_by}"
    show_table(Table(title, ("place", "packet", "ns"), tuple(steps), left=2))

# %% [markdown]
# ## What a thread feels
#
# A core does not read one line at a time. It keeps four in flight, and rests for its core time
# after each. AMD measured what a thread pays, in per cent of a local reader (figure 4 of
# application note 40555) and of writers (figure 5):

# %%
replay = reproduce(reference, ["4", "5"])
for figure in replay.figures:
    show(
        "published and simulated bars",
        lambda path: draw_figure(figure, replay.report.bars, path, base=reference.base.threads[0]),
    )
show_table(bars_table(reference, replay.report.bars))

# %% [markdown]
# With N lines in flight, latency R and core time Z, a thread completes a line every (R + Z) / N.
# That is **Little's law** turned round. So the hop to node 1, which adds 12 ns to R = 95 ns, adds
# 12 ns to R + Z = 155 ns: the core time thins the difference out.
#
# ## Exercises
#
# **1.** Compute the time a line of `0.0.r.0` and `0.0.r.3` from the idle latencies, N = 4 and Z =
# 60 ns. Compare with AMD's 130 %.
#
# <details><summary>Answer</summary>
#
# (94.7 + 59.8) / 4 = 38.6 ns and (138.3 + 59.8) / 4 = 49.5 ns: 128 %. The run gives 50.3 ns, 130
# %: with four lines in flight they are in each other's way now and then. The latency alone would
# say 146 %.
#
# </details>
#
# **2.** All links to node 3 get slower: `load_machine("quartet", ["link[1-3].latency_ns=50",
# "link[2-3].latency_ns=50"])`. Node 0 reads its **own** memory. What happens?
#
# <details><summary>Answer</summary>
#
# Its reads take 174 ns instead of 95, although they cross no link at all: the probe to node 3 and
# the answer each take a slow link. Look at it with `race` on that machine. One slow link slows
# everyone's local reads; that is why larger machines later got probe filters (directories), which
# know whom they need not ask.
#
# </details>
#
# **3.** Which memory would you choose for a thread on node 0 of the Quartet if its own is full?
# Does it matter which neighbour?
#
# <details><summary>Answer</summary>
#
# A neighbour, 1 or 2: 12 % more latency, 8 to 9 % more time a line at AMD. The two differ by 1 %
# in AMD's table. Not the far one, which costs 30 %. But that holds on an *idle* machine only: see
# notebook 4.
#
# </details>
