"""A page for each command, from the parser that reads it: what `--help` says, with links."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Mapping

from docs.generate.markdown import code_block, escaped, table
from simulator.cli import main

_WIDTH = 84
_GUIDE = re.compile(r"docs/([a-z0-9-]+\.md)")
_GENERAL_CODES = "index.md#exit-codes"


def command_pages(guides: Mapping[str, str]) -> dict[str, str]:
    """Return the pages of all commands by their path.

    Parameters
    ----------
    guides : mapping of str to str
        The written pages: file name to text. A command's page names those that open with it.
    """
    parser = main.build_parser()
    commands = _commands(parser)
    helps = {choice.dest: choice.help or "" for choice in _subparsers(parser)._choices_actions}
    pages = {f"commands/{name}.md": _page(command, helps[name], guides) for name, command in commands.items()}
    return {"commands/index.md": _index(parser, helps), **pages}


def _subparsers(parser: argparse.ArgumentParser) -> argparse._SubParsersAction[argparse.ArgumentParser]:
    return next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))


def _commands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """Return the commands below a parser by their names; none below one that takes none."""
    has = any(isinstance(action, argparse._SubParsersAction) for action in parser._actions)
    return _subparsers(parser).choices if has else {}


def _index(parser: argparse.ArgumentParser, helps: Mapping[str, str]) -> str:
    rows = ([f"[`numasim {name}`]({name}.md)", escaped(text)] for name, text in helps.items())
    codes = table(("code", "meaning"), ([code, escaped(meaning)] for code, meaning in exit_codes().items()), left=2)
    return "\n".join(
        [
            "# Commands\n",
            "What `numasim --help` and `numasim COMMAND --help` say, made from the same parser.\n",
            table(("command", "does"), rows, left=2),
            _options(parser),
            "## Exit codes\n",
            codes,
            "Messages, progress and warnings go to stderr. Options are written out in full: `--line` is not `--lines`.",
        ]
    )


def exit_codes() -> dict[str, str]:
    """Return what each exit code means, as the command line's own description says it."""
    text = " ".join((main.__doc__ or "").split()).partition("Exit codes: ")[2].rstrip(".")
    return {code: meaning for code, _, meaning in (part.partition(" ") for part in text.split("; "))}


def _page(parser: argparse.ArgumentParser, what: str, guides: Mapping[str, str]) -> str:
    parts = [f"# {parser.prog}\n", *_body(parser, what)]
    below = _commands(parser)
    helps = {choice.dest: choice.help or "" for choice in _subparsers(parser)._choices_actions} if below else {}
    for name, command in below.items():
        parts += [f"## {command.prog}\n", *_body(command, helps[name])]
    return "\n".join([*parts, *_read_more(parser.prog, guides)])


def _body(parser: argparse.ArgumentParser, what: str) -> Iterator[str]:
    yield f"{_sentence(what)}\n"
    if parser.description:
        yield f"{_linked(parser.description)}\n"
    yield code_block(_usage(parser))
    yield _options(parser)
    if parser.epilog:
        yield f"{_linked(parser.epilog)}\n"
    if not _commands(parser):
        yield _exit_code_line(parser)


def _usage(parser: argparse.ArgumentParser) -> str:
    formatter = argparse.HelpFormatter(parser.prog, width=_WIDTH)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    return formatter.format_help()


def _options(parser: argparse.ArgumentParser) -> str:
    """Return arguments, then options, as a list of definitions; `--help` comes last."""
    formatter = argparse.HelpFormatter(parser.prog, width=_WIDTH)
    shown = [one for one in parser._actions if not isinstance(one, argparse._SubParsersAction) and not _is_hidden(one)]
    shown.sort(key=lambda action: (bool(action.option_strings), isinstance(action, argparse._HelpAction)))
    entries = (f"{_names(formatter, action)}\n:   {_meaning(formatter, action)}\n" for action in shown)
    return "\n".join(entries)


def _is_hidden(action: argparse.Action) -> bool:
    """Whether `--help` says nothing of an option."""
    return action.help == argparse.SUPPRESS


def _names(formatter: argparse.HelpFormatter, action: argparse.Action) -> str:
    return f"`{formatter._format_action_invocation(action)}`"


def _meaning(formatter: argparse.HelpFormatter, action: argparse.Action) -> str:
    said = formatter._expand_help(action) if action.help else "-"
    if action.dest == "jobs":  # the default is the number of processors of the computer that makes the page
        said = re.sub(rf"\b{os.cpu_count() or 1}\b", "all processors", said)
    text = _linked(said)
    if action.choices and action.metavar:
        text += f" (one of {', '.join(f'`{choice}`' for choice in action.choices)})"
    return f"{text} (required)" if action.required and action.option_strings else text


def _exit_code_line(parser: argparse.ArgumentParser) -> str:
    """Say the exit codes; what 1 means for this command stands in the description of its handler."""
    said = " ".join((getattr(parser.get_default("handler"), "__doc__", None) or "").split())
    own = said.partition("; exit code ")[2].rstrip(".")
    first = f"{escaped(own)}; else as" if own else "as"
    return f"**Exit code**: {first} [for every command]({_GENERAL_CODES}).\n"


def _read_more(prog: str, guides: Mapping[str, str]) -> Iterator[str]:
    """Name the written pages that show the command before anything else."""
    found = [(file, text) for file, text in guides.items() if prog in text[:600]]
    if found:
        links = ", ".join(f"[{text.splitlines()[0].lstrip('# ')}](../{file})" for file, text in found)
        yield f"**Read more**: {links}.\n"


def _linked(text: str) -> str:
    return _GUIDE.sub(r"[\1](../\1)", escaped(" ".join(text.split())))


def _sentence(text: str) -> str:
    return f"{escaped(text[:1].upper() + text[1:])}."
