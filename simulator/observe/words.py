"""Names of lines, for whoever reads a trace."""

from __future__ import annotations

from simulator.engine.plan import NONE, Plan
from simulator.observe.record import Recording
from simulator.observe.records import TransactionLife

_MOST_THREADS = 4


def threads_words(recording: Recording) -> str:
    """Return whose run it is, where there is no room for all: ``0.0.w.1 1.0.w.0 on quartet``."""
    labels = [thread.label for thread in recording.workload.threads if not thread.background]
    some = " ".join(labels[:_MOST_THREADS] + (["..."] if len(labels) > _MOST_THREADS else [])) or "threads of the background"
    return f"{some} on {recording.machine.name}"


def line_name(plan: Plan, life: TransactionLife) -> str:
    """Return what a transaction does between which nodes, such as ``read 0->1``."""
    return plan.transactions.name[life.row]


def thread_line(plan: Plan, life: TransactionLife) -> str:
    """Return whose line it is and which, such as ``0.0.w.1 #517``."""
    return f"{plan.threads.label[life.thread]} #{life.number}"


def pool_words(plan: Plan, pool: int) -> str:
    """Return the name of a pool in words: what a link takes are credits, what the controller takes are places."""
    name = plan.pools.name[pool]
    if plan.pools.credit_class[pool] != NONE:
        return f"{name.removesuffix('buffers')}credits"
    return f"{name.removesuffix(' request buffers')} places" if pool in plan.controller_pool else name
