"""From what goes wrong to one line on stderr and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from simulator.errors import NumasimError

EXIT_INPUT = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT
EXIT_PIPE = 141  # 128 + SIGPIPE


def exit_code(action: Callable[[], int]) -> int:
    """Do something and return its exit code, or that of what went wrong."""
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


def say(text: str) -> None:
    """Print a line on stderr."""
    print(f"numasim: {text}", file=sys.stderr)


def _leave_pipe() -> None:
    """Let the interpreter's last flush find an open file, though the reader of stdout is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
