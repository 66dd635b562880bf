"""Sweeps: many runs, a store of finished points, and executors that do them here or elsewhere."""

from simulator.sweep.dask_cluster import DaskCluster
from simulator.sweep.executors import Executor, InProcess, local_executor
from simulator.sweep.grid import Grid
from simulator.sweep.processes import LocalProcesses
from simulator.sweep.run import run_sweep
from simulator.sweep.spec import AccuracySpec, BackgroundSpec, Sweep
from simulator.sweep.spec_file import load_sweep
from simulator.sweep.store import Store, open_store

__all__ = [
    "AccuracySpec",
    "BackgroundSpec",
    "DaskCluster",
    "Executor",
    "Grid",
    "InProcess",
    "LocalProcesses",
    "Store",
    "Sweep",
    "load_sweep",
    "local_executor",
    "open_store",
    "run_sweep",
]
