"""Does a line walk or stand? How much of its time is latency and how much queueing, and where it queues.

Every figure of AMD note 40555; AMD explains figures 6, 7, 9, 11 and 15 by what queues where (A.2 to A.5).
"""

from simulator.cli.experiment import experiment

if __name__ == "__main__":
    raise SystemExit(experiment("queueing_or_latency", __doc__, breakdown=True))
