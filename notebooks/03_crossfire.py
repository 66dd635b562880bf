# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 3. Crossfire, and what makes the 87 %
#
# **Question.** Two threads on neighbouring nodes each write to the other's memory. The link
# between them can carry 4 GB/s in each direction. AMD measured 3.5 GB/s, 87 %, and no more, and
# the threads were slower than with their memories elsewhere. Why is it not 100 %, and why are
# they slow if the link is not full?
#
# **You will learn**
#
# - what *crossfire* is, and to see it in the loads of the links;
# - what goes over a link beside data;
# - to tell walking (latency) from standing (queueing) in a breakdown;
# - that utilisation is an outcome: a closed system fills a link only as far as its lines in
#   flight allow;
# - to test an explanation by changing one thing at a time.
#
# Guess before you go on: which part of what crosses the link is data: 50, 75 or 95 %?

# %%
from simulator import Workload, load_machine, load_reference, run
from simulator.measure.demand import with_demand
from simulator.notebook.show import show, show_table
from simulator.notebook.slider import slider
from simulator.plots.breakdown import draw_breakdown
from simulator.plots.link_bytes import draw_link_bytes
from simulator.plots.placements import draw_placements
from simulator.plots.square import draw_machine
from simulator.tables import Table, number, row

CROSSFIRE, ELSEWHERE = (
    Workload.from_labels(["0.0.w.1", "1.0.w.0"]),
    Workload.from_labels(["0.0.w.1", "1.0.w.3"]),
)
quartet = load_machine("quartet")
crossfire, elsewhere = run(quartet, CROSSFIRE), run(quartet, ELSEWHERE)
show(
    "loads of the Quartet in crossfire",
    lambda path: draw_machine(quartet, path, crossfire, heading="crossfire"),
)
show(
    "loads of the Quartet without crossfire",
    lambda path: draw_machine(quartet, path, elsewhere, heading="no crossfire"),
)

# %% [markdown]
# A thread is written as AMD writes it: `node.core.w.memory`. In the upper picture both directions
# of link 0-1 are 90 % busy. Below, the second writer's memory is on node 3: it is the same number
# of hops, but no link carries the lines of both threads. Published beside simulated:

# %%
reference = load_reference("amd-40555")
published = {case.threads: case.published_percent for case in reference.find_figure("6").cases}
base_ns = (
    run(quartet, Workload.from_labels(list(reference.base.threads))).threads[0].time_per_line_ns
)
rows = []
for name, result in (("crossfire", crossfire), ("no crossfire", elsewhere)):
    mean_ns = sum(thread.time_per_line_ns for thread in result.threads) / len(result.threads)
    labels = tuple(thread.label for thread in result.threads)
    cells = (
        number(mean_ns),
        number(100 * mean_ns / base_ns),
        number(published[labels]),
        number(result.links["0->1"].gb_per_s, 2),
    )
    rows.append(row(name, *cells))
headers = ("case", "ns a line", "% of a local reader", "published %", "link 0->1, GB/s")
show_table(Table("Two writers", headers, tuple(rows)))

# %% [markdown]
# The simulator is 4 % too fast here, and it fills the link to 90 % where AMD measured 87 %. No
# constant in the model says how efficient a link is; the number comes out of the parts.
#
# ## Standing in front of the link
#
# Where does the time of a line go? Plain is walking, hatched is waiting.

# %%
show(
    "time a line, walking and standing",
    lambda path: draw_placements(
        {"crossfire": crossfire, "no crossfire": elsewhere}, path, title="Two writers", until_ns=70
    ),
)
show(
    "where a line's time goes in crossfire",
    lambda path: draw_breakdown(crossfire, path, heading="crossfire"),
)
show(
    "where a line's time goes without crossfire",
    lambda path: draw_breakdown(elsewhere, path, heading="no crossfire"),
)

# %% [markdown]
# Both walk equally far. In crossfire they stand: 24 ns for the link, which each line needs
# several times, against 3 to 4 ns without. (Bars of a breakdown are the time of a line in its
# slot. With four slots a thread completes four lines in that time.)
#
# ## What fills the link
#
# A line written over a link is a request out, a line in, a line out (the one it replaces), and
# probes, answers and notes both ways. And **flow control**: every buffer that comes free must be
# told to the other side, in packets of 4 bytes that use the link like any other. Move the slider
# over the number of lines that a core keeps in flight; AMD's processors behave like 4.


