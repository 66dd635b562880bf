"""A plain closed ring of stations in several simulators: 16 customers, 8 stations, one server each, service always one unit."""
