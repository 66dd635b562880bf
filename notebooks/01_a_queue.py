# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 1. A queue
#
# **Question.** A memory needs 14 ns for a cache line, and lines are asked for every 16 ns in the
# mean. The memory is fast enough, so nobody should have to wait. How long does a line wait?
#
# **You will learn**
#
# - to work out a queue by hand, with nothing but a maximum;
# - what *utilisation* says and what it hides: the wait grows with 1 / (1 - utilisation);
# - that it is the *unevenness* of arrivals and services that makes people wait, not the lack of
#   servers;
# - to check a simulation against a formula, and a formula against a simulation.
#
# Before you go on, write down your answer to the question: 0 ns, 2 ns, 14 ns, or more?

# %%
import random

import simpy

from simulator import load_machine
from simulator.measure.station import dram_station
from simulator.notebook.show import show, show_table
from simulator.notebook.slider import slider
from simulator.plots.lines import Axis, Series, draw_lines
from simulator.plots.visits import Visit, draw_present, draw_visits
from simulator.tables import Table, number, row
from simulator.theory.queueing import m_d_1, m_m_1

machine = load_machine("one-node")
service_ns = machine.node(0).controller.read_ns
print(f"This machine's memory needs {service_ns} ns for a line.")

# %% [markdown]
# ## By hand
#
# Ten customers come to one server. First come, first served. One rule is all there is: **service
# starts when the customer is there and the server is free**, whichever is later.

# %%
arrivals = [2, 10, 14, 20, 50, 52, 54, 56, 90, 140]
services = [14] * len(arrivals)


def serve(arrivals, services):
    """Serve customers in the order in which they come."""
    visits, free_from = [], 0
    for arrival, service in zip(arrivals, services):
        start = max(arrival, free_from)
        free_from = start + service
        visits.append(Visit(arrival, start, free_from))
    return visits


visits = serve(arrivals, services)
mean_wait = sum(visit.start - visit.arrival for visit in visits) / len(visits)
busy = sum(services) / visits[-1].end
show(
    "ten customers at one server: waiting and service of each",
    lambda path: draw_visits(
        visits,
        path,
        title=f"Ten customers, 14 ns each: the server is busy for {100 * busy:.0f} % of the time",
    ),
)
print(f"mean wait: {mean_wait:.1f} ns")

# %% [markdown]
# The same ten customers, evenly spread over the same time, would not wait at all. They come in
# bunches, so they stand behind each other, and later the server stands idle: **time that a server
# was idle is lost; it cannot be used later.**
#
# ## More and more customers
#
# Now customers come at random (exponential gaps between them), and the time that each needs is
# random too (exponential, 14 ns in the mean). Move the slider. The server is never too slow: it
# can always do more than it is asked for. The random numbers are the same at every position, only
# the gaps shrink.


# %%
def random_customers(utilization, count):
    """Return arrivals and services that keep the server busy for that share of the time."""
    draw = random.Random(7)
    arrivals, services, now = [], [], 0.0
    for _ in range(count):
        now += draw.expovariate(utilization / service_ns)
        arrivals.append(now)
        services.append(draw.expovariate(1 / service_ns))
    return arrivals, services


def draw_queue(utilization, path):
    """Draw the customers that are there over the first 3 microseconds."""
    visits = serve(*random_customers(utilization, 400))
    draw_present(
        visits, path, title=f"busy for {100 * utilization:.0f} % of the time", until=3000, most=30
    )


slider(
    "utilisation",
    [0.3, 0.5, 0.7, 0.8, 0.9, 0.95],
    draw_queue,
    words=lambda share: f"{100 * share:.0f} %",
    start=1,
)

# %% [markdown]
# ## By formula
#
# For this queue, called **M/M/1**, theory knows the mean wait: with service time S and
# utilisation ρ
#
# > wait = S · ρ / (1 − ρ)
#
# and half of that where every service takes the same time (**M/D/1**: Pollaczek and Khinchine).
# The library has both.

# %%
loads = [0.3, 0.5, 0.7, 0.8, 0.875, 0.9, 0.95]
rows = []
for load in loads:
    exponential, constant = (
        m_m_1(load / service_ns, service_ns),
        m_d_1(load / service_ns, service_ns),
    )
    times = [exponential.wait_ns, constant.wait_ns, exponential.response_ns, exponential.present]
    rows.append(row(f"{100 * load:.1f} %", *(number(time) for time in times)))
headers = (
    "utilisation",
    "M/M/1 wait, ns",
    "M/D/1 wait, ns",
    "M/M/1 wait + service, ns",
    "M/M/1 customers there",
)
show_table(Table("The formulas", headers, tuple(rows)))

