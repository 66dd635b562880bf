"""Tables and progress: coloured on a terminal, plain elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from simulator.cli.output import STDOUT, write_text
from simulator.tables import Table, plain_text

_COLOURS = {"plain": "", "good": "green", "bad": "bold red", "faint": "dim"}


def show_tables(tables: Sequence[Table]) -> None:
    """Print tables on stdout."""
    if not sys.stdout.isatty():
        write_text(STDOUT, plain_text(tables))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console()
    widest = max(len(line) for table in tables for line in table.plain().splitlines())
    if widest > console.width:  # cut numbers say nothing; long lines can be scrolled or wrapped
        write_text(STDOUT, plain_text(tables))
        return
    for table in tables:
        shown = RichTable(
            title=Text(table.title),
            title_justify="left",
            title_style="bold",
            caption=Text(table.note) if table.note else None,
            box=box.SIMPLE_HEAD,
        )
        for column, header in enumerate(table.headers):
            shown.add_column(Text(header), justify="left" if column < table.left else "right")
        for cells in table.rows:
            shown.add_row(*(Text(cell.text, _COLOURS[cell.mood]) for cell in cells))
        console.print(shown)


def show_result(sentences: Sequence[str]) -> None:
    """Print what is missed, or that nothing is, on stdout."""
    text = "".join(f"missed: {sentence}\n" for sentence in sentences) or "every tolerance holds\n"
    if not sys.stdout.isatty():
        write_text(STDOUT, "\n" + text)
        return
    from rich.console import Console

    Console().print(text, style=_COLOURS["bad" if sentences else "good"], markup=False, highlight=False, soft_wrap=True, end="")


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show progress on stderr while inside, if that is a terminal.

    Yields
    ------
    callable
        To be called with the number done, the number in all, and what was done last.
    """
    if not sys.stderr.isatty():
        yield lambda done, total, last: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(what, markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[last]}", style="dim", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None, last="")
        yield lambda done, total, last: progress.update(task, completed=done, total=total, last=last)
