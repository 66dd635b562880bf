"""Simulated against published numbers."""
