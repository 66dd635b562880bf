"""Small results of every kind that a report shows, as files."""

from __future__ import annotations

from pathlib import Path

from simulator.cli.main import main

CROSSFIRE = ("0.0.w.1", "1.0.w.0")
PROGRAM = """
schema_version = 1
name = "two_phases"
title = "each thread touches its part, then reads it"

[[arrays]]
name = "data"
size_mib = 0.25

[[threads]]
name = "worker"

[[phases]]
pattern = "sequential"
array = "data"
read_fraction = 0.0

[[phases]]
pattern = "sequential"
array = "data"
"""


def run_and_trace(folder: Path) -> tuple[Path, Path]:
    """Write a run of crossfire beside a background thread, and the start of its window."""
    run, trace = folder / "run.json", folder / "trace.json"
    command = ["run", "quartet", *CROSSFIRE, "--background", "2.0.r.2@1", "--lines", "600", "--ci", "5", "--warmup", "100"]
    main([*command, "--window", "600", "-o", str(run), "--trace", str(trace)])
    return run, trace


def published_run(folder: Path) -> Path:
    """Write a run of one bar of figure 6, which also has published loads."""
    run = folder / "published.json"
    main(["run", "quartet", *CROSSFIRE, "--lines", "600", "--ci", "5", "--warmup", "100", "-o", str(run)])
    return run


def loaded(folder: Path) -> Path:
    """Write a curve of latency under load, of three points."""
    path = folder / "loaded.json"
    command = ["loaded-latency", "quartet", "--from", "0", "--to", "1", "--delays", "0,100,1000", "--lines", "600", "--ci", "20"]
    main([*command, "-o", str(path)])
    return path


def store(folder: Path) -> Path:
    """Write a store of four points."""
    spec, path = folder / "sweep.toml", folder / "sweep.sqlite"
    spec.write_text(
        'machine = "quartet"\nthreads = [["0.0.r.0"], ["0.0.r.3"]]\n'
        '[set]\n"link.latency_ns" = [4, 8]\n[accuracy]\nci_percent = 10.0\nlines = 600\n',
        encoding="utf-8",
    )
    main(["sweep", str(spec), "--store", str(path), "--jobs", "1"])
    return path


def reproduction(folder: Path) -> Path:
    """Write a reproduction of figure 4."""
    path = folder / "reproduce.json"
    main(["reproduce", "amd-40555", "--figure", "4", "--lines", "600", "--ci", "20", "--jobs", "1", "-o", str(path)])
    return path


def replay(folder: Path) -> Path:
    """Write a program of two phases from its start to its end, under two placements."""
    program, path = folder / "program.toml", folder / "replay.json"
    program.write_text(PROGRAM, encoding="utf-8")
    main(["replay", "quartet", str(program), "-o", str(path)])
    return path
