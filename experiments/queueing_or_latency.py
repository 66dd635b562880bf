"""Does a line walk or stand? How much of its time is latency and how much queueing, and where it queues.

AMD note 40555, figures 6, 7, 9, 11 and 15; AMD explains them by what queues where.
"""

from simulator.cli.experiment import experiment

if __name__ == "__main__":
    raise SystemExit(experiment("queueing_or_latency", __doc__, figures=("6", "7", "9", "11", "15"), breakdown=True))
