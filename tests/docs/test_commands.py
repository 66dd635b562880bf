"""The pages of the commands say all that `--help` says."""

from __future__ import annotations

import argparse
import html
import re
from collections.abc import Iterator

import pytest

from docs.generate.commands import command_pages, exit_codes
from simulator.cli.main import COMMANDS, build_parser

PAGES = command_pages({"guide.md": "# A guide\n\nSay `numasim run` first.\n", "other.md": "# Other\n"})


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _parsers(below)


def _section(prog: str) -> str:
    """Return what the pages say of one command, up to the next one's heading."""
    command = prog.split()[1]
    _, heading, rest = PAGES[f"commands/{command}.md"].partition(f"# {prog}\n")
    assert heading, f"{prog} has no heading"
    return re.split(r"^#+ numasim ", rest, flags=re.MULTILINE)[0]


def _plain(markdown: str) -> str:
    text = re.sub(r"\[([^\]\\]*)\]\([^)]*\)", lambda link: f"docs/{link[1]}" if link[1].endswith(".md") else link[1], markdown)
    return " ".join(html.unescape(text.replace("\\", "")).split())


BELOW = [parser for parser in _parsers(build_parser()) if parser.prog != "numasim"]


def test_every_command_has_a_page() -> None:
    assert set(PAGES) == {"commands/index.md", *(f"commands/{name}.md" for name in COMMANDS)}
    assert all(f"({name}.md)" in PAGES["commands/index.md"] for name in COMMANDS)


@pytest.mark.parametrize("parser", BELOW, ids=lambda parser: parser.prog)
def test_every_option_is_there_with_its_help(parser: argparse.ArgumentParser) -> None:
    section = _section(parser.prog)
    plain = _plain(section)
    formatter = parser._get_formatter()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        if action.help == argparse.SUPPRESS:  # as `--help` does
            assert all(name not in section for name in action.option_strings)
            continue
        for name in action.option_strings or [str(action.metavar or action.dest)]:
            assert re.search(rf"^`[^`]*(?<![\w-]){re.escape(name)}(?![\w-])[^`]*`$", section, re.MULTILINE), (
                f"{parser.prog} {name}"
            )
        if action.dest != "jobs":  # there the number of processors is left out
            assert " ".join(formatter._expand_help(action).split()) in plain
    for text in (parser.description, parser.epilog):
        assert " ".join((text or "").split()) in plain


def test_nothing_hidden_is_shown() -> None:
    assert any(action.help == argparse.SUPPRESS for parser in BELOW for action in parser._actions)
    assert not [path for path, page in PAGES.items() if argparse.SUPPRESS in page or "--than" in page]


def test_pages_do_not_depend_on_the_computer_that_makes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    before = command_pages({})
    monkeypatch.setattr("os.cpu_count", lambda: 97)
    monkeypatch.setenv("COLUMNS", "40")
    assert command_pages({}) == before


def test_exit_codes() -> None:
    assert set(exit_codes()) == {"0", "1", "2", "130"}
    assert 'when the verdict is not "steady"' in PAGES["commands/run.md"]
    assert all(meaning in _plain(PAGES["commands/index.md"]) for meaning in exit_codes().values())


def test_a_guide_that_opens_with_a_command_is_named() -> None:
    assert "[A guide](../guide.md)" in PAGES["commands/run.md"]
    assert "guide.md" not in PAGES["commands/sweep.md"]
