# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 6. Your own machine: import, run, compare
#
# **Question.** You have a machine with two sockets, and `numactl --hardware` says the far memory
# is at distance 21 against 10. Is it 2.1 times as slow?
#
# **You will learn**
#
# - to make a model of a machine from what a tool prints, and to see every guess in it;
# - to run it and to predict a matrix of latencies and bandwidths;
# - to hold a model against measurements, with signed errors, and not to be fooled by a fit;
# - to fit one constant by hand, and to know what the measurement does *not* tell.
#
# Guess before you go on: of what a simulator needs, how much does `numactl --hardware` tell: all,
# half, or very little?

# %%
import tomllib
from dataclasses import replace

from simulator import load_machine
from simulator.interop.formats import read_text
from simulator.interop.import_report import import_report
from simulator.interop.measured import Quantity
from simulator.interop.measurements import read_measured
from simulator.interop.source import source_of
from simulator.interop.to_machine import Origin, machine_of
from simulator.machine.load import machine_from_dict
from simulator.measure.matrix import measure_matrix
from simulator.notebook.show import show, show_table
from simulator.notebook.slider import slider
from simulator.plots.comparison import draw_scatter
from simulator.plots.heat_map import draw_matrix
from simulator.plots.lines import Axis, Series, draw_lines
from simulator.plots.square import draw_machine
from simulator.tables import Table, number, row
from simulator.validation.compare import compare
from simulator.validation.comparison_tables import comparison_tables

# %% [markdown]
# ## Import
#
# Put here what `numactl --hardware` prints on your machine. (`lstopo`, `likwid-topology`,
# Coreinfo and Linux's `/sys` are read as well; on the command line it is one step: `numactl
# --hardware | numasim topo import - -o mine.toml`.)

# %%
HARDWARE = """
available: 2 nodes (0-1)
node 0 cpus: 0 1 2 3 4 5 6 7 8 9
node 0 size: 32128 MB
node 0 free: 30000 MB
node 1 cpus: 10 11 12 13 14 15 16 17 18 19
node 1 size: 32252 MB
node 1 free: 30500 MB
node distances:
node   0   1
  0:  10  21
  1:  21  10
"""
record = read_text(source_of(HARDWARE.encode(), "numactl"))
imported = import_report(
    machine_of(record, Origin("numactl", "numactl"), base="xeon-qpi", name="mine"),
    Origin("numactl", "numactl"),
)
for guess in imported.guesses:
    print(f"guess, {guess.about}: {guess.text}")
mine = machine_from_dict(tomllib.loads(imported.machine_file))
show("the imported machine", lambda path: draw_machine(mine, path))

# %% [markdown]
# Nodes, cores and memory sizes are told. Links follow from the distances here. **Times are not
# told at all**: they come from a base file of another machine. Every guess is written into the
# machine file as well, where you can replace it.
#
# ## Run
#
# What the model predicts before anybody has measured anything:

# %%
matrix = measure_matrix(mine)
show("predicted latencies and bandwidths", lambda path: draw_matrix(matrix, path))
near_ns, far_ns = matrix.values("latency")[0]
print(f"far over near: {far_ns / near_ns:.2f} in the model, {21 / 10:.2f} in the firmware's table")

# %% [markdown]
# The distances of the firmware are an order, not a measurement. They are only as good as who
# filled them in.
#
# ## Compare
#
# These are measured numbers of a real machine of that kind: two Xeon E5-2680 v2 (from the mctop
# collection; the file is in `experiments/measured`). On your own machine, `numasim measure
# --quick -o measured.csv` writes such a file in a few minutes, without root.

# %%
measured = read_measured("../experiments/measured/xeon-e5-2680v2-2s.csv")
guessed = compare(measured, mine)
show_table(*comparison_tables(guessed)[:-1])

# %% [markdown]
# Far over near was measured as 180.4 / 92.5 = 1.95. Latencies and one-core reads are close, for
# the base file stems from Xeons much like these. But look where the errors are large, and *in
# which pattern*:
#
# - **All cores, far memory: half of what was measured.** Near memory is right. So the link of the
#   model carries half of what the real one does. One link was a guess; this machine has two.
# - **Writes of one core: twice what was measured.** All cores together, near, are within 5 %. So
#   it is the core, not the memory: something limits stores that this model does not have. No
#   constant mends that.
#
# A model that is wrong in a pattern says what you did not know. Mend the first: two links, taken
# as one of twice the width.


