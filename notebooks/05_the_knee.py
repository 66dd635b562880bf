# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 5. Loaded-latency curves and the knee
#
# **Question.** A data sheet says: latency 95 ns, bandwidth 4.6 GB/s. Can you have both at once?
#
# **You will learn**
#
# - to draw the two asymptotes of any closed system from three numbers, without simulating
#   anything;
# - where the **knee** is, and what happens to those who go beyond it;
# - to read the loaded-latency curves that Intel's Memory Latency Checker and others print;
# - why a written line costs the memory two transfers.
#
# Guess before you go on: how many cache lines must be in flight for the full bandwidth: 2, 7 or
# 20?

# %%
from simulator import Accuracy, ThreadSpec, Workload, load_machine, run
from simulator.measure.loaded import measure_loaded_latency
from simulator.notebook.show import show, show_table
from simulator.notebook.slider import slider
from simulator.plots.lines import Axis, Series, draw_lines
from simulator.plots.loaded_latency import draw_loaded_latency
from simulator.tables import Table, number, row
from simulator.theory.bounds import workload_bounds
from simulator.units import LINE_BYTES
from simulator.workload import Access

quartet = load_machine("quartet")


def readers(memory, lines, core_time_ns=0.0):
    """Return readers on node 0 with so many lines in flight; beyond 8 two threads share them."""
    windows = [lines] if lines <= quartet.core.max_outstanding else [lines - lines // 2, lines // 2]
    reads = (Access("r", memory),)
    return Workload(
        tuple(
            ThreadSpec(0, core, reads, window=window, core_time_ns=core_time_ns)
            for core, window in enumerate(windows)
        )
    )


one_line = workload_bounds(quartet, readers(0, 1)).threads[0]
latency_ns, service_ns, knee = (
    one_line.latency_ns,
    one_line.bottleneck_ns,
    one_line.saturation_window,
)
print(f"latency when nothing waits, R: {latency_ns:.1f} ns")
print(f"time a line at the bottleneck ({one_line.bottleneck}), D: {service_ns:.2f} ns")
print(f"lines in flight that would fill it, R / D: {knee:.2f}")

# %% [markdown]
# ## Two straight lines
#
# N lines are in flight. Nothing can make a line faster than R, so the threads complete at most
# **N / R** lines a nanosecond. Nothing can make the bottleneck faster than D, so they complete at
# most **1 / D**. The first line rises, the second is flat, and they cross at **N\* = R / D**: the
# knee. (P. J. Denning, J. P. Buzen, *The operational analysis of queueing network models*, 1978.)

# %%
counts = list(range(1, 17))
runs = {lines: run(quartet, readers(0, lines)) for lines in counts}
rising = [(lines, LINE_BYTES * lines / latency_ns) for lines in (0, *counts)]
flat = [(lines, LINE_BYTES / service_ns) for lines in (0, *counts)]
had = [(lines, sum(thread.gb_per_s for thread in result.threads)) for lines, result in runs.items()]
walking, bottleneck = (
    Series("N / R: walking only", rising, "dashed"),
    Series("1 / D: the bottleneck", flat, "dashed"),
)
series = [walking, bottleneck, Series("simulated", had, "joined")]
in_flight = Axis("lines in flight, N", 16)
show(
    "bandwidth over lines in flight, with both asymptotes",
    lambda path: draw_lines(
        series,
        path,
        x=in_flight,
        y=Axis("bandwidth, GB/s", 6),
        title=f"Bandwidth, knee at {knee:.1f} lines",
    ),
)

floor = [(lines, latency_ns) for lines in (0, *counts)]
standing = [(lines, lines * service_ns) for lines in (0, *counts)]
seen = [(lines, result.latency_ns.mean) for lines, result in runs.items()]
walking, queue = (
    Series("R: walking only", floor, "dashed"),
    Series("N D: all stand in one line", standing, "dashed"),
)
series_ns = [walking, queue, Series("simulated", seen, "joined")]
show(
    "latency over lines in flight, with both asymptotes",
    lambda path: draw_lines(
        series_ns,
        path,
        x=in_flight,
        y=Axis("latency of a line, ns", 250),
        title="Latency: flat, then N D",
    ),
)

# %% [markdown]
# Up to 6 lines each line walks and nobody stands. From 7 on the memory is full: **every further
# line only makes all of them wait longer**. Bandwidth and latency together: 4.6 GB/s *and* 95 ns
# are had at one point, the knee, and only because this thread's requests come evenly. (With the
# spread of real cores the corner is rounded: exercise 2.)
#
# ## Farther away
#
# The same for each memory that node 0 can read, now in the form that measuring tools use: latency
# over bandwidth. Dashed: the floor R and the wall 64 B / D. Move the slider.


# %%
def curve(memory, path):
    """Draw latency over bandwidth for a place of the memory."""
    bound = workload_bounds(quartet, readers(memory, 1)).threads[0]
    wall = LINE_BYTES / bound.bottleneck_ns
    results = [run(quartet, readers(memory, lines)) for lines in counts]
    points = [
        (sum(thread.gb_per_s for thread in result.threads), result.latency_ns.mean)
        for result in results
    ]
    series = [
        Series("1 to 16 lines in flight", points, "joined"),
        Series("", [(0, bound.latency_ns), (wall, bound.latency_ns)], "dashed", colour=1),
        Series(
            f"floor {bound.latency_ns:.0f} ns, wall {wall:.2f} GB/s: {bound.bottleneck}",
            [(wall, 0), (wall, 400)],
            "dashed",
            colour=1,
        ),
    ]
    title = f"memory {memory}: the knee is at {bound.saturation_window:.1f} lines in flight"
    draw_lines(series, path, x=Axis("bandwidth, GB/s", 5), y=Axis("latency, ns", 400), title=title)


slider("memory of node", [0, 1, 2, 3], curve)

# %% [markdown]
# Over a link the wall comes earlier, at 3 GB/s instead of 4.6, for a line with its packets takes
# longer on the link than in the DRAM; and the floor lies higher. So the knee is at 5 lines one
# hop away, but at 6.5 two hops away: the bottleneck is the same, the walk longer, and more lines
# find room on the way.
#
# **Beyond the knee it even becomes less.** The links of this model send responses before probes.
# Once data fill the link, probes wait for gaps, their answers come late, and lines that have long
# had their data stand and wait for them. Exercise 4 looks at it. It is also where the model is
# known to be too pessimistic: docs/model.md, *All nodes read from all nodes*.
#
# ## As a tool measures it
#
# Nobody can set N on a real machine. Tools such as Intel MLC let one thread read line after line,
# and others load the memory, with a pause between their lines that they make shorter and shorter.
# Here three threads of nodes 0 and 1 make the load, with reads only, half of the lines written,
# or all.

# %%
report = measure_loaded_latency(
    quartet, 0, 0, (1.0, 0.5, 0.0), load_nodes=(0, 1), accuracy=Accuracy(ci_percent=2.0)
)
show("loaded-latency curves", lambda path: draw_loaded_latency(report, path))
rows = []
for point in report.curve(1.0):
    values = (
        number(point.latency_ns),
        number(point.bandwidth_gb_per_s, 2),
        number(100 * point.memory_utilization),
    )
    rows.append(row(str(point.inject_delay_ns), *values, "knee" if point.saturated else ""))
show_table(
    Table(
        "Reads only",
        ("pause, ns", "latency, ns", "GB/s", "memory busy, %", ""),
        tuple(rows),
        left=0,
    )
)

# %% [markdown]
# With writes the curve turns at 2.4 GB/s instead of 3.9: the memory is busier than with reads,
# for every written line is first read and later written back, **two transfers a line**.
#
# Look at the upper end of the reading curve in the table. From 3.84 GB/s on, all that pushing
# gains 9 % of bandwidth, and the latency grows from 128 to 340 ns. Those who push do not pay
# alone: **the measuring thread, which has one line in flight, stands in the same queue.**
#
# ## Exercises
#
# **1.** A machine has R = 80 ns, D = 1.6 ns (40 GB/s), and a core keeps 10 lines in flight. How
# many cores does it take to fill its memory? And what is a core's bandwidth?
#
# <details><summary>Answer</summary>
#
# The knee is at R / D = 50 lines: 5 cores. One core gets 10 · 64 B / 80 ns = 8 GB/s, a fifth of
# the memory. That a single core cannot fill the memory of a server is Little's law, not a fault.
#
# </details>
#
# **2.** Real cores do not ask evenly. Draw the bandwidth once more with `readers(0, lines,
# core_time_ns=60.0)`. Where is the knee, and why is the corner rounded?
#
# <details><summary>Answer</summary>
#
# N\* = (R + Z) / D = (94.6 + 60) / 14.02 = 11.0 lines. The core time varies by ±39 ns from line
# to line, so lines come in bunches, and some wait long before the memory is full: notebook 1.
#
# ```python
# points = [(n, sum(t.gb_per_s for t in run(quartet, readers(0, n, 60.0)).threads)) for n in counts]
# ```
#
# </details>
#
# **3.** You tune a service that must answer within 150 ns. The memory's bandwidth is 4.6 GB/s.
# How much load of others would you allow on it?
#
# <details><summary>Answer</summary>
#
# From the table: at 3.8 GB/s the latency is 128 ns, at 3.9 it is 199 ns. So about 3.8 GB/s, and
# better some less, for nothing warns before the knee: at 2.9 GB/s the latency is 99 ns, hardly
# more than idle.
#
# </details>
#
# **4.** Draw the curve of memory 1 once more on `load_machine("quartet",
# ["crossbar.arbitration=round-robin"])`, where every kind of packet gets its turn. What becomes
# of the loss beyond the knee?
#
# <details><summary>Answer</summary>
#
# It is gone: 2.8 GB/s with 6 lines and with 8, where responses first gives 2.3 and 2.4. The mean
# wait for probes with 6 lines falls from 41 to 4 ns. A fixed priority is cheap, and mostly
# harmless, but it can keep those waiting for whom everybody waits.
#
# ```python
# fair = load_machine("quartet", ["crossbar.arbitration=round-robin"])
# for machine in (quartet, fair):
#     result = run(machine, readers(1, 6))
#     print(result.threads[0].gb_per_s, result.breakdown[0].parts_ns.probe_wait)
# ```
#
# </details>
