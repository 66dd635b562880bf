"""Builds that were timed on a real machine."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from simulator.errors import InputError

SchedulerName = Literal["4bsd", "ule"]
COLUMNS = ("build", "cores", "scheduler", "jobs", "user_s", "sys_s", "real_s", "cpu_percent")


@dataclass(frozen=True)
class MeasuredBuild:
    """One row.

    Attributes
    ----------
    build : {'kernel', 'kernel and modules'}
    cores : int
    scheduler : {'4bsd', 'ule'}
    jobs : int
    user_s, system_s, real_s, cpu_percent : float
        The last from the others where it is not given.
    """

    build: str
    cores: int
    scheduler: SchedulerName
    jobs: int
    user_s: float
    system_s: float
    real_s: float
    cpu_percent: float


def read_builds(path: Path) -> tuple[MeasuredBuild, ...]:
    """Read a CSV of timed builds; lines that start with ``#`` say where they come from.

    Raises
    ------
    InputError
        It cannot be read, or a row is none.
    """
    label = str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=label, allowed="a CSV of timed builds") from None
    rows = list(csv.DictReader(line for line in text.splitlines() if line and not line.startswith("#")))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise InputError("has other columns", file=label, allowed=", ".join(COLUMNS))
    return tuple(_measured(row, label, number) for number, row in enumerate(rows, 1))


def _measured(row: dict[str, str], label: str, number: int) -> MeasuredBuild:
    scheduler = next((name for name in get_args(SchedulerName) if name == row["scheduler"]), None)
    try:
        user_s, system_s, real_s = (float(row[name]) for name in ("user_s", "sys_s", "real_s"))
        cpu_percent = float(row["cpu_percent"]) if row["cpu_percent"] else 100 * (user_s + system_s) / real_s
        if scheduler is None or not min(user_s, system_s, real_s) > 0:
            raise ValueError
        return MeasuredBuild(row["build"], int(row["cores"]), scheduler, int(row["jobs"]), user_s, system_s, real_s, cpu_percent)
    except (TypeError, ValueError, ZeroDivisionError):
        allowed = "4bsd or ule, numbers above 0"
        raise InputError("is no timed build", file=label, field=f"row {number}", value=row, allowed=allowed) from None
