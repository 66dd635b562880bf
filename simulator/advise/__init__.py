"""Advice on where to put threads and memory, from simulated time."""

from simulator.advise.advise import advise
from simulator.advise.report import Advice

__all__ = ["Advice", "advise"]
