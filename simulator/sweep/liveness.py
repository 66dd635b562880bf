"""Does a process still live? Linux tells; elsewhere nobody knows."""

from __future__ import annotations

import os
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")


def process_name() -> str:
    """Return a name of this process that no other has had since the machine started; empty where there is none."""
    started = _started(os.getpid())
    return f"{_place()} {os.getpid()} {started}" if started else ""


def is_gone(name: str) -> bool:
    """Return whether a process is known to be gone; False also for one of another machine, container or start."""
    place, _, process = name.partition(" ")
    if not process or place != _place():
        return False
    pid, _, started = process.partition(" ")
    return _started(int(pid)) != started


def _place() -> str:
    """Name the machine since its last start, and the container."""
    try:
        return f"{_BOOT.read_text().strip()}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _started(pid: int) -> str:
    """Return when a process started, in ticks since the machine did; empty if it is gone, a zombie included."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return ""
    return "" if fields[0] in "ZX" else fields[19]
