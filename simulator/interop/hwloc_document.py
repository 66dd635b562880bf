"""XML of hwloc, parsed without trust: no entities, no declarations, bounded size, depth and number of elements.

hwloc writes ``<!DOCTYPE topology SYSTEM "hwloc2.dtd">`` and nothing more of a document type; the file it names is never opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.interop.source import Source

MAX_CHARACTERS = 4 << 20
MAX_ELEMENTS = 50_000  # a machine of 1024 processing units has about a quarter
MAX_DEPTH = 100  # hwloc nests about 20 deep
_MAX_DIGITS = 19  # of a 64-bit number


@dataclass(frozen=True)
class Tag:
    """One element.

    Parameters
    ----------
    name : str
    attributes : dict
    line : int
        Where it starts, from 0.
    children : tuple of Tag
    text : str
        Text directly inside it.
    """

    name: str
    attributes: dict[str, str]
    line: int
    children: tuple[Tag, ...]
    text: str

    def named(self, name: str) -> tuple[Tag, ...]:
        """Return the children of this name."""
        return tuple(child for child in self.children if child.name == name)

    def below(self) -> Iterator[tuple[Tag, tuple[Tag, ...]]]:
        """Yield each ``object`` below this element in the order of the file, with its ancestors, outermost first."""
        waiting: list[tuple[Tag, tuple[Tag, ...]]] = [(child, ()) for child in reversed(self.named("object"))]
        while waiting:
            tag, ancestors = waiting.pop()
            yield tag, ancestors
            inside = tag.named("object")
            if inside:
                around = (*ancestors, tag)
                waiting += [(child, around) for child in reversed(inside)]

    def number(self, source: Source, attribute: str) -> int | None:
        """Return a whole number from an attribute; None without it.

        Raises
        ------
        InputError
            It is no whole number of 0 or more.
        """
        text = self.attributes.get(attribute)
        return None if text is None else whole_number(source, self.line, attribute, text)


def whole_number(source: Source, line: int, what: str, text: str) -> int:
    """Return a whole number of 0 or more, or raise an InputError that names `what` and the line (from 0)."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise source.wrong(f"{what} is no whole number", line=line, value=text, allowed="0 or more, in decimal digits")
    return int(text)


def parse_document(source: Source) -> Tag:
    """Return the root element.

    Raises
    ------
    InputError
        It is no well-formed XML, declares or uses entities or a document type of its own, or is too large or too deep.
    """
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
    from defusedxml.ElementTree import DefusedXMLParser  # type: ignore[import-untyped]

    if len(source.text) > MAX_CHARACTERS:
        raise source.wrong("is too large", value=len(source.text), allowed=f"at most {MAX_CHARACTERS:,} characters")
    builder = _Builder(source)
    parser = DefusedXMLParser(target=builder, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    builder.expat = parser.parser
    parser.parser.StartDoctypeDeclHandler = builder.doctype_starts
    fed = False
    try:
        # strict parsers refuse lone surrogates, which a lenient decoder may have left
        parser.feed(source.text.encode("utf-8", "replace").decode("utf-8"))
        fed = True
        root = parser.close()
    except DefusedXmlException:
        raise source.wrong("declares entities", line=builder.line, allowed="XML without entities, as hwloc writes it") from None
    except ParseError as error:
        raise _malformed(source, error.code, error.position[0] - 1, at_end=fed) from None
    assert isinstance(root, Tag)
    return root


def _malformed(source: Source, code: int, line: int, at_end: bool) -> InputError:
    from xml.parsers.expat import ErrorString

    reason = ErrorString(code) or "unknown error"
    what = "ends in the middle of the XML: it is cut off" if at_end else f"is not well-formed XML: {reason}"
    return source.wrong(what, line=line, allowed="a whole file as `lstopo --of xml` writes it")


class _Builder:
    """Builds tags from the events of a parser, and stops it when there are too many."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.expat: object = None
        self.count = 0
        self.open: list[tuple[str, dict[str, str], int, list[Tag], list[str]]] = []
        self.root: Tag | None = None

    @property
    def line(self) -> int:
        """Where the parser is, from 0."""
        return int(getattr(self.expat, "CurrentLineNumber", 1)) - 1

    def doctype_starts(self, name: str, system_id: str | None, public_id: str | None, has_internal_subset: int) -> None:
        if has_internal_subset:
            what = "declares a document type of its own"
            raise self.source.wrong(what, line=self.line, allowed="a DOCTYPE without declarations")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MAX_ELEMENTS:
            raise self.source.wrong("has too many elements", line=self.line, allowed=f"at most {MAX_ELEMENTS:,}")
        if len(self.open) >= MAX_DEPTH:
            raise self.source.wrong("is nested too deep", line=self.line, allowed=f"at most {MAX_DEPTH} levels")
        self.open.append((name, attributes, self.line, [], []))

    def data(self, text: str) -> None:
        if self.open:
            self.open[-1][4].append(text)

    def end(self, name: str) -> None:
        name, attributes, line, children, texts = self.open.pop()
        tag = Tag(name, attributes, line, tuple(children), "".join(texts).strip())
        if self.open:
            self.open[-1][3].append(tag)
        else:
            self.root = tag

    def close(self) -> Tag | None:
        return self.root
