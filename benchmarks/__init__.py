"""Benchmarks: how fast the engines are, as ratios with floors."""
