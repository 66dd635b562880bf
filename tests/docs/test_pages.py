"""The navigation names every page, and every link of a page leads somewhere; without building the site."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.generate.api import api_pages
from docs.generate.commands import command_pages
from docs.generate.links import anchors, broken_links
from docs.generate.pages import (
    DOCS,
    ROOT,
    SiteError,
    check_links,
    check_nav,
    claim,
    configuration,
    copy_written,
    expanded,
    nav_pages,
    written_files,
)
from simulator import list_machines

PAGES = [file.as_posix() for file in written_files() if file.suffix == ".md"]
MADE = ["changelog.md", "validation.md", "machines/index.md", *(f"machines/{name}.md" for name in list_machines())]


def test_the_navigation_names_every_page() -> None:
    names = [*PAGES, *MADE, *command_pages({}), *api_pages()]
    nav = expanded(configuration()["project"]["nav"], names)
    check_nav(nav, names)
    assert len(list(nav_pages(nav))) == len(names)


@pytest.mark.parametrize(
    ("nav", "message"),
    [
        (["a.md", {"B": "b.md"}, {"C": ["c.md"]}], "no such page: c.md"),
        (["a.md"], "not in the navigation: b.md"),
        (["a.md", "b.md", {"again": "a.md"}], "twice: a.md"),
    ],
)
def test_a_navigation_that_does_not_fit_is_refused(nav: list[object], message: str) -> None:
    with pytest.raises(SiteError, match=message):
        check_nav(nav, ["a.md", "b.md"])


def test_a_folder_in_the_navigation_becomes_its_pages_index_first() -> None:
    names = ["x/b.md", "x/a.md", "x/index.md", "y.md"]
    assert expanded([{"X": ["x/*"]}, "y.md"], names) == [{"X": ["x/index.md", "x/a.md", "x/b.md"]}, "y.md"]


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    """Also to headings, by the anchors that GitHub makes; the site makes the same."""
    assert broken_links(DOCS / name) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    (tmp_path / "other.md").write_text("# A `title`: of --two words\n\n```\n# no heading\n```\n", encoding="utf-8")
    page.write_text(
        "[good](other.md) [good](other.md#a-title-of---two-words) [gone](gone.md) [gone](other.md#no-heading) ![gone](gone.png)\n"
        "`[code](code.md)` [outside](https://example.org/x)\n```\n[code](code.md)\n```\n[ok](#here)\n\n## Here\n",
        encoding="utf-8",
    )
    assert broken_links(page) == ["gone.md", "other.md#no-heading", "gone.png"]
    with pytest.raises(SiteError, match=r"page\.md: gone\.md"):
        check_links(tmp_path)


def test_anchors_are_those_of_github() -> None:
    assert anchors("# Overrides: `--set PATH=VALUE`\n## What's [new](x.md)?\n") == {"overrides---set-pathvalue", "whats-new"}


def test_links_out_of_the_pages_become_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site has no files beside the pages; on GitHub such links work."""
    source = tmp_path / "docs"
    (source / "decisions").mkdir(parents=True)
    (source / "page.md").write_text("[a notebook](../notebooks/1.md), [`../x`](../topologies/x.toml)", encoding="utf-8")
    (source / "decisions" / "1.md").write_text("[page](../page.md) [readme](../../README.md)", encoding="utf-8")
    monkeypatch.setattr("docs.generate.pages.DOCS", source)
    copy_written(tmp_path / "out")
    text = (tmp_path / "out" / "page.md").read_text(encoding="utf-8")
    assert text == "a notebook (`notebooks/1.md`), `../x` (`topologies/x.toml`)"
    assert (tmp_path / "out" / "decisions" / "1.md").read_text(encoding="utf-8") == "[page](../page.md) readme (`README.md`)"


@pytest.mark.parametrize("folder", [ROOT, ROOT.parent, DOCS, DOCS / "generate" / "deep"])
def test_the_pages_themselves_are_not_replaced(folder: Path) -> None:
    with pytest.raises(SiteError, match="holds the pages themselves"):
        claim(folder)


def test_only_a_folder_that_was_made_here_is_replaced(tmp_path: Path) -> None:
    claim(tmp_path / "new" / "site")
    (tmp_path / "new" / "site" / "docs").mkdir()
    claim(tmp_path / "new" / "site")
    (tmp_path / "docs").mkdir()
    with pytest.raises(SiteError, match="docs: was not made here"):
        claim(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "new"]
