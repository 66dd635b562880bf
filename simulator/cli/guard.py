"""From what goes wrong to one line on stderr and an exit code."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress

from simulator.errors import NumasimError

EXIT_INPUT = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT
EXIT_PIPE = 141  # 128 + SIGPIPE


def exit_code(action: Callable[[], int]) -> int:
    """Do something and return its exit code, or that of what went wrong."""
    _prepare_streams()
    logging.basicConfig(format="numasim: %(message)s", level=logging.WARNING, force=False)
    try:
        code = action()
        sys.stdout.flush()
        return code
    except SystemExit as stop:  # argparse has said what it had to say
        return stop.code if isinstance(stop.code, int) else EXIT_INPUT
    except NumasimError as error:
        say(f"error: {' '.join(str(error).split())}")
        return EXIT_INPUT
    except KeyboardInterrupt:
        say("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _leave_pipe()
        return EXIT_PIPE


def _prepare_streams() -> None:
    """Let output that nobody can see vanish, and write what a terminal's encoding cannot show as escapes."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Print a line on stderr."""
    with suppress(OSError):  # nowhere to say it: the exit code still tells
        print(f"numasim: {text}", file=sys.stderr)


def _leave_pipe() -> None:
    """Let the interpreter's last flush find an open file, though the reader of stdout is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
