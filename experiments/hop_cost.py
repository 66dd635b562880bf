"""What does a thread pay when its memory is one or two hops away?

AMD note 40555, figure 4 (one reader) and figure 5 (one writer).
"""

from simulator.cli.experiment import experiment

if __name__ == "__main__":
    raise SystemExit(experiment("hop_cost", __doc__, figures=("4", "5")))
