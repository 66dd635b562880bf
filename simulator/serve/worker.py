"""A worker process: reads tasks from its standard input and writes answers to its standard output.

A message is a line of JSON; that of an answer says how many bytes of its text follow. Worker processes of a sweep are of another
kind (`simulator.sweep.processes`): those are never interrupted and say nothing before they are done.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

from simulator.errors import NumasimError
from simulator.serve.messages import FAILED, OK, WRONG_INPUT, error_text
from simulator.serve.setup import Setup, read_setup
from simulator.serve.tasks import answer


def main() -> None:
    """Do tasks until the parent closes the pipe, which it does by ending too."""
    logging.basicConfig(format="numasim: %(message)s", level=logging.WARNING)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed by accident is no message
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, tasks), daemon=True).start()
    _load_engine()
    _write(answers, {"ready": True})
    while True:
        _do(json.loads(tasks.get()), answers)


def _read(stream: BinaryIO, tasks: queue.SimpleQueue[bytes]) -> None:
    """Hand on tasks; end the process, in the middle of one if need be, when the parent is gone."""
    for line in stream:
        tasks.put(line)
    os._exit(0)


def _load_engine() -> None:
    """Load all that a run takes, or compile it, before the first task waits for it."""
    answer("run", Setup("one-node", ("0.0.r.0",)), ("one-node",), lambda done, planned, last: None)


def _do(task: dict[str, Any], answers: BinaryIO) -> None:
    status, text = _answer(task, lambda done, planned, last: _write(answers, {"progress": [done, planned, last]}))
    body = text.encode()
    _write(answers, {"status": status, "bytes": len(body)}, body)


def _answer(task: dict[str, Any], tell: Callable[[int, int, str], None]) -> tuple[int, str]:
    try:
        return OK, answer(task["kind"], read_setup(task["setup"]), task["offered"], tell)
    except NumasimError as error:
        return WRONG_INPUT, error_text(str(error))
    except Exception as error:  # a defect: the page says so, and the terminal shows where
        traceback.print_exc()
        return FAILED, error_text(f"numasim failed: {type(error).__name__}; its terminal says more")


def _write(stream: BinaryIO, message: dict[str, Any], body: bytes = b"") -> None:
    stream.write(json.dumps(message).encode() + b"\n" + body)
    stream.flush()
