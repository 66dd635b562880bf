"""Two writers on two nodes: do they slow each other down when each writes the other's memory?

AMD note 40555, figure 6. The picture `links` shows where the bytes of the crossfire go.
"""

from simulator.cli.experiment import experiment

if __name__ == "__main__":
    raise SystemExit(experiment("crossfire", __doc__, figures=("6",)))
