"""Fetches what `simulator/web/vendor` holds, by npm, as its list says: `make vendor`. Only needed to move to another version.

An archive that differs from its pinned hash is refused, and so is one whose licence is missing.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "simulator" / "web" / "vendor"


def main() -> int:
    """Fetch every package of the list."""
    for package in tomllib.loads((FOLDER / "vendor.toml").read_text(encoding="utf-8"))["package"]:
        fetch(package)
        print(f"{package['name']} {package['version']}: as pinned")
    return 0


def fetch(package: dict[str, Any]) -> None:
    """Fetch one package, check it, and put its files in place."""
    with tempfile.TemporaryDirectory() as folder:
        what = f"{package['name']}@{package['version']}"
        subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", what], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(folder).glob("*.tgz")
        found = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        if found != package["integrity"]:
            raise SystemExit(f"{what} is {found}, pinned is {package['integrity']}")
        with tarfile.open(archive) as opened:
            for name, member in package["files"].items():
                stream = opened.extractfile(f"package/{member}")
                assert stream is not None
                (FOLDER / name).write_bytes(stream.read())


if __name__ == "__main__":
    sys.exit(main())
