"""What the server, its workers and its pages say to each other."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

Kind = Literal["machine", "run", "why"]
# HTTP statuses of answers
OK, ACCEPTED, UNKNOWN, REPLACED, WRONG_INPUT, FAILED, BUSY, TOO_LONG = 200, 202, 404, 409, 422, 500, 503, 504


@dataclass(frozen=True)
class Answer:
    """The text of an answer, JSON, and its HTTP status."""

    status: int
    body: bytes


def refusal(status: int, message: str) -> Answer:
    """Make the answer that says why there is none."""
    return Answer(status, error_text(message).encode())


def error_text(message: str) -> str:
    """Return the text of an answer that says what is wrong, on one line as on a terminal."""
    return json.dumps({"error": " ".join(message.split())})
