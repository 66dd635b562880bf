"""The whole site is built, as `make docs` does, and needs nothing from the net."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docs.generate.pages import ROOT, written_files
from simulator.cli.main import COMMANDS

pytest.importorskip("zensical", reason="needs the extra docs")
pytest.importorskip("mkdocstrings", reason="needs the extra docs")
pytestmark = pytest.mark.slow


class _Fetched(HTMLParser):
    """Collects what a browser fetches for a page, links that a reader may follow left out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        wanted = "href" if tag == "link" else "src"
        if tag != "a" and values.get(wanted):
            self.found.append(str(values[wanted]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    for arguments in (
        ["docs.generate", str(folder)],
        ["zensical", "build", "--strict", "--config-file", str(folder / "site.toml")],
    ):
        done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def test_every_page_is_there(site: Path) -> None:
    for file in written_files():
        if file.suffix == ".md":
            assert (site / str(file.with_suffix(".html")).replace("README", "index")).is_file(), file
    assert all((site / "commands" / f"{name}.html").is_file() for name in COMMANDS)


def test_nothing_is_fetched_from_the_net(site: Path) -> None:
    for page in sorted(site.rglob("*.html")):
        parser = _Fetched()
        parser.feed(page.read_text(encoding="utf-8"))
        assert not [name for name in parser.found if re.match(r"(https?:)?//", name)], page
        here = [name.partition("#")[0].partition("?")[0] for name in parser.found if not name.startswith(("data:", "/"))]
        assert not [name for name in here if not (page.parent / name).is_file()], page
    for style in sorted(site.rglob("*.css")):
        assert not re.findall(r"(?:url\(\s*['\"]?|@import\s+['\"]?)(?:https?:)?//", style.read_text(encoding="utf-8")), style


def test_formulas_and_the_index_of_the_search(site: Path) -> None:
    assert (site / "theory.html").read_text(encoding="utf-8").count("<math") >= 5
    assert "var __index" in (site / "search.js").read_text(encoding="utf-8")[:100]
    assert "validation.html" in (site / "search.json").read_text(encoding="utf-8")


def test_the_python_interface_is_filled_in(site: Path) -> None:
    text = (site / "api" / "measure.html").read_text(encoding="utf-8")
    assert 'id="simulator.measure.run.run"' in text
    assert "<code>accuracy</code>" in text


def test_the_validation_page_holds_the_replay(site: Path) -> None:
    text = re.sub(r"<[^>]+>", " ", (site / "validation.html").read_text(encoding="utf-8"))
    assert "No tolerance is missed." in text
    assert re.search(r"0\.0\.w\.1 1\.0\.w\.0\s+149\s+14\d\.\d\s+-\d\.\d", text)
