"""The folder that the site builder reads, its configuration, and what has to fit together there."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomli_w

from docs.generate.links import broken_links

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
CONFIGURATION = DOCS / "site.toml"
_KINDS = (".md", ".png", ".svg", ".gif", ".css", ".js")
_OUTWARD = re.compile(r"(?<!!)\[([^\]]*)\]\((?:\.\./)+([^)#]*)(?:#[^)]*)?\)")


class SiteError(Exception):
    """Pages and navigation do not fit together."""


def written_files() -> list[Path]:
    """Return the pages and pictures of `docs/` that people wrote, relative to it, sorted."""
    return sorted(path.relative_to(DOCS) for path in DOCS.rglob("*") if path.suffix in _KINDS and "generate" not in path.parts)


def claim(folder: Path) -> None:
    """Take a folder for the site, or take it again: what stands in its ``docs/`` will be replaced.

    Raises
    ------
    SiteError
        The folder is this project or part of its pages, or holds a ``docs/`` that was not made here.
    """
    place, mark = folder.resolve(), folder / CONFIGURATION.name
    if ROOT.is_relative_to(place) or place.is_relative_to(DOCS):
        raise SiteError(f"{folder}: holds the pages themselves; another folder, such as build/docs")
    if (folder / "docs").exists() and not mark.exists():
        raise SiteError(f"{folder / 'docs'}: was not made here, and would be replaced; another folder, such as build/docs")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(CONFIGURATION, mark)


def copy_written(target: Path) -> None:
    """Copy the written pages and pictures into an empty folder."""
    shutil.rmtree(target, ignore_errors=True)
    for name in written_files():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if name.suffix == ".md":
            depth = len(name.parts) - 1
            (target / name).write_text(_inside((DOCS / name).read_text(encoding="utf-8"), depth), encoding="utf-8")
        else:
            shutil.copyfile(DOCS / name, target / name)


def write_pages(target: Path, pages: Mapping[str, str]) -> None:
    """Write pages by their path in a folder."""
    for name, text in pages.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text, encoding="utf-8")


def configuration() -> dict[str, Any]:
    """Return the site's configuration as it is written."""
    return tomllib.loads(CONFIGURATION.read_text(encoding="utf-8"))


def expanded(nav: list[Any], names: list[str]) -> list[Any]:
    """Return a navigation with each ``"folder/*"`` replaced by the pages of that folder, its index first."""
    found: list[Any] = []
    for entry in nav:
        if isinstance(entry, str) and entry.endswith("/*"):
            inside = [name for name in names if name.startswith(entry[:-1])]
            found += sorted(inside, key=lambda name: (not name.endswith(("index.md", "README.md")), name))
        elif isinstance(entry, dict):
            found.append({title: expanded(value, names) if isinstance(value, list) else value for title, value in entry.items()})
        else:
            found.append(entry)
    return found


def nav_pages(nav: list[Any]) -> Iterator[str]:
    """Yield the pages that a navigation names."""
    for entry in nav:
        for value in entry.values() if isinstance(entry, dict) else (entry,):
            if isinstance(value, list):
                yield from nav_pages(value)
            else:
                yield value


def check_nav(nav: list[Any], names: list[str]) -> None:
    """See that a navigation names every page once, and no other.

    Raises
    ------
    SiteError
        It does not; the message names the pages.
    """
    named = list(nav_pages(nav))
    faults = {
        "in the navigation, but there is no such page": sorted(set(named) - set(names)),
        "a page, but not in the navigation": sorted(set(names) - set(named)),
        "in the navigation twice": sorted({name for name in named if named.count(name) > 1}),
    }
    texts = [f"{what}: {', '.join(which)}" for what, which in faults.items() if which]
    if texts:
        raise SiteError(f"{CONFIGURATION.relative_to(ROOT)}: {'; '.join(texts)}")


def check_links(pages: Path) -> None:
    """See that every link and picture of the pages is there; the site builder looks at neither pictures nor other files.

    Raises
    ------
    SiteError
        One is not.
    """
    broken = {page.relative_to(pages).as_posix(): broken_links(page) for page in sorted(pages.rglob("*.md"))}
    texts = [f"{page}: {', '.join(targets)}" for page, targets in broken.items() if targets]
    if texts:
        raise SiteError(f"links that lead nowhere: {'; '.join(texts)}")


def write_configuration(target: Path, pages: Path) -> None:
    """Write the configuration that the site builder reads, its navigation complete; the site is to stand beside it.

    Raises
    ------
    SiteError
        Pages and navigation do not fit together.
    """
    names = sorted(path.relative_to(pages).as_posix() for path in pages.rglob("*.md"))
    settings = configuration()
    project = settings["project"]
    project["nav"] = expanded(project["nav"], names)
    check_nav(project["nav"], names)
    project["docs_dir"] = os.path.relpath(pages, target.parent)
    project["plugins"]["mkdocstrings"]["handlers"]["python"]["paths"] = [str(ROOT)]
    target.write_text(tomli_w.dumps(settings), encoding="utf-8")


def _inside(text: str, depth: int) -> str:
    """Return a page with its links to files outside `docs/`, which the site does not have, as the names of these files."""

    def named(link: re.Match[str]) -> str:
        ups = link[0].partition("](")[2].count("../")
        if ups <= depth:
            return link[0]
        words, path = link[1], link[2]
        return words if words.strip("`") == path else f"{words} (`{path}`)"

    return _OUTWARD.sub(named, text)
