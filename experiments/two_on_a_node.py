"""Two threads on one node: share its memory, or put the second thread's memory elsewhere?

AMD note 40555, figure 10 (two readers) and figure 11 (two writers).
"""

from simulator.cli.experiment import experiment

if __name__ == "__main__":
    raise SystemExit(experiment("two_on_a_node", __doc__, figures=("10", "11")))
