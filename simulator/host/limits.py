"""How much memory and CPU time a control group leaves this process, versions 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from simulator.host.sysfs import kilobytes, read_text

_UNKNOWN = 1 << 32  # 4 GiB, where /proc tells nothing


def memory_left(root: Path) -> int:
    """Return the bytes that can still be had: what the kernel calls available, or less where a group is limited."""
    available = kilobytes(read_text(root / "proc/meminfo"), "MemAvailable")
    groups = (
        *_room(root, "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
        *_room(root, "", "memory.max", "memory.current"),
    )
    return min(_UNKNOWN if available is None else available, *groups, 1 << 62)


def cpu_quota(root: Path) -> float | None:
    """Return how many CPUs' time a group gets; None without a limit."""
    quotas = []
    for folder in _folders(root, ""):
        words = (read_text(folder / "cpu.max") or "").split()
        if len(words) == 2 and all(word.isdecimal() for word in words) and int(words[1]):
            quotas.append(int(words[0]) / int(words[1]))
    for folder in _folders(root, "cpu"):
        quota, period = _number(folder / "cpu.cfs_quota_us"), _number(folder / "cpu.cfs_period_us")
        if quota is not None and period:
            quotas.append(quota / period)
    return min(quotas, default=None)


def _room(root: Path, controller: str, limit_file: str, use_file: str) -> Iterator[int]:
    for folder in _folders(root, controller):
        limit, used = _number(folder / limit_file), _number(folder / use_file)
        if limit is not None:
            yield max(limit - (used or 0), 0)


def _folders(root: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of this process's group and those above it; the controller of version 2 has no name."""
    base = root / "sys/fs/cgroup" / controller
    for line in (read_text(root / "proc/self/cgroup") or "").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3 and controller in parts[1].split(",") and ".." not in parts[2]:
            folder = base / parts[2].strip("/")
            yield from [folder, *folder.parents][: len(folder.relative_to(base).parts) + 1]


def _number(path: Path) -> int | None:
    text = read_text(path)
    return int(text) if text is not None and text.isdecimal() and len(text) <= 20 else None
