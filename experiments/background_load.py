"""How do threads elsewhere change what is the best place?

AMD note 40555: figures 7-9 (crossfire under load) and 12-15 (two writers on a node, from low to very high background; figure
11 is the same on an idle machine). The picture `background_load` shows how a remote second writer loses its advantage.
"""

from simulator.cli.experiment import experiment

if __name__ == "__main__":
    figures = ("7", "8", "9", "11", "12", "13", "14", "15")
    raise SystemExit(experiment("background_load", __doc__, figures, levels=("11", "12", "13", "14", "15")))
