"""What can be said without simulation."""
