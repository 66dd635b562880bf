"""A recording as the text of its document, and back."""

from __future__ import annotations

import json
import os
from pathlib import Path

from simulator.errors import InputError
from simulator.observe.check import MOST_BYTES, inconsistencies
from simulator.observe.document import TraceDocument
from simulator.observe.events import trace_events
from simulator.observe.record import Recording
from simulator.observe.tables import trace_data
from simulator.units import ns_from_ps


def trace_text(recording: Recording) -> str:
    """Return the document as JSON, an event a line; `traceEvents` come first, for viewers stop at a key they do not know.

    Raises
    ------
    InputError
        It would be larger than `MOST_BYTES`.
    """
    events = ",\n".join(_compact(event) for event in trace_events(recording.trace))
    text = f'{{"traceEvents":[\n{events}\n],\n"displayTimeUnit":"ns",\n"schema_version":1,\n'
    text += f'"otherData":{_compact(trace_data(recording))}}}\n'
    if len(text) > MOST_BYTES:  # ASCII: as many bytes
        window_ns = ns_from_ps(recording.trace.closed_ps - recording.trace.opened_ps)
        raise InputError(
            f"the document would be {len(text) / 1e6:.0f} MB",
            field="window",
            value=window_ns,
            allowed=f"{MOST_BYTES / 1e6:.0f} MB: up to about {0.9 * window_ns * MOST_BYTES / len(text):.0f} ns for this workload",
        )
    return text


def read_trace(path: str | os.PathLike[str]) -> TraceDocument:
    """Read a document and see that it is one, and consistent.

    Raises
    ------
    InputError
        The file cannot be read, is too large, is no trace, or contradicts itself.
    """
    from pydantic import ValidationError

    name = os.fspath(path)
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise InputError(f"cannot be read: {reason}", file=name, allowed="a trace that numasim has written") from None
    if len(data) > MOST_BYTES:
        raise InputError("is too large", file=name, allowed=f"up to {MOST_BYTES / 1e6:.0f} MB")
    try:
        document = TraceDocument.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or None
        raise InputError(f"is no trace: {first['msg']}", file=name, field=place, allowed="see `numasim schema trace`") from None
    wrong = inconsistencies(document)
    if wrong:
        raise InputError(f"contradicts itself: {wrong[0]}", file=name, allowed="a trace as numasim has written it")
    return document


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
