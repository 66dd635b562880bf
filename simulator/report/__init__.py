"""`numasim report`: results as one page that needs nothing else."""