# %%
def errors(comparisons):
    """Return the mean absolute error of each experiment, a column for each model."""
    rows = []
    for summaries in zip(*(comparison.summaries for comparison in comparisons.values())):
        values = (number(summary.mean_absolute_percent) for summary in summaries)
        rows.append(row(f"{summaries[0].experiment}, {summaries[0].unit}", *values))
    return Table("Mean absolute error, %", ("", *comparisons), tuple(rows))


wider = machine_from_dict(tomllib.loads(imported.machine_file), ["link.width_bits=32"])
mended = compare(measured, wider)
show("simulated over measured values", lambda path: draw_scatter(mended, path))
show_table(errors({"one link": guessed, "two links": mended}))

# %% [markdown]
# ## Fit by hand
#
# Now one constant, the latency of the link, against the idle latencies only: near and far. Move
# the slider until both points lie on the line.

# %%
idle = replace(
    measured, rows=tuple(one for one in measured.rows if one.quantity is Quantity.LATENCY)
)


def by_hand(latency_ns, path):
    """Draw simulated over measured idle latencies with that latency of the link."""
    machine = machine_from_dict(
        tomllib.loads(imported.machine_file),
        ["link.width_bits=32", f"link.latency_ns={latency_ns}"],
    )
    cells = {(cell.from_node, cell.to_node): cell for cell in compare(idle, machine).cells}
    near, far = cells[0, 0], cells[0, 1]
    series = [
        Series(f"near, {near.error_percent:+.1f} %", [(near.measured, near.simulated)], "points"),
        Series(f"far, {far.error_percent:+.1f} %", [(far.measured, far.simulated)], "points"),
        Series("equal", [(80, 80), (220, 220)], "dashed"),
    ]
    x, y = Axis("measured latency, ns", 220, 80), Axis("simulated latency, ns", 220, 80)
    draw_lines(series, path, x=x, y=y, title=f"latency of the link: {latency_ns} ns")


slider("latency of the link, ns", [20, 30, 40, 45, 50, 60], by_hand)

# %% [markdown]
# The far point moves by two ways over the link, there and back. The near one stands still up to
# 30 ns, then it moves too: from there on the other socket's answer to the probe comes later than
# the data (notebook 2). At 45 ns both are within 5 %, but they are never both exact: the near one
# asks for less than 45, the far one for more. One constant does not give you every pair of
# latencies that you like.
#
# `numasim calibrate` does this for many constants at once, holds rows out to test itself, and
# says which constants the measurement does *not* determine. The file `xeon-e5-2680v2-2s` that
# ships with the project was made with it:

# %%
fitted = compare(measured, load_machine("xeon-e5-2680v2-2s"))
show_table(errors({"one link": guessed, "two links": mended, "as shipped": fitted}))

# %% [markdown]
# ## Exercises
#
# **1.** In `HARDWARE`, replace both 21 by 16. What changes in the model's latencies?
#
# <details><summary>Answer</summary>
#
# Nothing. Distances give the links (who is one hop from whom), not the times.
#
# </details>
#
# **2.** You measure the latency matrix only. Which of these could you fit: latency of the link,
# rate of the link, time of the DRAM for a line, path of the controller?
#
# <details><summary>Answer</summary>
#
# The latency of the link, from far less near. Of the controller only the *sum* of its times on
# the way of a line; which part of it is service (D) and which is path shows under load only, at
# the wall of notebook 5. The rate of the link adds a few ns to far latencies, and is mixed up
# with its latency until there is load.
#
# </details>
#
# **3.** Import your own machine, or that of a friend: replace `HARDWARE`. Which guesses are
# wrong?
#
# <details><summary>Answer</summary>
#
# Mostly the cores: `numactl` counts hardware threads, so with hyper-threading there are half as
# many cores; `lstopo` output tells. And the constants: they are those of the base.
#
# </details>
