"""Do the parts of a workload fit each other?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simulator.errors import InputError
from simulator.program.spec import (
    LARGEST_ARRAY_BYTES,
    MOST_STEPS,
    ArraySpec,
    InitPhase,
    KernelPhase,
    MigratePhase,
    MixPhase,
    Program,
    StreamSpec,
    SweepPhase,
    ThreadGroup,
)
from simulator.workload.mix import exact_share

_SIZES = ("size_bytes", "size_kib", "size_mib", "size_gib")


def check_program(program: Program, label: str) -> None:
    """Refuse a workload that no machine could run.

    Parameters
    ----------
    program : Program
    label : str
        What messages call the file.

    Raises
    ------
    InputError
        A name is there twice or means nothing, an array has no size or two, sizes do not fit, a key belongs to another pattern.
    """
    try:
        _check_names("arrays", [array.name for array in program.arrays])
        _check_names("threads", [group.name for group in program.threads])
        for number, array in enumerate(program.arrays):
            _check_array(array, f"arrays[{number + 1}]")
        for number, group in enumerate(program.threads):
            _check_group(group, f"threads[{number + 1}]")
        for number in range(len(program.phases)):
            _check_phase(program, number, f"phases[{number + 1}]")
        if program.iterations * len(program.phases) > MOST_STEPS:
            allowed = f"at most {MOST_STEPS:,} phases in all"
            raise InputError("too many phases in all iterations", field="iterations", value=program.iterations, allowed=allowed)
    except InputError as error:
        raise InputError(error.what, file=label, field=error.field, value=error.value, allowed=error.allowed) from None


def array_names(phase: object) -> tuple[str, ...]:
    """Return the arrays that a phase names, in its order."""
    if isinstance(phase, (InitPhase, MigratePhase)):
        return phase.arrays
    if isinstance(phase, KernelPhase):
        return (*phase.reads, phase.writes)
    if isinstance(phase, MixPhase):
        return tuple(stream.array for stream in phase.streams)
    return (phase.array,)  # type: ignore[attr-defined]


def _check_names(field: str, names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError("a name is there twice", field=f"{field}[{place + 1}].name", value=name, allowed="a name for each")


def _check_array(array: ArraySpec, field: str) -> None:
    given = [name for name in _SIZES if getattr(array, name) is not None]
    if len(given) != 1:
        what = "has no size" if not given else f"has {len(given)} sizes: {', '.join(given)}"
        raise InputError(what, field=field, value=array.name, allowed=f"one of {', '.join(_SIZES)}")
    if not 0 < array.bytes <= LARGEST_ARRAY_BYTES:
        raise InputError("size out of range", field=f"{field}.{given[0]}", value=array.bytes, allowed="1 B to 1 TiB")


def _check_group(group: ThreadGroup, field: str) -> None:
    if (group.node is None) != (group.core is None):
        raise InputError("node and core go together", field=field, value=group.name, allowed="both, or numactl's words")
    if group.node is not None and group.count not in (None, 1):
        raise InputError("one core runs one thread", field=f"{field}.count", value=group.count, allowed="1")


def _check_phase(program: Program, number: int, field: str) -> None:
    phase = program.phases[number]
    arrays = {array.name: array for array in program.arrays}
    for name in array_names(phase):
        if name not in arrays:
            raise InputError("no such array", field=field, value=name, allowed=_listed(arrays))
    for name in phase.threads or ():
        groups = [group.name for group in program.threads]
        if name.partition(".")[0] not in groups:
            raise InputError(
                "no such threads",
                field=f"{field}.threads",
                value=name,
                allowed=f"{_listed(groups)}, or one such as {groups[0]}.0",
            )
    if isinstance(phase, KernelPhase):
        _check_kernel(phase, arrays, field)
    if isinstance(phase, SweepPhase):
        _check_stream(phase, field)
    if isinstance(phase, MixPhase):
        for place, stream in enumerate(phase.streams):
            _check_stream(stream, f"{field}.streams[{place + 1}]")
    share = getattr(phase, "read_fraction", None)
    if share is not None:
        _check_share(share, f"{field}.read_fraction")


def _check_kernel(phase: KernelPhase, arrays: dict[str, ArraySpec], field: str) -> None:
    wanted = 1 if phase.pattern in ("copy", "scale") else 2
    if len(phase.reads) != wanted:
        raise InputError(
            f"{phase.pattern} reads {wanted}",
            field=f"{field}.reads",
            value=list(phase.reads),
            allowed=f"{wanted} of {_listed(arrays)}",
        )
    sizes = {arrays[name].bytes for name in array_names(phase)}
    if len(sizes) > 1:
        raise InputError("arrays of different sizes", field=field, value=sorted(sizes), allowed="arrays of one size")
    if len({arrays[name].per_thread for name in array_names(phase)}) > 1:
        raise InputError(
            "arrays of all and of each thread", field=field, value=phase.pattern, allowed="all shared, or all per_thread"
        )


def _check_stream(stream: SweepPhase | StreamSpec, field: str) -> None:
    if (stream.pattern == "stride") != (stream.stride_bytes is not None):
        allowed = 'with pattern = "stride", and only with it'
        raise InputError(
            "stride and stride_bytes go together", field=f"{field}.stride_bytes", value=stream.stride_bytes, allowed=allowed
        )
    _check_share(stream.read_fraction, f"{field}.read_fraction")


def _check_share(share: float, field: str) -> None:
    try:
        exact_share(share)
    except InputError as error:
        raise InputError(error.what, field=field, value=share, allowed=error.allowed) from None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
