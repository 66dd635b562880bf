"""`python -m docs.generate FOLDER`: write the pages of the site and its configuration; the site builder does the rest."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from docs.generate.api import api_pages
from docs.generate.commands import command_pages
from docs.generate.machines import machine_pages
from docs.generate.pages import ROOT, SiteError, check_links, claim, copy_written, write_configuration, write_pages
from docs.generate.validation import replayed, validation_pages
from simulator.errors import NumasimError


def main(folder: Path) -> None:
    """Write what the site builder reads into a folder: ``docs/``, ``site.toml``; and the finished runs of the validation page.

    Raises
    ------
    SiteError
        Pages and navigation do not fit together, or the folder is none that may be replaced.
    """
    claim(folder)
    pages = folder / "docs"
    copy_written(pages)
    guides = {file.name: file.read_text(encoding="utf-8") for file in sorted(pages.glob("*.md"))}
    (pages / "machines").mkdir()
    (pages / "pictures" / "validation").mkdir(parents=True)
    write_pages(pages, command_pages(guides))
    write_pages(pages, api_pages())
    write_pages(pages, machine_pages(pages / "machines"))
    write_pages(pages, validation_pages(replayed(folder / "runs"), pages))
    (pages / "changelog.md").write_text((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), encoding="utf-8")
    check_links(pages)
    write_configuration(folder / "site.toml", pages)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description="Write what the site builder reads.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="its docs/ and site.toml are replaced")
    try:
        main(parser.parse_args().folder)
    except (NumasimError, OSError, SiteError) as error:
        sys.exit(f"docs: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
