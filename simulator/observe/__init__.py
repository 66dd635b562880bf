"""A run looked at while it happens: recorded, told, checked."""
