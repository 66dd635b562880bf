"""Threads, labels and workloads."""

from simulator.workload.check import check_workload
from simulator.workload.labels import parse_background, parse_label
from simulator.workload.thread import Access, Arrivals, HandedIn, ThreadSpec, TimeSlice, Workload

__all__ = [
    "Access",
    "Arrivals",
    "HandedIn",
    "ThreadSpec",
    "TimeSlice",
    "Workload",
    "check_workload",
    "parse_background",
    "parse_label",
]
