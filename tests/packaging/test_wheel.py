"""The wheel: what a user installs, in an empty environment far from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import simulator

ROOT = Path(__file__).resolve().parents[2]


def _call(*command: str | Path, folder: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    _call(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, folder=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.mark.slow
def test_wheel_has_code_and_data_and_nothing_else(wheel: Path) -> None:
    assert wheel.name == f"numasim-{simulator.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for folder in ("topologies", "references"):
        shipped = {f"simulator/{folder}/{path.name}" for path in (ROOT / folder).glob("*.toml")}
        assert shipped
        assert shipped == {name for name in names if name.startswith(f"simulator/{folder}/")}
    assert {name.split("/")[0] for name in names} == {"simulator", f"numasim-{simulator.__version__}.dist-info"}


@pytest.mark.slow
def test_installed_command_replays_figure_4(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python, numasim = (tmp_path / "venv" / "bin" / name for name in ("python", "numasim"))
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--retries", "5", wheel], check=True)
    where = _call(python, "-c", "import simulator; print(simulator.__file__)", folder=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path)
    report = json.loads(_call(numasim, "reproduce", "amd-40555", "--figure", "4", "--json", "--out", "results", folder=tmp_path))
    assert [bar["threads"] for bar in report["bars"]] == [["0.0.r.0"], ["0.0.r.1"], ["0.0.r.2"], ["0.0.r.3"]]
    assert (tmp_path / "results" / "figure-4.png").stat().st_size > 1000
    assert "quartet" in _call(numasim, "topo", "list", folder=tmp_path)


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {simulator.__version__}\n" in citation
    assert f"## {simulator.__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_import_is_a_dependency_with_a_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    names = [*project["dependencies"], *(name for extra in project["optional-dependencies"].values() for name in extra)]
    for name in names:
        lines = [line for line in text.splitlines() if line.strip().startswith(f'"{name}"')]
        assert lines
        assert all("#" in line for line in lines), f"{name}: no reason"
