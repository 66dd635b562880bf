"""The formats that can be read, and how a file finds its reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from simulator.errors import InputError
from simulator.interop import (
    coreinfo,
    distances,
    hwloc_xml,
    lat_mem_rd,
    likwid,
    lstopo,
    mlc,
    multichase,
    numactl,
    numademo,
    stream,
    sysfs,
)
from simulator.interop.record import Record
from simulator.interop.source import STDIN, Source, file_name, read_source
from simulator.interop.sysfs_tree import read_tree

AUTO = "auto"


@dataclass(frozen=True)
class Format:
    """A format that can be read.

    Parameters
    ----------
    name : str
        As `--format` takes it.
    title : str
        What it is, in a few words.
    recognises : callable
        Tells whether a text is of this format; quick, and never an error.
    read : callable
        Returns the record, or raises InputError.
    """

    name: str
    title: str
    recognises: Callable[[Source], bool]
    read: Callable[[Source], Record]


# In the order of trying: what cannot be mistaken first, bare numbers last.
FORMATS: tuple[Format, ...] = (
    Format("hwloc-xml", "hwloc's XML (lstopo --of xml)", hwloc_xml.recognises, hwloc_xml.read),
    Format("lstopo", "lstopo's console text", lstopo.recognises, lstopo.read),
    Format("likwid", "likwid-topology", likwid.recognises, likwid.read),
    Format("coreinfo", "Coreinfo of Windows' Sysinternals", coreinfo.recognises, coreinfo.read),
    Format("mlc", "Intel's Memory Latency Checker", mlc.recognises, mlc.read),
    Format("stream", "STREAM", stream.recognises, stream.read),
    Format("numademo", "numademo", numademo.recognises, numademo.read),
    Format("sysfs", "a tree or grep -H listing of /sys/devices/system/node", sysfs.recognises, sysfs.read),
    Format("numactl", "numactl --hardware", numactl.recognises, numactl.read),
    Format("lat_mem_rd", "lmbench's lat_mem_rd", lat_mem_rd.recognises, lat_mem_rd.read),
    Format("multichase", "multichase", multichase.recognises, multichase.read),
    Format("distances", "rows of distances (cat node*/distance)", distances.recognises, distances.read),
)


def format_named(name: str) -> Format:
    """Return a format by its name.

    Raises
    ------
    InputError
        There is none of this name.
    """
    found = next((known for known in FORMATS if known.name == name), None)
    if found is None:
        raise InputError("is no format", value=name, allowed=", ".join([AUTO, *(known.name for known in FORMATS)]))
    return found


def recognised(source: Source) -> Format:
    """Return the first format that takes the text for its own.

    Raises
    ------
    InputError
        None does.
    """
    found = next((known for known in FORMATS if known.recognises(source)), None)
    if found is None:
        raise unknown(source)
    return found


def unknown(source: Source, *more: str) -> InputError:
    """Return the error for a text that no reader knows; `more` names what else would do."""
    return source.wrong("is no output of a tool that is known", allowed=", ".join([*(known.title for known in FORMATS), *more]))


def read_text(source: Source, format: str = AUTO) -> Record:
    """Return what a text tells; what was undone of it on its way is in the warnings.

    Raises
    ------
    InputError
        No reader knows it, or the one that does finds it wrong.
    """
    reader = recognised(source) if format == AUTO else format_named(format)
    record = reader.read(source)
    others = _about_others(source, reader) if format == AUTO else ()
    return replace(record, warnings=tuple(dict.fromkeys((*source.notes, *others, *record.warnings))))


def _about_others(source: Source, reader: Format) -> Iterator[str]:
    """Say which other tools' outputs are in the same text: each reader takes its own lines and leaves the rest."""
    if reader.name == "hwloc-xml":  # an XML document is one thing
        return
    for known in FORMATS:
        if known is not reader and known.recognises(source):
            what = f"read as {reader.title}; it looks like the output of {known.title} too, which is left out"
            yield f"{what}: --format {known.name} reads that instead"


def read_record(path: str | Path, format: str = AUTO) -> Record:
    """Return what a file tells, or a folder that holds a tree of /sys/devices/system/node.

    Raises
    ------
    InputError
        It cannot be read, no reader knows it, or the one that does finds it wrong.
    """
    if format != AUTO:
        format_named(format)
    if path != STDIN and _is_folder(Path(file_name(path))):
        if format not in (AUTO, "sysfs"):
            raise InputError("is a folder", file=str(path), allowed=f"a file of format {format}, or a folder of format sysfs")
        return read_tree(Path(path), str(path))
    return read_text(read_source(path), format)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a NUL byte in the name; the reader says so
        return False
