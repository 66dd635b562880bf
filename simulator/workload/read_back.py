"""A workload from what provenance says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.errors import InputError
from simulator.workload.thread import ThreadSpec, Workload


def workload_of(provenance: Mapping[str, Any], file: str | None = None) -> Workload:
    """Return the workload of which :meth:`~simulator.workload.thread.Workload.as_dict` has written this.

    Raises
    ------
    InputError
        It is none.
    """
    from pydantic import TypeAdapter, ValidationError

    threads = provenance.get("threads")
    if not isinstance(threads, list) or not all(isinstance(thread, dict) for thread in threads):
        raise InputError("is no list of threads", file=file, field="provenance.workload", allowed="as `numasim run` writes it")
    bare = [{name: value for name, value in thread.items() if name != "label"} for thread in threads]
    try:
        return Workload(tuple(TypeAdapter(list[ThreadSpec]).validate_python(bare)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(first["msg"].lower(), file=file, field=f"provenance.workload.{place}") from None
