"""Machines: files that describe them, their graph, their routes."""