# %%
def fill(lines, path):
    """Draw what link 0->1 carries when cores keep so many lines in flight."""
    machine = load_machine("quartet", [f"core.window={lines}"])
    runs = {"crossfire": run(machine, CROSSFIRE), "no crossfire": run(machine, ELSEWHERE)}
    in_flight = f"{lines} line{'s' if lines > 1 else ''} in flight"
    draw_link_bytes(runs, "0->1", path, title=in_flight, published_percent=87)


slider("lines in flight", [1, 2, 3, 4, 5, 6], fill, start=3)

# %% [markdown]
# So the 87 % is not a property of the link. With one line less in flight it is 75 %, with one
# more it is full. **A closed system asks for the next line when it has one; what it offers
# depends on how long it waits.** With 4 lines in flight the two writers offer almost, but not
# quite, what the link can carry, and they queue while they do so.
#
# How much would they send if this link were ideal? AMD writes that 4.4 GB/s would be needed.

# %%
demand = with_demand(quartet, CROSSFIRE, crossfire)
for key in ("0->1", "1->0"):
    report = demand.links[key]
    ideal = f"an ideal one would carry {report.demand_gb_per_s:.2f}"
    print(f"link {key}: carries {report.gb_per_s:.2f} GB/s, {ideal}")

# %% [markdown]
# ## One thing at a time
#
# AMD's text names full buffers as the cause. A simulator can test that: change one thing, leave
# the rest.

# %%
credit_names = type(quartet.links[0].credits).model_fields
more_credits = [
    f"link.credits.{name}={4 * getattr(quartet.links[0].credits, name)}" for name in credit_names
]
changes = {
    "as it is": [],
    "four times the credits": more_credits,
    "flow control for nothing": ["link.nop.bytes=0"],
    "link of twice the rate": [f"link.rate_gt_per_s={2 * quartet.links[0].rate_gt_per_s}"],
    "link of half the latency": [f"link.latency_ns={quartet.links[0].latency_ns / 2}"],
}
rows = []
for name, settings in changes.items():
    result = run(load_machine("quartet", settings), CROSSFIRE)
    time_ns = result.threads[0].time_per_line_ns
    faster = 100 * (crossfire.threads[0].time_per_line_ns / time_ns - 1)
    rows.append(
        row(
            name,
            number(time_ns),
            number(faster, signed=True),
            number(100 * result.links["0->1"].utilization),
        )
    )
show_table(
    Table(
        "Crossfire with one thing changed",
        ("change", "ns a line", "faster by %", "link use %"),
        tuple(rows),
    )
)

# %% [markdown]
# Four times the buffers buy 1 %. The queues in front of the link are long, so buffers *are* full,
# but they are full because the link is slow, not the other way round: a longer waiting room makes
# no counter faster. Twice the rate buys 16 %.
#
# `numasim why quartet 0.0.w.1 1.0.w.0` makes such a table of every resource in turn.
#
# ## Exercises
#
# **1.** Of 100 bytes on link 0->1 in crossfire, how many are data? Where are the others?
#
# <details><summary>Answer</summary>
#
# 64 %: each line written moves 64 B of data out and 64 B in, so one line of each of the two
# threads crosses each direction, 128 of 200 B. The other 36 % are responses, commands, probes,
# flow control (11 %) and CRC.
#
# ```python
# sizes = crossfire.links["0->1"].bytes_by_class.model_dump()
# {name: round(100 * size / sum(sizes.values())) for name, size in sizes.items()}
# ```
#
# </details>
#
# **2.** With 6 lines in flight and no crossfire, a line takes 35 ns; in crossfire 46 ns. With 2
# lines, 96 and 99. Why is crossfire nearly harmless with few lines in flight?
#
# <details><summary>Answer</summary>
#
# With 2 lines a thread the link is 54 % busy and hardly anyone stands in line: the time is all
# walking. The walking is the same in both cases. Standing begins near the knee, and the more
# lines are in flight the sooner the knee is reached: notebook 5.
#
# </details>
#
# **3.** Let both writers write to their *own* memory (`0.0.w.0 1.0.w.1`). How much does crossfire
# cost against that? AMD: 149 against 113 %.
#
# <details><summary>Answer</summary>
#
# 44.5 ns a line against 55.2, 115 against 143 %: crossfire costs a quarter (AMD: a third).
#
# </details>
