"""Compiled loops that turn text into accesses; nothing here is imported before a trace is read."""
