"""More threads than cores: run queues, time slices, migration, and how fast what runs together goes."""

from simulator.schedule.actions import Compute, Fork, Get, Pipe, Program, Put, Sleep, WaitChild
from simulator.schedule.build_spec import BuildSpec, load_build
from simulator.schedule.core_queues import CoreQueuesSpec
from simulator.schedule.footprint import Footprint, Region
from simulator.schedule.measured import MeasuredBuild, read_builds
from simulator.schedule.result import ScheduleResult, TaskResult
from simulator.schedule.run import FEW_LINES, LINES, QUICK_LINES, ScheduledMachine, Scheduler
from simulator.schedule.shared_queue import SharedQueueSpec

__all__ = [
    "FEW_LINES",
    "LINES",
    "QUICK_LINES",
    "BuildSpec",
    "Compute",
    "CoreQueuesSpec",
    "Footprint",
    "Fork",
    "Get",
    "MeasuredBuild",
    "Pipe",
    "Program",
    "Put",
    "Region",
    "ScheduleResult",
    "ScheduledMachine",
    "Scheduler",
    "SharedQueueSpec",
    "Sleep",
    "TaskResult",
    "WaitChild",
    "load_build",
    "read_builds",
]
