"""Where an operating system puts pages: memory policies, node memories that fill up, page tables, migration."""

from simulator.placement.allocator import Allocator, Segment, System, Touches
from simulator.placement.migration import Migration
from simulator.placement.numactl import Binding, parse_numactl
from simulator.placement.page_table import PageTable
from simulator.placement.policy import Bind, Interleave, LocalAlloc, Policy, Preferred, PreferredMany, WeightedInterleave

__all__ = [
    "Allocator",
    "Bind",
    "Binding",
    "Interleave",
    "LocalAlloc",
    "Migration",
    "PageTable",
    "Policy",
    "Preferred",
    "PreferredMany",
    "Segment",
    "System",
    "Touches",
    "WeightedInterleave",
    "parse_numactl",
]
