"""Choosing constants of a machine by looking at measured numbers, and saying how much these tell."""
