"""Reading what other tools print about a machine, and writing a machine file from it."""