# %% [markdown]
# There is the answer to the question: a line every 16 ns keeps the memory busy for 87.5 % of the
# time, and at 87.5 % a line waits about **98 ns** if everything is exponential and **49 ns** if
# only the arrivals are random. Seven, or three and a half, times its own service, although the
# memory is fast enough.
#
# ## By simpy
#
# simpy is the library of discrete-event simulation that the reference engine of this project is
# built with. A queue takes ten lines.


# %%
def simpy_wait(load, constant, customers=20_000):
    """Return the mean wait of a queue, simulated."""
    draw, waits = random.Random(1), []

    def customer(env, server):
        arrived = env.now
        with server.request() as turn:
            yield turn
            waits.append(env.now - arrived)
            yield env.timeout(service_ns if constant else draw.expovariate(1 / service_ns))

    def door(env, server):
        for _ in range(customers):
            yield env.timeout(draw.expovariate(load / service_ns))
            env.process(customer(env, server))

    env = simpy.Environment()
    env.process(door(env, simpy.Resource(env)))
    env.run()
    return sum(waits) / len(waits)


print(f"simpy at 80 %, exponential service: {simpy_wait(0.8, False):.1f} ns")
print(f"simpy at 80 %, constant service: {simpy_wait(0.8, True):.1f} ns")

# %% [markdown]
# ## By the engine
#
# The simulator of this project has no toy queue. What follows is the DRAM inside a whole one-node
# machine: a line passes core, crossbar and controller on its way, as it does in every other run.
# Three things are changed, and it is honest to say so: lines arrive by themselves (a real core
# waits for its lines before it asks for more), buffers are unlimited (a real controller has 20
# places), and for M/M/1 the service time is drawn (a real DRAM takes nearly the same time for
# every line).

# %%
tried = [0.3, 0.5, 0.7, 0.8, 0.9]


def engine_wait(load, service):
    """Return the mean wait over four seeds."""
    runs = [dram_station(machine, load, service, lines=100_000, seed=seed) for seed in range(1, 5)]
    return sum(run.wait_ns for run in runs) / len(runs)


def formula_wait(load, solve):
    """Return the mean wait that a formula gives."""
    return solve(load / service_ns, service_ns).wait_ns


def curve(loads, wait, *which):
    """Return a point for each load."""
    return [(100 * load, wait(load, *which)) for load in loads]


fine = [step / 100 for step in range(1, 95)]
series = [
    Series("M/M/1, formula", curve(fine, formula_wait, m_m_1), colour=0),
    Series("M/M/1, simpy", curve(tried, simpy_wait, False), "points", colour=0),
    Series(
        "M/M/1, the engine's DRAM", curve(tried, engine_wait, "exponential"), "hollow", colour=0
    ),
    Series("M/D/1, formula", curve(fine, formula_wait, m_d_1), "dashed", colour=1),
    Series("M/D/1, simpy", curve(tried, simpy_wait, True), "points", colour=1),
    Series("M/D/1, the engine's DRAM", curve(tried, engine_wait, "constant"), "hollow", colour=1),
]
axes = {"x": Axis("utilisation, %", 100), "y": Axis("mean wait, ns", 200)}
show(
    "wait over utilisation: formulas, simpy and the engine agree",
    lambda path: draw_lines(
        series, path, title=f"One queue, three ways (service {service_ns} ns)", **axes
    ),
)

# %% [markdown]
# The points lie on the lines; near full load they scatter, for there a run would have to be much
# longer to know the mean. `numasim` stops a run when its confidence interval is narrow enough,
# for this reason.
#
# ## Exercises
#
# **1.** A memory is busy for 90 % of the time, exponential services. A faster memory needs 10 %
# less time a line. By how much does the *wait* shrink? Guess first.
#
# <details><summary>Answer</summary>
#
# By more than half. Utilisation falls from 0.90 to 0.81 and the service time S to 0.9 S; the wait
# from 9 S to 0.9 S · 0.81 / 0.19 = 3.8 S, which is 57 % less. Near the knee a little speed buys a
# lot of waiting.
#
# </details>
#
# **2.** In *By hand*, change `arrivals` so that all ten come evenly spaced, `range(2, 142, 15)`.
# What is the mean wait? What is it if they come every 13 ns?
#
# <details><summary>Answer</summary>
#
# 0 ns: each needs 14 ns and they are 15 ns apart. Every 13 ns each customer waits 1 ns longer
# than the one before, without end: the queue has no steady state. The ten wait 0, 1, ... 9 ns,
# 4.5 in the mean. With no randomness a queue is either empty or grows for ever; the whole curve
# above comes from randomness.
#
# </details>
#
# **3.** A supermarket has a near lane with 20 people and a far one with 2; everyone takes a
# minute. Walking to the far one takes 5 minutes. Which do you take, and what does that have to do
# with memory?
#
# <details><summary>Answer</summary>
#
# The far one: 5 minutes of walking and 2 of standing, against 20 of standing. Walking is latency,
# standing is queueing. On a machine with several memories the same choice is the subject of
# notebook 4.
#
# </details>
